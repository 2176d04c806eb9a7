"""The two questions asked most: how good is a bot against an opponent, and who wins this line-up?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from kibitz import registry
from kibitz.arena.batch import Batch, Workers, open_workers
from kibitz.arena.lineup import Lineup, make_lineup
from kibitz.arena.results import Result, row_of
from kibitz.errors import BadValue

DEFAULT_GAMES = 100_000
DEFAULT_SEED = 1

Progress = Callable[[str, int], None]  # the row being played and how many games were just finished


class Interrupted(Exception):
    """Ctrl-C in a long run: `result` holds what was done."""

    def __init__(self, result: Result) -> None:
        super().__init__("interrupted")
        self.result = result


def evaluate(
    bots: Sequence[Any] | str | Any | None = None,
    *,
    players: int = 2,
    against: Any = None,
    games: int = DEFAULT_GAMES,
    seed: int = DEFAULT_SEED,
    rules: Any = None,
    seating: str = "random",
    to: str | int | None = None,
    threads: int | None = None,
    jit: bool = True,
    game: str = "uno",
    progress: Progress | None = None,
) -> Result:
    """Each bot in one seat against copies of an opponent; all bots with all presets if none is named.

    In Hanabi a bot plays with copies of itself. `bots` is a name, a bot, a class, a function, or a list of these. Every
    row plays the same deals. With `to`, such as
    500 or "500+" (more than 500), a game is a contest: deals until somebody has so many points.
    """
    chosen = registry.all_names(game) if bots is None else [bots] if isinstance(bots, str) or not isinstance(bots, Sequence) else list(bots)
    if not 2 <= players <= registry.game(game).max_players:
        raise BadValue(f"players={players} is out of range: 2 to {registry.game(game).max_players} can play.")
    alone = registry.game(game).cooperative
    if alone and against is not None:
        raise BadValue(f"against={against}: in {registry.game(game).title} nobody plays against another; a bot is measured with itself.")
    opponent = None if alone else registry.entrant("random" if against is None else against, game)
    others = [[bot if alone else opponent] * (players - 1) for bot in chosen]
    lineups = [make_lineup([bot, *rest], rules, seating, game, to) for bot, rest in zip(chosen, others, strict=True)]
    result = _new_result("evaluate", lineups[0], games, seed, opponent.name if opponent else None)
    with open_workers(threads) as workers:
        for lineup in lineups:
            batch = Batch(lineup, games, seed, jit)
            _run(batch, workers, result, [0], progress)
    return result


def match(
    bots: Sequence[Any],
    *,
    games: int = DEFAULT_GAMES,
    seed: int = DEFAULT_SEED,
    rules: Any = None,
    seating: str = "random",
    to: str | int | None = None,
    threads: int | None = None,
    jit: bool = True,
    game: str = "uno",
    players: int = 2,
    progress: Progress | None = None,
) -> Result:
    """One line-up of 2 to 10 bots, many games; a row for each entry in the order given.

    With `to`, such as 500 or "500+" (more than 500), a game is a contest: deals until somebody has so many points.
    """
    lineup = make_lineup(bots, rules, seating, game, to, players)
    result = _new_result("match", lineup, games, seed, None)
    entries = [0] if lineup.game.cooperative else list(range(lineup.players))
    with open_workers(threads) as workers:
        _run(Batch(lineup, games, seed, jit), workers, result, entries, progress)
    return result


def _new_result(command: str, lineup: Lineup, games: int, seed: int, against: str | None) -> Result:
    return Result(command, lineup.game.name, lineup.rules.to_text(), lineup.players, against, games, seed, lineup.seating, lineup.to)


def _run(batch: Batch, workers: Workers, result: Result, entries: list[int], progress: Progress | None) -> None:
    """Play a batch and add its rows; interrupted, add what there is."""
    batch.prepare()
    name = batch.lineup.entrants[entries[0]].name
    start = time.perf_counter()
    try:
        batch.run(workers, (lambda count: progress(name, count)) if progress else None)
    except KeyboardInterrupt:
        result.complete = False
        raise Interrupted(result) from None
    finally:
        result.seconds += time.perf_counter() - start
        result.games_played += batch.done
        if batch.done:
            result.rows.extend(row_of(batch, entry, batch.lineup.team) for entry in entries)
