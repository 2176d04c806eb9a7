from __future__ import annotations

import pytest

from ..positions import choice, position


@pytest.mark.parametrize(
    ("hand", "first"),
    [
        ("r2 r9 rskip wild", "r2"),
        ("r9 r2 rskip wild", "r9"),
        ("rskip r9 r2 wild", "rskip"),
        ("wild r9 r2", "wild:r"),
        ("wild+4 wild r2", "wild+4:r"),
        ("r5 g7 b7", "r5"),
        ("g7 r5 b7", "g7"),
    ],
)
def test_plays_the_oldest_card(hand: str, first: str) -> None:
    assert choice("first_playable", position(hand, 7, 7, top="r7")) == first


@pytest.mark.parametrize(("hand", "first"), [("g1 b2 r9 r1", "r9"), ("gskip y9 b7 r9", "b7"), ("g1 g2 wild r1", "wild:g")])
def test_passes_over_what_does_not_fit(hand: str, first: str) -> None:
    assert choice("first_playable", position(hand, 7, 7, top="r7")) == first


def test_the_last_card_of_the_next_player_changes_nothing() -> None:
    assert choice("first_playable", position("r1 r+2", 1, 7, top="r7")) == "r1"
