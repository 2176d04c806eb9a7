"""Luck taken out of the values of deals: what the loop measured of each game, combined as well as earlier deals allow.

`Batch(…, noted=True, luck=True)` notes with every game how lucky each line-up entry was, in figures that are zero on average. A
`LuckCorrection` turns blocks of deals with their outcomes into values with the same mean and less noise.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.experiments.sides import Sides, Stretch
from kibitz.play.lineup import Lineup
from kibitz.play.outcomes import Outcomes
from kibitz.stats.control_variates import Array, ControlVariates

LEAST = 30  # deals for each multiple that is fitted, before any is
DRAWS = 2  # the first figures of an entry are the luck of draws in wins, the own ones and those of others


class LuckCorrection:
    """Corrects the values of deals, block by block, for one quantity: a win rate, points, a team's score.

    Blocks come in an order that does not depend on their outcomes. Each is corrected with what earlier ones taught; the first
    with what is to be expected, as far as that is known: where values are `wins`, one win being `unit`. `entries` are the line-up
    entries that the value is about. For `kibitz.experiments.comparison` it is made by `luck_correction` and called with stretches.
    """

    def __init__(self, lineup: Lineup, entries: tuple[int, ...] = (0,), wins: bool = True, unit: float = 1.0) -> None:
        self.entries = entries
        self.cooperative = lineup.game.cooperative
        self.components = lineup.game.with_luck(lineup.rules).luck_components
        self.wins = wins
        self.unit = unit
        self._fitting: ControlVariates | None = None

    def add_block(self, values: Array, outcomes: Outcomes, others: Outcomes | None = None) -> Array:
        """Corrected values of a block of deals, from one value a deal and its outcomes, shaped (deals, rotations).

        `others` are the outcomes of a second line-up on the same deals. In games played together the deck is the same for both, which the
        value of a deal may depend on all the same; there one of them is enough.
        """
        controls = self.controls(outcomes)
        if others is not None and not self.cooperative:
            controls = np.column_stack([controls, self.controls(others)])
        if self._fitting is None:
            prior = np.zeros(controls.shape[1])
            if self.wins and not self.cooperative:
                prior[:DRAWS] = self.unit / len(self.entries)
                if others is not None:
                    prior[self.components : self.components + DRAWS] = -self.unit / len(self.entries)
            self._fitting = ControlVariates(controls.shape[1], prior, least=LEAST * controls.shape[1])
        return self._fitting.add_block(values, controls)

    def controls(self, outcomes: Outcomes) -> Array:
        """The zero-mean figures of each deal: means over its rotations of the luck of the entries, component by component."""
        luck: Any = outcomes["luck"] if outcomes.ndim == 2 else outcomes["luck"][:, None]
        if self.cooperative:  # the deck is the same for everybody, in every rotation
            found: Array = np.ascontiguousarray(luck[:, 0, 0, :])
            return found
        summed: Array = luck[:, :, list(self.entries), :].sum(axis=2).mean(axis=1)
        return summed

    def __call__(self, stretch: Stretch) -> Array:
        """Corrected values of a stretch of a comparison whose batches measured luck."""
        return self.add_block(stretch.values(), *stretch.outcomes)

    @property
    def saved(self) -> float:
        """How many times as many deals would be needed without correction; 1 before anything is known."""
        return self._fitting.saved if self._fitting else 1.0


def luck_correction(sides: Sides) -> LuckCorrection:
    """A fresh correction for the values of a comparison."""
    wins = sides.measure == "wins"
    return LuckCorrection(sides.lineups[0], wins=wins, unit=100.0 if wins else 1.0)
