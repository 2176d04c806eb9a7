"""The conventions of SmartBot in Hanabi: what every move tells everybody about the cards in the hands.

`begin_knowledge` sets a `SmartKnowledge` up at any position; `read_event` reads a move on the table as it was before, then carries it out.
All players who follow the conventions come to the same record. The policy is in `smart_policy`.

No set is ever empty. Where players break the conventions, a set that would become empty falls back to what hints and the cards that are gone
leave, which always holds the true card.
"""

from __future__ import annotations

from kibitz.core.jit import Word, inline, number, popcount
from kibitz.core.layouts import Long
from kibitz.games.hanabi.cards import DISCARD, HINT_RANK, MAX_HAND, PLAY, RANK_OF
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import TYPES_OF_COLOURS, is_open, is_single, is_sure, one_fewer, type_bit, types_of_rank
from kibitz.policies.hanabi.public_knowledge import (
    PublicKnowledge,
    begin_table,
    by_hints,
    copy_public,
    mask_of,
    narrowed,
    next_seat,
    replace_card,
)

NONE = -1  # no slot, no seat, no card

# What a move means beyond what it says.
NOTHING = 0
SHOWS = 1  # a hint shows a card to be playable
NEWEST = 2  # a hint means the newest touched card that may be playable
WARNING = 3  # a hint warns of discarding a card
PASSES = 4  # a hint only passes the turn
TWIN = 5  # a discard points out the same card in another hand
_ZERO = Word(0)


class SmartKnowledge(PublicKnowledge):
    """What everybody knows by the conventions."""

    broken: Long  # 1 once it shows that somebody does not follow them


# -- what everybody expects --


def next_discard(knowledge: SmartKnowledge, seat: int) -> int:
    """The slot that a player is expected to discard, NONE if it knows a card to play or to throw away.

    It is the card with the highest share of dead types, the oldest of equals, among those that are not known to be last copies.
    """
    best, best_dead, best_types = NONE, 0, 1
    for slot in range(knowledge.sizes[seat]):
        mask = mask_of(knowledge, seat, slot)
        if is_sure(mask, knowledge.playable) or is_sure(mask, knowledge.dead):
            return NONE
        if not is_sure(mask, knowledge.last):
            dead, types = popcount(mask & knowledge.dead), popcount(mask)
            if best == NONE or dead * best_types > best_dead * types:
                best, best_dead, best_types = slot, dead, types
    return best


@inline
def could_be_last(knowledge: SmartKnowledge, mask: int, rank: int) -> bool:
    """Whether it is open that a card is a last copy, and it could be one of this rank."""
    return is_open(mask, knowledge.last) and mask & types_of_rank(rank) & knowledge.last != _ZERO


# -- a game --


def begin_knowledge(view: View, knowledge: SmartKnowledge) -> None:
    """Take over any position: of each card only hints are known, as if they had come without a meaning."""
    begin_table(view, knowledge)
    knowledge.broken = 0
    eliminate(knowledge)


def copy_knowledge(source: SmartKnowledge, target: SmartKnowledge) -> None:
    """Let one record be as another."""
    copy_public(source, target)
    target.broken = source.broken


def eliminate(knowledge: SmartKnowledge) -> None:
    """Drop the types of which every copy is gone or known to be in a hand, again and again as cards become known by it."""
    found = True
    while found:
        found = False
        ones, twos = knowledge.ones, knowledge.twos
        for seat in range(knowledge.players):
            for where in range(seat * MAX_HAND, seat * MAX_HAND + knowledge.sizes[seat]):
                mask = knowledge.masks[where]
                if is_single(mask):
                    ones, twos = one_fewer(ones, twos, mask)
        free = ones | twos
        for seat in range(knowledge.players):
            for where in range(seat * MAX_HAND, seat * MAX_HAND + knowledge.sizes[seat]):
                mask = knowledge.masks[where]
                if not is_sure(mask, free) and not is_single(mask):
                    mask &= free
                    if mask == _ZERO:
                        mask = by_hints(knowledge, where)
                        knowledge.broken = 1
                    knowledge.masks[where] = mask
                    if is_single(mask):
                        found = True


# -- reading moves --


def read_event(knowledge: SmartKnowledge, event: Event, cards: list[int], viewer: int) -> tuple[int, int]:
    """Read whatever a player did: what it means, from NOTHING to TWIN, and the card meant, by seat and slot, or NONE.

    `cards` are those of all hands after it, by seat and slot; the viewer's own are not looked at. A search that keeps one record for all
    seats passes the player who moved as the viewer.
    """
    seat, slot, card = number(event.seat), number(event.slot), number(event.card)
    if event.kind == DISCARD:
        return read_discard(knowledge, seat, slot, card, finesse_holder(knowledge, cards, viewer, seat, card))
    if event.kind == PLAY:
        read_play(knowledge, seat, slot, card, event.outcome > 0)
        return NOTHING, NONE
    return read_hint(knowledge, seat, number(event.target), event.kind == HINT_RANK, number(event.value), number(event.touched))


