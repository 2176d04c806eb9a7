"""The draw pile and the discard pile: drawing of one's own will or by force, and refilling."""

from __future__ import annotations

from kibitz.core.jit import inline, number
from kibitz.core.seeds import below
from kibitz.games.uno.cards import NO_CARD
from kibitz.games.uno.hands import give_card
from kibitz.games.uno.state import FORCED, HOUSE, State, record_event
from kibitz.games.uno.view import NO_SEAT

OWN_WILL = -1  # in place of how many cards a seat has still to draw by force

_SIZE_BITS = 127


def refill(state: State) -> None:
    """Turn the discard pile, but for its top card, into the draw pile. A draw picks at random, so this is the shuffle."""
    size = number(state.discard_size)
    for place in range(size):
        state.pile[place] = state.discard[place]
    state.pile_size = size
    state.discard_size = 0


@inline
def weigh_draw(state: State, seat: int, owed: int, size: int, card: int) -> None:
    """Nothing: what is done about a seat that draws `card` out of `size` in the pile. `luck` binds it anew to measure luck."""


@inline
def draw_card(state: State, seat: int, owed: int) -> int:
    """Take a random card from the draw pile, refilled when it runs out or is needed; -1 if there is none at all.

    It is for a seat that has to draw `owed` more after it, or OWN_WILL.
    """
    size = number(state.pile_size) & _SIZE_BITS
    if size == 0:
        refill(state)
        size = number(state.pile_size) & _SIZE_BITS
        if size == 0:
            return -1
    position, place = below(state.deal_stream, size)
    state.deal_stream = position
    card = number(state.pile[place])
    weigh_draw(state, seat, owed, size, card)
    size -= 1
    state.pile[place] = state.pile[size]
    state.pile_size = size
    if size == 0 and not (HOUSE and state.refill_late):
        refill(state)
    return card


def force_draw(state: State, seat: int, count: int, top: int, top_colour: int) -> None:
    """Make a seat draw `count` cards, or as many as there are."""
    drawn = 0
    for _ in range(count):
        card = draw_card(state, seat, count - 1 - drawn)
        if card < 0:
            break
        give_card(state, seat, card)
        drawn += 1
    if state.observed:
        record_event(state, FORCED, seat, NO_CARD, number(state.colour), drawn, 0, top, top_colour, NO_SEAT)
