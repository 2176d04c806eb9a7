"""Actions of UNO in words, as a page and the sentences about a bot's rules name them."""

from __future__ import annotations

from kibitz.games.contract import GameDefinition
from kibitz.games.uno.cards import (
    ACCEPT,
    CATCH,
    CHALLENGE,
    COLOURED_TYPES,
    COLOURS,
    DRAW,
    FIRST_SWAP,
    JUMP_IN,
    KEEP,
    PASS,
    UNO,
    action_card,
    action_colour,
)
from kibitz.games.uno.view import COLOUR, DRAWN, UNO_CALL, View
from kibitz.report.uno.transcript import long_name


def action_parts(game: GameDefinition, view: View, action: int) -> dict[str, str]:
    """What a bot's sentences may name: {action}, the {card} that is played, the {colour} that is called, the {drawn} card."""
    parts = {"action": action_text(view, action)}
    if action < DRAW:
        parts["card"] = long_name(action_card(action))
        if action_card(action) >= COLOURED_TYPES:
            parts["colour"] = COLOURS[action_colour(action)]
    return parts | ({"drawn": long_name(view.drawn)} if view.phase == DRAWN else {})


def action_text(view: View, action: int) -> str:
    """An action at a view in words: `red 5`, `Wild, calling green`, `draw`."""
    if action < DRAW:
        card, colour = action_card(action), action_colour(action)
        if card < COLOURED_TYPES:
            return long_name(card)
        return f"name {COLOURS[colour]}" if view.phase == COLOUR else f"{long_name(card)}, calling {COLOURS[colour]}"
    if FIRST_SWAP <= action < FIRST_SWAP + 9:
        return f"swap hands with seat {(view.seat + action - FIRST_SWAP + 1) % view.players}"
    said = {DRAW: "draw", KEEP: "keep what was drawn", CHALLENGE: "challenge", UNO: "say UNO", CATCH: f"catch seat {view.player}"}
    said |= {ACCEPT: f"draw {view.stack}", PASS: "say nothing" if view.phase == UNO_CALL else "pass"}
    return said[action] if action != JUMP_IN else f"jump in with {long_name(view.top)}"
