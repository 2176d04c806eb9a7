"""Summaries of many deals: sums of whole numbers, so that merging is exact in any order."""

from __future__ import annotations

import math
from dataclasses import dataclass


def standard_error(total: int, squares: int, count: int) -> float | None:
    """The standard error of a mean, from the sum and the sum of squares; None where one value tells nothing."""
    if count < 2:
        return None
    # Exact in whole numbers until the last step: no cancellation however many games.
    return math.sqrt((count * squares - total * total) / (count * count * (count - 1)))


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

    def to_dict(self) -> dict[str, object]:
        """The row as it stands in JSON."""
        return {
            "bot": self.bot,
            "games": self.games,
            "win_rate": self.win_rate,
            "win_rate_se": self.win_rate_se,
            "points": self.points,
            "points_se": self.points_se,
            "unfinished": self.unfinished,
            "turns": self.turns,
        }
