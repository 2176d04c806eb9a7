"""Outer: Osawa's outer-state strategy, which minds only the next player (Osawa 2015, Walton-Rivers et al. 2017)."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz.bots.hanabi.rules_of_thumb import (
    Knowledge,
    any_move,
    begin,
    discard_proved_dead,
    discard_randomly,
    play_safe,
    survey,
    tell_playable,
    tell_unknown,
)
from kibitz.games.hanabi.view import View


@bot(game="hanabi", memory=Knowledge, begin=begin, trusted=True)
def outer(view: View, memory: Knowledge) -> int:
    """Plays what is certain, discards what is known dead, tells the next player what to play or anything new.

    Out of tokens it discards at random.
    """
    survey(view, memory)
    following = view.seat_after(1)
    move = play_safe(view, memory)
    if move < 0:
        move = discard_proved_dead(view, memory)
    if move < 0:
        move = tell_playable(view, memory, following)
    if move < 0:
        move = tell_unknown(view, memory, following)
    if move < 0:
        move = discard_randomly(view)
    return move if move >= 0 else any_move(view)
