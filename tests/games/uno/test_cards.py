"""Card types, action numbers and names. The numbers are fixed for good: a failure here breaks every recorded game."""

from __future__ import annotations

import pytest

from kibitz.core.errors import BadValue
from kibitz.games.uno import cards
from kibitz.games.uno.cards import (
    ACTIONS,
    CARD_TYPES,
    DRAW,
    KEEP,
    NO_COLOUR,
    STANDARD_DECK,
    action_card,
    action_colour,
    bit,
    colour_of,
    is_wild,
    match_mask,
    play_action,
    points_of,
    value_of,
)
from kibitz.games.uno.names import action_from_name, action_name, card_from_name, card_name
from tests.reference.uno import colour_of as colour_letter
from tests.reference.uno import points_of as points_by_name
from tests.reference.uno import standard_deck, symbol_of

# First number, names in the order of the numbers.
ACTION_TABLE: dict[int, list[str]] = {
    0: ["r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "rskip", "rrev", "r+2"],
    13: ["g0", "g1", "g2", "g3", "g4", "g5", "g6", "g7", "g8", "g9", "gskip", "grev", "g+2"],
    26: ["b0", "b1", "b2", "b3", "b4", "b5", "b6", "b7", "b8", "b9", "bskip", "brev", "b+2"],
    39: ["y0", "y1", "y2", "y3", "y4", "y5", "y6", "y7", "y8", "y9", "yskip", "yrev", "y+2"],
    52: ["wild:r", "wild:g", "wild:b", "wild:y"],
    56: ["wild+4:r", "wild+4:g", "wild+4:b", "wild+4:y"],
    60: ["wildshuffle:r", "wildshuffle:g", "wildshuffle:b", "wildshuffle:y"],
    64: ["wildcustom:r", "wildcustom:g", "wildcustom:b", "wildcustom:y"],
    68: ["draw", "keep", "challenge", "accept"],
    72: ["swap:1", "swap:2", "swap:3", "swap:4", "swap:5", "swap:6", "swap:7", "swap:8", "swap:9"],
    81: ["jump-in", "pass", "uno", "catch"],
}
CARD_TABLE = [name for first in (0, 13, 26, 39) for name in ACTION_TABLE[first]] + ["wild", "wild+4", "wildshuffle", "wildcustom"]
NUMBERED = [(first + place, name) for first, names in ACTION_TABLE.items() for place, name in enumerate(names)]


def test_every_action_has_its_number() -> None:
    assert [number for number, _ in NUMBERED] == list(range(ACTIONS))
    assert [action_name(action) for action in range(ACTIONS)] == [name for _, name in NUMBERED]
    assert [action_from_name(name) for _, name in NUMBERED] == list(range(ACTIONS))


def test_every_card_has_its_number() -> None:
    assert [card_name(card) for card in range(CARD_TYPES)] == CARD_TABLE
    assert [card_from_name(name) for name in CARD_TABLE] == list(range(CARD_TYPES))


def test_named_actions_have_their_numbers() -> None:
    assert (cards.DRAW, cards.KEEP, cards.CHALLENGE, cards.ACCEPT) == (68, 69, 70, 71)
    assert (cards.FIRST_SWAP, cards.JUMP_IN, cards.PASS, cards.UNO, cards.CATCH) == (72, 81, 82, 83, 84)


@pytest.mark.parametrize("name", ["", "r10", "x5", "R5", "wild:g", "draw", " r5", "rReverse"])
def test_what_is_not_a_card_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(BadValue) as refused:
        card_from_name(name)
    assert str(refused.value) == f"'{name}' is not a card; cards are written r5, gskip, b+2, yrev, wild, wild+4."


@pytest.mark.parametrize("name", ["", "wild", "wild:x", "swap:10", "swap:0", "DRAW", "5"])
def test_what_is_not_an_action_is_refused_in_a_sentence(name: str) -> None:
    with pytest.raises(BadValue) as refused:
        action_from_name(name)
    assert str(refused.value).startswith(f"'{name}' is not an action; actions are written r5, ")


def test_action_plays_its_card_in_its_colour() -> None:
    for action in range(DRAW):
        card, _, called = action_name(action).partition(":")
        assert card_name(action_card(action)) == card
        assert "rgby"[action_colour(action)] == (called or card[0])
        assert play_action(action_card(action), action_colour(action)) == action


def test_colour_does_not_matter_for_a_coloured_card() -> None:
    assert all(play_action(card, colour) == card for card in range(52) for colour in range(5))


def test_colour_value_and_points_are_those_printed() -> None:
    for card, name in enumerate(CARD_TABLE[:54]):
        letter = colour_letter(name)
        assert colour_of(card) == ("rgby".index(letter) if letter else NO_COLOUR)
        assert value_of(card) == (card % 13 if letter else 13)
        assert points_of(card) == points_by_name(name)
        assert is_wild(card) == (letter is None)
    assert [points_of(cards.WILD_SHUFFLE_HANDS), points_of(cards.WILD_CUSTOMIZABLE)] == [40, 40]


def test_kind_of_every_card() -> None:
    expected = {"skip": cards.SKIP_KIND, "rev": cards.REVERSE_KIND, "+2": cards.DRAW_TWO_KIND}
    for card, name in enumerate(CARD_TABLE[:52]):
        assert cards.KIND_OF[card] == expected.get(symbol_of(name), cards.NUMBER_KIND)
    assert list(cards.KIND_OF[52:]) == [cards.WILD_KIND, cards.WILD_DRAW_FOUR_KIND, cards.WILD_KIND, cards.WILD_KIND]
    for kind, mask in enumerate(cards.KIND_MASKS):
        assert [card for card in range(CARD_TYPES) if mask >> card & 1] == [
            card for card in range(CARD_TYPES) if cards.KIND_OF[card] == kind
        ]


def test_standard_deck_has_108_cards() -> None:
    assert [card_name(card) for card in range(CARD_TYPES) for _ in range(STANDARD_DECK[card])] == standard_deck()
    assert sum(STANDARD_DECK) == 108


def test_match_mask_holds_what_shares_colour_or_symbol_and_all_wilds() -> None:
    for top, name in enumerate(CARD_TABLE[:52]):
        for card, other in enumerate(CARD_TABLE):
            shares = card >= 52 or other[0] == name[0] or symbol_of(other) == symbol_of(name)
            assert bool(match_mask(top, colour_of(top)) & bit(card)) == shares


def test_match_mask_of_a_wild_is_the_called_colour_and_all_wilds() -> None:
    for top in (cards.WILD, cards.WILD_DRAW_FOUR):
        for colour in range(4):
            for card in range(CARD_TYPES):
                assert bool(match_mask(top, colour) & bit(card)) == (card >= 52 or card // 13 == colour)
        assert match_mask(top, NO_COLOUR) == (1 << CARD_TYPES) - 1


def test_draw_and_keep_are_behind_every_play() -> None:
    assert max(number for number, name in NUMBERED if name.startswith("wild")) < DRAW < KEEP
