"""Beliefs about one's own hand among players of `smart`: hands with weights, by what the partners did.

    own card revealed      keep the hands that had it there, resample, and draw a new card for each
    partner drew a card    weigh each hand by how many copies of it were left to draw
    partner moved          weigh each hand by whether the blueprint would have moved so, had it seen this hand with the others

A hand under which the blueprint would have moved otherwise is not impossible: a partner that searches leaves the blueprint now and
then. Its weight is multiplied by `surprise`. When too few hands carry the weight, new ones are drawn from all that the public types of
the cards allow, and weighed by every move that a partner made while any of these cards was held (`regenerate`).
"""

from __future__ import annotations

from typing import Annotated, Any

from kibitz.core.jit import ONE, Word, lowest, number
from kibitz.core.layouts import Byte, Long
from kibitz.core.seeds import below
from kibitz.games.hanabi.cards import CARD_TYPES, HAND_CARDS, MAX_CARDS, MAX_HAND, NO_CARD
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import EVERY_TYPE, type_bit
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge
from kibitz.policies.hanabi.public_knowledge import by_hints
from kibitz.policies.hanabi.smart_conventions import SmartKnowledge, copy_knowledge
from kibitz.policies.hanabi.smart_policy import choose_move
from kibitz.search.hanabi.blueprint.team import CAREFUL
from kibitz.search.parts import part_of, words_for

MOST_HANDS = 4_000
MOST_MOMENTS = 64  # moves of partners that are remembered
FRACTIONS = 1 << 30  # of a random number between 0 and 1
_ZERO = Word(0)


class Beliefs:
    """What a searching player remembers: what everybody knows, hands it may hold, and what the partners did and saw."""

    smart: Annotated[list[int], "u8", words_for(SmartKnowledge)]
    hat: Annotated[list[int], "u8", words_for(HatKnowledge)]
    moments: Annotated[list[int], "u8", words_for(SmartKnowledge, MOST_MOMENTS)]  # what everybody knew before each move of a partner
    moment_movers: Annotated[list[int], "i1", MOST_MOMENTS]  # which partner it was
    moment_cards: Annotated[list[int], "i1", MOST_MOMENTS * HAND_CARDS]  # the hands that the player saw then
    moment_moves: Annotated[list[int], "i1", MOST_MOMENTS]
    moment_places: Annotated[list[int], "i1", MOST_MOMENTS * MAX_HAND]  # the places in the deck of the cards that the player held then
    moment_sizes: Annotated[list[int], "i1", MOST_MOMENTS]
    moment_count: Long
    revealed: Annotated[list[int], "i1", MAX_CARDS]  # by place in the deck: the player's own cards that have left its hand
    held: Annotated[list[int], "i1", MAX_HAND]  # the places of those in its hand
    hands: Annotated[list[int], "i1", MOST_HANDS * MAX_HAND]
    weights: Annotated[list[float], "f8", MOST_HANDS]
    hand_count: Long
    searched: Long  # decisions of this game that were searched,
    left_blueprint: Long  # those with another move than the blueprint's,
    gave_up: Long  # and those in which no hand was possible
    kind: Byte


class Room:
    """Where hands are worked out."""

    seen: Annotated[list[int], "i1", HAND_CARDS]  # cards as the partner saw them
    others: Annotated[list[int], "i1", MOST_HANDS * MAX_HAND]
    sums: Annotated[list[float], "f8", MOST_HANDS]
    left: Annotated[list[int], "i1", CARD_TYPES]  # copies that the player sees nowhere


smart_of = part_of(Beliefs, "smart", SmartKnowledge)
hat_of = part_of(Beliefs, "hat", HatKnowledge)
moment_of = part_of(Beliefs, "moments", SmartKnowledge)


def begin_hands(view: View, memory: Beliefs) -> None:
    """Nothing is known of the player's own hand, and nothing of what partners did before."""
    memory.moment_count = 0
    memory.hand_count = 0
    note_held(view, memory)


def note_held(view: View, memory: Beliefs) -> None:
    """Remember which cards of the deck are in the own hand."""
    for slot in range(MAX_HAND):
        memory.held[slot] = view.places[number(view.seat) * MAX_HAND + slot]


def count_left(view: View, room: Room) -> None:
    """Count the copies of each type that the player sees nowhere."""
    for card in range(CARD_TYPES):
        room.left[card] = view.unseen(card)


