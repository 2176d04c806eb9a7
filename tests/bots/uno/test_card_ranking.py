from __future__ import annotations

import pytest

from kibitz import registry

from ..positions import answers, assert_uniform, choice, position, with_every_colour

ORDERS = {
    "card_ranking:win_rate": ["r+2", "rskip", "r7", "rrev", "wild+4", "wild"],
    "card_ranking:points": ["rskip", "r7", "r+2", "rrev", "wild", "wild+4"],
}


@pytest.mark.parametrize("name", ORDERS)
@pytest.mark.parametrize("place", range(6))
def test_plays_the_highest_rank_that_is_left(name: str, place: int) -> None:
    left = ORDERS[name][place:]
    answer = choice(name, position(" ".join([*reversed(left), "y1"]), 7, 7, top="r5"))
    assert answer.partition(":")[0] == left[0]


def test_presets_are_those_of_the_table() -> None:
    assert registry.entrant("card_ranking").values == {"ranks": (4, 3, 5, 6, 1, 2), "wild_most_common": True}
    assert registry.entrant("card_ranking:points").values == {"ranks": (5, 3, 6, 4, 2, 1), "wild_most_common": True}


@pytest.mark.parametrize("name", ORDERS)
def test_with_two_players_a_reverse_ranks_as_a_skip(name: str) -> None:
    given = answers(name, position("rskip rrev r1 wild", 7, top="r5"))
    assert_uniform(given, "rskip", "rrev")


def test_with_three_players_a_reverse_ranks_below_numbers() -> None:
    assert choice("card_ranking", position("rrev r1", 7, 7, top="r5")) == "r1"


def test_cards_of_one_kind_are_a_matter_of_chance_whatever_their_value_and_number() -> None:
    given = answers("card_ranking", position("r1 r1 r9 g5", 7, top="r5"))
    assert_uniform(given, "r1", "r9", "g5")


def test_ranks_are_a_parameter() -> None:
    game = position("r+2 rskip r7 rrev wild+4 wild g1", 7, 7, top="r5")
    assert choice("card_ranking:ranks=1/2/3/4/6/5", game) == "wild:r"
    assert choice("card_ranking:ranks=6/2/3/4/1/5", game) == "r7"


def test_kinds_of_equal_rank_are_a_matter_of_chance() -> None:
    given = answers("card_ranking:ranks=3/3/3/1/1/1", position("r+2 rskip r7 rrev wild", 7, 7, top="r5"))
    assert_uniform(given, "rskip", "r7", "rrev")


def test_wild_takes_the_most_common_colour() -> None:
    assert choice("card_ranking", position("wild g1 g1 b7", 7, top="r5")) == "wild:g"


def test_wild_takes_one_of_the_colours_tied_for_most_common() -> None:
    given = answers("card_ranking", position("wild g1 g2 b7 b8 y1", 7, top="r5"))
    assert_uniform(given, "wild:g", "wild:b")


def test_wild_takes_any_colour_without_a_coloured_card() -> None:
    given = answers("card_ranking", position("wild wild", 7, top="r5"))
    assert_uniform(given, *with_every_colour("wild"))


def test_wild_takes_any_colour_with_most_common_off() -> None:
    given = answers("card_ranking:wild_most_common=off", position("wild g1 g2 g3", 7, top="r5"))
    assert_uniform(given, *with_every_colour("wild"))


@pytest.mark.parametrize("drawn", ["r1", "rrev", "wild", "wild+4"])
def test_plays_the_drawn_card_whatever_its_rank(drawn: str) -> None:
    answer = choice("card_ranking", position("r+2 r2 r3 r4 r6 r7 r8 r9", 7, 7, top="r5", drawn=drawn))
    assert answer.partition(":")[0] == drawn


def test_the_last_card_of_the_next_player_changes_nothing() -> None:
    assert choice("card_ranking", position("r1 rrev", 1, 7, top="r5")) == "r1"
