"""A training of perceptrons, by either method: ask for tables, play, count wins, learn from them.

Everything but the games follows from the plan and from who won how often. So a checkpoint holds just these; a training that goes on
from one repeats what it learned without playing, and ends with the same weights as one that was never interrupted.
"""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from kibitz.core.errors import BadValue
from kibitz.experiments.settings import Compiled
from kibitz.experiments.training import training
from kibitz.experiments.training.checkpoint import Checkpoint
from kibitz.experiments.training.train import Train
from kibitz.experiments.training.uno.perceptron.evolution import Evolution
from kibitz.experiments.training.uno.perceptron.genetic import Genetic
from kibitz.experiments.training.uno.perceptron.plan import GENETIC, PerceptronPlan, count_wins
from kibitz.play.lineup import compiled_table
from kibitz.play.loop import compiled_kernel
from kibitz.policies.uno.perceptron_models import Numbers, Perceptron, write_perceptron


class PerceptronTraining(training.Training[PerceptronPlan]):
    """A training as it stands after so many generations."""

    plan_class = PerceptronPlan
    version = "perceptrons 1"
    step_name = "generations"
    measured = "games won by the best of a generation in %"

    def __init__(self, plan: PerceptronPlan) -> None:
        super().__init__(plan)
        self.wins: list[Numbers] = []  # of each perceptron, by generation
        self.method: Genetic | Evolution = Genetic(plan) if plan.method == GENETIC else Evolution(plan)

    def trained(self) -> Perceptron:
        """The perceptron that it has come to."""
        return self.plan.perceptron(self.method.best())

    def measure(self) -> tuple[float, float | None] | None:
        """The share of wins of the best of the last generation, who was lucky as well as good."""
        return (100 * float(self.wins[-1].max()) / self.plan.games, None) if self.wins else None

    def describe(self, won: float, error: float | None) -> str:
        """How good the best was."""
        return f"the best won {won:.1f} %"

    def warm_up(self, jit: bool) -> None:
        """Compile what a table needs."""
        if jit:
            table = self.method.tables()[0]
            compiled_table(table)
            compiled_kernel(table.game, "note_games")

    def take_step(self, pool: Executor, jit: bool) -> None:
        """Play a generation, and make the next one."""
        found = count_wins(self.method.tables(), self.plan.seed, self.plan.units(self.step), pool, jit)
        self._learn(self.method.wins_of(found))

    def _learn(self, wins: Numbers) -> None:
        self.method.learn(wins)
        self.wins.append(wins)
        self.step += 1

    def write_weights(self, out: Path) -> str:
        """Write the weights, with the command that makes them again."""
        write_perceptron(out, self.trained(), self.plan.command())
        return f"{self.games:,} {self.plan.unit} played. Weights written to {out}: play as perceptron:{out}"

    # -- checkpoints --

    def kept(self) -> dict[str, Any]:
        """Who won how often: all else follows from that."""
        return {"wins": np.array(self.wins, dtype=np.int64).reshape(self.step, self.plan.candidates)}

    @classmethod
    def restored(cls, plan: PerceptronPlan, kept: Checkpoint) -> Self:
        """The training that a checkpoint is of."""
        wins = kept.arrays["wins"].astype(np.int64, casting="safe").reshape(-1, plan.candidates)
        if wins.size and not (wins.min() >= 0 and wins.max() <= plan.step_games):
            raise BadValue(f"checkpoint {kept.path} counts wins of games that nobody played; train again.")
        made = cls(plan)
        for row in wins[: plan.generations]:
            made._learn(row)
        return made


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainPerceptron(PerceptronPlan, Train):
    """Train a perceptron that scores cards, by playing against simple bots; the rules are hearn unless others are named.

    genetic: three perceptrons at one table with the opponents; the one that wins most is the parent, the others copy a slice of its
    weights and mutate. Play with the result as perceptron:FILE.
    """

    kind = "train perceptron"
    training_class = PerceptronTraining

    jit: Compiled = True
