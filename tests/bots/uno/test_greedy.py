from __future__ import annotations

import pytest

from ..positions import answers, assert_uniform, choice, position, with_every_colour


@pytest.mark.parametrize(
    ("hand", "best"),
    [
        ("r8 r9 r0", "r9"),
        ("r9 r8 r0", "r9"),
        ("r0 g5", "g5"),
        ("r9 rskip", "rskip"),
        ("r9 rrev", "rrev"),
        ("r9 r+2", "r+2"),
        ("rskip rrev r+2 wild r1", "wild:r"),
        ("rskip rrev r+2 wild+4 r1", "wild+4:r"),
        ("r2 g9 b9 y9", "r2"),
    ],
)
def test_plays_the_playable_card_worth_most_points(hand: str, best: str) -> None:
    assert choice("greedy", position(hand, 7, 7, top="r5")) == best


def test_equal_points_are_a_matter_of_chance() -> None:
    given = answers("greedy", position("rskip rrev r+2 r9", 7, 7, top="r5"))
    assert_uniform(given, "rskip", "rrev", "r+2")


def test_copies_of_a_card_count_once() -> None:
    given = answers("greedy", position("r9 r9 g9", 7, top="y9"))
    assert_uniform(given, "r9", "g9")


def test_wild_and_wild_draw_four_are_worth_the_same() -> None:
    given = answers("greedy", position("wild wild wild+4 b1", 7, top="r5"))
    assert_uniform(given, "wild:b", "wild+4:b")


def test_wild_takes_the_most_common_colour_counting_copies() -> None:
    assert choice("greedy", position("wild g1 g1 g2 b7 b8 r1", 7, top="r5")) == "wild:g"


def test_wild_takes_one_of_the_colours_tied_for_most_common() -> None:
    given = answers("greedy", position("wild g1 g2 y7 y8 r1", 7, top="r5"))
    assert_uniform(given, "wild:g", "wild:y")


def test_wild_takes_any_colour_without_a_coloured_card() -> None:
    given = answers("greedy", position("wild wild", 7, top="r5"))
    assert_uniform(given, *with_every_colour("wild"))


def test_wild_takes_any_colour_with_most_common_off() -> None:
    given = answers("greedy:wild_most_common=off", position("wild g1 g2 g3", 7, top="r5"))
    assert_uniform(given, *with_every_colour("wild"))


def test_plays_the_drawn_card_whatever_it_is_worth() -> None:
    assert choice("greedy", position("rskip wild", 7, top="r5", drawn="r0")) == "r0"


def test_plays_a_drawn_wild_in_the_most_common_colour() -> None:
    assert choice("greedy", position("y1 y2 r1", 7, top="r5", drawn="wild+4")) == "wild+4:y"


def test_plays_a_drawn_wild_in_any_colour_with_most_common_off() -> None:
    given = answers("greedy:wild_most_common=off", position("y1 y2 r1", 7, top="r5", drawn="wild"))
    assert_uniform(given, *with_every_colour("wild"))


def test_the_last_card_of_the_next_player_changes_nothing() -> None:
    assert choice("greedy", position("r9 r1", 1, top="r5")) == "r9"
