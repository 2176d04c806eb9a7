"""Playouts: what each move of a player leads to if a bot then sits in every seat, in many worlds that could be the real one.

    for every sampled world, the same for all moves: make each legal move, then let the bot play on in all seats to the end

The bot is called by address, or as plain Python, so any bot that needs no more than views can play on. World number n of a key is
always the same, however many are tried at a time.
"""

from __future__ import annotations

from typing import Annotated, Any

from kibitz.core.jit import call_begin, call_choose, clear_memory, is_present, number
from kibitz.core.layouts import Long
from kibitz.core.seeds import stream
from kibitz.games.hanabi.cards import MAX_PLAYERS
from kibitz.games.hanabi.engine import apply, as_view, forced_action, is_legal, is_over, show, show_actor
from kibitz.games.hanabi.state import State
from kibitz.games.hanabi.view import LOST, View
from kibitz.search.hanabi.worlds import FINE, Unseen, copy_state, deal_unseen, find_unseen, lay_table

# Why `value_moves` gave up: the cards cannot add up, or the bot made a move that is not legal.
CONTRADICTION, FAULT = -1, -2


class Team:
    """One bot in every seat, each with a memory of its own: addresses in compiled code, else the callables and objects themselves."""

    choose: Long
    begin: Long
    params: Long
    scratch: Long
    memory: Annotated[list[int], "i8", MAX_PLAYERS]
    memory_size: Long


def value_moves(view: View, team: Team, unseen: Unseen, table: State, state: State, key: int, first: int, worlds: int, scores: Any) -> int:
    """Play every legal move on in worlds `first` to `first + worlds - 1`; how many there were, or why not.

    `scores` is filled with the final score of every game, world by world, each with the legal moves in order. `table` and `state`
    are room to work in.
    """
    lay_table(view, table)
    if find_unseen(view, unseen) != FINE:
        return CONTRADICTION
    place = number(0)
    for world in range(first, first + worlds):
        _, possible = deal_unseen(view, unseen, stream(key, world), table)
        if not possible:
            return CONTRADICTION
        show_actor(table)
        for move in range(64):
            if is_legal(table, move):
                copy_state(table, state)
                begin_team(team, state)
                apply(state, move)
                score = play_on(team, state)
                if score < 0:
                    return FAULT
                scores[place] = score
                place += 1
    return worlds


def begin_team(team: Team, state: State) -> None:
    """Let the bot of every seat set up its memory, as if it came to the game now."""
    for seat in range(number(state.players)):
        if team.memory_size > 0:
            clear_memory(team.memory[seat], team.memory_size)
        if is_present(team.begin):
            show(state, seat)
            view = as_view(state)
            call_begin(team.begin, view, team.memory[seat], team.params, team.scratch)
            state.seat_streams[seat] = view.random_stream
    show_actor(state)


def play_on(team: Team, state: State) -> int:
    """Let the team play to the end; the score, 0 if the game is lost, or FAULT."""
    while not is_over(state):
        move = forced_action(state)
        if move < 0:
            seat = number(state.current)
            view = as_view(state)
            move = call_choose(team.choose, view, team.memory[seat], team.params, team.scratch)
            state.seat_streams[seat] = view.random_stream
            if not is_legal(state, move):
                return FAULT
        apply(state, move)
    return 0 if state.status == LOST else number(state.score)
