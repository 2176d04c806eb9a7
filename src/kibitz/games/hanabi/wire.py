"""What a seat may see as messages of the protocol, and back: plain dicts that JSON can carry, with names instead of numbers.

The referee writes views and events with these functions; a client in Python reads them back into the records that our own
bots know. Whatever the rules decide stands in the message that opens a game, not in every view. The viewer's random stream
is never part of a message: it leads back to the deal.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record
from kibitz.games.contract import Wire
from kibitz.games.hanabi.cards import (
    CARD_TYPES,
    COLOUR_LETTERS,
    COLOUR_OF,
    HIDDEN,
    HINT_COLOUR,
    HINT_RANK,
    MAX_CARDS,
    MAX_HAND,
    MAX_LIVES,
    MAX_PLAYERS,
    MAX_RANKS,
    MAX_TOKENS,
    MOVE_KINDS,
    NO_CARD,
    PLAY,
    RANK_OF,
)
from kibitz.games.hanabi.engine import clear_slot
from kibitz.games.hanabi.names import card_name, move_from_name, move_name
from kibitz.games.hanabi.rules import SWITCHES, Rules, parse_rules
from kibitz.games.hanabi.state import Event, new_state
from kibitz.games.hanabi.view import PLAYING, STATUS_NAMES, View
from kibitz.games.message_fields import Message, cards, reads, whole

KIND_NAMES = tuple(name.replace(" ", "_") for name in MOVE_KINDS)

_NAMES = tuple(card_name(card) for card in range(CARD_TYPES))
_CARDS = {name: card for card, name in enumerate(_NAMES)}
_SHOWN: dict[int, str | None] = {**dict(enumerate(_NAMES)), HIDDEN: None}
_FROM_SHOWN: dict[str | None, int] = {name: card for card, name in _SHOWN.items()}
_MASKS = range(1 << MAX_RANKS)
_COLOURS = tuple("".join(letter for place, letter in enumerate(COLOUR_LETTERS) if mask >> place & 1) for mask in _MASKS)
_RANKS = tuple("".join(str(rank + 1) for rank in range(MAX_RANKS) if mask >> rank & 1) for mask in _MASKS)
_SLOTS = tuple([slot for slot in range(MAX_HAND) if mask >> slot & 1] for mask in _MASKS)
_FROM_COLOURS = {text: mask for mask, text in enumerate(_COLOURS)}
_FROM_RANKS = {text: mask for mask, text in enumerate(_RANKS)}
_STATUSES = {name: status for status, name in enumerate(STATUS_NAMES)}
_KINDS = {name: kind for kind, name in enumerate(KIND_NAMES)}

# -- writing --


def rules_message(rules: Rules) -> dict[str, Any]:
    """The rules: as text, the deck as counts by card, and every switch by name."""
    deck = {_NAMES[card]: count for card, count in enumerate(rules.deck) if count}
    return {"text": rules.to_text(), "deck": deck, **{name: getattr(rules, name) for name in SWITCHES}}


def view_message(view: View) -> dict[str, Any]:
    """All that a seat may see."""
    return {
        "seat": view.seat,
        "current": view.current,
        "turn": view.turn,
        "score": view.score,
        "tokens": view.tokens,
        "lives": view.lives,
        "deck_size": view.deck_size,
        "turns_left": None if view.turns_left < 0 else view.turns_left,
        "fireworks": dict(zip(COLOUR_LETTERS[: view.colours], view.fireworks, strict=False)),
        "hands": [_hand(view, seat) for seat in range(view.players)],
        "discards": [_NAMES[card] for card, count in enumerate(view.discards) for _ in range(count)],
        "last": _last(view),
        "status": STATUS_NAMES[view.status],
    }


def _hand(view: View, seat: int) -> list[dict[str, Any]]:
    """A hand, oldest card first, with what hints have told of each card."""
    first = seat * MAX_HAND
    return [
        {
            "card": _SHOWN[view.cards[where]],
            "colours": _COLOURS[view.colour_masks[where]],
            "ranks": _RANKS[view.rank_masks[where]],
            "colour_told": view.named_colours[where] != 0,
            "rank_told": view.named_ranks[where] != 0,
            "place": view.places[where],
        }
        for where in range(first, first + view.sizes[seat])
    ]


def _last(view: View) -> dict[str, Any] | None:
    """The last move."""
    if view.last_move < 0:
        return None
    return {
        "move": move_name(view, view.last_move),
        "seat": view.last_seat,
        "card": None if view.last_card == NO_CARD else _NAMES[view.last_card],
        "touched": list(_SLOTS[view.last_touched]),
        "success": view.last_success != 0,
        "token": view.last_gained != 0,
    }


def event_message(view: View, event: Event) -> dict[str, Any]:
    """A move, as everybody saw it; the same for every viewer."""
    kind = event.kind
    message: dict[str, Any] = {"kind": KIND_NAMES[kind], "seat": event.seat}
    if kind == HINT_COLOUR:
        return {**message, "target": event.target, "colour": COLOUR_LETTERS[event.value], "touched": list(_SLOTS[event.touched])}
    if kind == HINT_RANK:
        return {**message, "target": event.target, "rank": event.value + 1, "touched": list(_SLOTS[event.touched])}
    message |= {"slot": event.slot, "card": _NAMES[event.card]}
    return {**message, "success": event.outcome > 0, "token": event.outcome > 1} if kind == PLAY else message


# -- reading --


@reads("view")
def view_from(message: Message, game: Message) -> View:
    """The view that a message describes, but for its random stream, which is 0; `game` is the message that opened the game."""
    players = whole(game, "players", 2, MAX_PLAYERS)
    view = copy_record(_template(game["rules"]["text"], players))
    view.seat = whole(message, "seat", 0, players - 1)
    view.current = whole(message, "current", 0, players - 1)
    view.turn = whole(message, "turn", 0)
    view.score = whole(message, "score", 0, CARD_TYPES)
    view.tokens = whole(message, "tokens", 0, MAX_TOKENS)
    view.lives = whole(message, "lives", 0, MAX_LIVES)
    view.deck_size = whole(message, "deck_size", 0, MAX_CARDS)
    view.turns_left = -1 if message["turns_left"] is None else whole(message, "turns_left", 0, players)
    for colour in range(view.colours):
        view.fireworks[colour] = whole(message["fireworks"], COLOUR_LETTERS[colour], 0, view.ranks)
    _read_hands(view, message["hands"])
    for card in cards(message, "discards", _CARDS, MAX_CARDS):
        view.discards[card] += 1
    view.status = _STATUSES[message["status"]]
    _read_last(view, message["last"])
    if view.seat == view.current and view.status == PLAYING:
        view.legal_moves = _legal_moves(view)
    return view


def _read_hands(view: View, hands: Any) -> None:
    if len(hands) != view.players or any(len(hand) > view.hand_size for hand in hands):
        raise BadValue(f"hands is not accepted; it is {view.players} lists of at most {view.hand_size} cards.")
    for seat, hand in enumerate(hands):
        view.sizes[seat] = len(hand)
        for where, held in enumerate(hand, seat * MAX_HAND):
            view.cards[where] = _FROM_SHOWN[held["card"]]
            view.colour_masks[where] = _FROM_COLOURS[held["colours"]]
            view.rank_masks[where] = _FROM_RANKS[held["ranks"]]
            view.named_colours[where] = int(bool(held["colour_told"]))
            view.named_ranks[where] = int(bool(held["rank_told"]))
            view.places[where] = whole(held, "place", 0, MAX_CARDS - 1)


def _read_last(view: View, last: Any) -> None:
    if last is None:
        return
    view.last_move = move_from_name(view, last["move"])
    view.last_seat = whole(last, "seat", 0, view.players - 1)
    view.last_card = NO_CARD if last["card"] is None else _CARDS[last["card"]]
    view.last_touched = _touched(last)
    view.last_success = int(bool(last["success"]))
    view.last_gained = int(bool(last["token"]))


def _legal_moves(view: View) -> int:
    """The moves of the viewer, whose turn it is, a bit for each: hints must touch a card, and the others' cards are in sight."""
    moves = 0
    for slot in range(view.sizes[view.seat]):
        moves |= 1 << view.play(slot)
        if view.tokens < view.max_tokens or view.discard_when_full:
            moves |= 1 << view.discard(slot)
    for seat in range(view.players):
        if seat == view.seat or view.tokens == 0:
            continue
        for slot in range(view.sizes[seat]):
            card = view.card(seat, slot)
            if card >= CARD_TYPES:
                raise BadValue(f"hands hides a card of seat {seat} from seat {view.seat}.")
            moves |= 1 << view.hint_colour(seat, COLOUR_OF[card]) | 1 << view.hint_rank(seat, RANK_OF[card])
    return moves


