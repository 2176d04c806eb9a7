"""Forgiveness: what a player of SmartBot's conventions believes when others break them.

`read_forgiving` stands around `read_event`. It notes what a message promises about a card and compares the two when the card leaves its
hand. A player whose promise was false is taken literally until another one was true. A player who does not do what a message asks is
taken to read hints literally. All of this follows from public events, so players who forgive still agree.

Among players who follow the conventions every promise is true and every message is heeded, and nothing here changes a set.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import Word, inline, number
from kibitz.games.hanabi.cards import DISCARD, HAND_CARDS, MAX_HAND, MAX_PLAYERS, PLAY
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import is_single, is_sure, type_bit
from kibitz.policies.hanabi.public_knowledge import HandMasks, by_hints, next_seat
from kibitz.policies.hanabi.smart_conventions import (
    NEWEST,
    NOTHING,
    TWIN,
    WARNING,
    SmartKnowledge,
    begin_knowledge,
    eliminate,
    next_discard,
    read_event,
)

MOST_DOUBTS = 3  # so that nobody is doubted for the rest of a game
LAST_GAMBLES = 3  # with so many cards in the deck or fewer, a play that fails may have been a gamble
_ZERO = Word(0)

SeatCounts = Annotated[list[int], "i8", MAX_PLAYERS]


class ForgivingKnowledge(SmartKnowledge):
    """What everybody knows by the conventions, and how far each player keeps to them."""

    meant: SeatCounts  # by seat: the slots that a message was about, a bit for each
    promised: HandMasks  # the types that it left for such a card
    promised_by: Annotated[list[int], "i8", HAND_CARDS]  # whose message it was
    before: HandMasks  # once a convention was broken: the sets before the last move, of the cards that are there after it
    strange: SeatCounts  # 1 for a player who has broken one
    doubts: SeatCounts  # how many promises must come true until a player is believed again
    deaf: SeatCounts  # how many messages a player must act on until it is taken to understand them again


def begin_forgiving(view: View, knowledge: ForgivingKnowledge) -> None:
    """Take over any position, with trust in everybody."""
    begin_knowledge(view, knowledge)
    for seat in range(MAX_PLAYERS):
        knowledge.meant[seat] = knowledge.strange[seat] = knowledge.doubts[seat] = knowledge.deaf[seat] = 0


def read_forgiving(knowledge: ForgivingKnowledge, event: Event, cards: list[int], viewer: int) -> tuple[int, int]:
    """Read whatever a player did, as `read_event` does, but believe it only as far as the player can be relied on."""
    seat = number(event.seat)
    is_hint = event.kind != PLAY and event.kind != DISCARD
    if event.kind != PLAY and knowledge.meant[seat]:
        notice_neglect(knowledge, event)
    if not is_hint:
        reveal(knowledge, event)
    was_broken, late = knowledge.broken, knowledge.deck_size == 0
    if was_broken:
        keep_masks(knowledge, event)
    meaning, where = read_event(knowledge, event, cards, viewer)
    if meaning == NEWEST or meaning == WARNING or meaning == TWIN:
        if not is_sure(by_hints(knowledge, where), knowledge.masks[where]):
            knowledge.meant[where // MAX_HAND] |= 1 << where % MAX_HAND
            knowledge.promised[where] = knowledge.masks[where]
            knowledge.promised_by[where] = seat
    elif meaning == NOTHING and is_hint and not late:
        note_breach(knowledge, seat)  # nobody gives such a hint who follows the conventions
    if was_broken:
        withdraw(knowledge, event)
    return meaning, where


# -- breaches --


def note_breach(knowledge: ForgivingKnowledge, seat: int) -> None:
    """A player has broken a convention."""
    knowledge.strange[seat] = knowledge.broken = 1


def notice_neglect(knowledge: ForgivingKnowledge, event: Event) -> None:
    """See whether a player who does not play leaves a card that a message shows to be playable.

    The conventions allow it for a warning of the next player, and for a discard that points out the twin of a card.
    """
    seat, first = number(event.seat), number(event.seat) * MAX_HAND
    neglected = False
    for slot in range(knowledge.sizes[seat]):
        if knowledge.meant[seat] >> slot & 1 and is_sure(knowledge.masks[first + slot], knowledge.playable):
            neglected = neglected or not is_sure(by_hints(knowledge, first + slot), knowledge.playable)
    if not neglected or knowledge.deck_size == 0:
        return
    if event.kind == DISCARD:
        mask = knowledge.masks[first + number(event.slot)]
        neglected = not (is_single(mask) and is_sure(mask, knowledge.playable))
    else:
        following = next_seat(knowledge, seat)
        neglected = number(event.target) != following or next_discard(knowledge, following) < 0
    if neglected:
        note_breach(knowledge, seat)
        knowledge.deaf[seat] = min(knowledge.deaf[seat] + 1, MOST_DOUBTS)
        forget_hand(knowledge, seat)


def reveal(knowledge: ForgivingKnowledge, event: Event) -> None:
    """Compare a card that leaves a hand with what was promised, and with what everybody took it for; then forget that promise."""
    seat, slot = number(event.seat), number(event.slot)
    where = seat * MAX_HAND + slot
    card, meant = type_bit(number(event.card)), knowledge.meant[seat]
    is_wrong = knowledge.masks[where] & card == _ZERO
    if meant >> slot & 1:
        speaker, promise = knowledge.promised_by[where], knowledge.promised[where]
        if promise & card == _ZERO:
            is_wrong = True
            note_breach(knowledge, speaker)
            knowledge.doubts[speaker] = min(knowledge.doubts[speaker] + 1, MOST_DOUBTS)
        else:
            knowledge.doubts[speaker] = max(knowledge.doubts[speaker] - 1, 0)
            if event.kind == PLAY and is_sure(promise, knowledge.playable) and not is_sure(by_hints(knowledge, where), knowledge.playable):
                knowledge.deaf[seat] = max(knowledge.deaf[seat] - 1, 0)
    elif is_wrong:
        note_breach(knowledge, (seat + knowledge.players - 1) % knowledge.players)  # whose silence said that it was no last copy
    if is_wrong:
        for other in range(knowledge.players):
            forget_hand(knowledge, other)
    elif event.kind == PLAY and event.outcome == 0 and knowledge.deck_size > LAST_GAMBLES:
        note_breach(knowledge, seat)
    if meant >> slot:  # newer cards move down
        for place in range(where, seat * MAX_HAND + knowledge.sizes[seat] - 1):
            knowledge.promised[place] = knowledge.promised[place + 1]
            knowledge.promised_by[place] = knowledge.promised_by[place + 1]
        older = (1 << slot) - 1
        knowledge.meant[seat] = (meant & older) | (meant >> 1 & ~older)


def forget_hand(knowledge: ForgivingKnowledge, seat: int) -> None:
    """Take a player's cards for what hints leave, but for promises that are still believed."""
    for slot in range(knowledge.sizes[seat]):
        where = seat * MAX_HAND + slot
        mask = by_hints(knowledge, where)
        if knowledge.meant[seat] >> slot & 1 and knowledge.deaf[seat] == 0 and knowledge.doubts[knowledge.promised_by[where]] == 0:
            promise = knowledge.promised[where] & mask
            mask = promise if promise != _ZERO else mask
        knowledge.masks[where] = mask


