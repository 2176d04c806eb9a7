"""IGGI: certain plays, hints for others' plays, and the oldest card goes (Walton-Rivers et al. 2017)."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz.bots.hanabi.rules_of_thumb import (
    DISCARDS_DEAD,
    DISCARDS_OLDEST,
    MOVES_AT_RANDOM,
    PLAYS_CERTAIN,
    PLAYS_SAFE,
    TELLS_PLAYABLE,
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

CERTAIN, SAFE, TELL, DEAD, OLDEST, ANY = range(6)  # the rules


@bot(
    game="hanabi",
    memory=Knowledge,
    begin=begin,
    rules=(
        PLAYS_CERTAIN,
        PLAYS_SAFE,
        TELLS_PLAYABLE,
        DISCARDS_DEAD,
        DISCARDS_OLDEST,
        MOVES_AT_RANDOM,
    ),
    trusted=True,
)
def iggi(view: View, memory: Knowledge) -> int:
    """Plays what is certain, tells others what they can play, discards what is known dead, then the oldest card.

    With all tokens on the table, where nobody may discard, it gives the next player a random hint.
    """
    survey(view, memory)
    memory.rule = CERTAIN
    move = play_certain(view, memory)
    if move < 0:
        memory.rule = SAFE
        move = play_safe(view, memory)
    if move < 0:
        memory.rule = TELL
        move = tell_anyone_playable(view, memory)
    if move < 0:
        memory.rule = DEAD
        move = discard_proved_dead(view, memory)
    if move < 0:
        memory.rule = OLDEST
        move = discard_oldest(view)
    if move < 0:
        memory.rule = ANY
        move = any_move(view)
    return move
