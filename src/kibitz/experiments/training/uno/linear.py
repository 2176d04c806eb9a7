"""Training of the linear policy: units of games on threads, their gradients added up in order, one step of Adam for each batch."""

from __future__ import annotations

from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import numpy as np

from kibitz import registry
from kibitz.bots.parameters import Value
from kibitz.bots.uno.linear import CLASSES, WeightSets, features_name, read_weights, write_weights
from kibitz.experiments.settings import Compiled, Setting
from kibitz.experiments.training.checkpoint import Checkpoint
from kibitz.experiments.training.plan import SELF, GamesToLearnFrom
from kibitz.experiments.training.train import Train
from kibitz.experiments.training.uno.policy import NOTHING, GaeLambda, LearningRate, Opponents, PolicyPlan, PolicyTraining
from kibitz.experiments.training.uno.reinforce import CELLS, LEARNER, POINTS, WIN_RATE, compiled_loop, learn_compiled, learn_plain
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.policies.uno.feature_groups import FEATURES
from kibitz.runs.units import Unit

SNAPSHOT = 100  # steps from one snapshot to the next
AIMS = {"win_rate": WIN_RATE, "points": POINTS}
MOMENTUM, SECOND_MOMENTUM = 0.9, 0.99  # of Adam
FORGETTING = 0.9  # what a step leaves of the sums behind the baseline
RECENT = 100  # steps that the win rate shown is taken from


@dataclass(frozen=True, kw_only=True)
class LinearPlan(PolicyPlan):
    """The settings of a training of the linear policy."""

    against: Opponents = "mix2"
    games: GamesToLearnFrom = 4_000_000
    aim: Annotated[str, Setting("win_rate or points.", "--for")] = "win_rate"
    learning_rate: LearningRate = 0.05
    gae_lambda: GaeLambda = 1.0

    accepted: ClassVar = {"aim": AIMS}
    most_unit_games = 1_000
    step_units = 8


def starting_weights(start: str) -> WeightSets:
    """The weights a training starts from."""
    return np.zeros((len(CLASSES), FEATURES)) if start == NOTHING else read_weights(start)


