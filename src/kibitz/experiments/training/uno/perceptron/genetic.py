"""The genetic algorithm: a few perceptrons at one table, and the one that wins most is the parent of the others.

A generation plays all its games with every perceptron and every opponent at one table. The parent stays as it is. Each other perceptron
first copies a random contiguous slice of the parent's weights, then each of its weights, and each bias, changes a little by chance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kibitz.experiments.training.uno.perceptron.plan import PerceptronPlan
from kibitz.play.lineup import Lineup
from kibitz.policies.uno.perceptron_models import Numbers

CHANCE = 0.1  # that a weight or a bias changes
REACH = 0.1  # how far it may


class Genetic:
    """The perceptrons of a generation; equal wins make equal children."""

    def __init__(self, plan: PerceptronPlan) -> None:
        self._plan = plan
        self._parent = 0
        self._generation = 0
        self.genomes: Numbers = np.zeros((plan.candidates, plan.length))  # every card alike: they begin as random players

    def tables(self) -> list[Lineup]:
        """One table for all."""
        return [self._plan.table(list(self.genomes))]

    def wins_of(self, found: Numbers) -> Numbers:
        """The wins of each perceptron among those of all who sat at the table."""
        return found[0, : self._plan.candidates]

    def learn(self, wins: Sequence[int] | Numbers) -> None:
        """Make the next generation; among equal ones the first is the parent."""
        choices = self._plan.choices(self._generation)
        self._parent = int(np.argmax(wins))
        parent = self.genomes[self._parent]
        for place in range(len(self.genomes)):
            if place != self._parent:
                child = self.genomes[place]
                start, end = np.sort(choices.integers(0, self._plan.weights, 2, endpoint=True))
                child[start:end] = parent[start:end]
                changes = choices.random(len(child)) < CHANCE
                child += changes * choices.uniform(-REACH, REACH, len(child))
        self._generation += 1

    def best(self) -> Numbers:
        """What the training has come to: the last parent."""
        return np.array(self.genomes[self._parent])
