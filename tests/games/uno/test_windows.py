"""The windows of house rules, one by one, at positions made by hand: who is asked what, in which order, and what comes of it."""

from __future__ import annotations

import pytest

from kibitz.games.uno.cards import COLOURED_TYPES, COLOURS, NO_COLOUR
from kibitz.games.uno.names import card_name
from kibitz.games.uno.view import PLAYING
from kibitz.play.game import Game
from tests.games.uno.positions import (
    BLUE_ONES,
    CHALLENGING,
    NAMING,
    WINDOWS,
    asked,
    hands,
    in_window,
    legal,
    phase,
    played,
    position,
)

COLOUR_CALLS = ["r", "g", "b", "y"]


# -- colour --


def test_colour_named_is_part_of_the_event() -> None:
    for colour, letter in enumerate(COLOUR_CALLS):
        (event,) = position("r1|g1", "wild", phase="colour", rules=NAMING).apply(f"wild:{letter}")
        assert (event.colour, event.seat, card_name(event.top), event.top_colour) == (colour, 0, "wild", NO_COLOUR)


WILD_DECK = "deck=r1*3/g2*2/rskip*2/wild*4/wild+4*2/wildshuffle*3/wildcustom*3,hand_size=2"


@pytest.mark.parametrize("opening", ["effects", "effects_name_colour", "none", "redraw_wilds"])
def test_colour_is_asked_for_at_the_start_and_only_where_the_rules_say(opening: str) -> None:
    wilds = 0
    for index in range(200):
        game = Game(3, f"classic,opening={opening},{WILD_DECK}", 4, index)
        wild = game.state.top >= COLOURED_TYPES
        wilds += wild
        assert (phase(game) == "colour") == (wild and opening == "effects_name_colour")
        if wild:
            assert (game.to_act, game.turns, game.state.colour) == ((game.state.dealer + 1) % 3, 1, NO_COLOUR)
            assert opening == "none" or card_name(game.state.top) != "wild+4"
    assert (wilds == 0) == (opening == "redraw_wilds")


# -- challenge --


def test_next_player_alone_is_asked_about_a_wild_draw_four() -> None:
    game = position("wild+4.g1|y1|y2|y3", "r5", BLUE_ONES, rules=CHALLENGING)
    assert played(game, "wild+4:b") == ["0 play wild+4"]
    assert (asked(game), legal(game), game.turns) == ((1, "challenge"), ["challenge", "accept"], 1)
    view = game.view()
    assert (view.player, view.stack, view.may_challenge) == (0, 4, 1)
    for seat in (0, 2, 3):
        other = game.view(seat)
        assert (other.phase, other.current, other.player) == (view.phase, 1, 0)
        assert not any(other.is_legal(action) for action in range(85))


# -- stack --

FOURS = [f"wild+4:{letter}" for letter in COLOUR_CALLS]


def test_opening_draw_two_is_not_stacked() -> None:
    seen = 0
    for index in range(60):
        game = Game(3, "classic,stacking=progressive,deck=r+2*5/g+2*5/r1*4/g1*2,hand_size=3", 2, index)
        assert phase(game) == "turn"
        if card_name(game.state.top).endswith("+2"):
            seen += 1
            victim = (game.state.dealer + 1) % 3
            assert (game.state.sizes[victim], game.to_act) == (5, (victim + 1) % 3)
    assert seen > 10


# -- swap --


# -- the Wild Shuffle Hands --


def test_all_hands_are_shuffled_and_dealt_from_the_next_player_on() -> None:
    game = position("wildshuffle.g1.g2|y1.y5.y6|y2|y3.y4", "r5", BLUE_ONES, rules="classic,seven_zero=on")
    assert played(game, "wildshuffle:b") == ["0 play wildshuffle", "0 shuffled"]
    assert sorted(card for text in hands(game) for card in text.split(".")) == ["g1", "g2", "y1", "y2", "y3", "y4", "y5", "y6"]
    assert list(game.state.sizes[:4]) == [2, 2, 2, 2]
    assert (asked(game), COLOURS[game.state.colour], game.turns) == ((1, "turn"), "blue", 2)
    assert all(text == ".".join(sorted(text.split("."))) for text in hands(game))  # by type: here that is by name


def test_any_card_may_go_to_any_hand() -> None:
    """Eight cards to four players: 400 shuffles. A card misses a given seat in all of them less than once in 10**49."""
    seen = set()
    for seed in range(400):
        game = position("wildshuffle.g1.g2|y1.y5|y2.y6|y3.y4", "r5", BLUE_ONES, seed=seed)
        game.apply("wildshuffle:b")
        seen |= {(seat, card) for seat, text in enumerate(hands(game)) for card in text.split(".")}
    assert len(seen) == 4 * 8


# -- the call of UNO --


# -- every window --


def test_game_goes_on_after_each_window() -> None:
    for name in WINDOWS:
        for action in legal(in_window(name)):
            game = in_window(name)
            game.apply(action)
            assert game.state.status == PLAYING
            assert game.legal_actions()
