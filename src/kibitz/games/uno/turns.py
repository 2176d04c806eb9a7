"""Whose turn it is, who is asked, and what the state looks like to whom it is shown."""

from __future__ import annotations

from kibitz.core.jit import inline, number, word
from kibitz.games.uno.cards import NO_CARD, bit
from kibitz.games.uno.hands import show_knowledge, show_order
from kibitz.games.uno.playable import playable_in_turn, playable_now
from kibitz.games.uno.state import HOUSE, SEAT_BITS, State
from kibitz.games.uno.view import CUT_OFF, DRAWN, JUMPING_IN, NO_SEAT, TURN


@inline
def start_turn(state: State, seat: int) -> None:
    """Hand the turn to a seat, unless the game has lasted too long."""
    state.current = seat
    state.phase = TURN
    if HOUSE:
        state.turn_draws = 0
        state.player = NO_SEAT
        state.may_challenge = 0
    show_actor(state)
    if state.turn >= state.max_turns:
        state.status = CUT_OFF
    else:
        state.turn += 1


def ask(state: State, seat: int, phase: int) -> None:
    """Open a window for a seat."""
    state.current = seat
    state.phase = phase
    show_actor(state)


@inline
def show_actor(state: State) -> None:
    """Show the state to the player to act. It stands so whenever a decision is open, except while others look on."""
    if HOUSE and state.masked:
        unmask(state)
    seat = number(state.current) & SEAT_BITS
    low, middle, high = state.hands0[seat], state.hands1[seat], state.hands2[seat]
    state.seat = seat
    state.hand0 = low
    state.hand1 = middle
    state.hand2 = high
    state.random_stream = state.seat_streams[seat]
    if HOUSE and (state.restricts_four or state.phase != TURN):
        state.drawn = state.hidden_drawn if state.phase == DRAWN else NO_CARD
        state.playable_types = playable_now(state, low | middle | high)
    elif state.phase == DRAWN:
        state.drawn = state.hidden_drawn
        state.playable_types = bit(state.hidden_drawn)
    else:
        state.drawn = NO_CARD
        state.playable_types = (low | middle | high) & state.match
    if HOUSE and state.any_known:
        show_knowledge(state, seat)
    if state.any_ordered:
        show_order(state, seat)


def show(state: State, seat: int) -> None:
    """Show the state to any seat: what the others may not see is taken out, what is its own put in."""
    if HOUSE and state.masked:
        unmask(state)
    if seat == number(state.current):
        show_actor(state)
        return
    if HOUSE and state.phase == JUMPING_IN:
        mask(state)
    state.seat = seat
    state.hand0 = state.hands0[seat]
    state.hand1 = state.hands1[seat]
    state.hand2 = state.hands2[seat]
    state.random_stream = state.seat_streams[seat]
    state.drawn = NO_CARD
    state.playable_types = word(0)
    if HOUSE and seat == number(state.current):  # it cannot tell that somebody else may jump in first
        state.playable_types = playable_in_turn(state, state.hand0 | state.hand1 | state.hand2)
    if HOUSE and state.any_known:
        show_knowledge(state, seat)
    if state.any_ordered:
        show_order(state, seat)


def mask(state: State) -> None:
    """Hide that somebody is asked to jump in, which would tell what that player holds: it looks like the next turn."""
    state.masked = 1
    state.current = state.next_seat
    state.phase = TURN
    state.player = NO_SEAT
    state.turn += 1


def unmask(state: State) -> None:
    """Undo `mask`."""
    state.masked = 0
    state.current = state.jumper
    state.phase = JUMPING_IN
    state.player = state.jumped_on
    state.turn -= 1
