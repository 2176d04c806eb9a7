"""What a seat sees and may do, as arrays: kernels over a state, bound to a game and its encoding."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from kibitz.core.errors import BadValue
from kibitz.core.jit import number, record_at, specialise_modules
from kibitz.core.layouts import dtype_of
from kibitz.games.contract import GameDefinition, as_view, is_legal, is_over, result_of, show, show_actor
from kibitz.games.encoding import Encoding
from kibitz.play import loop
from kibitz.play.loop import BotTable, act_on, compile_loop

SIZE = 0  # bound to an encoding's own
ACTIONS = 0
TABLE_BYTES, STATE_BYTES = 0, 0  # bound to a game's own


def fill(view: Any, vector: Any) -> int:
    """Write a view into zeros."""
    raise AssertionError("bound to an encoding before it is used")


def table_at(address: int) -> BotTable:
    """The table at an address."""
    raise AssertionError("bound to a game before it is used")


def state_at(address: int) -> Any:
    """The state at an address."""
    raise AssertionError("bound to a game before it is used")


def write_view(state: Any, vector: Any) -> None:
    """Write what the seat sees that the state is shown to."""
    for place in range(SIZE):
        vector[place] = 0
    fill(as_view(state), vector)


def write_mask(state: Any, mask: Any) -> None:
    """Write which actions the player to act may take."""
    for action in range(ACTIONS):
        mask[action] = 1 if is_legal(state, action) else 0


def observe_seat(state: Any, seat: int, vector: Any, mask: Any) -> int:
    """Write what a seat sees, and what it may do: nothing unless it is to act. The points on the table."""
    show(state, seat)
    write_view(state, vector)
    if number(state.current) == seat and not is_over(state):
        write_mask(state, mask)
    else:
        for action in range(ACTIONS):
            mask[action] = 0
    show_actor(state)
    return points_on_table(state)


def act_and_see(table: BotTable, state: Any, vector: Any, mask: Any, action: int) -> int:
    """As `act_on`; if a seat is to be asked next, what it sees and may do is written."""
    found = act_on(table, state, action)
    if found >= 0:
        write_view(state, vector)
        write_mask(state, mask)
    return found


def points_on_table(state: Any) -> int:
    """What a team has reached so far, or a winner got."""
    _, points = result_of(state)
    return points


_SIGNATURES: dict[str, Sequence[type | str]] = {
    "observe_seat": ("state", "long", "bytes", "bytes"),
    "act_and_see": (BotTable, "state", "bytes", "bytes", "long"),
    "points_on_table": ("state",),
}


def vector_of(view: Any, encoding: Encoding) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """One view as an observation: a new array."""
    vector = np.zeros(encoding.size, np.uint8)
    encoding.fill(view, vector)
    return vector


@cache
def encoding_of(game: GameDefinition, rules: Any, players: int) -> Encoding:
    """How the game writes views for those who learn."""
    if game.encoding is None:
        raise BadValue(f"{game.title} has no encoding of views; its definition needs one (docs/add-a-game.md).")
    return game.encoding(game.new_state(rules, players))


def bindings_of(game: GameDefinition, encoding: Encoding) -> dict[str, Any]:
    """What kernels over many tables of a game, and those of this module, are bound to."""
    return {
        **game.verbs,
        "fill": encoding.fill,
        "SIZE": encoding.size,
        "ACTIONS": encoding.actions,
        "TABLE_BYTES": dtype_of(BotTable).itemsize,
        "STATE_BYTES": dtype_of(game.state).itemsize,
        "HAS_CONTESTS": game.has_contests,
        "LUCK": game.luck_components,
        "table_at": record_at(BotTable),
        "state_at": record_at(game.state),
    }


def observing_kernels(game: GameDefinition, encoding: Encoding) -> dict[str, Any]:
    """The kernels of this module for a game and an encoding, by name."""
    return specialise_modules(loop, sys.modules[__name__], **bindings_of(game, encoding))


@cache
def compiled_observer(game: GameDefinition, encoding: Encoding, name: str) -> Any:
    """One of the kernels, compiled; a state is its address, arrays are of bytes."""
    return compile_loop(game, observing_kernels(game, encoding)[name], _SIGNATURES[name], f"{game.title} observations")
