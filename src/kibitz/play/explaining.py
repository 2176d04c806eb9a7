"""Bots that explain themselves: an adviser who looks on from one seat, and bots at a table whose every decision is noted.

An `Explanation` is what a bot would do and, if it searches or is a learned policy, what it thinks of each action, or, if it is a list
of rules, which of them fired. `Adviser`
gives them at any moment of any game, from what one seat may see; asking changes nothing. `noting` makes such bots of a line-up
tell about the decisions that they make themselves.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from kibitz import registry
from kibitz.bots.bot import CHEATER, Bot
from kibitz.bots.object_bot import ObjectBot
from kibitz.core.errors import BadBot, BadValue, KibitzError
from kibitz.core.layouts import copy_record
from kibitz.games.contract import GameDefinition
from kibitz.play.faults import described
from kibitz.play.lineup import Lineup, check_players, window_bits
from kibitz.play.rule_words import Fired, RuleWords
from kibitz.play.seat import CompiledPlayer, SeatedBot, player_of, rules_of, tells
from kibitz.policies.valuation import UNITS, Preferences, Valuation, listed_rows
from kibitz.registry import Entrant

if TYPE_CHECKING:
    from kibitz.play.game import Game

# Why an action is advised: the bot chose it, there is no other, or the bot leaves such decisions to the game's default.
CHOSEN, ONLY, DEFAULT = "chosen", "only", "default"


class NoAdvice(KibitzError):
    """An adviser failed, or answered with something that is not a legal action."""


class ActionValue(NamedTuple):
    """What a bot thinks of an action; value and error are None where it never tried it or cannot tell."""

    action: int
    name: str
    value: float | None
    error: float | None
    visits: int

    def to_dict(self) -> dict[str, Any]:
        """The row as it stands in JSON."""
        return self._asdict()


@dataclass(frozen=True)
class Explanation:
    """A decision: the action, and what is thought of each, the most valuable first; no rows if the bot does not tell.

    A bot that is a list of rules says which one fired: its number, counted from 1, and in words.
    """

    bot: str
    seat: int
    turn: int
    players: int
    action: int
    name: str
    why: str = CHOSEN
    unit: str = ""  # as in UNITS; empty without rows
    rows: tuple[ActionValue, ...] = ()
    win_chance: float | None = None  # the bot's own guess before it acts, if it has preferences and makes one
    game: str = ""
    assumes: str = ""  # the bot by whose convention everybody is expected to play on, if it is trials that advise
    notes: tuple[str, ...] = ()  # what else there is to say, in sentences
    rule: int = 0  # 0 if the bot names none
    words: str = ""

    def to_dict(self) -> dict[str, Any]:
        """The decision as it stands in JSON."""
        about = {name: getattr(self, name) for name in ("bot", "seat", "turn", "action", "name", "why", "unit", "win_chance")}
        return {**about, "rule": self.rule or None, "words": self.words, "rows": [row.to_dict() for row in self.rows]}


def explanation_of(
    game: GameDefinition, bot: str, view: Any, action: int, table: Valuation | None, why: str = CHOSEN, fired: Fired | None = None
) -> Explanation:
    """What a bot decided at a view, with the rows of its table and the rule that fired."""
    rows = [
        ActionValue(listed, game.action_name(view, listed), _known(value, visits), _known(error, visits), visits)
        for listed, value, error, visits in (listed_rows(table) if table is not None else ())
    ]
    rows.sort(key=lambda row: (row.value is None, -(row.value or 0.0), row.action != action, row.action))
    unit = UNITS[table.unit] if table is not None and rows else ""
    guess = table.win_chance if isinstance(table, Preferences) and rows and table.win_chance >= 0 else None
    name = game.action_name(view, action)
    made = Explanation(bot, view.seat, view.turn, view.players, action, name, why, unit, tuple(rows), guess, game.name)
    return replace(made, rule=fired.rule, words=fired.words) if fired else made


def _known(figure: float, visits: int) -> float | None:
    return figure if visits > 0 and math.isfinite(figure) else None


# -- advisers --


class Adviser:
    """A bot that looks on from one seat and can be asked what it would do there; asking changes nothing in the game.

    >>> from kibitz.play.game import Game
    >>> game = Game(2, seed=3)
    >>> adviser = Adviser("mix2")
    >>> adviser.begin(game.view())
    >>> adviser.ask(game.view()).name in [game.definition.action_name(game.state, action) for action in game.legal_actions()]
    True

    Without `game` it is the bot's game. `begin` may come at any position, and each event that follows is told with `observe`. All of them take the view of the seat
    that is advised, and none changes it. Asked again about the same decision, the bot decides as if for the first time; what
    it writes down while deciding it remembers once the game goes on, as at a table.
    """

    def __init__(self, bot: Any, game: str | None = None, players: int | None = None, jit: bool = True) -> None:
        self.definition = registry.game(registry.game_of([bot], game))
        self.entrant = registry.entrant(bot, self.definition.name)
        _check(self.entrant, self.definition)
        if players is not None:
            check_players(self.entrant, players)
        self._windows = window_bits(self.definition, self.entrant)
        self._jit = jit and os.environ.get("KIBITZ_JIT") != "0"
        self._player: SeatedBot | None = None
        self._words: RuleWords | None = None
        self._begun = False
        self._before: list[Any] | None = None  # the memory before it was first asked about this decision

    @property
    def name(self) -> str:
        """The bot's full name."""
        return self.entrant.name

    def begin(self, view: Any) -> None:
        """Begin to follow a deal, at its start or later."""
        check_players(self.entrant, int(view.players))
        player, words = self._seated()
        self._guarded(view, player.begin, self._copy(view))
        words.begin(view)
        self._begun, self._before = True, None

    def observe(self, view: Any, event: Any) -> None:
        """Hear of an event; the view is what the seat sees after the whole action."""
        if self._begun:
            player, words = self._seated()
            self._guarded(view, player.observe, self._copy(view), event)
            words.observe(view, event)
            self._before = None

    def ask(self, view: Any) -> Explanation:
        """What the bot would do now, and why; it begins here if it has followed nothing yet."""
        game = self.definition
        legal = game.legal_actions(view) if view.seat == view.current else []
        if not legal:
            raise BadValue(f"seat {view.seat} has nothing to decide now, so there is nothing to advise.")
        if not self._begun:
            self.begin(view)
        if len(legal) == 1:
            return explanation_of(game, self.name, view, legal[0], None, ONLY)
        usual = game.verbs["default_action"](view, self._windows)
        if usual >= 0:
            return explanation_of(game, self.name, view, usual, None, DEFAULT)
        player, words = self._seated()
        if self._before is None:
            self._before = [self._guarded(view, player.memory)]
        player.remember(self._before[0])
        action = self._guarded(view, player.choose, self._copy(view))
        if action not in legal:
            if game.face.check_view:  # a search has no answer where the cards cannot add up; say which
                game.face.load("check_view")(view)
            raise self._fault(view, f"answered {action}, which is not legal there")
        return explanation_of(game, self.name, view, action, player.valuation, fired=words.fired(view, action))

    def words_for(self, view: Any, action: int) -> str:
        """What the bot's conventions say about an action, its own or another; nothing if it has no such words."""
        if not self._begun:
            self.begin(view)
        return self._seated()[1].about(view, action)

    def _seated(self) -> tuple[SeatedBot, RuleWords]:
        if self._player is None or self._words is None:
            self._player = player_of(self.entrant, self.definition, self._jit)
            self._words = RuleWords(self.entrant, self.definition, self._player)
        return self._player, self._words

    def _copy(self, view: Any) -> Any:
        return copy_record(view, self.definition.view)

    def _guarded(self, view: Any, method: Callable[..., Any], *args: Any) -> Any:
        try:
            return method(*args)
        except KibitzError:
            raise
        except Exception as error:
            raise self._fault(view, described(error)) from error

    def _fault(self, view: Any, what: str) -> NoAdvice:
        return NoAdvice(f"bot {self.name}, asked for advice in seat {view.seat} at turn {view.turn}, {what}.")


