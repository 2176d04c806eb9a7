"""BetterOffensiveBot: get rid of points, but keep the wilds, which always fit."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.fired_rule import FiredRule
from kibitz.bots.uno.by_order import WILD_COLOUR, dearest, play_calling
from kibitz.core.jit import Word
from kibitz.games.uno.cards import COLOURED_MASK
from kibitz.games.uno.view import View

_ZERO = Word(0)


COLOURED, ONLY_WILDS = range(2)  # the rules


@bot(
    parameters=(WILD_COLOUR,),
    hand_order="oldest",
    rules=(
        "plays {card}: of the coloured cards that fit it is worth most points, or is the oldest of those",
        "plays {card}: only wilds fit",
    ),
    trusted=True,
)
def better_offensive(view: View, params: Any, scratch: FiredRule) -> int:
    """Plays the coloured card worth most points, the oldest of equal ones, and wilds last; plays every drawn card it can."""
    candidates = view.playable() & COLOURED_MASK
    scratch.rule = COLOURED
    if candidates == _ZERO:
        candidates = view.playable()
        scratch.rule = ONLY_WILDS
    return play_calling(view, dearest(view, candidates), params.wild_colour)
