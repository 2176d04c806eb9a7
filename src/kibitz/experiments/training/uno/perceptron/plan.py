"""What a training of perceptrons is to do, and the games it plays: shared by the genetic algorithm and by CMA-ES."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.reading import parse_json
from kibitz.core.seeds import check_seed, match_seed
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.play.playing import note_compiled, note_plain
from kibitz.policies.uno.perceptron_models import MODELS, MOST_HIDDEN, USUAL_HIDDEN, Numbers, Perceptron, bias_count, weight_count
from kibitz.runs.units import Unit

GENETIC, CMA = "genetic", "cma"
METHODS = (GENETIC, CMA)
DEALS, CONTESTS = "deals", "contests"
TARGETS = {DEALS: None, CONTESTS: "500+"}  # a contest goes to more than 500 points
UNIT = {DEALS: 1_000, CONTESTS: 50}  # games that a thread plays in one go
FEWEST, MOST = 2, 1_000  # perceptrons of a generation
MOST_PLAYED = 10_000_000  # generations, and games of one
USUAL_POPULATION = 3  # of the genetic algorithm
CHOICES = 1 << 32  # numbers of the random choices of a generation, apart from those of its games


@dataclass(frozen=True)
class Plan:
    """What a training is to do; together with the number of generations done it decides every weight."""

    method: str = GENETIC
    model: str = "cards"
    hidden: int = USUAL_HIDDEN
    against: tuple[str, ...] = ("offensive", "first_playable", "defensive")
    generations: int = 500
    games: int = 200
    unit: str = DEALS
    population: int = USUAL_POPULATION
    rules: str = "hearn"
    seed: int = 1

    def __post_init__(self) -> None:
        check_seed(self.seed)
        for name, value, accepted in (("method", self.method, METHODS), ("model", self.model, MODELS), ("unit", self.unit, TARGETS)):
            if value not in accepted:
                raise BadValue(f"{name} '{value}' is not accepted; it is {', '.join(accepted)}.")
        if not 1 <= self.hidden <= MOST_HIDDEN:
            raise BadValue(f"hidden={self.hidden} is out of range: 1 to {MOST_HIDDEN} units are accepted.")
        if not FEWEST <= self.population <= MOST:
            raise BadValue(f"population={self.population} is out of range: {FEWEST} to {MOST} perceptrons are accepted.")
        for name, count in (("generations", self.generations), ("games", self.games)):
            if not 1 <= count <= MOST_PLAYED:
                raise BadValue(f"{name}={count} is out of range: 1 to {MOST_PLAYED:,} are accepted.")
        if not self.against:
            raise BadValue("no opponent is named; a perceptron is trained against at least one bot, such as offensive.")
        for name in self.against:
            if not isinstance(registry.entrant(name).bot, Bot):
                raise BadBot(f"bot '{name}' is a Python bot; perceptrons are trained against compiled ones alone.")
        self.table([np.zeros(self.length)] * (self.population if self.method == GENETIC else 1))  # refuses too many players

    @staticmethod
    def of(population: int | None = None, **asked: Any) -> Plan:
        """A plan whose population is the usual one of its method unless told."""
        plan = Plan(**asked)
        usual = USUAL_POPULATION if plan.method == GENETIC else 4 + int(3 * math.log(plan.length))  # what the authors of CMA-ES advise
        return replace(plan, population=usual if population is None else population)

    @property
    def length(self) -> int:
        """How many numbers a perceptron has."""
        return self.weights + bias_count(self.model, self.hidden)

    @property
    def weights(self) -> int:
        """How many of these, the first ones, are weights; the others are biases."""
        return weight_count(self.model, self.hidden)

    @property
    def games_a_generation(self) -> int:
        """How many games a generation plays: all perceptrons at one table, or each for itself."""
        return self.games * (1 if self.method == GENETIC else self.population)

    def perceptron(self, genome: Numbers) -> Perceptron:
        """The perceptron with these numbers."""
        return Perceptron(self.model, genome[: self.weights].copy(), genome[self.weights :].copy())

    def choices(self, generation: int) -> np.random.Generator:
        """The random choices of a generation, which depend on the seed and on nothing before."""
        return np.random.default_rng(match_seed(self.seed, CHOICES + generation))

    def table(self, genomes: Sequence[Numbers], seating: str = "random") -> Lineup:
        """A table with these perceptrons and then the opponents."""
        players = [entrant_of(self.perceptron(genome)) for genome in genomes]
        return make_lineup([*players, *map(registry.entrant, self.against)], self.rules, seating, to=TARGETS[self.unit])

    def units(self, generation: int) -> list[Unit]:
        """The games of a generation in pieces for threads; what is found does not depend on them."""
        size = UNIT[self.unit]
        first = generation * self.games
        return [Unit(first + start, min(size, self.games - start)) for start in range(0, self.games, size)]

    def to_text(self) -> str:
        """The plan as text that `from_text` reads."""
        return json.dumps(asdict(self))

    @staticmethod
    def from_text(text: str) -> Plan:
        """A plan from its text."""
        read: dict[str, Any] = parse_json(text, "the plan")
        if set(read) != {field.name for field in fields(Plan)}:
            raise ValueError("not a plan")
        return Plan(**read | {"against": tuple(read["against"])})


def entrant_of(perceptron: Perceptron, name: str = "perceptron") -> registry.Entrant:
    """The bot `perceptron` with these weights."""
    return registry.Entrant(name, registry.built_in_bot("perceptron"), {"weights": tuple(perceptron.scores().tolist())})


def count_wins(tables: Sequence[Lineup], seed: int, units: Sequence[Unit], pool: ThreadPoolExecutor, jit: bool = True) -> Numbers:
    """How often each entry won at each table, which all play the same games: a row for each table."""
    note = note_compiled if jit else note_plain

    def wins(work: tuple[Lineup, Unit]) -> Any:
        table, unit = work
        winners = note(table, seed, unit)["winner"]
        return np.bincount(winners[winners >= 0], minlength=table.players)

    works = [(table, unit) for table in tables for unit in units]
    found = np.array(list(pool.map(wins, works)) if len(works) > 1 else [wins(works[0])])
    total: Numbers = found.reshape(len(tables), len(units), -1).sum(axis=1)
    return total
