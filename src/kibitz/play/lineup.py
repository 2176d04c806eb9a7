"""The line-up: bots with their parameters, seated by rules, ready for the loop in any of its forms."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots import parameters
from kibitz.bots.bot import Bot
from kibitz.bots.object_bot import ObjectBot
from kibitz.core.errors import BadValue, UnknownName
from kibitz.core.layouts import blank, dtype_of, store
from kibitz.core.reading import shown
from kibitz.core.sentences import counted
from kibitz.games.contract import GameDefinition
from kibitz.play import portable  # noqa: F401 - which lets entrants travel
from kibitz.play.loop import BALANCED, CONTEST_TALLY_SIZE, FIXED, RANDOM, ROTATING, BotTable

MAX_TARGET = 1_000_000
SEATINGS = {"random": RANDOM, "fixed": FIXED, "rotate": ROTATING, "balanced": BALANCED}


@dataclass(frozen=True, eq=False)
class Lineup:
    """Who plays what: one entrant a seat, and how seats are taken."""

    game: GameDefinition
    rules: Any
    entrants: tuple[registry.Entrant, ...]
    seating: str = "random"
    to: str | None = None  # points a contest is played to, `500` or `500+`; None for single deals

    @property
    def target(self) -> int:
        """The points that win a contest; 0 for single deals."""
        return parse_target(self.to)

    @property
    def team(self) -> str | None:
        """The name of a team that has one result, each bot named once if all are the same; None where bots compete."""
        if not self.game.cooperative:
            return None
        names = [entrant.name for entrant in self.entrants]
        return names[0] if len(set(names)) == 1 else " + ".join(names)

    @property
    def options(self) -> str:
        """What a command needs to play the same games, where it differs from the defaults."""
        rules = self.rules.to_text()
        game = self.game.name if self.game.name != registry.game().name else ""
        changed = {
            "game": game,
            "rules": rules if rules != self.game.default_rules else "",
            "seating": self.seating if self.seating != "random" else "",
            "to": self.to,
        }
        return "".join(f" --{name} {value}" for name, value in changed.items() if value)

    @property
    def tally_size(self) -> int:
        """How many whole numbers a tally of such games has."""
        return CONTEST_TALLY_SIZE if self.target else self.game.tally_size

    @property
    def players(self) -> int:
        """How many play."""
        return len(self.entrants)

    @property
    def is_compiled(self) -> bool:
        """Whether every bot runs inside the compiled loop."""
        return all(entrant.is_compiled for entrant in self.entrants)

    def __reduce__(self) -> Any:
        """Pickle what it is made of; a table of its game is made again where it is loaded."""
        measures_luck = self.game.luck_components > 0
        return _remade, (self.game.name, self.rules, self.entrants, self.seating, self.to, measures_luck)

    def new_state(self) -> Any:
        """A plain state for this table."""
        return self.game.new_state(self.rules, self.players)


def _remade(game: str, rules: Any, entrants: tuple[registry.Entrant, ...], seating: str, to: str | None, measures_luck: bool) -> Lineup:
    """A line-up that has travelled."""
    made = Lineup(registry.game(game).under(rules), rules, entrants, seating, to)
    return measuring_luck(made) if measures_luck else made


def parse_target(to: str | int | None) -> int:
    """The points that end a contest: so many for `500`, more than that for `500+`, 0 for no contest."""
    if to is None:
        return 0
    text = to if isinstance(to, str) else shown(to)
    digits, plus, rest = text.partition("+")
    if rest or not (digits.isascii() and digits.isdigit() and len(digits) < 10) or not 1 <= int(digits) <= MAX_TARGET:
        raise BadValue(
            f"to={text} is not accepted; it is a number of points from 1 to {MAX_TARGET}, such as 500, or 500+ for more than that."
        )
    return int(digits) + len(plus)


def make_lineup(
    bots: Sequence[Any],
    rules: Any = None,
    seating: str = "random",
    game: str | None = None,
    to: str | int | None = None,
    players: int = 2,
) -> Lineup:
    """A line-up from names or bots and the text of the rules; one bot of a cooperative game sits in all `players` seats.

    Without `game` the bots say which one it is.
    """
    game = registry.game_of(bots, game)
    definition = registry.game(game)
    if seating not in SEATINGS:
        raise BadValue(f"seating '{seating}' is not accepted; it is random, fixed, rotate or balanced.")
    if definition.cooperative and len(bots) == 1:
        if not 2 <= players <= definition.max_players:
            raise BadValue(f"players={players} is out of range: 2 to {definition.max_players} can play.")
        bots = list(bots) * players
    chosen = definition.default_rules if rules is None else rules
    parsed = definition.parse_rules(chosen) if isinstance(chosen, str) else chosen
    if not 2 <= len(bots) <= definition.max_players:
        raise BadValue(f"a line-up of {counted(len(bots), 'bot')} is not accepted; it has 2 to {definition.max_players}.")
    parsed.check_players(len(bots))
    entrants = tuple(registry.entrant(bot, game) for bot in bots)
    for entrant in entrants:
        if entrant.bot.game not in (None, game):
            raise BadValue(f"bot {entrant.name} plays {entrant.bot.game}, not {game}.")
    for entrant in entrants:
        window_bits(definition, entrant)
        check_players(entrant, len(bots))
    if parse_target(to) and not definition.has_contests:
        raise BadValue(f"to={to}: {definition.title} has no contests.")
    return Lineup(definition.under(parsed), parsed, entrants, seating, None if to is None else str(to))


def measuring_luck(lineup: Lineup) -> Lineup:
    """The same line-up at a table where the luck of everybody is measured; games are the same."""
    if lineup.to:
        raise BadValue(f"to={lineup.to}: luck is measured in single deals, not in contests.")
    return replace(lineup, game=lineup.game.with_luck(lineup.rules))


def check_players(entrant: registry.Entrant, players: int) -> None:
    """Refuse a bot at a table that it cannot play at."""
    limits = entrant.bot.players if isinstance(entrant.bot, Bot) else None
    if limits and not limits[0] <= players <= limits[1]:
        accepted = str(limits[0]) if limits[0] == limits[1] else f"{limits[0]} to {limits[1]}"
        raise BadValue(f"bot '{entrant.name}' plays among {accepted} players, not {players}.")


def window_bits(game: GameDefinition, entrant: registry.Entrant) -> int:
    """The phases a bot knows: the basic ones and the windows it declares."""
    bits = (1 << game.basic_phases) - 1
    for window in entrant.bot.windows:
        if window not in game.phases[game.basic_phases :]:
            raise UnknownName(f"window of bot {entrant.name}:", window, game.phases[game.basic_phases :])
        bits |= 1 << game.phases.index(window)
    return bits


@dataclass
class CompiledTable:
    """A table in memory for compiled code, with the blocks its addresses point to."""

    table: np.ndarray[Any, Any]
    state: np.ndarray[Any, Any]
    blocks: list[np.ndarray[Any, Any]] = field(default_factory=list)


def compiled_table(lineup: Lineup) -> CompiledTable:
    """A fresh table of compiled bots. Python bots have no entry: the loop stops and asks for them."""
    table = np.zeros(1, dtype=dtype_of(BotTable))
    state = np.zeros(1, dtype=dtype_of(lineup.game.state))
    store(lineup.new_state(), state)
    made = CompiledTable(table, state)

    def block(dtype: Any) -> tuple[int, int]:
        memory = np.zeros(1, dtype=dtype)
        made.blocks.append(memory)
        return memory.ctypes.data, memory.nbytes

    record = table[0]
    record["players"] = lineup.players
    record["target"] = lineup.target
    record["arrangement"] = SEATINGS[lineup.seating]
    for place, entrant in enumerate(lineup.entrants):
        bot = entrant.bot
        record["windows"][place] = window_bits(lineup.game, entrant)
        if not isinstance(bot, Bot):
            record["ordered"][place] = bot.hand_reading
            continue
        for role in ("choose", "begin", "observe"):
            record[role][place] = bot.address(role, lineup.game.view, lineup.game.event)
        if bot.memory:
            record["memory"][place], record["memory_size"][place] = block(dtype_of(bot.memory))
        if bot.scratch:
            record["scratch"][place], _ = block(dtype_of(bot.scratch))
        packed = parameters.pack(bot.parameters, entrant.values)
        made.blocks.append(packed)
        record["params"][place] = packed.ctypes.data
        record["ordered"][place] = bot.hand_reading
        record["observed"] |= bot.observe is not None
    return made


def plain_table(lineup: Lineup) -> BotTable:
    """A fresh table for the plain loop. Python bots have no entry: the loop stops and asks for them."""
    table: Any = blank(BotTable)
    table.players = lineup.players
    table.target = lineup.target
    table.arrangement = SEATINGS[lineup.seating]
    for place, entrant in enumerate(lineup.entrants):
        bot = entrant.bot
        table.windows[place] = window_bits(lineup.game, entrant)
        table.ordered[place] = bot.hand_reading
        if isinstance(bot, Bot):
            for role in ("choose", "begin", "observe"):
                getattr(table, role)[place] = bot.plain_entry(role)
            table.choose[place] = _choosing(table.choose[place])
            table.memory[place] = blank(bot.memory) if bot.memory else None
            table.memory_size[place] = int(bot.memory is not None)
            table.scratch[place] = blank(bot.scratch) if bot.scratch else None
            table.params[place] = parameters.plain(bot.parameters, entrant.values)
            table.observed |= int(bot.observe is not None)
    return table  # type: ignore[no-any-return]  # blank gives an instance of BotTable


class NotAnAction(Exception):
    """A bot answered with something that is not a whole number; the message shows it."""


def as_action(answer: Any) -> int:
    """A bot's answer as a whole number."""
    try:
        if isinstance(answer, bool):
            raise TypeError
        return operator.index(answer)
    except TypeError:
        raise NotAnAction(repr(answer)) from None


def _choosing(entry: Any) -> Callable[..., int]:
    return lambda *args: as_action(entry(*args))


def fresh_players(lineup: Lineup) -> list[Any]:
    """New objects for the Python bots of a line-up, None for the others."""
    return [entrant.bot.fresh(lineup.rules) if isinstance(entrant.bot, ObjectBot) else None for entrant in lineup.entrants]
