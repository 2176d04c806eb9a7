"""Two bots to compare: who plays whom, on which deals, and what each deal is worth.

`kibitz.experiments.comparison` plays it and asks the test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.play.lineup import Lineup
from kibitz.play.outcomes import Outcomes, points_by_entry, wins_by_entry

MEASURES = {  # what is compared, and its unit
    "wins": "percentage points",
    "points": "points a game",
    "score": "points a game",
    "points_kept": "points a game",
}
COMPETITIVE, COOPERATIVE = ("wins", "points"), ("score", "points_kept")

Values = np.ndarray[Any, np.dtype[np.float64]]


def gains_of(measure: str, lineup: Lineup, outcomes: Outcomes, entry: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """What an entry got from each game, as whole numbers."""
    if measure == "points_kept":
        return np.asarray(outcomes["points"], dtype=np.int64)
    return (wins_by_entry if measure == "wins" else points_by_entry)(lineup, outcomes)[:, entry]


@dataclass(frozen=True, eq=False)
class Sides:
    """What is compared: one line-up with both bots as its first two entries, or two line-ups that differ in their first entry or in all."""

    lineups: tuple[Lineup, ...]
    measure: str
    seed: int
    others: tuple[str, ...] = ()

    @property
    def group(self) -> int:
        """Games of one deal: one for each rotation of the seats."""
        return self.lineups[0].players if self.lineups[0].seating == "rotate" else 1

    @property
    def names(self) -> tuple[str, str]:
        """The two bots."""
        entrants = self.lineups[0].entrants
        return entrants[0].name, (entrants[1] if len(self.lineups) == 1 else self.lineups[1].entrants[0]).name

    @property
    def share(self) -> float:
        """Of the difference between the win rates of two at one table, how far one is from 50 %: half of it."""
        return 0.5 if self.measure == "wins" and len(self.lineups) == 1 else 1.0

    def gains(self, place: int, outcomes: Outcomes) -> np.ndarray[Any, np.dtype[np.int64]]:
        """What a bot (0 or 1) got from each game, as whole numbers. `outcomes` are those of its line-up."""
        lineup, entry = (self.lineups[0], place) if len(self.lineups) == 1 else (self.lineups[place], 0)
        return gains_of(self.measure, lineup, outcomes, entry)


@dataclass(frozen=True, eq=False)
class Stretch:
    """Deals `first` and following as they were played, with the outcomes of each line-up [deals, games of a deal]."""

    sides: Sides
    first: int
    outcomes: tuple[Outcomes, ...]

    def gains(self) -> tuple[Values, Values]:
        """What each bot got from each game [deals, games of a deal]; win rates in per cent."""
        scale = 100.0 if self.sides.measure == "wins" else 1.0
        both = [self.sides.gains(place, self.outcomes[place if len(self.outcomes) == 2 else 0].reshape(-1)) for place in (0, 1)]
        first, second = (gains.reshape(-1, self.sides.group).astype(np.float64) for gains in both)
        return scale * first, scale * second

    def values(self) -> Values:
        """How much better the first bot was in each deal, a game."""
        first, second = self.gains()
        return np.asarray((first - second).mean(axis=1) * self.sides.share)


# Gives the value of each deal with the luck taken out, in the same unit and with the same expectation. Called in the order of deals, in
# the thread that compares; sides, seed and first deal are enough to play the games again.
Correction = Callable[[Stretch], Values]
