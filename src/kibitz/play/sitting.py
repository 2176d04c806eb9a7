"""A sitting: games of a line-up step by step, compiled or as plain Python. Everything that plays one game at a time is built on it.

`step` goes on until there is something to say: the deal is over (`Over`), a seat must be asked that no bot plays (`Ask`, answered with
`answer`), or, for those who follow the game, an action was taken (`Happened`). Bots are asked and told here: compiled ones inside the loop
of `kibitz.play.loop`, Python ones outside it. Game `index` of a seed is the game that a batch plays.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from kibitz.core.errors import BadValue, BotFault, KibitzError
from kibitz.core.layouts import copy_record, dtype_of, load
from kibitz.core.machine_code import bound
from kibitz.core.seeds import check_seed
from kibitz.games.contract import GameDefinition
from kibitz.play.faults import check_debugger, place_of, what_went_wrong
from kibitz.play.hearing import events_of
from kibitz.play.lineup import Lineup, as_action, compiled_table, fresh_players, plain_table
from kibitz.play.loop import ASK, CHOSEN, FAULT, OVER, TELL, TOLD, compiled_kernel, draw_seats, kernels_for, prepare_state
from kibitz.runs.watchdog import watchdog

_WIDEST = 2**62  # what a Python bot answers beyond this is no action


class Over(NamedTuple):
    """The deal has ended."""


class Ask(NamedTuple):
    """A seat that no bot plays must decide; `view` is what it sees."""

    seat: int
    view: Any


class Happened(NamedTuple):
    """A seat took an action: FORCED, the DEFAULT in a window its bot doesn't know, or CHOSEN; and everybody saw its events."""

    seat: int
    action: int
    why: int
    events: Sequence[Any]


class Events(Sequence[Any]):
    """The events of an action, as `blocks` of memory that are read when somebody looks."""

    def __init__(self, event: type, blocks: Sequence[bytes]) -> None:
        self._event, self.blocks = event, blocks

    def __len__(self) -> int:
        return len(self.blocks)

    def __getitem__(self, place: Any) -> Any:
        return load(self._event, self.blocks[place])


class Chance(NamedTuple):
    """Chance must decide between outcomes, each with its probability; only in an open sitting (`kibitz.play.open_sitting`)."""

    outcomes: Sequence[tuple[int, float]]


class IllegalAction(Exception):
    """An action from outside that may not be taken; it is the message."""


Step = Over | Ask | Happened
Listener = Callable[[Any, int], None]  # of what a bot saw, and its answer


class _InMemory:
    """Table and state in memory, where compiled code plays."""

    def __init__(self, lineup: Lineup) -> None:
        self._game = lineup.game
        self._made = compiled_table(lineup)
        self.table, self.state = self._made.table[0], self._made.state[0]
        self._memory: Any = self._made.state.view(np.uint8)
        self.addresses = {"table": self._made.table.ctypes.data, "state": self._made.state.ctypes.data}
        self.seating = memoryview(self.table["seating"])
        self._event_size = dtype_of(lineup.game.event).itemsize
        self._events, self._event_count = memoryview(self.state["events"]), self._made.state["event_count"]
        self._current, self._seat = self._made.state["current"], self._made.state["seat"]

    def kernel(self, name: str) -> Callable[..., Any]:
        """A kernel of the loop at this table."""
        kernel, table, state = compiled_kernel(self._game, name), self.addresses["table"], self.addresses["state"]
        return bound(kernel, state) if name in ("show", "show_actor") else bound(kernel, table, state)

    def renew(self) -> None:
        """Before a game: memories are cleared when it is dealt."""

    def set(self, field: str, value: int) -> None:
        """Write a field of the table."""
        self.table[field] = value

    def get(self, field: str) -> int:
        """Read a field of the table."""
        return int(self.table[field])

    @property
    def current(self) -> int:
        """The seat to act."""
        return int(self._current[0])

    @property
    def shown_to(self) -> int:
        """The seat that the state was last shown to."""
        return int(self._seat[0])

    def stream_of(self, seat: int) -> int:
        """Where a seat's random stream stands."""
        return int(self.state["seat_streams"][seat])

    def move_stream(self, seat: int, position: int) -> None:
        """Put a seat's random stream to where it stands now."""
        self.state["seat_streams"][seat] = position

    def view(self) -> Any:
        """The state as the seat sees it that it was last shown to: a copy."""
        return load(self._game.view, self._memory)

    def whole_state(self) -> Any:
        """The state with every card in it: a copy."""
        return load(self._game.state, self._memory)

    def events(self) -> Sequence[Any]:
        """The events of the last action."""
        size, events = self._event_size, self._events
        return Events(self._game.event, [bytes(events[at : at + size]) for at in range(0, int(self._event_count[0]) * size, size)])


