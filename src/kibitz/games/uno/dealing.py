"""A deal begins: hands, dealer, and the opening card with its effect."""

from __future__ import annotations

from kibitz.core.jit import inline, number, word
from kibitz.core.seeds import DEAL, FIRST_SEAT, below, stream
from kibitz.games.uno.cards import (
    COLOUR_OF,
    COLOURED_TYPES,
    DRAW_TWO,
    MAX_CARDS,
    NO_CARD,
    NO_COLOUR,
    REVERSE,
    SKIP,
    VALUE_OF,
    WILD_DRAW_FOUR,
    bit,
    match_mask,
)
from kibitz.games.uno.counts import add_to_planes
from kibitz.games.uno.hands import forget_all
from kibitz.games.uno.piles import force_draw
from kibitz.games.uno.state import HOUSE, OPENING_NAME_COLOUR, OPENING_NONE, OPENING_REDRAW, SEAT_0, State, seat_from
from kibitz.games.uno.turns import show_actor, start_turn
from kibitz.games.uno.view import COLOUR, NO_SEAT, PLAYING, TURN


def deal(state: State, key: int) -> None:
    """Deal anew from the streams of a game key: hands, dealer, opening card and its effect."""
    players = number(state.players)
    position = stream(key, DEAL)
    size = number(state.deck_size)
    for place in range(MAX_CARDS):
        state.pile[place] = state.full_deck[place]
        state.discard[place] = 0
    for seat in range(players):
        low, middle, high = word(0), word(0), word(0)
        for dealt in range(number(state.initial_hand)):
            position, place = below(position, size)
            card = number(state.pile[word(place)])
            size -= 1
            state.pile[word(place)] = state.pile[word(size)]
            low, middle, high = add_to_planes(low, middle, high, bit(card))
            state.orders[seat * MAX_CARDS + dealt] = card
        state.hands0[seat] = low
        state.hands1[seat] = middle
        state.hands2[seat] = high
        state.sizes[seat] = state.initial_hand
        state.seat_streams[seat] = stream(key, FIRST_SEAT + seat)
    position, dealer = below(position, players)
    if HOUSE and state.starter == SEAT_0:
        dealer = players - 1
    elif state.set_dealer != NO_SEAT:
        dealer = number(state.set_dealer)
    # The opening card: Wild Draw Fours go back, unless there is nothing else.
    position, place = below(position, size)
    while goes_back(state, number(state.pile[place])) and has_other_card(state, size):
        position, place = below(position, size)
    top = number(state.pile[place])
    size -= 1
    state.pile[place] = state.pile[size]
    state.pile_size = size
    state.deal_stream = position
    state.dealer = dealer
    state.discard_size = 0
    state.top = top
    state.colour = COLOUR_OF[top]
    state.match = match_mask(top, NO_COLOUR)
    state.direction = 1
    state.turn = 0
    state.points = 0
    state.phase = TURN
    state.status = PLAYING
    state.winner = NO_CARD
    state.idle_players = 0
    state.event_count = 0
    if HOUSE:
        state.stack = 0
        state.may_challenge = 0
        state.emptied = 0
        state.masked = 0
        if state.any_known:
            forget_all(state)
    open_game(state, dealer, VALUE_OF[top])


@inline
def goes_back(state: State, card: int) -> bool:
    """Whether a card that was turned up to begin is put back."""
    if HOUSE and state.opening == OPENING_NONE:
        return False
    if HOUSE and state.opening == OPENING_REDRAW:
        return card >= COLOURED_TYPES
    return card == WILD_DRAW_FOUR


def has_other_card(state: State, size: int) -> bool:
    """Whether the pile holds a card that may open the game."""
    for place in range(size):
        if not goes_back(state, number(state.pile[place])):
            return True
    return False


def open_game(state: State, dealer: int, value: int) -> None:
    """Apply the opening card: who begins, and who draws."""
    first = seat_from(state, dealer, number(state.direction))
    if HOUSE and (state.opening == OPENING_NONE or state.opening == OPENING_REDRAW):
        value = 0
    if value == REVERSE:
        state.direction = -1
        first = dealer
    elif value == SKIP:
        first = seat_from(state, first, number(state.direction))
    elif value == DRAW_TWO:
        force_draw(state, first, 2, number(state.top), number(state.colour))
        first = seat_from(state, first, number(state.direction))
    state.event_count = 0  # the opening is over before anybody looks
    start_turn(state, first)
    if HOUSE and state.opening == OPENING_NAME_COLOUR and state.top >= COLOURED_TYPES:
        state.phase = COLOUR
        show_actor(state)
