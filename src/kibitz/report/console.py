"""Where everything is printed: standard output and standard error, made safe."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from kibitz.core.printable import printable

if TYPE_CHECKING:
    from rich.console import Console


def console(stderr: bool = False) -> Console:
    """A terminal, or a pipe wide enough for every table."""
    from kibitz.report.terminal import Terminal  # brings rich, which a list of commands need not wait for

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else 200
    return Terminal(stderr=stderr, width=width, soft_wrap=False)


def tell(line: str, stderr: bool = True) -> None:
    """Print a line as it is, whatever is in it made safe for a terminal."""
    print(printable(line), file=sys.stderr if stderr else sys.stdout, flush=True)
