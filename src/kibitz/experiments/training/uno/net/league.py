"""Whom the network learns against: bots by name, and past selves so that it does not forget how to beat what it was.

A unit of games has one table of opponents, drawn from the names of the plan; a name given twice comes twice as often. Past selves
are snapshots of the averaged weights, taken now and then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.core.seeds import SEATING, below, game_key, stream
from kibitz.experiments.training.uno.net.actors import explorer, past_self
from kibitz.play.lineup import Lineup, make_lineup

SELF = "self"  # an opponent: the network as it was at one of the last snapshots
SNAPSHOT = 25  # steps from one snapshot to the next
SELVES = 8  # of them that are played against, the newest ones

Row = np.ndarray[Any, np.dtype[np.float32]]


@dataclass(frozen=True)
class Meeting:
    """A table of a unit of games: the line-up with the learner first, and the weights of those who are the network now or once."""

    lineup: Lineup
    weights: list[Row | None]


class League:
    """The past selves, each with the number of steps after which it was taken."""

    def __init__(self, weights: Row) -> None:
        self.steps = [-1]
        self.selves = [weights.copy()]

    def take(self, step: int, weights: Row) -> None:
        """Keep the weights as a past self. One more is kept than is played against: the actors may be a step behind."""
        self.steps = [*self.steps, step][-SELVES - 1 :]
        self.selves = [*self.selves, weights.copy()][-SELVES - 1 :]

    def before(self, step: int) -> list[Row]:
        """The past selves that a batch is played against."""
        known = [weights for taken, weights in zip(self.steps, self.selves, strict=True) if taken < step]
        return known[-SELVES:]

    def meeting(
        self,
        seed: int,
        number: int,
        step: int,
        players: Sequence[int],
        against: Sequence[str],
        rules: str,
        acting: Row,
    ) -> Meeting:
        """The table of a unit: numbers of players in turn; of several opponents, half the time all are the same bot."""
        seats = players[number % len(players)]
        selves = self.before(step)
        position = stream(game_key(seed, number), SEATING)
        position, mixed = below(position, 2)
        entrants: list[Any] = [explorer()]
        weights: list[Row | None] = [acting]
        position, place = below(position, len(against))
        while len(entrants) < seats:
            if mixed and len(entrants) > 1:
                position, place = below(position, len(against))
            if against[place] == SELF:
                position, which = below(position, len(selves))
                entrants.append(past_self())
                weights.append(selves[which])
            else:
                entrants.append(registry.entrant(against[place]))
                weights.append(None)
        return Meeting(make_lineup(entrants, rules), weights)
