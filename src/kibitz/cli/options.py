"""Options that several commands share, and what happens before and after a run of games."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer

from kibitz.core.errors import BadValue, ClusterFailure, DecisionTimeout
from kibitz.core.printable import printable
from kibitz.core.reading import check_name, is_folder
from kibitz.experiments import settings
from kibitz.experiments.settings import SettingField
from kibitz.report.console import announcing as announcing
from kibitz.report.console import console as console
from kibitz.report.console import tell as tell

if TYPE_CHECKING:
    from kibitz.runs.store import RunLedger


# Typer names only some of the errors of its parser; this is what they have in common.
UsageError: Any = typer.BadParameter.__mro__[1]


def _shared(name: str, hint: Any) -> Any:
    """A setting that experiments share, as an option of a command without a dataclass of settings."""
    kind, setting = get_args(hint)
    return typer.Option(*SettingField(name, kind, None, setting).flags, help=setting.about)


GameName = Annotated[str | None, typer.Option("--game", "-g", help="The game, as `kibitz bots` lists them; by default the first.")]
GameOfBots = Annotated[str | None, _shared("game", settings.GameOfBots)]
RulesName = Annotated[str | None, _shared("rules", settings.RulesName)]
Threads = Annotated[int | None, _shared("threads", settings.Threads)]
JsonFile = Annotated[str | None, typer.Option("--json", help="Write the figures as JSON to this file, or to standard output for -.")]


def _limit_decisions(context: typer.Context, seconds: float | None) -> float | None:
    """For as long as the command runs."""
    from kibitz.runs.watchdog import watchdog

    context.with_resource(watchdog.limiting(seconds))
    return seconds


DecisionSeconds = Annotated[
    float | None,
    typer.Option(
        "--decision-seconds",
        metavar="SECONDS",
        callback=_limit_decisions,
        help="End the run with exit code 1 when a bot takes longer than this over one decision; no limit by default.",
    ),
]
ClusterAddress = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        help="Play on a Ray cluster (needs the extra 'cluster'): auto for one on this machine, or its address. Results are the same.",
    ),
]
StoreFile = Annotated[
    str | None,
    typer.Option("--store", metavar="PATH", help="The file that keeps runs; by default KIBITZ_STORE, else one in your data folder."),
]
NoStore = Annotated[bool, typer.Option("--no-store", help="Keep nothing: the run cannot be resumed or shown again.")]

Share = Annotated[
    str | None,
    typer.Option(
        "--shard",
        metavar="I/N",
        help="Play share I of N of the games, on any machine, into --store part-I.sqlite; `kibitz merge` puts the shares together.",
    ),
]

typed: list[str] = []  # the words of the command line, without the program's name
resume_lines: list[str] = []  # how runs that are going on can be resumed


def tell_written(path: str, what: str) -> None:
    """Say on standard error which file was written, what is in it and how large it is; what went to standard output says so itself."""
    if path != "-" and os.path.isfile(path):
        tell(f"wrote {path}: {what}, {_size(os.path.getsize(path))}")


def _size(size: int) -> str:
    """A number of bytes: `812 bytes`, `1.2 kB`, `34 MB`."""
    for unit, limit in (("GB", 10**9), ("MB", 10**6), ("kB", 1000)):
        if size >= limit:
            return f"{size / limit:.{1 if size < 10 * limit else 0}f} {unit}"
    return f"{size} bytes"


def check_json_path(path: str | None) -> None:
    """Refuse a file for figures that cannot be written."""
    check_output(path, "JSON file")


def check_output(path: str | None, what: str) -> None:
    """Refuse a path that cannot be written before hours of games are played for it; - is standard output."""
    if path is None or path == "-":
        return
    target = Path(path)
    check_name(path, what)
    if is_folder(target):
        raise BadValue(f"{what} {path} is a folder; name a file, or - for standard output.")
    existed = os.path.exists(target)
    try:
        with target.open("a", encoding="utf-8"):
            pass
    except OSError as error:
        raise BadValue(f"{what} {path} cannot be written: {error.strerror}.") from error
    if not existed:
        target.unlink()


def write_json(path: str | None, value: Any) -> None:
    """Write figures as JSON if that was asked for."""
    if path is None:
        return
    from kibitz.report.formatting import to_json

    text = to_json(value) + "\n"
    if path == "-":
        sys.stdout.write(text)
    else:
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadValue(f"JSON file {path} cannot be written: {error.strerror}.") from error


# -- keeping runs --


def check_store(store: str | None, no_store: bool) -> None:
    """Refuse a store that is named and not wanted."""
    if store is not None and no_store:
        raise BadValue(f"--store {store} and --no-store exclude each other; give one of them.")


@contextmanager
def storing(kind: str, config: dict[str, Any], asked: int | None, store: str | None, no_store: bool) -> Iterator[RunLedger | None]:
    """Keep a run for as long as a block lasts, None with `no_store`.

    The block says `finish` or `interrupt`; an error is kept as the reason of a failed run.
    """
    check_store(store, no_store)
    if no_store:
        yield None
        return
    from kibitz.runs.database import open_store, store_path
    from kibitz.runs.store import begin

    with open_store(store_path(store)) as opened, begin(opened, kind, config, typed_command(), asked) as ledger, settling(ledger):
        yield ledger


def typed_command() -> str:
    """The command line as it is kept: a name with undecodable bytes cannot be."""
    return printable(shlex.join(["kibitz", *typed]))


@contextmanager
def settling(ledger: RunLedger) -> Iterator[None]:
    """See to it that a run ends as something, and say how it goes on if it is not complete."""
    from kibitz.runs.database import StoreError, line_to_copy
    from kibitz.runs.store import COMPLETE, INTERRUPTED, RUNNING

    how = f"resume with: {line_to_copy(ledger.store.path, 'resume', str(ledger.id))}"
    resume_lines.append(how)
    try:
        yield
    except (KeyboardInterrupt, BrokenPipeError, DecisionTimeout, ClusterFailure):
        if ledger.status == RUNNING:
            ledger.interrupt()
        raise
    except BaseException as error:
        if ledger.status == RUNNING:  # what fails afterwards does not undo what was found
            with suppress(StoreError):  # the error is what counts, not whether it could be written down
                ledger.fail(str(error) or type(error).__name__)
        raise
    else:
        if ledger.status == RUNNING:
            ledger.interrupt()
    finally:
        resume_lines.remove(how)
        if ledger.status == INTERRUPTED:
            tell(how)
        elif ledger.status == COMPLETE and sys.stderr.isatty():
            tell(f"stored as run {ledger.id}")
