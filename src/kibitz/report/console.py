"""Where everything is printed: standard output and standard error, made safe."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kibitz.core.printable import printable

if TYPE_CHECKING:
    from rich.console import Console


def console(stderr: bool = False) -> Console:
    """A terminal, or a pipe wide enough for every table."""
    from kibitz.report.safe_console import Terminal  # brings rich, which a list of commands need not wait for

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else 200
    return Terminal(stderr=stderr, width=width, soft_wrap=False)


def tell(line: str, stderr: bool = True) -> None:
    """Print a line as it is, whatever is in it made safe for a terminal."""
    print(printable(line), file=sys.stderr if stderr else sys.stdout, flush=True)


# -- what compiles --


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