@reads("event")
def event_from(message: Message) -> Event:
    """The event that a message describes."""
    event = Event()
    kind = event.kind = _KINDS[message["kind"]]
    event.seat = whole(message, "seat", 0, MAX_PLAYERS - 1)
    event.slot = event.card = event.target = event.value = NO_CARD
    event.touched = event.outcome = 0
    if kind in (HINT_COLOUR, HINT_RANK):
        event.target = whole(message, "target", 0, MAX_PLAYERS - 1)
        event.touched = _touched(message)
        event.value = COLOUR_LETTERS.index(message["colour"]) if kind == HINT_COLOUR else whole(message, "rank", 1, MAX_RANKS) - 1
        return event
    event.slot = whole(message, "slot", 0, MAX_HAND - 1)
    event.card = _CARDS[message["card"]]
    if kind == PLAY:
        event.outcome = int(bool(message["success"])) + int(bool(message["token"]))
    return event


def _touched(message: Message) -> int:
    """Slots as a mask."""
    slots = message["touched"]
    if slots not in _SLOTS:
        raise BadValue(f"touched={slots!r:.80} is not accepted; it is a list of slots from 0 to {MAX_HAND - 1}, lowest first.")
    return _SLOTS.index(slots)


@cache
def _template(rules: str, players: int) -> View:
    """A view with everything in it that the rules decide, and no card in any hand."""
    state = new_state(parse_rules(rules), players)
    for where in range(MAX_PLAYERS * MAX_HAND):
        clear_slot(state, where)
    state.last_move = state.last_seat = -1
    state.last_card = NO_CARD
    view: View = copy_record(state, View)
    return view


WIRE = Wire(rules_message, view_message, event_message, view_from, event_from)
