"""`kibitz train`: policies that learn from games."""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kibitz.cli.options import NoJit, RulesName, Seed, Threads, announcing, console

if TYPE_CHECKING:
    from kibitz.learn.linear import Training

app = typer.Typer(help="Train a policy: seeded, resumable.", rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def main() -> None:
    """Train a policy: seeded, resumable."""


@app.command("linear")
def linear_command(
    out: Annotated[Path, typer.Option("--out", "-o", help="The file of weights to write; a checkpoint lies beside it meanwhile.")],
    players: Annotated[str, typer.Option("--players", "-p", help="Players at the table: 2, or one or more of 3,4, or of 5 to 10.")] = "2",
    against: Annotated[
        str, typer.Option("--against", "-a", help="Opponents, separated by commas; 'self' is the policy as it was some steps ago.")
    ] = "mix2",
    games: Annotated[int, typer.Option("--games", "-n", help="Games to learn from.")] = 4_000_000,
    seed: Seed = 1,
    rules: RulesName = None,
    aim: Annotated[str, typer.Option("--for", help="win_rate or points.")] = "win_rate",
    rate: Annotated[float, typer.Option("--rate", help="Length of the first steps.")] = 0.05,
    trace: Annotated[
        float, typer.Option("--trace", help="1: choices are judged by the end of the game; less: also by hand sizes soon after.")
    ] = 1.0,
    start: Annotated[str, typer.Option("--start", help="Weights to start from: nothing, shipped, or a file.")] = "nothing",
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint beside --out; its own options apply.")] = False,
    every: Annotated[float, typer.Option("--checkpoint", help="Seconds from one checkpoint to the next.")] = 20.0,
    threads: Threads = None,
    no_jit: NoJit = False,
) -> int:
    """Train the weights of the bot `linear` by policy gradient: play, and make likelier what led to wins.

    Play with them as linear:weights=FILE. Weights for other numbers of players are taken over from --start; numbers that it has no
    weights for start from those for fewer players.
    """
    from kibitz.learn.linear import Plan, Training, checkpoint_of

    _check_out(out)
    checkpoint = checkpoint_of(out)
    if resume:
        training = Training.load(checkpoint)
    else:
        bots = tuple(name.strip() for name in against.split(";" if ";" in against else ",") if name.strip())
        plan = Plan(_numbers(players), bots, games, seed, rules or "classic", aim, rate, trace, start)
        if checkpoint.exists():
            from kibitz.errors import BadValue

            raise BadValue(f"checkpoint {checkpoint} of an earlier training is there; go on with --resume, or delete it.")
        training = Training(plan)
    _run(training, checkpoint, every, threads, not no_jit)
    if not training.finished:
        print(f"kibitz: interrupted; go on with: kibitz train linear --out {out} --resume", file=sys.stderr)
        return 130
    from kibitz.bots.uno.linear import write_weights

    write_weights(out, training.trained())
    checkpoint.unlink(missing_ok=True)
    console().print(f"{_standing(training)}. Weights written to {out}: play as linear:weights={out}", markup=False, soft_wrap=True)
    return 0


def _run(training: Training, checkpoint: Path, every: float, threads: int | None, jit: bool) -> None:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from kibitz.learn.linear import BATCH, UNIT

    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}"),
        TimeRemainingColumn(compact=True),
        console=console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )
    task = bar.add_task("training", total=training.plan.steps, completed=training.step, rate="")
    saved = time.monotonic()
    asked: list[int] = []

    def progress(standing: Training) -> None:
        nonlocal saved
        speed = (bar.tasks[0].speed or 0.0) * UNIT * BATCH
        bar.update(task, completed=standing.step, description=_standing(standing), rate=f"{speed:,.0f} games/s")
        if asked and not standing.finished:
            raise KeyboardInterrupt
        if time.monotonic() - saved >= every:
            standing.save(checkpoint)
            saved = time.monotonic()

    with announcing(), bar, _interrupts_between_steps(asked):
        try:
            training.run(threads, jit, progress)
        except KeyboardInterrupt:
            training.save(checkpoint)


@contextmanager
def _interrupts_between_steps(asked: list[int]) -> Iterator[None]:
    """Note Ctrl-C for the end of the step, which comes within a second or so; after the second one nothing waits."""

    def note(number: int, frame: object) -> None:
        asked.append(number)
        signal.signal(signal.SIGINT, previous)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _standing(training: Training) -> str:
    rate, error = training.win_rate()
    games = f"{training.step} of {training.plan.steps} steps"
    if rate != rate:
        return games
    return f"{games}, {100 * rate:.1f} ± {100 * error:.1f} % v {training.plan.against[0]}"


def _numbers(text: str) -> tuple[int, ...]:
    from kibitz.errors import BadValue

    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise BadValue(f"players={text} is not accepted; it is a number, or several separated by commas such as 3,4.") from None


def _check_out(out: Path) -> None:
    """Refuse a file that cannot be written before hours of games are played for it."""
    from kibitz.errors import BadValue

    if out.is_dir():
        raise BadValue(f"--out {out} is a folder; name a file.")
    if not out.parent.is_dir():
        raise BadValue(f"--out {out}: there is no folder {out.parent}.")
