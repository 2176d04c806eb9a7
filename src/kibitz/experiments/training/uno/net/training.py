"""A training of the network: actors play the next batch on threads while PPO learns from the last one."""

from __future__ import annotations

import time
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np

from kibitz import registry
from kibitz.bots.uno import linear
from kibitz.bots.uno.net import NetSets, read_net, split_set, write_net
from kibitz.core.extras import needed_for
from kibitz.core.seeds import match_seed
from kibitz.experiments.settings import Setting
from kibitz.experiments.training.checkpoint import Checkpoint
from kibitz.experiments.training.plan import SELF, GamesToLearnFrom
from kibitz.experiments.training.train import Train
from kibitz.experiments.training.uno.net.actors import PAST_SELF, UNIT, Experience, explorer, past_self, play_unit, warm_up
from kibitz.experiments.training.uno.net.league import SNAPSHOT, League, Row
from kibitz.experiments.training.uno.net.log import FIGURES, draw_log, log_of, write_log
from kibitz.experiments.training.uno.policy import NOTHING, GaeLambda, LearningRate, Opponents, PolicyPlan, PolicyTraining
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.play.playing import note_compiled
from kibitz.policies.uno.feature_groups import FEATURES
from kibitz.policies.uno.net.forward import WEIGHTS
from kibitz.policies.uno.net.groups import MEMORY_UNITS, features_name
from kibitz.policies.weight_files import SHIPPED
from kibitz.runs.units import Unit

if TYPE_CHECKING:
    from kibitz.experiments.training.uno.net.ppo import Learner

LINEAR = "linear"  # what a training may start from besides the shipped network and files
MEMORIES = {"nothing": (0, 0), "sightings": (1, 0), "events": (0, 1), "both": (1, 1)}  # what a network may remember; see PARTS
SIGHTINGS = "sightings"
EVALUATE = 25  # steps from one line of the log to the next
LINES = 20  # that a log has at least, if there are so many steps: short trainings have them closer together
EVALUATION = 5_000  # games against each bot named, for that line


