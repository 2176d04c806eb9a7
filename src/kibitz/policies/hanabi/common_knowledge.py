"""Common knowledge in Hanabi by the conventions of SmartBot: which types everybody at the table takes each card for.

`CommonKnowledge` is all that is public: a set of types for every card of every hand, the piles, tokens, lives and the deck. What a player
sees in other hands has no part in it, so all players who follow the conventions hold the same record. `begin_knowledge` sets it up at any
position; `read_discard`, `read_play` and `read_hint` read a move on the table as it was before, then carry it out. The policy is in
`smart_policy`.

No set is ever empty. Where players break the conventions, a set that would become empty falls back to what hints and the cards that are gone
leave, which always holds the true card.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import Word, inline, number, popcount, word
from kibitz.core.layouts import Byte
from kibitz.games.hanabi.cards import HAND_CARDS, MAX_HAND, RANK_OF
from kibitz.games.hanabi.view import SeatBytes, View
from kibitz.policies.hanabi.card_sets import (
    EVERY_TYPE,
    FIRST_RANKS,
    TYPES_OF_COLOURS,
    TYPES_OF_RANKS,
    CardSets,
    begin_sets,
    is_single,
    one_fewer,
    remove_card,
    type_bit,
)

NONE = -1  # no slot, no seat
_ZERO = Word(0)

TypeSets = Annotated[list[int], "u4", HAND_CARDS]


class CommonKnowledge(CardSets):
    """What everybody at the table knows. Lists of sets go by seat and slot, MAX_HAND slots per seat, oldest card first."""

    masks: TypeSets  # the types that each card may have by hints, conventions and counting
    told: TypeSets  # by hints alone
    sizes: SeatBytes  # cards in each hand
    players: Byte
    hand_size: Byte
    colours: Byte
    ranks: Byte
    max_tokens: Byte
    tokens: Byte
    lives: Byte
    deck_size: Byte
    discard_when_full: Byte
    broken: Byte  # 1 once it shows that somebody does not follow the conventions


# -- tests of sets --


@inline
def is_open(types: int, within: int) -> bool:
    """Whether a card of these types may be one of others, and may not."""
    return types & within != _ZERO and types & ~within != _ZERO


@inline
def is_sure(types: int, within: int) -> bool:
    """Whether a card of these types is one of others for certain."""
    return types & ~within == _ZERO


@inline
def types_of_rank(rank: int) -> int:
    """All types of a rank."""
    return FIRST_RANKS << word(rank)


@inline
def mask_of(knowledge: CommonKnowledge, seat: int, slot: int) -> int:
    """The types that a card may have."""
    return word(knowledge.masks[seat * MAX_HAND + slot])


@inline
def next_seat(knowledge: CommonKnowledge, seat: int) -> int:
    """Who is to act after a seat."""
    following = seat + 1
    return 0 if following == number(knowledge.players) else following


# -- what everybody expects --


def next_discard(knowledge: CommonKnowledge, seat: int) -> int:
    """The slot that a player is expected to discard, NONE if it knows a card to play or to throw away.

    It is the card with the highest share of dead types, the oldest of equals, among those that are not known to be last copies.
    """
    best, best_dead, best_types = NONE, 0, 1
    for slot in range(number(knowledge.sizes[seat])):
        mask = mask_of(knowledge, seat, slot)
        if is_sure(mask, knowledge.playable) or is_sure(mask, knowledge.dead):
            return NONE
        if not is_sure(mask, knowledge.last):
            dead, types = popcount(mask & knowledge.dead), popcount(mask)
            if best == NONE or dead * best_types > best_dead * types:
                best, best_dead, best_types = slot, dead, types
    return best


@inline
def could_be_last(knowledge: CommonKnowledge, mask: int, rank: int) -> bool:
    """Whether it is open that a card is a last copy, and it could be one of this rank."""
    return is_open(mask, knowledge.last) and mask & types_of_rank(rank) & knowledge.last != _ZERO


# -- a game --


def begin_knowledge(view: View, knowledge: CommonKnowledge) -> None:
    """Take over any position: of each card only hints are known, as if they had come without a meaning."""
    begin_sets(view, knowledge)
    knowledge.players = view.players
    knowledge.hand_size = view.hand_size
    knowledge.colours = view.colours
    knowledge.ranks = view.ranks
    knowledge.max_tokens = view.max_tokens
    knowledge.tokens = view.tokens
    knowledge.lives = view.lives
    knowledge.deck_size = view.deck_size
    knowledge.discard_when_full = view.discard_when_full
    knowledge.broken = 0
    left = knowledge.ones | knowledge.twos
    for seat in range(number(view.players)):
        knowledge.sizes[seat] = view.sizes[seat]
        for slot in range(view.size(seat)):
            told = TYPES_OF_COLOURS[view.colour_mask(seat, slot)] & TYPES_OF_RANKS[view.rank_mask(seat, slot)]
            knowledge.told[seat * MAX_HAND + slot] = told
            knowledge.masks[seat * MAX_HAND + slot] = told & left
    eliminate(knowledge)


def eliminate(knowledge: CommonKnowledge) -> None:
    """Drop the types of which every copy is gone or known to be in a hand, again and again as cards become known by it."""
    found = True
    while found:
        found = False
        ones, twos = knowledge.ones, knowledge.twos
        for seat in range(number(knowledge.players)):
            for where in range(seat * MAX_HAND, seat * MAX_HAND + number(knowledge.sizes[seat])):
                mask = word(knowledge.masks[where])
                if is_single(mask):
                    ones, twos = one_fewer(ones, twos, mask)
        free = ones | twos
        for seat in range(number(knowledge.players)):
            for where in range(seat * MAX_HAND, seat * MAX_HAND + number(knowledge.sizes[seat])):
                mask = word(knowledge.masks[where])
                if not is_sure(mask, free) and not is_single(mask):
                    mask &= free
                    if mask == _ZERO:
                        mask = by_hints(knowledge, where)
                        knowledge.broken = 1
                    knowledge.masks[where] = mask
                    if is_single(mask):
                        found = True


@inline
def by_hints(knowledge: CommonKnowledge, where: int) -> int:
    """The types that hints and the cards that are gone leave for a card, whatever the conventions say."""
    return word(knowledge.told[where]) & (knowledge.ones | knowledge.twos)


@inline
def narrowed(knowledge: CommonKnowledge, where: int, allowed: int) -> int:
    """The types that a card may have after a hint that leaves only these."""
    mask = word(knowledge.masks[where]) & allowed
    return mask if mask != _ZERO else by_hints(knowledge, where) & allowed


# -- reading moves --


def read_silence(knowledge: CommonKnowledge, seat: int) -> None:
    """A player who could have warned the next one of a discard, and did not, says that the card is no last copy."""
    if knowledge.deck_size > 0 and knowledge.tokens > 0:
        following = next_seat(knowledge, seat)
        slot = next_discard(knowledge, following)
        if slot >= 0:
            knowledge.masks[following * MAX_HAND + slot] = mask_of(knowledge, following, slot) & ~knowledge.last


def read_discard(knowledge: CommonKnowledge, seat: int, slot: int, card: int, holder: int) -> None:
    """Read the discard of a card, and carry it out.

    `holder` is the seat whose newest card the discard points out if it is a finesse, as `finesse_holder` finds it, or NONE.
    """
    read_silence(knowledge, seat)
    meant = type_bit(card)
    if holder >= 0 and mask_of(knowledge, seat, slot) == meant and meant & knowledge.playable != _ZERO:
        newest = holder * MAX_HAND + number(knowledge.sizes[holder]) - 1
        if word(knowledge.masks[newest]) & meant != _ZERO:
            knowledge.masks[newest] = meant
    replace_card(knowledge, seat, slot, card, False)
    if knowledge.tokens < knowledge.max_tokens:
        knowledge.tokens += 1
    eliminate(knowledge)


def finesse_holder(knowledge: CommonKnowledge, cards: list[int], viewer: int, seat: int, card: int) -> int:
    """Whose newest card is the same as one that a seat discards, as a viewer finds out: if it sees none, its own must be."""
    for other in range(number(knowledge.players)):
        size = number(knowledge.sizes[other])
        if other != seat and other != viewer and size > 0 and number(cards[other * MAX_HAND + size - 1]) == card:
            return other
    return viewer if viewer != seat and knowledge.sizes[viewer] > 0 else NONE


def read_play(knowledge: CommonKnowledge, seat: int, slot: int, card: int, fits: bool) -> None:
    """Read the play of a card, and carry it out."""
    if not fits and is_sure(mask_of(knowledge, seat, slot), knowledge.playable):
        knowledge.broken = 1
    read_silence(knowledge, seat)
    replace_card(knowledge, seat, slot, card, fits)
    if not fits:
        knowledge.lives -= 1
    elif RANK_OF[card] + 1 == number(knowledge.ranks) and knowledge.tokens < knowledge.max_tokens:
        knowledge.tokens += 1
    eliminate(knowledge)


def replace_card(knowledge: CommonKnowledge, seat: int, slot: int, card: int, fits: bool) -> None:
    """Take a card out of a hand; newer ones move down, and a new one comes if the deck has any."""
    remove_card(knowledge, card, fits)
    last = seat * MAX_HAND + number(knowledge.sizes[seat]) - 1
    for where in range(seat * MAX_HAND + slot, last):
        knowledge.masks[where] = knowledge.masks[where + 1]
        knowledge.told[where] = knowledge.told[where + 1]
    if knowledge.deck_size > 0:
        knowledge.deck_size -= 1
        knowledge.told[last] = EVERY_TYPE
        knowledge.masks[last] = knowledge.ones | knowledge.twos
    else:
        knowledge.sizes[seat] -= 1


def read_hint(knowledge: CommonKnowledge, giver: int, target: int, by_rank: bool, value: int, touched: int) -> None:
    """Read a hint, and carry it out. `touched` has a bit for each slot.

    A rank hint may be a stall or a warning. Any other that shows no card to be playable means the newest touched card that may be.
    """
    following, first = next_seat(knowledge, giver), target * MAX_HAND
    playable = knowledge.playable
    meant = True  # whether a card may be meant to be played
    if by_rank:
        slot = next_discard(knowledge, following)
        if knowledge.tokens == knowledge.max_tokens and giver == next_seat(knowledge, target) and touched & 1:
            meant = False
        elif (
            target == following and slot >= 0 and touched >> slot & 1 and could_be_last(knowledge, mask_of(knowledge, target, slot), value)
        ):
            meant = False
            knowledge.masks[first + slot] = mask_of(knowledge, target, slot) & knowledge.last
    named = types_of_rank(value) if by_rank else TYPES_OF_COLOURS[1 << value]
    guess = NONE
    for slot in range(number(knowledge.sizes[target]) - 1, -1, -1):
        where = first + slot
        hit = touched >> slot & 1
        allowed = named if hit else ~named
        mask, after = word(knowledge.masks[where]), narrowed(knowledge, where, allowed)
        if mask & after == _ZERO:
            knowledge.broken = 1
        knowledge.masks[where] = after
        knowledge.told[where] = word(knowledge.told[where]) & allowed
        if is_open(mask, playable):
            if is_sure(after, playable):
                meant = False
            elif hit and guess == NONE and is_open(after, playable):
                guess = slot
    if meant and guess >= 0:
        knowledge.masks[first + guess] = mask_of(knowledge, target, guess) & playable
    if target != following:
        read_silence(knowledge, giver)
    knowledge.tokens -= 1
    eliminate(knowledge)
