"""GreedyBot: get rid of points."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.uno.choosing import WILD_MOST_COMMON, play_with_colour
from kibitz.core.jit import ONE, Word, lowest, word
from kibitz.games.uno.cards import POINTS_OF, bit
from kibitz.games.uno.view import View

_ZERO = Word(0)


@bot(
    parameters=(WILD_MOST_COMMON,),
    defaults={"wild_most_common": True},
    rules=("plays {card}: no other card that fits is worth more points",),
    trusted=True,
)
def greedy(view: View, params: Any) -> int:
    """Plays the card worth most points, ties at random; calls its most common colour; plays every drawn card it can."""
    left = view.playable()
    best = -1
    chosen = word(0)
    while left != _ZERO:
        card = lowest(left)
        left &= left - ONE
        if POINTS_OF[card] > best:
            best = POINTS_OF[card]
            chosen = word(0)
        if POINTS_OF[card] == best:
            chosen |= bit(card)
    return play_with_colour(view, view.pick(chosen), params.wild_most_common)