class _InPython:
    """Table and state as Python objects, where the same kernels play as they stand."""

    def __init__(self, lineup: Lineup) -> None:
        self._lineup = lineup
        self.renew()

    def kernel(self, name: str) -> Callable[..., Any]:
        """A kernel of the loop at this table."""
        kernel = getattr(kernels_for(self._lineup.game), name)
        if name in ("show", "show_actor"):
            return lambda *args: kernel(self.state, *args)
        return lambda *args: kernel(self.table, self.state, *args)

    def copy(self) -> _InPython:
        """Another table at the same position."""
        twin = copy(self)
        twin.table, twin.state = copy_record(self.table), copy_record(self.state)
        twin.seating = twin.table.seating
        return twin

    def renew(self) -> None:
        """Before a game: new records for everything."""
        self.table: Any = plain_table(self._lineup)
        self.state: Any = self._lineup.new_state()
        self.seating = self.table.seating

    def set(self, field: str, value: int) -> None:
        """Write a field of the table."""
        setattr(self.table, field, value)

    def get(self, field: str) -> int:
        """Read a field of the table."""
        return int(getattr(self.table, field))

    @property
    def current(self) -> int:
        """The seat to act."""
        return int(self.state.current)

    @property
    def shown_to(self) -> int:
        """The seat that the state was last shown to."""
        return int(self.state.seat)

    def stream_of(self, seat: int) -> int:
        """Where a seat's random stream stands."""
        return int(self.state.seat_streams[seat])

    def move_stream(self, seat: int, position: int) -> None:
        """Put a seat's random stream to where it stands now."""
        self.state.seat_streams[seat] = position

    def view(self) -> Any:
        """The state as the seat sees it that it was last shown to: a copy."""
        return copy_record(self.state, self._lineup.game.view)

    def whole_state(self) -> Any:
        """The state with every card in it: a copy."""
        return copy_record(self.state)

    def events(self) -> Sequence[Any]:
        """The events of the last action."""
        return events_of(self._lineup.game, self.state)


