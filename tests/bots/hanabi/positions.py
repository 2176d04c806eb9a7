"""Hand-made Hanabi positions, and what bots answer to them as plain Python."""

from __future__ import annotations

from collections import Counter
from typing import Any

from kibitz import registry
from kibitz.bots import parameters
from kibitz.bots.bot import Bot
from kibitz.core.layouts import blank
from kibitz.core.seeds import scramble
from kibitz.games.contract import OPEN_HAND
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import CARD_TYPES
from kibitz.games.hanabi.names import card_name, move_name
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import State

from ...games.hanabi.positions import play, position, view_of
from ..positions import FEW, MANY, assert_frequencies, assert_uniform

__all__ = [
    "Player",
    "answers",
    "assert_frequencies",
    "assert_uniform",
    "choice",
    "everything_but",
    "known",
    "play",
    "position",
    "ranked",
]


def known(card: str) -> str:
    """A card in a hand whose colour and rank were named."""
    return f"{card}:{card[0]}!:{card[1]}!"


def ranked(card: str) -> str:
    """A card in a hand whose rank was named."""
    return f"{card}:RYGWB:{card[1]}!"


def everything_but(cards: str, rules: str = "standard") -> str:
    """All cards of the deck but these: the discard pile once nothing is left to draw."""
    left = [card_name(card) for card in range(CARD_TYPES) for _ in range(parse_rules(rules).deck[card])]
    for card in cards.split():
        left.remove(card)
    return ".".join(left)


class Player:
    """A bot that sits down at a position, in the seat to act, and remembers what it does from there on."""

    def __init__(self, name: str, state: State) -> None:
        entrant = registry.entrant(name, "hanabi")
        assert isinstance(entrant.bot, Bot)
        self.bot, self.state, self.seat = entrant.bot, state, state.current
        if self.bot.sees_everything:
            state.ordered[self.seat] = OPEN_HAND
        self.memory: Any = blank(self.bot.memory) if self.bot.memory else None
        self.scratch: Any = blank(self.bot.scratch) if self.bot.scratch else None
        self.params = parameters.plain(self.bot.parameters, entrant.values)
        self._call("begin")

    def _call(self, role: str, stream: int = 0) -> Any:
        entry: Any = self.bot.plain_entry(role)
        view = view_of(self.state, self.seat)
        view.random_stream = scramble(stream)
        return entry(view, self.memory, self.params, self.scratch) if entry else None

    def answer(self, stream: int = 0) -> str:
        """The name of the move it chooses, now that it is its turn."""
        assert self.state.current == self.seat
        move = self._call("choose", stream)
        assert engine.is_legal(self.state, move), f"{move} is not legal"
        return move_name(self.state, move)


def answers(name: str, state: State, streams: int = MANY) -> Counter[str]:
    """How often a bot gives each answer over many random streams."""
    player = Player(name, state)
    return Counter(player.answer(stream) for stream in range(streams))


def choice(name: str, state: State) -> str:
    """The one answer that a bot gives whatever its random stream."""
    given = answers(name, state, FEW)
    assert len(given) == 1, f"{name} is undecided: {dict(given)}"
    return next(iter(given))
