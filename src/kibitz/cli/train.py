"""`kibitz train`: policies that learn from games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.options import NoJit, RulesName, Seed, Threads, console
from kibitz.cli.train_net import net_command
from kibitz.cli.train_perceptron import perceptron_command
from kibitz.cli.training import CheckpointEvery, Out, Resume, begin_training, numbers, opponents, run_training, tell_interrupted

if TYPE_CHECKING:
    from kibitz.experiments.training.uno.linear import Training

app = typer.Typer(help="Train a policy: seeded, resumable.", rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def main() -> None:
    """Train a policy: seeded, resumable."""


@app.command("linear")
def linear_command(
    out: Out,
    players: Annotated[str, typer.Option("--players", "-p", help="Players at the table: 2, or one or more of 3,4, or of 5 to 10.")] = "2",
    against: Annotated[
        str, typer.Option("--against", "-a", help="Opponents, separated by commas; 'self' is the policy as it was some steps ago.")
    ] = "mix2",
    games: Annotated[int, typer.Option("--games", "-n", help="Games to learn from.")] = 4_000_000,
    seed: Seed = 1,
    rules: RulesName = None,
    aim: Annotated[str, typer.Option("--for", help="win_rate or points.")] = "win_rate",
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="Size of the first steps; it falls to zero.")] = 0.05,
    gae_lambda: Annotated[
        float, typer.Option("--gae-lambda", help="1: judge choices by the end of the game; less: also by hand sizes soon after.")
    ] = 1.0,
    start: Annotated[str, typer.Option("--start", help="Weights to start from: nothing, shipped, or a file.")] = "nothing",
    resume: Resume = False,
    every: CheckpointEvery = 20.0,
    threads: Threads = None,
    no_jit: NoJit = False,
) -> int:
    """Train the weights of the bot `linear` by policy gradient: play, and make likelier what led to wins.

    Play with them as linear:weights=FILE. Weights for other numbers of players are taken over from --start; numbers that it has no
    weights for start from those for fewer players.
    """
    from kibitz.bots.uno.linear import write_weights
    from kibitz.experiments.training.checkpoint import checkpoint_of
    from kibitz.experiments.training.uno.linear import BATCH, UNIT, Plan, Training

    def start_anew() -> Training:
        return Training(Plan(numbers(players), opponents(against), games, seed, rules or "classic", aim, learning_rate, gae_lambda, start))

    training = begin_training(out, resume, Training.load, start_anew)
    checkpoint = checkpoint_of(out)
    run_training(training, checkpoint, every, _standing, UNIT * BATCH, threads=threads, jit=not no_jit)
    if not training.finished:
        return tell_interrupted("linear", out)
    write_weights(out, training.trained())
    checkpoint.unlink(missing_ok=True)
    console().print(f"{_standing(training)}. Weights written to {out}: play as linear:weights={out}", markup=False, soft_wrap=True)
    return 0


app.command("perceptron")(perceptron_command)


def _standing(training: Training) -> str:
    rate, error = training.win_rate()
    games = f"{training.step} of {training.plan.steps} steps"
    if rate != rate:
        return games
    return f"{games}, {100 * rate:.1f} ± {100 * error:.1f} % v {training.plan.against[0]}"


app.command("net")(net_command)
