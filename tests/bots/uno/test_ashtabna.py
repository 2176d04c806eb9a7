from __future__ import annotations

from pathlib import Path

import pytest

from ..choices import Row, read_tables
from ..hands import hold
from ..positions import Player, choice, position

EVEN = (7, 7, 7)


def played(hand: str, next_player: int, one_after: int, previous: int, top: str = "r7") -> str:
    """What it plays at a table of four with so many cards in the other hands."""
    return choice("ashtabna", position(hand, next_player, one_after, previous, top=top))


@pytest.mark.parametrize("rows", read_tables(Path(__file__).with_name("choices").joinpath("ashtabna.txt").read_text(encoding="utf-8")))
def test_choices(rows: list[Row]) -> None:
    for row in rows:
        row.check()


# -- action cards --


@pytest.mark.parametrize("action", ["rskip", "rrev", "r+2"])
@pytest.mark.parametrize("sizes", [EVEN, (2, 7, 7), (7, 2, 2), (2, 2, 7), (2, 7, 2)])
def test_a_playable_action_card_always_comes_first(action: str, sizes: tuple[int, int, int]) -> None:
    assert played(f"r9 wild+4 wild {action} g7", *sizes) == action
    assert played(f"{action} r9 wild+4", *sizes) == action


@pytest.mark.parametrize(
    ("sizes", "answer"),
    [
        ((3, 3, 4), "rrev"),
        ((3, 2, 4), "rrev"),
        ((3, 5, 4), "rrev"),
        ((3, 4, 3), "rskip"),
        ((3, 4, 2), "rskip"),
        ((3, 3, 3), "r+2"),
        ((3, 2, 3), "r+2"),
        ((5, 4, 4), "r+2"),
    ],
)
@pytest.mark.parametrize("hand", ["rskip rrev r+2 r9", "r+2 rskip rrev", "rrev r+2 rskip wild"])
def test_of_several_action_cards_the_sizes_of_the_hands_decide(hand: str, sizes: tuple[int, int, int], answer: str) -> None:
    """Sizes are those of the next player, the one after, and the previous one."""
    assert played(hand, *sizes) == answer


# -- numbers --


@pytest.mark.parametrize(("hand", "answer"), [("g8 r9 r1", "r9"), ("g8 y9", "y9"), ("g9 b9 b1", "b9"), ("wild r0", "r0")])
def test_on_an_opening_wild_every_number_is_a_candidate(hand: str, answer: str) -> None:
    assert played(hand, *EVEN, top="wild") == answer


# -- wilds --


@pytest.mark.parametrize(
    ("hand", "answer"),
    [
        ("wildcustom wildshuffle wild+4 wild", "wild+4:r"),
        ("wildcustom wildshuffle wild", "wild:r"),
        ("wildcustom wildshuffle", "wildcustom:r"),
        ("wildshuffle wildcustom", "wildshuffle:r"),
    ],
)
def test_wilds_of_other_kinds_come_after(hand: str, answer: str) -> None:
    player = Player("ashtabna", position("g1", *EVEN, top="r7"))
    hold(player, hand, playable=hand)
    assert player.answer(1) == answer


@pytest.mark.parametrize(
    ("hand", "discard", "top", "colour"),
    [
        ("wild", "g1 g2 b3", "rskip", "g"),
        ("wild", "b1 g2 y3 y3", "rskip", "y"),
        ("wild", "g1 bskip brev b+2", "rskip", "g"),
        ("wild", "g1 g2 y3", "y7", "y"),  # the top card counts
        ("wild gskip g+2", "b1", "r7", "r"),
        ("wild gskip", "", "b7", "b"),
        ("wild wild+4", "g1 y1 b1", "rskip", "b"),
        ("wild", "g1 y1", "rskip", "y"),
        ("wild", "g1 y1 b1 r1", "gskip", "r"),
    ],
)
def test_without_a_number_in_hand_the_discard_pile_decides(hand: str, discard: str, top: str, colour: str) -> None:
    game = position(hand, *EVEN, top=top, discard=discard)
    assert choice("ashtabna", game).partition(":")[2] == colour


def test_cards_that_left_the_discard_pile_are_forgotten() -> None:
    player = Player("ashtabna", position("wild", *EVEN, top="rskip", discard="g1 y1 y2"))
    assert player.answer(1) == "wild:y"
    player.view.discard_size = 1
    assert player.answer(1) == "wild:g"


@pytest.mark.parametrize(("hand", "top"), [("wild", "gskip"), ("wild", "wild:b"), ("wild+4 gskip", "brev"), ("wild+4", "wild")])
def test_without_any_number_red_is_called(hand: str, top: str) -> None:
    assert choice("ashtabna", position(hand, *EVEN, top=top)).partition(":")[2] == "r"
