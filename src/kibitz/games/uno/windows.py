"""The windows of house rules: what follows from each answer."""

from __future__ import annotations

from kibitz.core.jit import Word, lowest, number, popcount, word
from kibitz.games.uno.cards import (
    ACCEPT,
    ACTION_COLOURS,
    ACTION_MATCHES,
    CATCH,
    CHALLENGE,
    DRAW,
    FIRST_SWAP,
    JUMP_IN,
    MAX_PLAYERS,
    NO_COLOUR,
    UNO,
    WILD_MASK,
)
from kibitz.games.uno.effects import end_play, go_on, offers_jump_in
from kibitz.games.uno.hands import learn_hand, swap_hands
from kibitz.games.uno.piles import force_draw
from kibitz.games.uno.state import CAUGHT, CHALLENGED, JUMPED_IN, MISSED_UNO, NAMED, SAID_UNO, SEAT_BITS, State, record_said, seat_from
from kibitz.games.uno.turns import ask, show_actor, start_turn
from kibitz.games.uno.view import CATCHING, CHALLENGING, COLOUR, DRAWN, MUST_PLAY_DRAWN, NO_SEAT, STACK, SWAP, TURN, UNO_CALL

_ZERO = Word(0)


def forced_by_house_rules(state: State) -> int:
    """The only legal action in a window, or where playing is a duty; -1 if there is a choice."""
    if state.phase == STACK:
        return ACCEPT if state.playable_types == _ZERO and not state.may_challenge else -1
    if state.phase == SWAP:
        return FIRST_SWAP if state.players == 2 else -1
    if state.phase > DRAWN:
        return -1
    if state.playable_types == _ZERO:
        return DRAW
    duty = state.must_play if state.phase == TURN else state.drawn_rule == MUST_PLAY_DRAWN
    if duty and popcount(state.playable_types) == 1 and state.playable_types & WILD_MASK == _ZERO:
        return lowest(state.playable_types)
    return -1


def answer_window(state: State, action: int) -> int:
    """Carry out what was chosen in a window; the action that plays a card if one is to be played now, else -1."""
    phase = number(state.phase)
    seat = number(state.current) & SEAT_BITS
    if phase == COLOUR:
        state.colour = ACTION_COLOURS[word(action)]
        state.match = ACTION_MATCHES[word(action)]
        state.before_top = state.top
        state.before_colour = NO_COLOUR
        record_said(state, NAMED, seat, 0, NO_SEAT)
        state.phase = TURN
        show_actor(state)
    elif phase == STACK or phase == CHALLENGING:
        if action == ACCEPT:
            accept(state, seat)
        elif action == CHALLENGE:
            challenge(state, seat)
        else:
            state.turn += 1
            return action
    elif phase == SWAP:
        other = (seat + (action - FIRST_SWAP + 1) * number(state.direction) + MAX_PLAYERS * number(state.players)) % number(state.players)
        swap_hands(state, seat, other)
        end_play(state, seat, False, 0)
    elif phase == UNO_CALL:
        if action == UNO:
            record_said(state, SAID_UNO, seat, 0, NO_SEAT)
            go_on(state)
        else:
            record_said(state, MISSED_UNO, seat, 0, NO_SEAT)
            ask(state, seat_from(state, seat, number(state.direction)), CATCHING)
    elif phase == CATCHING:
        following = seat_from(state, seat, number(state.direction))
        if action == CATCH:
            record_said(state, CAUGHT, seat, 0, number(state.player))
            force_draw(state, number(state.player), 2, number(state.before_top), number(state.before_colour))
            go_on(state)
        elif following == number(state.player):
            go_on(state)
        else:
            ask(state, following, CATCHING)
    elif action == JUMP_IN:
        record_said(state, JUMPED_IN, seat, 0, NO_SEAT)
        state.turn += 1
        return number(state.top)
    elif not offers_jump_in(state, number(state.player), seat):
        start_turn(state, number(state.next_seat))
    return -1


def accept(state: State, seat: int) -> None:
    """Draw what lies on the stack, and be skipped."""
    if not state.emptied or state.last_card_draws:
        force_draw(state, seat, number(state.stack), number(state.before_top), number(state.before_colour))
    state.stack = 0
    state.may_challenge = 0
    end_play(state, number(state.player), state.emptied != 0, 1)


def challenge(state: State, seat: int) -> None:
    """Look at the hand of who played a Wild Draw Four: guilty, that player draws; innocent, the challenger draws more."""
    offender = number(state.player)
    state.stack = 0
    state.may_challenge = 0
    learn_hand(state, seat, offender)
    record_said(state, CHALLENGED, seat, number(state.guilty), offender)
    if state.guilty:
        force_draw(state, offender, 4, number(state.before_top), number(state.before_colour))
        start_turn(state, seat)
    else:
        force_draw(state, seat, 6, number(state.before_top), number(state.before_colour))
        end_play(state, offender, state.emptied != 0, 1)
