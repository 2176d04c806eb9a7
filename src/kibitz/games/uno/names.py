"""Readable names of cards and actions, both ways."""

from __future__ import annotations

from kibitz.core.errors import BadValue
from kibitz.games.uno.cards import (
    ACCEPT,
    ACTIONS,
    CARD_TYPES,
    CATCH,
    CHALLENGE,
    COLOUR_LETTERS,
    COLOURED_TYPES,
    DRAW,
    FIRST_SWAP,
    JUMP_IN,
    KEEP,
    PASS,
    UNO,
    VALUE_NAMES,
    VALUES,
    WILD_NAMES,
    action_card,
    action_colour,
)

_PLAIN_ACTIONS = {
    DRAW: "draw",
    KEEP: "keep",
    CHALLENGE: "challenge",
    ACCEPT: "accept",
    JUMP_IN: "jump-in",
    PASS: "pass",
    UNO: "uno",
    CATCH: "catch",
}


def card_name(card: int) -> str:
    """The short name of a card type: `r5`, `gskip`, `b+2`, `yrev`, `wild`, `wild+4`."""
    if card >= COLOURED_TYPES:
        return WILD_NAMES[card - COLOURED_TYPES]
    return COLOUR_LETTERS[card // VALUES] + VALUE_NAMES[card % VALUES]


def action_name(action: int) -> str:
    """The name of an action: a card's name, `wild:r`, `draw`, `keep`, `swap:2` and so on."""
    if not 0 <= action < ACTIONS:
        raise BadValue(f"{action} is not an action; actions are numbered 0 to {ACTIONS - 1}.")
    return _NAMES[action]


def _name_of(action: int) -> str:
    if action in _PLAIN_ACTIONS:
        return _PLAIN_ACTIONS[action]
    if FIRST_SWAP <= action < FIRST_SWAP + 9:
        return f"swap:{action - FIRST_SWAP + 1}"
    card = action_card(action)
    return card_name(card) if card < COLOURED_TYPES else f"{card_name(card)}:{COLOUR_LETTERS[action_colour(action)]}"


_CARDS = {card_name(card): card for card in range(CARD_TYPES)}
_NAMES = [_name_of(action) for action in range(ACTIONS)]
_ACTIONS = {name: action for action, name in enumerate(_NAMES)}


def card_from_name(name: str) -> int:
    """The card type with this name."""
    if name not in _CARDS:
        raise BadValue(f"'{name}' is not a card; cards are written r5, gskip, b+2, yrev, wild, wild+4.")
    return _CARDS[name]


def action_from_name(name: str) -> int:
    """The action with this name."""
    if name not in _ACTIONS:
        raise BadValue(f"'{name}' is not an action; actions are written r5, gskip, wild:r, wild+4:g, draw, keep, pass, …")
    return _ACTIONS[name]
