"""The reference by hand-made positions, one small check for each rule, so that it is more than a second opinion: decks, openings, all together."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from tests.reference.uno import (
    ReferenceGame,
    ReferenceRules,
    by_type,
    modern_deck,
    number_deck,
    opening_candidates,
    points_of,
    standard_deck,
)
from tests.reference.uno_positions import Script, asked, cards_in, hands, opening, play, position

# -- cards and decks --


def test_decks_have_the_counts_of_the_specification() -> None:
    assert len(number_deck()) == 76
    assert len(standard_deck()) == 108
    assert len(modern_deck()) == 112
    assert Counter(modern_deck()) - Counter(standard_deck()) == {"wildshuffle": 1, "wildcustom": 3}
    assert Counter(number_deck()) == {card: n for card, n in Counter(standard_deck()).items() if card[1:].isdigit()}


def test_points() -> None:
    cards = ("r0", "g9", "bskip", "yrev", "r+2", "wild", "wild+4", "wildshuffle", "wildcustom")
    assert [points_of(card) for card in cards] == [0, 9, 20, 20, 20, 50, 50, 40, 40]


def test_type_order_is_colour_then_value_then_wilds() -> None:
    cards = cards_in("wildcustom.wild+4.y0.b+2.brev.bskip.b9.g3.r0.wildshuffle.wild")
    assert ".".join(by_type(cards)) == "r0.g3.b9.bskip.brev.b+2.y0.wild.wild+4.wildshuffle.wildcustom"


# -- the beginning --


@pytest.mark.parametrize(
    ("switch", "candidates"),
    [
        ("effects", "r1.wild.wildshuffle.wildcustom"),
        ("effects_name_colour", "r1.wild.wildshuffle.wildcustom"),
        ("none", "r1.wild.wild+4.wildshuffle.wildcustom"),
        ("redraw_wilds", "r1"),
    ],
)
def test_opening_cards_that_go_back(switch: str, candidates: str) -> None:
    assert opening_candidates(cards_in("r1.wild.wild+4.wildshuffle.wildcustom"), switch) == cards_in(candidates)


def test_opening_card_stays_if_there_is_nothing_else() -> None:
    assert opening_candidates(["wild+4", "wild+4"], "effects") == ["wild+4", "wild+4"]
    assert opening_candidates(["wild+4", "wild"], "redraw_wilds") == ["wild+4", "wild"]


def test_hands_are_dealt_seat_by_seat_then_the_dealer_is_drawn_then_the_top_card() -> None:
    script = Script("r1.r2.g1.g2.1.b1")
    game = ReferenceGame.deal(cards_in("g1.g2.r1.r2.b1.b2"), 2, 2, 1000, script)
    assert (hands(game), game.dealer, game.top, game.current, game.turn) == ("r1.r2|g1.g2", 1, "b1", 0, 1)


def test_seat_0_begins_without_a_draw_for_the_dealer() -> None:
    game = ReferenceGame.deal(cards_in("r1.g1.y1.b1"), 3, 1, 1000, Script("r1.g1.y1.b1"), ReferenceRules(starter="seat_0"))
    assert (game.dealer, game.current) == (2, 0)


def test_random_seat_is_drawn_like_a_dealer() -> None:
    game = ReferenceGame.deal(cards_in("r1.g1.y1.b1"), 3, 1, 1000, Script("r1.g1.y1.1.b1"), ReferenceRules(starter="random_seat"))
    assert (game.dealer, game.current) == (1, 2)


@pytest.mark.parametrize("switch", ["effects", "effects_name_colour"])
def test_opening_effects(switch: str) -> None:
    assert asked(opening("r1|r2|r3", "r5", opening=switch)) == ("turn", 1)
    assert asked(opening("r1|r2|r3", "rskip", opening=switch)) == ("turn", 2)
    turned = opening("r1|r2|r3", "rrev", opening=switch)
    assert (turned.current, turned.direction) == (0, -1)
    drawn = opening("r1|r2|r3", "r+2", "b1.b2.b3", "b3.b1", opening=switch)
    assert (hands(drawn), drawn.current, drawn.turn) == ("r1|r2.b3.b1|r3", 2, 1)


@pytest.mark.parametrize("switch", ["none", "redraw_wilds"])
def test_opening_without_effects(switch: str) -> None:
    for top in ("rskip", "rrev", "r+2"):
        game = opening("r1|r2|r3", top, "b1.b2", opening=switch)
        assert (game.current, game.direction, game.colour, hands(game)) == (1, 1, "r", "r1|r2|r3")


def test_opening_reverse_between_two_players_lets_the_dealer_begin() -> None:
    game = opening("r1|r2", "rrev", dealer=1, reverse_is_skip=False)
    assert (game.current, game.direction) == (1, -1)


@pytest.mark.parametrize("top", ["wild", "wild+4", "wildshuffle", "wildcustom"])
@pytest.mark.parametrize("switch", ["effects", "none", "redraw_wilds"])
def test_on_an_opening_wild_anything_may_be_played(top: str, switch: str) -> None:
    game = opening("r1|g2.b3", top, opening=switch)
    assert asked(game) == ("turn", 1)
    assert game.legal_actions() == ["b3", "g2", "draw"]


def test_first_player_names_the_colour_and_the_same_turn_goes_on() -> None:
    game = opening("r1|g2.b3|r2", "wildshuffle", opening="effects_name_colour")
    assert asked(game) == ("colour", 1)
    assert game.legal_actions() == [f"wildshuffle:{colour}" for colour in "rgby"]
    play(game, "wildshuffle:g")
    assert (asked(game), game.turn, game.colour) == (("turn", 1), 1, "g")
    assert game.legal_actions() == ["g2", "draw"]
    assert hands(game) == "r1|g2.b3|r2"


def test_opening_draw_two_is_not_stacked_and_nobody_jumps_in_on_it() -> None:
    game = opening("r+2|r+2|r+2", "r+2", "b1.b2.b3", "b1.b2", stacking="same", jump_in=True)
    assert (asked(game), hands(game), game.stack) == (("turn", 2), "r+2|r+2.b1.b2|r+2", 0)


# -- all together --


def test_copies_are_independent() -> None:
    game = position("wild+4.r1|g1|g2", "r5", "b1.b2.b3.b4.b5", wild_draw_four="challenge")
    play(game, "wild+4:g")
    twin = play(game.copy(), "challenge", drawn="b1.b2.b3.b4")
    assert (game.known, hands(game), game.stack) == ([], "r1|g1|g2", 4)
    assert (len(twin.known), twin.stack) == (1, 0)


@pytest.mark.parametrize("seed", range(40))
def test_cards_are_conserved_in_random_games(seed: int) -> None:
    random = Random(seed)
    rules = ReferenceRules(
        draw=random.choice(["one", "until_playable"]),
        wild_draw_four=random.choice(["free", "challenge"]),
        stacking=random.choice(["off", "same", "progressive"]),
        seven_zero=True,
        jump_in=True,
        uno_call=True,
    )
    game = ReferenceGame.deal(modern_deck(), random.randrange(2, 6), 5, 60, random.choice, rules)
    while game.status == "playing":
        game.apply(random.choice(game.legal_actions()), random.choice)
        cards = [card for hand in game.hands for card in hand] + game.pile + game.discard + [game.top]
        assert Counter(cards) == Counter(modern_deck())
