"""Outer: Osawa's outer-state strategy, which minds only the next player (Osawa 2015, Walton-Rivers et al. 2017)."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz.bots.hanabi.rules_of_thumb import (
    DISCARDS_DEAD,
    DISCARDS_RANDOMLY,
    MOVES_AT_RANDOM,
    PLAYS_SAFE,
    TELLS_PLAYABLE,
    TELLS_UNKNOWN,
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

SAFE, DEAD, TELL_PLAYABLE, TELL_UNKNOWN, RANDOM_DISCARD, ANY = range(6)  # the rules


@bot(
    game="hanabi",
    memory=Knowledge,
    begin=begin,
    rules=(
        PLAYS_SAFE,
        DISCARDS_DEAD,
        TELLS_PLAYABLE,
        TELLS_UNKNOWN,
        DISCARDS_RANDOMLY,
        MOVES_AT_RANDOM,
    ),
    trusted=True,
)
def outer(view: View, memory: Knowledge) -> int:
    """Plays what is certain, discards what is known dead, tells the next player what to play or anything new.

    Out of tokens it discards at random.
    """
    survey(view, memory)
    following = view.seat_after(1)
    memory.rule = SAFE
    move = play_safe(view, memory)
    if move < 0:
        memory.rule = DEAD
        move = discard_proved_dead(view, memory)
    if move < 0:
        memory.rule = TELL_PLAYABLE
        move = tell_playable(view, memory, following)
    if move < 0:
        memory.rule = TELL_UNKNOWN
        move = tell_unknown(view, memory, following)
    if move < 0:
        memory.rule = RANDOM_DISCARD
        move = discard_randomly(view)
    if move < 0:
        memory.rule = ANY
        move = any_move(view)
    return move
