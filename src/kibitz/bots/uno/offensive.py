"""OffensiveBot: keep the strong cards for later."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.uno.by_order import WILD_COLOUR, cheapest, play_calling
from kibitz.games.uno.view import View


@bot(
    parameters=(WILD_COLOUR,),
    hand_order="oldest",
    rules=("plays {card}: of the cards that fit it is worth fewest points, or is the oldest of those",),
    trusted=True,
)
def offensive(view: View, params: Any) -> int:
    """Plays the card worth fewest points, the oldest of equal ones; plays every drawn card it can."""
    return play_calling(view, cheapest(view, view.playable()), params.wild_colour)
