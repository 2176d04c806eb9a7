"""Trials of settings: Optuna and small changes to the best so far propose, a race on paired deals decides.

The deals of the race are always the same, so the best of many is a little lucky with them. In the end the best few play fresh deals, which
choose the winner, and then fresh deals again beside the bot as it was named: those figures are free of luck in the choosing. What is
found is a function of the settings of `Tune` alone: threads, an interruption and a resume change nothing. Needs the extra `tune`, which brings Optuna.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz import registry
from kibitz.bots.parameters import Value
from kibitz.core.seeds import match_seed
from kibitz.experiments.batch import Workers, open_workers
from kibitz.experiments.experiment import Interrupted
from kibitz.experiments.sides import Values
from kibitz.experiments.tune.importance import importance_of
from kibitz.experiments.tune.racing import race
from kibitz.experiments.tune.space import Point
from kibitz.experiments.tune.study_file import StudyFile, load_optuna
from kibitz.runs.ledger import Ledger
from kibitz.runs.units import Unit
from kibitz.stats.paired import Sums

if TYPE_CHECKING:
    from kibitz.experiments.tune.tuning import Tune

FINALISTS = 3
STARTUP = 20  # trials anywhere before anything is concluded from them
STARTS = 4  # searches that start from scratch before the best of them is gone on with: one alone may be led astray for good
RACE, CHOICE, CONFIRMATION, PROPOSALS = 0, 1, 2, 16  # which seed is derived for what; trial k proposes from PROPOSALS + k
_CROSSING = 0.3  # of the small changes to the best of all: parameters taken over from the best of another start


# -- what is found --


@dataclass(frozen=True)
class Trial:
    """One candidate as it ran: its value is the incumbent's mean and its own difference to it; the error is that of its own mean.

    `base` is the trial that was the incumbent, None for the first of a start; who `leads` is the next.
    """

    number: int
    bot: str
    value: float
    error: float | None
    games: int
    is_out: bool
    leads: bool
    is_best: bool  # whether it was the best of all when it had run
    base: int | None = None
    point: Point = field(repr=False, default_factory=dict)


@dataclass(frozen=True)
class Confirmed:
    """A bot on fresh deals: what it got a game, and how much more than the bot as it was named on the same deals.

    `choice` is what it got on the deals before them that chose the winner, None if it did not play those; `lead` is how much more
    than the winner it got on the deals of `sums`.
    """

    bot: str
    values: Mapping[str, Value]
    sums: Sums
    difference: Sums
    role: str  # winner, finalist or named
    choice: Sums | None = None
    lead: Sums | None = None


@dataclass
class Tuning:
    """What was found so far. `complete` turns true when the best were confirmed."""

    task: Tune
    trials: list[Trial] = field(default_factory=list)
    confirmed: list[Confirmed] = field(default_factory=list)
    importance: dict[str, float] = field(default_factory=dict)  # of coordinates, adding up to 1; empty where little can be told
    importance_is: str = ""  # what it is a share of
    seconds: float = 0.0
    games: int = 0  # played in this session, races and confirmation
    session: int = 0  # trials of this session
    study: str | None = None
    phase: str = "searching"

    @property
    def complete(self) -> bool:
        """Whether the best were confirmed."""
        return bool(self.confirmed)

    @property
    def best(self) -> Trial | None:
        """The best so far, in the deals of the race."""
        return next((trial for trial in reversed(self.trials) if trial.is_best), None)

    @property
    def winner(self) -> Confirmed | None:
        """The bot that fresh deals chose, with figures from other fresh deals."""
        return next((bot for bot in self.confirmed if bot.role == "winner"), None)

    @property
    def named(self) -> Confirmed | None:
        """The bot as it was named, beside the winner."""
        return next((bot for bot in self.confirmed if bot.role == "named"), None)

    @property
    def seconds_to_go(self) -> float | None:
        """At the pace so far; None before there is one."""
        if not self.session or not self.seconds or not self.games:
            return None
        left = self.seconds / self.session * max(self.task.trials - len(self.trials), 0)
        return left + (2 * FINALISTS + 1) * self.task.confirm * self.seconds / self.games

    def finalists(self) -> list[Trial]:
        """The best few, the best first: of those that ran to the end, no two that got the same."""
        ran = sorted((trial for trial in self.trials if not trial.is_out), key=lambda trial: (-trial.value, trial.number))
        alike: dict[float, Trial] = {}
        for trial in ran:
            alike.setdefault(trial.value, trial)
        return list(alike.values())[:FINALISTS]

    def leader(self, number: int) -> Trial | None:
        """Whom trial `number` has to beat: the last leader of its start, or the best of all; None for the first of a start."""
        start = self.task.start_of(number)
        if start is None:
            return self.best
        own = self.trials[start * self.task.start_length :]
        return next((trial for trial in reversed(own) if trial.leads), None)

    def champions(self) -> list[Trial]:
        """The best of each start."""
        found = {self.task.start_of(trial.number): trial for trial in self.trials if trial.leads}
        return [trial for start, trial in found.items() if start is not None]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        best, winner = self.best, self.winner
        return {
            **{key: value for key, value in self.task.study_config().items() if key not in ("space", "files")},
            "complete": self.complete,
            "trials": len(self.trials),
            "seconds": round(self.seconds, 3),
            "study": self.study,
            "winner": None if winner is None else winner.bot,
            "parameters": None if winner is None else _plain(winner.values),
            "best_in_race": None if best is None else best.bot,
            "confirmed": [
                {
                    "bot": row.bot,
                    "role": row.role,
                    "parameters": _plain(row.values),
                    "games": row.sums.count * self.task.deals.group,
                    "value": row.sums.mean,
                    "standard_error": row.sums.standard_error,
                    "difference": row.difference.mean,
                    "difference_standard_error": row.difference.standard_error,
                    "choice": None if row.choice is None else row.choice.mean,
                    "choice_standard_error": None if row.choice is None else row.choice.standard_error,
                }
                for row in self.confirmed
            ],
            "importance": self.importance,
            "importance_is": self.importance_is,
            "history": [
                {"bot": t.bot, "value": t.value, "standard_error": t.error, "games": t.games, "out": t.is_out, "best": t.is_best}
                for t in self.trials
            ],
        }


def _plain(values: Mapping[str, Value]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


TRIALS, CONFIRMED = 0, 1  # the parts of a run in the store


# -- searching --


def search(task: Tune, file: StudyFile | None = None) -> Tuning:
    """Search until there are so many trials, those of the file included, then confirm the best.

    Without a file nothing is kept. An interruption raises `Interrupted`; finished trials are in the file.
    """
    result = Tuning(task, study=None if file is None else str(file.path))
    with open_workers(task.threads) as workers:
        searching = _Search(result, file, workers)
        try:
            searching.recall()
            while len(result.trials) < task.trials:
                searching.step()
            searching.confirm()
        except KeyboardInterrupt:
            searching.clock()
            searching.weigh()
            raise Interrupted(result) from None
        searching.weigh()
    return result


class _Search:
    """Proposes and races, one candidate after the other; finished trials go into the file."""

    def __init__(self, result: Tuning, file: StudyFile | None, workers: Workers) -> None:
        self._result, self._file, self._workers, self._task = result, file, workers, result.task
        self._ledger, self._progress = self._task.ledger, self._task.progress
        self._kept = {part: set(self._ledger.finished(part)) if self._ledger else set() for part in (TRIALS, CONFIRMED)}
        self._optuna = load_optuna()
        self._known = self._optuna.create_study(direction="maximize")  # in memory; the file only keeps
        self._space = self._task.space.distributions()
        self._incumbent: tuple[int, Values] | None = None  # the number of a trial, and its values of all deals
        self._began = time.perf_counter()

    def recall(self) -> None:
        """Take over the trials that the file has."""
        for kept in self._file.trials() if self._file else []:
            self._known.add_trial(kept)
            self._note(kept)
        self._task.deals.prepare()
        self._began = time.perf_counter()

    def step(self) -> None:
        """One trial."""
        result, task = self._result, self._task
        number = len(result.trials)
        leader = result.leader(number)
        values = self._values_of(leader) if leader else None
        trial = self._ask(number, leader)
        entrant = task.space.entrant_at(trial.params)
        ran = race(task.deals, task.rule, entrant, values, self._workers, self._played)
        if leader is None or ran.difference is None:
            value, leads = ran.sums.mean, True
        else:
            value, leads = leader.value + ran.difference.mean, not ran.is_out and ran.difference.mean > 0
        if leads:
            value = ran.sums.mean
            self._incumbent = number, ran.values
        facts = {"bot": entrant.name, "games": len(ran.values) * task.deals.group, "out": ran.is_out, "leads": leads}
        facts["base"] = leader.number if leader else None
        for key, fact in {**facts, "error": ran.sums.standard_error}.items():
            trial.set_user_attr(key, fact)
        self._known.tell(trial, value)
        done = self._known.get_trials(deepcopy=False)[-1]
        if self._file:
            self._file.keep(done)
        self._note(done)
        result.session += 1
        self.clock()
        if self._progress:
            self._progress(result)

    def _values_of(self, leader: Trial) -> Values:
        """The leader's values of all deals, played again if somebody else led before."""
        if self._incumbent is None or self._incumbent[0] != leader.number:
            count = self._task.rule.looks(self._task.deals.group)[-1]
            entrant = self._task.space.entrant_at(leader.point)
            self._incumbent = leader.number, self._task.deals.play(entrant, 0, count, self._workers)
        return self._incumbent[1]

    def _ask(self, number: int, leader: Trial | None) -> Any:
        """A new point: from its own random stream, so that it depends on the trials before it and on nothing else."""
        seed = match_seed(self._task.seed, PROPOSALS + number)
        point = self._proposed(number, leader, np.random.default_rng(seed))
        if point is not None:
            self._known.enqueue_trial(point)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Optuna calls some of this experimental in some versions
            self._known.sampler = self._optuna.samplers.TPESampler(
                seed=seed % 2**32, n_startup_trials=STARTUP, multivariate=True, constant_liar=False
            )
            return self._known.ask(self._space)

    def _proposed(self, number: int, leader: Trial | None, rng: np.random.Generator) -> Point | None:
        """A point of our own; None leaves it to Optuna."""
        task = self._task
        start = task.start_of(number)
        if number == 0 and task.preset is not None:
            return task.space.point(task.preset)
        if start is not None:
            first = number - start * task.start_length < STARTUP
            return task.space.drawn(rng) if first or leader is None else task.space.neighbour(leader.point, rng)
        if leader is None or rng.random() >= task.near:
            return None
        others = [trial for trial in self._result.champions() if trial.point != leader.point]
        if others and rng.random() < _CROSSING:
            return task.space.crossed(leader.point, others[int(rng.integers(len(others)))].point, rng)
        return task.space.neighbour(leader.point, rng)

    def _note(self, done: Any) -> None:
        facts, best = done.user_attrs, self._result.best
        self._result.trials.append(
            Trial(
                number=len(self._result.trials),
                bot=facts["bot"],
                value=float(done.value),
                error=facts["error"],
                games=facts["games"],
                is_out=facts["out"],
                leads=facts["leads"],
                is_best=facts["leads"] and (best is None or done.value > best.value),
                base=facts["base"],
                point=dict(done.params),
            )
        )
        self._keep(TRIALS, len(self._result.trials) - 1, asdict(self._result.trials[-1]))

    def _keep(self, part: int, place: int, found: Any) -> None:
        """Let the store know, too, what it does not know yet."""
        if self._ledger and Unit(place, 1) not in self._kept[part]:
            self._ledger.keep(part, Unit(place, 1), json.dumps(found).encode())

    def _played(self, games: int) -> None:
        self._result.games += games
        self.clock()
        if self._progress and self._result.session:
            self._progress(self._result)

    def clock(self) -> None:
        """How long it took, without compiling and without recalling."""
        self._result.seconds = time.perf_counter() - self._began

    # -- in the end --

    def confirm(self) -> None:
        """Let fresh deals choose among the best few, and other fresh deals say how good they and the bot as it was named are."""
        task, result = self._task, self._result
        result.phase = "confirming"
        runners = [task.space.entrant_at(trial.point) for trial in result.finalists()]
        choosing = self._fresh(CHOICE, runners) if len(runners) > 1 else []
        means = [float(values.mean()) for values in choosing] or [0.0]
        first = means.index(max(means))
        named, *found = self._fresh(CONFIRMATION, [task.space.entrant, *runners])
        rows = [
            Confirmed(
                who.name,
                who.values,
                Sums.of(values),
                Sums.of(values - named),
                "winner" if place == first else "finalist",
                Sums.of(choosing[place]) if choosing else None,
                Sums.of(values - found[first]),
            )
            for place, (who, values) in enumerate(zip(runners, found, strict=True))
        ]
        rows.sort(key=lambda row: row.role != "winner")
        bot = task.space.entrant
        result.confirmed = [*rows, Confirmed(bot.name, bot.values, Sums.of(named), Sums.of(named - named), "named")]
        self._keep(CONFIRMED, 0, [asdict(row) for row in result.confirmed])
        self.clock()

    def _fresh(self, purpose: int, bots: Sequence[registry.Entrant]) -> list[Values]:
        deals = replace(self._task.deals, seed=match_seed(self._task.seed, purpose))
        count = -(-self._task.confirm // deals.group)
        return [deals.play(bot, 0, count, self._workers, self._played) for bot in bots]

    def weigh(self) -> None:
        """Say which coordinates matter."""
        labels = {coordinate.name: coordinate.label for coordinate in self._task.space.coordinates}
        found, self._result.importance_is = importance_of(self._result.trials, list(labels), self._known)
        self._result.importance = {labels[name]: share for name, share in found.items()}


# -- what a store has --


def recalled(result: Tuning, ledger: Ledger) -> Tuning:
    """What a ledger has of a search, without playing."""
    result.trials = [Trial(**json.loads(kept)) for _, kept in sorted(ledger.finished(TRIALS).items(), key=lambda each: each[0].first)]
    for kept in ledger.finished(CONFIRMED).values():
        result.confirmed = [_confirmed(found) for found in json.loads(kept)]
    return result


def _confirmed(found: dict[str, Any]) -> Confirmed:
    sums = {name: Sums(**found[name]) if found[name] else None for name in ("sums", "difference", "choice", "lead")}
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in found["values"].items()}
    return Confirmed(**{**found, **sums, "values": values})
