"""How fast worlds are sampled, laid out and copied on one core: python benchmarks/worlds.py

Each figure is the best of several runs; beside it stands the ratio to what two players should reach. Nothing in the
tests depends on these numbers: machines differ, and this one may be busy.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np

from kibitz.core import jit
from kibitz.core.jit import as_base, number, word
from kibitz.core.layouts import blank, copy_record, dtype_of, store
from kibitz.core.seeds import game_key
from kibitz.games.uno import engine
from kibitz.games.uno.cards import DRAW
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import View
from kibitz.search.uno.belief import EXACT, FLOOR, WILD_FLOOR, Belief, begin_belief, observe_belief
from kibitz.search.uno.layout import copy_state, lay_out, lay_table, put_world
from kibitz.search.uno.worlds import Hidden, World, prepare, sample_world

REPEATS = 7
COUNT = 100_000

view_at, belief_at, hidden_at, world_at, state_at = (as_base(cls) for cls in (View, Belief, Hidden, World, State))


def sample_many(view: int, belief: int, hidden: int, world: int, state: int, other: int, count: int) -> int:
    """Sample worlds for a decision prepared once."""
    prepare(view_at(view), belief_at(belief), hidden_at(hidden))
    position = word(1)
    for _ in range(count):
        position = sample_world(view_at(view), belief_at(belief), hidden_at(hidden), position, world_at(world))
    return number(world_at(world).pile0 & word(1023))


def sample_anew(view: int, belief: int, hidden: int, world: int, state: int, other: int, count: int) -> int:
    """Sample worlds, preparing each time."""
    position = word(1)
    for _ in range(count):
        prepare(view_at(view), belief_at(belief), hidden_at(hidden))
        position = sample_world(view_at(view), belief_at(belief), hidden_at(hidden), position, world_at(world))
    return number(world_at(world).pile0 & word(1023))


def sample_and_put(view: int, belief: int, hidden: int, world: int, state: int, other: int, count: int) -> int:
    """Sample worlds and put each on a table laid out once."""
    prepare(view_at(view), belief_at(belief), hidden_at(hidden))
    lay_table(view_at(view), state_at(state))
    position = word(1)
    for _ in range(count):
        position = sample_world(view_at(view), belief_at(belief), hidden_at(hidden), position, world_at(world))
        put_world(view_at(view), world_at(world), position, state_at(state))
    return number(state_at(state).pile[0])


def sample_and_lay_out(view: int, belief: int, hidden: int, world: int, state: int, other: int, count: int) -> int:
    """Sample worlds and lay each out from nothing."""
    prepare(view_at(view), belief_at(belief), hidden_at(hidden))
    position = word(1)
    for _ in range(count):
        position = sample_world(view_at(view), belief_at(belief), hidden_at(hidden), position, world_at(world))
        lay_out(view_at(view), world_at(world), position, state_at(state))
    return number(state_at(state).pile[0])


def copy_many(view: int, belief: int, hidden: int, world: int, state: int, other: int, count: int) -> int:
    """Copy a state to and fro."""
    lay_out(view_at(view), world_at(world), word(1), state_at(state))
    for _ in range(count // 2):
        copy_state(state_at(state), state_at(other))
        copy_state(state_at(other), state_at(state))
    return number(state_at(other).pile[0])


def decision(rules: str, players: int, seed: int, actions: int) -> tuple[View, Belief]:
    """A position in the middle of a game in which everybody plays when possible, and what the player to act believes."""
    random = Random(seed)
    state = new_state(parse_rules(rules), players)
    state.observed = 1
    engine.deal(state, game_key(seed, 0))
    beliefs = [blank(Belief) for _ in range(players)]
    for seat in range(players):
        engine.show(state, seat)
        begin_belief(engine.as_view(state), beliefs[seat], EXACT, FLOOR, WILD_FLOOR)
    for _ in range(actions):
        if engine.is_over(state):
            return decision(rules, players, seed + 1, actions)
        engine.show_actor(state)
        legal = engine.legal_actions(state)
        engine.apply(state, random.choice([action for action in legal if action < DRAW] or legal))
        for seat in range(players):
            engine.show(state, seat)
            view = engine.as_view(state)
            for place in range(state.event_count):
                observe_belief(view, engine.event_at(state, place), beliefs[seat])
        state.event_count = 0
    engine.show_actor(state)
    return engine.as_view(state), beliefs[state.current]


def block_of(record: object) -> np.ndarray[Any, Any]:
    """A plain record as a block of memory."""
    kind: Any = type(record)
    block = np.zeros(1, dtype=dtype_of(kind))
    store(record, block)
    return block


def rate(kernel: Callable[..., int], view: View, belief: Belief) -> float:
    """Rounds a second of one of the kernels above, at its best."""
    records = [copy_record(view, View), belief, blank(Hidden), blank(World), blank(State), blank(State)]
    blocks = [block_of(record) for record in records]
    root = jit.root_of(kernel, "long " * 7, View)
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        root(*[block.ctypes.data for block in blocks], COUNT)
        best = min(best, time.perf_counter() - start)
    return COUNT / best


def main() -> None:
    tables = {
        "classic, 2 players": ("classic", 2, 12),
        "classic, 4 players": ("classic", 4, 24),
        "classic, 10 players": ("classic", 10, 40),
        "numbers, 2 players": ("numbers", 2, 20),
        "numbers, 4 players": ("numbers", 4, 40),
    }
    kernels = (sample_many, sample_anew, sample_and_put, sample_and_lay_out, copy_many)
    for name, (rules, players, actions) in tables.items():
        view, belief = decision(rules, players, 7, actions)
        hypotheses = "/".join(str(count) for seat, count in enumerate(belief.counts[:players]) if seat != view.seat)
        print(f"{name}: after {actions} actions, {hypotheses} hypotheses")
        for kernel in kernels:
            found = rate(kernel, view, belief)
            goal = 1_000_000 if kernel is copy_many else 300_000
            print(f"{found:14,.0f} a second ({found / goal:6.2f} of {goal:,})  {kernel.__name__.replace('_', ' ')}")


if __name__ == "__main__":
    main()
