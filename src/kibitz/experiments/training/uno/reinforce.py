"""Games of a learner in compiled code: choices at random in proportion to exp(score), and what each was worth afterwards.

REINFORCE: a choice that led to more than the baseline expected becomes likelier, in proportion. The baseline is a table of mean
rewards by hand sizes. Everything a unit of games finds out is a sum, so units may run anywhere and are added up in order.
"""

from __future__ import annotations

from functools import cache
from math import exp
from typing import Annotated, Any

import numpy as np

from kibitz.bots.bot import Bot
from kibitz.bots.parameters import REAL, Parameter
from kibitz.core.jit import number
from kibitz.core.layouts import Int, blank, dtype_of, store
from kibitz.games.contract import GameDefinition, result_of
from kibitz.games.uno.view import View
from kibitz.play.lineup import Lineup, compiled_table, plain_table
from kibitz.play.loop import OVER, BotTable, compile_loop, loop_over_games, play_on, start_game
from kibitz.play.playing import compiled_fault, plain_fault
from kibitz.policies.uno.feature_groups import FEATURES
from kibitz.policies.uno.features import MOST_ACTIVE, MOST_CANDIDATES, Description, describe, list_candidates, prepare
from kibitz.policies.uno.sightings import Sightings, begin_sightings, update_sightings
from kibitz.runs.units import Unit

LARGEST = 12  # hands of more cards count as so many in the baseline
CELLS = LARGEST * LARGEST
MOST_CHOICES = 400  # choices of one game that are learned from
LOG = 100_000  # features in these
POINTS_SCALE = 40.0  # points that count as one win where points are the aim
WIN_RATE, POINTS = 0, 1


class Learning(Description):
    """What a learner works with, and the sums of a unit of games."""

    gradient: Annotated[list[float], "f8", FEATURES]
    rewards: Annotated[list[float], "f8", CELLS]  # summed over the choices made in each cell of the baseline
    visits: Annotated[list[float], "f8", CELLS]
    squares: Annotated[list[float], "f8", FEATURES]
    total_reward: Annotated[float, "f8"]
    games: Int
    wins: Int
    choices: Int  # of the game so far, the entries of the log they end at, and the cell each was made in
    ends: Annotated[list[int], "i4", MOST_CHOICES]
    cells: Annotated[list[int], "i4", MOST_CHOICES]
    log_count: Int
    log_places: Annotated[list[int], "i4", LOG]
    log_values: Annotated[list[float], "f8", LOG]
    firsts: Annotated[list[int], "i4", MOST_CANDIDATES + 1]  # where the features of each candidate begin in the log
    chances: Annotated[list[float], "f8", MOST_CANDIDATES]


def learn_to_choose(view: View, memory: Sightings, params: Any, scratch: Learning) -> int:
    """Chooses at random by exp(score), and logs the gradient of the logarithm of the chance of what it chose."""
    prepare(view, memory, scratch)
    list_candidates(view, scratch)
    count = number(scratch.candidates)
    if count == 1:
        return number(scratch.actions[0])
    start = number(scratch.log_count)
    room = scratch.choices < MOST_CHOICES and start + count * MOST_ACTIVE < LOG
    if not room:
        start = 0  # an endless game: what was logged first is lost, and nothing is learned from it
        scratch.choices = MOST_CHOICES
    at = start
    best = 0.0
    for candidate in range(count):
        scratch.firsts[candidate] = at
        describe(view, memory, scratch, number(scratch.actions[candidate]))
        score = 0.0
        for place in range(number(scratch.count)):
            feature = number(scratch.places[place])
            score += params.weights[feature] * scratch.amounts[place]
            scratch.log_places[at] = feature
            scratch.log_values[at] = scratch.amounts[place]
            at += 1
        scratch.chances[candidate] = score
        if candidate == 0 or score > best:
            best = score
    scratch.firsts[count] = at
    total = 0.0
    for candidate in range(count):
        scratch.chances[candidate] = exp(scratch.chances[candidate] - best)
        total += scratch.chances[candidate]
    threshold = view.randbelow(1 << 40) / 1099511627776.0 * total
    chosen = 0
    reached = scratch.chances[0]
    while reached <= threshold and chosen < count - 1:
        chosen += 1
        reached += scratch.chances[chosen]
    if room:
        for candidate in range(count):
            factor = (1.0 if candidate == chosen else 0.0) - scratch.chances[candidate] / total
            for place in range(number(scratch.firsts[candidate]), number(scratch.firsts[candidate + 1])):
                scratch.log_values[place] *= factor
        scratch.log_count = at
        scratch.ends[scratch.choices] = at
        scratch.cells[scratch.choices] = cell_of(view, number(scratch.least_seat))
        scratch.choices += 1
    return number(scratch.actions[chosen])