class LinearTraining(PolicyTraining[LinearPlan]):
    """A training of the linear policy; `sets` are the weights that it began with, by default those that the plan names."""

    plan_class = LinearPlan

    @classmethod
    def features(cls) -> str:
        """The features of the linear policy."""
        return features_name()

    def __init__(self, plan: LinearPlan, sets: WeightSets | None = None) -> None:
        super().__init__(plan)
        self.sets = starting_weights(plan.start) if sets is None else sets
        self.weights = self.sets[plan.place].copy()
        if plan.place and not self.weights.any():  # never trained: a smaller table is nearer than nothing
            self.weights = self.sets[plan.place - 1].copy()
        self.average = self.weights.copy()
        self.snapshot = self.weights.copy()
        self.momentum = np.zeros(FEATURES)
        self.second = np.zeros(FEATURES)
        self.baseline = np.full(CELLS, 1.0 / plan.sizes[0])
        self.rewards = np.zeros(CELLS)
        self.visits = np.zeros(CELLS)
        self.recent = np.zeros((RECENT, 2))  # wins and games against the first opponent named, by step

    _WEIGHTS = ("sets", "weights", "average", "snapshot")
    _KEPT = (*_WEIGHTS, "momentum", "second", "baseline", "rewards", "visits", "recent")

    @property
    def rival(self) -> str:
        """The first opponent named."""
        return self.plan.opponents[0]

    def trained(self) -> WeightSets:
        """All sets of weights, the one trained averaged over the last steps."""
        sets = self.sets.copy()
        sets[self.plan.place] = self.average
        return sets

    def measure(self) -> tuple[float, float | None] | None:
        """How often the policy, choosing at random, won lately against the first opponent named."""
        wins, games = self.recent.sum(axis=0)
        if not games:
            return None
        rate = wins / games
        return 100 * float(rate), 100 * float(np.sqrt(rate * (1 - rate) / games))

    def warm_up(self, jit: bool) -> None:
        """Compile the loop over games."""
        if jit:
            compiled_loop(self._lineup(0).game)

    def take_step(self, pool: Executor, jit: bool) -> None:
        """Play a batch, add up what its units found, and climb."""
        plan = self.plan
        learn = learn_compiled if jit else learn_plain
        numbers = range(self.step * plan.step_units, (self.step + 1) * plan.step_units)
        values: dict[str, Value] = {
            "weights": tuple(self.weights.tolist()),
            "baseline": tuple(self.baseline.tolist()),
            "trace": plan.gae_lambda,
        }
        learner = registry.Entrant("learner", LEARNER, values)
        lineups = [self._lineup(number, learner) for number in numbers]
        units = [Unit(number * plan.most_unit_games, plan.unit_games) for number in numbers]
        lessons = list(pool.map(learn, lineups, repeat(plan.seed), units, repeat(AIMS[plan.aim])))
        gradient = np.zeros(FEATURES)
        self.rewards *= FORGETTING
        self.visits *= FORGETTING
        first = np.zeros(2)
        games = 0
        for lineup, found in zip(lineups, lessons, strict=True):
            gradient += found["gradient"][0]
            self.rewards += found["rewards"][0]
            self.visits += found["visits"][0]
            games += int(found["games"][0])
            if all(entrant.name == lineup.entrants[1].name for entrant in lineup.entrants[2:]) and self._is_first(lineup):
                first += found["wins"][0], found["games"][0]
        self.baseline = np.where(self.visits > 20, self.rewards / np.maximum(self.visits, 1), self.baseline)
        self.recent[self.step % RECENT] = first
        self._climb(gradient / games)

    def _climb(self, gradient: np.ndarray[Any, Any]) -> None:
        """One step of Adam."""
        done = self.step + 1
        self.momentum = MOMENTUM * self.momentum + (1 - MOMENTUM) * gradient
        self.second = SECOND_MOMENTUM * self.second + (1 - SECOND_MOMENTUM) * gradient**2
        ahead = self.momentum / (1 - MOMENTUM**done)
        width = np.sqrt(self.second / (1 - SECOND_MOMENTUM**done)) + 1e-6
        self.weights = self.weights + self.rate * ahead / width
        self.end_step(self.weights)
        if self.step % SNAPSHOT == 0:
            self.snapshot = self.average.copy()

    def _is_first(self, lineup: Lineup) -> bool:
        return lineup.entrants[1].name == (SELF if self.rival == SELF else registry.entrant(self.rival).name)

    def _lineup(self, number: int, learner: registry.Entrant | None = None) -> Lineup:
        """The table of a unit."""
        opponents = [self._opponent(name) for name, _ in self.plan.draw_opponents(number)]
        return make_lineup([learner or registry.entrant(LEARNER), *opponents], self.plan.rules_played)

    def _opponent(self, name: str) -> registry.Entrant:
        if name != SELF:
            return registry.entrant(name)
        sets = self.sets.copy()
        sets[self.plan.place] = self.snapshot
        return registry.Entrant(SELF, registry.built_in_bot("linear"), {"weights": tuple(sets.ravel().tolist())})

    def write_weights(self, out: Path) -> str:
        """Write the weights."""
        write_weights(out, self.trained())
        return f"{self.standing()}. Weights written to {out}: play as linear:weights={out}"

    # -- checkpoints --

    def kept(self) -> dict[str, Any]:
        """The whole state."""
        return {"step": self.step, **{name: getattr(self, name) for name in self._KEPT}}

    @classmethod
    def restored(cls, plan: LinearPlan, kept: Checkpoint) -> Self:
        """The training that a checkpoint is of."""
        made = cls(plan, starting_weights(NOTHING))
        made.step = kept.step(plan.steps)
        for name in cls._KEPT:
            setattr(made, name, kept.array(name, getattr(made, name), name in cls._WEIGHTS))
        return made


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainLinear(LinearPlan, Train):
    """Train the weights of the bot `linear` by policy gradient: play, and make likelier what led to wins.

    Play with them as linear:weights=FILE. Weights for other numbers of players are taken over from --start; numbers that it has no
    weights for start from those for fewer players.
    """

    kind = "train linear"
    training_class = LinearTraining

    jit: Compiled = True
