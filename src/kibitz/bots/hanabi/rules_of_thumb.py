"""Rules of thumb for Hanabi: each gives a move if it applies, else NONE. The rule agents are lists of them.

The agents and their figures come from programs in which a hand lies in a row of spots and a drawn card is put where the
old one lay. Which of several cards comes first is therefore a matter of spots, not of age, and shows in the results; so
these bots remember where every card lies (`survey`), and "first" means the first spot. A colour or rank is known when
hints leave only one, be it named or all others excluded. Sets of card types are masks with a bit for each.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import ONE, Word, lowest, number, popcount, word
from kibitz.core.layouts import Long, Word64
from kibitz.games.hanabi.cards import CARD_TYPES, COLOUR_OF, HAND_CARDS, MAX_COLOURS, MAX_HAND, MAX_RANKS, RANK_OF
from kibitz.games.hanabi.view import HandBytes, View
from kibitz.policies.hanabi.card_sets import TYPES_OF_COLOURS, TYPES_OF_RANKS, are_all

NONE = -1  # no move, no slot

# The rules in words, for bots that use them.
PLAYS_CERTAIN = "plays {slot}, whose colour and rank hints have told: it fits"
PLAYS_SAFE = "plays {slot}, which fits whatever it is"
PLAYS_PROBABLE = "plays {slot}, which fits with at least 60 %, more than any other or as much"
TELLS_PLAYABLE = "hints {told} to {player}, who can play a card and doesn't know all about it: {touched}"
TELLS_DISPENSABLE = "hints {told} to {player}, which proves a card to be dead: {touched}"
TELLS_UNKNOWN = "hints {told} to {player}, which is news about a card: {touched}"
TELLS_MOST = "hints {told} to {player}: no other hint touches more cards"
DISCARDS_DEAD = "discards {slot}, which is known to be dead"
DISCARDS_OLDEST = "discards {slot}, its oldest card"
DISCARDS_RANDOMLY = "discards {slot}, a random card"
DISCARDS_PROBABLY_DEAD = "discards {slot}: no other card is more likely to be dead"
MOVES_AT_RANDOM = "has no rule for this, and makes a random move: {action}"
_ZERO = Word(0)


class Knowledge:
    """A bot's memory: where the cards of all hands lie, and what the viewer can work out.

    A type has as many unseen copies as its bits in `ones` and, counting twice, in `twos` say.
    """

    ones: Word64
    twos: Word64
    playable: Word64
    dead: Word64
    rule: Long  # the rule that gave the last move, by its place in the bot's list
    types: Annotated[list[int], "u8", MAX_HAND]  # the types the own card on each spot may have by its hints; none if it is empty
    slots: HandBytes  # by seat and spot: the slot of the card that lies there, NONE if it is empty
    held: HandBytes  # by seat and spot: the place in the deck of the card that lay there when last looked at


# -- what is known --


def begin(view: View, memory: Knowledge) -> None:
    """Lay out all hands from the oldest card to the newest."""
    for where in range(HAND_CARDS):
        memory.held[where] = view.places[where]


def survey(view: View, memory: Knowledge) -> None:
    """See where the cards lie and which are unseen, playable or dead: what every rule builds on."""
    count_unseen(view, memory)
    judge_types(view, memory)
    for seat in range(number(view.players)):
        follow_hand(view, memory, seat)
    for spot in range(number(view.hand_size)):
        slot = slot_on(memory, view.seat, spot)
        memory.types[spot] = fitting(view.colour_mask(view.seat, slot), view.rank_mask(view.seat, slot)) if slot >= 0 else word(0)


def count_unseen(view: View, memory: Knowledge) -> None:
    """Count the copies of each type in the deck and the own hand."""
    ones, twos = word(0), word(0)
    for card in range(CARD_TYPES):
        unseen = number(view.deck[card]) - number(view.discards[card])
        if RANK_OF[card] < number(view.fireworks[COLOUR_OF[card]]):
            unseen -= 1
        ones |= word(unseen & 1) << word(card)
        twos |= word(unseen >> 1) << word(card)
    for seat in range(number(view.players)):
        if seat != number(view.seat):
            for slot in range(view.size(seat)):
                seen = ONE << word(view.card(seat, slot))
                ones ^= seen
                twos ^= ones & seen  # a borrow
    memory.ones, memory.twos = ones, twos


def judge_types(view: View, memory: Knowledge) -> None:
    """Find the types that fit now, and those that never will."""
    playable, dead = word(0), word(0)
    for colour in range(MAX_COLOURS):
        height, reachable = number(view.fireworks[colour]), view.reachable_height(colour)
        first = colour * MAX_RANKS
        if height < reachable:
            playable |= ONE << word(first + height)
        for rank in range(MAX_RANKS):
            if rank < height or rank >= reachable:
                dead |= ONE << word(first + rank)
    memory.playable, memory.dead = playable, dead


def follow_hand(view: View, memory: Knowledge, seat: int) -> None:
    """Find the cards of a hand on their spots; those drawn since the last time lie on the spots left empty."""
    first = seat * MAX_HAND
    drawn = (ONE << word(view.size(seat))) - ONE
    for spot in range(first, first + number(view.hand_size)):
        memory.slots[spot] = NONE
        for slot in range(view.size(seat)):
            if view.places[first + slot] == memory.held[spot]:
                memory.slots[spot] = slot
                drawn ^= ONE << word(slot)
    spot = first
    while drawn != _ZERO:
        if memory.slots[spot] == NONE:
            slot = lowest(drawn)
            memory.slots[spot] = slot
            memory.held[spot] = view.places[first + slot]
            drawn &= drawn - ONE
        spot += 1


def slot_on(memory: Knowledge, seat: int, spot: int) -> int:
    """The slot of the card on a spot, NONE if it is empty."""
    return number(memory.slots[seat * MAX_HAND + spot])


def own_slot(view: View, memory: Knowledge, spot: int) -> int:
    """The slot of the own card on a spot."""
    return slot_on(memory, number(view.seat), spot)


def fitting(colours: int, ranks: int) -> int:
    """The card types with one of these colours and one of these ranks."""
    return TYPES_OF_COLOURS[colours] & TYPES_OF_RANKS[ranks]


def proved(colours: int, ranks: int) -> int:
    """The card types left by what is known: a mask that has not come down to one proves nothing."""
    every = (1 << MAX_COLOURS) - 1
    return fitting(colours if is_known(colours) else every, ranks if is_known(ranks) else every)


def copies(memory: Knowledge, types: int) -> int:
    """How many unseen copies some types have together."""
    return popcount(memory.ones & types) + 2 * popcount(memory.twos & types)


def is_known(mask: int) -> bool:
    """Whether a mask of colours or ranks has come down to one."""
    return mask & (mask - 1) == 0


def most_probable(view: View, memory: Knowledge, wanted: int, percent: int) -> int:
    """The slot whose card most probably has one of the wanted types, if that is so many per cent; of equal ones the last."""
    best, best_hits, best_total = NONE, percent, 100
    for spot in range(number(view.hand_size)):
        total = copies(memory, memory.types[spot])
        hits = copies(memory, memory.types[spot] & wanted)
        if total > 0 and hits * best_total >= best_hits * total:
            best, best_hits, best_total = own_slot(view, memory, spot), hits, total
    return best


# -- playing --


def play_certain(view: View, memory: Knowledge) -> int:
    """Play the first card whose colour and rank are known and that fits."""
    for spot in range(number(view.hand_size)):
        if popcount(memory.types[spot]) == 1 and are_all(memory.types[spot], memory.playable):
            return view.play(own_slot(view, memory, spot))
    return NONE


def play_safe(view: View, memory: Knowledge) -> int:
    """Play the first card that fits whichever unseen card it is."""
    for spot in range(number(view.hand_size)):
        if are_all(memory.types[spot] & (memory.ones | memory.twos), memory.playable):
            return view.play(own_slot(view, memory, spot))
    return NONE


def play_probable(view: View, memory: Knowledge, percent: int) -> int:
    """Play the card that most probably fits, if that is so many per cent or more."""
    slot = most_probable(view, memory, memory.playable, percent)
    return view.play(slot) if slot >= 0 else NONE


# -- hints --


def tell_playable(view: View, memory: Knowledge, seat: int) -> int:
    """Tell a player about the first playable card whose rank or colour it does not know: rank before colour."""
    if view.tokens > 0:
        for spot in range(number(view.hand_size)):
            slot = slot_on(memory, seat, spot)
            if slot >= 0 and view.is_playable(view.card(seat, slot)):
                if not is_known(view.rank_mask(seat, slot)):
                    return view.hint_rank(seat, RANK_OF[view.card(seat, slot)])
                if not is_known(view.colour_mask(seat, slot)):
                    return view.hint_colour(seat, COLOUR_OF[view.card(seat, slot)])
    return NONE


def tell_anyone_playable(view: View, memory: Knowledge) -> int:
    """Tell the first player in turn order who has a playable card and does not know its rank or colour."""
    for places in range(1, number(view.players)):
        move = tell_playable(view, memory, view.seat_after(places))
        if move >= 0:
            return move
    return NONE


def tell_dispensable(view: View, memory: Knowledge) -> int:
    """Give the first hint, in turn order, that proves a card dead which was not proved so before: colour before rank."""
    if view.tokens > 0:
        for places in range(1, number(view.players)):
            seat = view.seat_after(places)
            for spot in range(number(view.hand_size)):
                slot = slot_on(memory, seat, spot)
                if slot >= 0 and view.is_dead(view.card(seat, slot)):
                    colours, ranks = view.colour_mask(seat, slot), view.rank_mask(seat, slot)
                    colour, rank = COLOUR_OF[view.card(seat, slot)], RANK_OF[view.card(seat, slot)]
                    if not are_all(proved(colours, ranks), memory.dead):
                        if are_all(proved(1 << colour, ranks), memory.dead):
                            return view.hint_colour(seat, colour)
                        if are_all(proved(colours, 1 << rank), memory.dead):
                            return view.hint_rank(seat, rank)
    return NONE


def tell_unknown(view: View, memory: Knowledge, seat: int) -> int:
    """Tell a player about the first card whose colour or rank it does not know: colour before rank."""
    if view.tokens > 0:
        for spot in range(number(view.hand_size)):
            slot = slot_on(memory, seat, spot)
            if slot >= 0:
                if not is_known(view.colour_mask(seat, slot)):
                    return view.hint_colour(seat, COLOUR_OF[view.card(seat, slot)])
                if not is_known(view.rank_mask(seat, slot)):
                    return view.hint_rank(seat, RANK_OF[view.card(seat, slot)])
    return NONE


def tell_most(view: View) -> int:
    """Give the hint that touches most cards, known or not; of equal ones the first in turn order, ranks before colours."""
    best, most = NONE, 0
    if view.tokens > 0:
        for places in range(1, number(view.players)):
            seat = view.seat_after(places)
            for rank in range(number(view.ranks)):
                touched = 0
                for slot in range(view.size(seat)):
                    touched += 1 if RANK_OF[view.card(seat, slot)] == rank else 0
                if touched > most:
                    best, most = view.hint_rank(seat, rank), touched
            for colour in range(number(view.colours)):
                touched = 0
                for slot in range(view.size(seat)):
                    touched += 1 if COLOUR_OF[view.card(seat, slot)] == colour else 0
                if touched > most:
                    best, most = view.hint_colour(seat, colour), touched
    return best


def tell_randomly(view: View, seat: int) -> int:
    """Tell a player the rank or the colour, as chance has it, of a random card."""
    if view.tokens == 0 or view.size(seat) == 0:
        return NONE
    card = view.card(seat, view.randbelow(view.size(seat)))
    if view.randbelow(2) == 0:
        return view.hint_rank(seat, RANK_OF[card])
    return view.hint_colour(seat, COLOUR_OF[card])


# -- discarding --


def may_discard(view: View) -> bool:
    """Whether the rules let the viewer discard now."""
    return view.is_legal(view.discard(0))


def discard_proved_dead(view: View, memory: Knowledge) -> int:
    """Discard the first card that is dead by what is known of it."""
    if may_discard(view):
        for spot in range(number(view.hand_size)):
            slot = own_slot(view, memory, spot)
            if slot >= 0 and are_all(proved(view.colour_mask(view.seat, slot), view.rank_mask(view.seat, slot)), memory.dead):
                return view.discard(slot)
    return NONE


def discard_probably_dead(view: View, memory: Knowledge, percent: int) -> int:
    """Discard the card that is most probably dead, if that is so many per cent or more."""
    slot = most_probable(view, memory, memory.dead, percent) if may_discard(view) else NONE
    return view.discard(slot) if slot >= 0 else NONE


def discard_oldest(view: View) -> int:
    """Discard the card that was drawn first."""
    return view.discard(0) if may_discard(view) else NONE


def discard_randomly(view: View) -> int:
    """Discard a random card."""
    return view.discard(view.randbelow(view.size(view.seat))) if may_discard(view) else NONE


# -- when no rule applies --


def any_move(view: View) -> int:
    """Give the next player a random hint; where none is possible, make any legal move."""
    move = tell_randomly(view, view.seat_after(1))
    return move if move >= 0 else view.pick_move(view.legal_moves)