def cell_of(view: View, least_seat: int) -> int:
    """The cell of the baseline: own cards, and those of the opponent with the fewest."""
    return (min(view.hand_size(), LARGEST) - 1) * LARGEST + min(number(view.sizes[least_seat]), LARGEST) - 1


LEARNER = Bot(
    "learner",
    learn_to_choose,  # type: ignore[arg-type]  # a function is a FunctionType
    begin=begin_sightings,  # type: ignore[arg-type]  # the same
    observe=update_sightings,  # type: ignore[arg-type]  # the same
    memory=Sightings,
    scratch=Learning,
    parameters=(
        Parameter("weights", REAL, "weight of each feature", -1e6, 1e6, FEATURES),
        Parameter("baseline", REAL, "mean reward in each cell", -1e6, 1e6, CELLS),
        Parameter("trace", REAL, "how far a choice is judged by the end of the game rather than by the next cells, 0 to 1", 0, 1),
    ),
    presets={"": {"weights": (0.0,) * FEATURES, "baseline": (0.0,) * CELLS, "trace": 1.0}},
    trusted=True,
)


def settle(learning: Learning, baseline: Any, trace: float, reward: float, won: int) -> None:
    """Judge the choices of a game that has ended, the last one first."""
    learning.games += 1
    learning.wins += won
    learning.total_reward += reward
    advantage = 0.0
    following = reward
    if learning.choices >= MOST_CHOICES:
        return
    for choice in range(number(learning.choices) - 1, -1, -1):
        cell = number(learning.cells[choice])
        expected = baseline[cell]
        learning.rewards[cell] += reward
        learning.visits[cell] += 1.0
        advantage = following - expected + trace * advantage
        following = expected
        for place in range(number(learning.ends[choice - 1]) if choice else 0, number(learning.ends[choice])):
            learning.gradient[learning.log_places[place]] += advantage * learning.log_values[place]


def learn_games(table: BotTable, state: Any, learning: Learning, params: Any, seed: int, first: int, count: int, aim: int) -> int:
    """Play games `first` to `first + count - 1` with the learner as entry 0; how many were played before a fault."""
    for done in range(count):
        learning.choices = 0
        learning.log_count = 0
        start_game(table, state, seed, first + done)
        if play_on(table, state) != OVER:
            return done
        winner, points = result_of(state)
        won = 1 if winner >= 0 and table.seating[winner] == 0 else 0
        reward = 1.0 * won
        if aim == POINTS:
            reward = points / POINTS_SCALE * won
        settle(learning, params.baseline, params.trace, reward, won)
    return count


@cache
def compiled_loop(game: GameDefinition) -> Any:
    """The loop over games in compiled code, with addresses for arguments."""
    layout = LEARNER._layouts()["params"]
    assert layout is not None
    return compile_loop(
        game,
        loop_over_games(game, learn_games),
        (BotTable, "state", Learning, layout, "word", "long", "long", "long"),
        "games to learn from",
    )


Lesson = dict[str, np.ndarray[Any, Any]]
TAUGHT = ("gradient", "rewards", "visits", "games", "wins", "total_reward")  # fields of `Learning`


def lesson_in(learning: np.ndarray[Any, Any]) -> Lesson:
    """What was learned, without the log."""
    return {name: learning[name].copy() for name in TAUGHT}


def learn_compiled(lineup: Lineup, seed: int, unit: Unit, aim: int) -> Lesson:
    """What a unit of games teaches: fields of `Learning`; other threads run meanwhile."""
    made = compiled_table(lineup)
    learning = np.zeros(1, dtype=dtype_of(Learning))
    made.table["scratch"][0, 0] = learning.ctypes.data
    root = compiled_loop(lineup.game)
    addresses = (made.table.ctypes.data, made.state.ctypes.data, learning.ctypes.data, int(made.table["params"][0, 0]))
    done = root(*addresses, np.uint64(seed), unit.first, unit.count, aim)
    if done < unit.count:
        raise compiled_fault(lineup, made, seed)
    return lesson_in(learning)


def learn_plain(lineup: Lineup, seed: int, unit: Unit, aim: int) -> Lesson:
    """The same without Numba."""
    table: Any = plain_table(lineup)
    state = lineup.new_state()
    learning = blank(Learning)
    table.scratch[0] = learning
    done = loop_over_games(lineup.game, learn_games)(table, state, learning, table.params[0], seed, unit.first, unit.count, aim)
    if done < unit.count:
        raise plain_fault(lineup, table, state, seed)
    found = np.zeros(1, dtype=dtype_of(Learning))
    store(learning, found)
    return lesson_in(found)
