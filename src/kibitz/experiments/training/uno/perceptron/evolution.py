"""CMA-ES beside the genetic algorithm: candidates are drawn around a mean, and mean and shape of the cloud follow the better half.

Every candidate sits alone among the opponents, and all candidates of a generation play the same deals from the same seats, so that the
luck of the cards is the same for all and only differences between them are left. What counts in the end is where the mean has lately
been: the best of many candidates was lucky as a rule, and the mean itself is never quite still. The method is that of the package `cma` (the extra `learn`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz.core.extras import needed_for
from kibitz.experiments.training.uno.perceptron.plan import PerceptronPlan
from kibitz.play.lineup import Lineup
from kibitz.policies.uno.perceptron_models import Numbers

SPREAD = 0.3  # of the first candidates around zero
MOST_SHAPED = 300  # numbers up to which the whole shape of the cloud is learned; beyond, each number has a width of its own


def load_cma() -> Any:
    """The package `cma`, or one sentence on how to get it."""
    with needed_for("kibitz train perceptron --method cma", "cma"):
        import cma
    return cma


class Evolution:
    """The cloud of candidates; equal wins move it equally."""

    def __init__(self, plan: PerceptronPlan) -> None:
        self._plan = plan
        choices = plan.choices(0)
        options = {
            "popsize": plan.candidates,
            "randn": lambda *shape: choices.standard_normal(shape),
            "seed": math.nan,  # leave NumPy's global generator alone
            "verbose": -9,
            "CMA_diagonal": plan.length > MOST_SHAPED,
        }
        self._strategy = load_cma().CMAEvolutionStrategy(np.zeros(plan.length), SPREAD, options)
        self._candidates: list[Numbers] = self._strategy.ask()
        self._means: list[Numbers] = [np.zeros(plan.length)]

    def tables(self) -> list[Lineup]:
        """A table for each candidate."""
        return [self._plan.table([candidate]) for candidate in self._candidates]

    def wins_of(self, found: Numbers) -> Numbers:
        """The wins of each candidate, who is the first at a table of its own."""
        return found[:, 0]

    def learn(self, wins: Sequence[int] | Numbers) -> None:
        """Move the cloud, and draw the next candidates from it."""
        self._strategy.tell(self._candidates, [-float(count) for count in wins])
        self._means.append(np.array(self._strategy.mean))
        self._candidates = self._strategy.ask()

    def best(self) -> Numbers:
        """What the training has come to: the mean, averaged over the last quarter of the generations so far."""
        found: Numbers = np.mean(self._means[-(-3 * (len(self._means) - 1) // 4) :], axis=0)
        return found
