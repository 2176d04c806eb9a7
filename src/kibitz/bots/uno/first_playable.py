"""FirstPlayableBot: whatever comes first."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.uno.by_order import WILD_COLOUR, oldest, play_calling
from kibitz.games.uno.view import View


@bot(parameters=(WILD_COLOUR,), hand_order="oldest", rules=("plays {card}, the oldest card that fits",), trusted=True)
def first_playable(view: View, params: Any) -> int:
    """Plays the oldest playable card in its hand; plays every drawn card it can."""
    return play_calling(view, oldest(view, view.playable()), params.wild_colour)
