"""Tuning: which parameters make a bot strongest? Optuna and small changes to the best so far propose, a race on paired deals decides.

The deals of the race are always the same, so the best of many is a little lucky with them. In the end the best few play fresh deals, which
choose the winner, and then fresh deals again beside the bot as it was named: those figures are free of luck in the choosing. What is
found is a function of the task alone: threads, an interruption and a resume change nothing. Needs the extra `tune`, which brings Optuna.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.arena.batch import Workers, open_workers
from kibitz.arena.lineup import make_lineup
from kibitz.arena.plan import Plan
from kibitz.bots.parameters import Value
from kibitz.errors import BadValue, UnknownName
from kibitz.learn.importance import importance_of
from kibitz.learn.racing import DEFAULT_Z, Course, Rule, Values, race
from kibitz.learn.space import Point, Space, make_space
from kibitz.learn.study_file import StudyFile, load_optuna
from kibitz.seeds import check_seed, match_seed
from kibitz.stats.paired import Sums

DEFAULT_TRIALS = 500
DEFAULT_GAMES = 20_000
DEFAULT_CONFIRMATION = 200_000
DEFAULT_NEAR = 0.8
FINALISTS = 3
STARTUP = 20  # trials anywhere before anything is concluded from them

GOALS = {"win_rate": "wins", "points": "points", "score": "score", "points_kept": "points_kept"}
COMPETITIVE, COOPERATIVE = ("win_rate", "points"), ("score", "points_kept")

_RACE, _CHOICE, _CONFIRMATION, _PROPOSALS = 0, 1, 2, 16  # which seed is derived for what; trial k proposes from _PROPOSALS + k


# -- what is asked --


@dataclass(frozen=True, eq=False)
class Task:
    """All that decides what is found, but for how long it is searched for."""

    space: Space
    course: Course
    rule: Rule
    goal: str
    seed: int
    against: tuple[str, ...]
    start: Mapping[str, Value] | None = None  # parameters to start from; None: from scratch
    near: float = DEFAULT_NEAR  # the share of trials that change the best so far a little; the others are Optuna's

    @property
    def unit(self) -> str:
        """What differences are measured in."""
        return "percentage points" if self.goal == "win_rate" else "points a game"

    def to_config(self) -> dict[str, Any]:
        """The task as JSON, with a fingerprint of each file that holds a bot: what a study keeps."""
        plan = Plan("match", (self.course.lineup,), (0,), self.rule.games, self.seed, self.course.jit).to_config()
        return {
            "bot": self.space.entrant.name,
            "for": self.goal,
            **{key: plan[key] for key in ("game", "players", "rules", "games", "seed")},
            "against": list(self.against),
            "fix": {p.name: p.to_text(self.space.held[p.name]) for p in self.space.parameters if p.name in self.space.held},
            "from": None if self.start is None else self.space.named(self.start).name,
            "z": self.rule.z,
            "near": self.near,
            "space": {coordinate.name: coordinate.parameter.describe() for coordinate in self.space.coordinates},
            "files": plan["files"],
        }


def make_task(
    bot: Any,
    *,
    goal: str | None = None,
    players: int = 2,
    against: Sequence[Any] | str | None = None,
    games: int = DEFAULT_GAMES,
    seed: int = 1,
    rules: Any = None,
    game: str = "uno",
    held: Sequence[str] = (),
    start: str | None = None,
    z: float = DEFAULT_Z,
    near: float = DEFAULT_NEAR,
    jit: bool = True,
) -> Task:
    """A task, refused where it makes no sense. `against` is one bot for every other seat, or one for each of them.

    In Hanabi a bot plays with copies of itself, or with the bots named. `start` is a preset; `held` are parameters such as `end_game=on`.
    """
    definition = registry.game(game)
    accepted = COOPERATIVE if definition.cooperative else COMPETITIVE
    chosen = accepted[0] if goal is None else goal
    if chosen not in accepted:
        raise BadValue(f"--for {chosen} is not accepted; in {definition.title} it is {' or '.join(accepted)}.")
    if not 0 <= near <= 1:
        raise BadValue(f"near={near:g} is out of range: it is a share from 0 to 1.")
    if not 2 <= players <= definition.max_players:
        raise BadValue(f"players={players} is out of range: 2 to {definition.max_players} can play.")
    check_seed(seed)
    space = make_space(bot, held, game)
    entrant = space.entrant
    if start is not None and (start not in space.bot.presets or not start):
        known = [preset for preset in space.bot.presets if preset]
        if not known:
            raise BadValue(f"--from {start}: {space.bot.name} has no presets to start from.")
        raise UnknownName(f"preset of bot {space.bot.name} in --from:", start, known)
    others = [against] if isinstance(against, str) else list(against or ([] if definition.cooperative else ["random"]))
    company = [registry.entrant(other, game) for other in others]
    if len(company) == 1:
        company *= players - 1
    if company and len(company) != players - 1:
        raise BadValue(f"--against names {len(company)} bots, but there are {players - 1} other seats; name one for all, or one for each.")
    lineup = make_lineup([entrant, *company] if company else [entrant] * players, rules, "rotate" if company else "fixed", game)
    course = Course(lineup, (0,) if company else tuple(range(players)), GOALS[chosen], match_seed(seed, _RACE), jit)
    begin = None if start is None else {**space.bot.presets[start], **space.held}
    return Task(space, course, Rule(games, z), chosen, seed, tuple(other.name for other in company), begin, near)


# -- what is found --


@dataclass(frozen=True)
class Trial:
    """One candidate as it ran: its value is the incumbent's mean and its own difference to it; the error is that of its own mean."""

    number: int
    bot: str
    value: float
    error: float | None
    games: int
    is_out: bool
    is_best: bool  # whether it was the best when it had run
    point: Point = field(repr=False, default_factory=dict)


