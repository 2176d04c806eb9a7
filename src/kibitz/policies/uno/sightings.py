"""What the linear policy remembers of the others: colours and values that they did not play, called, left and turned to."""

from __future__ import annotations

from typing import Annotated, Any

from kibitz.core.jit import number, word
from kibitz.core.layouts import Byte, Word64
from kibitz.games.uno.cards import COLOUR_OF, COLOURED_TYPES, MAX_CARDS, MAX_PLAYERS, NO_COLOUR, VALUE_OF, VALUES, bit
from kibitz.games.uno.counts import Planes, add_to_planes, difference
from kibitz.games.uno.state import FORCED, KEPT, PASSED_HANDS, PLAY, SHUFFLED, SWAPPED, Event
from kibitz.games.uno.view import MAY_NOT_PLAY_DRAWN, View


class Sightings:
    """By seat: how many of its cards may be of a colour or value, after what it did not play; colours it called and left."""

    open_colours: Annotated[list[int], "i1", MAX_PLAYERS * 4]
    open_values: Annotated[list[int], "i1", MAX_PLAYERS * VALUES]
    called: Annotated[list[int], "i1", MAX_PLAYERS]  # the colour called with its last wild, until it shows it lacks that; else NO_COLOUR
    left: Annotated[list[int], "i1", MAX_PLAYERS]  # the colour it last turned away from by value; else NO_COLOUR
    turned: Annotated[list[int], "i1", MAX_PLAYERS]  # the colour it last turned to by value, until it shows it lacks that; else NO_COLOUR
    discard0: Word64
    discard1: Word64
    discard2: Word64
    counted: Byte  # how much of view.discard is in the planes


def hidden_cards(view: View, memory: Any) -> Planes:
    """The deck without the own hand and without the discard pile; the memory counts that pile as far as it grew."""
    size = number(view.discard_size)
    if size < memory.counted:  # it was shuffled into the draw pile
        memory.discard0, memory.discard1, memory.discard2 = word(0), word(0), word(0)
        memory.counted = 0
    planes = (memory.discard0, memory.discard1, memory.discard2)
    for place in range(number(memory.counted), size):
        planes = add_to_planes(planes[0], planes[1], planes[2], bit(view.discard[place]))
    memory.discard0, memory.discard1, memory.discard2 = planes
    memory.counted = size
    seen = add_to_planes(planes[0], planes[1], planes[2], bit(view.top))
    return difference(difference(view.deck(), seen), view.hand())


def forget(view: View, memory: Sightings, seat: int) -> None:
    """Any card of a seat may be anything."""
    size = number(view.sizes[seat])
    for colour in range(4):
        memory.open_colours[seat * 4 + colour] = size
    for value in range(VALUES):
        memory.open_values[seat * VALUES + value] = size
    memory.called[seat] = NO_COLOUR
    memory.left[seat] = NO_COLOUR
    memory.turned[seat] = NO_COLOUR


def begin_sightings(view: View, memory: Sightings) -> None:
    """Start at any position, with nothing known but cards on the table."""
    memory.discard0, memory.discard1, memory.discard2 = word(0), word(0), word(0)
    memory.counted = 0
    for seat in range(number(view.players)):
        forget(view, memory, seat)


def update_sightings(view: View, event: Event, memory: Sightings) -> None:
    """Take account of one event, seen from the bot's seat after the whole action."""
    if event.kind > FORCED or event.seat != view.seat:
        update_shared_sightings(view, event, memory)


def update_shared_sightings(view: View, event: Event, memory: Sightings) -> None:
    """The same for a memory that serves every seat: nothing in it depends on whose it is."""
    seat = number(event.seat)
    if event.kind > FORCED:
        if event.kind == SWAPPED or event.kind == PASSED_HANDS or event.kind == SHUFFLED:
            for other in range(number(view.players)):
                forget(view, memory, other)
        return
    if event.kind == PLAY:
        if event.drawn:
            show_lack(memory, seat, number(event.top), number(event.top_colour), number(event.count) - 1, 0)
        else:
            if event.count:
                gain(memory, seat, number(event.count))
            give_up(memory, seat, number(event.card), number(event.top_colour))
        if event.card >= COLOURED_TYPES:
            memory.called[seat] = event.colour
            memory.left[seat] = NO_COLOUR
    elif event.kind == KEPT:
        matching = number(event.count) if view.drawn_rule == MAY_NOT_PLAY_DRAWN else 0
        show_lack(memory, seat, number(event.top), number(event.top_colour), number(event.count), matching)
    elif event.kind == FORCED:
        gain(memory, seat, number(event.count))


def gain(memory: Sightings, seat: int, count: int) -> None:
    """A seat got cards that may be anything."""
    for place in range(seat * 4, seat * 4 + 4):
        memory.open_colours[place] = min(number(memory.open_colours[place]) + count, MAX_CARDS)
    for place in range(seat * VALUES, seat * VALUES + VALUES):
        memory.open_values[place] = min(number(memory.open_values[place]) + count, MAX_CARDS)


def give_up(memory: Sightings, seat: int, card: int, top_colour: int) -> None:
    """A seat played a card from its hand."""
    if card >= COLOURED_TYPES:
        return
    colour, value = COLOUR_OF[card], VALUE_OF[card]
    if memory.open_colours[seat * 4 + colour] > 0:
        memory.open_colours[seat * 4 + colour] -= 1
    if memory.open_values[seat * VALUES + value] > 0:
        memory.open_values[seat * VALUES + value] -= 1
    if colour != top_colour and top_colour != NO_COLOUR:
        memory.left[seat] = top_colour
        memory.turned[seat] = colour
    if memory.left[seat] == colour:
        memory.left[seat] = NO_COLOUR


def show_lack(memory: Sightings, seat: int, top: int, colour: int, drawn: int, matching: int) -> None:
    """A seat drew rather than play: its hand lacks colour and value, but for `matching` of the cards it drew."""
    gain(memory, seat, drawn)
    if colour != NO_COLOUR:
        memory.open_colours[seat * 4 + colour] = matching
        if memory.called[seat] == colour:
            memory.called[seat] = NO_COLOUR
        if memory.turned[seat] == colour:
            memory.turned[seat] = NO_COLOUR
    if top < COLOURED_TYPES:
        memory.open_values[seat * VALUES + VALUE_OF[top]] = matching
