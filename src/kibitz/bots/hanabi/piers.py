"""Piers: IGGI with a taste for risk while lives are left, and hints about dead cards (Walton-Rivers et al. 2017)."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz.bots.hanabi.rules_of_thumb import (
    DISCARDS_DEAD,
    DISCARDS_OLDEST,
    MOVES_AT_RANDOM,
    NONE,
    PLAYS_PROBABLE,
    PLAYS_SAFE,
    TELLS_DISPENSABLE,
    TELLS_PLAYABLE,
    Knowledge,
    any_move,
    begin,
    discard_oldest,
    discard_proved_dead,
    play_probable,
    play_safe,
    survey,
    tell_anyone_playable,
    tell_dispensable,
)
from kibitz.games.hanabi.view import View

PROBABLE = 60  # per cent from which a play is worth a life that is not the last
FEW_TOKENS = 4  # with fewer, dead cards are pointed out: their discards bring tokens


LAST_TURNS, SAFE, PROBABLE_PLAY, TELL_PLAYABLE, TELL_DISPENSABLE, DEAD, OLDEST, ANY = range(8)  # the rules


@bot(
    game="hanabi",
    memory=Knowledge,
    begin=begin,
    rules=(
        "plays {slot}, the card most likely to fit, now that the deck is empty and a life is to spare",
        PLAYS_SAFE,
        PLAYS_PROBABLE,
        TELLS_PLAYABLE,
        TELLS_DISPENSABLE,
        DISCARDS_DEAD,
        DISCARDS_OLDEST,
        MOVES_AT_RANDOM,
    ),
    trusted=True,
)
def piers(view: View, memory: Knowledge) -> int:
    """Plays what is certain or probable, tells others what to play and, short of tokens, what is dead; else as iggi.

    Unless it is the last life, it plays what fits with 60 per cent or more, and once the deck is empty whatever fits most
    probably. The published list ends with a random discard, which is never reached: the oldest card goes before.
    """
    survey(view, memory)
    memory.rule = LAST_TURNS
    move = play_probable(view, memory, 0) if view.deck_size == 0 and view.lives > 1 else NONE
    if move < 0:
        memory.rule = SAFE
        move = play_safe(view, memory)
    if move < 0 and view.lives > 1:
        memory.rule = PROBABLE_PLAY
        move = play_probable(view, memory, PROBABLE)
    if move < 0:
        memory.rule = TELL_PLAYABLE
        move = tell_anyone_playable(view, memory)
    if move < 0 and view.tokens < FEW_TOKENS:
        memory.rule = TELL_DISPENSABLE
        move = tell_dispensable(view, memory)
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
