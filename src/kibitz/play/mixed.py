"""Python bots in the compiled loop: it runs until one of them must be asked, and goes on with the answer."""

from __future__ import annotations

import time
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from kibitz.core import jit
from kibitz.core.errors import BotFault, KibitzError
from kibitz.core.layouts import dtype_of, load
from kibitz.games.contract import GameDefinition
from kibitz.play.faults import check_debugger, place_of, what_went_wrong
from kibitz.play.lineup import Lineup, as_action, compiled_table, fresh_players
from kibitz.play.loop import ASK, FAULT, OVER
from kibitz.play.outcomes import Outcomes, blank_notes, pack_notes
from kibitz.play.playing import Tally, compiled_fault, illegal, layouts_of, name_at, root_kernel
from kibitz.runs.units import Unit
from kibitz.runs.watchdog import watchdog


class Steps(NamedTuple):
    """The compiled loop in pieces, each taking the addresses of table and state."""

    begin: Any
    follow: Any
    tally: Any
    note: Any
    step: Any
    answer: Any
    tell: Any
    show: Any
    show_actor: Any


@cache
def step_roots(game: GameDefinition) -> Steps:
    """Compile, or load, the pieces for a game."""
    sources = {
        "begin": (
            "begin(table, state, seed, index):\n    start_game(table_at(table), state_at(state), seed, index)",
            "long long word long",
        ),
        "follow": (
            "follow(table, state, seed):\n"
            "    if is_decided(table_at(table), state_at(state)):\n"
            "        return 0\n"
            "    start_deal(table_at(table), state_at(state), seed)\n"
            "    return 1",
            "long long word",
        ),
        "tally": (
            "add_up(table, state, tally):\n    tally_game(table_at(table), state_at(state), tally)",
            "long long longs",
        ),
        "note": (
            "note(table, state, notes, place):\n    note_game(table_at(table), state_at(state), notes, place)",
            "long long longs long",
        ),
        "step": ("step(table, state):\n    return play_on(table_at(table), state_at(state))", "long long"),
        "answer": (
            "answer(state, action, stream):\n"
            "    record = state_at(state)\n"
            "    record.seat_streams[record.current] = stream\n"
            "    if not is_legal(record, action):\n"
            "        return 0\n"
            "    apply(record, action)\n"
            "    return 1",
            "long long word",
        ),
        "tell": ("tell(table, state):\n    tell_events(table_at(table), state_at(state))", "long long"),
        "show": ("show_seat(state, seat):\n    show(state_at(state), seat)", "long long"),
        "show_actor": ("show_to_act(state):\n    show_actor(state_at(state))", "long"),
    }
    roots = {}
    for name, (source, kinds) in sources.items():
        kernel = root_kernel(f"def {source}\n", source.partition("(")[0], game)
        roots[name] = jit.build_root(kernel, jit.argument_types(kinds), game.view, layouts_of(game), nogil=True)
    return Steps(**roots)


def play_mixed(lineup: Lineup, seed: int, unit: Unit) -> Tally:
    """Play a unit of deals in which at least one bot is a Python object."""
    table = MixedTable(lineup, seed)
    tally = np.zeros(lineup.tally_size, dtype=np.int64)
    with table.attending():
        for index in range(unit.first, unit.first + unit.count):
            table.play(index)
            table.add_to(tally)
    return tally


def note_mixed(lineup: Lineup, seed: int, unit: Unit) -> Outcomes:
    """Play a unit of deals in which at least one bot is a Python object, each noted."""
    table = MixedTable(lineup, seed)
    notes = blank_notes(lineup, unit.count)
    with table.attending():
        for place in range(unit.count):
            table.play(unit.first + place)
            table.note_in(notes, place)
    return pack_notes(lineup, notes)


