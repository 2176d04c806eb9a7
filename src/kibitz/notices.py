"""What users are told while code compiles: what it is, and roughly how long it takes.

`jit` says here what it is about to compile. The command line shows it by putting a function of its own in the place of `show`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FunctionType

from kibitz.fingerprint import reachable_functions

# Seconds for each byte of Python's bytecode, all that a root reaches included. Measured on bots from `random` to `champion`, the time is
# between 0.7 and 1.3 of this. What this process has compiled before is only merged into the new root.
NEW, KNOWN = 36e-6, 12e-6
LEAST = 0.3  # seconds of estimates before the pace of this machine counts for more than the one above

Shown = Callable[[str], None]


def _nowhere(line: str) -> None:
    """Nobody is told, unless the command line takes this function's place."""


show: Shown = _nowhere  # takes a line when a compilation begins and an empty one at its end

_known: set[FunctionType] = set()
_estimated = _taken = 0.0  # seconds of all compilations of this process
_lock = threading.Lock()


def size(kernels: Iterable[FunctionType]) -> float:
    """How long some kernels take to compile, with all they reach, on the machine the figures above are from: seconds."""
    functions = {func for kernel in kernels for func in reachable_functions(kernel)}
    return sum(len(func.__code__.co_code) * (KNOWN if func in _known else NEW) for func in functions)


def estimate(kernels: Iterable[FunctionType]) -> float:
    """The same on this machine, as far as it is known from what this process has compiled."""
    pace = _taken / _estimated if _estimated >= LEAST else 1.0
    return size(kernels) * pace


def in_words(what: str, seconds: float) -> str:
    """The line about a compilation."""
    return f"compiling {what}, {f'about {round(seconds)} s' if seconds >= 0.75 else 'under 1 s'}; happens once"


@contextmanager
def compiling(what: str, kernel: FunctionType, together: Iterable[FunctionType] = ()) -> Iterator[None]:
    """A kernel is compiled in this block; of what it belongs to, `together` will be compiled soon and counts in the estimate."""
    global _estimated, _taken
    expected, begun = size([kernel]), time.monotonic()
    show(in_words(what, estimate([kernel, *together])))
    try:
        yield
        with _lock:
            _known.update(reachable_functions(kernel))
            _estimated += expected
            _taken += time.monotonic() - begun
    finally:
        show("")
