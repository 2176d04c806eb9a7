"""Games decision by decision: the loop of `kibitz.play.loop` in steps that show what each bot saw and answered.

Compiled where every bot is, so that slow bots are as fast as in a batch; else as plain Python. Either way game `index` of a
seed is the game that a batch plays.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from kibitz.core import jit
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.jit import call_choose, number
from kibitz.core.layouts import copy_record, load
from kibitz.core.seeds import check_seed
from kibitz.games.contract import GameDefinition, apply, as_view, default_action, forced_action, is_legal, is_over
from kibitz.play import loop as deal
from kibitz.play.faults import what_went_wrong
from kibitz.play.lineup import Lineup, compiled_table, plain_table, seat_players
from kibitz.play.loop import Table, is_decided, start_deal, start_game, tell_events
from kibitz.play.playing import compiled_fault, guarded, illegal, layouts_of, plain_fault
from kibitz.runs.watchdog import watchdog

# What `find_action` found: the end, the only legal action, the default in a window the bot does not know, a bot's choice.
OVER, FORCED, DEFAULT, CHOSEN = range(4)

# -- kernels --


def open_deal(table: Table, state: Any, seed: int, index: int) -> int:
    """Start a game of a batch, or with index -1 the next deal of a contest; 0 if there is none."""
    if index >= 0:
        start_game(table, state, seed, index)
        return 1
    if is_decided(table, state):
        return 0
    start_deal(table, state, seed)
    return 1


def find_action(table: Table, state: Any) -> int:
    """Find the next action and leave it in `table.answer`; where it comes from."""
    if is_over(state):
        return OVER
    kind = FORCED
    action = forced_action(state)
    if action < 0:
        seat = number(state.current) & 15  # not negative: see the engine
        entry = table.seating[seat]
        kind = DEFAULT
        action = default_action(state, table.windows[entry])
        if action < 0:
            kind = CHOSEN
            view = as_view(state)
            table.calls += 1
            action = call_choose(table.choose[entry], view, table.memory[entry], table.params[entry], table.scratch[entry])
            state.seat_streams[seat] = view.random_stream
    table.answer = action
    return kind


def take_action(table: Table, state: Any) -> int:
    """Carry out the action that was found and tell of it; 0 if it is not legal."""
    action = number(table.answer)
    if not is_legal(state, action):
        return 0
    apply(state, action)
    if state.observed:
        tell_events(table, state)
    return 1


class Kernels(NamedTuple):
    """The kernels above, bound to a game: as plain Python, or compiled and taking addresses."""

    open_deal: Any
    find_action: Any
    take_action: Any


@cache
def plain_kernels(game: GameDefinition) -> Kernels:
    """The kernels for a game as plain Python."""
    scope = _scope(game)
    return Kernels(*[scope[name] for name in Kernels._fields])


@cache
def compiled_kernels(game: GameDefinition) -> Kernels:
    """Compile, or load, the kernels for a game."""
    scope = {**_scope(game), "table_at": jit.record_at(Table), "state_at": jit.record_at(game.state), "__name__": __name__}
    roots = []
    for name, more, kinds in (
        ("open_deal", ", seed, index", "long long word long"),
        ("find_action", "", "long long"),
        ("take_action", "", "long long"),
    ):
        source = f"def root_{name}(table, state{more}):\n    return {name}(table_at(table), state_at(state){more})\n"
        exec(compile(source, jit.__file__, "exec"), scope)
        roots.append(jit.build_root(scope[f"root_{name}"], jit.argument_types(kinds), game.view, layouts_of(game), nogil=True))
    return Kernels(*roots)


def _scope(game: GameDefinition) -> dict[str, Any]:
    modules = (sys.modules[deal.__name__], sys.modules[__name__])
    return jit.specialise_modules(*modules, HAS_CONTESTS=game.has_contests, **game.verbs)


# -- games --


class Decision(NamedTuple):
    """What a bot was asked: what it saw, and what it answered."""

    view: Any
    action: int


@dataclass
class AskedDeal:
    """One deal: which it is, who sat where, every decision that a bot was asked for, and how it ended."""

    index: int  # of the game in its batch
    deal: int  # which cards: the index that the deal's streams come from
    round: int  # which deal of a contest, from 0
    seats: list[str]
    decisions: list[Decision] = field(default_factory=list)
    outcome: dict[str, Any] = field(default_factory=dict)


def asked_deals(lineup: Lineup, seed: int, indices: Iterable[int], jit: bool = True) -> Iterator[AskedDeal]:
    """Play some games of a seed, deal by deal, and keep what every bot was asked."""
    check_seed(seed)
    table: _PlainTable | _CompiledTable
    table = _CompiledTable(lineup, seed) if jit and lineup.is_compiled else _PlainTable(lineup, seed)
    names = [entrant.name for entrant in lineup.entrants]
    for index in indices:
        if index < 0:
            raise BadValue(f"index={index} is out of range: games are counted from 0.")
        table.begin(index)
        while True:
            seating = table.seating()
            asked = AskedDeal(index, *table.place(), [names[seating[seat]] for seat in range(lineup.players)])
            while (kind := table.find()) != OVER:
                if kind == CHOSEN:
                    asked.decisions.append(table.decision())
                table.take()
            asked.outcome = lineup.game.outcome(table.state_now())
            yield asked
            if not (lineup.to and table.follow()):
                break


class _PlainTable:
    """The table in plain Python, where Python bots can sit."""

    def __init__(self, lineup: Lineup, seed: int) -> None:
        self.lineup, self.seed = lineup, seed
        self.kernels = plain_kernels(lineup.game)

    def _run(self, kernel: Any, *args: Any) -> int:
        return int(guarded(self.lineup, self.table, self.state, self.seed, self.index, kernel, self.table, self.state, *args))

    def begin(self, index: int) -> None:
        self.index = index
        self.table, self.state = plain_table(self.lineup), self.lineup.new_state()
        self._run(self.kernels.open_deal, self.seed, index)

    def follow(self) -> int:
        seat_players(self.lineup, self.table)
        return self._run(self.kernels.open_deal, self.seed, -1)

    def find(self) -> int:
        return self._run(self.kernels.find_action)

    def take(self) -> None:
        if not self._run(self.kernels.take_action):
            raise plain_fault(self.lineup, self.table, self.state, self.seed, self.index)

    def decision(self) -> Decision:
        return Decision(copy_record(self.state, self.lineup.game.view), int(self.table.answer))

    def seating(self) -> list[int]:
        return list(self.table.seating)

    def place(self) -> tuple[int, int]:
        return int(self.table.dealt), int(self.table.deal)

    def state_now(self) -> Any:
        return self.state


class _CompiledTable:
    """The table in compiled code."""

    def __init__(self, lineup: Lineup, seed: int) -> None:
        self.lineup, self.seed = lineup, seed
        self.kernels = compiled_kernels(lineup.game)
        self.made = compiled_table(lineup)
        self.places = (self.made.table.ctypes.data, self.made.state.ctypes.data)
        self.memory: Any = self.made.state.view(np.uint8)

    def _run(self, kernel: Any, *args: Any) -> int:
        try:
            with watchdog.attending(lambda: int(self.made.table["calls"][0]), partial(compiled_fault, self.lineup, self.made, self.seed)):
                return int(kernel(*self.places, *args))
        except KibitzError:
            raise
        except Exception as error:
            raise compiled_fault(self.lineup, self.made, self.seed, what_went_wrong(error)) from error

    def begin(self, index: int) -> None:
        self._run(self.kernels.open_deal, np.uint64(self.seed), index)

    def follow(self) -> int:
        return self._run(self.kernels.open_deal, np.uint64(self.seed), -1)

    def find(self) -> int:
        return self._run(self.kernels.find_action)

    def take(self) -> None:
        if not self._run(self.kernels.take_action):
            raise compiled_fault(self.lineup, self.made, self.seed, illegal(self.lineup, int(self.made.table["answer"][0])))

    def decision(self) -> Decision:
        return Decision(load(self.lineup.game.view, self.memory), int(self.made.table["answer"][0]))

    def seating(self) -> list[int]:
        return [int(entry) for entry in self.made.table["seating"][0]]

    def place(self) -> tuple[int, int]:
        return int(self.made.table["dealt"][0]), int(self.made.table["deal"][0])

    def state_now(self) -> Any:
        return load(self.lineup.game.state, self.memory)
