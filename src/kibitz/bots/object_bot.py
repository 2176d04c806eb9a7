"""Bots that are ordinary Python objects: anything with `choose(view)`.

A fresh object plays every game and seat. It gets a copy of what its seat may see, takes its randomness from the view, and
may also have `begin(view)` and `observe(view, event)`, and `windows`: the decisions of house rules it wants to be asked about.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType, SimpleNamespace
from typing import Any

from kibitz.bots.bot import HAND_ORDERS
from kibitz.errors import BadBot


@dataclass(frozen=True, eq=False)
class ObjectBot:
    """A Python bot: its name and what makes a fresh one."""

    name: str
    make: Callable[[], Any]
    source: Any  # a class, function or object, or the text that names it: what a worker process is told
    summary: str = ""
    windows: tuple[str, ...] = ()
    hand_order: str = "newest"  # which of two copies it plays

    @property
    def hand_reading(self) -> int:
        """How the table keeps the order of its hand."""
        return HAND_ORDERS.index(self.hand_order)

    def fresh(self) -> Any:
        """A new player for one game and seat."""
        try:
            player = self.make()
        except Exception as error:
            raise BadBot(f"bot {self.name} could not be made: {type(error).__name__}: {error}.") from error
        if not callable(getattr(player, "choose", None)):
            raise BadBot(f"bot {self.name} has no method choose(view).")
        return player


def object_bot(thing: Any, name: str = "", source: Any = None) -> ObjectBot:
    """A bot from a class with `choose`, a function of the view, or an object (of which every game gets a copy)."""
    title = name or getattr(thing, "__name__", type(thing).__name__)
    summary = (getattr(thing, "__doc__", "") or "").strip().partition("\n")[0]
    origin = thing if source is None else source
    windows = getattr(thing, "windows", ())
    if isinstance(windows, str) or not all(isinstance(window, str) for window in windows):
        raise BadBot(f"bot {title}: windows must be a tuple of names, not {windows!r}.")
    if isinstance(thing, type):
        if not callable(getattr(thing, "choose", None)):
            raise BadBot(f"bot {title}: the class has no method {_missing(thing)}.")
        return ObjectBot(title, thing, origin, summary, tuple(windows))
    if isinstance(thing, FunctionType):
        return ObjectBot(title, lambda: SimpleNamespace(choose=thing), origin, summary, tuple(windows))
    if callable(getattr(thing, "choose", None)):
        return ObjectBot(title, lambda: copy.deepcopy(thing), origin, summary, tuple(windows))
    raise BadBot(f"{thing!r} is not a bot: a bot is made with @kibitz.bot, or has a method choose(view).")


def _missing(thing: type) -> str:
    """The method that a class lacks: one of the classroom's two if it has the other."""
    if hasattr(thing, "play"):
        return "call_color(self, hand)"
    return "play(self, hand, up_card, called_color, state)" if hasattr(thing, "call_color") else "choose(self, view)"
