"""MixBot: ranks and diversity, wilds held back, another order when the next player is about to win."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.fired_rule import FiredRule
from kibitz.bots.uno.choosing import (
    DRAWN_RULES,
    END_GAME,
    END_GAME_RANKS,
    HOLD_BACK,
    LIMITS,
    MIXED,
    PLAY_DRAWN_THRESHOLDS,
    POINTS_LIMITS,
    POINTS_RANKS,
    PREFER_COMMON_COLOUR,
    RANKS,
    WILD_MOST_COMMON,
    WIN_RATE_LIMITS,
    WIN_RATE_RANKS,
    highest_ranked,
    is_end_game,
    most_diverse,
    of_colours,
    play_drawn_or_keep,
    play_with_colour,
    willing_to_play,
)
from kibitz.core.jit import Word
from kibitz.games.uno.view import View

_ZERO = Word(0)

# The rules after those about drawn cards.
NEXT_HAS_ONE, COMMON_COLOUR, RANKED = range(len(DRAWN_RULES), len(DRAWN_RULES) + 3)


@bot(
    parameters=(RANKS, END_GAME_RANKS, LIMITS, PLAY_DRAWN_THRESHOLDS, PREFER_COMMON_COLOUR, END_GAME, WILD_MOST_COMMON),
    presets={
        "win_rate": {"ranks": WIN_RATE_RANKS, "limits": WIN_RATE_LIMITS, **MIXED},
        "points": {"ranks": POINTS_RANKS, "limits": POINTS_LIMITS, **MIXED},
    },
    rules=(
        *DRAWN_RULES,
        "plays {card}: the next player holds one card, and of the kinds that fit none ranks higher against that",
        "plays {card}, of a most common colour in hand: of those colours none ranks higher, and of that rank none matches more of its cards",
        "plays {card}: of the cards that fit none ranks higher, and of that rank none matches more of its cards",
    ),
    trusted=True,
)
def mix(view: View, params: Any, scratch: FiredRule) -> int:
    """Prefers its common colours, then ranks, then diversity; holds wilds until few other cards are left.

    While the next player holds one card it plays the highest end-game rank without regard to limits. If nothing is
    within limits it draws, and plays a drawn wild only with two cards in hand.
    """
    if view.only_drawn():
        return play_drawn_or_keep(view, params.play_drawn_thresholds, params.wild_most_common, scratch)
    if is_end_game(view, params.end_game):
        scratch.rule = NEXT_HAS_ONE
        chosen = highest_ranked(view, view.playable(), params.end_game_ranks)
    else:
        chosen = willing_to_play(view, params.limits)
        if chosen == _ZERO:
            scratch.rule = HOLD_BACK
            return view.decline()
        scratch.rule = RANKED
        if params.prefer_common_colour and view.has_colour():
            preferred = chosen & of_colours(view.common_colours())
            if preferred != _ZERO:
                chosen = preferred
                scratch.rule = COMMON_COLOUR
        chosen = most_diverse(view, highest_ranked(view, chosen, params.ranks))
    return play_with_colour(view, view.pick(chosen), params.wild_most_common)
