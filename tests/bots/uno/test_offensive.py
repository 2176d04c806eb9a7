from __future__ import annotations

import pytest

from ..positions import choice, position


@pytest.mark.parametrize(
    ("hand", "cheapest"),
    [
        ("r9 r2 r5", "r2"),
        ("r2 r9 r5", "r2"),
        ("r9 r1 r0", "r0"),
        ("rskip wild r9", "r9"),
        ("wild wild+4 rrev", "rrev"),
        ("g1 r9 b0 y2", "r9"),
        ("r9 g7", "g7"),
    ],
)
def test_plays_the_playable_card_worth_fewest_points(hand: str, cheapest: str) -> None:
    assert choice("offensive", position(hand, 7, 7, top="r7")) == cheapest


@pytest.mark.parametrize(
    ("hand", "first"),
    [
        ("r9 b7 g7", "b7"),
        ("g7 r9 b7", "g7"),
        ("r+2 rrev rskip", "r+2"),
        ("rskip rrev r+2", "rskip"),
        ("rrev wild rskip r+2", "rrev"),
        ("wild+4 wild", "wild+4:r"),
        ("wild wild+4", "wild:r"),
    ],
)
def test_ties_go_to_the_oldest_card(hand: str, first: str) -> None:
    assert choice("offensive", position(hand, 7, 7, top="r7")) == first


def test_the_last_card_of_the_next_player_changes_nothing() -> None:
    assert choice("offensive", position("r+2 r1", 1, 7, top="r7")) == "r1"
