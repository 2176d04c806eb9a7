"""One game played to its end in each of the three ways; the whole state it leaves, to be compared field by field."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.core.layouts import fields_of, load
from kibitz.games.uno.state import State
from kibitz.play.lineup import Lineup, compiled_table
from kibitz.play.loop import compiled_kernel
from kibitz.play.sitting import Sitting

# A plain view is a copy, so what a bot draws from its stream is put back by seat (`seat_streams`), not here.
NOT_COMPARED = {"random_stream"}


def fields(state: State) -> dict[str, Any]:
    """A state field by field."""
    return {field.name: getattr(state, field.name) for field in fields_of(State) if field.name not in NOT_COMPARED}


def compiled_ending(lineup: Lineup, seed: int, index: int) -> dict[str, Any]:
    """The end of a game between compiled bots."""
    made = compiled_table(lineup)
    tally = np.zeros(lineup.tally_size, dtype=np.int64)
    done = compiled_kernel(lineup.game, "play_games")(made.table.ctypes.data, made.state.ctypes.data, np.uint64(seed), index, 1, tally)
    assert done == 1
    return fields(load(State, memory_of(made.state)))


def plain_ending(lineup: Lineup, seed: int, index: int) -> dict[str, Any]:
    """The end of a game as plain Python."""
    return ending(Sitting(lineup, seed, compiled=False), index)


def mixed_ending(lineup: Lineup, seed: int, index: int) -> dict[str, Any]:
    """The end of a game with Python bots at the compiled table."""
    return ending(Sitting(lineup, seed), index)


def ending(sitting: Sitting, index: int) -> dict[str, Any]:
    sitting.play(index)
    return fields(sitting.state)


def memory_of(block: np.ndarray[Any, Any]) -> Any:
    return block.view(np.uint8)
