"""How each card of Hanabi came to be known: what every move has told about it, and words for that.

Reasons of bots that follow a convention (`smart_reasons`, `hat_reasons`) look here when a decision is explained. Nothing is compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from kibitz.core.layouts import blank
from kibitz.core.sentences import listed
from kibitz.games.hanabi.cards import CARD_TYPES, COLOUR_OF, COLOURS, DISCARD, HINT_COLOUR, HINT_RANK, MAX_HAND, RANK_OF
from kibitz.games.hanabi.names import card_name, seat_words
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import is_sure
from kibitz.policies.hanabi.public_knowledge import PublicKnowledge

FEW = 4  # so many cards are named one by one


class News(NamedTuple):
    """What a move told everybody about a card."""

    turn: int
    kind: int  # of the move: DISCARD, PLAY, HINT_COLOUR or HINT_RANK
    seat: int  # who made it
    card: int  # that was played or discarded
    target: int  # who got the hint
    value: int  # the colour or rank it named
    touched: bool  # whether the hint touched this card
    meaning: int  # what the move means for this card by a convention, beyond what it says; 0 for nothing
    before: int  # the types that the card might have before the move, and after
    after: int
    playable: int  # the types that fitted before the move


class CardStories:
    """Follows a game with a bot that keeps public knowledge, and keeps the news about every card."""

    def __init__(self) -> None:
        self._news: dict[int, list[News]] = {}  # by the card's place in the deck
        self._masks: dict[int, int] = {}
        self._playable = 0

    def begin(self, view: View, knowledge: PublicKnowledge) -> None:
        """Start at any position; what led to it stays unknown."""
        self._news = {}
        self._look(view, knowledge)

    def observe(self, view: View, event: Event, knowledge: PublicKnowledge, meant: int = -1, meaning: int = 0) -> None:
        """Note what a move has changed; `meant` is the card, by seat and slot, for which it has a meaning by a convention."""
        is_hint = event.kind in (HINT_COLOUR, HINT_RANK)
        marked = {view.places[event.target * MAX_HAND + slot]: slot for slot in range(view.size(event.target))} if is_hint else {}
        pointed = view.places[meant] if meant >= 0 else -1
        before, playable = self._masks, self._playable
        self._look(view, knowledge)
        facts = (view.turn - 1, event.kind, event.seat, event.card, event.target, event.value)
        for place, after in self._masks.items():
            if place in before and after != before[place]:
                slot = marked.get(place, -1)
                touched = slot >= 0 and bool(event.touched >> slot & 1)
                self._news.setdefault(place, []).append(
                    News(*facts, touched, meaning if place == pointed else 0, before[place], after, playable)
                )

    def _look(self, view: View, knowledge: PublicKnowledge) -> None:
        self._masks = {
            view.places[where]: int(knowledge.masks[where])
            for seat in range(view.players)
            for where in range(seat * MAX_HAND, seat * MAX_HAND + view.size(seat))
        }
        self._playable = int(knowledge.playable)

    def settled(self, view: View, seat: int, slot: int, within: int) -> News | None:
        """The news after which a card was one of some types for certain; None if that wasn't heard."""
        news = self._news.get(view.places[seat * MAX_HAND + slot], [])
        return next((each for each in news if is_sure(each.after, within)), None)

    def cause(self, view: View, known: PublicKnowledge, slot: int, told: Callable[[View, News], str]) -> str:
        """How the viewer knows that a card fits; `told` says what a move told about it."""
        where, playable = view.seat * MAX_HAND + slot, known.playable
        if not is_sure(known.masks[where], playable):
            return "the cards in the other hands rule out everything else, which only this player sees"
        news = self.settled(view, view.seat, slot, playable)
        if news is None:
            return "hints and the cards on the table leave nothing else"
        return f"{told(view, news)}{'' if is_sure(news.after, news.playable) else ', and now it fits'}"


# -- words --


def named_types(types: int) -> list[str]:
    """The names of some types: `R1`."""
    return [card_name(card) for card in range(CARD_TYPES) if types >> card & 1]


def types_words(types: int, all_of_them: str) -> str:
    """What a card may be, and what holds for all of that: `it is R1`, `it is R1 or G2, and both fit`, `it may be 7 cards, and all of them fit`."""
    names = named_types(types)
    if len(names) == 1:
        return f"it is {names[0]}"
    if len(names) <= FEW:
        return f"it is {listed(names, 'or')}, and {'both' if len(names) == 2 else 'all'} {all_of_them}"
    return f"it may be any of {len(names)} cards, and all {all_of_them}"


def slot_words(slot: int) -> str:
    """A slot as people count: `slot 1`."""
    return f"slot {slot + 1}"


def slots_words(slots: list[int]) -> str:
    """Several slots: `slots 1 and 3`."""
    return slot_words(slots[0]) if len(slots) == 1 else f"slots {listed([str(slot + 1) for slot in slots])}"


def told_words(kind: int, value: int) -> str:
    """What a hint names: `red`, or a rank."""
    return COLOURS[value] if kind == HINT_COLOUR else str(value + 1)


def move_of_news(view: View, news: News) -> str:
    """The move that told something: `the hint red of turn 14`."""
    if news.kind in (HINT_COLOUR, HINT_RANK):
        to = "" if news.target == view.seat or view.players == 2 else f" to {seat_words(view, news.target)}"
        return f"the hint {told_words(news.kind, news.value)}{to} of turn {news.turn}"
    return f"the {'discard' if news.kind == DISCARD else 'play'} of turn {news.turn}"


# -- moves --


def event_of(view: View, move: int) -> Event:
    """A hint, play or discard of the viewer as everybody would see it; the card itself is unknown."""
    event = blank(Event)
    event.kind, event.seat = view.move_kind(move), view.seat
    if event.kind not in (HINT_COLOUR, HINT_RANK):
        event.slot = move % view.hand_size
        return event
    code = move - 2 * view.hand_size
    values = view.colours
    if event.kind == HINT_RANK:
        code, values = code - (view.players - 1) * view.colours, view.ranks
    event.target, event.value = view.seat_after(code // values + 1), code % values
    of = COLOUR_OF if event.kind == HINT_COLOUR else RANK_OF
    event.touched = sum(1 << slot for slot in range(view.size(event.target)) if of[view.card(event.target, slot)] == event.value)
    return event
