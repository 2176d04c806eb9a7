from __future__ import annotations

import pytest

from ..hands import hold
from ..positions import Player, choice, position

EVEN = (7, 7, 7)


def played(hand: str, next_player: int, one_after: int, previous: int, top: str = "r7") -> str:
    """What it plays at a table of four with so many cards in the other hands."""
    return choice("ashtabna", position(hand, next_player, one_after, previous, top=top))


# -- action cards --


@pytest.mark.parametrize("action", ["rskip", "rrev", "r+2"])
@pytest.mark.parametrize("sizes", [EVEN, (2, 7, 7), (7, 2, 2), (2, 2, 7), (2, 7, 2)])
def test_a_playable_action_card_always_comes_first(action: str, sizes: tuple[int, int, int]) -> None:
    assert played(f"r9 wild+4 wild {action} g7", *sizes) == action
    assert played(f"{action} r9 wild+4", *sizes) == action


def test_an_action_card_that_does_not_fit_is_passed_over() -> None:
    assert played("gskip b+2 yrev r3", 2, 7, 7) == "r3"
    assert played("gskip brev rskip", 2, 2, 7) == "rskip"


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


@pytest.mark.parametrize(
    ("hand", "sizes", "answer"),
    [
        ("r+2 rskip", (3, 5, 4), "rskip"),
        ("rskip r+2", (3, 3, 4), "r+2"),
        ("r+2 rrev", (3, 5, 4), "rrev"),
        ("rrev r+2", (3, 5, 3), "r+2"),
        ("rrev rskip", (3, 5, 3), "rskip"),
        ("rskip rrev", (3, 3, 4), "rrev"),
    ],
)
def test_only_cards_in_hand_are_considered(hand: str, sizes: tuple[int, int, int], answer: str) -> None:
    assert played(hand, *sizes) == answer


@pytest.mark.parametrize("sizes", [(5, 5, 5), (5, 4, 4)])
def test_without_a_draw_two_the_oldest_is_the_last_resort(sizes: tuple[int, int, int]) -> None:
    assert played("r9 rskip rrev", *sizes) == "rskip"
    assert played("r9 rrev rskip", *sizes) == "rrev"


def test_neighbours_are_those_in_the_direction_of_play() -> None:
    hand = "r+2 rskip rrev"
    assert choice("ashtabna", position(hand, 4, 3, 3, top="r7", direction="-")) == "rrev"
    assert choice("ashtabna", position(hand, 3, 3, 4, top="r7", direction="-")) == "r+2"
    assert choice("ashtabna", position(hand, 3, 4, 3, top="r7", direction="-")) == "rskip"


@pytest.mark.parametrize(
    ("top", "hand", "sizes", "answer"),
    [
        ("rrev", "g1 yrev grev", (3, 3, 4), "yrev"),
        ("rrev", "g1 grev yrev", (3, 3, 4), "grev"),
        ("rskip", "g1 yskip gskip", (3, 4, 3), "yskip"),
        ("rskip", "g1 gskip yskip", (3, 4, 3), "gskip"),
        ("r+2", "g1 y+2 g+2", EVEN, "y+2"),
        ("r+2", "g1 g+2 y+2", EVEN, "g+2"),
        ("rrev", "rskip yrev grev", (3, 3, 4), "yrev"),
        ("rskip", "rrev yskip gskip", (3, 4, 3), "yskip"),
        ("r+2", "rrev y+2 g+2", EVEN, "y+2"),
    ],
)
def test_of_one_kind_the_oldest_is_played(top: str, hand: str, sizes: tuple[int, int, int], answer: str) -> None:
    assert played(hand, *sizes, top=top) == answer


def test_with_two_players_the_one_after_is_the_bot_itself() -> None:
    assert choice("ashtabna", position("r+2 rskip r1", 2, top="r7")) == "rskip"
    assert choice("ashtabna", position("r+2 rskip r1", 3, top="r7")) == "r+2"


def test_with_two_players_a_reverse_is_neither_preferred_nor_a_skip() -> None:
    assert choice("ashtabna", position("rrev r+2 r1", 2, top="r7")) == "r+2"
    assert choice("ashtabna", position("rrev r+2 r1", 4, top="r7")) == "r+2"
    assert choice("ashtabna", position("rrev rskip r1", 2, top="r7")) == "rskip"
    assert choice("ashtabna", position("rrev rskip r1", 4, top="r7")) == "rrev"


# -- numbers --


