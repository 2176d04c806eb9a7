"""One question to a compiled bot at a position of our own making."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots import parameters
from kibitz.bots.bot import Bot
from kibitz.core import jit
from kibitz.core.jit import call_choose
from kibitz.core.layouts import blank, dtype_of, store
from kibitz.games.hanabi.state import Event, State
from kibitz.games.hanabi.view import View


def ask(entry: int, state: int, params: int, scratch: int) -> int:
    """A kernel; `view_at` is bound when it is compiled."""
    return call_choose(entry, view_at(state), 0, params, scratch)


view_at: Any = None


@cache
def _asking_root() -> Any:
    kernel = jit.specialise_modules(sys.modules[__name__], view_at=jit.record_at(View))["ask"]
    return jit.root_of(kernel, "long long long long", View)


def ask_compiled(name: str, state: State) -> int:
    """The move of a compiled bot without memory for whom is to act."""
    entrant = registry.entrant(name, "hanabi")
    assert isinstance(entrant.bot, Bot)
    block = np.zeros(1, dtype=dtype_of(State))
    store(state, block)
    params = parameters.pack(entrant.bot.parameters, entrant.values)
    entry = entrant.bot.address("choose", View, Event)
    return int(_asking_root()(entry, block.ctypes.data, params.ctypes.data, _scratch_of(entrant.bot).ctypes.data))


@cache
def _scratch_of(bot: Bot) -> np.ndarray[Any, Any]:
    return np.zeros(1, dtype=dtype_of(bot.scratch))


def ask_plain(name: str, state: State) -> int:
    """The move of the same bot as plain Python."""
    entrant = registry.entrant(name, "hanabi")
    assert isinstance(entrant.bot, Bot)
    scratch: Any = blank(entrant.bot.scratch) if entrant.bot.scratch else None
    entry: Any = entrant.bot.plain_entry("choose")
    return int(entry(state, None, parameters.plain(entrant.bot.parameters, entrant.values), scratch))
