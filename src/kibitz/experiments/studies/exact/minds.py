"""Bots as players that can be led to any information set of a solved game, and back to where they were.

Where a bot draws few random numbers, as rule bots do, every number it could draw is tried, and the chances of its actions
are exact. Any other bot is asked many times, compiled where it can be.
"""

from __future__ import annotations

import copy
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kibitz.bots import parameters
from kibitz.bots.bot import Bot
from kibitz.core import jit
from kibitz.core.errors import BadBot
from kibitz.core.jit import call_begin, call_observe, clear_memory, is_present, number
from kibitz.core.layouts import blank, copy_record, fields_of, store
from kibitz.core.seeds import FIRST_SEAT, game_key, stream
from kibitz.games.contract import GameDefinition, as_view, event_at, show, show_actor
from kibitz.games.uno import engine
from kibitz.games.uno.state import State
from kibitz.games.uno.view import View
from kibitz.play.asking import compiled_kernels
from kibitz.play.lineup import Lineup, as_action, compiled_table, window_bits
from kibitz.play.loop import Table
from kibitz.play.playing import layouts_of
from kibitz.policies import valuation
from kibitz.policies.valuation import Valuation
from kibitz.registry import Entrant

MAX_NUMBERS = 8  # random numbers for one answer, if all they could be are tried
MAX_WAYS = 1000


class ManyNumbers(Exception):
    """A bot draws too many random numbers to try them all, or reads its stream itself."""


class _Numbers:
    """The random numbers of one answer: a script that is gone through in every way."""

    def __init__(self) -> None:
        self.script: list[tuple[int, int]] = []  # each number, and what it is below
        self.used = 0
        self.ways = 0

    def below(self, bound: int) -> int:
        """The next number."""
        if self.used == len(self.script):
            if self.used >= MAX_NUMBERS or bound > MAX_WAYS:
                raise ManyNumbers
            self.script.append((0, bound))
        self.used += 1
        return self.script[self.used - 1][0]

    def chance(self) -> float:
        """How likely these numbers are."""
        return 1 / float(np.prod([bound for _, bound in self.script])) if self.script else 1.0

    def go_on(self) -> bool:
        """Turn to the next numbers; false once all were tried."""
        self.used = 0
        self.ways += 1
        if self.ways >= MAX_WAYS:
            raise ManyNumbers
        while self.script:
            value, bound = self.script.pop()
            if value + 1 < bound:
                self.script.append((value + 1, bound))
                return True
        return False


class _OpenView(View):
    """A view whose random numbers come from a script."""

    @property
    def random_stream(self) -> int:  # type: ignore[override]  # the same name, so that nobody reads the stream unnoticed
        """Nothing: whoever reads the stream itself must be sampled."""
        raise ManyNumbers

    def randbelow(self, bound: int) -> int:
        """The next number of the script."""
        numbers: _Numbers | None = self.__dict__.get("numbers")
        if numbers is None:
            raise ManyNumbers
        return numbers.below(bound)


# -- what a search thinks --


class Opinion(NamedTuple):
    """What a search said of an action before one of its answers: value and standard error in the unit of the search, and visits."""

    action: int
    value: float
    error: float
    visits: int
    unit: int


def searches(bot: Any) -> bool:
    """Whether a bot searches, and so keeps a table of what it thinks of each action."""
    return isinstance(bot, Bot) and valuation.searches(bot.scratch)


def _opinions(listed: int, unit: int, actions: Any, values: Any, errors: Any, visits: Any) -> list[Opinion]:
    return [Opinion(int(actions[row]), float(values[row]), float(errors[row]), int(visits[row]), unit) for row in range(listed)]


# -- plain Python --