def read_silence(knowledge: SmartKnowledge, seat: int) -> None:
    """A player who could have warned the next one of a discard, and did not, says that the card is no last copy."""
    if knowledge.deck_size > 0 and knowledge.tokens > 0:
        following = next_seat(knowledge, seat)
        slot = next_discard(knowledge, following)
        if slot >= 0:
            knowledge.masks[following * MAX_HAND + slot] = mask_of(knowledge, following, slot) & ~knowledge.last


def read_discard(knowledge: SmartKnowledge, seat: int, slot: int, card: int, holder: int) -> tuple[int, int]:
    """Read the discard of a card, and carry it out; its meaning as `read_event` tells it.

    `holder` is the seat whose newest card the discard points out if it is a finesse, as `finesse_holder` finds it, or NONE.
    """
    read_silence(knowledge, seat)
    meant = type_bit(card)
    meaning, where = NOTHING, NONE
    if holder >= 0 and mask_of(knowledge, seat, slot) == meant and meant & knowledge.playable != _ZERO:
        newest = holder * MAX_HAND + knowledge.sizes[holder] - 1
        if knowledge.masks[newest] & meant != _ZERO:
            knowledge.masks[newest] = meant
            meaning, where = TWIN, newest
    replace_card(knowledge, seat, slot, card, False)
    if knowledge.tokens < knowledge.max_tokens:
        knowledge.tokens += 1
    eliminate(knowledge)
    return meaning, where


def finesse_holder(knowledge: SmartKnowledge, cards: list[int], viewer: int, seat: int, card: int) -> int:
    """Whose newest card is the same as one that a seat discards, as a viewer finds out: if it sees none, its own must be."""
    for other in range(knowledge.players):
        size = knowledge.sizes[other]
        if other != seat and other != viewer and size > 0 and number(cards[other * MAX_HAND + size - 1]) == card:
            return other
    return viewer if viewer != seat and knowledge.sizes[viewer] > 0 else NONE


def read_play(knowledge: SmartKnowledge, seat: int, slot: int, card: int, fits: bool) -> None:
    """Read the play of a card, and carry it out."""
    if not fits and is_sure(mask_of(knowledge, seat, slot), knowledge.playable):
        knowledge.broken = 1
    read_silence(knowledge, seat)
    replace_card(knowledge, seat, slot, card, fits)
    if not fits:
        knowledge.lives -= 1
    elif RANK_OF[card] + 1 == knowledge.ranks and knowledge.tokens < knowledge.max_tokens:
        knowledge.tokens += 1
    eliminate(knowledge)


def read_hint(knowledge: SmartKnowledge, giver: int, target: int, by_rank: bool, value: int, touched: int) -> tuple[int, int]:
    """Read a hint, and carry it out; its meaning as `read_event` tells it. `touched` has a bit for each slot.

    A rank hint may be a stall or a warning. Any other that shows no card to be playable means the newest touched card that may be.
    """
    following, first = next_seat(knowledge, giver), target * MAX_HAND
    playable = knowledge.playable
    meaning, where_meant = NOTHING, NONE
    if by_rank:
        slot = next_discard(knowledge, following)
        if knowledge.tokens == knowledge.max_tokens and giver == next_seat(knowledge, target) and touched & 1:
            meaning = PASSES
        elif target == following and slot >= 0 and touched >> slot & 1:
            mask = mask_of(knowledge, target, slot)
            if could_be_last(knowledge, mask, value):
                meaning, where_meant = WARNING, first + slot
                knowledge.masks[first + slot] = mask & knowledge.last
    named = types_of_rank(value) if by_rank else TYPES_OF_COLOURS[1 << value]
    guess = NONE
    for slot in range(knowledge.sizes[target] - 1, -1, -1):
        where = first + slot
        hit = touched >> slot & 1
        allowed = named if hit else ~named
        mask, after = knowledge.masks[where], narrowed(knowledge, where, allowed)
        if mask & after == _ZERO:
            knowledge.broken = 1
        knowledge.masks[where] = after
        knowledge.told[where] &= allowed
        if is_open(mask, playable):
            if is_sure(after, playable):
                if meaning == NOTHING:
                    meaning, where_meant = SHOWS, where
            elif hit and guess == NONE and is_open(after, playable):
                guess = where
    if meaning == NOTHING and guess >= 0:
        meaning, where_meant = NEWEST, guess
        knowledge.masks[guess] &= playable
    if target != following:
        read_silence(knowledge, giver)
    knowledge.tokens -= 1
    eliminate(knowledge)
    return meaning, where_meant


def cards_shown(masks: list[int], playable: int, after: SmartKnowledge, target: int) -> list[int]:
    """The cards of a player, by seat and slot, that a hint shows to be playable: `masks` and `playable` are those before it. Not compiled."""
    first = target * MAX_HAND
    return [
        place
        for place in range(first, first + after.sizes[target])
        if is_open(masks[place], playable) and is_sure(after.masks[place], playable)
    ]
