from __future__ import annotations

from ..positions import answers, assert_frequencies, assert_uniform, choice, position, with_every_colour


def test_two_copies_of_a_card_are_twice_as_likely() -> None:
    given = answers("random", position("r5 r5 g3 b1", 7, top="r3"))
    assert_frequencies(given, {"r5": 2, "g3": 1})


def test_three_copies_are_three_times_as_likely() -> None:
    given = answers("random", position("wild wild wild r5", 7, top="r3"))
    assert_frequencies(given, {"r5": 4, **dict.fromkeys(with_every_colour("wild"), 3)})


def test_four_copies_are_four_times_as_likely() -> None:
    given = answers("random", position("wild r5 wild wild wild b9", 7, top="r3"))
    assert_uniform(given, "r5", *with_every_colour("wild"))


def test_every_kind_of_playable_card_is_equally_likely() -> None:
    given = answers("random", position("r0 rskip rrev r+2 g3 b7", 7, 7, top="r3"))
    assert_uniform(given, "r0", "rskip", "rrev", "r+2", "g3")


def test_wild_is_called_in_any_colour_whatever_the_hand() -> None:
    given = answers("random", position("wild+4 g1 g2 g3 g4", 7, top="r9"))
    assert_uniform(given, *with_every_colour("wild+4"))


def test_anything_is_playable_on_an_uncoloured_top_card() -> None:
    given = answers("random", position("r1 g2 bskip y+2", 7, top="wild"))
    assert_uniform(given, "r1", "g2", "bskip", "y+2")


def test_called_colour_decides_what_is_playable_on_a_wild() -> None:
    given = answers("random", position("r1 g2 g3 bskip", 7, top="wild:g"))
    assert_uniform(given, "g2", "g3")


def test_plays_the_drawn_card_and_no_other() -> None:
    assert choice("random", position("r5 r5 r6", 7, top="r3", drawn="g3")) == "g3"


def test_plays_a_drawn_wild_in_any_colour() -> None:
    given = answers("random", position("r5 r5 r6", 7, top="r3", drawn="wild"))
    assert_uniform(given, *with_every_colour("wild"))