# -- moves --


def hear_partner(view: View, memory: Beliefs, room: Room, surprise: float, partner: int, drew: bool) -> None:
    """A partner has moved: weigh every hand. What everybody knows is still as it was before."""
    size, cards = view.size(number(view.seat)), number(view.players) * MAX_HAND
    place = number(memory.moment_count)
    if place < MOST_MOMENTS:
        copy_knowledge(smart_of(memory, 0), moment_of(memory, place))
        memory.moment_moves[place] = view.last_move
        memory.moment_sizes[place] = size
        for slot in range(MAX_HAND):
            memory.moment_places[place * MAX_HAND + slot] = memory.held[slot]
        memory.moment_movers[place] = partner
        for where in range(cards):
            memory.moment_cards[place * HAND_CARDS + where] = view.cards[where]
        memory.moment_count = place + 1
    for where in range(cards):
        room.seen[where] = view.cards[where]
    drawn = view.card(partner, view.size(partner) - 1) if drew else NO_CARD
    copies = view.unseen(drawn) + 1 if drew else 0
    for hand in range(number(memory.hand_count)):
        weight = memory.weights[hand]
        if drew:
            left = copies
            for slot in range(size):
                if number(memory.hands[hand * MAX_HAND + slot]) == drawn:
                    left -= 1
            weight *= max(left, 0)
        if weight > 0.0:
            for slot in range(size):
                room.seen[number(view.seat) * MAX_HAND + slot] = memory.hands[hand * MAX_HAND + slot]
            move, _ = choose_move(smart_of(memory, 0), room.seen, partner, CAREFUL)
            if move != number(view.last_move):
                weight *= surprise
        memory.weights[hand] = weight


def hear_own(view: View, memory: Beliefs, room: Room, slot: int, card: int, wanted: int, position: int) -> int:
    """The player's own card has left its hand: keep the hands that had it, and draw a new card for each; where the stream stands then."""
    memory.revealed[memory.held[slot]] = card
    note_held(view, memory)
    size = view.size(number(view.seat))
    drew = size > 0 and number(memory.held[size - 1]) == deck_place(view)
    kept = number(0)
    for hand in range(number(memory.hand_count)):
        if number(memory.hands[hand * MAX_HAND + slot]) == card and memory.weights[hand] > 0.0:
            target = kept * MAX_HAND
            for place in range(MAX_HAND):
                source = place if place < slot else place + 1
                room.others[target + place] = memory.hands[hand * MAX_HAND + source] if source < MAX_HAND else NO_CARD
            room.sums[kept] = memory.weights[hand] + (room.sums[kept - 1] if kept > 0 else 0.0)
            kept += 1
    if kept == 0:
        memory.hand_count = 0
        return position
    count_left(view, room)
    position, offset = below(position, FRACTIONS)
    source = number(0)
    made = number(0)
    for hand in range(wanted):
        reach = room.sums[kept - 1] * (hand + offset / FRACTIONS) / wanted
        while source < kept - 1 and room.sums[source] <= reach:
            source += 1
        first = made * MAX_HAND
        for place in range(MAX_HAND):
            memory.hands[first + place] = room.others[source * MAX_HAND + place]
        possible = True
        if drew:
            set_aside(room, memory.hands, first, size - 1, 1)
            position, drawn, _ = draw_type(room, EVERY_TYPE, position)
            set_aside(room, memory.hands, first, size - 1, -1)
            memory.hands[first + size - 1] = drawn
            possible = drawn != NO_CARD
        if possible:
            memory.weights[made] = 1.0
            made += 1
    memory.hand_count = made
    return position


def deck_place(view: View) -> int:
    """The place in the deck of the card that was drawn last."""
    total = number(0)
    for card in range(CARD_TYPES):
        total += number(view.deck[card])
    return total - number(view.deck_size) - 1


def draw_type(room: Room, types: int, position: int) -> tuple[int, int, int]:
    """Draw a card out of some types, as likely as copies are left: where the stream stands then, the card or NO_CARD, and the copies."""
    copies = number(0)
    rest = types
    while rest != _ZERO:
        copies += max(number(room.left[lowest(rest)]), 0)
        rest &= rest - ONE
    if copies == 0:
        return position, NO_CARD, 0
    position, rank = below(position, copies)
    rest = types
    card = lowest(rest)
    rank -= max(number(room.left[card]), 0)
    while rank >= 0:
        rest &= rest - ONE
        card = lowest(rest)
        rank -= max(number(room.left[card]), 0)
    return position, card, copies


