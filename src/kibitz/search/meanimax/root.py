"""The root of the search: plies of every depth put together."""

from __future__ import annotations

from collections.abc import Callable

from kibitz.jit import number, specialise_modules
from kibitz.search.meanimax import plies
from kibitz.search.meanimax.outlook import last_outlook, value_1
from kibitz.search.meanimax.table import CHANGED, GUESSED, OWN, PARTNER, Search, guess_hand, is_final, leaf_value

Pick = Callable[[Search, int, int, int, int], int]

pick_1: Pick = specialise_modules(plies, DEPTH=1, value_after=value_1, outlook_after=last_outlook)["pick"]
pick_2, score_move_2 = plies.pick, plies.score_move


def value_3(search: Search, hand: int, other: int, scene: int) -> float:
    """What a scene is worth to whom acts, with three plies to go."""
    if is_final(search, scene) or search.sizes[hand] == 0:
        return leaf_value(search, scene)
    guess = number(GUESSED)
    guess_hand(search, hand, guess)
    move = pick_2(search, guess, other, scene, number(0))
    return score_move_2(search, hand, move, other, scene)


pick_3: Pick = specialise_modules(plies, DEPTH=3, SPARE=CHANGED, SURE_HINTS=True, value_after=value_3)["pick"]


def best_move(search: Search, depth: int, scene: int, first: int) -> int:
    """The best move at the root."""
    search.stamp += 1
    own, partner = number(OWN), number(PARTNER)
    if depth == 1:
        return pick_1(search, own, partner, scene, first)
    if depth == 2:
        return pick_2(search, own, partner, scene, first)
    return pick_3(search, own, partner, scene, first)
