from __future__ import annotations

import pytest

from ..positions import choice, position


@pytest.mark.parametrize(
    ("hand", "dearest"),
    [
        ("r2 r9 r5", "r9"),
        ("r9 r2 r5", "r9"),
        ("r9 rskip r5", "rskip"),
        ("g9 r2 bskip r4 y+2", "r4"),
        ("wild r9 r+2 wild+4", "r+2"),
        ("r5 g7", "g7"),
    ],
)
def test_plays_the_playable_coloured_card_worth_most_points(hand: str, dearest: str) -> None:
    assert choice("better_offensive", position(hand, 7, 7, top="r7")) == dearest


@pytest.mark.parametrize(
    ("hand", "first"),
    [
        ("r1 b7 g7", "b7"),
        ("g7 r1 b7", "g7"),
        ("wild r9 r+2 rrev rskip", "r+2"),
        ("rskip rrev r+2 r9", "rskip"),
        ("rrev r9 rskip r+2", "rrev"),
    ],
)
def test_ties_go_to_the_oldest_card(hand: str, first: str) -> None:
    assert choice("better_offensive", position(hand, 7, 7, top="r7")) == first


@pytest.mark.parametrize("hand", ["wild r0", "r0 wild", "wild+4 r0 wild"])
def test_any_coloured_card_goes_before_a_wild(hand: str) -> None:
    assert choice("better_offensive", position(hand, 7, 7, top="r7")) == "r0"


@pytest.mark.parametrize(("hand", "first"), [("g9 wild wild+4", "wild:g"), ("g9 wild+4 wild", "wild+4:g"), ("wild", "wild:r")])
def test_with_nothing_else_the_oldest_wild_is_played(hand: str, first: str) -> None:
    assert choice("better_offensive", position(hand, 7, 7, top="r7")) == first


def test_the_last_card_of_the_next_player_changes_nothing() -> None:
    assert choice("better_offensive", position("r1 wild+4", 1, 7, top="r7")) == "r1"
