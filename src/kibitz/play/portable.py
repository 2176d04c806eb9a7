"""How bots travel to another process or machine: each by where it comes from, to be loaded again there.

Pickling an entrant, and with it a line-up, leaves compiled code, addresses and views behind. Importing this module lets pickle know.
"""

from __future__ import annotations

import copyreg
import sys
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots.object_bot import ObjectBot
from kibitz.bots.parameters import Value
from kibitz.core.errors import BadBot
from kibitz.games.face import loaded
from kibitz.registry import Entrant

BUILT_IN, ATTRIBUTE, FILE, SOURCE = "built-in", "attribute", "file", "source"  # the places where bots come from
FEW = 64  # values of a parameter that travel as they are; more of them as an array


class StaysHere(BadBot):
    """A bot that exists only in this process."""

    def __init__(self, name: str) -> None:
        super().__init__(f"bot {name} exists only in this Python process; to play elsewhere it must be in a file, named FILE.py:NAME.")


def reduced(entrant: Entrant) -> tuple[Any, ...]:
    """An entrant as it travels: its name, the game of its bot, the kind of place that it comes from and where that is, its values."""
    kind, where = _origin(entrant)
    return revived, (entrant.name, entrant.bot.game, kind, where, {name: _as_array(value) for name, value in entrant.values.items()})


def _origin(entrant: Entrant) -> tuple[str, Any]:
    bot = entrant.bot
    if isinstance(bot, ObjectBot):
        if bot.source is None or getattr(bot.source, "__module__", "") == "__main__":
            raise StaysHere(entrant.name)
        return SOURCE, bot.source
    if bot.name in registry.BUILT_IN[bot.game] and registry.built_in_bot(bot.name, bot.game) is bot:
        return BUILT_IN, bot.name
    module = sys.modules.get(bot.choose.__module__)
    attribute = next((name for name, value in vars(module).items() if value is bot), "") if module else ""
    if module is None or not attribute or module.__name__ == "__main__":
        raise StaysHere(entrant.name)
    return (FILE, (module.__file__, attribute)) if registry.is_loaded_file(module) else (ATTRIBUTE, f"{module.__name__}:{attribute}")


def revived(name: str, game: str | None, kind: str, where: Any, values: dict[str, Any]) -> Entrant:
    """The entrant again."""
    if kind == SOURCE:
        made = registry.entrant(where, game)
        return Entrant(name, made.bot, made.values)
    bot = registry.built_in_bot(where, game) if kind == BUILT_IN else loaded(where) if kind == ATTRIBUTE else registry.bot_in_file(*where)
    return Entrant(name, bot, {key: tuple(value.tolist()) if isinstance(value, np.ndarray) else value for key, value in values.items()})


def _as_array(value: Value) -> Any:
    """Thousands of weights as an array, which travels once for all line-ups that have them."""
    if isinstance(value, tuple) and len(value) > FEW and all(type(one) is float for one in value):
        return np.array(value)
    return value


copyreg.pickle(Entrant, reduced)
