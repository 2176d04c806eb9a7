"""What every `kibitz train …` does alike: checks before it begins, a progress bar, checkpoints now and then, an end at Ctrl-C."""

from __future__ import annotations

import math
import os
import shlex
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Protocol, TypeVar

import typer

from kibitz.cli.options import announcing, console, displaying, tell
from kibitz.core.errors import BadValue
from kibitz.core.reading import check_name, is_folder, whole_number
from kibitz.runs.watchdog import watchdog

Out = Annotated[Path, typer.Option("--out", "-o", help="The file of weights to write; a checkpoint lies beside it meanwhile.")]
Resume = Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint beside --out; its own options apply.")]
CheckpointEvery = Annotated[float, typer.Option("--checkpoint", help="Seconds from one checkpoint to the next.")]

BESIDE = (".csv", ".svg")  # what a training may leave beside its weights


class Training(Protocol):
    """A training, as far as a command has to know it."""

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""

    @property
    def step(self) -> int:
        """How many steps are done."""

    @property
    def steps(self) -> int:
        """How many steps there are in all."""

    def save(self, path: Path) -> None:
        """Write a checkpoint."""

    def run(self, *, progress: Callable[[Any], None]) -> None:
        """Take the steps that are left, and call `progress` after each; what it raises ends the run between two steps."""


AnyTraining = TypeVar("AnyTraining", bound=Training)


def begin_training(out: Path, resume: bool, load: Callable[[Path], AnyTraining], start: Callable[[], AnyTraining]) -> AnyTraining:
    """The training of a checkpoint, or a new one; a checkpoint is never overwritten by accident."""
    from kibitz.experiments.training.checkpoint import checkpoint_of

    check_out(out)
    checkpoint = checkpoint_of(out)
    if resume:
        return load(checkpoint)
    training = start()
    if os.path.exists(checkpoint):
        raise BadValue(f"checkpoint {checkpoint} of an earlier training is there; go on with --resume, or delete it.")
    return training


def check_out(out: Path) -> None:
    """Refuse a file that cannot be written, or that pictures and logs would overwrite, before hours of games are played for it."""
    from kibitz.experiments.training.checkpoint import checkpoint_of
    from kibitz.policies.weight_files import draft_of

    if out.suffix in BESIDE:
        raise BadValue(
            f"--out {out} is a name for a log or a picture, which lie beside the weights; name a file that does not end in {out.suffix}."
        )
    check_name(draft_of(checkpoint_of(out)) if out.name else out, "--out")  # the longest of the names
    if is_folder(out):
        raise BadValue(f"--out {out} is a folder; name a file.")
    if not is_folder(out.parent):
        raise BadValue(f"--out {out}: there is no folder {out.parent}.")


def run_training(
    training: AnyTraining, checkpoint: Path, every: float, standing: Callable[[AnyTraining], str], unit: int, **how: Any
) -> None:
    """Run a training to its end or to Ctrl-C, with a checkpoint every so many seconds and one at Ctrl-C.

    A second Ctrl-C ends it in the middle of a step, of which nothing can be kept: it goes on from the checkpoint before. `standing` says in a few words how it stands, `unit` is the number of games in a step, and `how` goes to `training.run`.
    """
    if not 0 <= every < math.inf:
        raise BadValue(f"--checkpoint {every:g} is out of range: 0 seconds or more.")
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

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
    task = bar.add_task("training", total=training.steps, completed=training.step, rate="")
    saved = time.monotonic()
    asked: list[int] = []

    def progress(now: AnyTraining) -> None:
        nonlocal saved
        speed = (bar.tasks[0].speed or 0.0) * unit
        bar.update(task, completed=now.step, description=standing(now), rate=f"{speed:,.0f} games/s")
        if asked and not now.finished:
            now.save(checkpoint)
            raise KeyboardInterrupt
        if time.monotonic() - saved >= every:
            now.save(checkpoint)
            saved = time.monotonic()

    with announcing(), displaying(bar), interrupts_between_steps(asked), suppress(KeyboardInterrupt):
        training.run(progress=progress, **how)


@contextmanager
def interrupts_between_steps(asked: list[int]) -> Iterator[None]:
    """Note Ctrl-C for the end of the step, which comes within a second or so; after the second one nothing waits."""

    def note(number: int, frame: object) -> None:
        asked.append(number)
        signal.signal(signal.SIGINT, previous)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, note)
    try:
        with watchdog.holding():
            yield
    finally:
        signal.signal(signal.SIGINT, previous)


def tell_interrupted(command: str, out: Path) -> int:
    """Say how an interrupted training goes on; the exit code."""
    from kibitz.experiments.training.checkpoint import checkpoint_of

    goes_on = shlex.join(["kibitz", "train", command, "--out", str(out), "--resume"])
    kept = os.path.exists(checkpoint_of(out))
    tell(f"kibitz: interrupted; go on with: {goes_on}" if kept else "kibitz: interrupted before anything could be kept.")
    return 130


def opponents(text: str) -> tuple[str, ...]:
    """Bots from a list with commas between, or semicolons where a bot has commas of its own."""
    return tuple(name.strip() for name in text.split(";" if ";" in text else ",") if name.strip())


def numbers(text: str) -> tuple[int, ...]:
    """Numbers of players from a text such as 2 or 3,4."""
    return tuple(whole_number(part.strip(), "each of players") for part in text.split(","))
