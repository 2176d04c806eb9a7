"""What a table plays: a game, its rules, who sits where, and the cards. All of it comes from visitors, so all of it is checked.

A visitor can name our own bots and their presets, and bots that the server's owner offers under a name (`kibitz.table.offered`), but no files
and no parameters, which could take any time. The same holds for rules: presets and switches, never a file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache
from typing import Any

from kibitz import registry
from kibitz.bots.bot import CHEATER, Bot
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.seeds import FIRST_SEAT, check_seed, game_key, secret_seed, stream
from kibitz.games.contract import GameDefinition
from kibitz.play.lineup import check_players, parse_target
from kibitz.play.record import Record, opening_of, positions
from kibitz.play.record_files import Written, foreign_moves, foreign_opening, foreign_records, games_in
from kibitz.registry import Entrant
from kibitz.table.offered import NAME, NO_OFFERS, OfferedBot, Offers

MOST_POINTS = 10_000  # a contest that a visitor starts is played to at most this
LONGEST_RULES = 2_000  # characters
_SECRET = re.compile(r"[0-9a-f]{32}")


def table_bot(name: Any, game: str, players: int, with_persons: bool = False, offers: Offers = NO_OFFERS) -> Entrant:
    """A bot that a visitor named and that can play there: one of ours, with a preset or without, or one that is offered."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise BadBot(
            f"bot '{str(name)[:60]}' is not accepted here; name one of our own, with a preset or without, such as mix2 or mix2:points."
        )
    offered = offers.find(name, game, players)
    entrant = registry.entrant(name, game) if offered is None else offered.entrant
    check_players(entrant, players)
    if offered is not None and offered.outside is not None:
        return entrant  # it is shown a view like anybody else
    if with_persons and (not isinstance(entrant.bot, Bot) or entrant.bot.sees_everything or entrant.bot.name.startswith(CHEATER)):
        raise BadBot(f"bot '{name}' sees hidden cards, so it does not play with people; bots alone can be watched with it.")
    return entrant


def game_of_bots(bots: Sequence[str], asked: str | None = None) -> str:
    """The game of bots that a visitor named, if no game was; no file is looked at."""
    return registry.game_of([bot for bot in bots if NAME.fullmatch(bot)], asked, run_files=False)


def check_points(to: str) -> None:
    """Refuse a contest to so many points that it would keep the server busy for long."""
    if parse_target(to) > MOST_POINTS:
        raise BadValue(f"to={to} is out of range: contests here are played to at most {MOST_POINTS} points.")


def table_rules(text: Any, game: str) -> Any:
    """Rules that a visitor named: a preset and switches."""
    if not isinstance(text, str) or len(text) > LONGEST_RULES or text.partition(",")[0].strip().endswith(".toml"):
        raise BadValue(f"rules '{str(text)[:60]}' are not accepted here; they are a preset and switches, such as official,hand_size=5.")
    return _parsed(text, game)


@lru_cache(maxsize=256)
def _parsed(text: str, game: str) -> Any:
    return registry.game(game).parse_rules(text)


def written_game(text: str, where: str = "the record") -> Written:
    """The one recorded game that stands in a text, in any of the forms we read."""
    found = list(games_in(text, where))
    if len(found) != 1:
        raise BadValue(f"{where} has {len(found)} games; one is expected." if found else f"{where} is empty.")
    return found[0]


def opening_of_written(written: Written, seed: int = 0) -> Any:
    """The state in which a recorded game begins; where only the deck is recorded, the bots' own streams come from `seed`."""
    if isinstance(written, Record):
        return opening_of(written)
    state = foreign_opening(written)
    key = game_key(seed, 0)
    for seat in range(state.players):
        state.seat_streams[seat] = stream(key, FIRST_SEAT + seat)
    return state


