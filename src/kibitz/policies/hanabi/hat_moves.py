"""The moves of the hat-guessing convention: what a player does who knows the public table and sees all hands but its own."""

from __future__ import annotations

from typing import Any

from kibitz.core.jit import ONE, Word, lowest, number, popcount, select, word
from kibitz.games.hanabi.cards import MAX_HAND, RANK_OF
from kibitz.policies.hanabi.card_sets import are_all, is_single, one_fewer, type_bit
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge, keep_types, without_known
from kibitz.policies.hanabi.hat_messages import (
    NO_HINT,
    copy_masks,
    has_sure_play,
    hat_sum,
    hint_saying,
    learn_no_need,
    total_codes,
    useless_slots,
)

_ZERO = Word(0)
NONE = -1  # no slot

# The rules, in the order of RULE_LETTERS and RULE_NAMES.
FULL, NEEDED, CAN_PLAY, TIME, HELD_BACK, SURE, RISK, GAMBLE, MESSAGE, USELESS, DOUBTFUL, NOT_ALLOWED = range(12)
RULE_LETTERS = "FNCTHPRGUuDX"
RULE_NAMES = (
    "hints {told} to {player}, since all tokens are there",
    "hints {told} to {player}, since somebody can play and doesn't know it",
    "hints {told} to {player}, since somebody can play",
    "hints {told} to {player}, since tokens are to spare",
    "hints {told} to {player}, since its own play can wait for the last round",
    "plays {slot}, which surely fits",
    "plays {slot}, which most likely fits and is dead otherwise",
    "plays {slot}, which may fit, since this is the last round",
    "discards {slot}: which of several useless cards it is tells the others something",
    "discards {slot}, which is useless",
    "discards {slot}, which will be missed least",
    "makes a random move, since the rules don't allow its own: {action}",
)
LATE = 3  # with no more cards than this in the deck, a play may be held back


def choose_move(known: HatKnowledge, cards: Any, mover: int) -> int:
    """The number of the move to make; `cards` are by seat and slot, and the mover's own are not looked at."""
    look_around(known, cards, mover)
    slot = surest_play(known, mover)
    if slot >= 0:
        known.rule = HELD_BACK
        move = hint(known, cards, mover) if can_wait(known, mover, slot) else NO_HINT
        return move if move != NO_HINT else play_slot(known, slot, SURE)
    slot = risky_play(known, mover)
    if slot >= 0:
        return play_slot(known, slot, RISK)
    useless = useless_slots(known, known.draft, mover)
    if wants_hint(known, useless):
        move = hint(known, cards, mover)
        if move != NO_HINT:
            return move
        look_around(known, cards, mover)
    slot = last_gamble(known, mover)
    if slot >= 0:
        return play_slot(known, slot, GAMBLE)
    return discard(known, cards, mover, useless)


def look_around(known: HatKnowledge, cards: Any, mover: int) -> None:
    """Find what the mover sees and others don't know: copies left in its own eyes, and with them what its own cards may be."""
    ones, twos = known.ones, known.twos
    for seat in range(known.players):
        held = word(0)
        if seat != mover:
            for where in range(seat * MAX_HAND, seat * MAX_HAND + known.sizes[seat]):
                seen = type_bit(number(cards[where]))
                held |= seen
                ones, twos = one_fewer(ones, twos, seen)
        known.hand_types[seat] = held
    known.unseen_ones, known.unseen_twos = ones, twos
    left = ones | twos
    for where in range(mover * MAX_HAND, mover * MAX_HAND + known.sizes[mover]):
        known.draft[where] = known.masks[where] & left
        if known.draft[where] == _ZERO:
            known.draft[where] = known.told[where] & left  # somebody broke the convention
    if known.locate:
        ones, twos = without_known(known, known.draft, mover, ones, twos)
        keep_types(known, known.draft, mover, ones | twos)


def unseen_copies(known: HatKnowledge, types: int) -> int:
    """How many copies of some types the mover sees nowhere."""
    return popcount(known.unseen_ones & types) + 2 * popcount(known.unseen_twos & types)


# -- plays --


def surest_play(known: HatKnowledge, mover: int) -> int:
    """The slot to play among cards that surely fit: low ranks first, and those that fewer others hold; NONE if there is none."""
    best, best_worth, best_weight = NONE, number(0), number(1)
    for slot in range(known.sizes[mover]):
        mask = known.draft[mover * MAX_HAND + slot]
        if are_all(mask, known.playable):
            worth = worth_of_play(known, mask)
            weight = unseen_copies(known, mask)
            if worth * best_weight > best_worth * weight:
                best, best_worth, best_weight = slot, worth, weight
    return best


