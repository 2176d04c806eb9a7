"""Shards: shares of one run that machines play without knowing of each other, each into a store of its own.

A run whose games are known beforehand is cut into slices. The cut depends on the run alone, so all shares of all numbers of shares
have the same slices, and share I of N has every N-th of them. A run that is a share, or was merged from shares, keeps the cut.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path, PurePath
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.runs.units import Unit, cut

MOST_SHARES = 100_000
MOST_PIECES = 2_000_000  # parts and slices of a run
HERE = "here"  # in place of a share: what was played in the merged store itself

Share = Mapping[int, Sequence[Unit]]  # the slices of a share, by part
Cut = list[list[Any]]  # for some parts in a row: how many, and their slices as pairs of games and how often in a row


@dataclass(frozen=True, order=True)
class Shard:
    """One of several shares of a run, counted from 1."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """A share from I/N."""
        found = re.fullmatch(r"([0-9]{1,7})/([0-9]{1,7})", text.strip())
        if not found:
            raise BadValue(f"shard must be I/N, such as 2/8 for the second of eight shares, got {text!r}")
        index, count = map(int, found.groups())
        if not 1 <= index <= count <= MOST_SHARES:
            raise BadValue(f"shard must be I/N with I 1–N and N at most {MOST_SHARES:,}, got {text}")
        return cls(index, count)

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"

    @property
    def in_words(self) -> str:
        """As a sentence has it."""
        return f"share {self.index} of {self.count}"


@dataclass(frozen=True)
class LedgerPart:
    """A part of a run's ledger that is known beforehand: its games, cut into slices that are the same for every share."""

    number: int
    slices: tuple[Unit, ...]

    @classmethod
    def of(cls, number: int, games: int, size: int) -> LedgerPart:
        """A part with slices of one size, but for the last."""
        return cls(number, tuple(cut(games, size)))

    @property
    def games(self) -> int:
        """What all its slices have."""
        return sum(piece.count for piece in self.slices)


def dealt(parts: Sequence[LedgerPart], shares: int) -> Iterator[tuple[int, int, Unit]]:
    """Every slice with its share and its part.

    They are dealt like cards, by a dealer who moves on one place with each round: parts that take long may come at regular intervals.
    """
    place = 0
    for part in parts:
        for piece in part.slices:
            yield (place + place // shares) % shares + 1, part.number, piece
            place += 1


def share_of(parts: Sequence[LedgerPart], shard: Shard) -> dict[int, list[Unit]]:
    """The slices of a share, by part."""
    found: dict[int, list[Unit]] = {}
    for index, part, piece in dealt(parts, shard.count):
        if index == shard.index:
            found.setdefault(part, []).append(piece)
    return found


def games_of(share: Share) -> int:
    """The games of all slices."""
    return sum(piece.count for pieces in share.values() for piece in pieces)


@dataclass(frozen=True)
class Shares:
    """What a run knows of shares: how it is cut; and which share it is, or else the seconds of each share that was merged into it."""

    cut: Cut
    shard: Shard | None = None
    merged: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, parts: Sequence[LedgerPart], shard: Shard) -> Shares:
        """A share of a run with these parts, which are numbered from 0."""
        lengths = [[[count, len(list(same))] for count, same in groupby(piece.count for piece in part.slices)] for part in parts]
        shares = cls([[len(list(same)), slices] for slices, same in groupby(lengths)], shard)
        check_cut(shares.cut)
        return shares

    @cached_property
    def parts(self) -> list[LedgerPart]:
        """The parts of the whole run."""
        found: list[LedgerPart] = []
        for times, lengths in self.cut:
            first, slices = 0, list[Unit]()
            for count, repeats in lengths:
                slices += [Unit(first + place * count, count) for place in range(repeats)]
                first += repeats * count
            found += [LedgerPart(len(found) + place, tuple(slices)) for place in range(times)]
        return found

    @property
    def own(self) -> dict[int, list[Unit]]:
        """The slices of this share; of a merged run all."""
        return share_of(self.parts, self.shard or Shard(1, 1))

    def to_dict(self) -> dict[str, Any]:
        """As it stands in JSON."""
        return {"shard": str(self.shard)} if self.shard else {"merged": dict(self.merged)}

    def to_text(self) -> str:
        """As a store keeps it."""
        return json.dumps({"cut": self.cut, **self.to_dict()}, allow_nan=False)

    @classmethod
    def from_text(cls, text: str) -> Shares:
        """As it comes back from a store."""
        found = json.loads(text)
        shard, merged = found.get("shard"), found.get("merged", {})
        check_cut(found["cut"])
        if not all(isinstance(seconds, float | int) for seconds in merged.values()):
            raise ValueError("no proper shares")
        return cls(found["cut"], Shard.parse(shard) if shard else None, merged)


def check_cut(found: Cut) -> None:
    """Refuse a cut that no run has, or one of so many pieces that they would take up the memory."""
    numbers = [times for times, _ in found] + [number for _, lengths in found for pair in lengths for number in pair]
    if not found or not all(lengths for _, lengths in found) or not all(type(number) is int and number >= 1 for number in numbers):
        raise ValueError("a cut has whole numbers above 0")
    pieces = sum(times * (1 + sum(repeats for _, repeats in lengths)) for times, lengths in found)
    if pieces > MOST_PIECES:
        raise BadValue(
            f"a run can be divided into shares if it has at most {MOST_PIECES:,} parts and units of games; this one has {pieces:,}."
        )


def sibling(path: str, shard: Shard, label: str) -> str:
    """The store of another share, named like that of this one: `part-2.sqlite` has `part-3.sqlite` beside it."""
    file = PurePath(path)
    found = re.fullmatch(r"(.*?)([0-9]+)", file.stem)
    if not found or int(found[2]) != shard.index:
        return f"part-{label}.sqlite"
    name = label if label == "*" else label.zfill(len(found[2]))
    return str(file.with_name(f"{found[1]}{name}{file.suffix}"))


def shown_path(path: Path) -> str:
    """A file as it is typed in this folder."""
    return str(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
