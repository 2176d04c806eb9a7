"""CardRankingBot: a fixed order of kinds."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.uno.choosing import POINTS_RANKS, RANKS, WILD_MOST_COMMON, WIN_RATE_RANKS, highest_ranked, play_with_colour
from kibitz.games.uno.view import View


@bot(
    parameters=(RANKS, WILD_MOST_COMMON),
    presets={
        "win_rate": {"ranks": WIN_RATE_RANKS, "wild_most_common": True},
        "points": {"ranks": POINTS_RANKS, "wild_most_common": True},
    },
    rules=("plays {card}: of the cards that fit, no kind ranks higher",),
    trusted=True,
)
def card_ranking(view: View, params: Any) -> int:
    """Plays the kind of card that ranks highest, ties at random; plays every drawn card it can."""
    return play_with_colour(view, view.pick(highest_ranked(view, view.playable(), params.ranks)), params.wild_most_common)
