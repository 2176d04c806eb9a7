"""Playouts for advice: what each move of a player leads to if everybody then follows a convention, in many worlds that could be the real one.

    begin_beliefs(view, memory, kind)                    at the start of a deal, or anywhere later
    follow_move(view, event, memory, work)               every move
    open_decision(view, memory, work, key, …)            at a decision: which hands the player may hold
    value_moves(view, memory, work, key, …, scores)      every legal move in the same worlds

World number n of a key is always the same for the same drawing, however many are tried at a time. Every legal move is tried equally
often, also one that misleads somebody: the others are expected to follow the convention, and so to be misled.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.jit import Word, lowest, number
from kibitz.core.seeds import stream
from kibitz.games.hanabi.cards import MAX_HAND
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.policies.hanabi.card_sets import type_bit
from kibitz.search.hanabi.blueprint.decision import (
    BlueprintSearch,
    add_up,
    deal_world,
    follows_hands,
    hear_move,
    narrow_choices,
    room_of,
    searched_hat,
    searched_smart,
    state_of,
    unseen_of,
)
from kibitz.search.hanabi.blueprint.hand_beliefs import Beliefs, hat_of, likelihood, regenerate, smart_of
from kibitz.search.hanabi.blueprint.team import SMART, blueprint_move, card_types, copy_convention, make_move, play_on
from kibitz.search.hanabi.worlds import FINE, copy_state, find_unseen, lay_table

# A move of a partner that the convention would not have made is nearly impossible, so the hands count that explain most moves.
SURPRISE = 1e-4
DRAWINGS = 1 << 40  # streams for drawing hands come behind those of worlds
CONTRADICTION = -1  # the cards of a view cannot add up
BROKEN = 1  # somebody has left the convention
_ZERO = Word(0)


def follow_move(view: View, event: Event, memory: Beliefs, work: BlueprintSearch) -> None:
    """Read a move. Hands are drawn at decisions, and forgotten when the game goes on."""
    memory.hand_count = 0
    hear_move(view, event, memory, room_of(work, 0), 0.0, 0)


def open_decision(view: View, memory: Beliefs, work: BlueprintSearch, key: int, drawing: int, hands: int) -> int:
    """Find out which hands the player may hold: FINE, BROKEN if somebody has left the convention, or CONTRADICTION.

    Among players of `smart` so many `hands` are drawn, as likely as partners' moves make them; another number gives another drawing.
    """
    table = state_of(work, 0)
    lay_table(view, table)
    table.observed = 1
    if find_unseen(view, unseen_of(work, 0)) != FINE:
        return CONTRADICTION
    if follows_hands(view, memory):
        regenerate(view, memory, room_of(work, 0), hands, SURPRISE, stream(key, DRAWINGS + drawing))
        if add_up(memory, room_of(work, 0)) <= 0.0:
            return CONTRADICTION
    else:
        narrow_choices(view, memory, unseen_of(work, 0))
        if not deal_world(view, memory, work, key):
            # What everybody takes the cards for cannot be true of all of them at once: hints alone count.
            find_unseen(view, unseen_of(work, 0))
            return BROKEN if deal_world(view, memory, work, key) else CONTRADICTION
    return BROKEN if is_broken(view, memory, work) else FINE


def is_broken(view: View, memory: Beliefs, work: BlueprintSearch) -> bool:
    """Whether the player can tell that somebody has left the convention.

    Another player takes a card for something that it isn't, or no hand explains all that partners did.
    """
    kind, smart, hat = number(memory.kind), smart_of(memory, 0), hat_of(memory, 0)
    if kind == SMART and smart.broken:
        return True
    for seat in range(number(view.players)):
        if seat != view.seat:
            for slot in range(view.size(seat)):
                if card_types(kind, smart, hat, seat * MAX_HAND + slot) & type_bit(view.card(seat, slot)) == _ZERO:
                    return True
    if not follows_hands(view, memory):
        return False
    best = number(0)
    for hand in range(number(memory.hand_count)):
        if memory.weights[hand] > memory.weights[best]:
            best = hand
    return likelihood(view, memory, room_of(work, 0), best, SURPRISE) < 1.0


def value_moves(view: View, memory: Beliefs, work: BlueprintSearch, key: int, first: int, worlds: int, scores: Any) -> int:
    """Play every legal move on in worlds `first` to `first + worlds - 1` of an open decision; the convention's own move, or CONTRADICTION.

    `scores` is filled with the final score of every game, world by world, each with the legal moves in order.
    """
    table, state = state_of(work, 0), state_of(work, 1)
    smart, hat = searched_smart(work, 0), searched_hat(work, 0)
    kind, place = number(memory.kind), number(0)
    for world in range(first, first + worlds):
        if not deal_world(view, memory, work, stream(key, world)):
            return CONTRADICTION
        for move in range(64):
            if view.is_legal(move):
                copy_state(table, state)
                copy_convention(kind, smart_of(memory, 0), hat_of(memory, 0), smart, hat)
                make_move(kind, smart, hat, state, move)
                scores[place] = play_on(kind, smart, hat, state)
                place += 1
    base = blueprint_move(kind, smart_of(memory, 0), hat_of(memory, 0), view.cards, number(view.seat))
    return base if view.is_legal(base) else lowest(view.legal_moves)