class MixedTable:
    """A compiled table with Python objects at some of its seats."""

    def __init__(self, lineup: Lineup, seed: int) -> None:
        self.lineup, self.seed = lineup, seed
        self.steps = step_roots(lineup.game)
        self.made = compiled_table(lineup)
        self.state = self.made.state
        self.seating = memoryview(self.made.table["seating"][0])
        self._memory: Any = self.state.view(np.uint8)
        self._places = (self.made.table.ctypes.data, self.state.ctypes.data)
        self._observed_inside = bool(self.made.table["observed"][0])
        self._event_size = dtype_of(lineup.game.event).itemsize
        self.index = 0
        self.players: list[Any] = []
        self._observing = False
        self._python_calls = 0
        self._in_python = False
        self._seating = False

    def attending(self) -> Any:
        """A block in which games are played here, while the watchdog looks on."""

        def calls() -> int:
            if self._seating:  # nobody has been asked yet, however long players take to be made
                return time.monotonic_ns()
            return self._python_calls + int(self.made.table["calls"][0])

        return watchdog.attending(calls, partial(compiled_fault, self.lineup, self.made, self.seed), lambda: self._in_python)

    def play(self, index: int) -> None:
        """Play one game to its end."""
        self.index = index
        self._seat_players()
        self._run(self.steps.begin, np.uint64(self.seed), index)
        self._play_deal()
        while self.lineup.to and not self._is_settled():
            self._seat_players()
            if not self._run(self.steps.follow, np.uint64(self.seed)):
                return
            self._play_deal()

    def _is_settled(self) -> bool:
        """Whether something other than the rules has decided the game."""
        return False

    def add_to(self, tally: Tally) -> None:
        """Add the game just played to a tally."""
        self.steps.tally(*self._places, tally)

    def note_in(self, notes: Tally, place: int) -> None:
        """Note how the game just played ended."""
        self.steps.note(*self._places, notes, place)

    def _seat_players(self) -> None:
        self._seating = True
        self.players = fresh_players(self.lineup)
        self._seating = False
        self._observing = any(self._observes(player) for player in self.players)
        self.made.table["outside_observers"] = self._observing
        self.made.table["observed"] = self._observing or self._observed_inside

    def _play_deal(self) -> None:
        watched = self._observing or self._observed_inside
        self._begin_players()
        while True:
            code = self._run(self.steps.step)
            if code == OVER:
                return
            if code == FAULT:
                raise compiled_fault(self.lineup, self.made, self.seed, illegal(self.lineup, int(self.made.table["answer"][0])))
            if code == ASK:
                self._ask()
            if watched:
                self._tell()

    def _begin_players(self) -> None:
        for seat in range(self.lineup.players):
            player = self.players[self.seating[seat]]
            if self._begins(player):
                view = self._look(seat)
                self._call(seat, player.begin, view)
                self.state["seat_streams"][0][seat] = view.random_stream
        self.steps.show_actor(self._places[1])

    def _look(self, seat: int) -> Any:
        self.steps.show(self._places[1], seat)
        return load(self.lineup.game.view, self._memory)

    def _begins(self, player: Any) -> bool:
        return hasattr(player, "begin")

    def _observes(self, player: Any) -> bool:
        return hasattr(player, "observe")

    def _ask(self) -> None:
        self._ask_object(load(self.lineup.game.view, self._memory))

    def _ask_object(self, view: Any) -> int:
        """Ask a Python bot, and carry out what it answers."""
        seat = view.seat
        action = as_action_of(self._call(seat, self.players[self.seating[seat]].choose, view), self, seat)
        if not -(2**62) < action < 2**62 or not self.steps.answer(self._places[1], action, np.uint64(view.random_stream)):
            raise self._fault(seat, illegal(self.lineup, action))
        return action

    def _tell(self) -> None:
        """Tell the Python bots of the events of the last action, then the compiled ones."""
        count = int(self.state["event_count"][0])
        events = self.state["events"][0][: count * self._event_size].tobytes()
        for seat in range(self.lineup.players):
            player = self.players[self.seating[seat]]
            if self._observes(player):
                view = self._look(seat)
                for start in range(0, len(events), self._event_size):
                    self._call(seat, player.observe, view, load(self.lineup.game.event, memoryview(events)[start:]))
                self.state["seat_streams"][0][seat] = view.random_stream
        self._run(self.steps.tell)

    def _run(self, step: Any, *args: Any) -> Any:
        """Take a step of the loop; what a compiled bot raises in it becomes its fault."""
        try:
            return step(*self._places, *args)
        except KibitzError:
            raise
        except Exception as error:
            raise compiled_fault(self.lineup, self.made, self.seed, what_went_wrong(error)) from error

    def _call(self, seat: int, method: Any, *args: Any) -> Any:
        self._python_calls += 1
        self._in_python = True
        try:
            return method(*args)
        except (Exception, SystemExit) as error:
            check_debugger(error)
            raise self._fault(seat, what_went_wrong(error), place_of(error)) from error
        finally:
            self._in_python = False

    def _fault(self, seat: int, what: str, place: str = "") -> BotFault:
        return BotFault(name_at(self.lineup, self.seating, seat), seat, self.seed, self.index, what, self.lineup.options, place)


def as_action_of(answer: Any, table: MixedTable, seat: int) -> int:
    """A Python bot's answer as a whole number, or its fault."""
    action: int = table._call(seat, as_action, answer)
    return action
