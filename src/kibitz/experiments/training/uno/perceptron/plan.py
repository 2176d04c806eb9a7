"""What a training of perceptrons is to do, and the games it plays: shared by the genetic algorithm and by CMA-ES."""

from __future__ import annotations

import math
import shlex
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np

from kibitz import registry
from kibitz.core.seeds import match_seed
from kibitz.experiments.settings import Setting
from kibitz.experiments.training.plan import TrainingPlan, join_names
from kibitz.play.lineup import Lineup, make_lineup
from kibitz.play.playing import note_compiled, note_plain
from kibitz.policies.uno.perceptron_models import MODELS, MOST_HIDDEN, USUAL_HIDDEN, Numbers, Perceptron, bias_count, weight_count
from kibitz.runs.units import Unit

GENETIC, CMA = "genetic", "cma"
METHODS = (GENETIC, CMA)
DEALS, CONTESTS = "deals", "contests"
TARGETS = {DEALS: None, CONTESTS: "500+"}  # a contest goes to more than 500 points
UNIT = {DEALS: 1_000, CONTESTS: 50}  # games that a thread plays in one go
MOST_PLAYED = 10_000_000  # generations, and games of one
USUAL_POPULATION = 3  # of the genetic algorithm
CHOICES = 1 << 32  # numbers of the random choices of a generation, apart from those of its games


@dataclass(frozen=True, kw_only=True)
class PerceptronPlan(TrainingPlan):
    """The settings of a training of perceptrons."""

    model: Annotated[
        str, Setting("cards (108 weights), rectified (with a bias and max(0, …)), types (54), faces (15) or hidden.", "-m")
    ] = "cards"
    hidden: Annotated[int, Setting("Units in the hidden layer of the model hidden.", least=1, most=MOST_HIDDEN)] = USUAL_HIDDEN
    method: Annotated[str, Setting("genetic, or cma: CMA-ES, all candidates on the same deals (needs the extra 'learn').")] = GENETIC
    generations: Annotated[int, Setting("Generations.", "-G", least=1, most=MOST_PLAYED)] = 500
    games: Annotated[int, Setting("Games of a generation; with cma, of each candidate.", "-n", least=1, most=MOST_PLAYED)] = 200
    unit: Annotated[str, Setting("What a game is, and what is won: deals, or contests to more than 500 points.")] = DEALS
    against: Annotated[str, Setting("Bots at the same table, separated by commas.", "-a")] = "offensive,first_playable,defensive"
    population: Annotated[
        int | None, Setting("Perceptrons of a generation; by default 3, with cma what its authors advise.", least=2, most=1_000)
    ] = None

    usual_rules = "hearn"
    accepted: ClassVar = {"method": METHODS, "model": MODELS, "unit": TARGETS}

    @property
    def steps(self) -> int:
        """Generations."""
        return self.generations

    @property
    def step_games(self) -> int:
        """How many games a generation plays: all perceptrons at one table, or each for itself."""
        return self.games * (1 if self.method == GENETIC else self.candidates)

    @property
    def candidates(self) -> int:
        """Perceptrons of a generation: as many as were asked for, or the usual number of the method."""
        if self.population is not None:
            return self.population
        return USUAL_POPULATION if self.method == GENETIC else 4 + int(3 * math.log(self.length))  # what the authors of CMA-ES advise

    def check_plan(self) -> None:
        """Refuse what cannot be learned."""
        super().check_plan()
        self.table([np.zeros(self.length)] * (self.candidates if self.method == GENETIC else 1))  # refuses too many players

    def facts(self) -> dict[str, Any]:
        """The settings as a checkpoint keeps them."""
        return {**super().facts(), "population": self.candidates}

    def command(self) -> str:
        """The command that makes the same weights again."""
        asked = {**self.facts(), "against": join_names(self.opponents)}
        names = ("method", "model", "hidden", "generations", "games", "unit", "against", "population", "rules", "seed")
        options = [(f"--{name}", str(asked[name])) for name in names if name != "hidden" or self.model == "hidden"]
        return shlex.join(["kibitz", "train", "perceptron", *[word for option in options for word in option]])

    @property
    def length(self) -> int:
        """How many numbers a perceptron has."""
        return self.weights + bias_count(self.model, self.hidden)

    @property
    def weights(self) -> int:
        """How many of these, the first ones, are weights; the others are biases."""
        return weight_count(self.model, self.hidden)

    def perceptron(self, genome: Numbers) -> Perceptron:
        """The perceptron with these numbers."""
        return Perceptron(self.model, genome[: self.weights].copy(), genome[self.weights :].copy())

    def choices(self, generation: int) -> np.random.Generator:
        """The random choices of a generation, which depend on the seed and on nothing before."""
        return np.random.default_rng(match_seed(self.seed, CHOICES + generation))

    def table(self, genomes: Sequence[Numbers], seating: str = "random") -> Lineup:
        """A table with these perceptrons and then the opponents."""
        players = [entrant_of(self.perceptron(genome)) for genome in genomes]
        return make_lineup([*players, *map(registry.entrant, self.opponents)], self.rules_played, seating, to=TARGETS[self.unit])

    def units(self, generation: int) -> list[Unit]:
        """The games of a generation in pieces for threads; what is found does not depend on them."""
        size = UNIT[self.unit]
        first = generation * self.games
        return [Unit(first + start, min(size, self.games - start)) for start in range(0, self.games, size)]


def entrant_of(perceptron: Perceptron, name: str = "perceptron") -> registry.Entrant:
    """The bot `perceptron` with these weights."""
    return registry.Entrant(name, registry.built_in_bot("perceptron"), {"weights": tuple(perceptron.scores().tolist())})


def wins_at(table: Lineup, seed: int, unit: Unit, jit: bool) -> Any:
    """How often each entry of a table won some games."""
    winners = (note_compiled if jit else note_plain)(table, seed, unit)["winner"]
    return np.bincount(winners[winners >= 0], minlength=table.players)


def count_wins(tables: Sequence[Lineup], seed: int, units: Sequence[Unit], pool: Executor, jit: bool = True) -> Numbers:
    """How often each entry won at each table, which all play the same games: a row for each table."""
    works = [(table, seed, unit, jit) for table in tables for unit in units]
    found = np.array(list(pool.map(wins_at, *zip(*works, strict=True))) if len(works) > 1 else [wins_at(*works[0])])
    total: Numbers = found.reshape(len(tables), len(units), -1).sum(axis=1)
    return total
