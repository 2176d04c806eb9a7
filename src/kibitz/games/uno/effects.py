"""A card is played: what it does, who is asked about it, and how the deal may end with it."""

from __future__ import annotations

from kibitz.core.jit import Word, inline, number, word
from kibitz.games.uno.cards import (
    ACTION_CARDS,
    ACTION_COLOURS,
    ACTION_MATCHES,
    COLOUR_MASKS,
    COLOURED_TYPES,
    DRAW_TWO,
    REVERSE,
    SKIP,
    VALUE_OF,
    WILD_DRAW_FOUR,
    WILD_SHUFFLE_HANDS,
    bit,
)
from kibitz.games.uno.hands import forget_played, hand_points, pass_hands, shuffle_hands, take_card
from kibitz.games.uno.piles import force_draw
from kibitz.games.uno.state import HOUSE, PLAY, SEAT_BITS, State, record_event, seat_from
from kibitz.games.uno.turns import ask, start_turn
from kibitz.games.uno.view import CHALLENGED_FOUR, CHALLENGING, DRAWN, JUMPING_IN, NO_SEAT, PLAY_ANY_CARD, STACK, SWAP, TURN, UNO_CALL, WON

_ZERO = Word(0)


@inline
def play_card(state: State, action: int) -> None:
    """Put a card of the player to act on the pile, with its effect."""
    seat = number(state.current) & SEAT_BITS
    card = ACTION_CARDS[word(action)]
    left = take_card(state, seat, card)
    old_top = number(state.top)
    old_colour = number(state.colour)
    state.discard[word(state.discard_size)] = old_top
    state.discard_size += 1
    state.top = card
    state.colour = ACTION_COLOURS[word(action)]
    state.match = ACTION_MATCHES[word(action)]
    state.idle_players = 0
    if state.observed:
        record_play(state, seat, card, old_top, old_colour)
    if HOUSE:
        state.player = seat
        state.may_challenge = 0
        state.before_top = old_top
        state.before_colour = old_colour
        state.emptied = 1 if left == 0 else 0
        if card == WILD_DRAW_FOUR:
            state.guilty = (
                1 if (state.hands0[seat] | state.hands1[seat] | state.hands2[seat]) & COLOUR_MASKS[word(old_colour)] != _ZERO else 0
            )
        if state.any_known:
            forget_played(state, seat, card)
        if left == 1 and state.uno_call:
            ask(state, seat, UNO_CALL)
        else:
            go_on(state)
    else:
        take_effect(state, seat, card, left == 0, old_top, old_colour)


def record_play(state: State, seat: int, card: int, old_top: int, old_colour: int) -> None:
    """Note a play: after how many draws, and whether it is known to be the card just drawn."""
    drawn = state.phase == DRAWN
    count = number(1 if drawn else 0)
    if HOUSE and drawn:
        count = number(state.turn_draws)
        drawn = state.drawn_rule != PLAY_ANY_CARD
    record_event(state, PLAY, seat, card, number(state.colour), count, 1 if drawn else 0, old_top, old_colour, NO_SEAT)


def go_on(state: State) -> None:
    """Let the card on top take its effect, after all that is said about it."""
    take_effect(state, number(state.player), number(state.top), state.emptied != 0, number(state.before_top), number(state.before_colour))


@inline
def take_effect(state: State, seat: int, card: int, emptied: bool, old_top: int, old_colour: int) -> None:
    """What a card does once it lies on top."""
    # Branches here, tables above: the processor guesses ahead past a branch, but waits for a look-up on the way to the next seat.
    skipped = 0
    penalty = 0
    value = VALUE_OF[card]
    if value >= SKIP:
        if value == SKIP:
            skipped = 1
        elif value == REVERSE:
            if state.reverse_skips:
                skipped = 1
            else:
                state.direction = -state.direction
        elif value == DRAW_TWO:
            skipped = 1
            penalty = 2
        elif card == WILD_DRAW_FOUR:
            skipped = 1
            penalty = 4
        elif HOUSE and card == WILD_SHUFFLE_HANDS and not emptied:
            shuffle_hands(state, seat)
    elif HOUSE and state.seven_zero and not emptied:
        if value == 7:
            ask(state, seat, SWAP)
            return
        if value == 0:
            pass_hands(state, seat)
    if penalty:
        if HOUSE:
            if asks_about_penalty(state, seat, emptied, penalty):
                return
            penalty += number(state.stack)
            state.stack = 0
        if not HOUSE or not emptied or state.last_card_draws:
            force_draw(state, seat_from(state, seat, number(state.direction)), penalty, old_top, old_colour)
    end_play(state, seat, emptied, skipped)


def asks_about_penalty(state: State, seat: int, emptied: bool, penalty: int) -> bool:
    """Whether the player who would draw is asked first: to answer with a card, or to challenge."""
    victim = seat_from(state, seat, number(state.direction))
    state.may_challenge = 1 if state.top == WILD_DRAW_FOUR and state.four_rule == CHALLENGED_FOUR and state.stack == 0 else 0
    if state.stacking and not emptied:
        if state.turn >= state.max_turns:  # an answer would be one turn too many
            state.stack = 0
            start_turn(state, victim)
            return True
        state.stack += penalty
        ask(state, victim, STACK)
        return True
    if state.may_challenge:
        state.stack = penalty
        ask(state, victim, CHALLENGING)
        return True
    return False


@inline
def end_play(state: State, seat: int, emptied: bool, skipped: int) -> None:
    """Once a play has had its effect: the game is over, or the turn goes on."""
    if emptied:
        finish(state, seat)
    else:
        following = seat_from(state, seat, number(state.direction) << skipped)
        if HOUSE and state.jump_in:
            state.next_seat = following
            if offers_jump_in(state, seat, seat):
                return
        start_turn(state, following)


def offers_jump_in(state: State, player: int, after: int) -> bool:
    """Ask the next seat after one that holds exactly the top card; whether there is any."""
    if state.top >= COLOURED_TYPES or state.turn >= state.max_turns:
        return False
    seat = seat_from(state, after, number(state.direction))
    while seat != player:
        if (state.hands0[seat] | state.hands1[seat] | state.hands2[seat]) & bit(state.top) != _ZERO:
            state.jumper = seat
            state.jumped_on = player
            state.player = player
            ask(state, seat, JUMPING_IN)
            return True
        seat = seat_from(state, seat, number(state.direction))
    return False


def finish(state: State, winner: int) -> None:
    """End the game: the winner gets the points of all other hands (its own is empty)."""
    state.status = WON
    state.winner = winner
    if HOUSE:
        state.player = NO_SEAT
        state.may_challenge = 0
        if state.phase > DRAWN:
            state.phase = TURN
    total = number(0)
    for seat in range(number(state.players)):
        total += hand_points(state.hands0[seat], state.hands1[seat], state.hands2[seat])
    state.points = total
