"""`kibitz train net`: a small neural network that learns from games, in PyTorch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.options import RulesName, Seed, Threads, console
from kibitz.cli.training import CheckpointEvery, Out, Resume, begin_training, numbers, opponents, run_training, tell_interrupted

if TYPE_CHECKING:
    from kibitz.experiments.training.uno.net.training import Training


def net_command(
    out: Out,
    players: Annotated[str, typer.Option("--players", "-p", help="Players at the table: 2, or one or more of 3,4, or of 5 to 10.")] = "2",
    against: Annotated[
        str,
        typer.Option("--against", "-a", help="Opponents, separated by commas; one named twice comes twice as often; 'self': past selves."),
    ] = "mix2,linear,self",
    games: Annotated[int, typer.Option("--games", "-n", help="Games to learn from.")] = 1_000_000,
    seed: Seed = 1,
    rules: RulesName = None,
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="Adam's learning rate at the start; it falls to zero.")] = 1e-3,
    gae_lambda: Annotated[
        float,
        typer.Option(
            "--gae-lambda", help="Lambda of the advantages; 1: judge choices by the end of the game, less: also by values soon after."
        ),
    ] = 0.95,
    entropy: Annotated[float, typer.Option("--entropy", help="Reward for keeping choices open.")] = 0.003,
    start: Annotated[
        str, typer.Option("--start", help="What to start from: nothing, linear (the linear policy's weights), shipped, or a file.")
    ] = "linear",
    memory: Annotated[
        str,
        typer.Option(
            "--memory",
            help="What it remembers of a game: nothing, sightings (what others did not play), events (a GRU hears them) or both.",
        ),
    ] = "sightings",
    auxiliary_weight: Annotated[
        float,
        typer.Option("--auxiliary-weight", help="Weight of the auxiliary loss for a memory of events: which colours the neighbours hold."),
    ] = 0.5,
    resume: Resume = False,
    every: CheckpointEvery = 20.0,
    threads: Threads = None,
) -> int:
    """Train the network of the bot `net` by PPO against other bots and past selves; needs PyTorch (the extra 'learn').

    Play with it as net:FILE. Weights for other numbers of players are taken over from --start. A log lies beside the file, as CSV: win rates
    against each bot named with standard errors, and how the learning went; with the extra 'report' also as curves, in SVG.
    """
    from kibitz.bots.uno.net import write_net
    from kibitz.experiments.training.checkpoint import checkpoint_of
    from kibitz.experiments.training.uno.net.training import BATCH, Plan, Training, log_of
    from kibitz.report.training import draw_beside

    def start_anew() -> Training:
        return Training(
            Plan(
                numbers(players),
                opponents(against),
                games,
                seed,
                rules or "classic",
                learning_rate,
                gae_lambda,
                entropy,
                start,
                memory,
                auxiliary_weight,
            )
        )

    training = begin_training(out, resume, Training.load, start_anew)
    checkpoint = checkpoint_of(out)
    run_training(training, checkpoint, every, _standing, training.plan.unit * BATCH, threads=threads, log=log_of(out))
    if not training.finished:
        draw_beside(log_of(out))
        return tell_interrupted("net", out)
    write_net(out, training.trained())
    log = " and ".join(str(path) for path in (log_of(out), draw_beside(log_of(out))) if path)
    checkpoint.unlink(missing_ok=True)
    console().print(f"{_standing(training)}. Network written to {out}, log to {log}: play as net:{out}", markup=False, soft_wrap=True)
    return 0


def _standing(training: Training) -> str:
    done = f"{training.step} of {training.steps} steps"
    if not training.lines or not training.plan.bots:
        return done
    rate, error = training.lines[-1][-2 * len(training.plan.bots) :][:2]
    return f"{done}, {100 * rate:.1f} ± {100 * error:.1f} % v {training.plan.bots[0]}"
