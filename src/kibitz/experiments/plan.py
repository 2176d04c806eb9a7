"""What an evaluation or a match plays, before anything is played: line-ups, games and seed, as JSON and back.

A plan read back from its config plays the same games and gives the same figures; this is what a stored run keeps.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz import registry
from kibitz.bots.object_bot import ObjectBot
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.public import public_names
from kibitz.core.reading import is_file, read_bytes
from kibitz.core.seeds import check_seed
from kibitz.experiments.batch import Batch
from kibitz.experiments.results import Result, row_of
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.runs.ledger import Ledger


@dataclass(frozen=True, eq=False)
class Plan:
    """Line-ups that each play the same deals; `entries` are those of each line-up that have a row in the result."""

    command: str
    lineups: tuple[Lineup, ...]
    entries: tuple[int, ...]
    games: int
    seed: int
    jit: bool = True
    against: str | None = None

    def __post_init__(self) -> None:
        if self.games < 1:
            raise BadValue(f"games={self.games} is out of range: at least 1 game is needed.")
        check_seed(self.seed)

    @property
    def total(self) -> int:
        """Games of all line-ups together."""
        return len(self.lineups) * self.games

    def batches(self, ledger: Ledger | None = None, part: int = 0, noted: bool = False) -> list[Batch]:
        """One batch a line-up; in a ledger they are parts `part` and following."""
        return [
            Batch(lineup, self.games, self.seed, self.jit, noted=noted, ledger=ledger, part=part + place)
            for place, lineup in enumerate(self.lineups)
        ]

    def new_result(self) -> Result:
        """A result without rows."""
        first = self.lineups[0]
        return Result(
            self.command,
            first.game.name,
            first.rules.to_text(),
            first.players,
            self.against,
            self.games,
            self.seed,
            first.seating,
            first.to,
        )

    def add_rows(self, result: Result, batch: Batch) -> None:
        """Add what a batch found so far."""
        result.games_played += batch.done
        if batch.done:
            result.rows.extend(row_of(batch, entry, batch.lineup.team) for entry in self.entries)

    def recalled(self, ledger: Ledger, part: int = 0) -> Result:
        """The result as far as a ledger has it, without playing."""
        result = self.new_result()
        for batch in self.batches(ledger, part):
            batch.recall()
            self.add_rows(result, batch)
            result.complete &= batch.complete
        return result

    # -- JSON --

    def to_config(self) -> dict[str, Any]:
        """All that decides the figures, with a fingerprint of each file that holds a bot."""
        first = self.lineups[0]
        names = [entrant.name for entrant in first.entrants]
        bots = names if self.command == "match" else [lineup.entrants[0].name for lineup in self.lineups]
        files = {str(path): _fingerprint(path) for path in _files_of([*bots, *names], Path()) if path.is_file()}
        return {
            "command": self.command,
            "game": first.game.name,
            "bots": bots,
            "players": first.players,
            "against": self.against,
            "games": self.games,
            "seed": self.seed,
            "rules": first.rules.to_text(),
            "seating": first.seating,
            "to": first.to,
            "jit": self.jit and os.environ.get("KIBITZ_JIT") != "0",
            "folder": str(Path.cwd()),
            "files": files,
        }


def plan_evaluation(
    bots: Sequence[Any],
    players: int,
    against: Any,
    games: int,
    seed: int,
    rules: Any = None,
    seating: str = "random",
    to: str | int | None = None,
    game: str | None = None,
    jit: bool = True,
) -> Plan:
    """Each bot in one seat against copies of an opponent; in a cooperative game in every seat."""
    game = registry.game_of([*bots, *([] if against is None else [against])], game)
    definition = registry.game(game)
    if not 2 <= players <= definition.max_players:
        raise BadValue(f"players={players} is out of range: 2 to {definition.max_players} can play.")
    alone = definition.cooperative
    if alone and against is not None:
        raise BadValue(f"against={against}: in {definition.title} nobody plays against another; a bot is measured with itself.")
    opponent = None if alone else registry.entrant("random" if against is None else against, game)
    others = [[bot if alone else opponent] * (players - 1) for bot in bots]
    lineups = tuple(make_lineup([bot, *rest], rules, seating, game, to) for bot, rest in zip(bots, others, strict=True))
    return Plan("evaluate", lineups, (0,), games, seed, jit, opponent.name if opponent else None)


def plan_match(
    bots: Sequence[Any],
    players: int,
    games: int,
    seed: int,
    rules: Any = None,
    seating: str = "random",
    to: str | int | None = None,
    game: str | None = None,
    jit: bool = True,
) -> Plan:
    """One line-up, with a row for each entry, or one for the team."""
    lineup = make_lineup(bots, rules, seating, game, to, players)
    entries = (0,) if lineup.game.cooperative else tuple(range(lineup.players))
    return Plan("match", (lineup,), entries, games, seed, jit)


def plan_from(config: Mapping[str, Any], players: int | None = None, absent: bool = False) -> Plan:
    """The plan that a config describes; with `absent` its bots are only names without folders, enough to read results that are there."""

    shown = public_names([*config["bots"], *([config["against"]] if config["against"] else [])])

    def bot(name: str) -> Any:
        return registry.Entrant(shown[name], ObjectBot(name, _nobody, name)) if absent else name

    chosen = [bot(name) for name in config["bots"]]
    seats = config["players"] if players is None else players
    shared = {key: config[key] for key in ("games", "seed", "rules", "seating", "to", "game", "jit")}
    if config["command"] == "match":
        return plan_match(chosen, seats, **shared)
    against = config["against"]
    return plan_evaluation(chosen, seats, None if against is None else bot(against), **shared)


def plans_of(config: Mapping[str, Any], absent: bool = False) -> list[Plan]:
    """The plans of an evaluation or a match, one a table; with `absent`, bots are only names."""
    return [plan_from(config, players, absent) for players in config.get("published") or [config["players"]]]


def recalled(config: Mapping[str, Any], ledger: Ledger) -> list[Result]:
    """The results as far as a ledger has them, without playing or loading a bot."""
    results: list[Result] = []
    part = 0
    for plan in plans_of(config, absent=True):
        results.append(plan.recalled(ledger, part))
        part += len(plan.lineups)
    return results


def check_files(config: Mapping[str, Any]) -> None:
    """Refuse a config whose bot files are not what they were, or that names one it has no fingerprint of; none of them is loaded."""
    names = [*config.get("bots", ()), *config.get("with", ()), *([config["against"]] if config.get("against") else [])]
    folder, known = Path(config.get("folder", ".")), config.get("files", {})
    for file in _files_of(names, folder):
        if str(file) not in known:
            raise BadBot(f"bot file {file} has no fingerprint in the run, so nobody knows whether it is the same; start a new run.")
    for name, fingerprint in known.items():
        path = folder / name
        if not is_file(path):
            raise BadBot(f"bot file {path} does not exist any more; the run needs it as it was when it began.")
        if _fingerprint(path) != fingerprint:
            raise BadBot(f"bot file {path} has changed since the run began; start a new run with the bot as it is now.")


def _nobody() -> Any:
    raise AssertionError("an absent bot is a name and nothing else")


def _files_of(names: Iterable[str], folder: Path) -> list[Path]:
    """The files that the names of bots begin with, seen from a folder; built-in bots have none."""
    return list(dict.fromkeys(Path(registry.split_file(name, folder)[0]) for name in names if registry.is_file_name(name)))


def _fingerprint(path: Path) -> str:
    return hashlib.sha256(read_bytes(path, "bot file")).hexdigest()
