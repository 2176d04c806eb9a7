"""DiversityBot: keep the hand playable."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.uno.choosing import WILD_MOST_COMMON, most_diverse, play_with_colour
from kibitz.games.uno.view import View


@bot(
    parameters=(WILD_MOST_COMMON,),
    defaults={"wild_most_common": True},
    rules=("plays {card}: no other card that fits matches more of its different coloured cards",),
    trusted=True,
)
def diversity(view: View, params: Any) -> int:
    """Plays the card that matches the most different coloured cards in its hand, wilds last; plays every drawn card it can."""
    return play_with_colour(view, view.pick(most_diverse(view, view.playable())), params.wild_most_common)
