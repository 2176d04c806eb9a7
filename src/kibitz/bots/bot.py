"""The compiled bot: what `@kibitz.bot` makes of a function.

One contract for all of them: `choose(view, memory, params, scratch)` returns an action number; `begin(view, memory)` sets
up the memory at any position; `observe(view, event, memory)` hears of public events. Each takes whichever of these it
needs, by name. The same source runs compiled and as plain Python. `windows` names the decisions of house rules that the
bot wants to be asked about; in all others the game's default is taken. `rules` has a sentence for each of its rules, and the bot notes
which one fired (`kibitz.bots.fired_rule`). A bot that declares `sees_everything` is shown
its own hand where a game hides it, as an upper bound, and its name begins with `cheater`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any, overload

import numpy as np

from kibitz.bots.complaints import explain
from kibitz.bots.fired_rule import check_rules, scratch_for_rules
from kibitz.bots.parameters import Parameter, Value, layout_of
from kibitz.bots.refusals import Records, check, check_read_only
from kibitz.bots.source import first_line, is_own_function, reached_functions
from kibitz.bots.wording import Refused
from kibitz.core import jit
from kibitz.core.errors import BadBot
from kibitz.core.layouts import dtype_of
from kibitz.games.contract import OPEN_HAND
from kibitz.games.plugins import default_game

_BLOCKS = ("memory", "params", "scratch")
HAND_ORDERS = ("", "newest", "oldest")  # from which end a bot reads its hand: which of two copies it plays

CHEATER = "cheater"  # how the name of a bot that sees everything begins


@dataclass(frozen=True, eq=False)
class Bot:
    """A compiled bot. `presets` are named sets of parameter values, the first being the default."""

    name: str
    choose: FunctionType
    begin: FunctionType | None = None
    observe: FunctionType | None = None
    memory: type | None = None
    scratch: type | None = None
    parameters: tuple[Parameter, ...] = ()
    presets: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    hand_order: str = ""
    windows: tuple[str, ...] = ()
    game: str = ""  # the one that is played by default if none is named
    trusted: bool = False
    vectorise: bool = False  # whether loops over many numbers, as in a network, are compiled for several at a time
    players: tuple[int, int] | None = None  # the fewest and the most it can play among; None: as many as the game seats
    sees_everything: bool = False  # its own hidden cards as well; its name must say so
    about: str = ""  # what it does in words, if not the docstring of the strategy: for bots that share one
    rules: tuple[str, ...] = ()  # a sentence for each of its rules; the place of the one that fired goes into the field `rule`
    reasons: Any = None  # what follows the bot and says why a rule fired, a class or `module:name` (`Reasons` in play/rule_words.py)
    _entries: dict[str, int] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        if not self.game:
            object.__setattr__(self, "game", default_game())
        if isinstance(self.windows, str) or not all(isinstance(window, str) for window in self.windows):
            raise BadBot(f"bot '{self.name}': windows must be a tuple of names, not {self.windows!r}.")
        if self.hand_order not in HAND_ORDERS:
            raise BadBot(f'bot \'{self.name}\': hand_order={self.hand_order!r} is not accepted; it is "newest" or "oldest".')
        if self.sees_everything and not self.name.startswith(CHEATER):
            raise BadBot(f"bot '{self.name}' sees everything, so its name must begin with {CHEATER}.")
        check_rules(self.name, self.rules)
        object.__setattr__(self, "scratch", scratch_for_rules(self.name, self.rules, self.memory, self.scratch))
        for role, func in (("choose", self.choose), ("begin", self.begin), ("observe", self.observe)):
            if func is None:
                continue
            if not isinstance(func, FunctionType):
                raise BadBot(f"bot '{self.name}': {role} must be a plain function, not {func!r}.")
            allowed = ("view", "event", *_BLOCKS) if role == "observe" else ("view", *_BLOCKS)
            names = jit.parameter_names(func)
            for name in names:
                if name not in allowed:
                    raise BadBot(
                        f"bot '{self.name}': {role} takes '{name}', but only {', '.join(allowed)} are offered ({first_line(func)})."
                    )
                if name in _BLOCKS and not self._layouts()[name]:
                    raise BadBot(f"bot '{self.name}': {role} takes '{name}', but the bot declares no {name} ({first_line(func)}).")
            if not self.trusted:
                with self._refusing():
                    check_read_only(func)
            if "view" not in names:
                raise BadBot(f"bot '{self.name}': {role} must take 'view' ({first_line(func)}).")

    @property
    def hand_reading(self) -> int:
        """How the table shows the bot its hand: an order as in HAND_ORDERS, or OPEN_HAND."""
        return OPEN_HAND if self.sees_everything else HAND_ORDERS.index(self.hand_order)

    @property
    def summary(self) -> str:
        """The first line of the description."""
        return self.description.splitlines()[0]

    @property
    def description(self) -> str:
        """What the bot does: `about`, or the docstring of the strategy."""
        return inspect.cleandoc(self.about) or inspect.getdoc(self.choose) or "no description"

    def __call__(self, *args: Any) -> int:
        """The strategy itself, as plain Python."""
        return self.choose(*args)  # type: ignore[no-any-return]  # whatever the author returns

    def _layouts(self) -> dict[str, np.dtype[Any] | None]:
        try:
            return {
                "memory": dtype_of(self.memory) if self.memory else None,
                "params": layout_of(self.parameters),
                "scratch": dtype_of(self.scratch) if self.scratch else None,
            }
        except TypeError as error:
            raise BadBot(f"bot '{self.name}': {error}.") from error

    def _records(self, view: type, event: type) -> Records:
        """What the bot's functions may be given, for messages."""
        layouts = {**self._layouts(), "event": dtype_of(event)}
        classes = {"memory": self.memory, "params": None, "scratch": self.scratch, "event": event}
        return Records(view, {name: (*(layout.names or ()), *dir(classes[name])) for name, layout in layouts.items() if layout is not None})

    def _function(self, role: str) -> FunctionType | None:
        functions: dict[str, Any] = {"choose": self.choose, "begin": self.begin, "observe": self.observe}
        return functions[role]  # type: ignore[no-any-return]  # as declared above

    def address(self, role: str, view: type, event: type) -> int:
        """The address of `choose`, `begin` or `observe`, compiled on first use; 0 if the bot has none."""
        func = self._function(role)
        if func is None:
            return 0
        if role not in self._entries:
            layouts = self._layouts()
            records = self._records(view, event)
            if is_own_function(func):
                with self._refusing():
                    check(func, role, records)
            # This role in any case: another thread may have compiled it meanwhile, and then it is loaded from the cache.
            left = {each: self._function(each) for each in ("choose", "begin", "observe") if each == role or each not in self._entries}
            functions = {each: function for each, function in left.items() if function is not None}
            try:
                self._entries[role] = jit.build_entry(role, functions, view, event, layouts, self.trusted, self.vectorise, self.name)
            except Exception as error:  # Numba raises its own errors, and KeyErrors for unknown fields
                mistake = explain(error, reached_functions(func), records, lambda: jit.returned_types(func, view, layouts))
                raise BadBot(f"bot '{self.name}': {mistake}.") from error
        return self._entries[role]

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """A mistake in the source becomes a bot that is refused."""
        try:
            yield
        except Refused as mistake:
            raise BadBot(f"bot '{self.name}': {mistake}.") from None

    def plain_entry(self, role: str) -> Callable[..., Any] | int:
        """The plain function behind a role with all arguments of the contract, or 0."""
        func = self._function(role)
        if func is None:
            return 0
        offered = ("view", "event", *_BLOCKS) if role == "observe" else ("view", *_BLOCKS)
        places = [offered.index(name) for name in jit.parameter_names(func)]
        if places == list(range(len(offered))):
            return func
        return lambda *args: func(*[args[place] for place in places])


