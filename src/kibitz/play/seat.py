"""One bot on its own, away from any loop: it is shown views, hears of events, and answers; compiled where it can be.

All three kinds have the methods of a Python bot, so they can also sit at a table as one. What a bot thinks of each action
is left in `valuation` after every answer, which of its rules fired in `rule`; `memory` and `remember` take a bot back to where it was.
"""

from __future__ import annotations

import copy
from functools import cache
from typing import Any, NamedTuple, Protocol

import numpy as np

from kibitz.bots import parameters
from kibitz.bots.bot import Bot
from kibitz.bots.fired_rule import has_field
from kibitz.core.jit import call_begin, call_choose, call_observe, root_of
from kibitz.core.layouts import blank, copy_record, dtype_of, load, store
from kibitz.games.contract import GameDefinition
from kibitz.play.lineup import as_action
from kibitz.policies.valuation import Preferences, Valuation, keeps_preferences, keeps_table, searches
from kibitz.registry import Entrant

# -- kernels --


def begin_alone(entry: int, view: Any, memory: int, params: int, scratch: int) -> None:
    """Let the bot at an address set up its memory."""
    call_begin(entry, view, memory, params, scratch)


def observe_alone(entry: int, view: Any, event: Any, memory: int, params: int, scratch: int) -> None:
    """Tell the bot at an address of an event."""
    call_observe(entry, view, event, memory, params, scratch)


def choose_alone(entry: int, view: Any, memory: int, params: int, scratch: int) -> int:
    """Ask the bot at an address."""
    return call_choose(entry, view, memory, params, scratch)


class Calls(NamedTuple):
    """The kernels above, compiled for a game."""

    begin_alone: Any
    observe_alone: Any
    choose_alone: Any


@cache
def compiled_calls(game: GameDefinition) -> Calls:
    """Compile, or load, the kernels for a game. Every player works in blocks of its own, so others may go on meanwhile."""
    blocks, what = ("long", "long", "long"), f"the {game.title} engine for single decisions"
    return Calls(
        root_of(begin_alone, ("long", game.view, *blocks), game.view, what),
        root_of(observe_alone, ("long", game.view, game.event, *blocks), game.view, what),
        root_of(choose_alone, ("long", game.view, *blocks), game.view, what),
    )


# -- players --


class SeatedBot(Protocol):
    """A bot at one seat of one deal after another."""

    def begin(self, view: Any) -> None:
        """A deal begins, or the bot comes to one that has."""

    def observe(self, view: Any, event: Any) -> None:
        """Something happened that everybody saw."""

    def choose(self, view: Any) -> int:
        """Decide. What the bot draws from the view's random stream moves that on."""

    @property
    def valuation(self) -> Valuation | None:
        """What it thought of each action at the last decision, if it tells."""

    @property
    def rule(self) -> int | None:
        """The place of the rule that gave the last answer among the bot's rules, if it says."""

    def knowledge(self) -> Any:
        """A copy of its memory as a plain record."""

    def memory(self) -> Any:
        """A copy of all it remembers of the deal."""

    def remember(self, memory: Any) -> None:
        """Go back to what was remembered."""


def is_search(entrant: Entrant) -> bool:
    """Whether a bot searches before it acts."""
    return searches(_scratch_of(entrant))


def tells(entrant: Entrant) -> bool:
    """Whether a bot tells what it thinks of each action: a search does, and so does a learned policy."""
    return keeps_table(_scratch_of(entrant))


def rules_of(entrant: Entrant) -> tuple[str, ...]:
    """The sentences of a bot's rules, if it is a list of rules."""
    return entrant.bot.rules


def _fired(rule: Any, rules: tuple[str, ...]) -> int | None:
    """A noted rule as a place among a bot's rules; None if it is none."""
    return int(rule) if isinstance(rule, (int, np.integer)) and 0 <= rule < len(rules) else None


def _scratch_of(entrant: Entrant) -> type | None:
    return entrant.bot.scratch if isinstance(entrant.bot, Bot) else None


def player_of(entrant: Entrant, game: GameDefinition, jit: bool = True) -> SeatedBot:
    """A bot as a player of its own: compiled, or as plain Python."""
    if not isinstance(entrant.bot, Bot):
        return ObjectPlayer(entrant)
    return CompiledPlayer(entrant, game) if jit else PlainPlayer(entrant)


