"""Summaries of many deals: sums of whole numbers, so that merging is exact in any order."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kibitz.core.printable import facts_of


def standard_error(total: int, squares: int, count: int) -> float | None:
    """The standard error of a mean, from the sum and the sum of squares; None where one value tells nothing."""
    if count < 2:
        return None
    # Exact in whole numbers until the last step: no cancellation however many games.
    return math.sqrt((count * squares - total * total) / (count * count * (count - 1)))


def ratio_error(totals: tuple[int, int], squares: tuple[int, int], products: int, count: int) -> float | None:
    """The standard error of a ratio of two sums over `count` independent pieces, such as points over deals of contests.

    `totals` and `squares` are those of numerator and denominator, `products` the sum of their products.
    """
    over, under = totals
    if count < 2 or under == 0:
        return None
    ratio = over / under
    spread = squares[0] - 2 * ratio * products + ratio * ratio * squares[1]
    return math.sqrt(max(spread, 0.0) * count / (count - 1)) / under


@dataclass(frozen=True)
class Row:
    """How one bot of a line-up fared. Points are the winner's, over all games played."""

    bot: str
    games: int
    wins: int
    points_total: int
    points_squares: int
    unfinished: int
    turns_total: int
    turns_squares: int = 0

    @property
    def win_rate(self) -> float:
        """Share of games won."""
        return self.wins / self.games if self.games else 0.0

    @property
    def win_rate_se(self) -> float | None:
        """Standard error of the win rate."""
        return standard_error(self.wins, self.wins, self.games)

    @property
    def points(self) -> float:
        """Points a game."""
        return self.points_total / self.games if self.games else 0.0

    @property
    def points_se(self) -> float | None:
        """Standard error of the points a game."""
        return standard_error(self.points_total, self.points_squares, self.games)

    @property
    def turns(self) -> float:
        """Mean turns a game."""
        return self.turns_total / self.games if self.games else 0.0

    @property
    def turns_se(self) -> float | None:
        """Standard error of the turns a game."""
        return standard_error(self.turns_total, self.turns_squares, self.games)

    def to_dict(self) -> dict[str, object]:
        """The row as it stands in JSON."""
        return facts_of(self, "bot", "games", "win_rate", "win_rate_se", "points", "points_se", "unfinished", "turns")


@dataclass(frozen=True)
class ContestRow(Row):
    """How one bot fared in contests of several deals each. `games` and `wins` count contests, points and turns are a deal's.

    `points_squares` sums the squares of a contest's points.
    """

    deals_total: int = 0
    deals_squares: int = 0
    points_by_deals: int = 0  # sum over contests of points x deals
    unfinished_deals: int = 0

    @property
    def deals(self) -> float:
        """Mean deals a contest."""
        return self.deals_total / self.games if self.games else 0.0

    @property
    def deals_se(self) -> float | None:
        """Standard error of the deals a contest."""
        return standard_error(self.deals_total, self.deals_squares, self.games)

    @property
    def points(self) -> float:
        """Points a deal."""
        return self.points_total / self.deals_total if self.deals_total else 0.0

    @property
    def points_se(self) -> float | None:
        """Standard error of the points a deal: deals of one contest belong together."""
        return ratio_error(
            (self.points_total, self.deals_total), (self.points_squares, self.deals_squares), self.points_by_deals, self.games
        )

    @property
    def turns(self) -> float:
        """Mean turns a deal."""
        return self.turns_total / self.deals_total if self.deals_total else 0.0

    @property
    def turns_se(self) -> float | None:
        """Not known: turns are summed over contests."""
        return None

    def to_dict(self) -> dict[str, object]:
        """The row as it stands in JSON."""
        return {**super().to_dict(), **facts_of(self, "deals", "deals_se", "unfinished_deals")}


@dataclass(frozen=True)
class CooperativeRow:
    """How a team fared: histograms of the points on the table at the end, of all games and of those lost on the way."""

    bot: str
    games: int
    kept: tuple[int, ...]
    lost_with: tuple[int, ...]
    perfect_games: int
    turns_total: int

    def _sums(self, counts: list[int]) -> tuple[int, int]:
        return sum(points * count for points, count in enumerate(counts)), sum(points**2 * count for points, count in enumerate(counts))

    @property
    def histogram(self) -> list[int]:
        """Games by score, a lost game scoring 0."""
        scores = [kept - lost for kept, lost in zip(self.kept, self.lost_with, strict=True)]
        scores[0] += sum(self.lost_with)
        return scores

    @property
    def score(self) -> float:
        """Mean score, a lost game counting 0."""
        return self._sums(self.histogram)[0] / self.games if self.games else 0.0

    @property
    def score_se(self) -> float | None:
        """Standard error of the score."""
        return standard_error(*self._sums(self.histogram), self.games)

    @property
    def score_kept(self) -> float:
        """Mean points on the table, lost games included."""
        return self._sums(list(self.kept))[0] / self.games if self.games else 0.0

    @property
    def score_kept_se(self) -> float | None:
        """Standard error of the points on the table."""
        return standard_error(*self._sums(list(self.kept)), self.games)

    @property
    def perfect(self) -> float:
        """Share of perfect games."""
        return self.perfect_games / self.games if self.games else 0.0

    @property
    def lost(self) -> float:
        """Share of lost games."""
        return sum(self.lost_with) / self.games if self.games else 0.0

    @property
    def turns(self) -> float:
        """Mean turns a game."""
        return self.turns_total / self.games if self.games else 0.0

    def in_words(self) -> str:
        """The figures in one line."""
        return (
            f"score {self.score:.2f} ± {self.score_se or 0:.2f} (points kept {self.score_kept:.2f} ± {self.score_kept_se or 0:.2f}), "
            f"{100 * self.perfect:.1f} % perfect, {100 * self.lost:.1f} % lost, {self.turns:.1f} turns"
        )

    def to_dict(self) -> dict[str, object]:
        """The row as it stands in JSON."""
        figures = ("score", "score_se", "score_kept", "score_kept_se", "perfect", "lost", "turns", "histogram")
        return facts_of(self, "bot", "games", *figures)
