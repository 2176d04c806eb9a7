"""IGGI: certain plays, hints for others' plays, and the oldest card goes (Walton-Rivers et al. 2017)."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz.bots.hanabi.rules_of_thumb import (
    Knowledge,
    any_move,
    begin,
    discard_oldest,
    discard_proved_dead,
    play_certain,
    play_safe,
    survey,
    tell_anyone_playable,
)
from kibitz.games.hanabi.view import View


@bot(game="hanabi", memory=Knowledge, begin=begin, trusted=True)
def iggi(view: View, memory: Knowledge) -> int:
    """Plays what is certain, tells others what they can play, discards what is known dead, then the oldest card.

    With all tokens on the table, where nobody may discard, it gives the next player a random hint.
    """
    survey(view, memory)
    move = play_certain(view, memory)
    if move < 0:
        move = play_safe(view, memory)
    if move < 0:
        move = tell_anyone_playable(view, memory)
    if move < 0:
        move = discard_proved_dead(view, memory)
    if move < 0:
        move = discard_oldest(view)
    return move if move >= 0 else any_move(view)
