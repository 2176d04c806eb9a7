"""A training of the network from its plan to its weights: actors play the next batch on threads while PPO learns from the last one.

The state of a training is a function of its plan and of how many batches are done, whatever the threads; a checkpoint holds all of
it as plain arrays, so that a training that was interrupted ends with the same weights as one that was not.
"""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np

from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.bots.uno import linear
from kibitz.bots.uno.net import NetSets, read_net, split_set, write_net
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.extras import MissingExtra
from kibitz.core.reading import check_whole, parse_json
from kibitz.core.seeds import check_seed, match_seed
from kibitz.core.spellings import PLAN_FIELDS, modern_fields
from kibitz.experiments.settings import Setting
from kibitz.experiments.training.checkpoint import check_finite, damage_told, read_archive, write_archive
from kibitz.experiments.training.train import Players, Train, numbers, opponents
from kibitz.experiments.training.uno.net.actors import PAST_SELF, UNIT, Experience, play_unit, warm_up
from kibitz.experiments.training.uno.net.league import SELF, SNAPSHOT, League, Meeting, Row
from kibitz.games.uno.rules import parse_rules
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import note_compiled
from kibitz.policies.uno.feature_groups import FEATURES
from kibitz.policies.uno.net.forward import WEIGHTS
from kibitz.policies.uno.net.groups import MEMORY_UNITS, features_name
from kibitz.policies.weight_files import SHIPPED, check_weights
from kibitz.runs.units import Unit, worker_count

if TYPE_CHECKING:
    from kibitz.experiments.training.uno.net.ppo import Learner

VERSION = "network 1"  # of checkpoints; raised when the same plan would lead to other weights
BATCH = 16  # units of games a step
NOTHING, LINEAR = "nothing", "linear"  # what a training may start from besides the shipped network and files
MEMORIES = {"nothing": (0, 0), "sightings": (1, 0), "events": (0, 1), "both": (1, 1)}  # what a network may remember; see PARTS
SIGHTINGS = "sightings"
EVALUATE = 25  # steps from one line of the log to the next
LINES = 20  # that a log has at least, if there are so many steps: short trainings have them closer together
EVALUATION = 5_000  # games against each bot named, for that line
WINS, ERROR = "wins v ", "± v "  # and the name of the opponent
FIGURES = ("step", "games", "seconds", "policy_loss", "value_loss", "entropy", "divergence", "clipped", "guess_loss")


