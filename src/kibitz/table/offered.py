"""Bots that the server's owner offers at its tables, beside our own: each under a name, never by its file.

`kibitz.table.offering` makes them of what the owner names on the command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from kibitz import registry
from kibitz.bots.object_bot import AskedSeat
from kibitz.core.errors import BadBot, BadValue
from kibitz.outside.player import OutsideBot
from kibitz.outside.seated import Processes
from kibitz.registry import Entrant

NAME = re.compile(r"[a-z0-9_]+(:[a-z0-9_]+)?", re.ASCII)  # how a bot is called at a table
LONGEST_NAME = 40
WITHDRAWN = "is no longer offered by this server"


@dataclass(frozen=True, eq=False)
class OfferedBot:
    """A bot that can be chosen at tables of one game. With `outside` it is a process, and `entrant` is only its seat."""

    name: str
    game: str
    entrant: Entrant
    players: tuple[int, int]  # the fewest and the most it plays among
    about: str = ""
    outside: OutsideBot | None = None
    wants_events: bool = False
    wants_views: bool = False

    @classmethod
    def withdrawn(cls, name: str, game: str, most: int) -> OfferedBot:
        """A bot that was offered when its table was opened: a substitute plays for it."""
        return cls(name, game, Entrant(name, AskedSeat(name)), (2, most), outside=OutsideBot(name, (), unfit=WITHDRAWN))


@dataclass(frozen=True)
class Offers:
    """All bots that are offered, and the processes of those that need one."""

    bots: tuple[OfferedBot, ...] = ()
    processes: Processes = field(default_factory=Processes)

    def find(self, name: str, game: str, players: int | None = None) -> OfferedBot | None:
        """The bot that is offered under a name; None if there is none. One that can't play there is refused."""
        offered = [bot for bot in self.bots if bot.name == name]
        found = next((bot for bot in offered if bot.game == game), None)
        if offered and found is None:
            raise BadBot(f"bot '{name}' plays {offered[0].game}, not {game}.")
        if found is not None and players is not None and not found.players[0] <= players <= found.players[1]:
            low, high = found.players
            raise BadValue(f"bot '{name}' plays among {low if low == high else f'{low} to {high}'} players, not {players}.")
        return found

    def of_game(self, game: str) -> list[OfferedBot]:
        """The bots of one game."""
        return [bot for bot in self.bots if bot.game == game]

    def with_withdrawn(self, names: Iterable[str], game: str, most: int) -> Offers:
        """The same offers for a table that was opened when these bots were offered, with a substitute for each that is not any more."""
        offered = {bot.name for bot in self.of_game(game)}
        gone = [OfferedBot.withdrawn(name, game, most) for name in dict.fromkeys(names) if name not in offered]
        return Offers((*self.bots, *gone), self.processes) if gone else self


NO_OFFERS = Offers()


def in_words(offers: Offers) -> str:
    """Which bots are offered, and for which games."""
    titles: dict[str, list[str]] = {}
    for bot in offers.bots:
        titles.setdefault(bot.name, []).append(registry.game(bot.game).title)
    return ", ".join(f"{name} ({' and '.join(games)})" for name, games in titles.items())
