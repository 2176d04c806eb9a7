"""What kernels are written with: constants and functions that mean in plain Python what stands here.

`jit` gives them their compiled meanings and is where kernels import them from; nothing here knows of a compiler.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, TypeVar

from kibitz.core.layouts import copy_record, dtype_of, load

FunctionValue = TypeVar("FunctionValue", bound=Callable[..., Any])


class Word(int):
    """A constant that is an unsigned 64-bit number in compiled code."""


class Words(tuple[int, ...]):
    """A constant table of unsigned 64-bit numbers."""


class Numbers(tuple[int, ...]):
    """A constant table of small integers."""


ONE = Word(1)
ALL_BITS = Word(2**64 - 1)


def word(value: int) -> int:
    """`value` as an unsigned 64-bit number: what a mask must be combined with."""
    return int(value)


def number(value: int) -> int:
    """A word or byte as a signed number, ready for ordinary arithmetic."""
    return int(value)


def popcount(mask: int) -> int:
    """How many bits are set."""
    return mask.bit_count()


def lowest(mask: int) -> int:
    """The place of the lowest set bit."""
    return (mask & -mask).bit_length() - 1


def select(mask: int, rank: int) -> int:
    """The place of the set bit with `rank` set bits below it."""
    for _ in range(rank):
        mask &= mask - ONE
    return lowest(mask)


def high_product(first: int, second: int) -> int:
    """The upper 64 bits of the 128-bit product of two words."""
    return (first * second) >> 64


def folded_product(first: int, second: int) -> int:
    """The upper and the lower half of the 128-bit product of two words, combined by exclusive or."""
    product = first * second
    return (product >> 64) ^ (product & ALL_BITS)


def clock() -> float:
    """Seconds on a clock that only goes forward, for searches with a limit in time."""
    return time.monotonic()


def call_choose(entry: Any, view: Any, memory: Any, params: Any, scratch: Any) -> int:
    """Ask a bot for its action; `entry` is an address in compiled code, a callable in plain Python."""
    return entry(view, memory, params, scratch)  # type: ignore[no-any-return]  # the caller checks it


def call_begin(entry: Any, view: Any, memory: Any, params: Any, scratch: Any) -> None:
    """Let a bot set up its memory at this position."""
    entry(view, memory, params, scratch)


def call_observe(entry: Any, view: Any, event: Any, memory: Any, params: Any, scratch: Any) -> None:
    """Tell a bot of a public event."""
    entry(view, event, memory, params, scratch)


def is_present(entry: Any) -> bool:
    """Whether a slot of a table of entries is filled (compiled: a non-zero address)."""
    return bool(entry != 0)


def clear_memory(memory: Any, size: int) -> None:
    """Set a bot's memory to zero (compiled: `size` bytes from that address)."""
    if memory:
        for name, value in vars(memory).items():
            setattr(memory, name, [0] * len(value) if isinstance(value, list) else {} if isinstance(value, dict) else 0)  # parts are a dict


def prefetch(address: int) -> None:
    """Have the processor load what lies at an address, while it goes on with something else."""


def inline(func: FunctionValue) -> FunctionValue:
    """Mark a kernel that is always merged into its callers: the ones on the path of every turn."""
    func.kibitz_inline = True  # type: ignore[attr-defined]  # read back in jit
    return func


# Kernels made one by one, which no list of names could give a compiled meaning: what `jit` needs to know of each.
BASES: dict[Callable[..., Any], type] = {}  # the class that a record is shown as
ELEMENTS: dict[Callable[..., Any], tuple[type, str, type]] = {}  # class, field, and the class of the element that is read there


def as_base(cls: type) -> Callable[[Any], Any]:
    """A kernel that shows a record as its base class: a copy in plain Python, the same memory in compiled code."""

    def show_as_base(record: Any) -> Any:
        return copy_record(record, cls)

    BASES[show_as_base] = cls
    return show_as_base


def element_of(cls: type, field: str, element: type) -> Callable[[Any, int], Any]:
    """A kernel that reads one element of a field of bytes as a record of its own."""
    width = dtype_of(element).itemsize

    def read_element(record: Any, place: int) -> Any:
        return load(element, memoryview(bytes(getattr(record, field)[place * width : (place + 1) * width])))

    return compiled_as_element(read_element, cls, field, element)


def compiled_as_element(kernel: Callable[[Any, int], Any], cls: type, field: str, element: type) -> Callable[[Any, int], Any]:
    """Have a kernel `(record, place)` compiled as the place of one element inside the record, whatever it does in plain Python."""
    ELEMENTS[kernel] = (cls, field, element)
    return kernel
