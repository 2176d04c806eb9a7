"""What a tournament gives back: standings, who did how against whom, ratings, faults; printable and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from kibitz.runs.ledger import Fault


@dataclass(frozen=True)
class Figure:
    """A mean with its standard error, from so many games."""

    value: float
    error: float | None
    games: int


@dataclass(frozen=True)
class Interval:
    """A rating on the Elo scale, the field's mean being 0, with a 95 % interval."""

    rating: float
    low: float
    high: float


@dataclass(frozen=True)
class Standing:
    """How one player fared. Win rate and points are those of a game; in a cooperative game there are points alone."""

    name: str
    bot: str  # the bot's name, file or command line, without folders
    games: int
    wins: int
    points_total: int
    win_rate: Figure
    points: Figure
    rating: Interval | None = None
    skill: tuple[float, float] | None = None  # of the live ladder: mean and uncertainty
    match_points: float | None = None  # Swiss: matches won, a drawn one counting half
    faults: int = 0
    forfeits: int = 0


@dataclass
class TournamentResult:
    """The figures of a tournament. `complete` is false if it was interrupted."""

    title: str
    game: str
    rules: str
    format: str
    seed: int
    games: int  # asked for in each match
    table: int  # players at a table
    cooperative: bool
    to: str | None
    standings: list[Standing] = field(default_factory=list)  # the best first
    matrix: list[list[Figure | None]] = field(default_factory=list)  # rows and columns in the order of the standings
    progress: list[tuple[int, list[float]]] = field(default_factory=list)  # games played, total points of each, same order
    faults: list[tuple[int, Fault]] = field(default_factory=list)  # with the index of the game in the whole run
    games_played: int = 0
    matches: int = 0
    seconds: float = 0.0
    complete: bool = True
    won_by_nobody: int = 0  # games without a winner: cut off, stuck, or won by a seat that had forfeited
    paired: bool = True  # each deal was played from every seat, or by every team; else each game had a fresh deal

    def to_dict(self) -> dict[str, Any]:
        """The result as it stands in JSON."""
        from kibitz import __version__, registry

        found = asdict(self)
        found["faults"] = [{"index": index, **asdict(fault)} for index, fault in self.faults]
        results_version = registry.game(self.game).results_version
        return {"command": "tournament", **found, "version": __version__, "results_version": results_version}