@dataclass(frozen=True)
class Confirmed:
    """A bot on fresh deals: what it got a game, and how much more than the bot as it was named on the same deals."""

    bot: str
    values: Mapping[str, Value]
    sums: Sums
    difference: Sums
    role: str  # winner, finalist or named


@dataclass
class Tuning:
    """What was found so far. `complete` turns true when the best were confirmed."""

    task: Task
    wanted: int
    trials: list[Trial] = field(default_factory=list)
    confirmed: list[Confirmed] = field(default_factory=list)
    importance: dict[str, float] = field(default_factory=dict)  # of coordinates, adding up to 1; empty where little can be told
    importance_is: str = ""  # what it is a share of
    confirmation: int = DEFAULT_CONFIRMATION
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
        left = self.seconds / self.session * max(self.wanted - len(self.trials), 0)
        return left + (2 * FINALISTS + 1) * self.confirmation * self.seconds / self.games

    def finalists(self) -> list[Trial]:
        """The best few, the best first: of those that ran to the end, no two alike."""
        ran = sorted((trial for trial in self.trials if not trial.is_out), key=lambda trial: (-trial.value, trial.number))
        best = [trial for trial in (self.best,) if trial]
        return list({trial.bot: trial for trial in [*best, *ran]}.values())[:FINALISTS]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain JSON values."""
        best, winner = self.best, self.winner
        return {
            **{key: value for key, value in self.task.to_config().items() if key not in ("space", "files")},
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
                    "games": row.sums.count * self.task.course.group,
                    "value": row.sums.mean,
                    "standard_error": row.sums.standard_error,
                    "difference": row.difference.mean,
                    "difference_standard_error": row.difference.standard_error,
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


Progress = Callable[[Tuning], None]  # told what is known so far, each time that it is more


class TuningInterrupted(Exception):
    """Ctrl-C in a long search: `result` holds what was done."""

    def __init__(self, result: Tuning) -> None:
        super().__init__("interrupted")
        self.result = result


def tune(
    task: Task,
    trials: int = DEFAULT_TRIALS,
    *,
    confirmation: int = DEFAULT_CONFIRMATION,
    study: Path | None = None,
    resume: bool = False,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Search until there are so many trials, those of the study file included, then confirm the best.

    Without `study` nothing is kept. An interruption raises `TuningInterrupted`; finished trials are in the file.
    """
    if trials < 1:
        raise BadValue(f"trials={trials} is out of range: at least 1 trial is needed.")
    if confirmation < 1:
        raise BadValue(f"confirm={confirmation} is out of range: at least 1 game is needed.")
    load_optuna()
    result = Tuning(task, trials, confirmation=confirmation, study=None if study is None else str(study))
    if study is None:
        return _run(result, None, threads, progress)
    with StudyFile(study, task.to_config(), resume) as file:
        return _run(result, file, threads, progress)


