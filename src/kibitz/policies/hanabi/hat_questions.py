"""Questions about a hand: how a number tells a player something about its cards.

A hand answers one question after the other, and each answer narrows what is known before the next question is chosen. Everybody asks
the same questions, so whoever sees the hand knows the number, and whoever knows the number learns the answers.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.jit import ONE, Word, lowest, number, popcount, word
from kibitz.games.hanabi.cards import MAX_HAND
from kibitz.policies.hanabi.card_sets import copies_left, is_single, type_bit
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge

_ZERO = Word(0)

# Chances near 0.7 are worth a question of their own. They count in units of 2**-24, as in 32-bit floats, on which the original's ties depend.
CHANCE_BITS = 24
GOOD_CHANCE = round(0.7 * 2**CHANCE_BITS)
NEAR = int(0.2 * 2**CHANCE_BITS)


# -- the hat sum --


def encode(known: HatKnowledge, masks: Any, cards: Any, seat: int, total: int) -> int:
    """The number below `total` that a hand stands for; its masks are narrowed by the answers."""
    value, unit = number(0), number(1)
    while True:
        answers = find_question(known, masks, seat, (total - value - 1) // unit + 1)
        if answers < 2:
            return value
        answer = answer_of(known, masks, cards, seat, answers)
        narrow(known, masks, seat, answer, answers)
        value += unit * answer
        unit = min(total, unit * answers)


def decode(known: HatKnowledge, masks: Any, seat: int, total: int, value: int) -> None:
    """Narrow the masks of a hand by the answers that a number below `total` stands for."""
    free = total
    while True:
        answers = find_question(known, masks, seat, free)
        if answers < 2:
            return
        answer = value % answers
        value = value // answers
        free = (free - answer - 1) // answers + 1
        narrow(known, masks, seat, answer, answers)


# -- one question --


def find_question(known: HatKnowledge, masks: Any, seat: int, free: int) -> int:
    """Choose a question with at most `free` answers; how many it has, 1 if there is none."""
    known.listed = 0
    if free < 2:
        return 1
    unsettled = weigh_hand(known, masks, seat)
    if unsettled == 0:
        return 1
    if list_candidates(known, seat, unsettled, free - 1):
        return known.listed + 1
    slot = likely_playable(known, unsettled)
    if slot >= 0:
        known.listed_slots[0] = slot
        known.listed_types[0] = known.asked_playable
        known.listed = 1
        return 2
    return ask_for_block(known, masks, seat, least_dead(known, unsettled), free)


def weigh_hand(known: HatKnowledge, masks: Any, seat: int) -> int:
    """Count the copies that each card may be; the slots that are worth a question, a bit for each: not surely dead, not known."""
    unsettled = number(0)
    for slot in range(known.sizes[seat]):
        mask = masks[seat * MAX_HAND + slot]
        known.weights[slot] = copies_left(known, mask)
        known.playable_weights[slot] = copies_left(known, mask & known.asked_playable)
        known.dead_weights[slot] = copies_left(known, mask & known.asked_dead)
        if known.dead_weights[slot] < known.weights[slot] and not is_single(mask):
            unsettled |= 1 << slot
    return unsettled


def list_candidates(known: HatKnowledge, seat: int, unsettled: int, room: int) -> bool:
    """List cards that may be playable, if none surely is, and then cards that may be dead: which is the first that is?"""
    playable, dead = number(0), number(0)
    ask_dead = True
    for slot in range(known.sizes[seat]):
        weight = known.weights[slot]
        if weight > 0:
            if known.playable_weights[slot] == weight:
                return False
            if known.dead_weights[slot] == weight:
                ask_dead = False
    for slot in range(known.sizes[seat]):
        if (unsettled >> slot) & 1:
            if known.playable_weights[slot] > 0:
                playable |= 1 << slot
            if known.dead_weights[slot] > 0:
                dead |= 1 << slot
    add_candidates(known, known.playable_weights, playable, known.asked_playable, room)
    if ask_dead:
        add_candidates(known, known.dead_weights, dead, known.asked_dead, room - known.listed)
    return known.listed > 0


def add_candidates(known: HatKnowledge, chances: Any, slots: int, types: int, room: int) -> None:
    """List the likeliest of some slots, as many as there is room for: the least likely first, of equal ones the oldest."""
    while popcount(slots) > room:
        worst = lowest(slots)
        for slot in range(worst + 1, MAX_HAND):
            if (slots >> slot) & 1 and chances[slot] * known.weights[worst] <= chances[worst] * known.weights[slot]:
                worst = slot
        slots ^= 1 << worst
    while slots != 0:
        least = lowest(slots)
        for slot in range(least + 1, MAX_HAND):
            if (slots >> slot) & 1 and chances[slot] * known.weights[least] < chances[least] * known.weights[slot]:
                least = slot
        slots ^= 1 << least
        known.listed_slots[known.listed] = least
        known.listed_types[known.listed] = types
        known.listed += 1


def likely_playable(known: HatKnowledge, unsettled: int) -> int:
    """The slot whose chance to be playable is closest to 0.7, if it is near enough; else -1."""
    best, best_distance = -1, NEAR + 1
    for slot in range(MAX_HAND):
        if (unsettled >> slot) & 1:
            weight = known.weights[slot]
            distance = abs(((known.playable_weights[slot] << (CHANCE_BITS + 1)) + weight) // (2 * weight) - GOOD_CHANCE)
            if distance < best_distance:
                best, best_distance = slot, distance
    return best


def least_dead(known: HatKnowledge, unsettled: int) -> int:
    """The slot that is least likely dead; of equal ones the oldest."""
    best = lowest(unsettled)
    for slot in range(best + 1, MAX_HAND):
        if (unsettled >> slot) & 1 and known.dead_weights[slot] * known.weights[best] < known.dead_weights[best] * known.weights[slot]:
            best = slot
    return best


def ask_for_block(known: HatKnowledge, masks: Any, seat: int, slot: int, free: int) -> int:
    """Ask in which block a card is: its live types are dealt in turn into as many as there is room for, the dead ones are the last block."""
    mask = masks[seat * MAX_HAND + slot]
    dead = 1 if mask & known.asked_dead != _ZERO else 0
    known.block_slot = slot
    known.blocks = free - dead
    return min(known.blocks, popcount(mask & ~known.asked_dead)) + dead


def answer_of(known: HatKnowledge, masks: Any, cards: Any, seat: int, answers: int) -> int:
    """What a hand answers to the question."""
    first = seat * MAX_HAND
    if known.listed > 0:
        for place in range(known.listed):
            if type_bit(number(cards[first + known.listed_slots[place]])) & known.listed_types[place] != _ZERO:
                return place + 1
        return 0
    held = type_bit(number(cards[first + known.block_slot]))
    if held & known.asked_dead != _ZERO:
        return answers - 1
    live = masks[first + known.block_slot] & ~known.asked_dead
    return min(popcount(live & (held - ONE)) % known.blocks, answers - 1)


def narrow(known: HatKnowledge, masks: Any, seat: int, answer: int, answers: int) -> None:
    """Learn an answer to the question."""
    first = seat * MAX_HAND
    if known.listed > 0:
        for place in range(min(answer, known.listed)):
            where = first + known.listed_slots[place]
            if place == answer - 1:
                masks[where] &= known.listed_types[place]
            else:
                masks[where] &= ~known.listed_types[place]
        if answer == 0:
            for place in range(known.listed):
                masks[first + known.listed_slots[place]] &= ~known.listed_types[place]
        return
    where = first + known.block_slot
    dead = masks[where] & known.asked_dead
    if dead != _ZERO and answer == answers - 1:
        masks[where] = dead
        return
    live, block, place = masks[where] & ~known.asked_dead, word(0), number(0)
    while live != _ZERO:
        if place == answer:
            block |= live & (~live + ONE)
        live &= live - ONE
        place = place + 1 if place + 1 < known.blocks else 0
    masks[where] = block
