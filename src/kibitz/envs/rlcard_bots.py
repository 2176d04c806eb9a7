"""Agents of RLCard in matches: a game that has a translation (`Face.rlcard`) shows them views as they know them. RLCard itself isn't needed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kibitz import registry
from kibitz.bots.object_bot import ObjectBot
from kibitz.core.errors import BadValue
from kibitz.envs.own_randomness import random_numbers_from
from kibitz.games.contract import GameDefinition


def is_rlcard(thing: Any) -> bool:
    """Whether something is an agent of RLCard."""
    return not isinstance(thing, type) and callable(getattr(thing, "eval_step", None)) and hasattr(thing, "use_raw")


@dataclass(frozen=True, eq=False)
class RlcardBot(ObjectBot):
    """A bot made of an agent.

    It is asked as when it is evaluated, so that one agent can play any number of games. As in RLCard, it plays a card whenever it can;
    decisions that RLCard doesn't know are made for it.
    """

    agent: Any = None

    def fresh(self, rules: Any = None) -> Any:
        """A player for one game and seat; cards that the agent can't express are refused."""
        assert self.game is not None
        definition = registry.game(self.game)
        translation = definition.face.load("rlcard")
        if rules is not None:
            translation.check_cards(definition.parse_rules(rules) if isinstance(rules, str) else rules)
        return _RlcardPlayer(self.agent, translation)


def rlcard_bot(agent: Any, definition: GameDefinition, name: str, source: Any) -> RlcardBot:
    """A bot for our matches."""
    if definition.face.rlcard is None:
        raise BadValue(f"{definition.title} has no translation for agents of RLCard, so bot {name} can't play it.")
    return RlcardBot(name, lambda: None, source, "an agent of RLCard", (), "", definition.name, agent=agent)


class _RlcardPlayer:
    """Plays one game for an agent."""

    def __init__(self, agent: Any, translation: Any) -> None:
        self._agent, self._translation = agent, translation

    def choose(self, view: Any) -> int:
        """What the agent does here."""
        with random_numbers_from(view.randbelow(2**32)):
            answer = self._agent.eval_step(self._translation.state_of(view, must_play=True))[0]
        number = self._translation.ACTION_NAMES.index(answer) if self._agent.use_raw else int(answer)
        return int(self._translation.action_of(view, number))
