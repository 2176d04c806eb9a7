"""The table as the network sees it: `see_table` fills the inputs once a decision, `see_candidate` lists the features of one action.

`groups` says what every place stands for. Inputs are about 0 to 1, most of them 0.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import ONE, Word, lowest, number, popcount
from kibitz.core.layouts import Int
from kibitz.games.uno.cards import (
    CARD_TYPES,
    COLOUR_MASKS,
    COLOURED_TYPES,
    DRAW,
    NO_COLOUR,
    VALUE_OF,
    VALUES,
    action_card,
    action_colour,
)
from kibitz.games.uno.counts import count_in, size_within, types_in
from kibitz.games.uno.view import (
    CHALLENGED_FOUR,
    DRAW_UNTIL_PLAYABLE,
    DRAWN,
    HONEST_ONLY,
    LAST_RESORT,
    MAY_NOT_PLAY_DRAWN,
    MUST_PLAY_DRAWN,
    PLAY_ANY_CARD,
    STACK_PROGRESSIVE,
    STACK_SAME,
    View,
)
from kibitz.policies.uno.features import OWN_BUCKETS, SIZE_BUCKETS, Description, describe, note, prepare
from kibitz.policies.uno.net.groups import CANDIDATE_RANGES, INPUTS, MEMORY_UNITS, VIEW_RANGES
from kibitz.policies.uno.sightings import Sightings

_ZERO = Word(0)

# Where each group begins.
_OWN_CARDS, _OWN_WILDS, _OWN_COLOURS = (VIEW_RANGES[name][0] for name in ("own cards", "own wilds", "own colours"))
_OWN_KINDS, _OWN_HAND, _DRAWN = (VIEW_RANGES[name][0] for name in ("own kinds", "own hand", "drawn"))
_PLAYABLE_COLOURS, _PLAYABLE_KINDS = (VIEW_RANGES[name][0] for name in ("playable colours", "playable kinds"))
_TOP, _NO_COLOUR, _HAND_SIZES, _HANDS = (VIEW_RANGES[name][0] for name in ("top", "no colour", "hand sizes", "hands"))
_HIDDEN_CARDS, _HIDDEN_WILDS, _HIDDEN_COLOURS = (VIEW_RANGES[name][0] for name in ("hidden cards", "hidden wilds", "hidden colours"))
_OPEN_COLOURS, _OPEN_VALUES = VIEW_RANGES["open colours"][0], VIEW_RANGES["open values"][0]
_CALLED, _LEFT, _TURNED = (VIEW_RANGES[name][0] for name in ("called", "left", "turned"))
_PILE, _DIRECTION, _PLAYERS, _RULES = (VIEW_RANGES[name][0] for name in ("pile", "direction", "players", "rules"))
_TO_COLOUR, _CARD = CANDIDATE_RANGES["to colour"][0], CANDIDATE_RANGES["card"][0]


class Sight(Description):
    """What the network sees: its inputs, and the place of each colour in its own order."""

    colour_places: Annotated[list[int], "i4", 5]  # by colour; NO_COLOUR comes last
    inputs: Annotated[list[float], "f8", INPUTS]
    states: Annotated[list[float], "f8", 4 * MEMORY_UNITS]  # what is remembered of each colour, …
    recalls: Int  # … if the network listens to events
    leads_to: Int  # the colour that is current after the candidate described last, or NO_COLOUR


def order_colours(view: View, found: Sight) -> None:
    """Give every colour its place: the one on top, then by own cards, by hidden cards, and by number."""
    for colour in range(4):
        before = 0
        for other in range(4):
            if other != colour and comes_before(view, found, other, colour):
                before += 1
        found.colour_places[colour] = before
    found.colour_places[NO_COLOUR] = 4


def comes_before(view: View, found: Sight, first: int, second: int) -> bool:
    """Whether a colour has its place before another."""
    if view.colour == first or view.colour == second:
        return number(view.colour) == first
    if found.held[first] != found.held[second]:
        return number(found.held[first]) > number(found.held[second])
    if found.unseen_colours[first] != found.unseen_colours[second]:
        return number(found.unseen_colours[first]) > number(found.unseen_colours[second])
    return first < second


def see_table(view: View, memory: Sightings, found: Sight) -> None:
    """Fill the inputs for this decision; candidates may be described afterwards."""
    found.recalls = 0
    prepare(view, memory, found)
    order_colours(view, found)
    for place in range(INPUTS):
        found.inputs[place] = 0.0
    see_hand(view, found)
    see_others(view, memory, found)
    see_rules(view, found)


def see_hand(view: View, found: Sight) -> None:
    """Own cards, what may be played, and what lies on top."""
    hand = view.hand()
    hidden = (found.unseen0, found.unseen1, found.unseen2)
    see_cards(found, hand, _OWN_CARDS, _OWN_WILDS, 0.5, 0.5)
    see_cards(found, hidden, _HIDDEN_CARDS, _HIDDEN_WILDS, 0.5, 0.25)
    playable = view.playable()
    for colour in range(4):
        place = number(found.colour_places[colour])
        found.inputs[_OWN_COLOURS + place] = number(found.held[colour]) / 5.0
        found.inputs[_PLAYABLE_COLOURS + place] = popcount(playable & COLOUR_MASKS[colour]) / 3.0
        found.inputs[_HIDDEN_COLOURS + place] = number(found.unseen_colours[colour]) / number(found.unseen)
    for kind in range(6):
        mask = view.kind_mask(kind)
        found.inputs[_OWN_KINDS + kind] = size_within(hand, mask) / 5.0
        found.inputs[_PLAYABLE_KINDS + kind] = popcount(playable & mask) / 3.0
    found.inputs[_OWN_HAND + OWN_BUCKETS[min(view.hand_size(), 10)]] = 1.0
    if view.phase == DRAWN:
        found.inputs[_DRAWN] = 1.0
    found.inputs[_TOP + VALUE_OF[view.top]] = 1.0
    if view.colour == NO_COLOUR:
        found.inputs[_NO_COLOUR] = 1.0


def see_cards(found: Sight, cards: tuple[int, int, int], first: int, first_wild: int, unit: float, wild_unit: float) -> None:
    """Copies of every card of some, coloured ones by the place of their colour."""
    types = types_in(cards)
    while types != _ZERO:
        card = lowest(types)
        types &= types - ONE
        if card < COLOURED_TYPES:
            colour = card // VALUES
            found.inputs[first + number(found.colour_places[colour]) * VALUES + VALUE_OF[card]] = unit * count_in(cards, card)
        elif card < CARD_TYPES:
            found.inputs[first_wild + card - COLOURED_TYPES] = wild_unit * count_in(cards, card)


def see_others(view: View, memory: Sightings, found: Sight) -> None:
    """Hand sizes in turn order, and what the nearest players have shown."""
    for places in range(1, number(view.players)):
        found.inputs[_HAND_SIZES + places - 1] = number(view.sizes[view.seat_after(places)]) / 10.0
    see_player(view, memory, found, 0, number(found.next_seat))
    if view.players > 2:
        see_player(view, memory, found, 1, number(found.after_next))
        see_player(view, memory, found, 2, number(found.before))


def see_player(view: View, memory: Sightings, found: Sight, who: int, seat: int) -> None:
    """One of the others: how many cards, and what they may be."""
    size = number(view.sizes[seat])
    found.inputs[_HANDS + who * 6 + SIZE_BUCKETS[min(size, 7)]] = 1.0
    for colour in range(4):
        share = min(number(memory.open_colours[seat * 4 + colour]), size) / max(size, 1)
        found.inputs[_OPEN_COLOURS + who * 4 + number(found.colour_places[colour])] = share
    for value in range(VALUES):
        found.inputs[_OPEN_VALUES + who * VALUES + value] = min(number(memory.open_values[seat * VALUES + value]), size) / max(size, 1)
    see_mark(found, _CALLED + who * 4, number(memory.called[seat]))
    see_mark(found, _LEFT + who * 4, number(memory.left[seat]))
    see_mark(found, _TURNED + who * 4, number(memory.turned[seat]))


def see_mark(found: Sight, first: int, colour: int) -> None:
    """Mark a colour, if there is one."""
    if colour != NO_COLOUR:
        found.inputs[first + number(found.colour_places[colour])] = 1.0


def see_rules(view: View, found: Sight) -> None:
    """The draw pile, the direction, how many play, and the switches in the order of their labels."""
    found.inputs[_PILE] = number(view.pile_size) / 100.0
    found.inputs[_DIRECTION] = 1.0 if view.direction > 0 else 0.0
    found.inputs[_PLAYERS + number(view.players) - 2] = 1.0
    found.inputs[_RULES] = 1.0 if view.draw_rule == DRAW_UNTIL_PLAYABLE else 0.0
    found.inputs[_RULES + 1] = 1.0 if view.drawn_rule == MUST_PLAY_DRAWN else 0.0
    found.inputs[_RULES + 2] = 1.0 if view.drawn_rule == MAY_NOT_PLAY_DRAWN else 0.0
    found.inputs[_RULES + 3] = 1.0 if view.drawn_rule == PLAY_ANY_CARD else 0.0
    found.inputs[_RULES + 4] = 1.0 if view.must_play else 0.0
    found.inputs[_RULES + 5] = 1.0 if view.four_rule == HONEST_ONLY else 0.0
    found.inputs[_RULES + 6] = 1.0 if view.four_rule == CHALLENGED_FOUR else 0.0
    found.inputs[_RULES + 7] = 1.0 if view.four_rule == LAST_RESORT else 0.0
    found.inputs[_RULES + 8] = 1.0 if view.stacking == STACK_SAME else 0.0
    found.inputs[_RULES + 9] = 1.0 if view.stacking == STACK_PROGRESSIVE else 0.0
    found.inputs[_RULES + 10] = 1.0 if view.seven_zero else 0.0
    found.inputs[_RULES + 11] = 1.0 if view.jump_in else 0.0
    found.inputs[_RULES + 12] = 1.0 if view.uno_call else 0.0
    found.inputs[_RULES + 13] = 1.0 if view.last_card_draws else 0.0
    found.inputs[_RULES + 14] = 1.0 if view.reverse_skips else 0.0


def see_candidate(view: View, memory: Sightings, found: Sight, action: int) -> None:
    """List the features of a candidate: those of the linear policy, then the colour and the card that it plays."""
    describe(view, memory, found, action)
    found.leads_to = view.colour
    if action < DRAW:
        card = action_card(action)
        found.leads_to = action_colour(action)
        note(found, _TO_COLOUR + number(found.colour_places[action_colour(action)]), 1.0)
        note(found, _CARD + (VALUE_OF[card] if card < COLOURED_TYPES else VALUES + card - COLOURED_TYPES), 1.0)
