"""Training of the linear policy: units of games on threads, their gradients added up in order, one step of Adam a batch.

The state of a training is a function of its plan and of how many batches are done, whatever the threads; a checkpoint holds all of it, so
that a training that was interrupted ends with the same weights as one that was not.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.bots.parameters import Value
from kibitz.bots.uno.linear import CLASSES, WeightSets, class_of, features_name, read_weights, write_weights
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.reading import check_whole, parse_json
from kibitz.core.seeds import SEATING, below, check_seed, game_key, stream
from kibitz.core.spellings import PLAN_FIELDS, modern_fields
from kibitz.experiments.settings import Compiled, Setting
from kibitz.experiments.training.checkpoint import check_finite, checkpoint_of, damage_told, read_archive, write_archive
from kibitz.experiments.training.train import SELF, Players, Train, numbers, opponents
from kibitz.experiments.training.uno.reinforce import CELLS, LEARNER, POINTS, WIN_RATE, compiled_loop, learn_compiled, learn_plain
from kibitz.games.uno.rules import parse_rules
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.policies.uno.feature_groups import FEATURES
from kibitz.policies.weight_files import SHIPPED, check_weights
from kibitz.runs.units import Unit, worker_count

__all__ = ["Plan", "Training", "checkpoint_of", "starting_weights"]

UNIT = 1_000  # games against one table of opponents
BATCH = 8  # units a step
SNAPSHOT = 100  # steps from one snapshot to the next
AIMS = {"win_rate": WIN_RATE, "points": POINTS}
NOTHING = "nothing"  # what a training starts from if not from weights
MOMENTUM, SECOND_MOMENTUM = 0.9, 0.99
FORGETTING = 0.9  # what a step leaves of the sums behind the baseline
RECENT = 100  # steps that the win rate shown is taken from


@dataclass(frozen=True)
class Plan:
    """What a training is to do; together with the number of steps done it decides every weight."""

    players: tuple[int, ...] = (2,)
    against: tuple[str, ...] = ("mix2",)
    games: int = 4_000_000
    seed: int = 1
    rules: str = "classic"
    aim: str = "win_rate"
    learning_rate: float = 0.05
    gae_lambda: float = 1.0
    start: str = NOTHING

    def __post_init__(self) -> None:
        check_seed(self.seed)
        for players in self.players:
            if not 2 <= players <= 10:
                raise BadValue(f"players={players} is out of range: 2 to 10 can play.")
        if len({class_of(players) for players in self.players}) != 1:
            raise BadValue(
                f"players={', '.join(map(str, self.players))} is not accepted; weights are for {', for '.join(CLASSES)}: name one."
            )
        if self.games < 1:
            raise BadValue(f"games={self.games} is out of range: at least 1 game is needed.")
        if self.aim not in AIMS:
            raise BadValue(f"aim '{self.aim}' is not accepted; it is {' or '.join(AIMS)}.")
        if not 0 < self.learning_rate <= 1:
            raise BadValue(f"learning_rate must be above 0 and at most 1, got {self.learning_rate:g}")
        if not 0 <= self.gae_lambda <= 1:
            raise BadValue(f"gae_lambda must be 0–1, got {self.gae_lambda:g}")
        rules = parse_rules(self.rules)
        for players in self.players:
            rules.check_players(players)
        for name in self.against:
            if name != SELF and not isinstance(registry.entrant(name).bot, Bot):
                raise BadBot(f"bot '{name}' is a Python bot; one learns from compiled ones alone.")
        if not self.against:
            raise BadValue("no opponent is named; one learns against at least one bot, such as mix2.")

    @property
    def steps(self) -> int:
        """How many steps there are: the games asked for, rounded up to whole batches."""
        return -(-self.games // (UNIT * BATCH))

    @property
    def place(self) -> int:
        """The class of tables that is trained."""
        return class_of(self.players[0])

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


def starting_weights(start: str) -> WeightSets:
    """The weights a training starts from."""
    return np.zeros((len(CLASSES), FEATURES)) if start == NOTHING else read_weights(start)


class Training:
    """A training as it stands after so many steps."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.step = 0
        self.sets = starting_weights(plan.start)
        self.weights = self.sets[plan.place].copy()
        if plan.place and not self.weights.any():  # never trained: a smaller table is nearer than nothing
            self.weights = self.sets[plan.place - 1].copy()
        self.average = self.weights.copy()
        self.snapshot = self.weights.copy()
        self.momentum = np.zeros(FEATURES)
        self.second = np.zeros(FEATURES)
        self.baseline = np.full(CELLS, 1.0 / plan.players[0])
        self.rewards = np.zeros(CELLS)
        self.visits = np.zeros(CELLS)
        self.recent = np.zeros((RECENT, 2))  # wins and games against the first opponent named, by step

    _KEPT = ("sets", "weights", "average", "snapshot", "momentum", "second", "baseline", "rewards", "visits", "recent")

    @property
    def steps(self) -> int:
        """How many steps there are in all."""
        return self.plan.steps

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.step >= self.plan.steps

    def trained(self) -> WeightSets:
        """All sets of weights, the one trained averaged over the last steps."""
        sets = self.sets.copy()
        sets[self.plan.place] = self.average
        return sets

    def win_rate(self) -> tuple[float, float]:
        """How often the policy, choosing at random, won lately against the first opponent named, and the standard error."""
        wins, games = self.recent.sum(axis=0)
        if not games:
            return float("nan"), float("nan")
        rate = wins / games
        return float(rate), float(np.sqrt(rate * (1 - rate) / games))

    def run(self, threads: int | None = None, jit: bool = True, progress: Callable[[Training], None] | None = None) -> None:
        """Take the steps that are left. `progress` is told after each; what it raises ends the run between two steps."""
        if jit and not self.finished:
            compiled_loop(self._lineup(0).game)
        with ThreadPoolExecutor(worker_count(threads), thread_name_prefix="kibitz") as pool:
            while not self.finished:
                self._take_step(pool, jit)
                if progress:
                    progress(self)

    def _take_step(self, pool: ThreadPoolExecutor, jit: bool) -> None:
        plan = self.plan
        learn = learn_compiled if jit else learn_plain
        numbers = range(self.step * BATCH, (self.step + 1) * BATCH)
        values: dict[str, Value] = {
            "weights": tuple(self.weights.tolist()),
            "baseline": tuple(self.baseline.tolist()),
            "trace": plan.gae_lambda,
        }
        learner = registry.Entrant("learner", LEARNER, values)
        lineups = [self._lineup(number, learner) for number in numbers]
        units = [Unit(number * UNIT, min(UNIT, plan.games)) for number in numbers]
        gradient = np.zeros(FEATURES)
        self.rewards *= FORGETTING
        self.visits *= FORGETTING
        first = np.zeros(2)
        games = 0
        for lineup, found in zip(
            lineups,
            pool.map(lambda given: learn(given[0], plan.seed, given[1], AIMS[plan.aim]), zip(lineups, units, strict=True)),
            strict=True,
        ):
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
        """One step of Adam, shorter and shorter, and the average over about the last tenth of all steps."""
        plan = self.plan
        self.step += 1
        self.momentum = MOMENTUM * self.momentum + (1 - MOMENTUM) * gradient
        self.second = SECOND_MOMENTUM * self.second + (1 - SECOND_MOMENTUM) * gradient**2
        ahead = self.momentum / (1 - MOMENTUM**self.step)
        width = np.sqrt(self.second / (1 - SECOND_MOMENTUM**self.step)) + 1e-6
        self.weights = self.weights + plan.learning_rate * (1 - (self.step - 1) / plan.steps) * ahead / width
        self.average = self.average + (self.weights - self.average) * max(1 / self.step, min(1.0, 10 / plan.steps))
        if self.step % SNAPSHOT == 0:
            self.snapshot = self.average.copy()

    def _is_first(self, lineup: Lineup) -> bool:
        first = self.plan.against[0]
        return lineup.entrants[1].name == (SELF if first == SELF else registry.entrant(first).name)

    def _lineup(self, number: int, learner: registry.Entrant | None = None) -> Lineup:
        """The table of a unit: a number of players and opponents in turn; among several, half the time all the same bot."""
        plan = self.plan
        players = plan.players[number % len(plan.players)]
        position = stream(game_key(plan.seed, number), SEATING)
        position, mixed = below(position, 2)
        position, place = below(position, len(plan.against))
        names = [plan.against[place]]
        while len(names) < players - 1:
            if mixed:
                position, place = below(position, len(plan.against))
            names.append(plan.against[place])
        return make_lineup([learner or registry.entrant(LEARNER), *map(self._opponent, names)], plan.rules)

    def _opponent(self, name: str) -> registry.Entrant:
        if name != SELF:
            return registry.entrant(name)
        sets = self.sets.copy()
        sets[self.plan.place] = self.snapshot
        return registry.Entrant(SELF, registry.built_in_bot("linear"), {"weights": tuple(sets.ravel().tolist())})

    # -- checkpoints --

    def save(self, path: Path) -> None:
        """Write a checkpoint; a crash meanwhile leaves the one before."""
        kept = {name: getattr(self, name) for name in self._KEPT}
        write_archive(path, plan=self.plan.to_text(), features=features_name(), step=self.step, **kept)

    @staticmethod
    def load(path: Path) -> Training:
        """A training from its checkpoint."""
        kept = read_archive(path)
        with damage_told(path):
            features = str(kept["features"])
            plan = Plan.from_text(str(kept["plan"]))
            made = Training(plan if plan.start in (NOTHING, SHIPPED) else Plan(**{**asdict(plan), "start": NOTHING}))
            made.plan = plan
            made.step = check_whole(int(kept["step"]), f"checkpoint {path}: step", 0, plan.steps)
            found = {name: np.asarray(kept[name], dtype=np.float64) for name in Training._KEPT}
        if features != features_name() or any(found[name].shape != getattr(made, name).shape for name in Training._KEPT):
            raise BadValue(f"checkpoint {path} was made for other features than those of this version; train anew.")
        for name, value in found.items():
            check_finite(value, path)
            if name in ("sets", "weights", "average", "snapshot"):
                check_weights(value, "checkpoint", path)
            setattr(made, name, value)
        return made


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainLinear(Train):
    """Train the weights of the bot `linear` by policy gradient: play, and make likelier what led to wins.

    Play with them as linear:weights=FILE. Weights for other numbers of players are taken over from --start; numbers that it has no
    weights for start from those for fewer players.
    """

    kind = "train linear"
    learning = Training

    players: Players = "2"
    against: Annotated[str, Setting("Opponents, separated by commas; 'self' is the policy as it was some steps ago.", "-a")] = "mix2"
    games: Annotated[int, Setting("Games to learn from.", "-n")] = 4_000_000
    aim: Annotated[str, Setting("win_rate or points.", "--for")] = "win_rate"
    learning_rate: Annotated[float, Setting("Size of the first steps; it falls to zero.", stored_as="rate")] = 0.05
    gae_lambda: Annotated[
        float, Setting("1: judge choices by the end of the game; less: also by hand sizes soon after.", stored_as="trace")
    ] = 1.0
    start: Annotated[str, Setting("Weights to start from: nothing, shipped, or a file.")] = NOTHING
    jit: Compiled = True

    def begun(self) -> Training:
        """A new training."""
        who = numbers(self.players), opponents(self.against)
        return Training(
            Plan(*who, self.games, self.seed, self.rules or "classic", self.aim, self.learning_rate, self.gae_lambda, self.start)
        )

    def step_games(self, training: Training) -> int:
        """Games of a step."""
        return UNIT * BATCH

    def how(self) -> dict[str, Any]:
        """Compiled or not."""
        return {"jit": self.jit}

    def measure(self, training: Training) -> tuple[float, float | None] | None:
        """The share of wins of late."""
        rate, error = training.win_rate()
        return (100 * rate, 100 * error) if rate == rate else None

    def standing(self, training: Training) -> str:
        """Steps, and the share of wins of late."""
        done, known = f"{training.step} of {training.plan.steps} steps", self.measure(training)
        return f"{done}, {known[0]:.1f} ± {known[1]:.1f} % v {training.plan.against[0]}" if known else done

    def write_weights(self, training: Training) -> str:
        """Write the weights."""
        write_weights(Path(self.out), training.trained())
        return f"{self.standing(training)}. Weights written to {self.out}: play as linear:weights={self.out}"
