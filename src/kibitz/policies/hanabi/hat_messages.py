"""Messages of the hat-guessing convention: what a hint or a discard tells all players at once, and how a move is read.

A message is the sum of the numbers that the hands of all others stand for, modulo as many as the mover could have said. Everybody
subtracts the hands in sight and is left with their own number. `cards` are the true cards by seat and slot; those of the reader are not looked at.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.jit import ONE, Word, inline, lowest, number, popcount, word
from kibitz.games.hanabi.cards import COLOUR_OF, DISCARD, HAND_CARDS, HINT_COLOUR, HINT_RANK, MAX_HAND, MAX_RANKS, PLAY, RANK_OF
from kibitz.games.hanabi.state import Event
from kibitz.policies.hanabi.card_sets import (
    EVERY_TYPE,
    TYPES_OF_COLOURS,
    TYPES_OF_RANKS,
    are_all,
    copies_left,
    is_single,
    playable_and_alive,
)
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge, colours_of, locate_cards, ranks_of, take_off, tell_types
from kibitz.policies.hanabi.hat_questions import decode, encode

_ZERO = Word(0)
EVERYBODY = -1  # in place of a reader: one who sees all hands
NO_HINT = -1


# -- sums --


def hat_sum(known: HatKnowledge, masks: Any, cards: Any, mover: int, reader: int, total: int) -> int:
    """The sum of the numbers of all hands but the mover's and the reader's, modulo `total`; their masks are narrowed."""
    look_ahead(known, masks, mover)
    value = number(0)
    for seat in range(known.players):
        if seat != mover and seat != reader:
            ask_about(known, seat)
            value += encode(known, masks, cards, seat, total)
    return value % total


def look_ahead(known: HatKnowledge, masks: Any, mover: int) -> None:
    """Find what questions to each player are about: the board now or, with `ahead`, the one expected at its turn.

    Everybody on the way there is expected to play the lowest card that is known to all and fits.
    """
    played, playable, dead = known.played, known.playable, known.dead
    for places in range(1, known.players):
        seat = (mover + places) % known.players
        known.ahead_playable[seat], known.ahead_dead[seat] = playable, dead
        if known.ahead:
            expected = lowest_known(known, masks, seat, playable)
            if expected != _ZERO:
                played |= expected
                playable, alive = playable_and_alive(played, known.ones | known.twos)
                dead = EVERY_TYPE & ~alive


def lowest_known(known: HatKnowledge, masks: Any, seat: int, playable: int) -> int:
    """The known playable card of lowest rank in a hand, as a set of one type; of equal ones the oldest. Empty if there is none."""
    best, best_rank = word(0), number(MAX_RANKS)
    for where in range(seat * MAX_HAND, seat * MAX_HAND + known.sizes[seat]):
        mask = masks[where]
        if is_single(mask) and mask & playable != _ZERO and RANK_OF[lowest(mask)] < best_rank:
            best, best_rank = mask, RANK_OF[lowest(mask)]
    return best


@inline
def ask_about(known: HatKnowledge, seat: int) -> None:
    """Let the questions to a player be about the board found for it."""
    known.asked_playable, known.asked_dead = known.ahead_playable[seat], known.ahead_dead[seat]


def learn_sum(known: HatKnowledge, cards: Any, mover: int, reader: int, total: int, said: int) -> None:
    """Everybody learns their part of the sum that a move has said."""
    if reader == EVERYBODY:
        copy_masks(known)
    missing = (said - hat_sum(known, known.masks, cards, mover, reader, total)) % total
    if reader != EVERYBODY and reader != mover:
        ask_about(known, reader)
        decode(known, known.masks, reader, total, missing)
    elif reader == EVERYBODY and missing != 0:
        known.misled = 1
        learn_falsehood(known, cards, mover, total, missing)


def learn_falsehood(known: HatKnowledge, cards: Any, mover: int, total: int, error: int) -> None:
    """The mover said a sum that is not true: every other player reads a number of its own that is wrong by so much."""
    for seat in range(known.players):
        if seat != mover:
            ask_about(known, seat)
            for where in range(seat * MAX_HAND, (seat + 1) * MAX_HAND):
                known.masks[where] = known.draft[where]
            value = encode(known, known.draft, cards, seat, total)
            decode(known, known.masks, seat, total, (value + error) % total)


def copy_masks(known: HatKnowledge) -> None:
    """Begin a draft with what is known."""
    for where in range(HAND_CARDS):
        known.draft[where] = known.masks[where]


# -- hints --


def codes_of(known: HatKnowledge, seat: int) -> int:
    """How many messages a hint to a player can have: three, four if it is known that the hand has two colours and two ranks."""
    if known.sizes[seat] == 0:
        return 0
    colours, ranks = ~word(0), ~word(0)
    for where in range(seat * MAX_HAND, seat * MAX_HAND + known.sizes[seat]):
        colours &= colours_of(known.masks[where])
        ranks &= ranks_of(known.masks[where])
    return 4 if colours == _ZERO and ranks == _ZERO else 3


def total_codes(known: HatKnowledge, giver: int) -> int:
    """How many messages a player can give with a hint."""
    total = number(0)
    for seat in range(known.players):
        if seat != giver:
            total += codes_of(known, seat)
    return total


def index_card(known: HatKnowledge, seat: int) -> int:
    """The slot that decides what a hint to a player means: the live card of which least is known, of equal ones the oldest."""
    best, best_score = number(0), -1
    for slot in range(known.sizes[seat]):
        mask = known.masks[seat * MAX_HAND + slot]
        score = number(0)
        if not are_all(mask, known.dead) and not is_single(mask):
            score = 1 + (0 if is_single(colours_of(mask)) else 1) + (0 if is_single(ranks_of(mask)) else 1)
        if score > best_score:
            best, best_score = slot, score
    return best


def hint_saying(known: HatKnowledge, cards: Any, giver: int, said: int) -> int:
    """The hint that says a sum, as the number of a move; NO_HINT if no legal one does."""
    for places in range(1, known.players):
        target = (giver + places) % known.players
        codes = codes_of(known, target)
        if said < codes:
            index = word(cards[target * MAX_HAND + index_card(known, target)])
            if said == 0:
                return rank_hint(known, places, RANK_OF[index])
            if said == 1:
                return colour_hint(known, places, COLOUR_OF[index])
            by_colour, by_rank = codes == 3 or said == 3, codes == 3 or said == 2
            return missing_hint(known, cards, places, target, number(index), by_colour, by_rank)
        said -= codes
    return NO_HINT


def missing_hint(known: HatKnowledge, cards: Any, places: int, target: int, index: int, by_colour: bool, by_rank: bool) -> int:
    """The most telling hint of some kinds that does not touch the index card; of equal ones the first, from the oldest card on."""
    best, best_gain, best_rest = NO_HINT, number(0), number(1)
    for slot in range(known.sizes[target]):
        card = word(cards[target * MAX_HAND + slot])
        if by_colour and COLOUR_OF[card] != COLOUR_OF[index]:
            gain, rest = telling(known, cards, target, TYPES_OF_COLOURS[1 << COLOUR_OF[card]])
            if best == NO_HINT or gain * best_rest > best_gain * rest:
                best, best_gain, best_rest = colour_hint(known, places, COLOUR_OF[card]), gain, rest
        if by_rank and RANK_OF[card] != RANK_OF[index]:
            gain, rest = telling(known, cards, target, TYPES_OF_RANKS[1 << RANK_OF[card]])
            if best == NO_HINT or gain * best_rest > best_gain * rest:
                best, best_gain, best_rest = rank_hint(known, places, RANK_OF[card]), gain, rest
    return best


def telling(known: HatKnowledge, cards: Any, seat: int, types: int) -> tuple[int, int]:
    """How much a hint tells by itself, as a fraction: the fewer copies each card may be afterwards the better, twice if it is settled."""
    gain, rest = number(1), number(1)
    for where in range(seat * MAX_HAND, seat * MAX_HAND + known.sizes[seat]):
        mask = known.masks[where]
        if not are_all(mask, known.dead) and not is_single(mask):
            mask &= types if (types >> word(cards[where])) & ONE != _ZERO else ~types
            rest *= max(1, copies_left(known, mask))
            if are_all(mask, known.dead) or is_single(mask):
                gain *= 2
    return gain, rest


def colour_hint(known: HatKnowledge, places: int, colour: int) -> int:
    """The move that tells a colour to the player so many places on."""
    return 2 * known.hand_size + (places - 1) * known.colours + colour


def rank_hint(known: HatKnowledge, places: int, rank: int) -> int:
    """The move that tells a rank to the player so many places on."""
    return 2 * known.hand_size + (known.players - 1) * known.colours + (places - 1) * known.ranks + rank


def said_by_hint(known: HatKnowledge, giver: int, target: int, by_colour: bool, touched: int) -> int:
    """The sum that a hint says."""
    said = number(0)
    seat = (giver + 1) % known.players
    while seat != target:
        said += codes_of(known, seat)
        seat = (seat + 1) % known.players
    if (touched >> index_card(known, target)) & 1:
        return said + (1 if by_colour else 0)
    return said + (3 if by_colour and codes_of(known, target) == 4 else 2)


# -- discards --


def useless_slots(known: HatKnowledge, masks: Any, seat: int) -> int:
    """The slots of a hand that nobody will miss, a bit for each: surely dead, or known to be held twice."""
    slots = number(0)
    for slot in range(known.sizes[seat]):
        mask = masks[seat * MAX_HAND + slot]
        if are_all(mask, known.dead):
            slots |= 1 << slot
        elif is_single(mask):
            for other in range(known.sizes[seat]):
                if other != slot and masks[seat * MAX_HAND + other] == mask:
                    slots |= 1 << slot
    return slots


def has_sure_play(known: HatKnowledge, masks: Any, seat: int) -> bool:
    """Whether everybody knows that a player has a playable card, and which."""
    for where in range(seat * MAX_HAND, seat * MAX_HAND + known.sizes[seat]):
        if are_all(masks[where], known.playable):
            return True
    return False


def learn_no_need(known: HatKnowledge, masks: Any, mover: int) -> None:
    """A discard with tokens left says that no other player has a playable card without knowing one."""
    for seat in range(known.players):
        if seat != mover and not has_sure_play(known, masks, seat):
            for where in range(seat * MAX_HAND, seat * MAX_HAND + known.sizes[seat]):
                masks[where] &= ~known.playable


# -- reading a move --


def read_move(known: HatKnowledge, event: Event, cards: Any, reader: int) -> None:
    """Take in a move: first what it says by convention, on the table as it was before, then what it does."""
    kind, mover = number(event.kind), number(event.seat)
    known.misled = 0
    if kind == HINT_COLOUR or kind == HINT_RANK:
        target, touched, by_colour = number(event.target), number(event.touched), kind == HINT_COLOUR
        said = said_by_hint(known, mover, target, by_colour, touched)
        learn_sum(known, cards, mover, reader, total_codes(known, mover), said)
        tell_types(known, target, TYPES_OF_COLOURS[1 << event.value] if by_colour else TYPES_OF_RANKS[1 << event.value], touched)
        known.tokens -= 1
    elif kind == DISCARD:
        read_discard(known, cards, mover, number(event.slot), reader)
        take_off(known, mover, number(event.slot), number(event.card), False)
        known.discarded += 1
        known.tokens = min(known.max_tokens, known.tokens + 1)
    elif kind == PLAY:
        fits = event.outcome > 0
        take_off(known, mover, number(event.slot), number(event.card), fits)
        known.tokens += 1 if event.outcome == 2 else 0
        if not fits:
            known.discarded += 1
            known.lives -= 1
    if known.locate:
        locate_cards(known)


def read_discard(known: HatKnowledge, cards: Any, mover: int, slot: int, reader: int) -> None:
    """Take in what a discard says: that nobody needs a hint, and which of several useless cards it was."""
    if known.tokens > 0:
        learn_no_need(known, known.masks, mover)
    useless = useless_slots(known, known.masks, mover)
    if popcount(useless) >= 2 and (useless >> slot) & 1:
        learn_sum(known, cards, mover, reader, popcount(useless), popcount(useless & ((1 << slot) - 1)))