def _run(result: Tuning, file: StudyFile | None, threads: int | None, progress: Progress | None) -> Tuning:
    with open_workers(threads) as workers:
        search = _Search(result, file, workers, progress)
        try:
            search.recall()
            while len(result.trials) < result.wanted:
                search.step()
            search.confirm()
        except KeyboardInterrupt:
            search.clock()
            search.weigh()
            raise TuningInterrupted(result) from None
        search.weigh()
    return result


# -- searching --


class _Search:
    """Proposes and races, one candidate after the other; finished trials go into the file."""

    def __init__(self, result: Tuning, file: StudyFile | None, workers: Workers, progress: Progress | None) -> None:
        self._optuna = load_optuna()
        self._result, self._file, self._workers, self._progress = result, file, workers, progress
        self._task = result.task
        self._known = self._optuna.create_study(direction="maximize")  # in memory; the file only keeps
        self._space = self._task.space.distributions()
        self._incumbent: Values | None = None
        self._began = time.perf_counter()

    def recall(self) -> None:
        """Take over the trials that the file has, and play the best of them again to compare others with."""
        for kept in self._file.trials() if self._file else []:
            self._known.add_trial(kept)
            self._note(kept)
        self._task.course.prepare()
        best = self._result.best
        if best:
            deals = self._task.rule.looks(self._task.course.group)[-1]
            self._incumbent = self._task.course.play(self._task.space.entrant_at(best.point), 0, deals, self._workers)
        self._began = time.perf_counter()

    def step(self) -> None:
        """One trial."""
        result, task = self._result, self._task
        trial = self._ask(len(result.trials))
        entrant = task.space.entrant_at(trial.params)
        before = 0.0 if self._incumbent is None else float(self._incumbent.mean())
        ran = race(task.course, task.rule, entrant, self._incumbent, self._workers, self._played)
        if ran.difference is None:
            value, best = ran.sums.mean, True
        else:
            value, best = before + ran.difference.mean, not ran.is_out and ran.difference.mean > 0
        if best:
            self._incumbent = ran.values
        facts = {"bot": entrant.name, "games": len(ran.values) * task.course.group, "out": ran.is_out, "best": best}
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

    def _ask(self, number: int) -> Any:
        """A new point: from its own random stream, so that it depends on the trials before it and on nothing else."""
        task = self._task
        seed = match_seed(task.seed, _PROPOSALS + number)
        rng = np.random.default_rng(seed)
        best = self._result.best
        if number == 0 and task.start is not None:
            self._known.enqueue_trial(task.space.point(task.start))
        elif best and (number >= STARTUP or task.start is not None) and rng.random() < task.near:
            self._known.enqueue_trial(task.space.neighbour(best.point, rng))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Optuna calls some of this experimental in some versions
            self._known.sampler = self._optuna.samplers.TPESampler(
                seed=seed % 2**32, n_startup_trials=STARTUP, multivariate=True, constant_liar=False
            )
            return self._known.ask(self._space)

    def _note(self, done: Any) -> None:
        facts = done.user_attrs
        number = len(self._result.trials)
        self._result.trials.append(
            Trial(number, facts["bot"], float(done.value), facts["error"], facts["games"], facts["out"], facts["best"], dict(done.params))
        )

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
        means = [float(values.mean()) for values in self._fresh(_CHOICE, runners)] if len(runners) > 1 else [0.0]
        winner = runners[means.index(max(means))]
        named, *found = self._fresh(_CONFIRMATION, [task.space.entrant, *runners])
        rows = [
            Confirmed(who.name, who.values, Sums.of(values), Sums.of(values - named), "winner" if who is winner else "finalist")
            for who, values in zip(runners, found, strict=True)
        ]
        rows.sort(key=lambda row: row.role != "winner")
        bot = task.space.entrant
        result.confirmed = [*rows, Confirmed(bot.name, bot.values, Sums.of(named), Sums.of(named - named), "named")]
        self.clock()

    def _fresh(self, purpose: int, bots: Sequence[registry.Entrant]) -> list[Values]:
        course = self._task.course.with_seed(match_seed(self._task.seed, purpose))
        deals = -(-self._result.confirmation // course.group)
        return [course.play(bot, 0, deals, self._workers, self._played) for bot in bots]

    def weigh(self) -> None:
        """Say which coordinates matter."""
        names = [coordinate.name for coordinate in self._task.space.coordinates]
        self._result.importance, self._result.importance_is = importance_of(self._result.trials, names, self._known)
