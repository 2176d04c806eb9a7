"""How far a long run is, on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from rich.live import Live
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.text import Text

from kibitz.report.console import console, displays
from kibitz.runs.cluster.dispatcher import current_cluster
from kibitz.runs.watchdog import watchdog


@contextmanager
def displaying(progress: Progress) -> Iterator[None]:
    """In this block a progress bar is on the screen, whose first task shows what compiles."""
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


def _on_nodes() -> str:
    """How large the cluster is just now, if units are played on one."""
    cluster = current_cluster()
    return f", {cluster.shown()}" if cluster else ""


class LiveText:
    """Some lines on standard error that change. Silent where there is no terminal."""

    def __init__(self) -> None:
        self._live = Live(console=console(stderr=True), transient=True, refresh_per_second=8) if sys.stderr.isatty() else None
        self._text = ""

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
            watchdog.tidying.append(self._live.stop)
            displays.append(self._show_compilation)
        return self

    def __exit__(self, *exc: object) -> None:
        if self._live:
            displays.remove(self._show_compilation)
            watchdog.tidying.remove(self._live.stop)
            self._live.stop()

    def show_text(self, text: str) -> None:
        """Show this in the place of what is there."""
        self._text = f"{text}{_on_nodes()}"
        if self._live:
            self._live.update(Text(self._text), refresh=True)

    def _show_compilation(self, line: str) -> None:
        if self._live:
            self._live.update(Text(line or self._text), refresh=True)


class Bar:
    """A progress bar on standard error: games, rate, time to go. Silent where there is no terminal."""

    def __init__(self, total: int, unit: str = "games") -> None:
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
        self.told: Any = None  # who else looks on

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

    def __call__(self, name: str, games: int) -> None:
        """So many games of this row are done."""
        self.advance(name, games)

    def advance(self, name: str, games: int) -> None:
        """So many games of this row are done."""
        task = self._progress.tasks[0]
        speed = task.speed or 0.0
        rate = f"{speed / 1e6:.2f} M {self._unit}/s" if speed >= 1e5 else f"{speed:,.0f} {self._unit}/s"
        self._progress.update(self._task, advance=games, description=name, rate=f"{rate}{_on_nodes()}")
