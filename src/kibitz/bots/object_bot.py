"""Bots that are ordinary Python objects: anything with `choose(view)`.

A fresh object plays every game and seat. It gets a copy of what its seat may see, takes its randomness from the view, and
may also have `begin(view)` and `observe(view, event)`, `windows`: the decisions of house rules it wants to be asked about,
`game`: the game it plays, and `rules`: a sentence for each of its rules, where it leaves the place of the one that fired in `self.rule`. A classmethod `prepare()` is called once per process before the first game: what it loads stays on the class.
"""

from __future__ import annotations

import copy
import inspect
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import RLock
from types import FunctionType, SimpleNamespace
from typing import Any
from weakref import WeakSet

from kibitz.bots.bot import HAND_ORDERS
from kibitz.bots.source import check_method, in_parentheses
from kibitz.core.errors import BadBot


@dataclass(frozen=True, eq=False)
class ObjectBot:
    """A Python bot: its name and what makes a fresh one."""

    name: str
    make: Callable[[], Any]
    source: Any  # a class, function or object, or the text that names it: what a worker process is told
    summary: str = ""
    windows: tuple[str, ...] = ()
    hand_order: str = "newest"  # which of two copies it plays
    game: str | None = None  # the game it plays; None where it doesn't say
    owner: type | None = None  # the class whose `prepare` comes before its first game in a process, if it has one
    rules: tuple[str, ...] = ()  # a sentence for each of its rules

    @property
    def hand_reading(self) -> int:
        """How the table keeps the order of its hand."""
        return HAND_ORDERS.index(self.hand_order)

    def prepare(self) -> None:
        """Let the class get ready, once per process."""
        if self.owner is not None:
            _prepare(self.owner, self.name)

    def fresh(self, rules: Any = None) -> Any:
        """A new player for one game and seat, its class prepared; `rules` are those of the table or their text, if they are known."""
        self.prepare()
        try:
            player = self.make()
        except Exception as error:
            raise BadBot(f"bot {self.name} could not be made: {type(error).__name__}: {error}{in_parentheses(error)}.") from error
        if not callable(getattr(player, "choose", None)):
            raise BadBot(f"bot {self.name} has no method choose(view).")
        return player


@dataclass(frozen=True, eq=False)
class AskedSeat(ObjectBot):
    """A seat that no bot plays: whoever runs the game is asked, also in these windows."""

    make: Callable[[], Any] = lambda: None
    source: Any = None
    reading: int = 1  # how the table keeps the order of its hand: as bots have it, `hand_reading`

    @property
    def hand_reading(self) -> int:
        """How the table keeps the order of its hand."""
        return self.reading

    def fresh(self, rules: Any = None) -> Any:
        """Nobody."""
        return None


_prepared: WeakSet[type] = WeakSet()  # classes that are ready in this process
_preparing = RLock()


def _prepare(owner: type, name: str) -> None:
    """Call the `prepare` of a class, unless that has been done in this process."""
    with _preparing:
        if owner in _prepared:
            return
        try:
            owner.prepare()  # type: ignore[attr-defined]  # looked for by _has_prepare
        except Exception as error:
            raise BadBot(f"bot {name}: prepare raised {type(error).__name__}: {error}{_place_in(owner, error)}.") from error
        _prepared.add(owner)


def _place_in(owner: type, error: Exception) -> str:
    """The last line of a class's own file on the way to an error, in words; nothing if it has no file."""
    file = getattr(sys.modules.get(owner.__module__), "__file__", None)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return f", in {Path(file).name}, line {lines[-1]}" if file and lines else ""


def _has_prepare(owner: type, name: str) -> bool:
    """Whether a class is to be prepared; a method of an object is no such thing, and refused if it could have been meant."""
    found = inspect.getattr_static(owner, "prepare", None)
    if isinstance(found, FunctionType) and len(inspect.signature(found).parameters) <= 1:
        raise BadBot(f"bot {name}: prepare must be a classmethod; it is called once per process, before there is an object.")
    return isinstance(found, (classmethod, staticmethod))


def object_bot(thing: Any, name: str = "", source: Any = None) -> ObjectBot:
    """A bot from a class with `choose`, a function of the view, or an object (of which every game gets a copy)."""
    title = name or getattr(thing, "__name__", type(thing).__name__)
    summary = (getattr(thing, "__doc__", "") or "").strip().partition("\n")[0]
    origin = thing if source is None else source
    windows = getattr(thing, "windows", ())
    if isinstance(windows, str) or not all(isinstance(window, str) for window in windows):
        raise BadBot(f"bot {title}: windows must be a tuple of names, not {windows!r}.")
    declared = getattr(thing, "game", None)
    owner = thing if isinstance(thing, type) else type(thing)
    game = declared if isinstance(declared, str) else None
    for method, arguments in (("choose", ("view",)), ("begin", ("view",)), ("observe", ("view", "event"))):
        check_method(owner, method, arguments)
    rules = getattr(thing, "rules", ())
    if not isinstance(rules, tuple) or not all(isinstance(rule, str) for rule in rules):
        rules = ()  # an attribute of its own that means something else
    told = (origin, summary, tuple(windows), "newest", game, owner if _has_prepare(owner, title) else None, rules)
    if isinstance(thing, type):
        if not callable(getattr(thing, "choose", None)):
            raise BadBot(f"bot {title}: the class has no method {_missing(thing)}.")
        return ObjectBot(title, thing, *told)
    if isinstance(thing, FunctionType):
        return ObjectBot(title, lambda: SimpleNamespace(choose=thing), *told)
    if callable(getattr(thing, "choose", None)):
        return ObjectBot(title, lambda: copy.deepcopy(thing), *told)
    raise BadBot(f"{thing!r} is not a bot: a bot is made with @kibitz.bot, or has a method choose(view).")


def _missing(thing: type) -> str:
    """The method that a class lacks: one of the classroom's two if it has the other."""
    if hasattr(thing, "play"):
        return "call_color(self, hand)"
    return "play(self, hand, up_card, called_color, state)" if hasattr(thing, "call_color") else "choose(self, view)"
