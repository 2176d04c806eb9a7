"""A view as a vector of zeros and ones, in the canonical encoding of the Hanabi Learning Environment.

`encode` gives the vector of a view, `sections` where each part of it lies. Players are counted from the viewer on, cards
are one-hot in colours x ranks, counts are thermometers (so many ones, then zeros). What is known of a card is what hints
say, no more. The kernels fill an array that is all zeros, and run compiled as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.jit import Numbers, number, word
from kibitz.games.encoding import Encoding, Section, fill_thermometer
from kibitz.games.hanabi.cards import COLOUR_OF, DISCARD, HINT_COLOUR, HINT_RANK, MAX_HAND, MAX_RANKS, PLAY, RANK_OF
from kibitz.games.hanabi.rules import Rules
from kibitz.games.hanabi.state import new_state
from kibitz.games.hanabi.view import View

VERSION = 1

Vector = np.ndarray[Any, np.dtype[np.uint8]]

# The place of each kind of move in the vector, whose order is play, discard, colour, rank.
_KIND_PLACES = Numbers([1, 0, 2, 3])
assert (DISCARD, PLAY, HINT_COLOUR, HINT_RANK) == (0, 1, 2, 3)


def encode(view: View) -> Vector:
    """The observation of a view."""
    observation = np.zeros(observation_size(view), dtype=np.uint8)
    fill_observation(view, observation)
    return observation


def observation_size(view: View) -> int:
    """How long an observation is: 658, 956, 1041, 1280 for 2 to 5 players of the standard game."""
    return encoding(view).size


def size_under(rules: Rules, players: int) -> int:
    """How long observations are under some rules."""
    return observation_size(new_state(rules, players))


def sections(view: View) -> dict[str, slice]:
    """Where each part of an observation lies."""
    return {section.name: place for place, section in encoding(view).places()}


def encoding(view: View) -> Encoding:
    """The encoding of views like this one."""
    players, hand, colours, ranks = view.players, view.hand_size, view.colours, view.ranks
    cards, total = colours * ranks, sum(view.deck)
    lengths = {
        "hands": ((players - 1) * hand * cards, f"the others' cards in turn order, oldest first: one-hot of {cards} types"),
        "missing_cards": (players, "for each player, the viewer first: 1 if the hand lacks a card"),
        "deck": (total - players * hand, "cards left to draw: thermometer"),
        "fireworks": (cards, "for each colour: one-hot of the pile's height, nothing at 0"),
        "tokens": (view.max_tokens, "thermometer"),
        "lives": (view.max_lives, "thermometer"),
        "discards": (total, "for each type: thermometer of the copies in the discard pile"),
        "last_player": (players, "last move: who made it, from the viewer on"),
        "last_kind": (4, "play, discard, colour hint, rank hint"),
        "last_target": (players, "who got the hint, from the viewer on"),
        "last_colour": (colours, "the colour hinted"),
        "last_rank": (ranks, "the rank hinted"),
        "last_touched": (hand, "the slots touched"),
        "last_slot": (hand, "the slot played or discarded"),
        "last_card": (cards, "the card played or discarded"),
        "last_success": (1, "1 if a play succeeded"),
        "last_token": (1, "1 if a play gained a token"),  # a discard does not tell
        "knowledge": (
            players * hand * (cards + colours + ranks),
            f"for each card, the viewer's first: {cards} types possible by hints, {colours} colours and {ranks} ranks if named",
        ),
    }
    moves = 2 * hand + (players - 1) * (colours + ranks)
    return Encoding(VERSION, tuple(Section(name, *about) for name, about in lengths.items()), moves, fill_observation)


# -- kernels: each fills its part of `observation`, all zeros before, from `start` on, and says where the next begins --


def fill_observation(view: View, observation: Any) -> int:
    """Write a view into an array of zeros of `observation_size`."""
    start = fill_hands(view, observation, 0)
    start = fill_board(view, observation, start)
    start = fill_discards(view, observation, start)
    start = fill_last_move(view, observation, start)
    return fill_knowledge(view, observation, start)


def card_place(view: View, card: int) -> int:
    """The place of a type among the colours x ranks of this game."""
    return COLOUR_OF[word(card)] * number(view.ranks) + RANK_OF[word(card)]


def fill_hands(view: View, observation: Any, start: int) -> int:
    """The hands of the others, then whose hand lacks a card."""
    cards = number(view.colours) * number(view.ranks)
    for places in range(1, number(view.players)):
        seat = view.seat_after(places)
        for slot in range(view.size(seat)):
            observation[start + slot * cards + card_place(view, view.card(seat, slot))] = 1
        start += number(view.hand_size) * cards
    for places in range(number(view.players)):
        if view.size(view.seat_after(places)) < number(view.hand_size):
            observation[start + places] = 1
    return start + number(view.players)


def fill_board(view: View, observation: Any, start: int) -> int:
    """Deck, piles, tokens, lives."""
    total = number(0)
    for card in range(len(view.deck)):
        total += number(view.deck[card])
    dealt = number(view.players) * number(view.hand_size)
    start = fill_thermometer(observation, start, number(view.deck_size), total - dealt)
    for colour in range(number(view.colours)):
        height = number(view.fireworks[colour])
        if height > 0:
            observation[start + height - 1] = 1
        start += number(view.ranks)
    start = fill_thermometer(observation, start, number(view.tokens), number(view.max_tokens))
    return fill_thermometer(observation, start, number(view.lives), number(view.max_lives))


def fill_discards(view: View, observation: Any, start: int) -> int:
    """The discard pile, type by type."""
    for colour in range(number(view.colours)):
        for rank in range(number(view.ranks)):
            card = colour * MAX_RANKS + rank
            start = fill_thermometer(observation, start, number(view.discards[card]), number(view.deck[card]))
    return start


def fill_last_move(view: View, observation: Any, start: int) -> int:
    """The move before; nothing at the beginning of a game."""
    players, hand = number(view.players), number(view.hand_size)
    colours, ranks = number(view.colours), number(view.ranks)
    move = number(view.last_move)
    target = start + players + 4
    touched = target + players + colours + ranks
    end = touched + 2 * hand + colours * ranks + 2
    if move < 0:
        return end
    kind = view.move_kind(move)
    actor = view.places_on(number(view.last_seat))
    observation[start + actor] = 1
    observation[start + players + _KIND_PLACES[word(kind)]] = 1
    if kind == DISCARD or kind == PLAY:
        observation[touched + hand + move % hand] = 1
        observation[touched + 2 * hand + card_place(view, number(view.last_card))] = 1
        if kind == PLAY:
            observation[end - 2] = number(view.last_success)
            observation[end - 1] = number(view.last_gained)
        return end
    code, choices, value_start = move - 2 * hand, colours, target + players
    if kind == HINT_RANK:
        code, choices, value_start = code - (players - 1) * colours, ranks, target + players + colours
    observation[target + (actor + 1 + code // choices) % players] = 1
    observation[value_start + code % choices] = 1
    for slot in range(hand):
        observation[touched + slot] = number(view.last_touched) >> slot & 1
    return end


def fill_knowledge(view: View, observation: Any, start: int) -> int:
    """What hints say of every card: the types it may be, then colour and rank if they were named."""
    colours, ranks = number(view.colours), number(view.ranks)
    for places in range(number(view.players)):
        seat = view.seat_after(places)
        for slot in range(number(view.hand_size)):
            if slot < view.size(seat):
                fill_known(view, seat * MAX_HAND + slot, observation, start)
            start += colours * ranks + colours + ranks
    return start


def fill_known(view: View, where: int, observation: Any, start: int) -> None:
    """What hints say of one card."""
    colours, ranks = number(view.colours), number(view.ranks)
    colour_mask, rank_mask = number(view.colour_masks[where]), number(view.rank_masks[where])
    for colour in range(colours):
        if colour_mask >> colour & 1:
            for rank in range(ranks):
                observation[start + colour * ranks + rank] = rank_mask >> rank & 1
            observation[start + colours * ranks + colour] = number(view.named_colours[where])
    for rank in range(ranks):
        if rank_mask >> rank & 1:
            observation[start + colours * ranks + colours + rank] = number(view.named_ranks[where])