@overload
def bot(function: Callable[..., Any], /) -> Bot: ...
@overload
def bot(
    *,
    name: str = ...,
    begin: Callable[..., None] | None = ...,
    observe: Callable[..., None] | None = ...,
    memory: type | None = ...,
    scratch: type | None = ...,
    parameters: tuple[Parameter, ...] = ...,
    presets: Mapping[str, Mapping[str, Value]] | None = ...,
    defaults: Mapping[str, Value] | None = ...,
    hand_order: str = ...,
    windows: tuple[str, ...] = ...,
    game: str = ...,
    trusted: bool = ...,
    vectorise: bool = ...,
    players: tuple[int, int] | None = ...,
    sees_everything: bool = ...,
    about: str = ...,
    rules: tuple[str, ...] = ...,
    reasons: Any = ...,
) -> Callable[[Callable[..., int]], Bot]: ...
def bot(function: Any = None, /, *, presets: Any = None, defaults: Any = None, name: str = "", **declared: Any) -> Any:
    """Make a bot of a strategy: `@kibitz.bot`, or `@kibitz.bot(parameters=…, memory=…, …)`.

    `presets` names sets of values (the first is the default); without them each parameter has its `default`, or
    `defaults` gives all of them.
    """

    def make(choose: Any) -> Bot:
        if not isinstance(choose, FunctionType):
            raise BadBot(f"@kibitz.bot goes on a function, not on {choose!r}.")
        if presets and defaults:
            raise BadBot(f"bot '{name or choose.__name__}' declares both presets and defaults; the first preset is the default.")
        usual = defaults or {
            parameter.name: parameter.default for parameter in declared.get("parameters", ()) if parameter.default is not None
        }
        values = presets or ({"": usual} if usual else {})
        made = Bot(name or choose.__name__, choose, presets=values, **declared)
        for preset, given in made.presets.items():
            missing = {p.name for p in made.parameters} ^ set(given)
            if missing:
                raise BadBot(f"bot '{made.name}': preset '{preset}' and the declared parameters differ in {', '.join(sorted(missing))}.")
        if made.parameters and not made.presets:
            raise BadBot(f"bot '{made.name}' declares parameters without presets or defaults.")
        return made

    return make(function) if function is not None else make