class PlainMind:
    """A bot in plain Python. With `samples` it is asked so many times, without it every random number is tried.

    After an answer of a search that was sampled, `opinions` has its tables, one for each time it was asked.
    """

    def __init__(self, lineup: Lineup, samples: int = 0, seed: int = 0) -> None:
        self.entrant: Entrant = lineup.entrants[0]
        self.bot = self.entrant.bot
        self.hand_reading = self.bot.hand_reading
        self.samples, self.seed, self.asked = samples, seed, 0
        self._windows = window_bits(lineup.game, self.entrant)
        self._mind: Any = None
        self.opinions: list[list[Opinion]] = []
        if isinstance(self.bot, Bot):
            self._params = parameters.plain(self.bot.parameters, self.entrant.values)
            self._scratch = blank(self.bot.scratch) if self.bot.scratch else None

    def begin(self, state: State, seat: int) -> None:
        """Sit down at a new deal."""
        with self._without_chance():
            self._begin(self._look(state, seat))

    def _begin(self, view: Any) -> None:
        if isinstance(self.bot, Bot):
            self._mind = blank(self.bot.memory) if self.bot.memory else None
            entry: Any = self.bot.plain_entry("begin")
            if entry:
                entry(view, self._mind, self._params, self._scratch)
        else:
            self._mind = self.bot.fresh()
            if hasattr(self._mind, "begin"):
                self._mind.begin(view)

    def tell(self, state: State, seat: int) -> None:
        """Hear of the events of the last action."""
        entry: Any = self.bot.plain_entry("observe") if isinstance(self.bot, Bot) else getattr(self._mind, "observe", 0)
        if not entry:
            return
        view = self._look(state, seat)
        with self._without_chance():
            for place in range(state.event_count):
                event = engine.event_at(state, place)
                if isinstance(self.bot, Bot):
                    entry(view, event, self._mind, self._params, self._scratch)
                else:
                    entry(view, event)

    @contextmanager
    def _without_chance(self) -> Iterator[None]:
        """Refuse a bot that is sampled and draws random numbers elsewhere than in its answers."""
        try:
            yield
        except ManyNumbers:
            raise (_random_memory(self.entrant) if self.samples else ManyNumbers) from None

    def _look(self, state: State, seat: int) -> Any:
        engine.show(state, seat)
        view = copy_record(state, _OpenView)
        engine.show_actor(state)
        return view

    def answer(self, state: State, seat: int) -> dict[int, float]:
        """The chance of each action."""
        self.opinions = []
        usual = engine.default_action(state, self._windows)
        if usual >= 0:
            return {usual: 1.0}
        return self._sampled(state, seat) if self.samples else self._enumerated(state)

    def _sampled(self, state: State, seat: int) -> dict[int, float]:
        found: Counter[int] = Counter()
        before = self.memory()
        for _ in range(self.samples):
            self.remember(before)
            view = copy_record(state, View)
            view.random_stream = stream(game_key(self.seed, self.asked), FIRST_SEAT + seat)
            self.asked += 1
            found[self._choose(view, state)] += 1
            if searches(self.bot):
                table: Any = self._scratch
                self.opinions.append(_opinions(table.listed, table.unit, table.listed_actions, table.values, table.errors, table.visits))
        return {action: count / self.samples for action, count in found.items()}

    def _enumerated(self, state: State) -> dict[int, float]:
        chances: dict[int, float] = {}
        before = self.memory()
        numbers = _Numbers()
        more = True
        while more:
            self.remember(before)
            open_view = copy_record(state, _OpenView)
            open_view.__dict__["numbers"] = numbers
            action = self._choose(open_view, state)
            chances[action] = chances.get(action, 0.0) + numbers.chance()
            more = numbers.go_on()
        return chances

    def _choose(self, view: Any, state: State) -> int:
        if isinstance(self.bot, Bot):
            entry: Any = self.bot.plain_entry("choose")
            answer = entry(view, self._mind, self._params, self._scratch)
        else:
            answer = self._mind.choose(view)
        return _legal(self.entrant, state, as_action(answer))

    def memory(self) -> Any:
        """A copy of the bot's memory, or of a Python bot itself."""
        if isinstance(self.bot, Bot):
            return copy_record(self._mind) if self._mind is not None else None
        return copy.deepcopy(self._mind)

    def remember(self, memory: Any) -> None:
        """Put a memory back."""
        if isinstance(self.bot, Bot):
            self._mind = copy_record(memory) if memory is not None else None
        else:
            self._mind = copy.deepcopy(memory)


def _random_memory(entrant: Entrant) -> BadBot:
    return BadBot(
        f"bot '{entrant.name}' draws random numbers in begin or observe: what it remembers does not follow from what it saw, "
        "so that its exploitability cannot be measured."
    )


def _legal(entrant: Entrant, state: State, action: int) -> int:
    if action not in engine.legal_actions(state):
        raise BadBot(f"bot '{entrant.name}' answered {action}, which is not legal in a position of the solved game.")
    return action


# -- compiled --


def sit_down(table: Table, state: Any, seat: int) -> int:
    """Let a seat's bot begin with an empty memory."""
    entry = table.seating[seat]
    if table.memory_size[entry] > 0:
        clear_memory(table.memory[entry], table.memory_size[entry])
    if is_present(table.begin[entry]):
        show(state, seat)
        view = as_view(state)
        call_begin(table.begin[entry], view, table.memory[entry], table.params[entry], table.scratch[entry])
        state.seat_streams[seat] = view.random_stream
    show_actor(state)
    return 1


