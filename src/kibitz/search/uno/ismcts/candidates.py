"""The actions that are worth a search at a decision: all legal ones, or those that are not plainly silly."""

from __future__ import annotations

from kibitz.core.jit import ONE, Word, lowest, number
from kibitz.games.uno.cards import (
    ACCEPT,
    CATCH,
    CHALLENGE,
    COLOUR_MASKS,
    COLOURED_MASK,
    COLOURED_TYPES,
    DRAW,
    FIRST_SWAP,
    JUMP_IN,
    KEEP,
    PASS,
    UNO,
    play_action,
)
from kibitz.games.uno.state import State
from kibitz.games.uno.view import CATCHING, CHALLENGING, DRAWN, JUMPING_IN, MUST_PLAY_DRAWN, STACK, SWAP, TURN, UNO_CALL
from kibitz.search.uno.ismcts.nodes import IsmctsSearch

_ZERO = Word(0)


def list_candidates(state: State, search: IsmctsSearch, prune: int) -> int:
    """List the candidates of the player to act; how many there are.

    If `prune`, nobody draws or keeps while it can play a coloured card, calls a colour that it does not hold while it holds one,
    or forgets to say UNO.
    """
    count = number(0)
    phase = number(state.phase)
    if phase < STACK or phase == STACK:
        count = list_plays(state, search, prune)
    if phase == TURN or phase == DRAWN:
        free = state.must_play == 0 if phase == TURN else state.drawn_rule != MUST_PLAY_DRAWN
        if count == 0 or (free and not (prune and state.playable_types & COLOURED_MASK != _ZERO)):
            count = add_candidate(search, count, DRAW if phase == TURN else KEEP)
    elif phase == STACK or phase == CHALLENGING:
        count = add_candidate(search, count, ACCEPT)
        if state.may_challenge:
            count = add_candidate(search, count, CHALLENGE)
    elif phase == SWAP:
        for places in range(number(state.players) - 1):
            count = add_candidate(search, count, FIRST_SWAP + places)
    elif phase == UNO_CALL:
        count = add_candidate(search, count, UNO)
        if not prune:
            count = add_candidate(search, count, PASS)
    elif phase == CATCHING:
        count = add_candidate(search, count, CATCH)
        count = add_candidate(search, count, PASS)
    elif phase == JUMPING_IN:
        count = add_candidate(search, count, JUMP_IN)
        count = add_candidate(search, count, PASS)
    return count


def list_plays(state: State, search: IsmctsSearch, prune: int) -> int:
    """List the plays of the player to act."""
    count = number(0)
    types = state.hand0 | state.hand1 | state.hand2
    every_colour = not prune or types & COLOURED_MASK == _ZERO
    left = state.playable_types
    while left != _ZERO:
        card = lowest(left)
        left &= left - ONE
        if card < COLOURED_TYPES:
            count = add_candidate(search, count, card)
            continue
        for colour in range(4):
            if every_colour or types & COLOUR_MASKS[colour] != _ZERO:
                count = add_candidate(search, count, play_action(card, colour))
    return count


def add_candidate(search: IsmctsSearch, count: int, action: int) -> int:
    """Put an action on the list; how many there are then."""
    search.candidates[count] = action
    return count + 1
