"""Many games side by side in compiled code: each goes on to the learner's next decision or to its end.

Tables and states lie one after the other in memory. The learner is entry 0 of the line-up; bots of other entries are called inside.
A game in which the learner never has a choice is passed over.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np

from kibitz.core.jit import Numbers, number, prefetch, root_of, specialise_modules
from kibitz.core.layouts import dtype_of
from kibitz.games.contract import GameDefinition, result_of, show, show_actor
from kibitz.games.encoding import Encoding
from kibitz.play import loop, observing
from kibitz.play.loop import ASK, OVER, BotTable, answer_with, play_on, start_game
from kibitz.play.observing import STATE_BYTES, TABLE_BYTES, bindings_of, points_on_table, state_at, table_at, write_mask, write_view

SIZE, ACTIONS, PLAYERS = 0, 0, 0  # bound to an encoding's own
COOPERATIVE, LOSERS_PAY, LOST = False, False, -1
WIN, POINTS, SCORE = 0, 1, 2  # what is rewarded
LONGEST_HOT = 160  # bytes
LINE = 64  # bytes that a processor loads at once
TABLE_LINES, STATE_LINES, HOT_LINES = 0, 0, Numbers()  # of the next environment, loaded while one is stepped
LIVE, ENDED, CUT_OFF = 0, 1, 2  # how an environment stands after a step
RESET, STEP = 0, 1  # what is to be done: deal, or carry out actions


def learner_seat(table: BotTable) -> int:
    """Where the learner sits."""
    for seat in range(PLAYERS):
        if number(table.seating[seat]) == 0:
            return seat
    return 0


def deal_next(table: BotTable, state: Any, seed: int, stride: int) -> int:
    """Begin the next game of this environment in which the learner has a choice: ASK, or what else came of it."""
    code = number(OVER)
    while code == OVER:
        start_game(table, state, seed, number(table.index) + stride)
        code = play_on(table, state)
    return code


def reward_at_end(table: BotTable, state: Any, reward: int, before: int) -> float:
    """What the end of a game brings the learner; `before` are the points that a team has been rewarded with."""
    winner, points = result_of(state)
    if COOPERATIVE:
        return float(-before if reward == SCORE and number(state.status) == LOST else points - before)
    if winner < 0:
        return 0.0
    won = number(table.seating[winner]) == 0
    if reward == WIN:
        return 1.0 if won else -1.0
    if LOSERS_PAY:
        return float(points * (PLAYERS - 1) if won else -points)
    return float(points if won else 0)


def is_cut_off(state: Any) -> bool:
    """Whether a game has ended without a result."""
    winner, _ = result_of(state)
    return not COOPERATIVE and winner < 0


def step_one(
    table: BotTable, state: Any, seed: int, stride: int, action: int, reward: int, same_step: int, final: Any
) -> tuple[int, float]:
    """Carry out the learner's action and go on; how the environment stands then, and the reward. FAULT is -1.

    At the end of a game, its last observation is written to `final`, and with `same_step` the next game begins at once.
    """
    before = points_on_table(state) if COOPERATIVE else 0
    seat = number(state.current) & 15
    code = answer_with(table, state, action, state.seat_streams[seat])
    if code != loop.TOLD:
        return -1, 0.0
    code = play_on(table, state)
    if code == ASK:
        return LIVE, float(points_on_table(state) - before) if COOPERATIVE else 0.0
    if code != OVER:
        return -1, 0.0
    gained = reward_at_end(table, state, reward, before)
    stands = CUT_OFF if is_cut_off(state) else ENDED
    show(state, learner_seat(table))
    write_view(state, final)
    show_actor(state)
    if same_step and deal_next(table, state, seed, stride) != ASK:
        return -1, 0.0
    return stands, gained


def step_many(
    tables: int, states: int, first: int, count: int, seed: int, stride: int, what: int, reward: int, same_step: int,
    actions: Any, stands: Any, rewards: Any, vectors: Any, masks: Any, finals: Any,
) -> int:  # fmt: skip
    """Step environments `first` to `first + count - 1`, or deal in each; -1, or the environment in which a bot committed a fault."""
    for place in range(first, first + count):
        if place + 1 < first + count:
            for line in range(TABLE_LINES):
                prefetch(tables + (place + 1) * TABLE_BYTES + line * LINE)
            for line in range(STATE_LINES):
                prefetch(states + (place + 1) * STATE_BYTES + HOT_LINES[line])
        table, state = table_at(tables + place * TABLE_BYTES), state_at(states + place * STATE_BYTES)
        vector = vectors[place * SIZE : (place + 1) * SIZE]
        mask = masks[place * ACTIONS : (place + 1) * ACTIONS]
        rewards[place] = 0.0
        over = False
        if what == RESET or (not same_step and number(stands[place]) != LIVE):
            if deal_next(table, state, seed, stride) != ASK:
                return place
            stands[place] = LIVE
        else:
            final = finals[place * SIZE : (place + 1) * SIZE] if same_step else vector
            stand, gained = step_one(table, state, seed, stride, number(actions[place]), reward, same_step, final)
            if stand < 0:
                return place
            stands[place] = stand
            rewards[place] = gained
            over = stand != LIVE and not same_step
        if over:
            for action in range(ACTIONS):
                mask[action] = 0
        else:
            write_view(state, vector)
            write_mask(state, mask)
    return -1


def hot_lines(record: np.dtype[Any]) -> list[int]:
    """Where a record has what every step needs: all but its longest fields."""
    assert record.fields is not None
    lines = set()
    for kind, offset, *_ in record.fields.values():
        if kind.itemsize <= LONGEST_HOT:
            lines |= set(range(offset // LINE * LINE, offset + kind.itemsize, LINE))
    return sorted(lines)


@cache
def compiled_step(game: GameDefinition, encoding: Encoding, players: int) -> Any:
    """`step_many`, compiled."""
    lines = hot_lines(dtype_of(game.state))
    bound = {
        **bindings_of(game, encoding),
        "TABLE_LINES": -(-dtype_of(BotTable).itemsize // LINE),
        "STATE_LINES": len(lines),
        "HOT_LINES": Numbers(lines),
        "PLAYERS": players,
        "COOPERATIVE": game.cooperative,
        "LOSERS_PAY": game.losers_pay,
        "LOST": game.lost[0] if game.lost else -1,
    }
    module = specialise_modules(loop, observing, sys.modules[__name__], **bound)
    signature = [
        "long",
        "long",
        "long",
        "long",
        "word",
        "long",
        "long",
        "long",
        "long",
        "longs",
        "bytes",
        "floats",
        "bytes",
        "bytes",
        "bytes",
    ]
    return root_of(module["step_many"], signature, game.view, f"{game.title} environments")