def hear(table: Table, state: Any, seat: int) -> int:
    """Tell one seat's bot of the events of the last action."""
    entry = table.seating[seat]
    if is_present(table.observe[entry]):
        show(state, seat)
        view = as_view(state)
        for place in range(number(state.event_count)):
            call_observe(table.observe[entry], view, event_at(state, place), table.memory[entry], table.params[entry], table.scratch[entry])
        state.seat_streams[seat] = view.random_stream
    show_actor(state)
    return 1


class _Roots(NamedTuple):
    """The kernels above, compiled and taking addresses."""

    sit_down: Any
    hear: Any


@cache
def _roots(game: GameDefinition) -> _Roots:
    scope = jit.specialise_modules(sys.modules[__name__], **game.verbs)
    scope |= {"table_at": jit.record_at(Table), "state_at": jit.record_at(game.state), "__name__": __name__}
    roots = []
    for name in _Roots._fields:
        source = f"def root_{name}(table, state, seat):\n    return {name}(table_at(table), state_at(state), seat)\n"
        exec(compile(source, jit.__file__, "exec"), scope)
        roots.append(jit.build_root(scope[f"root_{name}"], jit.argument_types("long long long"), game.view, layouts_of(game)))
    return _Roots(*roots)


class CompiledMind:
    """A compiled bot that is asked `samples` times; after an answer of a search `opinions` has its tables, one for each time."""

    def __init__(self, lineup: Lineup, samples: int, seed: int) -> None:
        self.entrant: Entrant = lineup.entrants[0]
        self.hand_reading = self.entrant.bot.hand_reading
        self.samples, self.seed, self.asked = samples, seed, 0
        self._windows = window_bits(lineup.game, self.entrant)
        self._find = compiled_kernels(lineup.game).find_action
        self._roots = _roots(lineup.game)
        self._made = compiled_table(lineup)
        self._made.table["seating"][0][: lineup.players] = range(lineup.players)
        self._state = self._made.state
        self._places = (self._made.table.ctypes.data, self._state.ctypes.data)
        bot = self.entrant.bot
        self.opinions: list[list[Opinion]] = []
        self._tables = [self._table_of(seat) for seat in range(lineup.players) if searches(bot)]
        self._observes = isinstance(bot, Bot) and bot.observe is not None
        self._blocks: list[Any] = [
            next(block for block in self._made.blocks if block.ctypes.data == int(self._made.table["memory"][0][seat])).view(np.uint8)
            for seat in range(lineup.players)
            if isinstance(bot, Bot) and bot.memory
        ]

    def _table_of(self, seat: int) -> dict[str, Any]:
        """The fields of a seat's valuation, where the bot writes them."""
        place = int(self._made.table["scratch"][0][seat])
        block = next(block for block in self._made.blocks if block.ctypes.data == place)
        return {field.name: block[field.name] for field in fields_of(Valuation)}

    def _opinions(self, seat: int) -> list[Opinion]:
        table = self._tables[seat]
        rows = [table[name][0] for name in ("listed_actions", "values", "errors", "visits")]
        return _opinions(int(table["listed"][0]), int(table["unit"][0]), *rows)

    def begin(self, state: State, seat: int) -> None:
        """Sit down at a new deal."""
        self._lead(self._roots.sit_down, state, seat)

    def tell(self, state: State, seat: int) -> None:
        """Hear of the events of the last action."""
        if self._observes:
            self._lead(self._roots.hear, state, seat)

    def _lead(self, root: Any, state: State, seat: int) -> None:
        store(state, self._state)
        before = int(self._state["seat_streams"][0][seat])
        root(*self._places, seat)
        if int(self._state["seat_streams"][0][seat]) != before:
            raise _random_memory(self.entrant)

    def answer(self, state: State, seat: int) -> dict[int, float]:
        """How often each action was the answer."""
        self.opinions = []
        usual = engine.default_action(state, self._windows)
        if usual >= 0:
            return {usual: 1.0}
        store(state, self._state)
        found: Counter[int] = Counter()
        memory = self.memory()
        for _ in range(self.samples):
            self.remember(memory)
            position = stream(game_key(self.seed, self.asked), FIRST_SEAT + seat)
            self.asked += 1
            self._state["random_stream"] = position
            self._state["seat_streams"][0][seat] = position
            self._find(*self._places)
            found[int(self._made.table["answer"][0])] += 1
            if self._tables:
                self.opinions.append(self._opinions(seat))
        return {_legal(self.entrant, state, action): count / self.samples for action, count in found.items()}

    def memory(self) -> Any:
        """The memory at every seat."""
        return [block.copy() for block in self._blocks]

    def remember(self, memory: Any) -> None:
        """Put a memory back."""
        for block, kept in zip(self._blocks, memory, strict=True):
            block[:] = kept
