"""How a run is divided into shares: each slice belongs to one share, and all shares have the same slices."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kibitz.core.errors import BadValue
from kibitz.experiments.batch import SMALLEST_SLICE, Batch
from kibitz.experiments.comparison import cut_deals
from kibitz.play.lineup import make_lineup
from kibitz.runs.shards import LedgerPart, Shard, Shares, games_of, share_of, sibling
from kibitz.runs.units import Unit

PARTS = [LedgerPart.of(0, 41, 5), LedgerPart.of(1, 41, 5), LedgerPart(2, (Unit(0, 7),)), LedgerPart(3, tuple(cut_deals(7_000, 2)))]


@pytest.mark.parametrize("text", ["1/1", "2/8", " 3/3 ", "100000/100000"])
def test_a_share_is_written_as_it_is_read(text: str) -> None:
    assert str(Shard.parse(text)) == text.strip()


@pytest.mark.parametrize("text", ["", "2", "0/3", "4/3", "1/0", "-1/3", "1/3/3", "a/b", "1.0/3", "1/100001", "²/3"])
def test_what_is_no_share_is_refused(text: str) -> None:
    with pytest.raises(BadValue, match=r"shard must be I/N.*, got"):
        Shard.parse(text)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 64, 1000])
def test_every_slice_belongs_to_one_share(count: int) -> None:
    shares = [share_of(PARTS, Shard(index, count)) for index in range(1, count + 1)]
    dealt = Counter((part, unit) for share in shares for part, units in share.items() for unit in units)
    assert dealt == Counter((part.number, unit) for part in PARTS for unit in part.slices)
    sizes = [sum(map(len, share.values())) for share in shares]
    assert max(sizes) - min(sizes) <= 1
    assert sum(map(games_of, shares)) == sum(part.games for part in PARTS) == 41 + 41 + 7 + 14_000


def test_parts_that_take_long_at_regular_intervals_are_shared() -> None:
    """Searches with four budgets in turn: no share gets the largest one each time."""
    tasks = [LedgerPart(number, (Unit(0, 1),)) for number in range(16)]
    for index in range(1, 5):
        assert {number % 4 for number in share_of(tasks, Shard(index, 4))} == {0, 1, 2, 3}


def test_a_run_remembers_how_it_is_cut() -> None:
    shares = Shares.of(PARTS, Shard(2, 3))
    again = Shares.from_text(shares.to_text())
    assert again == shares and again.parts == PARTS and again.own == share_of(PARTS, Shard(2, 3))
    merged = Shares(shares.cut, merged={"1/3": 0.5})
    assert Shares.from_text(merged.to_text()) == merged and merged.own == share_of(PARTS, Shard(1, 1))


NO_CUTS: dict[str, list[Any]] = {
    "nothing": [],
    "too many slices": [[1, [[10, 10**9]]]],
    "too many slices of many parts": [[10**5, [[1, 10**5]]]],
    "too many parts": [[1_500_000, [[1, 1]]]],
    "parts without slices": [[10**9, []], [1, [[1, 1]]]],
    "a part without slices": [[1, []], [1, [[1, 1]]]],
    "parts that are taken away": [[-5, [[1, 1]]], [9, [[1, 1]]]],
    "slices that are taken away": [[1, [[1, -5], [1, 9]]]],
    "no part": [[0, [[1, 1]]], [1, [[1, 1]]]],
    "slices without games": [[1, [[0, 1]]]],
    "slices of fewer games than none": [[1, [[-1, 1]]]],
    "half a game": [[1, [[0.5, 2]]]],
    "half a slice": [[1, [[1, 1.5]]]],
    "half a part": [[1.5, [[1, 1]]]],
    "a truth for a number": [[True, [[1, 1]]]],
    "a text for slices": [[1, "x"]],
    "a number for a part": [1],
}


@pytest.mark.parametrize("cut", NO_CUTS.values(), ids=NO_CUTS)
def test_a_cut_that_no_run_has_is_refused(cut: list[Any]) -> None:
    with pytest.raises((ValueError, TypeError, BadValue)):
        Shares.from_text(json.dumps({"cut": cut, "shard": "1/2"}))


def test_a_run_of_too_many_pieces_is_not_divided() -> None:
    with pytest.raises(BadValue, match="at most 2,000,000 parts and units of games; this one has 3,000,000"):
        Shares.of([LedgerPart(0, (Unit(0, 1),))] * 1_500_000, Shard(1, 2))


def test_many_equal_parts_take_little_room() -> None:
    shares = Shares.of([LedgerPart.of(number, 1_000, 100) for number in range(20_000)], Shard(1, 2))
    assert len(shares.to_text()) < 100 and len(shares.parts) == 20_000


@pytest.mark.parametrize(("games", "parts", "size"), [(41, 1, SMALLEST_SLICE), (20_480, 1, 10), (20_480, 4, 40), (10**8, 1, 20_000)])
def test_slices_depend_on_the_run_alone(games: int, parts: int, size: int) -> None:
    batch = Batch(make_lineup(["random", "greedy"]), games, 1, part=3)
    part = batch.ledger_part(parts)
    assert (part.number, part.games, part.slices[0]) == (3, games, Unit(0, size))


def test_the_rotations_of_a_deal_stay_together() -> None:
    batch = Batch(make_lineup(["random", "greedy", "mix2"], seating="rotate"), 60, 1)
    assert {unit.first % 3 for unit in batch.ledger_part().slices} == {0}


@pytest.mark.parametrize(
    ("path", "label", "beside"),
    [
        ("part-2.sqlite", "3", "part-3.sqlite"),
        ("runs/s02.db", "11", "runs/s11.db"),
        ("runs/s02.db", "*", "runs/s*.db"),
        ("mine.sqlite", "3", "part-3.sqlite"),
        ("part-7.sqlite", "3", "part-3.sqlite"),
    ],
)
def test_stores_of_other_shares_are_named_alike(path: str, label: str, beside: str) -> None:
    assert sibling(path, Shard(2, 12), label) == str(Path(beside))