def set_aside(room: Room, hands: Any, first: int, size: int, copies: int) -> None:
    """Let as many copies fewer be left of each of the first cards of a hand; -1 puts them back."""
    for place in range(first, first + size):
        room.left[number(hands[place])] -= copies


# -- at a decision --


def drop_false(view: View, memory: Beliefs) -> None:
    """Drop the hands that what everybody knows rules out."""
    smart, me = smart_of(memory, 0), number(view.seat)
    for hand in range(number(memory.hand_count)):
        for slot in range(view.size(me)):
            card = number(memory.hands[hand * MAX_HAND + slot])
            if smart.masks[me * MAX_HAND + slot] & type_bit(card) == _ZERO:
                memory.weights[hand] = 0.0


def effective_hands(memory: Beliefs) -> float:
    """How many equally likely hands would say as much."""
    total, squares = 0.0, 0.0
    for hand in range(number(memory.hand_count)):
        total += memory.weights[hand]
        squares += memory.weights[hand] * memory.weights[hand]
    return total * total / squares if squares > 0.0 else 0.0


def regenerate(view: View, memory: Beliefs, room: Room, wanted: int, surprise: float, position: int) -> int:
    """Draw new hands from what is public, and weigh them by all that the partner did; where the stream stands then.

    If no hand explains it, what the partner did counts for nothing; if no hand is possible at all, hints alone count.
    """
    for literal in range(2):
        position = draw_hands(view, memory, room, wanted, literal == 1, position)
        if memory.hand_count > 0:
            break
    total = 0.0
    for hand in range(number(memory.hand_count)):
        room.sums[hand] = memory.weights[hand]
        memory.weights[hand] *= likelihood(view, memory, room, hand, surprise)
        total += memory.weights[hand]
    if total <= 0.0:
        for hand in range(number(memory.hand_count)):
            memory.weights[hand] = room.sums[hand]
    return position


def draw_hands(view: View, memory: Beliefs, room: Room, wanted: int, literal: bool, position: int) -> int:
    """Draw hands slot by slot, each weighed so that all count for as much as they are likely."""
    smart, me = smart_of(memory, 0), number(view.seat)
    size, made = view.size(me), number(0)
    count_left(view, room)
    for _ in range(wanted):
        first, weight, drawn = made * MAX_HAND, 1.0, number(0)
        for slot in range(size):
            where = me * MAX_HAND + slot
            position, card, copies = draw_type(room, by_hints(smart, where) if literal else smart.masks[where], position)
            weight *= copies
            if copies == 0:
                break
            memory.hands[first + slot] = card
            room.left[card] -= 1
            drawn += 1
        set_aside(room, memory.hands, first, drawn, -1)
        if weight > 0.0:
            memory.weights[made] = weight
            made += 1
    memory.hand_count = made
    return position


def likelihood(view: View, memory: Beliefs, room: Room, hand: int, surprise: float) -> float:
    """How likely partners would have moved as they did, had the player held this hand; relative to partners that did nothing else."""
    me, size = number(view.seat), view.size(number(view.seat))
    others = 0 if view.players == 2 else number(view.players) * MAX_HAND  # a single partner sees no other hand
    likely = 1.0
    for moment in range(number(memory.moment_count)):
        concerned = False
        for slot in range(number(memory.moment_sizes[moment])):
            place = number(memory.moment_places[moment * MAX_HAND + slot])
            card = number(memory.revealed[place])
            for now in range(size):
                if number(memory.held[now]) == place:
                    card = number(memory.hands[hand * MAX_HAND + now])
                    concerned = True
            room.seen[me * MAX_HAND + slot] = card
        if concerned:
            for where in range(others):
                if where // MAX_HAND != me:
                    room.seen[where] = memory.moment_cards[moment * HAND_CARDS + where]
            partner = number(memory.moment_movers[moment])
            move, _ = choose_move(moment_of(memory, moment), room.seen, partner, CAREFUL)
            if move != number(memory.moment_moves[moment]):
                likely *= surprise
                if likely == 0.0:
                    break
    return likely
