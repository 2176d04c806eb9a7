"""A race between settings of a bot: all play the same deals from the same seats, and who falls behind is given no more of them.

The incumbent is the best so far and has played every deal. A challenger plays few at first. At each look the values of the deals that it
has played are compared with the incumbent's, deal by deal; if their mean difference lies `z` standard errors or more below nought, it is
out, and so is one that played every deal exactly like the incumbent. Else it plays on, twice as many as before, up to all of them; then
the higher mean is the incumbent. Whoever is as good as the incumbent is out at a look with a probability of about 1 - Φ(z), which is
2.3 % for z = 2, and so at any of k looks with at most k times that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.experiments.batch import Batch, Workers
from kibitz.experiments.sides import Values, gains_of
from kibitz.play.lineup import Lineup
from kibitz.runs.units import Unit, cut
from kibitz.stats.paired import Sums

DEFAULT_Z = 2.0
SHARE_OF_FIRST_LOOK = 32  # of all games
FEWEST_DEALS = 50  # before a first look: with fewer a standard error means little

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
class RaceDeals:
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

    def seated(self, entrant: registry.Entrant) -> Lineup:
        """The line-up with an entrant in its places; nothing new is compiled for it."""
        return replace(self.lineup, entrants=tuple(entrant if k in self.places else who for k, who in enumerate(self.lineup.entrants)))

    def prepare(self) -> None:
        """Compile, or load, all that is needed."""
        Batch(self.lineup, 1, self.seed, self.jit, noted=True).prepare()

    def play(self, entrant: registry.Entrant, first: int, deals: int, workers: Workers, progress: Progress | None = None) -> Values:
        """What an entrant gets a game in each of so many deals from `first` on; win rates in per cent."""
        lineup, group, games = self.seated(entrant), self.group, deals * self.group
        batch = Batch(lineup, first * group + games, self.seed, self.jit, noted=True)
        size = min(max(-(-games // (2 * workers.count) // group), 1), batch.largest_unit // group)  # deals: a few pieces for each worker
        batch.only = [Unit(first * group + piece.first, piece.count) for piece in cut(games, size * group)]
        batch.run(workers, progress)
        gains = gains_of(self.measure, lineup, batch.outcomes(), self.places[0]).astype(np.float64)
        return np.asarray((gains * (100.0 if self.measure == "wins" else 1.0)).reshape(-1, group).mean(axis=1))


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
    deals: RaceDeals,
    rule: Rule,
    challenger: registry.Entrant,
    incumbent: Values | None,
    workers: Workers,
    progress: Progress | None = None,
) -> Runner:
    """Let a challenger run until it is out or has played every deal; `incumbent` are the incumbent's values of all deals."""
    values = np.zeros(0)
    difference = None
    looks = rule.looks(deals.group)
    for count in looks if incumbent is not None else looks[-1:]:
        more = deals.play(challenger, len(values), count - len(values), workers, progress)
        values = np.concatenate([values, more])
        if incumbent is not None:
            difference = Sums.of(values - incumbent[: len(values)])
            if rule.is_out(difference):
                return Runner(challenger, values, difference, is_out=True)
    return Runner(challenger, values, difference)
