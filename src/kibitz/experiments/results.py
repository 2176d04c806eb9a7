"""What an evaluation or a match gives back: figures with standard errors, printable and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kibitz.core.printable import facts_of
from kibitz.experiments.batch import Batch
from kibitz.play.loop import (
    CONTEST_DEALS,
    CONTEST_DEALS_SQUARED,
    CONTEST_ENTRIES,
    CONTEST_TURNS,
    CONTESTS,
    CONTESTS_UNFINISHED,
    DEALS_UNFINISHED,
)
from kibitz.stats.summary import ContestRow, CooperativeRow


@dataclass
class Result:
    """Figures of one command. `complete` is false if it was interrupted."""

    command: str
    game: str
    rules: str
    players: int
    against: str | None
    games: int
    seed: int
    seating: str
    to: str | None = None  # points that contests were played to; None if every game is one deal
    rows: list[Any] = field(default_factory=list)
    seconds: float = 0.0
    games_played: int = 0
    complete: bool = True
    others: list[Result] = field(default_factory=list, repr=False, compare=False)  # further tables of the same run

    @property
    def unit(self) -> str:
        """What was counted, in words."""
        plural = "" if self.games == 1 else "s"
        return f"contest{plural} to {self.to}" if self.to else f"game{plural}"

    @property
    def games_per_second(self) -> float:
        """All games of all rows over the time they took."""
        return self.games_played / self.seconds if self.seconds > 0 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """The result as it stands in JSON."""
        from kibitz import __version__, registry

        return {
            **facts_of(self, "command", "game", "rules", "players", "against", "games", "seed", "seating"),
            **({"to": self.to} if self.to else {}),
            "rows": [row.to_dict() for row in self.rows],
            **facts_of(self, "seconds", "games_per_second", "complete"),
            "version": __version__,
            "results_version": registry.game(self.game).results_version,
        }

    def __getitem__(self, key: int | str) -> Any:
        """A row by its place, or by the bot's name."""
        if isinstance(key, int):
            return self.rows[key]
        for row in self.rows:
            if row.bot == key or row.bot.partition(":")[0] == key:
                return row
        raise KeyError(f"no row for '{key}'; there are {', '.join(row.bot for row in self.rows)}")

    def __repr__(self) -> str:
        opponents = f" against {self.against}" if self.against else ""
        head = f"{self.command}: {self.game}, {self.rules}, {self.players} players{opponents}, {self.games:,} {self.unit}, seed {self.seed}"
        width = max((len(row.bot) for row in self.rows), default=3)
        if any(isinstance(row, CooperativeRow) for row in self.rows):
            return "\n".join(
                [head if self.complete else f"{head} (incomplete)", *[f"{row.bot:<{width}}  {row.in_words()}" for row in self.rows]]
            )
        lines = [
            head if self.complete else f"{head} (incomplete)",
            f"{'bot':<{width}}  {'wins %':>14}  {'points':>16}  {'turns':>6}" + ("   deals" if self.to else ""),
        ]
        for row in self.rows:
            wins = f"{100 * row.win_rate:6.2f} ± {percent(row.win_rate_se)}"
            points = f"{row.points:7.2f} ± {plain(row.points_se)}"
            deals = f"  {row.deals:6.1f}" if isinstance(row, ContestRow) else ""
            lines.append(f"{row.bot:<{width}}  {wins:>14}  {points:>16}  {row.turns:6.1f}{deals}")
        return "\n".join(lines)


def percent(error: float | None) -> str:
    """A standard error of a rate, in per cent."""
    return "?" if error is None else f"{100 * error:.2f}"


def plain(error: float | None) -> str:
    """A standard error."""
    return "?" if error is None else f"{error:.2f}"


def row_of(batch: Batch, entry: int, name: str | None = None) -> Any:
    """The figures of one line-up entry."""
    tally = [int(value) for value in batch.tally]
    if batch.lineup.to:
        return _contest_row(tally, entry, name or batch.lineup.entrants[entry].name)
    return batch.lineup.game.make_row(tally, entry, name or batch.lineup.entrants[entry].name)


def _contest_row(tally: list[int], entry: int, name: str) -> ContestRow:
    place = CONTEST_ENTRIES + 4 * entry
    return ContestRow(
        bot=name,
        games=tally[CONTESTS],
        wins=tally[place],
        points_total=tally[place + 1],
        points_squares=tally[place + 2],
        unfinished=tally[CONTESTS_UNFINISHED],
        turns_total=tally[CONTEST_TURNS],
        deals_total=tally[CONTEST_DEALS],
        deals_squares=tally[CONTEST_DEALS_SQUARED],
        points_by_deals=tally[place + 3],
        unfinished_deals=tally[DEALS_UNFINISHED],
    )