@pytest.mark.parametrize(
    ("hand", "answer"),
    [
        ("r2 r8 r4", "r8"),
        ("r8 r4 r2", "r8"),
        ("r0", "r0"),
        ("g9 g7 b8", "g7"),
        ("r3 g7", "g7"),
        ("r8 g7", "r8"),
        ("r8 g7 g1 g2 g3", "r8"),
        ("r3 g9 b9 y9", "r3"),
        ("wild+4 wild r0", "r0"),
        ("wild g7 gskip", "g7"),
    ],
)
def test_the_highest_candidate_of_the_colour_groups_is_played(hand: str, answer: str) -> None:
    assert played(hand, *EVEN) == answer


@pytest.mark.parametrize(
    ("hand", "answer"),
    [
        ("g7 g1 b7 b1 b2", "b7"),
        ("g7 g1 y7 y1 y2", "y7"),
        ("r7 b7 b1", "b7"),
        ("g7 b7 b7", "b7"),
        ("g7 g1 b7 b2 b2", "b7"),
        ("g7 gskip grev b7 b1", "b7"),
        ("g7 wild wild y7 y9", "y7"),
    ],
)
def test_a_tie_goes_to_the_larger_group_of_numbers(hand: str, answer: str) -> None:
    assert played(hand, *EVEN) == answer


@pytest.mark.parametrize(
    ("hand", "answer"),
    [
        ("y7 b7 r7 g7", "g7"),
        ("g7 r7 b7 y7", "g7"),
        ("r7 g7", "g7"),
        ("y7 b7 r7", "r7"),
        ("r7 b7 y7", "r7"),
        ("y7 b7", "b7"),
        ("b7 y7", "b7"),
        ("y7 y1 b7 b1 g7", "b7"),
    ],
)
def test_groups_of_one_size_go_in_the_order_green_red_blue_yellow(hand: str, answer: str) -> None:
    assert played(hand, *EVEN) == answer


def test_the_colour_called_for_a_wild_on_top_is_its_colour() -> None:
    assert played("r9 g1 wild", *EVEN, top="wild:g") == "g1"


@pytest.mark.parametrize(("hand", "answer"), [("g8 r9 r1", "r9"), ("g8 y9", "y9"), ("g9 b9 b1", "b9"), ("wild r0", "r0")])
def test_on_an_opening_wild_every_number_is_a_candidate(hand: str, answer: str) -> None:
    assert played(hand, *EVEN, top="wild") == answer


# -- wilds --


@pytest.mark.parametrize(
    ("hand", "answer"), [("g1 wild wild+4", "wild+4:g"), ("wild+4 wild g1", "wild+4:g"), ("g1 wild", "wild:g"), ("wild+4", "wild+4:r")]
)
def test_a_wild_is_the_last_resort_and_draws_four_if_it_can(hand: str, answer: str) -> None:
    assert played(hand, *EVEN) == answer


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
    ("others", "colour"),
    [("g1 g2 b1", "g"), ("b1 y2 y3", "y"), ("b1 g2 g2", "g"), ("g1 bskip brev b+2", "g"), ("y1 y2 b1 bskip brev", "y")],
)
def test_the_largest_group_of_numbers_in_hand_is_called(others: str, colour: str) -> None:
    assert played(f"wild {others}", *EVEN) == f"wild:{colour}"


@pytest.mark.parametrize(
    ("others", "top", "colour"),
    [
        ("g1 y1 b1", "r7", "b"),
        ("g1 y1", "r7", "y"),
        ("y1 b1", "r7", "b"),
        ("b1 y1 r1", "g7", "r"),
        ("g1 y1 r1", "b7", "r"),
        ("b1 g1 r1", "y7", "r"),
        ("b1 g1", "y7", "b"),
    ],
)
def test_groups_of_one_size_are_called_in_the_order_red_blue_yellow_green(others: str, top: str, colour: str) -> None:
    assert played(f"wild {others}", *EVEN, top=top) == f"wild:{colour}"


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


def test_one_number_in_hand_outweighs_the_discard_pile() -> None:
    assert choice("ashtabna", position("wild g1", *EVEN, top="r7", discard="b1 b2 b3 r1 r2")) == "wild:g"


def test_cards_that_left_the_discard_pile_are_forgotten() -> None:
    player = Player("ashtabna", position("wild", *EVEN, top="rskip", discard="g1 y1 y2"))
    assert player.answer(1) == "wild:y"
    player.view.discard_size = 1
    assert player.answer(1) == "wild:g"


@pytest.mark.parametrize(("hand", "top"), [("wild", "gskip"), ("wild", "wild:b"), ("wild+4 gskip", "brev"), ("wild+4", "wild")])
def test_without_any_number_red_is_called(hand: str, top: str) -> None:
    assert choice("ashtabna", position(hand, *EVEN, top=top)).partition(":")[2] == "r"
