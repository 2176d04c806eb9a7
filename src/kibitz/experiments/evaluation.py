"""The two questions asked most: how good is a bot against an opponent, and who wins this line-up?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from kibitz import registry
from kibitz.experiments.batch import Batch, Workers, open_workers
from kibitz.experiments.plan import Plan, plan_evaluation, plan_match
from kibitz.experiments.results import Result
from kibitz.runs.ledger import Ledger

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
    game: str | None = None,
    progress: Progress | None = None,
    ledger: Ledger | None = None,
) -> Result:
    """Each bot in one seat against copies of an opponent; if none is named, all that neither search nor cheat, with all presets.

    In Hanabi a bot plays with copies of itself. `bots` is a name, a bot, a class, a function, or a list of these. Every
    row plays the same deals. With `to`, such as 500 or "500+" (more than 500), a game is a contest: deals until somebody
    has so many points. With a ledger each row is a part of it. `game` is that of the bots, or UNO where their names leave it open.
    """
    if bots is None:
        game = registry.game_of([] if against is None else [against], game)
        chosen: list[Any] = registry.quick_names(game, players)
    else:
        chosen = [bots] if isinstance(bots, str) or not isinstance(bots, Sequence) else list(bots)
    return play_plan(plan_evaluation(chosen, players, against, games, seed, rules, seating, to, game, jit), threads, progress, ledger)


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
    game: str | None = None,
    players: int = 2,
    progress: Progress | None = None,
    ledger: Ledger | None = None,
) -> Result:
    """One line-up of 2 to 10 bots, many games; a row for each entry in the order given.

    With `to`, such as 500 or "500+" (more than 500), a game is a contest: deals until somebody has so many points. `game` is that of
    the bots, or UNO where their names leave it open.
    """
    return play_plan(plan_match(bots, players, games, seed, rules, seating, to, game, jit), threads, progress, ledger)


def play_plan(
    plan: Plan, threads: int | None = None, progress: Progress | None = None, ledger: Ledger | None = None, part: int = 0
) -> Result:
    """Play a plan, except for what the ledger has of it; its line-ups are parts `part` and following."""
    result = plan.new_result()
    with open_workers(threads) as workers:
        for batch in plan.batches(ledger, part):
            _run(plan, batch, workers, result, progress)
    return result


def _run(plan: Plan, batch: Batch, workers: Workers, result: Result, progress: Progress | None) -> None:
    """Play a batch and add its rows; interrupted, add what there is."""
    batch.prepare()
    name = batch.lineup.entrants[plan.entries[0]].name
    start = time.perf_counter()
    try:
        batch.run(workers, (lambda count: progress(name, count)) if progress else None)
    except KeyboardInterrupt:
        result.complete = False
        raise Interrupted(result) from None
    finally:
        result.seconds += time.perf_counter() - start
        plan.add_rows(result, batch)
