"""What a seat saw of Hanabi when it decided, as columns of a table (`kibitz.play.decisions`): whole numbers, -1 for none."""

from __future__ import annotations

from typing import Any

from kibitz.games.face import Column
from kibitz.games.hanabi.cards import HIDDEN, MAX_HAND, NO_CARD

COLUMNS = (
    Column("players", "int", "how many play"),
    Column("hand_size", "int", "cards dealt to each"),
    Column("hand_sizes", "ints", "cards in each hand now, by seat"),
    Column("cards", "ints", f"by seat, {MAX_HAND} slots each: the card, -1 for none, -2 for one's own"),
    Column("colour_masks", "ints", "in the same order: colours that hints leave, a bit for each"),
    Column("rank_masks", "ints", "ranks that hints leave"),
    Column("named_colours", "ints", "1 if the colour was named"),
    Column("named_ranks", "ints", "1 if the rank was named"),
    Column("places", "ints", "the place each card had in the deck"),
    Column("fireworks", "ints", "the height of each colour's pile"),
    Column("discards", "ints", "copies of each type in the discard pile"),
    Column("score", "int", "points on the table"),
    Column("tokens", "int", "information tokens"),
    Column("lives", "int", "lives"),
    Column("deck_size", "int", "cards to draw"),
    Column("turns_left", "int", "turns left once the deck is empty"),
    Column("last_move", "int", "the last move"),
    Column("last_seat", "int", "who made it"),
    Column("last_card", "int", "the card played or discarded"),
    Column("last_touched", "int", "slots touched by a hint, a bit for each"),
    Column("last_success", "int", "1 if a play succeeded"),
    Column("last_gained", "int", "1 if it gained a token"),
)

_SIGNS = {NO_CARD: -1, HIDDEN: -2}


def columns_of(view: Any) -> dict[str, Any]:
    """What a view has of each column."""
    slots = view.players * MAX_HAND
    return {
        "players": view.players,
        "hand_size": view.hand_size,
        "hand_sizes": view.sizes[: view.players],
        "cards": [_SIGNS.get(card, card) for card in view.cards[:slots]],
        **{name: getattr(view, name)[:slots] for name in ("colour_masks", "rank_masks", "named_colours", "named_ranks")},
        "places": [_SIGNS.get(place, place) for place in view.places[:slots]],
        "fireworks": view.fireworks[: view.colours],
        "discards": view.discards[:],
        **{name: getattr(view, name) for name in ("score", "tokens", "lives", "deck_size", "turns_left", "last_move", "last_seat")},
        "last_card": _SIGNS.get(view.last_card, view.last_card),
        **{name: getattr(view, name) for name in ("last_touched", "last_success", "last_gained")},
    }
