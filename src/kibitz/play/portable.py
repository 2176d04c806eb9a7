"""Line-ups that travel to another process or machine: every bot by where it comes from, to be loaded again there.

Pickling a `Lineup` makes a `PortableLineup` of it. Compiled code, addresses and views stay behind.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.bots.object_bot import ObjectBot
from kibitz.bots.parameters import Value
from kibitz.core.errors import BadBot
from kibitz.games.face import loaded

if TYPE_CHECKING:
    from kibitz.play.lineup import Lineup

BUILT_IN, ATTRIBUTE, FILE, THING = "built-in", "attribute", "file", "thing"
FEW = 64  # values of a parameter that travel as they are; more of them as an array


class StaysHere(BadBot):
    """A bot that exists in this process alone."""

    def __init__(self, name: str) -> None:
        super().__init__(f"bot {name} exists in this Python process alone; to play elsewhere it must be in a file, named FILE.py:NAME.")


@dataclass(frozen=True)
class PortableBot:
    """An entrant: its name, what kind of place its bot comes from and where that is, and its values."""

    name: str
    kind: str
    where: Any
    values: Mapping[str, Any]

    def entrant(self, game: str) -> registry.Entrant:
        """The entrant here."""
        values = {name: tuple(value.tolist()) if isinstance(value, np.ndarray) else value for name, value in self.values.items()}
        if self.kind == BUILT_IN:
            return registry.Entrant(self.name, registry.built_in_bot(self.where, game), values)
        if self.kind == ATTRIBUTE:
            return registry.Entrant(self.name, loaded(self.where), values)
        if self.kind == FILE:
            file, name = self.where
            return registry.Entrant(self.name, registry.bot_in_file(file, name), values)
        made = registry.entrant(self.where, game)
        return registry.Entrant(self.name, made.bot, made.values)


@dataclass(frozen=True)
class PortableLineup:
    """A line-up without its bots: what another process needs to make it again."""

    game: str
    rules: Any
    bots: tuple[PortableBot, ...]
    seating: str
    to: str | None
    luck: bool

    def lineup(self) -> Lineup:
        """The line-up here."""
        from kibitz.play.lineup import Lineup, measuring_luck

        game = registry.game(self.game).under(self.rules)
        made = Lineup(game, self.rules, tuple(bot.entrant(self.game) for bot in self.bots), self.seating, self.to)
        return measuring_luck(made) if self.luck else made


def portable(lineup: Lineup) -> PortableLineup:
    """A line-up as it travels; `StaysHere` if one of its bots can't."""
    bots = tuple(_portable_bot(entrant, lineup.game.name) for entrant in lineup.entrants)
    return PortableLineup(lineup.game.name, lineup.rules, bots, lineup.seating, lineup.to, lineup.game.luck_components > 0)


def _portable_bot(entrant: registry.Entrant, game: str) -> PortableBot:
    bot = entrant.bot
    if isinstance(bot, ObjectBot):
        if getattr(bot.source, "__module__", "") == "__main__" or bot.source is None:
            raise StaysHere(entrant.name)
        return PortableBot(entrant.name, THING, bot.source, {})
    values = {name: _short(value) for name, value in entrant.values.items()}
    if bot.name in registry.BUILT_IN.get(game, ()) and registry.built_in_bot(bot.name, game) is bot:
        return PortableBot(entrant.name, BUILT_IN, bot.name, values)
    module = sys.modules.get(bot.choose.__module__)
    attribute = next((name for name, value in vars(module).items() if value is bot), "") if module else ""
    if module is None or not attribute or module.__name__ == "__main__":
        raise StaysHere(entrant.name)
    if registry.is_loaded_file(module):
        return PortableBot(entrant.name, FILE, (module.__file__, attribute), values)
    return PortableBot(entrant.name, ATTRIBUTE, f"{module.__name__}:{attribute}", values)


def _short(value: Value) -> Any:
    """Thousands of weights as an array, which travels once for all line-ups that have them."""
    if isinstance(value, tuple) and len(value) > FEW and all(type(one) is float for one in value):
        return np.array(value)
    return value


def revived(made: PortableLineup) -> Lineup:
    """How a pickled line-up comes back."""
    return made.lineup()
