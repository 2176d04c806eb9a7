"""Several records inside the one block of memory that a bot is given: states, worlds and beliefs in its scratch.

    class Scratch:
        states: Annotated[list[int], "u8", words_for(State, 3)]
        worlds: Annotated[list[int], "u8", words_for(World)]

    state_of = part_of(Scratch, "states", State)
    world_of = part_of(Scratch, "worlds", World)

`state_of(scratch, 2)` is then the third state, in compiled code a place in the block, in plain Python an object that stays with the
scratch. The field itself is never read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kibitz.core.jit import compiled_as_element
from kibitz.core.layouts import blank, dtype_of, parts_of

_BYTES_IN_A_WORD = 8


def words_for(cls: type, count: int = 1) -> int:
    """The length of a field of words that has room for some records of a class."""
    return -(-dtype_of(cls).itemsize // _BYTES_IN_A_WORD) * count


def part_of(cls: type, field: str, element: type) -> Callable[[Any, int], Any]:
    """A kernel that gives one of the records in a field of words."""
    width, words = dtype_of(element).itemsize, dtype_of(cls)[field].shape[0]
    if width % _BYTES_IN_A_WORD or words * _BYTES_IN_A_WORD % width:
        raise TypeError(f"{cls.__name__}.{field} has {words} words, which is no multiple of what {element.__name__} takes")
    kept = f"{field} as parts"
    parts_of.setdefault(cls, []).append(kept)

    def read_part(record: Any, place: int) -> Any:
        parts = record.__dict__.setdefault(kept, {})
        if place not in parts:
            parts[place] = blank(element)
        return parts[place]

    # Compiled it is an element like any other; only the plain meaning differs from that of `element_of`, which copies bytes.
    return compiled_as_element(read_part, cls, field, element)
