"""`kibitz train perceptron`: scores for cards, found by a genetic algorithm or by CMA-ES."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.options import NoJit, RulesName, Seed, Threads, console
from kibitz.cli.training import CheckpointEvery, Out, Resume, begin_training, opponents, run_training, tell_interrupted

if TYPE_CHECKING:
    from kibitz.experiments.training.uno.perceptron.plan import Plan
    from kibitz.experiments.training.uno.perceptron.training import Training


def perceptron_command(
    out: Out,
    model: Annotated[
        str,
        typer.Option("--model", "-m", help="cards (108 weights), rectified (with a bias and max(0, …)), types (54), faces (15) or hidden."),
    ] = "cards",
    hidden: Annotated[int, typer.Option("--hidden", help="Units in the hidden layer of the model hidden.")] = 10,
    method: Annotated[
        str, typer.Option("--method", help="genetic, or cma: CMA-ES, all candidates on the same deals (needs the extra 'learn').")
    ] = "genetic",
    generations: Annotated[int, typer.Option("--generations", "-G", help="Generations.")] = 500,
    games: Annotated[int, typer.Option("--games", "-n", help="Games of a generation; with cma, of each candidate.")] = 200,
    unit: Annotated[
        str, typer.Option("--unit", help="What a game is, and what is won: deals, or contests to more than 500 points.")
    ] = "deals",
    against: Annotated[
        str, typer.Option("--against", "-a", help="Bots at the same table, separated by commas.")
    ] = "offensive,first_playable,defensive",
    population: Annotated[
        int | None, typer.Option("--population", help="Perceptrons of a generation; by default 3, with cma what its authors advise.")
    ] = None,
    seed: Seed = 1,
    rules: RulesName = None,
    resume: Resume = False,
    every: CheckpointEvery = 20.0,
    threads: Threads = None,
    no_jit: NoJit = False,
) -> int:
    """Train a perceptron that scores cards, by playing against simple bots; the rules are hearn unless others are named.

    genetic: three perceptrons at one table with the opponents; the one that wins most is the parent, the others copy a slice of its
    weights and mutate. Play with the result as perceptron:FILE.
    """
    from kibitz.experiments.training.checkpoint import checkpoint_of
    from kibitz.experiments.training.uno.perceptron.plan import Plan
    from kibitz.experiments.training.uno.perceptron.training import Training
    from kibitz.policies.uno.perceptron_models import write_perceptron

    def start_anew() -> Training:
        return Training(Plan.of(method, model, hidden, opponents(against), generations, games, unit, population, rules or "hearn", seed))

    training = begin_training(out, resume, Training.load, start_anew)
    checkpoint = checkpoint_of(out)
    run_training(training, checkpoint, every, _standing, training.plan.games_a_generation, threads=threads, jit=not no_jit)
    if not training.finished:
        return tell_interrupted("perceptron", out)
    write_perceptron(out, training.trained(), command_for(training.plan))
    checkpoint.unlink(missing_ok=True)
    said = f"{training.games:,} {training.plan.unit} played. Weights written to {out}: play as perceptron:{out}"
    console().print(said, markup=False, soft_wrap=True)
    return 0


def command_for(plan: Plan) -> str:
    """The command that makes the same weights again."""
    words = ["kibitz", "train", "perceptron", "--method", plan.method, "--model", plan.model]
    words += ["--hidden", str(plan.hidden)] if plan.model == "hidden" else []
    words += ["--generations", str(plan.generations), "--games", str(plan.games), "--unit", plan.unit, "--against"]
    words += [";".join([*plan.against, ""]) if any("," in name for name in plan.against) else ",".join(plan.against)]
    words += ["--population", str(plan.population), "--rules", plan.rules, "--seed", str(plan.seed)]
    return shlex.join(words)


def _standing(training: Training) -> str:
    """How far it is, and the share of wins of the best of the last generation, who was lucky as well as good."""
    done = f"{training.step} of {training.steps} generations"
    if not training.wins:
        return done
    return f"{done}, the best won {100 * training.wins[-1].max() / training.plan.games:.1f} %"
