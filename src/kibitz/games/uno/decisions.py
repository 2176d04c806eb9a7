"""What a seat saw of UNO when it decided, as columns of a table (`kibitz.play.decisions`): whole numbers, -1 for none."""

from __future__ import annotations

from typing import Any

from kibitz.games.face import Column
from kibitz.games.uno.cards import NO_CARD
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.view import NO_SEAT

COLUMNS = (
    Column("players", "int", "how many play"),
    Column("hand", "ints", "own cards by type; oldest first where the bot keeps their order, else sorted"),
    Column("drawn", "int", "the card just drawn, in the phase `drawn`"),
    Column("top", "int", "the card on top"),
    Column("colour", "int", "its colour, as called for a wild"),
    Column("direction", "int", "1 or -1"),
    Column("dealer", "int", "the dealer's seat"),
    Column("hand_sizes", "ints", "cards in each hand, by seat"),
    Column("pile_size", "int", "cards in the draw pile"),
    Column("discard", "ints", "the discard pile under the top card, oldest first"),
    Column("known_seats", "ints", "for each card known to be in another hand: the seat"),
    Column("known_cards", "ints", "and the card"),
    Column("scores", "ints", "points before this deal, by seat"),
    Column("player", "int", "in a window: whose play is being settled"),
    Column("stack", "int", "cards to draw, in the phases `stack` and `challenge`"),
    Column("may_challenge", "int", "1 if a challenge is allowed"),
)


def columns_of(view: Any) -> dict[str, Any]:
    """What a view has of each column."""
    players, size = view.players, view.sizes[view.seat]
    kept = size > 0 and view.order[0] != NO_CARD
    known = [(seat, card) for seat in range(players) for card in cards_from((view.known0[seat], view.known1[seat], view.known2[seat]))]
    return {
        "players": players,
        "hand": view.order[:size] if kept else cards_from((view.hand0, view.hand1, view.hand2)),
        "drawn": -1 if view.drawn == NO_CARD else view.drawn,
        "top": view.top,
        "colour": view.colour,
        "direction": view.direction,
        "dealer": view.dealer,
        "hand_sizes": view.sizes[:players],
        "pile_size": view.pile_size,
        "discard": view.discard[: view.discard_size],
        "known_seats": [seat for seat, _ in known],
        "known_cards": [card for _, card in known],
        "scores": view.scores[:players],
        "player": -1 if view.player == NO_SEAT else view.player,
        "stack": view.stack,
        "may_challenge": view.may_challenge,
    }
