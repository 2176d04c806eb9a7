"""The blueprint in every seat: one record of what everybody knows serves all players, since a convention makes it equal for all.

A blueprint is `smart` (conventions) or `information` (hat guessing). `follow` reads a move as everybody does, `blueprint_move` says what
a player would do, and `play_on` lets all of them play to the end of a game. Functions take the records of both, and use one.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.jit import lowest, number, word
from kibitz.games.hanabi.cards import DISCARD, HAND_CARDS, HINT_RANK, MAX_HAND, MAX_PLAYERS, PLAY
from kibitz.games.hanabi.engine import apply, event_at, forced_action, is_legal, is_over
from kibitz.games.hanabi.state import Event, State
from kibitz.games.hanabi.view import LOST, View
from kibitz.policies.hanabi.card_sets import type_bit
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge, begin_table
from kibitz.policies.hanabi.hat_messages import EVERYBODY, read_move
from kibitz.policies.hanabi.hat_moves import choose_move as hat_move
from kibitz.policies.hanabi.smart_knowledge import (
    SmartKnowledge,
    begin_knowledge,
    finesse_holder,
    read_discard,
    read_hint,
    read_play,
)
from kibitz.policies.hanabi.smart_policy import choose_move as smart_move

SMART, INFORMATION = 0, 1
CAREFUL = 1  # never gamble on the last life


def begin_convention(kind: int, view: View, smart: SmartKnowledge, hat: HatKnowledge) -> None:
    """Take over any position."""
    if kind == SMART:
        begin_knowledge(view, smart)
    else:
        hat.hint_above, hat.seen_weight, hat.spare_weight, hat.rank_weight = 2, 5, 20, 1
        begin_table(view, hat)


def blueprint_move(kind: int, smart: SmartKnowledge, hat: HatKnowledge, cards: Any, seat: int) -> int:
    """What a player does that follows the blueprint; its own cards are not looked at."""
    if kind == SMART:
        move, _ = smart_move(smart, cards, seat, CAREFUL)
        return move
    return hat_move(hat, cards, seat)


def follow(kind: int, smart: SmartKnowledge, hat: HatKnowledge, event: Event, cards: Any, reader: int) -> None:
    """Read a move as a player does that sees these cards, or as EVERYBODY who sees all of them."""
    if kind == INFORMATION:
        read_move(hat, event, cards, reader)
        return
    seat, slot, card = number(event.seat), number(event.slot), number(event.card)
    if event.kind == DISCARD:
        read_discard(smart, seat, slot, card, pointed_out(smart, cards, reader, seat, card))
    elif event.kind == PLAY:
        read_play(smart, seat, slot, card, event.outcome > 0)
    else:
        read_hint(smart, seat, number(event.target), event.kind == HINT_RANK, number(event.value), number(event.touched))


def pointed_out(smart: SmartKnowledge, cards: Any, reader: int, seat: int, card: int) -> int:
    """Whose newest card a discard points out. If nobody has it, everybody thinks it is their own: the next player stands for them."""
    if reader != EVERYBODY:
        return finesse_holder(smart, cards, reader, seat, card)
    following = (seat + 1) % number(smart.players)
    return finesse_holder(smart, cards, following, seat, card)


def card_types(kind: int, smart: SmartKnowledge, hat: HatKnowledge, where: int) -> int:
    """The types that everybody takes a card for."""
    return word(smart.masks[where]) if kind == SMART else hat.masks[where]


def is_true(kind: int, smart: SmartKnowledge, hat: HatKnowledge, state: State, mover: int) -> bool:
    """Whether nobody but the mover takes any of their own cards for something that it isn't."""
    for seat in range(number(state.players)):
        if seat != mover:
            for where in range(seat * MAX_HAND, seat * MAX_HAND + number(state.sizes[seat])):
                if card_types(kind, smart, hat, where) & type_bit(number(state.hands[where])) == word(0):
                    return False
    return True


# -- a game --


def make_move(kind: int, smart: SmartKnowledge, hat: HatKnowledge, state: State, move: int) -> None:
    """Carry out a move in a world, and let everybody read it."""
    state.event_count = 0
    apply(state, move)
    follow(kind, smart, hat, event_at(state, 0), state.hands, EVERYBODY)


def play_on(kind: int, smart: SmartKnowledge, hat: HatKnowledge, state: State) -> int:
    """Let everybody play to the end; the score, 0 if the game is lost."""
    while not is_over(state):
        move = forced_action(state)
        if move < 0:
            move = blueprint_move(kind, smart, hat, state.hands, number(state.current))
            if not is_legal(state, move):
                move = lowest(state.legal_moves)
        make_move(kind, smart, hat, state, move)
    return 0 if state.status == LOST else number(state.score)


# -- copies --


def copy_smart(source: SmartKnowledge, target: SmartKnowledge) -> None:
    """Let one record be as another."""
    target.ones, target.twos, target.played = source.ones, source.twos, source.played
    target.playable, target.dead, target.last = source.playable, source.dead, source.last
    for where in range(number(source.players) * MAX_HAND):
        target.masks[where] = source.masks[where]
        target.told[where] = source.told[where]
    for seat in range(number(source.players)):
        target.sizes[seat] = source.sizes[seat]
    target.players = source.players
    target.hand_size = source.hand_size
    target.colours = source.colours
    target.ranks = source.ranks
    target.max_tokens = source.max_tokens
    target.tokens = source.tokens
    target.lives = source.lives
    target.deck_size = source.deck_size
    target.discard_when_full = source.discard_when_full
    target.broken = source.broken


def copy_hat(source: HatKnowledge, target: HatKnowledge) -> None:
    """Let one record be as another, but for the room to work in."""
    target.ones, target.twos, target.played = source.ones, source.twos, source.played
    target.playable, target.dead, target.last = source.playable, source.dead, source.last
    for where in range(HAND_CARDS):
        target.masks[where] = source.masks[where]
        target.told[where] = source.told[where]
    for seat in range(MAX_PLAYERS):
        target.sizes[seat] = source.sizes[seat]
    target.players, target.hand_size = source.players, source.hand_size
    target.colours, target.ranks = source.colours, source.ranks
    target.tokens, target.max_tokens = source.tokens, source.max_tokens
    target.lives, target.deck_size = source.lives, source.deck_size
    target.discarded, target.spare = source.discarded, source.spare
    target.hint_above, target.seen_weight = source.hint_above, source.seen_weight
    target.spare_weight, target.rank_weight = source.spare_weight, source.rank_weight
    target.ahead, target.locate, target.stall, target.gamble = source.ahead, source.locate, source.stall, source.gamble


def copy_convention(
    kind: int, smart: SmartKnowledge, hat: HatKnowledge, target_smart: SmartKnowledge, target_hat: HatKnowledge
) -> None:
    """Copy the record that the blueprint uses."""
    if kind == SMART:
        copy_smart(smart, target_smart)
    else:
        copy_hat(hat, target_hat)
