"""Every way to deal and play small decks, counted exactly: reference, engine and golden file agree."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.golden.nodes import CASES, GOLDEN_FILE, counts_by_engine, counts_by_reference

GOLDEN: list[dict[str, Any]] = json.loads(GOLDEN_FILE.read_text())


def golden(rules: str, players: int) -> dict[str, Any]:
    (found,) = [case for case in GOLDEN if (case["rules"], case["players"]) == (rules, players)]
    return {key: value for key, value in found.items() if key not in ("rules", "players")}


def test_golden_file_holds_the_cases() -> None:
    assert [(case["rules"], case["players"]) for case in GOLDEN] == CASES


@pytest.mark.parametrize(("rules", "players"), CASES)
def test_reference_counts_the_golden_numbers(rules: str, players: int) -> None:
    assert counts_by_reference(rules, players) == golden(rules, players)


@pytest.mark.parametrize(("rules", "players"), CASES)
def test_engine_counts_the_golden_numbers(rules: str, players: int) -> None:
    assert counts_by_engine(rules, players) == golden(rules, players)


def test_smallest_tree_is_the_one_counted_by_hand() -> None:
    """Three Wild Draw Fours, two players, one card each: two deals, which differ in the dealer.

    The first player plays in one of four colours and wins, or draws (nothing) and the other may do the same, five times.
    """
    counts = golden("classic,deck=wild+4*3,hand_size=1,max_turns=5", 2)
    assert counts["deals"] == 2
    assert counts["decisions"] == [2, 2, 2, 2, 2]
    assert counts["ends"] == {"cut off": 2, "won by 0 with 100": 20, "won by 1 with 100": 20}


def test_golden_games_end_in_every_way() -> None:
    ends = {end.split(" by ")[0] for case in GOLDEN for end in case["ends"]}
    assert ends == {"won", "cut off", "stuck"}
