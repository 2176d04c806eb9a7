"""A training of perceptrons, by either method: ask for tables, play, count wins, learn from them.

Everything but the games follows from the plan and from who won how often. So a checkpoint holds just these; a training that goes on
from one repeats what it learned without playing, and ends with the same weights as one that was never interrupted.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Protocol

import numpy as np

from kibitz.core.errors import BadValue
from kibitz.experiments.settings import Compiled, Setting
from kibitz.experiments.training.checkpoint import damage_told, read_archive, write_archive
from kibitz.experiments.training.train import Train, opponents
from kibitz.experiments.training.uno.perceptron.evolution import Evolution
from kibitz.experiments.training.uno.perceptron.genetic import Genetic
from kibitz.experiments.training.uno.perceptron.plan import DEALS, GENETIC, Plan, count_wins
from kibitz.play.lineup import Lineup, compiled_table
from kibitz.play.loop import compiled_kernel
from kibitz.policies.uno.perceptron_models import USUAL_HIDDEN, Numbers, Perceptron, write_perceptron
from kibitz.runs.units import worker_count

VERSION = "perceptrons 1"  # raised when the same wins would lead to other weights


class Method(Protocol):
    """A way to find better perceptrons."""

    def tables(self) -> list[Lineup]:
        """The tables that a generation plays at."""

    def wins_of(self, found: Numbers) -> Numbers:
        """The wins of each perceptron of the generation, out of those of all players, a row a table."""

    def learn(self, wins: Sequence[int] | Numbers) -> None:
        """Make the next generation."""

    def best(self) -> Numbers:
        """The numbers that it has come to so far."""


class Training:
    """A training as it stands after so many generations."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.wins: list[Numbers] = []  # of each perceptron, by generation
        self.method: Method = Genetic(plan) if plan.method == GENETIC else Evolution(plan)

    @property
    def step(self) -> int:
        """How many generations have played."""
        return len(self.wins)

    @property
    def steps(self) -> int:
        """How many generations there are in all."""
        return self.plan.generations

    @property
    def finished(self) -> bool:
        """Whether all have played."""
        return self.step >= self.steps

    @property
    def games(self) -> int:
        """How many games were played so far."""
        return self.step * self.plan.games_a_generation

    def trained(self) -> Perceptron:
        """The perceptron that it has come to."""
        return self.plan.perceptron(self.method.best())

    def run(self, threads: int | None = None, jit: bool = True, progress: Callable[[Training], None] | None = None) -> None:
        """Play the generations that are left. `progress` is told after each; what it raises ends the run between two of them."""
        if jit and not self.finished:
            compiled_table(self.method.tables()[0])  # before threads start
            compiled_kernel(self.method.tables()[0].game, "note_games")
        with ThreadPoolExecutor(worker_count(threads), thread_name_prefix="kibitz") as pool:
            while not self.finished:
                found = count_wins(self.method.tables(), self.plan.seed, self.plan.units(self.step), pool, jit)
                self._learn(self.method.wins_of(found))
                if progress:
                    progress(self)

    def _learn(self, wins: Numbers) -> None:
        self.method.learn(wins)
        self.wins.append(wins)

    # -- checkpoints --

    def save(self, path: Path) -> None:
        """Write a checkpoint; a crash meanwhile leaves the one before."""
        write_archive(path, version=VERSION, plan=self.plan.to_text(), wins=np.array(self.wins, dtype=np.int64).reshape(self.step, -1))

    @staticmethod
    def load(path: Path) -> Training:
        """A training from its checkpoint."""
        kept = read_archive(path)
        with damage_told(path):
            if str(kept["version"]) != VERSION:
                raise BadValue(f"checkpoint {path} was made by another version of this training; train anew.")
            plan = Plan.from_text(str(kept["plan"]))
            wins = kept["wins"].astype(np.int64, casting="safe").reshape(-1, plan.population)
            if wins.size and not (wins.min() >= 0 and wins.max() <= plan.games_a_generation):
                raise BadValue(f"checkpoint {path} counts wins of games that nobody played; train again.")
            made = Training(plan)
            for row in wins[: plan.generations]:
                made._learn(row)
        return made


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainPerceptron(Train):
    """Train a perceptron that scores cards, by playing against simple bots; the rules are hearn unless others are named.

    genetic: three perceptrons at one table with the opponents; the one that wins most is the parent, the others copy a slice of its
    weights and mutate. Play with the result as perceptron:FILE.
    """

    kind = "train perceptron"
    learning = Training
    measured = "games won by the best of a generation in %"

    model: Annotated[
        str, Setting("cards (108 weights), rectified (with a bias and max(0, …)), types (54), faces (15) or hidden.", "-m")
    ] = "cards"
    hidden: Annotated[int, Setting("Units in the hidden layer of the model hidden.")] = USUAL_HIDDEN
    method: Annotated[str, Setting("genetic, or cma: CMA-ES, all candidates on the same deals (needs the extra 'learn').")] = GENETIC
    generations: Annotated[int, Setting("Generations.", "-G")] = 500
    games: Annotated[int, Setting("Games of a generation; with cma, of each candidate.", "-n")] = 200
    unit: Annotated[str, Setting("What a game is, and what is won: deals, or contests to more than 500 points.")] = DEALS
    against: Annotated[str, Setting("Bots at the same table, separated by commas.", "-a")] = "offensive,first_playable,defensive"
    population: Annotated[int | None, Setting("Perceptrons of a generation; by default 3, with cma what its authors advise.")] = None
    jit: Compiled = True

    def begun(self) -> Training:
        """A new training."""
        names = ("method", "model", "hidden", "generations", "games", "unit", "seed", "population")
        asked = {name: getattr(self, name) for name in names}
        return Training(Plan.of(against=opponents(self.against), rules=self.rules or "hearn", **asked))

    def step_games(self, training: Training) -> int:
        """Games of a generation."""
        return training.plan.games_a_generation

    def how(self) -> dict[str, Any]:
        """Compiled or not."""
        return {"jit": self.jit}

    def measure(self, training: Training) -> tuple[float, float | None] | None:
        """The share of wins of the best of the last generation, who was lucky as well as good."""
        return (100 * float(training.wins[-1].max()) / training.plan.games, None) if training.wins else None

    def standing(self, training: Training) -> str:
        """Generations, and the best of the last one."""
        done, known = f"{training.step} of {training.steps} generations", self.measure(training)
        return f"{done}, the best won {known[0]:.1f} %" if known else done

    def write_weights(self, training: Training) -> str:
        """Write the weights, with the command that makes them again."""
        write_perceptron(Path(self.out), training.trained(), command_for(training.plan))
        return f"{training.games:,} {training.plan.unit} played. Weights written to {self.out}: play as perceptron:{self.out}"


def command_for(plan: Plan) -> str:
    """The command that makes the same weights again."""
    words = ["kibitz", "train", "perceptron", "--method", plan.method, "--model", plan.model]
    words += ["--hidden", str(plan.hidden)] if plan.model == "hidden" else []
    words += ["--generations", str(plan.generations), "--games", str(plan.games), "--unit", plan.unit, "--against"]
    words += [";".join([*plan.against, ""]) if any("," in name for name in plan.against) else ",".join(plan.against)]
    words += ["--population", str(plan.population), "--rules", plan.rules, "--seed", str(plan.seed)]
    return shlex.join(words)
