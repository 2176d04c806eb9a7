from __future__ import annotations

import pytest

from kibitz import registry
from kibitz.bots.bot import Bot

from ..hands import hold
from ..positions import Player, answers, assert_uniform, choice, position, with_every_colour

SIMPLE = ["first_playable", "offensive", "defensive", "better_offensive"]
ALL = [*SIMPLE, "ashtabna"]
WILDS = ["wild", "wild+4"]


@pytest.mark.parametrize("name", ALL)
def test_the_bots_declare_that_they_read_the_order_of_the_hand(name: str) -> None:
    bot = registry.entrant(name).bot
    assert isinstance(bot, Bot)
    assert bot.hand_order == "oldest"


# -- the colour of a wild --


@pytest.mark.parametrize("name", SIMPLE)
@pytest.mark.parametrize("wild", WILDS)
@pytest.mark.parametrize(
    ("others", "colour"), [("g1 b1 b2", "b"), ("b1 y2 y2", "y"), ("g1 bskip brev", "b"), ("y1 y2 b1 b2 g1 g2 g3", "g")]
)
def test_a_wild_takes_the_most_common_colour_in_hand(name: str, wild: str, others: str, colour: str) -> None:
    assert choice(name, position(f"{wild} {others}", 7, 7, top="r7")) == f"{wild}:{colour}"


@pytest.mark.parametrize("name", SIMPLE)
@pytest.mark.parametrize(
    ("others", "top", "colour"),
    [
        ("g1 b1 y1", "r7", "g"),
        ("y1 b1 g1", "r7", "g"),
        ("y1 b1", "r7", "b"),
        ("y1 b1 r1", "g7", "r"),
        ("y1 g1 r1", "b7", "r"),
        ("b1 g1 r1", "y7", "r"),
        ("y1 y2 b1 b2 g1", "r7", "b"),
        ("", "y7", "r"),
    ],
)
def test_ties_go_to_the_first_of_red_green_blue_yellow(name: str, others: str, top: str, colour: str) -> None:
    assert choice(name, position(f"wild {others}", 7, 7, top=top)) == f"wild:{colour}"


@pytest.mark.parametrize("name", SIMPLE)
@pytest.mark.parametrize("wild", WILDS)
def test_a_wild_takes_any_colour_if_told_so(name: str, wild: str) -> None:
    given = answers(f"{name}:wild_colour=random", position(f"{wild} g1 g2 g3", 7, 7, top="r7"))
    assert_uniform(given, *with_every_colour(wild))


@pytest.mark.parametrize("name", SIMPLE)
def test_the_random_colour_leaves_the_choice_of_card_alone(name: str) -> None:
    game = position("g9 r2 r8 r4", 7, 7, top="r7")
    assert choice(f"{name}:wild_colour=random", game) == choice(name, game)


# -- the drawn card --


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("drawn", ["r0", "r9", "rskip", "rrev", "r+2"])
def test_the_drawn_card_is_played_whatever_else_fits(name: str, drawn: str) -> None:
    assert choice(name, position("r1 r8 rskip wild", 7, 7, top="r7", drawn=drawn)) == drawn


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("drawn", WILDS)
def test_a_drawn_wild_takes_its_colour_from_the_hand(name: str, drawn: str) -> None:
    assert choice(name, position("b4 y1 y2", 7, 7, top="r7", drawn=drawn)) == f"{drawn}:y"


@pytest.mark.parametrize(
    ("name", "answer"),
    [("first_playable", "r4"), ("offensive", "r2"), ("defensive", "wild:r"), ("better_offensive", "r8"), ("ashtabna", "r8")],
)
def test_after_the_draw_all_that_is_playable_counts(name: str, answer: str) -> None:
    player = Player(name, position("g9 r4 wild r8", 7, 7, top="r7", drawn="r2"))
    hold(player, "g9 r4 wild r8 r2", playable="r4 wild r8 r2")
    assert player.answer(1) == answer


# -- wilds of other kinds --


@pytest.mark.parametrize(
    ("name", "hand", "answer"),
    [
        ("first_playable", "wildcustom wild wildshuffle", "wildcustom:r"),
        ("offensive", "wild wildcustom wildshuffle wild+4", "wildcustom:r"),
        ("offensive", "wild wildshuffle wildcustom wild+4", "wildshuffle:r"),
        ("defensive", "wildcustom wild wildshuffle wild+4", "wild:r"),
        ("better_offensive", "wildcustom wild+4 wildshuffle wild", "wild+4:r"),
    ],
)
def test_wilds_of_other_kinds_count_their_points(name: str, hand: str, answer: str) -> None:
    player = Player(name, position("g9", 7, 7, top="r7"))
    hold(player, hand, playable=hand)
    assert player.answer(1) == answer
