"""DefensiveBot: be left with few points."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.uno.by_order import WILD_COLOUR, dearest, play_calling
from kibitz.games.uno.view import View


@bot(
    parameters=(WILD_COLOUR,),
    hand_order="oldest",
    rules=("plays {card}: of the cards that fit it is worth most points, or is the oldest of those",),
    trusted=True,
)
def defensive(view: View, params: Any) -> int:
    """Plays the card worth most points, the oldest of equal ones; plays every drawn card it can."""
    return play_calling(view, dearest(view, view.playable()), params.wild_colour)
