"""The root of the search: plies of every depth put together, and the value of every move listed."""

from __future__ import annotations

from collections.abc import Callable

from kibitz.core.jit import number, specialise_modules
from kibitz.policies.valuation import POINTS, begin_valuation, list_action
from kibitz.search.hanabi.meanimax import plies
from kibitz.search.hanabi.meanimax.last_plies import last_outlook, value_1
from kibitz.search.hanabi.meanimax.scenes import (
    CHANGED,
    GUESSED,
    HINTS,
    NEVER,
    OWN,
    PARTNER,
    MeanimaxSearch,
    guess_hand,
    is_final,
    leaf_value,
    tokens_of,
)

Score = Callable[[MeanimaxSearch, int, int, int, int], float]

score_move_1: Score = specialise_modules(plies, DEPTH=1, value_after=value_1, outlook_after=last_outlook)["score_move"]
pick_2, score_move_2 = plies.pick, plies.score_move


def value_3(search: MeanimaxSearch, hand: int, other: int, scene: int) -> float:
    """What a scene is worth to whom acts, with three plies to go."""
    if is_final(search, scene) or search.sizes[hand] == 0:
        return leaf_value(search, scene)
    guess = number(GUESSED)
    guess_hand(search, hand, guess)
    move = pick_2(search, guess, other, scene, number(0))
    return score_move_2(search, hand, move, other, scene)


score_move_3: Score = specialise_modules(plies, DEPTH=3, SPARE=CHANGED, SURE_HINTS=True, value_after=value_3)["score_move"]


def score_at_root(search: MeanimaxSearch, depth: int, move: int, scene: int) -> float:
    """The mean score of a move of the player to act."""
    own, partner = number(OWN), number(PARTNER)
    if depth == 1:
        return score_move_1(search, own, move, partner, scene)
    if depth == 2:
        return score_move_2(search, own, move, partner, scene)
    return score_move_3(search, own, move, partner, scene)


def best_move(search: MeanimaxSearch, depth: int, scene: int, first: int) -> int:
    """The move of the best score from `first` on, the last one among equals; all that are possible are listed."""
    search.stamp += 1
    begin_valuation(search, POINTS)
    moves = 2 * number(search.sizes[OWN]) + (HINTS if tokens_of(scene) > 0 else 0)
    best, chosen = NEVER, first
    for move in range(first, moves):
        score = score_at_root(search, depth, move, scene)
        if score > NEVER:
            list_action(search, move, score, 0.0, 1)
            if score >= best:
                best, chosen = score, move
    return chosen
