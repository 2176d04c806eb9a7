"""Deals between compiled bots at full speed, and the same deals as plain Python.

Each way turns a unit of deals into a tally of whole numbers, or into a record for each deal, or raises `BotFault` at the first bot that misbehaves. The
third way, `kibitz.play.mixed`, is for Python bots in the compiled loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from types import FunctionType
from typing import Any

import numpy as np

from kibitz.core import jit
from kibitz.core.errors import BotFault, KibitzError
from kibitz.core.layouts import dtype_of
from kibitz.games.contract import GameDefinition
from kibitz.play.faults import check_debugger, place_of, what_went_wrong
from kibitz.play.lineup import CompiledTable, Lineup, compiled_table, plain_table, seat_players
from kibitz.play.loop import FAULT, Table, kernels_for
from kibitz.play.outcomes import Outcomes, blank_notes, pack_notes
from kibitz.runs.units import Unit
from kibitz.runs.watchdog import watchdog

Tally = np.ndarray[Any, np.dtype[np.int64]]


@cache
def batch_root(game: GameDefinition, loop: str = "play_games") -> Any:
    """The compiled loop over many deals (`play_games` or `note_games`), with addresses for arguments."""
    source = (
        f"def batch_{loop}(table, state, seed, first, count, found):\n"
        f"    return {loop}(table_at(table), state_at(state), seed, first, count, found)\n"
    )
    root = root_kernel(source, f"batch_{loop}", game)
    kinds = jit.argument_types("long long word long long longs")
    return jit.build_root(root, kinds, game.view, layouts_of(game), vectorise=game.luck_components > 0, nogil=True)


def layouts_of(game: GameDefinition) -> str:
    """The memory layouts a root depends on, for the name of its cache folder."""
    return f"{dtype_of(Table)} {dtype_of(game.state)}"


def root_kernel(source: str, name: str, game: GameDefinition) -> FunctionType:
    """A root kernel that takes addresses, which Python can pass cheaply."""
    kernels = kernels_for(game)
    scope: dict[str, Any] = {
        **game.verbs,
        **kernels._asdict(),
        "table_at": jit.record_at(Table),
        "state_at": jit.record_at(game.state),
        "__name__": "kibitz.play.playing",
    }
    exec(compile(source, jit.__file__, "exec"), scope)
    root: FunctionType = scope[name]
    return root


def play_compiled(lineup: Lineup, seed: int, unit: Unit) -> Tally:
    """Deals between compiled bots, added up; other threads run meanwhile."""
    tally = np.zeros(lineup.tally_size, dtype=np.int64)
    _run_compiled(lineup, seed, unit, "play_games", tally)
    return tally


def note_compiled(lineup: Lineup, seed: int, unit: Unit) -> Outcomes:
    """Deals between compiled bots, each noted; other threads run meanwhile."""
    notes = blank_notes(lineup, unit.count)
    _run_compiled(lineup, seed, unit, "note_games", notes)
    return pack_notes(lineup, notes)


def _run_compiled(lineup: Lineup, seed: int, unit: Unit, loop: str, found: Tally) -> None:
    made = compiled_table(lineup)
    root = batch_root(lineup.game, loop)
    try:
        with watchdog.attending(lambda: int(made.table["calls"][0]), partial(compiled_fault, lineup, made, seed)):
            done = root(made.table.ctypes.data, made.state.ctypes.data, np.uint64(seed), unit.first, unit.count, found)
    except KibitzError:
        raise
    except Exception as error:
        raise compiled_fault(lineup, made, seed, what_went_wrong(error)) from error
    if done < unit.count:
        raise compiled_fault(lineup, made, seed, illegal(lineup, int(made.table["answer"][0])))


def compiled_fault(lineup: Lineup, made: CompiledTable, seed: int, what: str) -> BotFault:
    """The fault of the bot that compiled code was asking."""
    seat = int(made.state["seat"][0])
    return BotFault(name_at(lineup, made.table["seating"][0], seat), seat, seed, int(made.table["index"][0]), what, lineup.options)


def illegal(lineup: Lineup, answer: int) -> str:
    """What to say of an answer that is not a legal action."""
    try:
        return f"answered {answer} ({lineup.game.action_name(lineup.new_state(), answer)}), which is not legal there"
    except (IndexError, KibitzError):
        return f"answered {answer}, which is not an action"


def play_plain(lineup: Lineup, seed: int, unit: Unit) -> Tally:
    """Deals without Numba, added up: the same source, slow and easy to debug."""
    tally = [0] * lineup.tally_size
    for table, state in plain_games(lineup, seed, unit):
        kernels_for(lineup.game).tally_game(table, state, tally)
    return np.array(tally, dtype=np.int64)


def note_plain(lineup: Lineup, seed: int, unit: Unit) -> Outcomes:
    """Deals without Numba, each noted."""
    notes = blank_notes(lineup, unit.count)
    for place, (table, state) in enumerate(plain_games(lineup, seed, unit)):
        kernels_for(lineup.game).note_game(table, state, notes, place)
    return pack_notes(lineup, notes)


def plain_games(lineup: Lineup, seed: int, unit: Unit) -> Iterator[tuple[Table, Any]]:
    """Play the games of a unit one by one: table and state as each game leaves them."""
    kernels = kernels_for(lineup.game)
    for index in range(unit.first, unit.first + unit.count):
        table = plain_table(lineup)
        state = lineup.new_state()
        guarded(lineup, table, state, seed, index, kernels.start_game, table, state, seed, index)
        while True:
            if guarded(lineup, table, state, seed, index, kernels.play_on, table, state) == FAULT:
                raise plain_fault(lineup, table, state, seed, index)
            if kernels.is_decided(table, state):
                break
            seat_players(lineup, table)
            guarded(lineup, table, state, seed, index, kernels.start_deal, table, state, seed)
        yield table, state


def guarded(lineup: Lineup, table: Table, state: Any, seed: int, index: int, kernel: Any, *args: Any) -> Any:
    """Run a plain kernel; what a bot raises becomes its fault."""

    def fault(what: str, place: str = "") -> BotFault:
        return BotFault(name_at(lineup, table.seating, state.seat), state.seat, seed, index, what, lineup.options, place)

    try:
        with watchdog.attending(lambda: table.calls, fault, lambda: True):
            return kernel(*args)
    except KibitzError:
        raise
    except (Exception, SystemExit) as error:
        check_debugger(error)
        raise fault(what_went_wrong(error), place_of(error)) from error


def plain_fault(lineup: Lineup, table: Table, state: Any, seed: int, index: int) -> BotFault:
    """The fault behind a FAULT of the plain loop."""
    return BotFault(name_at(lineup, table.seating, state.seat), state.seat, seed, index, illegal(lineup, table.answer), lineup.options)


def name_at(lineup: Lineup, seating: Any, seat: int) -> str:
    """The full name of the bot at a seat."""
    return lineup.entrants[int(seating[seat])].name