# -- messages that are not believed --


def keep_masks(knowledge: ForgivingKnowledge, event: Event) -> None:
    """Keep the sets before a move, in the order of the cards that are there after it."""
    for seat in range(knowledge.players):
        for where in range(seat * MAX_HAND, seat * MAX_HAND + knowledge.sizes[seat]):
            knowledge.before[where] = knowledge.masks[where]
    if event.kind == PLAY or event.kind == DISCARD:
        seat = number(event.seat)
        last = seat * MAX_HAND + knowledge.sizes[seat] - 1
        for where in range(seat * MAX_HAND + number(event.slot), last):
            knowledge.before[where] = knowledge.before[where + 1]
        knowledge.before[last] = ~_ZERO


@inline
def literal(knowledge: ForgivingKnowledge, where: int) -> int:
    """What the last move leaves for a card if it is taken literally."""
    mask = knowledge.before[where] & by_hints(knowledge, where)
    return mask if mask != _ZERO else by_hints(knowledge, where)


def withdraw(knowledge: ForgivingKnowledge, event: Event) -> None:
    """Take the last move literally if its player is not believed, and for hands of those who do not understand it.

    A player who has broken a convention says nothing by silence any more.
    """
    seat = number(event.seat)
    following = next_seat(knowledge, seat)
    is_hint = event.kind != PLAY and event.kind != DISCARD
    silent = knowledge.strange[seat] and not (is_hint and number(event.target) == following)
    changed = False
    for other in range(knowledge.players):
        if knowledge.doubts[seat] > 0 or knowledge.deaf[other] > 0 or (silent and other == following):
            for where in range(other * MAX_HAND, other * MAX_HAND + knowledge.sizes[other]):
                knowledge.masks[where] = literal(knowledge, where)
            changed = True
    if changed:
        eliminate(knowledge)
