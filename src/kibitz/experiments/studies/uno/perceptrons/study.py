"""How strong do perceptrons get, by which training, after how many games? Trainings from several seeds, measured on fresh contests.

What a training says of its own best candidate is too good, since the best of many was lucky as well. So whatever a training has come
to is measured again, on contests that no training has seen.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

import numpy as np

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.printable import facts_of
from kibitz.core.seeds import check_seed, match_seed
from kibitz.experiments.settings import Setting
from kibitz.experiments.studies.investigation import Investigation
from kibitz.experiments.training.uno.perceptron.evolution import load_cma
from kibitz.experiments.training.uno.perceptron.plan import CONTESTS, GENETIC, METHODS, TARGETS, PerceptronPlan, count_wins, entrant_of
from kibitz.experiments.training.uno.perceptron.training import PerceptronTraining
from kibitz.play.lineup import make_lineup
from kibitz.policies.uno.perceptron_models import FOLDED, MODELS, Numbers
from kibitz.runs.executors import open_executor
from kibitz.runs.units import cut

FOUR = ("offensive", "first_playable", "defensive")
FIVE = (*FOUR, "better_offensive")
FIELDS = (FOUR, FIVE)
PLAYED = 200  # contests of a generation, or of a candidate
MARKS = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)  # when a training is measured, in budgets
LONG = 4  # budgets that the trainings of the curve go on for; the others end after one
CURVE = FOLDED  # the model of the curve
WINDOWS = 40  # points of the training graph
FRESH = 1 << 40  # the number of the seed for measuring, far from those of trainings
UNIT = 250


@dataclass(frozen=True)
class SeededTraining:
    """A training from one seed."""

    method: str
    model: str
    seed: int


@dataclass
class PerceptronStudy:
    """What was asked for, and what has been found so far."""

    games: int = 100_000
    seeds: int = 4
    check: int = 10_000
    final: int = 1_000_000
    seed: int = 1
    strengths: dict[SeededTraining, dict[int, float]] = field(default_factory=dict)  # share of fresh contests won, by contests trained
    graphs: dict[SeededTraining, Numbers] = field(default_factory=dict)  # of the genetic curves: share of the best and of all, by window
    fields: dict[tuple[str, ...], Numbers] = field(default_factory=dict)  # wins of the shipped perceptron and of those named
    seconds: float = 0.0
    complete: bool = True

    def __post_init__(self) -> None:
        check_seed(self.seed)
        if self.games < WINDOWS * PLAYED:
            raise BadValue(f"games={self.games} is out of range: at least {WINDOWS * PLAYED} contests are needed.")
        for name, value, least in (("seeds", self.seeds, 2), ("check", self.check, 100), ("final", self.final, 100)):
            if value < least:
                raise BadValue(f"{name}={value} is out of range: at least {least} are needed.")

    def courses(self, method: str | None = None, model: str | None = None) -> list[SeededTraining]:
        """All trainings, or those of a method or a model."""
        seeds = range(self.seed, self.seed + self.seeds)
        every = [SeededTraining(way, name, seed) for name in MODELS for way in METHODS for seed in seeds]
        return [course for course in every if method in (None, course.method) and model in (None, course.model)]

    def plan(self, course: SeededTraining) -> PerceptronPlan:
        """What a training does."""
        plan = PerceptronPlan(
            method=course.method, model=course.model, against=",".join(FOUR), games=PLAYED, unit=CONTESTS, seed=course.seed
        )
        budgets = LONG if course.model == CURVE else 1
        return replace(plan, generations=max(1, budgets * self.games // plan.step_games))

    def marks(self, course: SeededTraining) -> list[int]:
        """The generations after which a training is measured."""
        plan = self.plan(course)
        if course.model != CURVE:
            return [plan.generations]
        return sorted({max(1, min(plan.generations, round(mark * self.games / plan.step_games))) for mark in MARKS})

    def contests_of(self, task: SeededTraining | tuple[str, ...]) -> int:
        """Contests of a training and of measuring it, or of a field."""
        if not isinstance(task, SeededTraining):
            return self.final
        plan = self.plan(task)
        return plan.generations * plan.step_games + self.check * len(self.marks(task))

    def total(self) -> int:
        """Contests of everything."""
        return sum(self.contests_of(course) for course in self.courses()) + self.final * len(FIELDS)

    def strength(self, method: str, model: str, mark: int = -1) -> tuple[float, float, float]:
        """At a mark: contests trained, mean share won over the seeds, and its standard error."""
        found = [list(self.strengths[course].items())[mark] for course in self.courses(method, model)]
        shares = np.array([share for _, share in found])
        return float(found[0][0]), float(shares.mean()), float(shares.std(ddof=1) / math.sqrt(len(shares)))

    def curve(self, method: str) -> list[tuple[float, float, float]]:
        """Strength against contests played."""
        return [self.strength(method, CURVE, mark) for mark in range(len(self.marks(self.courses(method, CURVE)[0])))]

    def graph(self) -> Numbers:
        """By window of generations, mean over the seeds and standard error of the share of the best and of all: (2, 2, windows)."""
        every = np.array([self.graphs[course] for course in self.courses(GENETIC, CURVE)])
        spread: Numbers = every.std(axis=0, ddof=1) / math.sqrt(len(every))
        return np.stack([every.mean(axis=0), spread])

    def to_dict(self) -> dict[str, Any]:
        """The study as it stands in JSON."""
        asked = facts_of(self, "games", "seeds", "check", "final", "seed")
        trainings = [
            {
                "method": course.method,
                "model": course.model,
                "seed": course.seed,
                "strength": [list(pair) for pair in found.items()],
                "graph": self.graphs[course].tolist() if course in self.graphs else None,
            }
            for course, found in self.strengths.items()
        ]
        fields = [{"bots": ["perceptron", *names], "wins": wins.tolist()} for names, wins in self.fields.items()]
        return {"command": "study", "study": "perceptrons", **asked, "complete": self.complete, "trainings": trainings, "fields": fields}


def lead(wins: Numbers, games: int) -> tuple[float, float]:
    """By how much the first of a field is ahead of the best of the others, as shares of all games, with its standard error."""
    first, second = wins[0] / games, max(wins[1:]) / games
    return float(first - second), math.sqrt((first + second - (first - second) ** 2) / games)


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyPerceptrons(Investigation[PerceptronStudy]):
    """How strong do perceptrons that score cards get, by which training, and after how many games?"""

    kind = "study perceptrons"
    unit = "contests"
    told = ("games", "seeds", "check_games", "final", "seed")

    games: Annotated[int, Setting("Contests of a training; those of the curve play four times as many.", "-n")] = 100_000
    seeds: Annotated[int, Setting("Trainings of each kind, from one seed each.")] = 4
    check_games: Annotated[int, Setting("Fresh contests that measure what a training has come to.", "--check", stored_as="check")] = 10_000
    final: Annotated[int, Setting("Contests of the shipped perceptron in each field.")] = 1_000_000

    def check(self) -> None:
        """Refuse what cannot be played."""
        self.new_study()
        super().check()
        load_cma()

    def new_study(self) -> PerceptronStudy:
        """Without any training."""
        return PerceptronStudy(self.games, self.seeds, self.check_games, self.final, self.seed)

    def tasks(self) -> Sequence[SeededTraining | tuple[str, ...]]:
        """The trainings, then the fields of the shipped perceptron."""
        return [*self.new_study().courses(), *FIELDS]

    def total(self) -> int:
        """Contests of everything."""
        return self.new_study().total()

    def count_of(self, task: SeededTraining | tuple[str, ...]) -> int:
        """Contests of a training and of measuring it, or of a field."""
        return self.new_study().contests_of(task)

    def do(self, study: PerceptronStudy, number: int, task: SeededTraining | tuple[str, ...]) -> None:
        """Train and measure, or measure the shipped perceptron."""
        before = study.contests_of(task)
        if self.remember(study, number, task):
            self.tell("kept", before)
            return
        if isinstance(task, SeededTraining):
            found: Any = self._trained(study, task)
        else:
            found = self._measured(study, "perceptron", task, study.final).tolist()
            self.tell(f"field of {len(task) + 1}", study.final)
        self.into_ledger(number, before, found)
        _add(study, task, found)

    def remember(self, study: PerceptronStudy, number: int, task: SeededTraining | tuple[str, ...]) -> bool:
        """What was found."""
        found = self.in_ledger(number)
        if found is not None:
            _add(study, task, found)
        return found is not None

    def _trained(self, study: PerceptronStudy, course: SeededTraining) -> dict[str, Any]:
        training = PerceptronTraining(study.plan(course))
        marks, found = study.marks(course), list[tuple[int, float]]()
        name = f"{course.method} {course.model} {course.seed}"

        def measure(now: PerceptronTraining) -> None:
            self.tell(name, now.plan.step_games)
            if now.step in marks:
                wins = self._measured(study, entrant_of(now.trained()), FOUR, study.check)
                found.append((now.games, float(wins[0]) / study.check))
                self.tell(name, study.check)

        training.run(self.threads, measure, self.jit)
        graph = None
        if course in study.courses(GENETIC, CURVE):
            shares = np.array(training.wins) / PLAYED
            windows = np.array_split(shares, WINDOWS)
            graph = [[float(part.max(axis=1).mean()) for part in windows], [float(part.mean()) for part in windows]]
        return {"strength": found, "graph": graph}

    def _measured(self, study: PerceptronStudy, who: str | registry.Entrant, names: tuple[str, ...], games: int) -> Numbers:
        """How often each player of a field wins contests that no training has played."""
        lineup = make_lineup([who, *names], "hearn", to=TARGETS[CONTESTS])
        with open_executor(self.threads) as pool:
            found: Numbers = count_wins([lineup], match_seed(study.seed, FRESH), list(cut(games, UNIT)), pool, self.jit)[0]
        return found


def _add(study: PerceptronStudy, task: SeededTraining | tuple[str, ...], found: Any) -> None:
    if not isinstance(task, SeededTraining):
        study.fields[task] = np.array(found)
        return
    study.strengths[task] = dict(found["strength"])
    if found["graph"] is not None:
        study.graphs[task] = np.array(found["graph"])