class Sitting:
    """Games of a line-up, one after the other and step by step.

    Who `follows` gets every action, others only what must be decided outside and the end. `listen` hears of every decision of a bot: what it
    saw, and what it answered. A Python bot whose maker gives None is a seat that is asked outside.
    """

    def __init__(self, lineup: Lineup, seed: int, compiled: bool = True, follows: bool = False, listen: Listener | None = None) -> None:
        self.lineup, self.seed, self.follows, self._listen = lineup, check_seed(seed), follows, listen
        self.is_compiled = compiled
        self.place: Any = _InMemory(lineup) if compiled else _InPython(lineup)
        self._kernels: dict[str, Callable[..., Any]] = {}
        self._observed_inside = bool(self.place.get("observed"))
        self.index = 0
        self.players: list[Any] = []
        self._hearers: list[int] = []  # entries of Python bots that are told of events
        self._python_calls = 0
        self._in_python = not compiled
        self._seating = False

    # -- how it stands --

    @property
    def game(self) -> GameDefinition:
        """The game that is played."""
        return self.lineup.game

    @property
    def seating(self) -> Sequence[int]:
        """The line-up entry in each seat."""
        seating: Sequence[int] = self.place.seating
        return seating

    @property
    def seats(self) -> list[str]:
        """The name of the bot in each seat."""
        names = [entrant.name for entrant in self.lineup.entrants]
        return [names[self.place.seating[seat]] for seat in range(self.lineup.players)]

    @property
    def state(self) -> Any:
        """The state, with every card in it: a copy."""
        return self.place.whole_state()

    @property
    def round(self) -> int:
        """Which deal of a contest this is, from 0."""
        return int(self.place.get("deal"))

    @property
    def dealt(self) -> int:
        """The index that the deal's random streams come from."""
        return int(self.place.get("dealt"))

    @property
    def contest_winner(self) -> int | None:
        """The seat that has won the contest."""
        winner = self.place.get("contest_winner")
        return winner if self.lineup.to and winner >= 0 else None

    def look(self, seat: int) -> Any:
        """What a seat sees: a copy."""
        view = self._shown_to(seat)
        self._kernel("show_actor")()
        return view

    def _shown_to(self, seat: int) -> Any:
        """What a seat sees; the state stays shown to it."""
        self._kernel("show")(seat)
        return self.place.view()

    def attending(self) -> AbstractContextManager[None]:
        """A block in which games are played here, while the watchdog looks on."""

        def calls() -> int:
            if self._seating:  # nobody has been asked yet, however long players take to be made
                return time.monotonic_ns()
            return self._python_calls + int(self.place.get("calls"))

        return watchdog.attending(calls, lambda what: self._fault(self.place.shown_to, what), lambda: self._in_python)

    # -- what happens --

    def prepare(self, *more: str) -> None:
        """Compile, or load, the kernels that will be needed, and `more`."""
        stepwise = self.follows or self._listen is not None
        needed = ["start_game", *(("find_action", "take_action") if stepwise else ("play_on",)), *more]
        if self.lineup.to:
            needed += ["is_decided", "start_deal"]
        if not self.lineup.is_compiled:
            needed += ["answer_with", "show", "show_actor"]
        if stepwise or not self.lineup.is_compiled:
            needed += ["tell_events"]
        for name in needed:
            self._kernel(name)

    def begin(self, index: int) -> None:
        """Seat everybody for a game, and deal."""
        if index < 0:
            raise BadValue(f"index={index} is out of range: games are counted from 0.")
        self.index = index
        self.place.renew()
        self._seat_players()
        self._run("start_game", self._seed(), index)
        self._begin_players()

    def begin_at(self, state: Any) -> None:
        """Begin with a position instead of a deal; only as plain Python."""
        assert not self.is_compiled
        self.place.renew()
        self._seat_players()
        self.place.state = state
        draw_seats(self.place.table, self.seed)
        prepare_state(self.place.table, state)
        self._kernel("show_actor")()
        self._begin_players()

    def copy(self) -> Sitting:
        """Another sitting at the same position, where nobody but the caller decides; only as plain Python."""
        twin = copy(self)
        twin.place, twin._kernels = self.place.copy(), {}
        return twin

    def next_deal(self) -> bool:
        """After the end of a deal: begin the next one of the contest; false if the game is decided."""
        if self.is_decided():
            return False
        self.deal_again()
        return True

    def is_decided(self) -> bool:
        """After the end of a deal, once: add it to the contest, and say whether the game is decided."""
        return not self.lineup.to or bool(self._run("is_decided"))

    def deal_again(self) -> None:
        """Begin the next deal of a contest that is not decided."""
        self._seat_players()
        self._run("start_deal", self._seed())
        self._begin_players()

    def step(self) -> Step:
        """Go on until there is something to say."""
        if not self.follows and self._listen is None:
            seat = self.next_seat()
            return Over() if seat < 0 else Ask(seat, self.place.view())
        while True:
            why = self.find()
            if why == OVER:
                return Over()
            if why != ASK:
                if self._listen and why == CHOSEN:
                    self._listen(self.place.view(), self.place.get("answer"))
                happened = self._taken(self.place.current, why, self._run("take_action", why))
            else:
                view = self.place.view()
                player = self.players[self.place.seating[view.seat]]
                if player is None:
                    return Ask(view.seat, view)
                action = self._call(view.seat, _chosen, player, view)
                if self._listen:
                    self._listen(self.place.view(), action)  # not what the bot may have changed
                happened = self.answer(action, view)
            if self.follows:
                return happened

    def next_seat(self) -> int:
        """Go on until a seat must be asked that no bot plays: that seat, or -1 at the end of the deal. For those who don't follow the game."""
        why = self._run("play_on")
        return self._asked(self.place.current if why == ASK else -1 - why)

    def act(self, action: int, kernel: str = "act_on") -> int:
        """Decide for the seat to act, whose random stream stays where it stands, and go on: as `next_seat`. IllegalAction changes nothing.

        `kernel` is `act_on`, or one of `add_kernel` that does the same and more.
        """
        found: int = self._run(kernel, action)
        if found >= 0 and self.players[self.place.seating[found]] is None:
            return found
        if found == -1 - TOLD:
            raise IllegalAction(action)
        return self._asked(found)

    def _asked(self, found: int) -> int:
        """The seat to ask that no bot plays, or -1 at the end, from what `act_on` found."""
        while True:
            if found >= 0:
                player = self.players[self.place.seating[found]]
                if player is None:
                    return found
                view = self.place.view()
                self.answer(self._call(view.seat, _chosen, player, view), view)
            elif found == -1 - OVER:
                return -1
            elif found == -1 - FAULT:
                raise self._fault(self.place.shown_to, illegal(self.lineup, self.place.get("answer")))
            else:
                self._tell()
            why = self._run("play_on")
            found = self.place.current if why == ASK else -1 - why

    def add_kernel(self, name: str, kernel: Callable[..., Any]) -> None:
        """A kernel from elsewhere, at this table, by a name of its own."""
        self._kernels[name] = kernel

    def find(self) -> int:
        """What comes next, as in `kibitz.play.loop`; unless it is OVER or ASK, `found` is the action. Bots at the table are asked."""
        return int(self._run("find_action"))

    @property
    def found(self) -> int:
        """The last action that was found."""
        return int(self.place.get("answer"))

    def answer(self, action: int, view: Any) -> Happened:
        """Decide for the seat that was asked with this view; what happened then."""
        if not -_WIDEST < action < _WIDEST:
            raise self._fault(view.seat, illegal(self.lineup, action))
        return self._taken(view.seat, CHOSEN, self._run("answer_with", action, self._stream(view.random_stream)))

    def take(self, action: int) -> Happened:
        """Decide for the seat to act, whose random stream stays where it stands."""
        seat = self.place.current
        return self._taken(seat, CHOSEN, self._run("answer_with", action, self._stream(self.place.stream_of(seat))))

    def play(self, index: int) -> None:
        """Play one game to its end, in which nobody outside is asked."""
        self.begin(index)
        self.finish_deal()
        while self.next_deal():
            self.finish_deal()

    def finish_deal(self) -> None:
        """Play a deal that has begun to its end."""
        while not isinstance(self.step(), Over):
            pass

    def add_to(self, tally: Any) -> None:
        """Add the game just played to a tally."""
        self._kernel("tally_game")(tally)

    def note_in(self, notes: Any, place: int) -> None:
        """Note how the game just played ended."""
        self._kernel("note_game")(notes, place)

    # -- inside --

    def _kernel(self, name: str) -> Callable[..., Any]:
        found = self._kernels.get(name)
        if found is None:
            found = self._kernels[name] = self.place.kernel(name)
        return found

    def _seed(self) -> Any:
        return self._stream(self.seed)

    def _stream(self, position: int) -> Any:
        return np.uint64(position) if self.is_compiled else position

    def _run(self, name: str, *args: Any) -> Any:
        """Run a kernel; what a bot raises in it becomes that bot's fault."""
        try:
            return self._kernel(name)(*args)
        except KibitzError:
            raise
        except (Exception, SystemExit) as error:
            check_debugger(error)
            raise self._fault(self.place.shown_to, what_went_wrong(error), place_of(error)) from error

    def _seat_players(self) -> None:
        self._seating = True
        self.players = fresh_players(self.lineup)
        self._seating = False
        self._hearers = [entry for entry, player in enumerate(self.players) if hasattr(player, "observe")]
        outside = self.follows or bool(self._hearers)
        self.place.set("outside_observers", int(outside))
        self.place.set("observed", int(outside or self._observed_inside))

    def _begin_players(self) -> None:
        begun = False
        for seat in range(self.lineup.players):
            player = self.players[self.place.seating[seat]]
            if hasattr(player, "begin"):
                view = self._shown_to(seat)
                self._call(seat, player.begin, view)
                self.place.move_stream(seat, view.random_stream)
                begun = True
        if begun:
            self._kernel("show_actor")()

    def _taken(self, seat: int, why: int, code: int) -> Happened:
        """What happened, now that the loop has tried to carry out an action; everybody is told."""
        action = self.place.get("answer")
        if code == FAULT:
            raise self._fault(seat, illegal(self.lineup, action))
        return Happened(seat, action, why, self._tell() if code == TELL else ())

    def _tell(self) -> Sequence[Any]:
        """Tell the Python bots of the events of the last action, then the others; the events."""
        events: Sequence[Any] = self.place.events()
        for seat in range(self.lineup.players):
            entry = self.place.seating[seat]
            if entry in self._hearers:
                view = self._shown_to(seat)
                for event in events:
                    self._call(seat, self.players[entry].observe, view, event)
                self.place.move_stream(seat, view.random_stream)
        self._run("tell_events")
        return events

    def _call(self, seat: int, method: Callable[..., Any], *args: Any) -> Any:
        """Call a Python bot; what it raises becomes its fault."""
        self._python_calls += 1
        before, self._in_python = self._in_python, True
        try:
            return method(*args)
        except (Exception, SystemExit) as error:
            check_debugger(error)
            raise self._fault(seat, what_went_wrong(error), place_of(error)) from error
        finally:
            self._in_python = before

    def _fault(self, seat: int, what: str, place: str = "") -> BotFault:
        name = self.lineup.entrants[int(self.place.seating[seat])].name
        return BotFault(name, seat, self.seed, self.index, what, self.lineup.options, place)


def _chosen(player: Any, view: Any) -> int:
    return as_action(player.choose(view))


def illegal(lineup: Lineup, answer: int) -> str:
    """What to say of an answer that is not a legal action."""
    try:
        return f"answered {answer} ({lineup.game.action_name(lineup.new_state(), answer)}), which is not legal there"
    except (IndexError, KibitzError):
        return f"answered {answer}, which is not an action"
