from __future__ import annotations

from ..positions import answers, assert_uniform, choice, position, with_every_colour


def test_plays_the_card_that_matches_most_cards_in_hand() -> None:
    assert choice("diversity", position("r5 r7 r9 g7", 7, top="r1")) == "r7"


def test_cards_of_the_same_colour_match() -> None:
    assert choice("diversity", position("r5 g7 g1 g2", 7, top="r7")) == "g7"


def test_cards_with_the_same_symbol_match() -> None:
    assert choice("diversity", position("rskip r1 gskip bskip", 7, top="r5")) == "rskip"


def test_different_actions_of_different_colours_do_not_match() -> None:
    assert choice("diversity", position("rskip r+2 g+2 grev", 7, top="r5")) == "r+2"


def test_copies_of_a_card_count_once() -> None:
    given = answers("diversity", position("r5 r5 g7", 7, top="r7"))
    assert_uniform(given, "r5", "g7")


def test_a_card_matches_itself_so_any_coloured_card_comes_before_a_wild() -> None:
    assert choice("diversity", position("r5 wild wild+4 g1 g2", 7, top="r7")) == "r5"


def test_wilds_tie_with_each_other() -> None:
    given = answers("diversity", position("wild wild+4 wild+4 g1", 7, top="r7"))
    assert_uniform(given, "wild:g", "wild+4:g")


def test_equally_diverse_cards_are_a_matter_of_chance() -> None:
    given = answers("diversity", position("r5 r6 r8 b1 b2", 7, top="r7"))
    assert_uniform(given, "r5", "r6", "r8")


def test_wild_takes_the_most_common_colour_counting_copies() -> None:
    assert choice("diversity", position("wild g1 g1 g2 b7 b8", 7, top="r5")) == "wild:g"


def test_wild_takes_one_of_the_colours_tied_for_most_common() -> None:
    given = answers("diversity", position("wild g1 g1 b7 b8 y1", 7, top="r5"))
    assert_uniform(given, "wild:g", "wild:b")


def test_wild_takes_any_colour_without_a_coloured_card() -> None:
    given = answers("diversity", position("wild+4 wild+4", 7, top="r5"))
    assert_uniform(given, *with_every_colour("wild+4"))


def test_wild_takes_any_colour_with_most_common_off() -> None:
    given = answers("diversity:wild_most_common=off", position("wild g1 g2 g3", 7, top="r5"))
    assert_uniform(given, *with_every_colour("wild"))


def test_plays_the_drawn_card_whatever_it_matches() -> None:
    assert choice("diversity", position("r1 r2 r3", 7, top="r5", drawn="g5")) == "g5"


def test_plays_a_drawn_wild_in_the_most_common_colour() -> None:
    assert choice("diversity", position("r1 r2 g3", 7, top="r5", drawn="wild")) == "wild:r"