@dataclass(frozen=True)
class Plan:
    """What a training is to do; together with the number of steps done it decides every weight."""

    players: tuple[int, ...] = (2,)
    against: tuple[str, ...] = ("mix2", LINEAR, SELF)
    games: int = 1_000_000
    seed: int = 1
    rules: str = "classic"
    learning_rate: float = 1e-3
    gae_lambda: float = 0.95
    entropy: float = 0.003
    start: str = LINEAR
    memory: str = SIGHTINGS
    auxiliary_weight: float = 0.5

    def __post_init__(self) -> None:
        check_seed(self.seed)
        for players in self.players:
            if not 2 <= players <= 10:
                raise BadValue(f"players={players} is out of range: 2 to 10 can play.")
        if len({linear.class_of(players) for players in self.players}) != 1:
            classes = ", for ".join(linear.CLASSES)
            raise BadValue(f"players={', '.join(map(str, self.players))} is not accepted; weights are for {classes}: name one.")
        if self.games < 1:
            raise BadValue(f"games={self.games} is out of range: at least 1 game is needed.")
        if not 0 < self.learning_rate <= 1:
            raise BadValue(f"learning_rate must be above 0 and at most 1, got {self.learning_rate:g}")
        if not 0 <= self.gae_lambda <= 1:
            raise BadValue(f"gae_lambda must be 0–1, got {self.gae_lambda:g}")
        if not 0 <= self.entropy <= 1:
            raise BadValue(f"entropy={self.entropy} is out of range: 0 to 1.")
        if not 0 <= self.auxiliary_weight <= 100:
            raise BadValue(f"auxiliary_weight must be 0–100, got {self.auxiliary_weight:g}")
        if self.memory not in MEMORIES:
            raise BadValue(f"memory={self.memory} is not accepted; a network remembers {', '.join(MEMORIES)}.")
        rules = parse_rules(self.rules)
        for players in self.players:
            rules.check_players(players)
        for name in self.against:
            if name != SELF and not isinstance(registry.entrant(name).bot, Bot):
                raise BadBot(f"bot '{name}' is a Python bot; one learns from compiled ones alone.")
        if not self.against:
            raise BadValue("no opponent is named; one learns against at least one bot, such as mix2.")

    @property
    def unit(self) -> int:
        """Games against one table of opponents."""
        return min(UNIT, self.games)

    @property
    def steps(self) -> int:
        """How many steps there are: the games asked for, rounded up to whole batches."""
        return -(-self.games // (self.unit * BATCH))

    @property
    def interval(self) -> int:
        """Steps from one line of the log to the next."""
        return max(1, min(EVALUATE, self.steps // LINES))

    @property
    def place(self) -> int:
        """The class of tables that is trained."""
        return linear.class_of(self.players[0])

    @property
    def bots(self) -> tuple[str, ...]:
        """The opponents but for past selves, each once."""
        return tuple(dict.fromkeys(name for name in self.against if name != SELF))

    def to_text(self) -> str:
        """The plan as text that `from_text` reads."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_text(text: str) -> Plan:
        """A plan from its text."""
        read: dict[str, Any] = modern_fields(parse_json(text, "the plan"), PLAN_FIELDS)
        if set(read) != {field.name for field in fields(Plan)}:
            raise ValueError("not a plan")
        return Plan(**read | {name: tuple(value) for name, value in read.items() if isinstance(value, list)})


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


class Training:
    """A training as it stands after so many steps."""

    def __init__(self, plan: Plan, sets: NetSets | None = None) -> None:
        self.plan = plan
        self.step = 0
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

    @property
    def steps(self) -> int:
        """How many steps there are in all."""
        return self.plan.steps

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.step >= self.steps

    def trained(self) -> NetSets:
        """All sets of weights, the one trained averaged over the last steps.

        Weights that no game has touched, such as those of cards that were not in the deck, are as they were before hidden units woke: zero, as a rule.
        """
        sets = self.sets.copy()
        sets[self.plan.place] = np.where(self.average == self.woken, self.before, self.average)
        return sets

    def run(
        self,
        threads: int | None = None,
        log: Path | None = None,
        progress: Callable[[Training], None] | None = None,
    ) -> None:
        """Take the steps that are left, with a log as CSV if wanted. `progress` is told after each; what it raises ends the run there."""
        if self.finished:
            return
        warm_up(self._meeting(self.step * BATCH).lineup.game)
        began = time.monotonic() - self.seconds
        with ThreadPoolExecutor(worker_count(threads), thread_name_prefix="kibitz") as pool:
            batch = self._play_batch(pool, self.step)
            try:
                while not self.finished:
                    units = [waiting.result() for waiting in batch]
                    following = self.learner.network.row()
                    if self.step + 1 < self.steps:
                        self.acting = following
                        batch = self._play_batch(pool, self.step + 1)
                    self._take_step(units)
                    self.seconds = time.monotonic() - began
                    if self.step % self.plan.interval == 0 or self.finished:
                        self._write_line(log)
                    if progress:
                        progress(self)
            finally:
                for waiting in batch:
                    waiting.cancel()  # unless it has begun

    def _meeting(self, number: int) -> Meeting:
        plan = self.plan
        return self.league.meeting(plan.seed, number, number // BATCH, plan.players, plan.against, plan.rules, self.acting)

    def _play_batch(self, pool: ThreadPoolExecutor, step: int) -> list[Future[Experience]]:
        """Have the units of a batch played."""
        batch = []
        for number in range(step * BATCH, (step + 1) * BATCH):
            meeting = self._meeting(number)
            unit = Unit(number * self.plan.unit, self.plan.unit)
            batch.append(pool.submit(play_unit, meeting.lineup, meeting.weights, self.plan.seed, unit))
        return batch

    def _take_step(self, units: list[Experience]) -> None:
        """Learn from a batch; the average is over about the last tenth of all steps."""
        plan = self.plan
        random = np.random.default_rng([plan.seed, self.step])
        report = self.learner.learn(units, random, plan.learning_rate * (1 - self.step / self.steps))
        self.figures += report
        self.step += 1
        self.average += (self.learner.network.row() - self.average) * max(1 / self.step, min(1.0, 10 / self.steps))
        if self.step % SNAPSHOT == 0:
            self.league.take(self.step, self.average.astype(np.float32))

    # -- the log --

    def _write_line(self, log: Path | None) -> None:
        steps = self.step % self.plan.interval or self.plan.interval
        line = [self.step, self.step * BATCH * self.plan.unit, round(self.seconds, 1), *(self.figures / steps)]
        self.figures[:] = 0.0
        self.lines.append([*line, *[figure for name in self.plan.bots for figure in self.win_rate(name)]])
        if log:
            write_log(log, self)

    def win_rate(self, name: str) -> tuple[float, float]:
        """How often the averaged network, choosing what it thinks best, wins against a bot in all other seats, and the standard error.

        The games are others than those learned from, and the same each time.
        """
        values = {"weights": tuple(self.average.tolist())}
        players = self.plan.players[0]
        lineup = make_lineup([registry.Entrant("net", PAST_SELF, values), *[name] * (players - 1)], self.plan.rules)
        won = note_compiled(lineup, match_seed(self.plan.seed, 0), Unit(0, EVALUATION))["winner"] == 0
        return float(won.mean()), float(won.std() / np.sqrt(len(won)))

    # -- checkpoints --

    def save(self, path: Path) -> None:
        """Write a checkpoint; a crash meanwhile leaves the one before."""
        first, second, updates = self.learner.moments()
        write_archive(
            path,
            version=VERSION,
            plan=self.plan.to_text(),
            features=features_name(),
            step=self.step,
            seconds=self.seconds,
            sets=self.sets,
            weights=self.learner.network.row(),
            acting=self.acting,
            average=self.average,
            first_moment=first,
            second_moment=second,
            updates=updates,
            selves=np.stack(self.league.selves),
            self_steps=self.league.steps,
            lines=np.array(self.lines, dtype=np.float64),
            figures=self.figures,
        )

    @staticmethod
    def load(path: Path) -> Training:
        """A training from its checkpoint."""
        kept = read_archive(path)
        with damage_told(path):
            if str(kept["version"]) != VERSION:
                raise BadValue(f"checkpoint {path} was made by another version of this training; train anew.")
            plan = Plan.from_text(str(kept["plan"]))
            rows = {name: np.asarray(kept[name], dtype=np.float32) for name in ("weights", "acting", "first_moment", "second_moment")}
            sets, selves = np.asarray(kept["sets"], dtype=np.float32), np.asarray(kept["selves"], dtype=np.float32)
            sizes = {row.shape for row in rows.values()} | {sets.shape[1:], selves.shape[1:]}
            if str(kept["features"]) != features_name() or sizes != {(WEIGHTS,)} or len(sets) != len(linear.CLASSES):
                raise BadValue(f"checkpoint {path} was made for other features than those of this version; train anew.")
            average = np.asarray(kept["average"], dtype=np.float64).reshape(WEIGHTS)
            for weights in (sets, selves, average, rows["weights"], rows["acting"]):
                check_weights(weights, "checkpoint", path)
            for numbers in (rows["first_moment"], rows["second_moment"], kept["seconds"]):
                check_finite(numbers, path)
            made = Training(plan, sets)
            made.step, made.seconds = check_whole(int(kept["step"]), f"checkpoint {path}: step", 0, plan.steps), float(kept["seconds"])
            made.learner = make_learner(rows["weights"], plan)
            made.learner.set_moments(rows["first_moment"], rows["second_moment"], int(kept["updates"]))
            made.acting = rows["acting"]
            made.average = average
            made.league.selves, made.league.steps = list(selves), kept["self_steps"].tolist()
            made.lines = kept["lines"].tolist()
            made.figures = np.asarray(kept["figures"], dtype=np.float64).reshape(len(FIGURES) - 3)
        return made


def make_learner(row: Row, plan: Plan) -> Learner:
    """The learner of a plan, with these weights."""
    try:
        from kibitz.experiments.training.uno.net.ppo import Learner, Settings
    except ImportError as error:
        if error.name != "torch":
            raise
        raise MissingExtra("kibitz train net", "torch", "PyTorch") from None
    return Learner(
        row, replace(Settings(), rate=plan.learning_rate, trace=plan.gae_lambda, entropy=plan.entropy, guess=plan.auxiliary_weight)
    )


def log_of(out: Path) -> Path:
    """Where the log of a training lies, beside the weights that it makes."""
    return out.with_name(f"{out.stem}.csv")


def write_log(path: Path, training: Training) -> None:
    """Write all lines of the log so far as CSV: how the learning went, and win rates against each bot with standard errors."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*FIGURES, *[f"{column}{name}" for name in training.plan.bots for column in (WINS, ERROR)]])
    for line in training.lines:
        writer.writerow([int(line[0]), int(line[1]), *[f"{figure:.6g}" for figure in line[2:]]])
    try:
        path.write_text(text.getvalue(), encoding="utf-8")
    except OSError as error:
        raise BadValue(f"log {path} cannot be written: {error.strerror}.") from error


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainNet(Train):
    """Train the network of the bot `net` by PPO against other bots and past selves; needs PyTorch (the extra 'learn').

    Play with it as net:FILE. Weights for other numbers of players are taken over from --start. A log lies beside the file, as CSV: win rates
    against each bot named with standard errors, and how the learning went; with the extra 'report' also as curves, in SVG.
    """

    kind = "train net"
    learning = Training

    players: Players = "2"
    against: Annotated[str, Setting("Opponents, separated by commas; one named twice comes twice as often; 'self': past selves.", "-a")] = (
        "mix2,linear,self"
    )
    games: Annotated[int, Setting("Games to learn from.", "-n")] = 1_000_000
    learning_rate: Annotated[float, Setting("Adam's learning rate at the start; it falls to zero.", stored_as="rate")] = 1e-3
    gae_lambda: Annotated[
        float,
        Setting("Lambda of the advantages; 1: judge choices by the end of the game, less: also by values soon after.", stored_as="trace"),
    ] = 0.95
    entropy: Annotated[float, Setting("Reward for keeping choices open.")] = 0.003
    start: Annotated[str, Setting("What to start from: nothing, linear (the linear policy's weights), shipped, or a file.")] = LINEAR
    memory: Annotated[
        str, Setting("What it remembers of a game: nothing, sightings (what others did not play), events (a GRU hears them) or both.")
    ] = SIGHTINGS
    auxiliary_weight: Annotated[
        float, Setting("Weight of the auxiliary loss for a memory of events: which colours the neighbours hold.", stored_as="guess")
    ] = 0.5

    def begun(self) -> Training:
        """A new training."""
        names = ("games", "seed", "learning_rate", "gae_lambda", "entropy", "start", "memory", "auxiliary_weight")
        asked = {name: getattr(self, name) for name in names}
        return Training(Plan(numbers(self.players), opponents(self.against), rules=self.rules or "classic", **asked))

    def step_games(self, training: Training) -> int:
        """Games of a step."""
        return training.plan.unit * BATCH

    def how(self) -> dict[str, Any]:
        """Where its log is."""
        return {"log": log_of(Path(self.out))}

    def measure(self, training: Training) -> tuple[float, float | None] | None:
        """The share of wins against the first bot, as the log has it."""
        if not training.lines or not training.plan.bots:
            return None
        rate, error = training.lines[-1][-2 * len(training.plan.bots) :][:2]
        return 100 * rate, 100 * error

    def standing(self, training: Training) -> str:
        """Steps, and the share of wins."""
        done, known = f"{training.step} of {training.steps} steps", self.measure(training)
        return f"{done}, {known[0]:.1f} ± {known[1]:.1f} % v {training.plan.bots[0]}" if known else done

    def write_weights(self, training: Training) -> str:
        """Write the network, and draw its log."""
        from kibitz.experiments.training.uno.net.curves import draw_beside

        write_net(Path(self.out), training.trained())
        log = log_of(Path(self.out))
        shown = " and ".join(str(path) for path in (log, draw_beside(log)) if path)
        return f"{self.standing(training)}. Network written to {self.out}, log to {shown}: play as net:{self.out}"

    def tell_interrupted(self) -> None:
        """Draw the log so far, and say how it goes on."""
        from kibitz.experiments.training.uno.net.curves import draw_beside

        draw_beside(log_of(Path(self.out)))
        super().tell_interrupted()