def worth_of_play(known: HatKnowledge, types: int) -> int:
    """What it is worth to play one of some types, added up over copies: more for low ranks, for cards that open the way for others, and
    for those that few others hold."""
    worth = number(0)
    while types != _ZERO:
        card = lowest(types)
        holders = number(1)
        if known.deck_size > 0:
            for seat in range(known.players):
                holders += number((known.hand_types[seat] >> word(card)) & ONE)
        value = 9 - RANK_OF[card] + known.chain_weight * chain_after(known, card)
        worth += unseen_copies(known, type_bit(card)) * value * (60 // holders)
        types &= types - ONE
    return worth


def chain_after(known: HatKnowledge, card: int) -> int:
    """How many cards of a pile, one after the other from the next one on, other players hold."""
    held = word(0)
    for seat in range(known.players):
        held |= known.hand_types[seat]
    chain = number(0)
    while RANK_OF[card] + chain + 1 < known.ranks and (held >> word(card + chain + 1)) & ONE != _ZERO:
        chain += 1
    return chain


def can_wait(known: HatKnowledge, mover: int, slot: int) -> bool:
    """Whether a sure play had better wait for the last round: to draw now would take a turn from a player with more to play.

    It must be the only card that the mover knows to be needed, and nobody may be waiting for it.
    """
    card = known.draft[mover * MAX_HAND + slot]
    if not known.hold_back or known.tokens == 0 or known.deck_size == 0 or known.deck_size > LATE or not is_single(card):
        return False
    if chain_after(known, lowest(card)) > 0:
        return False
    for where in range(mover * MAX_HAND, mover * MAX_HAND + known.sizes[mover]):
        if is_single(known.draft[where]) and known.draft[where] != card and not are_all(known.draft[where], known.dead):
            return False
    for seat in range(known.players):
        if popcount(known.hand_types[seat] & ~known.dead & ~card) > known.deck_size:
            return True
    return False


def risky_play(known: HatKnowledge, mover: int) -> int:
    """The slot whose card most likely fits and is dead if it doesn't, if the chance is above three quarters; else NONE."""
    if known.lives <= 1 or known.discarded > known.spare:
        return NONE
    best, best_hits, best_weight = NONE, number(3), number(4)
    for slot in range(known.sizes[mover]):
        mask = known.draft[mover * MAX_HAND + slot]
        if are_all(mask, known.playable | known.dead):
            hits, weight = unseen_copies(known, mask & known.playable), unseen_copies(known, mask)
            if hits * best_weight > best_hits * weight:
                best, best_hits, best_weight = slot, hits, weight
    return best


def last_gamble(known: HatKnowledge, mover: int) -> int:
    """In the last round a card is of no use afterwards: the slot that most likely fits, if one may and a life is to spare; else NONE."""
    best, best_hits, best_weight = NONE, number(0), number(1)
    if known.gamble and known.deck_size == 0 and known.lives > 1:
        for slot in range(known.sizes[mover]):
            mask = known.draft[mover * MAX_HAND + slot]
            hits, weight = unseen_copies(known, mask & known.playable), unseen_copies(known, mask)
            if hits * best_weight > best_hits * weight:
                best, best_hits, best_weight = slot, hits, weight
    return best


def play_slot(known: HatKnowledge, slot: int, rule: int) -> int:
    """The move that plays a slot; notes the rule."""
    known.rule = rule
    return known.hand_size + slot


# -- hints and discards --


def hint(known: HatKnowledge, cards: Any, mover: int) -> int:
    """The hint to give, as the number of a move; NO_HINT if no legal one says what is to be said."""
    copy_masks(known)
    return hint_saying(known, cards, mover, hat_sum(known, known.draft, cards, mover, mover, total_codes(known, mover)))


def wants_hint(known: HatKnowledge, useless: int) -> bool:
    """Whether to hint rather than to discard."""
    if known.tokens == 0:
        return False
    if known.tokens == known.max_tokens:
        known.rule = FULL
        return True
    can_play = False
    for seat in range(known.players):
        if known.hand_types[seat] & known.playable != _ZERO:
            can_play = True
            if not has_sure_play(known, known.masks, seat):
                known.rule = NEEDED
                return True
    is_late = known.discarded > known.spare
    if not is_late and useless != 0:
        return False
    known.rule = CAN_PLAY if can_play else TIME
    return can_play or known.tokens > (known.late_hint_above if is_late else known.hint_above)


def discard(known: HatKnowledge, cards: Any, mover: int, useless: int) -> int:
    """The move that discards the card nobody will miss, or else the one that will be missed least."""
    publicly = useless_slots(known, known.masks, mover)
    count = popcount(publicly)
    if count >= 2:
        known.rule = MESSAGE
        copy_masks(known)
        if known.tokens > 0:
            learn_no_need(known, known.draft, mover)
        return select(word(publicly), hat_sum(known, known.draft, cards, mover, mover, count))
    if useless != 0:
        known.rule = USELESS
        return lowest(useless)
    known.rule = DOUBTFUL
    return least_missed(known, mover)


def least_missed(known: HatKnowledge, mover: int) -> int:
    """The slot to discard if all may be needed: cards that another hand has, that are not the last copy, and high ranks."""
    seen = word(0)
    for seat in range(known.players):
        seen |= known.hand_types[seat]
    best, best_worth, best_weight = number(0), number(-1), number(1)
    for slot in range(known.sizes[mover]):
        mask = known.draft[mover * MAX_HAND + slot]
        worth = known.seen_weight * unseen_copies(known, mask & seen) + known.spare_weight * unseen_copies(known, mask & ~known.last)
        worth += known.rank_weight * ranks_added_up(known, mask)
        weight = unseen_copies(known, mask)
        if worth * best_weight > best_worth * weight:
            best, best_worth, best_weight = slot, worth, weight
    return best


def ranks_added_up(known: HatKnowledge, types: int) -> int:
    """The ranks of some types, added up over copies."""
    ranks = number(0)
    while types != _ZERO:
        card = lowest(types)
        ranks += unseen_copies(known, type_bit(card)) * RANK_OF[card]
        types &= types - ONE
    return ranks
