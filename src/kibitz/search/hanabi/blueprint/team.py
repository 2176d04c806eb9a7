"""The blueprint in every seat: one record of what everybody knows serves all players, since a convention makes it equal for all.

A blueprint is `smart` (conventions) or `information` (hat guessing), at its best or plain. `follow` reads a move as everybody does, `blueprint_move` says what
a player would do, and `play_on` lets all of them play to the end of a game. Functions take the records of both, and use one.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.jit import lowest, number, word
from kibitz.games.hanabi.cards import MAX_HAND
from kibitz.games.hanabi.engine import apply, event_at, forced_action, is_legal, is_over
from kibitz.games.hanabi.state import Event, State
from kibitz.games.hanabi.view import LOST, View
from kibitz.policies.hanabi.card_sets import type_bit
from kibitz.policies.hanabi.hat_knowledge import HatKnowledge, begin_hats, copy_hats, use_best_options, use_plain_options
from kibitz.policies.hanabi.hat_messages import EVERYBODY, read_move
from kibitz.policies.hanabi.hat_moves import choose_move as hat_move
from kibitz.policies.hanabi.smart_conventions import SmartKnowledge, begin_knowledge, copy_knowledge, read_event
from kibitz.policies.hanabi.smart_policy import choose_move as smart_move

SMART, INFORMATION, PLAIN_INFORMATION = 0, 1, 2
CAREFUL = 1  # never gamble on the last life


def begin_convention(kind: int, view: View, smart: SmartKnowledge, hat: HatKnowledge) -> None:
    """Take over any position."""
    if kind == SMART:
        begin_knowledge(view, smart)
    else:
        if kind == INFORMATION:
            use_best_options(hat)
        else:
            use_plain_options(hat)
        begin_hats(view, hat)


def blueprint_move(kind: int, smart: SmartKnowledge, hat: HatKnowledge, cards: Any, seat: int) -> int:
    """What a player does that follows the blueprint; its own cards are not looked at."""
    if kind == SMART:
        move, _ = smart_move(smart, cards, seat, CAREFUL)
        return move
    return hat_move(hat, cards, seat)


def follow(kind: int, smart: SmartKnowledge, hat: HatKnowledge, event: Event, cards: Any, reader: int) -> None:
    """Read a move as a player does that sees these cards, or as EVERYBODY who sees all of them."""
    if kind != SMART:
        read_move(hat, event, cards, reader)
        return
    # If nobody has the card that a discard points out, everybody thinks it is their own: the next player stands for them.
    read_event(smart, event, cards, (number(event.seat) + 1) % smart.players if reader == EVERYBODY else reader)


def card_types(kind: int, smart: SmartKnowledge, hat: HatKnowledge, where: int) -> int:
    """The types that everybody takes a card for."""
    return smart.masks[where] if kind == SMART else hat.masks[where]


def is_true(kind: int, smart: SmartKnowledge, hat: HatKnowledge, state: State, mover: int) -> bool:
    """Whether nobody but the mover takes any of their own cards for something that it isn't, and nobody read a wrong number.

    A wrong number may fit by chance. But then players take each other to have read the right one, and misread the messages to come.
    """
    if kind != SMART and hat.misled:
        return False
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


def copy_convention(kind: int, smart: SmartKnowledge, hat: HatKnowledge, target_smart: SmartKnowledge, target_hat: HatKnowledge) -> None:
    """Copy the record that the blueprint uses."""
    if kind == SMART:
        copy_knowledge(smart, target_smart)
    else:
        copy_hats(hat, target_hat)
