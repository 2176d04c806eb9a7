"""How far a long run is, on standard error."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

from kibitz.report.console import console
from kibitz.runs.watchdog import watchdog


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
        self.told: Any = None  # who else looks on

    def __enter__(self) -> Bar:
        self._progress.start()
        self._breakpoint = sys.breakpointhook
        if not self._progress.disable and self._breakpoint is sys.__breakpointhook__ and "PYTHONBREAKPOINT" not in os.environ:
            sys.breakpointhook = self._debug
        watchdog.tidying.append(self._progress.stop)
        return self

    def __exit__(self, *exc: object) -> None:
        watchdog.tidying.remove(self._progress.stop)
        sys.breakpointhook = self._breakpoint
        self._progress.stop()

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
        self._progress.update(self._task, advance=games, description=name, rate=rate)