def actions_of_written(written: Written) -> list[str]:
    """Every action of a recorded game by name, each checked."""
    if isinstance(written, Record):
        for _ in positions(written):
            pass
        return list(written.actions)
    definition, opening = registry.game(written.game), foreign_opening(written)
    return [definition.action_name(opening, move) for move in foreign_moves(written)]


def foreign_form(game: str, names: Sequence[str], rules: Any, opening: Any, actions: Sequence[int]) -> dict[str, Any] | None:
    """A deal in another program's form; None if there is no such program, or it doesn't play by these rules."""
    records = foreign_records(game)
    try:
        return records.write(names, rules, opening, actions) if records else None
    except BadValue:
        return None


@dataclass(frozen=True)
class Setup:
    """Everything that decides what is played at a table but for what the players do. `seats` has a bot's name or None for a person.

    The cards come from a `secret`, or from a `seed` that a visitor chose (tables of earlier versions have a seed as well). With `start`,
    the text of a recorded game, the deal is that game's, and the first `at` actions of it have been taken.
    """

    game: str
    rules: str
    seats: tuple[str | None, ...]
    seed: int | None
    to: str | None = None  # the points a contest is played to, as in `500` or `500+`
    start: str = ""
    at: int = 0
    secret: str = ""
    offers: Offers = field(default=NO_OFFERS, compare=False, repr=False)  # bots that seats may have beside our own

    def __post_init__(self) -> None:
        if not isinstance(self.game, str) or self.game not in registry.BUILT_IN:
            raise BadValue(f"game '{str(self.game)[:60]}' is not accepted; it is {' or '.join(registry.BUILT_IN)}.")
        if not isinstance(self.seats, tuple):
            raise BadValue("seats is not accepted; it is one entry for each seat, a bot's name or none for a person.")
        rules = self.parsed_rules
        if not 2 <= len(self.seats) <= self.definition.max_players:
            raise BadValue(f"{len(self.seats)} seats are not accepted; {self.definition.title} has 2 to {self.definition.max_players}.")
        rules.check_players(len(self.seats))
        self._check_cards()
        self.entrants  # noqa: B018 - names are checked where they become bots
        self._check_target()
        self._check_start()

    def _check_cards(self) -> None:
        if self.seed is None:
            if not isinstance(self.secret, str) or not _SECRET.fullmatch(self.secret):
                raise BadValue("secret is not accepted; without a seed it is 32 hexadecimal digits.")
            return
        if not isinstance(self.seed, int) or isinstance(self.seed, bool):
            raise BadValue("seed is not accepted; it is a whole number from 0 to 2^64 - 1.")
        check_seed(self.seed)
        if self.secret:
            raise BadValue("seed and secret exclude each other.")

    def _check_target(self) -> None:
        if self.to is None:
            return
        if not isinstance(self.to, str) or len(self.to) > 10:
            raise BadValue(f"to={str(self.to)[:20]} is not accepted; it is a number of points, such as 500.")
        if not self.definition.has_contests:
            raise BadValue(f"to={self.to}: {self.definition.title} has no contests.")
        check_points(self.to)

    def _check_start(self) -> None:
        if not isinstance(self.start, str) or not isinstance(self.at, int) or isinstance(self.at, bool):
            raise BadValue("start and at are not accepted; they are a recorded game as text and a number of its actions.")
        if not self.start:
            if self.at:
                raise BadValue(f"at={self.at} is not accepted without a recorded game to start from.")
            return
        written = self.written
        assert written is not None
        if written.game != self.game:
            raise BadValue(f"the record is of {written.game}, but the table plays {self.game}.")
        if self.to is not None:
            raise BadValue(f"to={self.to}: a table that starts from a recorded game plays one deal.")
        seats = written.seats if isinstance(written, Record) else written.players
        if len(seats) != len(self.seats):
            raise BadValue(f"the record has {len(seats)} seats, but the table has {len(self.seats)}.")
        theirs = table_rules(written.rules, self.game) if isinstance(written, Record) else written.rules
        if theirs != self.parsed_rules:
            raise BadValue(f"the record is played by {theirs.to_text()}, but the table by {self.rules}.")
        if not 0 <= self.at <= len(self.recorded_actions):
            raise BadValue(f"at={self.at} is out of range: the record has {len(self.recorded_actions)} actions.")

    # -- what it means --

    @cached_property
    def definition(self) -> GameDefinition:
        """The game."""
        game = registry.game(self.game)
        return game.under(table_rules(self.rules, self.game))

    @property
    def parsed_rules(self) -> Any:
        """The rules."""
        return table_rules(self.rules, self.game)

    def seed_of(self, deal: int) -> int:
        """The seed that decides the cards of one deal."""
        return secret_seed(self.secret, deal) if self.seed is None else self.seed

    @property
    def persons(self) -> tuple[int, ...]:
        """The seats of persons."""
        return tuple(seat for seat, bot in enumerate(self.seats) if bot is None)

    @cached_property
    def entrants(self) -> tuple[Entrant | None, ...]:
        """The bots by seat, None for a person."""
        with_persons = None in self.seats
        players, offers = len(self.seats), self.offers
        return tuple(None if bot is None else table_bot(bot, self.game, players, with_persons, offers) for bot in self.seats)

    @cached_property
    def offered(self) -> dict[int, OfferedBot]:
        """The bots that the server's owner offers, by seat."""
        found = {seat: self.offers.find(bot, self.game) for seat, bot in enumerate(self.seats) if bot is not None}
        return {seat: bot for seat, bot in found.items() if bot is not None}

    @cached_property
    def written(self) -> Written | None:
        """The recorded game to start from."""
        return written_game(self.start) if self.start else None

    @cached_property
    def recorded_actions(self) -> list[str]:
        """Every action of the recorded game."""
        return actions_of_written(self.written) if self.written is not None else []

    # -- JSON --

    def to_json(self) -> dict[str, Any]:
        """The setup as it is kept: with its seed or secret, so nothing for a visitor."""
        kept = {each.name: getattr(self, each.name) for each in fields(self) if each.name != "offers"}
        offered = sorted({bot.name for bot in self.offered.values()})
        return {**kept, "seats": list(self.seats)} | ({"offered": offered} if offered else {})

    @classmethod
    def from_json(cls, value: Any, offers: Offers = NO_OFFERS) -> Setup:
        """The setup that JSON describes; every key must be known. Bots that were offered once may not be any more."""
        if not isinstance(value, dict):
            raise BadValue("a setup is a JSON object with game, rules, seats and seed.")
        value = dict(value)
        once = value.pop("offered", [])
        names = [each.name for each in fields(cls) if each.name != "offers"]
        unknown = [str(key)[:60] for key in value if key not in names]
        if unknown:
            raise BadValue(f"'{unknown[0]}' is not understood; a setup has {', '.join(names)}.")
        missing = [name for name in names[:4] if name not in value]
        if missing:
            raise BadValue(f"{missing[0]} is missing; a setup has game, rules, seats and seed.")
        seats = value["seats"]
        if not isinstance(once, list) or not all(isinstance(name, str) and NAME.fullmatch(name) for name in once):
            raise BadValue("offered is not accepted; it is a list of bots' names.")
        if once and value["game"] in registry.BUILT_IN:
            offers = offers.with_withdrawn(once, value["game"], registry.game(value["game"]).max_players)
        return cls(**{**value, "seats": tuple(seats) if isinstance(seats, list) else seats}, offers=offers)

    @classmethod
    def of_written(cls, text: str, at: int, seats: Sequence[str | None], offers: Offers = NO_OFFERS) -> Setup:
        """A setup that goes on from a position of a recorded game with other players."""
        written = written_game(text)
        rules = table_rules(written.rules, written.game).to_text() if isinstance(written, Record) else written.rules.to_text()
        seed = written.seed if isinstance(written, Record) else 0
        return cls(written.game, rules, tuple(seats), seed, start=text, at=at, offers=offers)
