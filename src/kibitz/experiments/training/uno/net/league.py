"""Past selves that the network learns against besides other bots, so that it does not forget how to beat what it was.

They are snapshots of the averaged weights, taken now and then. Who sits at the table of a unit is drawn by `PolicyPlan.draw_opponents`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

SNAPSHOT = 25  # steps from one snapshot to the next
SELVES = 8  # of them that are played against, the newest ones

Row = np.ndarray[Any, np.dtype[np.float32]]


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
