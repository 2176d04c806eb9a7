"""Options that several commands share, and what happens before and after a run of games."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

import typer

from kibitz.core.errors import BadValue, DecisionTimeout
from kibitz.core.printable import printable
from kibitz.core.reading import check_name, is_folder

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

    from kibitz.runs.store import RunLedger

GameName = Annotated[str, typer.Option("--game", "-g", help="uno or hanabi.")]
GameOfBots = Annotated[
    str | None, typer.Option("--game", "-g", help="uno or hanabi; by default the game of the bots, uno if they play both.")
]
Games = Annotated[int, typer.Option("--games", "-n", help="Games, or contests with --to, to play (for each row).")]
Seed = Annotated[int, typer.Option("--seed", "-s", help="Seed; equal seeds give equal results, to the last digit.")]
RulesName = Annotated[
    str | None,
    typer.Option(
        "--rules", "-r", help="Rules, with switches: classic, official,stacking=progressive, or a TOML file (see `kibitz rules`)."
    ),
]
Seating = Annotated[
    str,
    typer.Option(
        "--seating",
        help="random: seats are drawn for each game; fixed: in the order given; rotate: each deal from every rotation of the seats; "
        "balanced: a fresh deal for each game, and the seats rotate.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option("--to", help="Play contests: deals until somebody has so many points (500), or more than that (500+)."),
]
Threads = Annotated[
    int | None, typer.Option("--threads", "-t", help="Workers; by default one for each processor. Results do not depend on it.")
]
JsonFile = Annotated[str | None, typer.Option("--json", help="Write the figures as JSON to this file, or to standard output for -.")]
NoJit = Annotated[bool, typer.Option("--no-jit", help="Run everything as plain Python: slow, the same games, easy to debug.")]


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
StoreFile = Annotated[
    str | None,
    typer.Option("--store", metavar="PATH", help="The file that keeps runs; by default KIBITZ_STORE, else one in your data folder."),
]
NoStore = Annotated[bool, typer.Option("--no-store", help="Keep nothing: the run cannot be resumed or shown again.")]

typed: list[str] = []  # the words of the command line, without the program's name
resume_lines: list[str] = []  # how runs that are going on can be resumed


def console(stderr: bool = False) -> Console:
    """A terminal, or a pipe wide enough for every table."""
    from kibitz.report.terminal import Terminal

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else 200
    return Terminal(stderr=stderr, width=width, soft_wrap=False)


def tell(line: str, stderr: bool = True) -> None:
    """Print a line as it is, whatever is in it made safe for a terminal."""
    print(printable(line), file=sys.stderr if stderr else sys.stdout, flush=True)


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
    from kibitz.report.tables import to_json

    text = to_json(value) + "\n"
    if path == "-":
        sys.stdout.write(text)
    else:
        try:
            Path(path).write_text(text, encoding="utf-8")
        except OSError as error:
            raise BadValue(f"JSON file {path} cannot be written: {error.strerror}.") from error


displays: list[Callable[[str], None]] = []  # bars and the like on the screen; each can show a line about what compiles, or none


class CompilationLine:
    """Says on standard error what is being compiled: in a bar if there is one, else in a line that goes away, or in a log line by line."""

    def __init__(self) -> None:
        self._width = 0  # of what stands in the line
        self._said: set[str] = set()

    def show(self, line: str) -> None:
        """Something begins to compile, or with an empty line has ended."""
        if not sys.stderr.isatty():
            if line and line.partition(",")[0] not in self._said:  # once for each thing, which may be compiled in parts
                self._said.add(line.partition(",")[0])
                tell(f"kibitz: {line}")
        elif displays:
            displays[-1](printable(line))
        else:
            self._write(f"kibitz: {printable(line)} …" if line else "")

    def clear(self) -> None:
        """Take the line away."""
        if self._width:
            self._write("")

    def _write(self, text: str) -> None:
        text = text[: shutil.get_terminal_size().columns - 1]
        print(f"\r{text:<{self._width}}{'' if text else chr(13)}", end="", file=sys.stderr, flush=True)
        self._width = len(text)


@contextmanager
def announcing() -> Iterator[None]:
    """Say on standard error when something has to be compiled."""
    from kibitz.core import jit, notices
    from kibitz.runs.watchdog import watchdog

    line = CompilationLine()
    previous = jit.announce, notices.show
    jit.announce, notices.show = lambda message: tell(f"kibitz: {message}"), line.show
    watchdog.tidying.append(line.clear)
    try:
        yield
    finally:
        watchdog.tidying.remove(line.clear)
        jit.announce, notices.show = previous


@contextmanager
def displaying(progress: Progress) -> Iterator[None]:
    """In this block a progress bar is on the screen, whose first task shows what compiles."""
    from kibitz.runs.watchdog import watchdog

    descriptions: list[str] = []  # what stood there before

    def show(line: str) -> None:
        task = progress.tasks[0]
        if line and not descriptions:
            descriptions.append(task.description)
        progress.update(task.id, description=line or (descriptions.pop() if descriptions else task.description), refresh=True)

    watchdog.tidying.append(progress.stop)
    with progress:
        if not progress.disable:
            displays.append(show)
        try:
            yield
        finally:
            watchdog.tidying.remove(progress.stop)
            if show in displays:
                displays.remove(show)


class LiveText:
    """Some lines on standard error that change. Silent where there is no terminal."""

    def __init__(self) -> None:
        from rich.live import Live

        self._live = Live(console=console(stderr=True), transient=True, refresh_per_second=8) if sys.stderr.isatty() else None
        self._text = ""

    def __enter__(self) -> Self:
        from kibitz.runs.watchdog import watchdog

        if self._live:
            self._live.start()
            watchdog.tidying.append(self._live.stop)
            displays.append(self._show_compilation)
        return self

    def __exit__(self, *exc: object) -> None:
        from kibitz.runs.watchdog import watchdog

        if self._live:
            displays.remove(self._show_compilation)
            watchdog.tidying.remove(self._live.stop)
            self._live.stop()

    def show_text(self, text: str) -> None:
        """Show this in the place of what is there."""
        from rich.text import Text

        self._text = text
        if self._live:
            self._live.update(Text(text), refresh=True)

    def _show_compilation(self, line: str) -> None:
        from rich.text import Text

        if self._live:
            self._live.update(Text(line or self._text), refresh=True)


class Bar:
    """A progress bar on standard error: games, rate, time to go. Silent where there is no terminal."""

    def __init__(self, total: int, unit: str = "games") -> None:
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        self._progress = Progress(
            TextColumn("{task.description:<24}", markup=False),  # names may have brackets
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(compact=True),
            console=console(stderr=True),
            transient=True,
            disable=not sys.stderr.isatty(),
        )
        self._task = self._progress.add_task("", total=total, rate="")
        self._unit = unit
        self._displayed = displaying(self._progress)

    def __enter__(self) -> Bar:
        self._displayed.__enter__()
        self._breakpoint = sys.breakpointhook
        if not self._progress.disable and self._breakpoint is sys.__breakpointhook__ and "PYTHONBREAKPOINT" not in os.environ:
            sys.breakpointhook = self._debug
        return self

    def __exit__(self, *exc: object) -> None:
        sys.breakpointhook = self._breakpoint
        self._displayed.__exit__(None, None, None)

    def _debug(self, *args: Any, **named: Any) -> None:
        """Stop where `breakpoint()` stands, in a debugger that has the terminal to itself."""
        import pdb

        self._progress.stop()
        pdb.Pdb().set_trace(sys._getframe(1))

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Take the bar away for as long as something else is printed."""
        self._progress.stop()
        try:
            yield
        finally:
            self._progress.start()

    def expect(self, total: int) -> None:
        """Say how many there are in all, where that is found out late."""
        self._progress.update(self._task, total=total)

    def show(self, line: str) -> None:
        """Say something above the bar."""
        self._progress.console.print(line, markup=False)

    def advance(self, name: str, games: int) -> None:
        """So many games of this row are done."""
        task = self._progress.tasks[0]
        speed = task.speed or 0.0
        rate = f"{speed / 1e6:.2f} M {self._unit}/s" if speed >= 1e5 else f"{speed:,.0f} {self._unit}/s"
        self._progress.update(self._task, advance=games, description=name, rate=rate)


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

    command = printable(shlex.join(["kibitz", *typed]))  # a name with undecodable bytes cannot be kept
    with open_store(store_path(store)) as opened, begin(opened, kind, config, command, asked) as ledger, settling(ledger):
        yield ledger


