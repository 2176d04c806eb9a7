"""Piers: IGGI with a taste for risk while lives are left, and hints about dead cards (Walton-Rivers et al. 2017)."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz.bots.hanabi.rules_of_thumb import (
    NONE,
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


@bot(game="hanabi", memory=Knowledge, begin=begin, trusted=True)
def piers(view: View, memory: Knowledge) -> int:
    """Plays what is certain or probable, tells others what to play and, short of tokens, what is dead; else as iggi.

    Unless it is the last life, it plays what fits with 60 per cent or more, and once the deck is empty whatever fits most
    probably. The published list ends with a random discard, which is never reached: the oldest card goes before.
    """
    survey(view, memory)
    move = play_probable(view, memory, 0) if view.deck_size == 0 and view.lives > 1 else NONE
    if move < 0:
        move = play_safe(view, memory)
    if move < 0 and view.lives > 1:
        move = play_probable(view, memory, PROBABLE)
    if move < 0:
        move = tell_anyone_playable(view, memory)
    if move < 0 and view.tokens < FEW_TOKENS:
        move = tell_dispensable(view, memory)
    if move < 0:
        move = discard_proved_dead(view, memory)
    if move < 0:
        move = discard_oldest(view)
    return move if move >= 0 else any_move(view)
