"""Encodings: how a game writes a view as a vector of zeros and ones, and its legal actions as a mask, for those who learn.

An encoding belongs to some rules and a number of players. It has a version: a model that was trained with one can say which it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple


class Section(NamedTuple):
    """A part of an observation: its name, how many places it has, and what they mean."""

    name: str
    length: int
    meaning: str


@dataclass(frozen=True, eq=False)
class Encoding:
    """How observations of a game look.

    `fill(view, vector)` is a kernel that writes a view into a vector of zeros and says where it ended, which is at `size`. There are
    `actions` actions. With `planes` set to (planes, rows, columns), the vector begins with so many planes of cards.
    """

    version: int
    sections: tuple[Section, ...]
    actions: int
    fill: Callable[[Any, Any], int]
    planes: tuple[int, int, int] = (0, 0, 0)

    @cached_property
    def size(self) -> int:
        """How long an observation is."""
        return sum(section.length for section in self.sections)

    def places(self) -> Iterator[tuple[slice, Section]]:
        """Each section, and where it lies."""
        start = 0
        for section in self.sections:
            yield slice(start, start + section.length), section
            start += section.length


# -- kernels that write a part from `start` on, all zeros before, and say where the next begins --


def fill_thermometer(vector: Any, start: int, count: int, length: int) -> int:
    """So many ones out of a length, and no more than that."""
    for place in range(min(count, length)):
        vector[start + place] = 1
    return start + length


def fill_choice(vector: Any, start: int, choice: int, length: int) -> int:
    """A one at the place of a choice; none if there is no such place."""
    if 0 <= choice < length:
        vector[start + choice] = 1
    return start + length


def fill_digits(vector: Any, start: int, value: int, length: int) -> int:
    """The binary digits of a number, the lowest first."""
    for place in range(length):
        vector[start + place] = (value >> place) & 1
    return start + length
