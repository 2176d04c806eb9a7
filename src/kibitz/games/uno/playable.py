"""What a player may play, as the rules about Wild Draw Fours, drawn cards and stacks say."""

from __future__ import annotations

from kibitz.core.jit import Word, inline, word
from kibitz.games.uno.cards import ALL_CARDS, COLOUR_MASKS, DRAW_TWO, VALUE_MASKS, WILD_DRAW_FOUR, bit
from kibitz.games.uno.state import State
from kibitz.games.uno.view import COLOUR, DRAWN, HONEST_ONLY, LAST_RESORT, PLAY_ANY_CARD, STACK, STACK_PROGRESSIVE, TURN

_ZERO = Word(0)
_DRAW_TWOS = Word(int(VALUE_MASKS[DRAW_TWO]))
_DRAW_FOUR = Word(1 << WILD_DRAW_FOUR)


@inline
def playable_in_turn(state: State, types: int) -> int:
    """The types of a hand that may be played on the top card."""
    fitting = types & state.match
    return allowed_four(state, types, fitting) if state.restricts_four else fitting


def allowed_four(state: State, types: int, fitting: int) -> int:
    """Fitting types of a hand, without the Wild Draw Four where the rules forbid it."""
    if state.four_rule == HONEST_ONLY and types & COLOUR_MASKS[word(state.colour)] != _ZERO:
        return fitting & ~_DRAW_FOUR
    if state.four_rule == LAST_RESORT and fitting & ~_DRAW_FOUR != _ZERO:
        return fitting & ~_DRAW_FOUR
    return fitting


def playable_now(state: State, types: int) -> int:
    """The types of the acting player's hand that may be played in the phase that is open."""
    if state.phase == TURN:
        return playable_in_turn(state, types)
    if state.phase == DRAWN:
        return playable_in_turn(state, types) & (ALL_CARDS if state.drawn_rule == PLAY_ANY_CARD else bit(state.hidden_drawn))
    if state.phase == STACK:
        answers = word(_DRAW_FOUR)
        if state.top != WILD_DRAW_FOUR:
            answers = _DRAW_TWOS | _DRAW_FOUR if state.stacking == STACK_PROGRESSIVE else _DRAW_TWOS
        return allowed_four(state, types, types & answers)
    if state.phase == COLOUR:
        return bit(state.top)
    return word(0)
