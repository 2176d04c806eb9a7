"""What users are told while code compiles: what it is, and roughly how long it takes.

`jit` says here what it is about to compile. The command line shows it by putting a function of its own in the place of `show`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import FunctionType

from kibitz.core.compile_cache import reachable_functions

# Seconds for each byte of bytecode, of a root and all it reaches. Measured for bots from `random` to `champion`, the time is between 0.7
# and 1.5 of this. What this process has compiled before is only merged into another root.
NEW, KNOWN = 36e-6, 12e-6
ENOUGH = 0.3  # seconds of such estimates after which the pace of this machine is known


class Pace:
    """What this process has compiled, and how long that took."""

    def __init__(self) -> None:
        self.known: set[FunctionType] = set()
        self.expected = self.taken = 0.0  # seconds

    def usual_seconds(self, functions: Iterable[FunctionType]) -> float:
        """How long some functions take on the machine that the figures above are from."""
        return sum(len(func.__code__.co_code) * (KNOWN if func in self.known else NEW) for func in functions)

    def seconds(self, functions: Iterable[FunctionType]) -> float:
        """How long they take here, as far as it is known."""
        return self.usual_seconds(functions) * (self.taken / self.expected if self.expected >= ENOUGH else 1.0)

    def note(self, functions: set[FunctionType], taken: float) -> None:
        """So long it took to compile these."""
        self.expected += self.usual_seconds(functions)
        self.taken += taken
        self.known |= functions


def _nowhere(line: str) -> None:
    """Nobody is told, unless the command line takes this function's place."""


show: Callable[[str], None] = _nowhere  # takes a line when a compilation begins, and an empty one at its end
_pace = Pace()


def in_words(name: str, seconds: float) -> str:
    """The line about a compilation."""
    return f"compiling {name}, {f'about {round(seconds)} s' if seconds >= 0.75 else 'under 1 s'}; happens once"


@contextmanager
def compiling(what: str, kernels: Sequence[FunctionType]) -> Iterator[None]:
    """In this block the first of some kernels is compiled; the others, which belong to the same thing, are next."""
    functions = {func for kernel in kernels for func in reachable_functions(kernel)}
    begun = time.monotonic()
    show(in_words(what, _pace.seconds(functions)))
    try:
        yield
        _pace.note(reachable_functions(kernels[0]), time.monotonic() - begun)
    finally:
        show("")