def _check(entrant: Entrant, game: GameDefinition) -> None:
    """Refuse an adviser that plays something else or sees what the person does not."""
    bot = entrant.bot
    if not isinstance(bot, Bot):
        return
    if bot.game != game.name:
        raise BadValue(f"bot {entrant.name} plays {bot.game}, not {game.name}.")
    if bot.sees_everything or bot.name.startswith(CHEATER):
        raise BadBot(f"bot '{entrant.name}' sees hidden cards, so it cannot advise; name a bot that sees what a player may see.")


def default_adviser(game: str, players: int) -> str:
    """Who advises in a game of so many players if nobody is named."""
    face = registry.game(game).face
    return face.adviser(players) if face.adviser else (face.usual_bots or registry.BUILT_IN[game])[0]


def explain(bot: Any, game: Game) -> Explanation:
    """What a bot would do in a game for whom is to act, and why; it has seen nothing of the game before."""
    return Adviser(bot, game.definition.name).ask(game.view())


# -- bots at the table --


@dataclass(frozen=True, eq=False)
class _NotedBot(ObjectBot):
    """A bot that tells what it thinks or which rule fired, and sits at a table of Python bots, compiled all the same if it searches."""

    reading: int = 0

    @property
    def hand_reading(self) -> int:
        """How the table shows it its hand: as before."""
        return self.reading


class _NotedPlayer:
    """Plays as the bot does, and notes each decision."""

    def __init__(self, entrant: Entrant, game: GameDefinition, player: SeatedBot, note: Callable[[Explanation], None]) -> None:
        self._entrant, self._game, self._player, self._note = entrant, game, player, note
        self._words = RuleWords(entrant, game, player)

    def begin(self, view: Any) -> None:
        self._player.begin(view)
        self._words.begin(view)

    def observe(self, view: Any, event: Any) -> None:
        self._player.observe(view, event)
        self._words.observe(view, event)

    def choose(self, view: Any) -> int:
        seen = copy_record(view)
        action = self._player.choose(view)
        if self._game.verbs["is_legal"](seen, action):  # a fault is for the table to find
            fired = self._words.fired(seen, action)
            self._note(explanation_of(self._game, self._entrant.name, seen, action, self._player.valuation, fired=fired))
        return action


def noting(lineup: Lineup, note: Callable[[Explanation], None]) -> Lineup:
    """The same line-up for the plain loop, with bots that note each of their decisions: those that tell what they think, compiled, and
    lists of rules. Others are as before."""
    jit = os.environ.get("KIBITZ_JIT") != "0"

    def noted(entrant: Entrant) -> Entrant:
        bot, thinks = entrant.bot, tells(entrant)
        if not thinks and not rules_of(entrant):
            return entrant
        if jit and thinks:
            CompiledPlayer(entrant, lineup.game)  # what does not compile is found here
        make = lambda: _NotedPlayer(entrant, lineup.game, player_of(entrant, lineup.game, jit and thinks), note)  # noqa: E731 - a factory
        made = _NotedBot(bot.name, make, bot, bot.summary, bot.windows, bot.hand_order, reading=bot.hand_reading)
        return Entrant(entrant.name, made)

    return replace(lineup, entrants=tuple(noted(entrant) for entrant in lineup.entrants))