class CompiledPlayer:
    """A compiled bot with the blocks of memory it works in."""

    def __init__(self, entrant: Entrant, game: GameDefinition) -> None:
        bot = entrant.bot
        assert isinstance(bot, Bot)
        self._calls = compiled_calls(game)
        self._begin, self._observe, self._choose = [bot.address(role, game.view, game.event) for role in ("begin", "observe", "choose")]
        self._view = np.zeros(1, dtype=dtype_of(game.view))
        self._event = np.zeros(1, dtype=dtype_of(game.event))
        self._memory = np.zeros(1, dtype=dtype_of(bot.memory) if bot.memory else np.int64)
        self._scratch = np.zeros(1, dtype=dtype_of(bot.scratch) if bot.scratch else np.int64)
        self._params = parameters.pack(bot.parameters, entrant.values)
        self._blocks = (self._memory.ctypes.data, self._params.ctypes.data, self._scratch.ctypes.data)
        self._tells, self._prefers = tells(entrant), keeps_preferences(bot.scratch)
        self._rules, self._kind = bot.rules, bot.memory
        self._noted = self._scratch if has_field(bot.scratch) else self._memory if has_field(bot.memory) else None  # where the rule is
        if self._prefers:
            self._scratch["wanted"] = 1

    def begin(self, view: Any) -> None:
        """Set up the memory."""
        self._memory.view(np.uint8)[:] = 0
        if self._begin:
            store(view, self._view)
            self._calls.begin_alone(self._begin, self._view.ctypes.data, *self._blocks)
            view.random_stream = int(self._view["random_stream"][0])

    def observe(self, view: Any, event: Any) -> None:
        """Hear of an event."""
        if self._observe:
            store(view, self._view)
            store(event, self._event)
            self._calls.observe_alone(self._observe, self._view.ctypes.data, self._event.ctypes.data, *self._blocks)
            view.random_stream = int(self._view["random_stream"][0])

    def choose(self, view: Any) -> int:
        """Decide."""
        if self._tells:
            self._scratch["listed"] = 0
        if self._rules and self._noted is not None:
            self._noted["rule"] = len(self._rules)  # none
        store(view, self._view)
        action = int(self._calls.choose_alone(self._choose, self._view.ctypes.data, *self._blocks))
        view.random_stream = int(self._view["random_stream"][0])
        return action

    @property
    def valuation(self) -> Valuation | None:
        """The table at the start of the bot's working space."""
        kind = Preferences if self._prefers else Valuation
        return load(kind, self._scratch.view(np.uint8)) if self._tells else None

    @property
    def rule(self) -> int | None:
        """The rule that the bot has noted; the only one if it has no other."""
        return _fired(self._noted["rule"][0] if self._noted is not None else 0, self._rules)

    def knowledge(self) -> Any:
        """The block as a plain record."""
        return load(self._kind, self._memory.view(np.uint8)) if self._kind else None

    def memory(self) -> Any:
        """A copy of the block."""
        return self._memory.copy()

    def remember(self, memory: Any) -> None:
        """Write the block back."""
        self._memory[:] = memory


def _plain_scratch(scratch: type | None) -> Any:
    """Working space in which preferences are wanted."""
    if scratch is None:
        return None
    made: Any = blank(scratch)
    if keeps_preferences(scratch):
        made.wanted = 1
    return made


class PlainPlayer:
    """The same bot as plain Python."""

    def __init__(self, entrant: Entrant) -> None:
        bot = entrant.bot
        assert isinstance(bot, Bot)
        self._bot = bot
        self._begin, self._observe, self._choose = [bot.plain_entry(role) for role in ("begin", "observe", "choose")]
        self._memory: Any = None
        self._scratch: Any = _plain_scratch(bot.scratch)
        self._params = parameters.plain(bot.parameters, entrant.values)
        self._tells = tells(entrant)
        self._noted = "_scratch" if has_field(bot.scratch) else "_memory" if has_field(bot.memory) else ""  # where the rule is

    def begin(self, view: Any) -> None:
        """Set up the memory."""
        self._memory = blank(self._bot.memory) if self._bot.memory else None
        if callable(self._begin):
            self._begin(view, self._memory, self._params, self._scratch)

    def observe(self, view: Any, event: Any) -> None:
        """Hear of an event."""
        if callable(self._observe):
            self._observe(view, event, self._memory, self._params, self._scratch)

    def choose(self, view: Any) -> int:
        """Decide."""
        assert callable(self._choose)
        if self._tells:
            self._scratch.listed = 0
        if self._bot.rules and self._noted:
            getattr(self, self._noted).rule = len(self._bot.rules)  # none
        return as_action(self._choose(view, self._memory, self._params, self._scratch))

    @property
    def valuation(self) -> Valuation | None:
        """The working space of a bot that tells."""
        return self._scratch if self._tells else None

    @property
    def rule(self) -> int | None:
        """The rule that the bot has noted; the only one if it has no other."""
        return _fired(getattr(self, self._noted).rule if self._noted else 0, self._bot.rules)

    def knowledge(self) -> Any:
        """A copy of the record."""
        return copy_record(self._memory) if self._memory is not None else None

    def memory(self) -> Any:
        """A copy of the record."""
        return copy.deepcopy(self._memory)

    def remember(self, memory: Any) -> None:
        """Put a copy back."""
        self._memory = copy.deepcopy(memory)


class ObjectPlayer:
    """A Python bot: a fresh object for every deal."""

    valuation = None

    def __init__(self, entrant: Entrant) -> None:
        self._bot: Any = entrant.bot
        self._player: Any = None

    def begin(self, view: Any) -> None:
        """Take a fresh object."""
        self._player = self._bot.fresh()
        if hasattr(self._player, "begin"):
            self._player.begin(view)

    def observe(self, view: Any, event: Any) -> None:
        """Hear of an event."""
        if hasattr(self._player, "observe"):
            self._player.observe(view, event)

    def choose(self, view: Any) -> int:
        """Decide."""
        return as_action(self._player.choose(view))

    @property
    def rule(self) -> int | None:
        """What the object has noted in its attribute `rule`; the only rule if it has no other."""
        rules: tuple[str, ...] = self._bot.rules
        return _fired(getattr(self._player, "rule", None) if len(rules) > 1 else 0, rules)

    def knowledge(self) -> Any:
        """Nothing that anybody else could read."""
        return None

    def memory(self) -> Any:
        """A copy of the object, which is all its memory."""
        return copy.deepcopy(self._player)

    def remember(self, memory: Any) -> None:
        """Go on with a copy."""
        self._player = copy.deepcopy(memory)
