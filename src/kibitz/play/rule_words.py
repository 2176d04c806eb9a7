"""Which rule of a bot fired, in words: the sentence that the bot declares for it, or what its own `Reasons` say about this position.

Explanations and advice (`kibitz.play.explaining`) let a `RuleWords` follow the bot that they ask. Nothing here is compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

from kibitz.bots.bot import Bot
from kibitz.bots.fired_rule import filled_in
from kibitz.games.contract import GameDefinition
from kibitz.games.face import loaded
from kibitz.play.seat import SeatedBot, rules_of
from kibitz.registry import Entrant


class Fired(NamedTuple):
    """The number of the rule that fired, counted from 1, and the rule in words; 0 and nothing if the bot doesn't say."""

    rule: int = 0
    words: str = ""


class Reasons(Protocol):
    """Follows a bot through a deal, from its seat, and says why it does something. `knowledge` is a copy of the bot's memory."""

    def begin(self, view: Any, knowledge: Any) -> None:
        """A deal begins, or the bot comes to one that has."""

    def observe(self, view: Any, event: Any, knowledge: Any) -> None:
        """Something happened that everybody saw; the bot has heard of it."""

    def words(self, view: Any, knowledge: Any, rule: int | None, action: int) -> str:
        """Why the rule in this place gave this action; without a rule, what the bot's conventions say about the action."""


class RuleWords:
    """Follows a bot in its seat, and says after a decision which rule fired and why."""

    def __init__(self, entrant: Entrant, game: GameDefinition, player: SeatedBot) -> None:
        self._game, self._player, self._rules = game, player, rules_of(entrant)
        made = loaded(entrant.bot.reasons) if isinstance(entrant.bot, Bot) and entrant.bot.reasons else None
        self._reasons: Reasons | None = made() if made else None

    def begin(self, view: Any) -> None:
        """The bot has begun a deal."""
        if self._reasons:
            self._reasons.begin(view, self._player.knowledge())

    def observe(self, view: Any, event: Any) -> None:
        """The bot has heard of an event."""
        if self._reasons:
            self._reasons.observe(view, event, self._player.knowledge())

    def fired(self, view: Any, action: int) -> Fired:
        """The rule behind the bot's last answer, which was this action at this view."""
        rule = self._player.rule
        if rule is None:
            return Fired()
        words = self._reasons.words(view, self._player.knowledge(), rule, action) if self._reasons else ""
        return Fired(rule + 1, words or filled_in(self._rules[rule], self._game.face.load("action_parts")(self._game, view, action)))

    def about(self, view: Any, action: int) -> str:
        """What the bot's conventions say about any action; nothing if it has none."""
        return self._reasons.words(view, self._player.knowledge(), None, action) if self._reasons else ""
