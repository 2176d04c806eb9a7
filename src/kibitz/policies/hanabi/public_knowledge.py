"""Public knowledge in Hanabi: how the table stands, and the types that everybody takes each card for.

A bot whose conventions give moves a meaning keeps such a record in its memory, and a search keeps one for all seats. What a player sees in
other hands has no part in it: public events change all records in the same way, so they stay equal. `begin_table` sets it up at any
position; what moves mean is a matter of the conventions. Sets of types are masks, see `card_sets`.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import Word, inline, number
from kibitz.core.layouts import Long
from kibitz.core.twins import numbers_copier
from kibitz.games.hanabi.cards import HAND_CARDS, MAX_HAND, MAX_PLAYERS
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import EVERY_TYPE, TYPES_OF_COLOURS, TYPES_OF_RANKS, CardSets, begin_sets, remove_card

_ZERO = Word(0)

HandMasks = Annotated[list[int], "u8", HAND_CARDS]


class PublicKnowledge(CardSets):
    """What everybody at the table knows. Sets go by seat and slot, MAX_HAND slots per seat, oldest card first."""

    masks: HandMasks  # the types that each card may have by hints, counting and what moves mean; never none
    told: HandMasks  # by hints alone
    sizes: Annotated[list[int], "i8", MAX_PLAYERS]  # cards in each hand
    players: Long
    hand_size: Long
    colours: Long
    ranks: Long
    tokens: Long
    max_tokens: Long
    lives: Long
    deck_size: Long
    discard_when_full: Long


def begin_table(view: View, knowledge: PublicKnowledge) -> None:
    """Take over any position: of each card only hints are known, as if they had come without a meaning."""
    begin_sets(view, knowledge)
    knowledge.players = number(view.players)
    knowledge.hand_size = number(view.hand_size)
    knowledge.colours = number(view.colours)
    knowledge.ranks = number(view.ranks)
    knowledge.tokens = number(view.tokens)
    knowledge.max_tokens = number(view.max_tokens)
    knowledge.lives = number(view.lives)
    knowledge.deck_size = number(view.deck_size)
    knowledge.discard_when_full = number(view.discard_when_full)
    for seat in range(knowledge.players):
        knowledge.sizes[seat] = view.size(seat)
        for slot in range(view.size(seat)):
            where = seat * MAX_HAND + slot
            knowledge.told[where] = TYPES_OF_COLOURS[view.colour_mask(seat, slot)] & TYPES_OF_RANKS[view.rank_mask(seat, slot)]
            knowledge.masks[where] = by_hints(knowledge, where)


copy_public_numbers = numbers_copier(PublicKnowledge)


def copy_public(source: PublicKnowledge, target: PublicKnowledge) -> None:
    """Let one record be as another."""
    copy_public_numbers(source, target)
    for where in range(source.players * MAX_HAND):
        target.masks[where] = source.masks[where]
        target.told[where] = source.told[where]
    for seat in range(source.players):
        target.sizes[seat] = source.sizes[seat]


def replace_card(knowledge: PublicKnowledge, seat: int, slot: int, card: int, fits: bool) -> None:
    """A card has left a hand, onto its pile if it fits: newer ones move down, and another is drawn if there is one."""
    remove_card(knowledge, card, fits)
    last = seat * MAX_HAND + knowledge.sizes[seat] - 1
    for where in range(seat * MAX_HAND + slot, last):
        knowledge.masks[where] = knowledge.masks[where + 1]
        knowledge.told[where] = knowledge.told[where + 1]
    if knowledge.deck_size > 0:
        knowledge.deck_size -= 1
        knowledge.told[last] = EVERY_TYPE
        knowledge.masks[last] = by_hints(knowledge, last)
    else:
        knowledge.sizes[seat] -= 1


@inline
def by_hints(knowledge: PublicKnowledge, where: int) -> int:
    """The types that hints and the cards that are gone leave for a card, whatever else moves are taken to mean: the true one is among them."""
    return knowledge.told[where] & (knowledge.ones | knowledge.twos)


@inline
def narrowed(knowledge: PublicKnowledge, where: int, allowed: int) -> int:
    """The types that a card may have after a hint that leaves only these; what hints leave, if a meaning contradicts the hint."""
    mask = knowledge.masks[where] & allowed
    return mask if mask != _ZERO else by_hints(knowledge, where) & allowed


@inline
def next_seat(knowledge: PublicKnowledge, seat: int) -> int:
    """Who is to act after a seat."""
    return 0 if seat + 1 == knowledge.players else seat + 1


@inline
def mask_of(knowledge: PublicKnowledge, seat: int, slot: int) -> int:
    """The types that a card may have."""
    return knowledge.masks[seat * MAX_HAND + slot]


@inline
def may_discard(knowledge: PublicKnowledge) -> bool:
    """Whether the rules allow a discard now."""
    return knowledge.tokens < knowledge.max_tokens or knowledge.discard_when_full != 0
