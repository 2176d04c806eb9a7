"""The sequence form of a two-player game: what each player can know and do, and what pairs of choices lead to.

A *sequence* is one choice at one information set, and with it all the player's choices on the way there; sequence 0 is no
choice at all. A player who forgets nothing has one way of own choices to each information set, so that the whole game is a
sparse matrix between the sequences of both, with chance multiplied in.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

Floats = np.ndarray[Any, np.dtype[np.float64]]
Ints = np.ndarray[Any, np.dtype[np.int64]]


class Level(NamedTuple):
    """The information sets with so many own choices before them, and their sequences: two stretches of numbers."""

    sets: slice
    sequences: slice
    starts: Ints  # where the sequences of each set begin, counted within the stretch


@dataclass(frozen=True, eq=False)
class Side:
    """One player's information sets, numbered level by level, and its sequences, those of a set side by side."""

    parents: Ints  # of each set: the sequence that leads to it
    starts: Ints  # its first sequence
    counts: Ints  # how many actions it has
    actions: Ints  # of each sequence: its action, -1 for sequence 0
    owners: Ints  # its set, -1 for sequence 0
    levels: tuple[Level, ...]
    first_positions: Ints  # of each set: the first position found in it, and the last
    last_positions: Ints

    @property
    def sets(self) -> int:
        """How many information sets there are."""
        return len(self.parents)

    @property
    def sequences(self) -> int:
        """How many sequences there are, sequence 0 included."""
        return len(self.actions)

    def sequences_of(self, number: int) -> range:
        """The sequences of an information set."""
        start = int(self.starts[number])
        return range(start, start + int(self.counts[number]))


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """A zero-sum game: for each pair of sequences that some end has, sums over all such ends."""

    sides: tuple[Side, Side]
    rows: Ints  # sequence of seat 0
    columns: Ints  # sequence of seat 1
    payoffs: Floats  # chance x what seat 0 gets
    chances: Floats
    wins: Floats  # the chance of ends with a winner

    def gains(self, seat: int, plan: Floats) -> Floats:
        """What each sequence of a seat brings it by itself, if the other seat follows a plan."""
        if seat == 0:
            return add_up(self.rows, self.payoffs * plan[self.columns], self.sides[0].sequences)
        return -add_up(self.columns, self.payoffs * plan[self.rows], self.sides[1].sequences)

    def mass(self, seat: int, plan: Floats) -> Floats:
        """The chance of the ends right behind each sequence of a seat, if the other seat follows a plan."""
        own, other = (self.rows, self.columns) if seat == 0 else (self.columns, self.rows)
        return add_up(own, self.chances * plan[other], self.sides[seat].sequences)

    def value(self, first: Floats, second: Floats) -> float:
        """What seat 0 gets on average if both follow their plans."""
        return float(self.payoffs @ (first[self.rows] * second[self.columns]))

    def unfinished(self, first: Floats, second: Floats) -> float:
        """How often nobody wins if both follow their plans."""
        return 1.0 - float(self.wins @ (first[self.rows] * second[self.columns]))


class End(NamedTuple):
    """An end of a game: the last sequences of both, its chance (apart from their choices), and what seat 0 gets."""

    first: int
    second: int
    chance: float
    result: float


class GrowingSide:
    """One player's side while a game is gone through, its sets and sequences numbered as they are found."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._parents: list[int] = []
        self._starts: list[int] = []
        self._options: list[list[int]] = []
        self._depths: list[int] = []
        self._sequence_depths = [0]
        self._first: list[int] = []
        self._last: list[int] = []

    def decide(self, seen: Hashable, parent: int, actions: list[int], position: int = 0) -> tuple[int, int]:
        """The information set of what a player has seen, after its sequence `parent`, and the first sequence of the set."""
        known = self._numbers.setdefault(seen, len(self._parents))
        if known == len(self._parents):
            self._parents.append(parent)
            self._starts.append(len(self._sequence_depths))
            self._options.append(actions)
            self._depths.append(self._sequence_depths[parent])
            self._sequence_depths.extend([self._sequence_depths[parent] + 1] * len(actions))
            self._first.append(position)
            self._last.append(position)
        elif self._parents[known] != parent or self._options[known] != actions:
            raise AssertionError("a player has forgotten what it did, or does not know what it may do")
        self._last[known] = position
        return known, self._starts[known]

    def finish(self) -> tuple[Side, Ints, Ints]:
        """The side with its sets numbered by levels, and the new numbers of sets and sequences."""
        depths = np.array(self._depths, dtype=np.int64)
        order = np.argsort(depths, kind="stable")
        counts = np.array([len(self._options[old]) for old in order], dtype=np.int64)
        starts = 1 + np.cumsum(counts) - counts
        set_numbers = np.empty(len(order), dtype=np.int64)
        set_numbers[order] = np.arange(len(order))
        sequence_numbers = np.zeros(len(self._sequence_depths), dtype=np.int64)
        for old, start, count in zip(order, starts, counts, strict=True):
            sequence_numbers[self._starts[old] : self._starts[old] + count] = np.arange(start, start + count)
        levels = []
        for depth in range(int(depths.max(initial=-1)) + 1):
            low, high = np.searchsorted(depths[order], [depth, depth + 1])
            begin, end = int(starts[low]), int(starts[high - 1] + counts[high - 1])
            levels.append(Level(slice(int(low), int(high)), slice(begin, end), starts[low:high] - begin))
        side = Side(
            parents=sequence_numbers[np.array(self._parents, dtype=np.int64)[order]],
            starts=starts,
            counts=counts,
            actions=np.array([-1] + [action for old in order for action in self._options[old]], dtype=np.int64),
            owners=np.concatenate(([-1], np.repeat(np.arange(len(order)), counts))),
            levels=tuple(levels),
            first_positions=np.array(self._first, dtype=np.int64)[order],
            last_positions=np.array(self._last, dtype=np.int64)[order],
        )
        return side, set_numbers, sequence_numbers


def sequence_form(growing: tuple[GrowingSide, GrowingSide], ends: Sequence[End]) -> tuple[SequenceForm, tuple[Ints, Ints]]:
    """The game of two sides and its ends, and the new numbers of each side's information sets."""
    (first, first_sets, first_sequences), (second, second_sets, second_sequences) = (side.finish() for side in growing)
    found = np.array(ends, dtype=np.float64).reshape(-1, 4)
    chances, results = found[:, 2], found[:, 3]
    rows, columns = first_sequences[found[:, 0].astype(np.int64)], second_sequences[found[:, 1].astype(np.int64)]
    pairs, places = np.unique(rows * second.sequences + columns, return_inverse=True)
    form = SequenceForm(
        sides=(first, second),
        rows=pairs // second.sequences,
        columns=pairs % second.sequences,
        payoffs=add_up(places, chances * results, len(pairs)),
        chances=add_up(places, chances, len(pairs)),
        wins=add_up(places, chances * (results != 0), len(pairs)),
    )
    return form, (first_sets, second_sets)


def add_up(places: Ints, values: Floats, size: int) -> Floats:
    """Sums of values by place."""
    sums: Floats = np.bincount(places, values, size).astype(np.float64, copy=False)
    return sums
