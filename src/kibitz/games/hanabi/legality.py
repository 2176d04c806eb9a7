"""Why a move is not legal, in words: for everybody who reads moves from outside."""

from __future__ import annotations

from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import COLOUR_OF, COLOURS, DISCARD, HINT_COLOUR, MAX_HAND, RANK_OF
from kibitz.games.hanabi.names import moves_of
from kibitz.games.hanabi.state import State


def why_illegal(state: State, move: int) -> str:
    """What is wrong with a move of the player to act; empty if it is legal."""
    if engine.is_over(state):
        return "the game is over"
    if not 0 <= move < moves_of(state):
        return f"moves are numbered 0 to {moves_of(state) - 1}"
    if engine.is_legal(state, move):
        return ""
    kind = state.move_kind(move)
    if kind == DISCARD:  # and whoever is to act has a full hand, so that any play is legal
        return f"nothing may be discarded while all {state.max_tokens} tokens are there"
    if state.tokens == 0:
        return "there is no token left for a hint"
    return _why_empty(state, move, kind == HINT_COLOUR)


def _why_empty(state: State, move: int, by_colour: bool) -> str:
    code = move - 2 * state.hand_size
    size = state.colours if by_colour else state.ranks
    code -= 0 if by_colour else (state.players - 1) * state.colours
    seat, value = (state.current + 1 + code // size) % state.players, code % size
    held = state.hands[seat * MAX_HAND : seat * MAX_HAND + state.sizes[seat]]
    assert value not in [(COLOUR_OF if by_colour else RANK_OF)[card] for card in held]
    return f"seat {seat} has no {COLOURS[value] + ' card' if by_colour else value + 1}, and a hint must touch a card"
