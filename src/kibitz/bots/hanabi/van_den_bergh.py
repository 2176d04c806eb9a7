"""VanDenBergh: chances instead of certainties (van den Bergh et al. 2015, as in Walton-Rivers et al. 2017)."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz.bots.hanabi.rules_of_thumb import (
    DISCARDS_PROBABLY_DEAD,
    MOVES_AT_RANDOM,
    PLAYS_PROBABLE,
    PLAYS_SAFE,
    TELLS_MOST,
    TELLS_PLAYABLE,
    Knowledge,
    any_move,
    begin,
    discard_probably_dead,
    play_probable,
    play_safe,
    survey,
    tell_anyone_playable,
    tell_most,
)
from kibitz.games.hanabi.view import View

PROBABLE = 60  # per cent from which a play is worth a life that is not the last


PROBABLE_PLAY, SAFE, DEAD, TELL_PLAYABLE, TELL_MOST, PROBABLY_DEAD, ANY = range(7)  # the rules


@bot(
    game="hanabi",
    memory=Knowledge,
    begin=begin,
    rules=(
        PLAYS_PROBABLE,
        PLAYS_SAFE,
        "discards {slot}, which is surely dead",
        TELLS_PLAYABLE,
        TELLS_MOST,
        DISCARDS_PROBABLY_DEAD,
        MOVES_AT_RANDOM,
    ),
    trusted=True,
)
def van_den_bergh(view: View, memory: Knowledge) -> int:
    """Plays what probably fits, discards what is surely dead, tells what can be played, else the hint that touches most.

    Out of tokens it discards what is most probably dead. The hint that touches most may repeat what is known: with two
    players, tokens go that way, which is why it is so much weaker there.
    """
    survey(view, memory)
    memory.rule = PROBABLE_PLAY if view.lives > 1 else SAFE
    move = play_probable(view, memory, PROBABLE) if view.lives > 1 else play_safe(view, memory)
    if move < 0:
        memory.rule = DEAD
        move = discard_probably_dead(view, memory, 100)
    if move < 0:
        memory.rule = TELL_PLAYABLE
        move = tell_anyone_playable(view, memory)
    if move < 0:
        memory.rule = TELL_MOST
        move = tell_most(view)
    if move < 0:
        memory.rule = PROBABLY_DEAD
        move = discard_probably_dead(view, memory, 0)
    if move < 0:
        memory.rule = ANY
        move = any_move(view)
    return move
