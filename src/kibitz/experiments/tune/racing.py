"""A race between settings of a bot: all play the same deals from the same seats, and who falls behind is given no more of them.

The incumbent is the best so far and has played every deal. A challenger plays few at first. At each look the values of the deals that it
has played are compared with the incumbent's, deal by deal; if their mean difference lies `z` standard errors or more below nought, it is
out, and so is one that played every deal exactly like the incumbent. Else it plays on, twice as many as before, up to all of them; then
the higher mean is the incumbent. Whoever is as good as the incumbent is out at a look with a probability of about 1 - Φ(z), which is
2.3 % for z = 2, and so at any of k looks with at most k times that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.experiments.batch import Batch, Workers
from kibitz.play.lineup import Lineup
from kibitz.play.outcomes import Outcomes, points_by_entry, wins_by_entry
from kibitz.runs.units import Unit, cut
from kibitz.stats.paired import Sums

DEFAULT_Z = 2.0
SHARE_OF_FIRST_LOOK = 32  # of all games
FEWEST_DEALS = 50  # before a first look: with fewer a standard error means little

Values = np.ndarray[Any, np.dtype[np.float64]]
Progress = Callable[[int], None]  # told how many games were just finished


@dataclass(frozen=True)
class Rule:
    """When a challenger is out, and how many games are played by one that never is."""

    games: int
    z: float = DEFAULT_Z

    def __post_init__(self) -> None:
        if self.games < 1:
            raise BadValue(f"games={self.games} is out of range: at least 1 game is needed.")
        if not self.z > 0:
            raise BadValue(f"z={self.z:g} is out of range: a challenger is out at a positive number of standard errors.")

    def looks(self, group: int) -> list[int]:
        """After how many deals a challenger is looked at; `group` games are one deal."""
        deals = -(-self.games // group)
        first = min(max(deals // SHARE_OF_FIRST_LOOK, FEWEST_DEALS), deals)
        looks = [first]
        while looks[-1] < deals:
            looks.append(min(2 * looks[-1], deals))
        return looks

    def is_out(self, difference: Sums) -> bool:
        """Whether a challenger's difference to the incumbent, in the deals so far, ends its race."""
        error = difference.standard_error
        return error is not None and difference.mean + self.z * error <= 0


@dataclass(frozen=True, eq=False)
class Course:
    """The deals of a race: a line-up whose entries `places` are taken by whoever runs, the measure, and the seed."""

    lineup: Lineup
    places: tuple[int, ...]
    measure: str  # wins, points, score or points_kept
    seed: int
    jit: bool = True

    @property
    def group(self) -> int:
        """Games of one deal: one for each rotation of the seats."""
        return self.lineup.players if self.lineup.seating == "rotate" else 1

    def with_seed(self, seed: int) -> Course:
        """Other deals of the same kind."""
        return replace(self, seed=seed)

    def seated(self, entrant: registry.Entrant) -> Lineup:
        """The line-up with an entrant in its places; nothing is compiled anew for it."""
        return replace(self.lineup, entrants=tuple(entrant if k in self.places else who for k, who in enumerate(self.lineup.entrants)))

    def prepare(self) -> None:
        """Compile, or load, all that is needed."""
        _Stretch(self.lineup, 1, self.seed, self.jit, noted=True).prepare()

    def play(self, entrant: registry.Entrant, first: int, deals: int, workers: Workers, progress: Progress | None = None) -> Values:
        """What an entrant gets a game in each of so many deals from `first` on; win rates in per cent."""
        lineup = self.seated(entrant)
        stretch = _Stretch(lineup, (first + deals) * self.group, self.seed, self.jit, noted=True)
        stretch.wanted = Unit(first * self.group, deals * self.group)
        stretch.pieces = 2 * workers.count
        stretch.run(workers, progress)
        return np.asarray(self._gains(lineup, stretch.outcomes()).reshape(-1, self.group).mean(axis=1), dtype=np.float64)

    def _gains(self, lineup: Lineup, outcomes: Outcomes) -> Values:
        if self.measure == "points_kept":
            return np.asarray(outcomes["points"], dtype=np.float64)
        if self.measure == "wins":
            return np.asarray(100.0 * wins_by_entry(lineup, outcomes)[:, self.places[0]], dtype=np.float64)
        return points_by_entry(lineup, outcomes)[:, self.places[0]].astype(np.float64)


class _Stretch(Batch):
    """A batch of which one stretch of deals is played, in a few pieces for each worker."""

    wanted = Unit(0, 0)
    pieces = 1

    def units(self) -> Iterator[Unit]:
        """The pieces of the stretch."""
        group = self.lineup.players if self.lineup.seating == "rotate" else 1
        size = min(max(-(-self.wanted.count // self.pieces // group), 1) * group, self._size_at_most(group))
        for piece in cut(self.wanted.count, size):
            yield Unit(self.wanted.first + piece.first, piece.count)

    def _size_at_most(self, group: int) -> int:
        return (20_000 if self.in_threads else 250) // group * group


@dataclass(frozen=True, eq=False)
class Runner:
    """Who took part in a race: the values of the deals it played, and its difference to the incumbent of that time."""

    entrant: registry.Entrant
    values: Values
    difference: Sums | None = None  # None for the first, who had nobody to beat
    is_out: bool = False

    @property
    def sums(self) -> Sums:
        """Its own deals."""
        return Sums.of(self.values)


def race(
    course: Course,
    rule: Rule,
    challenger: registry.Entrant,
    incumbent: Values | None,
    workers: Workers,
    progress: Progress | None = None,
) -> Runner:
    """Let a challenger run until it is out or has played every deal; `incumbent` are the incumbent's values of all deals."""
    values = np.zeros(0)
    difference = None
    looks = rule.looks(course.group)
    for deals in looks if incumbent is not None else looks[-1:]:
        more = course.play(challenger, len(values), deals - len(values), workers, progress)
        values = np.concatenate([values, more])
        if incumbent is not None:
            difference = Sums.of(values - incumbent[: len(values)])
            if rule.is_out(difference):
                return Runner(challenger, values, difference, is_out=True)
    return Runner(challenger, values, difference)
