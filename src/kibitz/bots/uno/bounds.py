"""Card-count bounds: for every opponent, at most how many cards of each type it can hold.

Kept by the bots that count cards, from public events and the own hand alone. Each table is three bit planes, so an
update touches all types at once.
"""

from __future__ import annotations

from kibitz.core.jit import Word, number, word
from kibitz.core.layouts import Byte, Word64
from kibitz.games.uno.cards import ALL_CARDS, bit, match_mask
from kibitz.games.uno.counts import Planes, add_to_planes, exceeds, size_of, size_within, smaller, take_from_planes, types_in
from kibitz.games.uno.state import CHALLENGED, DREW, FORCED, KEPT, PASSED_HANDS, PLAY, SHUFFLED, SWAPPED, Event
from kibitz.games.uno.view import MAY_NOT_PLAY_DRAWN, SeatWords, View
from kibitz.policies.uno.sightings import hidden_cards

_ZERO = Word(0)


class Bounds:
    """Bounds by seat as bit planes, and the discard pile counted so far."""

    low: SeatWords
    middle: SeatWords
    high: SeatWords
    discard0: Word64
    discard1: Word64
    discard2: Word64
    counted: Byte  # how much of view.discard is in the planes


def bounds_of(memory: Bounds, seat: int) -> Planes:
    """The bounds of one opponent."""
    return memory.low[seat], memory.middle[seat], memory.high[seat]


def set_bounds(memory: Bounds, seat: int, planes: Planes) -> None:
    """Replace the bounds of one opponent."""
    memory.low[seat] = planes[0]
    memory.middle[seat] = planes[1]
    memory.high[seat] = planes[2]


def raised(bounds: Planes, caps: Planes, count: int, mask: int) -> Planes:
    """Bounds with `count` more of every type in the mask, none above its cap."""
    for _ in range(count):
        bounds = add_to_planes(bounds[0], bounds[1], bounds[2], exceeds(caps, bounds) & mask)
    return bounds


def lowered(bounds: Planes, caps: Planes, mask: int) -> Planes:
    """Bounds with the types in the mask lowered to their caps."""
    limited = smaller(bounds, caps)
    return (
        (bounds[0] & ~mask) | (limited[0] & mask),
        (bounds[1] & ~mask) | (limited[1] & mask),
        (bounds[2] & ~mask) | (limited[2] & mask),
    )


def without(bounds: Planes, mask: int) -> Planes:
    """Bounds that exclude the types in a mask."""
    return bounds[0] & ~mask, bounds[1] & ~mask, bounds[2] & ~mask


def begin_bounds(view: View, memory: Bounds) -> None:
    """Everything that is neither in the own hand nor in the discard pile is possible, for everybody."""
    memory.discard0, memory.discard1, memory.discard2 = word(0), word(0), word(0)
    memory.counted = 0
    caps = hidden_cards(view, memory)  # what nobody can exceed
    for seat in range(number(view.players)):
        set_bounds(memory, seat, caps)


def update_bounds(view: View, event: Event, memory: Bounds) -> None:
    """Take account of one event, seen from the bot's seat after the whole action."""
    caps = hidden_cards(view, memory)
    actor = number(event.seat)
    own = actor == number(view.seat)
    if event.kind == PLAY:
        card = bit(event.card)
        if own and not event.drawn:
            return
        if not own:
            mine = bounds_of(memory, actor)
            if event.drawn:  # what it drew before the card it played did not match
                matching = match_mask(number(event.top), number(event.top_colour))
                mine = raised(without(mine, matching), caps, number(event.count) - 1, ALL_CARDS & ~matching)
            elif event.count == 0:
                mine = take_from_planes(mine[0], mine[1], mine[2], card & types_in(mine))
            else:  # any card may have been drawn, and the one played came from the hand or from the draw
                mine = raised(mine, caps, number(event.count), ALL_CARDS & ~card)
                mine = lowered(raised(mine, caps, number(event.count) - 1, card), caps, card)
            set_bounds(memory, actor, mine)
        for seat in range(number(view.players)):
            if seat != actor:
                set_bounds(memory, seat, lowered(bounds_of(memory, seat), caps, card))
    elif event.kind > FORCED:
        update_moved_hands(view, event, memory, caps)
    elif own:
        if event.kind == DREW or event.kind == FORCED:
            for seat in range(number(view.players)):
                set_bounds(memory, seat, smaller(bounds_of(memory, seat), caps))
    elif event.kind == KEPT:
        matching = match_mask(number(event.top), number(event.top_colour))
        kept = without(bounds_of(memory, actor), matching)
        possible = ALL_CARDS if view.drawn_rule == MAY_NOT_PLAY_DRAWN else ALL_CARDS & ~matching
        set_bounds(memory, actor, raised(kept, caps, number(event.count), possible))
    elif event.kind == FORCED:
        set_bounds(memory, actor, raised(bounds_of(memory, actor), caps, number(event.count), ALL_CARDS))


def update_moved_hands(view: View, event: Event, memory: Bounds, caps: Planes) -> None:
    """Follow hands that change owner or are seen: bounds move with them, and a hand that is known is known exactly."""
    actor, other = number(event.seat), number(event.other)
    players = number(view.players)
    me = number(view.seat)
    if event.kind == CHALLENGED:
        if actor == me:
            set_bounds(memory, other, view.known(other))
    elif event.kind == SWAPPED:
        first, second = bounds_of(memory, actor), bounds_of(memory, other)
        set_bounds(memory, actor, second if other != me else view.known(actor))
        set_bounds(memory, other, first if actor != me else view.known(other))
    elif event.kind == PASSED_HANDS:
        direction = number(view.direction)
        seat = (me - direction + players) % players
        while seat != me:
            onward = (seat + direction + players) % players
            if onward != me:
                set_bounds(memory, onward, bounds_of(memory, seat))
            seat = (seat - direction + players) % players
        onward = (me + direction + players) % players
        set_bounds(memory, onward, view.known(onward))
    elif event.kind == SHUFFLED:
        for seat in range(players):
            set_bounds(memory, seat, caps)
    else:  # words move no card
        return
    for seat in range(players):
        set_bounds(memory, seat, smaller(bounds_of(memory, seat), caps))


def chance_of_no_match(bounds: Planes, matching_types: int, hand_size: int) -> float:
    """The hypergeometric chance that a hand drawn from the bounds holds none of the matching types."""
    total = size_of(bounds)
    if total == 0:
        return 0.0
    matching = size_within(bounds, matching_types)
    if matching == 0:
        return 1.0
    drawn = min(hand_size, total)
    if total - matching < drawn:
        return 0.0
    chance = 1.0
    for place in range(drawn):
        chance *= (total - matching - place) / (total - place)
    return chance
