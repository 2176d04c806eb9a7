"""Units of games, each added up in a tally of whole numbers or noted one by one.

Compiled bots play a whole unit inside the compiled loop. With a Python bot at the table, or as plain Python, a `Sitting` plays game
after game. Each way plays the same games and raises `BotFault` at the first bot that misbehaves.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from kibitz.core.errors import BotFault, KibitzError
from kibitz.play.faults import what_went_wrong
from kibitz.play.lineup import CompiledTable, Lineup, compiled_table
from kibitz.play.loop import compiled_kernel
from kibitz.play.outcomes import Outcomes, blank_notes, pack_notes
from kibitz.play.sitting import Sitting, illegal
from kibitz.runs.units import Unit
from kibitz.runs.watchdog import watchdog

Tally = np.ndarray[Any, np.dtype[np.int64]]


# -- compiled bots --


def play_compiled(lineup: Lineup, seed: int, unit: Unit) -> Tally:
    """Games between compiled bots, added up; other threads run meanwhile."""
    tally = np.zeros(lineup.tally_size, dtype=np.int64)
    _run_compiled(lineup, seed, unit, "play_games", tally)
    return tally


def note_compiled(lineup: Lineup, seed: int, unit: Unit) -> Outcomes:
    """Games between compiled bots, each noted; other threads run meanwhile."""
    notes = blank_notes(lineup, unit.count)
    _run_compiled(lineup, seed, unit, "note_games", notes)
    return pack_notes(lineup, notes)


def _run_compiled(lineup: Lineup, seed: int, unit: Unit, loop: str, found: Tally) -> None:
    made, root = compiled_table(lineup), compiled_kernel(lineup.game, loop)
    try:
        with watchdog.attending(lambda: int(made.table["calls"][0]), partial(compiled_fault, lineup, made, seed)):
            done = root(made.table.ctypes.data, made.state.ctypes.data, np.uint64(seed), unit.first, unit.count, found)
    except KibitzError:
        raise
    except Exception as error:
        raise compiled_fault(lineup, made, seed, what_went_wrong(error)) from error
    if done < unit.count:
        raise compiled_fault(lineup, made, seed)


def compiled_fault(lineup: Lineup, made: CompiledTable, seed: int, what: str = "") -> BotFault:
    """The fault of the bot that compiled code was asking; without words, its answer is not legal."""
    table, seat = made.table[0], int(made.state["seat"][0])
    name = lineup.entrants[int(table["seating"][seat])].name
    return BotFault(name, seat, seed, int(table["index"]), what or illegal(lineup, int(table["answer"])), lineup.options)


def plain_fault(lineup: Lineup, table: Any, state: Any, seed: int) -> BotFault:
    """The same where a loop over games ran as plain Python."""
    name = lineup.entrants[table.seating[state.seat]].name
    return BotFault(name, state.seat, seed, table.index, illegal(lineup, table.answer), lineup.options)


# -- game after game --


def play_in_turn(lineup: Lineup, seed: int, unit: Unit, compiled: bool) -> Tally:
    """Games one after the other, added up."""
    sitting = Sitting(lineup, seed, compiled)
    tally: Any = np.zeros(lineup.tally_size, dtype=np.int64) if compiled else [0] * lineup.tally_size
    with sitting.attending():
        for index in range(unit.first, unit.first + unit.count):
            sitting.play(index)
            sitting.add_to(tally)
    return np.asarray(tally, dtype=np.int64)


def note_in_turn(lineup: Lineup, seed: int, unit: Unit, compiled: bool) -> Outcomes:
    """Games one after the other, each noted."""
    sitting = Sitting(lineup, seed, compiled)
    notes = blank_notes(lineup, unit.count)
    with sitting.attending():
        for place in range(unit.count):
            sitting.play(unit.first + place)
            sitting.note_in(notes, place)
    return pack_notes(lineup, notes)


# With Python bots at the compiled table, and without Numba: the same source, slow and easy to debug.
play_mixed, note_mixed = partial(play_in_turn, compiled=True), partial(note_in_turn, compiled=True)
play_plain, note_plain = partial(play_in_turn, compiled=False), partial(note_in_turn, compiled=False)
