"""A turn before the last three where number cards alone are played. The module is made anew for every depth.

`value_after` is bound to what a position is worth one turn later, to the player who acts then.
"""

from __future__ import annotations

from collections.abc import Callable

from kibitz.core.jit import ONE, Word, lowest, number
from kibitz.core.seeds import stream
from kibitz.games.uno.cards import DRAW, MATCH_MASKS, bit
from kibitz.games.uno.counts import Planes, add_to_planes, take_from_planes
from kibitz.search.uno.expectiminimax.number_cards import WIN, last_three
from kibitz.search.uno.worlds import pick_card

Value = Callable[[Planes, int, Planes, int, Planes, int, int, int], float]

SAMPLE_STEPS = 64  # how many draws of one action have a stream of their own

_ZERO = Word(0)

value_after: Value = last_three


def step(action: int, sample: int) -> int:
    """A number for an action and a draw, by which the streams of what follows differ."""
    return action * SAMPLE_STEPS + sample


def value(own: Planes, own_size: int, other: Planes, other_size: int, pile: Planes, match: int, draws: int, key: int) -> float:
    """What the position is worth to the player who acts."""
    left = (own[0] | own[1] | own[2]) & match
    if left == _ZERO:
        return value_of_draw(own, own_size, other, other_size, pile, match, draws, key)
    if own_size == 1:
        return WIN
    best = -2.0 * WIN
    while left != _ZERO:
        mask = left & (~left + ONE)
        left ^= mask
        card = lowest(mask)
        kept = take_from_planes(own[0], own[1], own[2], mask)
        found = -value_after(other, other_size, kept, own_size - 1, pile, MATCH_MASKS[card], draws, stream(key, step(card, 0)))
        if found > best:
            best = found
            if best == WIN:
                break
    return best


def value_of_draw(own: Planes, own_size: int, other: Planes, other_size: int, pile: Planes, match: int, draws: int, key: int) -> float:
    """The mean over some cards drawn, all of them different cards of the pile."""
    position, low, middle, high = key, pile[0], pile[1], pile[2]
    total, count = 0.0, number(0)
    while count < draws and low | middle | high != _ZERO:
        position, card = pick_card(low, middle, high, position)
        low, middle, high = take_from_planes(low, middle, high, bit(card))
        more = add_to_planes(own[0], own[1], own[2], bit(card))
        rest = take_from_planes(pile[0], pile[1], pile[2], bit(card))
        total -= value_after(other, other_size, more, own_size + 1, rest, match, draws, stream(key, step(DRAW, count)))
        count += 1
    return total / count
