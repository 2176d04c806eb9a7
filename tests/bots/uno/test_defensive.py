from __future__ import annotations

import pytest

from ..positions import choice, position


@pytest.mark.parametrize(
    ("hand", "dearest"),
    [
        ("r2 r9 r5", "r9"),
        ("r9 r2 r5", "r9"),
        ("r0 g9 b8", "r0"),
        ("r9 rskip r5", "rskip"),
        ("r9 rskip wild r5", "wild:r"),
        ("r9 r+2 wild+4 r5", "wild+4:r"),
        ("r5 g7", "g7"),
    ],
)
def test_plays_the_playable_card_worth_most_points(hand: str, dearest: str) -> None:
    assert choice("defensive", position(hand, 7, 7, top="r7")) == dearest


@pytest.mark.parametrize(
    ("hand", "first"),
    [
        ("r1 b7 g7", "b7"),
        ("g7 r1 b7", "g7"),
        ("r9 r+2 rrev rskip", "r+2"),
        ("rskip rrev r+2 r9", "rskip"),
        ("rrev r9 rskip r+2", "rrev"),
        ("rskip wild+4 wild", "wild+4:r"),
        ("rskip wild wild+4", "wild:r"),
    ],
)
def test_ties_go_to_the_oldest_card(hand: str, first: str) -> None:
    assert choice("defensive", position(hand, 7, 7, top="r7")) == first


def test_the_last_card_of_the_next_player_changes_nothing() -> None:
    assert choice("defensive", position("r1 r+2 wild", 1, 7, top="r7")) == "wild:r"