@contextmanager
def settling(ledger: RunLedger) -> Iterator[None]:
    """See to it that a run ends as something, and say how it goes on if it is not complete."""
    from kibitz.runs.database import StoreError
    from kibitz.runs.store import COMPLETE, INTERRUPTED, RUNNING

    how = f"resume with: {line_to_copy(ledger.store.path, 'resume', str(ledger.id))}"
    resume_lines.append(how)
    try:
        yield
    except (KeyboardInterrupt, BrokenPipeError, DecisionTimeout):
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


def line_to_copy(store: Path, *words: str) -> str:
    """A command about a run, as it can be typed: with the store, if that is not the usual one."""
    from kibitz.runs.database import store_path

    return shlex.join(["kibitz", *words, *([] if store == store_path() else ["--store", str(store)])])


def run_lines(store: Path, run: int, games: int) -> list[tuple[str, str]]:
    """What can be done with a run that was kept: a line to copy for each, and what it does."""
    return [
        (line_to_copy(store, "report", str(run), "-o", f"run-{run}.html"), "a page with plots and every fault"),
        (line_to_copy(store, "replay", str(run), "0"), f"its first game, move by move; games are 0 to {games - 1:,}"),
        (line_to_copy(store, "export", str(run), "-o", f"run-{run}.csv"), "a row for every game"),
    ]
