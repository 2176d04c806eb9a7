"""How strong do perceptrons get, by which training, after how many games? Trainings from several seeds, measured on fresh contests.

What a training says of its own best candidate is too good, since the best of many was lucky as well. So whatever a training has come
to is measured again, on contests that no training has seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.seeds import check_seed, match_seed
from kibitz.experiments.training.uno.perceptron.evolution import load_cma
from kibitz.experiments.training.uno.perceptron.plan import CONTESTS, GENETIC, METHODS, TARGETS, Plan, count_wins, entrant_of
from kibitz.experiments.training.uno.perceptron.training import Training
from kibitz.play.lineup import make_lineup
from kibitz.policies.uno.perceptron_models import FOLDED, MODELS, USUAL_HIDDEN, Numbers
from kibitz.runs.units import cut, worker_count

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

Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class Course:
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
    strengths: dict[Course, dict[int, float]] = field(default_factory=dict)  # share of fresh contests won, by contests trained
    graphs: dict[Course, Numbers] = field(default_factory=dict)  # of the genetic curves: share of the best and of all, by window
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

    def courses(self, method: str | None = None, model: str | None = None) -> list[Course]:
        """All trainings, or those of a method or a model."""
        seeds = range(self.seed, self.seed + self.seeds)
        every = [Course(way, name, seed) for name in MODELS for way in METHODS for seed in seeds]
        return [course for course in every if method in (None, course.method) and model in (None, course.model)]

    def plan(self, course: Course) -> Plan:
        """What a training does."""
        plan = Plan.of(course.method, course.model, USUAL_HIDDEN, FOUR, 1, PLAYED, CONTESTS, seed=course.seed)
        budgets = LONG if course.model == CURVE else 1
        return replace(plan, generations=max(1, budgets * self.games // plan.games_a_generation))

    def marks(self, course: Course) -> list[int]:
        """The generations after which a training is measured."""
        plan = self.plan(course)
        if course.model != CURVE:
            return [plan.generations]
        return sorted({max(1, min(plan.generations, round(mark * self.games / plan.games_a_generation))) for mark in MARKS})

    def total(self) -> int:
        """Contests of everything."""
        trained = sum(plan.generations * plan.games_a_generation for plan in map(self.plan, self.courses()))
        return trained + self.check * sum(len(self.marks(course)) for course in self.courses()) + self.final * len(FIELDS)

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
        asked = {"games": self.games, "seeds": self.seeds, "check": self.check, "final": self.final, "seed": self.seed}
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


def run_study(study: PerceptronStudy, threads: int | None = None, jit: bool = True, progress: Progress | None = None) -> None:
    """Train and measure; interrupted, the study holds what was finished."""
    load_cma()
    start = time.perf_counter()
    try:
        for course in study.courses():
            _train(study, course, threads, jit, progress)
        for names in FIELDS:
            study.fields[names] = _measure(study, "perceptron", names, study.final, threads, jit)
            _tell(progress, f"field of {len(names) + 1}", study.final)
    except KeyboardInterrupt:
        study.complete = False
    study.seconds = time.perf_counter() - start


def _train(study: PerceptronStudy, course: Course, threads: int | None, jit: bool, progress: Progress | None) -> None:
    training = Training(study.plan(course))
    marks, found = study.marks(course), dict[int, float]()
    name = f"{course.method} {course.model} {course.seed}"

    def measure(now: Training) -> None:
        _tell(progress, name, now.plan.games_a_generation)
        if now.step in marks:
            wins = _measure(study, entrant_of(now.trained()), FOUR, study.check, threads, jit)
            found[now.games] = float(wins[0]) / study.check
            _tell(progress, name, study.check)

    training.run(threads, jit, measure)
    study.strengths[course] = found
    if course in study.courses(GENETIC, CURVE):
        shares = np.array(training.wins) / PLAYED
        windows = np.array_split(shares, WINDOWS)
        study.graphs[course] = np.array([[part.max(axis=1).mean() for part in windows], [part.mean() for part in windows]])


def _measure(
    study: PerceptronStudy, who: str | registry.Entrant, names: tuple[str, ...], games: int, threads: int | None, jit: bool
) -> Numbers:
    """How often each player of a field wins contests that no training has played."""
    lineup = make_lineup([who, *names], "hearn", to=TARGETS[CONTESTS])
    with ThreadPoolExecutor(worker_count(threads), thread_name_prefix="kibitz") as pool:
        found: Numbers = count_wins([lineup], match_seed(study.seed, FRESH), list(cut(games, UNIT)), pool, jit)[0]
    return found


def _tell(progress: Progress | None, name: str, games: int) -> None:
    if progress:
        progress(name, games)
