"""What a player does in a window of house rules that its bot knows nothing of.

One place for all bots: call UNO, catch who did not, accept a Wild Draw Four, answer a stack if possible, swap with the
shortest hand, do not jump in, name the most common colour.
"""

from __future__ import annotations

from kibitz.core.jit import Word, lowest, number
from kibitz.games.uno.cards import ACCEPT, CATCH, FIRST_SWAP, PASS, UNO, play_action
from kibitz.games.uno.view import CATCHING, CHALLENGING, COLOUR, JUMPING_IN, STACK, SWAP, View

_ZERO = Word(0)


def default_in_window(view: View) -> int:
    """The default action in the window that is open for the viewer."""
    phase = view.phase
    if phase == COLOUR:
        return play_action(number(view.top), lowest(view.common_colours()))
    if phase == CHALLENGING:
        return ACCEPT
    if phase == STACK:
        if view.playable_types == _ZERO:
            return ACCEPT
        return play_action(lowest(view.playable_types), lowest(view.common_colours()))
    if phase == SWAP:
        return FIRST_SWAP - 1 + places_to_shortest_hand(view)
    if phase == CATCHING:
        return CATCH
    if phase == JUMPING_IN:
        return PASS
    return UNO


def places_to_shortest_hand(view: View) -> int:
    """How many places on the player with the fewest cards sits, the nearest of several."""
    best = number(1)
    for places in range(2, number(view.players)):
        if view.sizes[view.seat_after(places)] < view.sizes[view.seat_after(best)]:
            best = number(places)
    return best
