"""What a seat may see as messages of the protocol, and back: plain dicts that JSON can carry, with names instead of numbers.

The referee writes views and events with these functions; a client in Python reads them back into the records that our own
bots know. Whatever the rules decide stands in the message that opens a deal, not in every view. The viewer's random stream
is never part of a message: it leads back to the deal.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record
from kibitz.games.contract import Wire
from kibitz.games.message_fields import Message, cards, reads, whole, wholes
from kibitz.games.uno.cards import CARD_TYPES, COLOUR_LETTERS, MAX_CARDS, MAX_PLAYERS, NO_CARD, NO_COLOUR, match_mask
from kibitz.games.uno.counts import Planes, add_to_planes, cards_from, size_of
from kibitz.games.uno.names import card_name
from kibitz.games.uno.rules import SWITCHES, Rules, parse_rules
from kibitz.games.uno.state import EVENT_NAMES, Event, new_state
from kibitz.games.uno.view import NO_SEAT, PHASE_NAMES, STATUS_NAMES, View

KIND_NAMES = tuple(name.replace(" ", "_") for name in EVENT_NAMES)

_NAMES = tuple(card_name(card) for card in range(CARD_TYPES))
_CARDS = {name: card for card, name in enumerate(_NAMES)}
_CARD_OR_NONE: dict[int, str | None] = {**dict(enumerate(_NAMES)), NO_CARD: None}
_COLOUR_OR_NONE: dict[int, str | None] = {**dict(enumerate(COLOUR_LETTERS)), NO_COLOUR: None}
_FROM_COLOUR: dict[str | None, int] = {name: colour for colour, name in _COLOUR_OR_NONE.items()}
_PHASES = {name: phase for phase, name in enumerate(PHASE_NAMES)}
_STATUSES = {name: status for status, name in enumerate(STATUS_NAMES)}
_KINDS = {name: kind for kind, name in enumerate(KIND_NAMES)}

# -- writing --


def rules_message(rules: Rules) -> dict[str, Any]:
    """The rules: as text, the deck as counts by card, and every other switch by name."""
    switches = {name: getattr(rules, name) for name in SWITCHES if name != "deck"}
    deck = {_NAMES[card]: count for card, count in enumerate(rules.deck) if count}
    return {"text": rules.to_text(), "deck": deck, **switches}


def view_message(view: View) -> dict[str, Any]:
    """All that a seat may see."""
    players = view.players
    order, size = view.order, view.sizes[view.seat]
    ordered = size > 0 and order[0] != NO_CARD
    hand = order[:size] if ordered else cards_from((view.hand0, view.hand1, view.hand2))
    known0, known1, known2 = view.known0, view.known1, view.known2
    return {
        "seat": view.seat,
        "current": view.current,
        "phase": PHASE_NAMES[view.phase],
        "turn": view.turn,
        "hand": [_NAMES[card] for card in hand],
        "ordered": ordered,
        "playable": _names_in(view.playable_types),
        "drawn": _CARD_OR_NONE[view.drawn],
        "top": _NAMES[view.top],
        "colour": _COLOUR_OR_NONE[view.colour],
        "direction": view.direction,
        "dealer": view.dealer,
        "hand_sizes": view.sizes[:players],
        "pile_size": view.pile_size,
        "discard": [_NAMES[card] for card in view.discard[: view.discard_size]],
        "known": [
            [_NAMES[card] for card in cards_from((known0[seat], known1[seat], known2[seat]))]
            if known0[seat] or known1[seat] or known2[seat]
            else []
            for seat in range(players)
        ],
        "scores": view.scores[:players],
        "player": None if view.player == NO_SEAT else view.player,
        "stack": view.stack,
        "may_challenge": view.may_challenge != 0,
        "status": STATUS_NAMES[view.status],
        "winner": None if view.winner == NO_CARD else view.winner,
        "points": view.points,
    }


def event_message(view: View, event: Event) -> dict[str, Any]:
    """Something everybody saw; the same for every viewer."""
    return {
        "kind": KIND_NAMES[event.kind],
        "seat": event.seat,
        "card": _CARD_OR_NONE[event.card],
        "colour": _COLOUR_OR_NONE[event.colour],
        "count": event.count,
        "drawn": event.drawn != 0,
        "top": _CARD_OR_NONE[event.top],
        "top_colour": _COLOUR_OR_NONE[event.top_colour],
        "other": None if event.other == NO_SEAT else event.other,
    }


def _names_in(mask: int) -> list[str]:
    """The cards of a mask, in the order of the types."""
    names = []
    while mask:
        lowest = mask & -mask
        names.append(_NAMES[lowest.bit_length() - 1])
        mask ^= lowest
    return names


# -- reading --


@reads("view")
def view_from(message: Message, game: Message) -> View:
    """The view that a message describes, but for its random stream, which is 0; `game` is the message that opened the deal."""
    players = whole(game, "players", 2, MAX_PLAYERS)
    view = copy_record(_template(game["rules"]["text"], players))
    seat = view.seat = whole(message, "seat", 0, players - 1)
    view.current = whole(message, "current", 0, players - 1)
    view.phase = _PHASES[message["phase"]]
    view.turn = whole(message, "turn", 0)
    hand = cards(message, "hand", _CARDS, MAX_CARDS)
    view.hand0, view.hand1, view.hand2 = _planes_of(hand)
    if message["ordered"]:
        view.order[: len(hand)] = hand
    for card in cards(message, "playable", _CARDS, CARD_TYPES):
        view.playable_types |= 1 << card
    view.drawn = NO_CARD if message["drawn"] is None else _CARDS[message["drawn"]]
    view.top, view.colour = _CARDS[message["top"]], _FROM_COLOUR[message["colour"]]
    view.match = match_mask(view.top, view.colour)
    view.direction = -1 if message["direction"] == -1 else whole(message, "direction", 1, 1)
    view.dealer = whole(message, "dealer", 0, players - 1)
    view.sizes[:players] = wholes(message, "hand_sizes", players, 0, MAX_CARDS)
    if view.sizes[seat] != len(hand):
        raise BadValue(f"hand has {len(hand)} cards, but hand_sizes says {view.sizes[seat]} for seat {seat}.")
    view.pile_size = whole(message, "pile_size", 0, MAX_CARDS)
    discard = cards(message, "discard", _CARDS, MAX_CARDS)
    view.discard[: len(discard)] = discard
    view.discard_size = len(discard)
    known = message["known"]
    if len(known) != players:
        raise BadValue(f"known has {len(known)} entries for {players} players.")
    for other in range(players):
        if known[other]:
            view.known0[other], view.known1[other], view.known2[other] = _planes_of(cards(known, other, _CARDS, MAX_CARDS))
    view.scores[:players] = wholes(message, "scores", players, 0)
    view.player = NO_SEAT if message["player"] is None else whole(message, "player", 0, players - 1)
    view.stack = whole(message, "stack", 0, MAX_CARDS)
    view.may_challenge = int(bool(message["may_challenge"]))
    view.status = _STATUSES[message["status"]]
    view.winner = NO_CARD if message["winner"] is None else whole(message, "winner", 0, players - 1)
    view.points = whole(message, "points", 0)
    return view


@reads("event")
def event_from(message: Message) -> Event:
    """The event that a message describes."""
    event = Event()
    event.kind = _KINDS[message["kind"]]
    event.seat = whole(message, "seat", 0, MAX_PLAYERS - 1)
    event.card = NO_CARD if message["card"] is None else _CARDS[message["card"]]
    event.colour = _FROM_COLOUR[message["colour"]]
    event.count = whole(message, "count", 0, MAX_CARDS)
    event.drawn = int(bool(message["drawn"]))
    event.top = NO_CARD if message["top"] is None else _CARDS[message["top"]]
    event.top_colour = _FROM_COLOUR[message["top_colour"]]
    event.other = NO_SEAT if message["other"] is None else whole(message, "other", 0, MAX_PLAYERS - 1)
    return event


@cache
def _template(rules: str, players: int) -> View:
    """A view with everything in it that the rules decide."""
    if not isinstance(rules, str) or rules.partition(",")[0].endswith(".toml"):  # what a referee sends never names a file
        raise BadValue(f"rules '{rules}' are not understood; they begin with a preset.")
    view: View = copy_record(new_state(parse_rules(rules), players), View)
    return view


def _planes_of(held: list[int]) -> Planes:
    planes: Planes = (0, 0, 0)
    for card in held:
        planes = add_to_planes(*planes, 1 << card)
    if size_of(planes) != len(held):
        raise BadValue("a hand holds more copies of a card than there can be.")
    return planes


WIRE = Wire(rules_message, view_message, event_message, view_from, event_from)