@dataclass(frozen=True, kw_only=True)
class NetPlan(PolicyPlan):
    """The settings of a training of the network."""

    against: Opponents = "mix2,linear,self"
    games: GamesToLearnFrom = 1_000_000
    learning_rate: LearningRate = 1e-3
    gae_lambda: GaeLambda = 0.95
    entropy_bonus: Annotated[float, Setting("Entropy bonus: the weight of keeping choices open.", stored_as="entropy", least=0, most=1)] = (
        0.003
    )
    start: Annotated[str, Setting("What to start from: nothing, linear (the linear policy's weights), shipped, or a file.")] = LINEAR
    memory: Annotated[
        str, Setting("What it remembers of a game: nothing, sightings (what others did not play), events (a GRU hears them) or both.")
    ] = SIGHTINGS
    auxiliary_weight: Annotated[
        float,
        Setting(
            "Weight of the auxiliary loss for a memory of events: which colours the neighbours hold.",
            stored_as="guess",
            least=0,
            most=100,
        ),
    ] = 0.5

    accepted: ClassVar = {"memory": MEMORIES}
    most_unit_games = UNIT
    step_units = 16

    @property
    def interval(self) -> int:
        """Steps from one line of the log to the next."""
        return max(1, min(EVALUATE, self.steps // LINES))

    @property
    def bots(self) -> tuple[str, ...]:
        """The opponents but for past selves, each once."""
        return tuple(dict.fromkeys(name for name in self.opponents if name != SELF))


def starting_sets(start: str) -> NetSets:
    """All sets of weights that a training starts from; from `linear`, networks that play exactly like the linear policy."""
    if start not in (NOTHING, LINEAR):
        return read_net(start)
    sets: NetSets = np.zeros((len(linear.CLASSES), WEIGHTS), dtype=np.float32)
    split_set(sets)["remembers"][:] = MEMORIES[SIGHTINGS]
    if start == LINEAR:
        split_set(sets)["wide"][:, :FEATURES] = linear.read_weights(SHIPPED)
    return sets


def is_trained(row: Row) -> bool:
    """Whether these weights have learned to choose."""
    parts = split_set(row)
    return bool(parts["wide"].any() or parts["out"].any())


def wake_hidden_units(row: Row, seed: int) -> Row:
    """The same network with hidden units that can learn, if it has none yet: they look at candidates at random, and count for nothing so far.

    Their weights for the table begin at zero. A memory that listens begins at random too.
    """
    woken = row.copy()
    parts = split_set(woken)
    random = np.random.default_rng(seed)
    if not parts["embedding"].any():
        parts["embedding"][:] = random.normal(0.0, 0.2, parts["embedding"].shape)
    if not parts["value_out"].any():
        parts["value_view"][:] = random.normal(0.0, 0.1, parts["value_view"].shape)
        parts["value_out"][:] = random.normal(0.0, 0.1, parts["value_out"].shape)
    if parts["remembers"][1] and not parts["recall"].any():
        for name in ("event_in", "event_bias", "recall", "recall_bias"):
            parts[name][:] = random.uniform(-1.0, 1.0, parts[name].shape) / np.sqrt(MEMORY_UNITS)
        parts["recall_embedding"][:] = random.normal(0.0, 0.2, parts["recall_embedding"].shape)
    return woken


class NetTraining(PolicyTraining[NetPlan]):
    """A training of the network; `sets` are the weights that it began with, by default those that the plan names."""

    plan_class = NetPlan
    version = "network 1"

    def __init__(self, plan: NetPlan, sets: NetSets | None = None) -> None:
        super().__init__(plan)
        self.sets = starting_sets(plan.start) if sets is None else sets
        self.before = self.sets[plan.place].copy()
        if plan.place and not is_trained(self.before):  # a smaller table is nearer than nothing
            self.before = self.sets[plan.place - 1].copy()
        split_set(self.before)["remembers"][:] = MEMORIES[plan.memory]
        row = self.woken = wake_hidden_units(self.before, plan.seed)
        self.learner = make_learner(row, plan)
        self.acting = row  # what the batch that is played next is played with: a step behind what is learned meanwhile
        self.average = row.astype(np.float64)
        self.league = League(row)
        self.seconds = 0.0
        self.lines: list[list[float]] = []  # of the log
        self.figures = np.zeros(len(FIGURES) - 3)  # summed since the last line
        self._batch: list[Future[Experience]] = []  # that is played already

    @classmethod
    def features(cls) -> str:
        """The features and inputs of the network."""
        return features_name()

    @property
    def rival(self) -> str:
        """The first bot named."""
        return self.plan.bots[0]

    def trained(self) -> NetSets:
        """All sets of weights, the one trained averaged over the last steps.

        Weights that no game has touched, such as those of cards that were not in the deck, are as they were before hidden units woke: zero, as a rule.
        """
        sets = self.sets.copy()
        sets[self.plan.place] = np.where(self.average == self.woken, self.before, self.average)
        return sets

    # -- learning --

    def warm_up(self, jit: bool) -> None:
        """Compile what a unit of games needs; the clock starts afterwards."""
        warm_up(self._table(self.step * self.plan.step_units, self.acting)[0].game)
        self._batch, self._began = [], time.monotonic() - self.seconds

    def take_step(self, pool: Executor, jit: bool) -> None:
        """Learn from a batch while the next one is played."""
        units = [waiting.result() for waiting in self._batch or self._play_batch(pool, self.step, self.acting)]
        following = self.learner.network.row()
        if self.step + 1 < self.steps:
            self._batch = self._play_batch(pool, self.step + 1, following)
            self.acting = following
        self.figures += self.learner.learn(units, np.random.default_rng([self.plan.seed, self.step]), self.rate)
        self.end_step(self.learner.network.row())
        if self.step % SNAPSHOT == 0:
            self.league.take(self.step, self.average.astype(np.float32))
        self.seconds = time.monotonic() - self._began
        if self._has_line:
            self._add_line()

    def _play_batch(self, pool: Executor, step: int, acting: Row) -> list[Future[Experience]]:
        """Have the units of a batch played by the network with these weights."""
        plan = self.plan
        numbers = range(step * plan.step_units, (step + 1) * plan.step_units)
        units = [Unit(number * plan.unit_games, plan.unit_games) for number in numbers]
        return [pool.submit(play_unit, *self._table(number, acting), plan.seed, unit) for number, unit in zip(numbers, units, strict=True)]

    def _table(self, number: int, acting: Row) -> tuple[Lineup, list[Row | None]]:
        """The table of a unit: the line-up with the learner first, and the weights of those who are the network now or once."""
        selves = self.league.before(number // self.plan.step_units)
        drawn = self.plan.draw_opponents(number, len(selves))
        entrants = [past_self() if name == SELF else registry.entrant(name) for name, _ in drawn]
        weights = [selves[which] if name == SELF else None for name, which in drawn]
        return make_lineup([explorer(), *entrants], self.plan.rules_played), [acting, *weights]

    # -- the log --

    @property
    def _has_line(self) -> bool:
        """Whether the log has a line for the last step."""
        return self.step % self.plan.interval == 0 or self.finished

    def _add_line(self) -> None:
        steps = self.step % self.plan.interval or self.plan.interval
        line = [self.step, self.games, round(self.seconds, 1), *(self.figures / steps)]
        self.figures[:] = 0.0
        self.lines.append([*line, *[figure for name in self.plan.bots for figure in self.win_rate(name)]])

    def win_rate(self, name: str) -> tuple[float, float]:
        """How often the averaged network, choosing what it thinks best, wins against a bot in all other seats, and the standard error.

        The games are others than those learned from, and the same each time.
        """
        learned = registry.Entrant("net", PAST_SELF, {"weights": tuple(self.average.tolist())})
        lineup = make_lineup([learned, *[name] * (self.plan.sizes[0] - 1)], self.plan.rules_played)
        won = note_compiled(lineup, match_seed(self.plan.seed, 0), Unit(0, EVALUATION))["winner"] == 0
        return float(won.mean()), float(won.std() / np.sqrt(len(won)))

    def measure(self) -> tuple[float, float | None] | None:
        """The share of wins against the first bot, as the log has it."""
        if not self.lines or not self.plan.bots:
            return None
        rate, error = self.lines[-1][-2 * len(self.plan.bots) :][:2]
        return 100 * rate, 100 * error

    def write_log(self, out: Path) -> None:
        """Write the log beside the weights, if it has a new line."""
        if self._has_line:
            write_log(log_of(out), self.plan.bots, self.lines)

    def draw_log(self, out: Path) -> Path | None:
        """Draw the log beside the weights."""
        return draw_log(log_of(out), self.plan.bots, self.lines)

    def write_weights(self, out: Path) -> str:
        """Write the network, and draw its log."""
        write_net(out, self.trained())
        shown = " and ".join(str(path) for path in (log_of(out), self.draw_log(out)) if path)
        return f"{self.standing()}. Network written to {out}, log to {shown}: play as net:{out}"

    # -- checkpoints --

    def kept(self) -> dict[str, Any]:
        """The whole state."""
        first, second, updates = self.learner.moments()
        return {
            "step": self.step,
            "seconds": self.seconds,
            "sets": self.sets,
            "weights": self.learner.network.row(),
            "acting": self.acting,
            "average": self.average,
            "first_moment": first,
            "second_moment": second,
            "updates": updates,
            "selves": np.stack(self.league.selves),
            "self_steps": self.league.steps,
            "lines": np.array(self.lines, dtype=np.float64),
            "figures": self.figures,
        }

    @classmethod
    def restored(cls, plan: NetPlan, kept: Checkpoint) -> Self:
        """The training that a checkpoint is of."""
        row = np.zeros(WEIGHTS, dtype=np.float32)
        made = cls(plan, kept.array("sets", np.stack([row] * len(linear.CLASSES)), are_weights=True))
        made.step = kept.step(plan.steps)
        made.seconds = float(kept.array("seconds", np.zeros(())))
        made.learner = make_learner(kept.array("weights", row, are_weights=True), plan)
        moments = kept.array("first_moment", row), kept.array("second_moment", row)
        made.learner.set_moments(*moments, int(kept.arrays["updates"]))
        made.acting = kept.array("acting", row, are_weights=True)
        made.average = kept.array("average", made.average, are_weights=True)
        made.league.selves = list(kept.array("selves", np.stack([row] * len(kept.arrays["selves"])), are_weights=True))
        made.league.steps = kept.arrays["self_steps"].tolist()
        made.lines = kept.arrays["lines"].tolist()
        made.figures = kept.array("figures", made.figures)
        return made


def make_learner(row: Row, plan: NetPlan) -> Learner:
    """The learner of a plan, with these weights."""
    with needed_for("kibitz train net", "torch", "PyTorch"):
        from kibitz.experiments.training.uno.net.ppo import Learner
    return Learner(row, plan)


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainNet(NetPlan, Train):
    """Train the network of the bot `net` by PPO against other bots and past selves; needs PyTorch (the extra 'learn').

    Play with it as net:FILE. Weights for other numbers of players are taken over from --start. A log lies beside the file, as CSV: win rates
    against each bot named with standard errors, and how the learning went; with the extra 'report' also as curves, in SVG.
    """

    kind = "train net"
    training_class = NetTraining
