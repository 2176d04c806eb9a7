"""Positions made by hand, for tests that look at one thing."""

from __future__ import annotations

from kibitz.games.hanabi import engine, notation
from kibitz.games.hanabi.cards import CARD_TYPES
from kibitz.games.hanabi.names import card_name, move_from_name
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import State
from kibitz.games.hanabi.view import View

EXAMPLE = (
    "standard,hand_size=2,colours=2,ranks=3;players=2;to_act=1;turn=4;fireworks=R1.Y0;tokens=7;lives=3;"
    "hands=Y1:Y!:123.R2|R1:RY:1!.Y2;places=0.4|2.3;discard=Y1;deck=R1.Y3.R3.Y1.R2.Y2;last=play:1/R1/success"
)


def position(
    hands: str,
    *,
    rules: str = "standard",
    fireworks: str | None = None,
    discard: str = "",
    deck: str | None = None,
    tokens: int | None = None,
    lives: int | None = None,
    to_act: int = 0,
    **more: str,
) -> State:
    """A state; the deck is whatever is left, in the order of the types, or what is named of it first."""
    parsed = parse_rules(rules)
    piles = fireworks or ".".join(f"{letter}0" for letter in "RYGWB"[: parsed.colours])
    gone = [held.partition(":")[0] for hand in hands.split("|") for held in hand.split(".")] + discard.split(".")
    gone += [f"{pile[0]}{rank}" for pile in piles.split(".") for rank in range(1, int(pile[1]) + 1)]
    left = [card_name(card) for card in range(CARD_TYPES) for _ in range(parsed.deck[card])]
    for card in filter(None, gone):
        left.remove(card)
    drawn_first = deck.split(".") if deck else []
    for card in drawn_first:
        left.remove(card)
    parts = {
        "players": str(hands.count("|") + 1),
        "to_act": str(to_act),
        "turn": "9",
        "fireworks": piles,
        "tokens": str(parsed.tokens if tokens is None else tokens),
        "lives": str(parsed.lives if lives is None else lives),
        "hands": hands,
        "discard": discard,
        "deck": ".".join(drawn_first + left),
        **more,
    }
    return notation.from_text(";".join([rules, *[f"{key}={value}" for key, value in parts.items()]]))[0]


def play(state: State, *moves: str) -> State:
    """Carry out moves by name."""
    for name in moves:
        move = move_from_name(state, name)
        assert engine.is_legal(state, move), f"{name} is not legal"
        engine.apply(state, move)
    return state


def view_of(state: State, seat: int) -> View:
    """What a seat sees."""
    engine.show(state, seat)
    view: View = engine.as_view(state)
    return view
