"""Hand-made UNO positions, and what bots answer to them as plain Python."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from kibitz import registry
from kibitz.bots import parameters
from kibitz.bots.bot import Bot
from kibitz.bots.uno.bounds import set_bounds
from kibitz.core.layouts import blank
from kibitz.core.seeds import scramble
from kibitz.games.uno.cards import CARD_TYPES
from kibitz.games.uno.counts import planes_from
from kibitz.games.uno.names import action_name, card_from_name, card_name
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.view import View
from kibitz.play.game import Game

FEW = 40  # streams that settle whether an answer is fixed: one of two equally good answers is missed once in 2**39
MANY = 600  # streams for frequencies
SIGMAS = 5  # a count this far off is a failure: with fresh streams, less than once in a million for each count

BoundsBySeat = Mapping[int, Mapping[str, int]]


def position(
    hand: str,
    *others: int | str,
    top: str,
    discard: str = "",
    pile: str | None = None,
    direction: str = "+",
    drawn: str = "",
    to_act: int = 0,
    rules: str = "classic",
    more: str = "",
) -> Game:
    """A game in which seat 0 holds `hand` (oldest card first) and `to_act` is to act; cards are separated by spaces.

    Of `others`, each is a hand or just how many cards it has. Cards of the deck that are not mentioned form the draw
    pile, or, with a draw pile of its own, lie deepest in the discard pile. `drawn` is the card the player to act has
    just drawn, beyond its hand. `more` is added to the text of the position.
    """
    hands: list[list[str] | int] = [hand.split(), *[other if isinstance(other, int) else other.split() for other in others]]
    if drawn:
        holder = hands[to_act]
        assert isinstance(holder, list)
        holder.append(drawn)
    named = [card for cards in hands if isinstance(cards, list) for card in cards]
    named += [top.partition(":")[0], *discard.split(), *(pile or "").split()]
    deck = parse_rules(rules).deck
    left = Counter({card_name(card): deck[card] for card in range(CARD_TYPES)})
    left.subtract(named)
    assert min(left.values()) >= 0, f"more copies than the deck has: {-left}"
    rest = list(left.elements())
    full = []
    for cards in hands:
        if isinstance(cards, int):
            full.append(rest[:cards])
            rest = rest[cards:]
        else:
            full.append(cards)
    under, draw_pile = (discard.split(), rest) if pile is None else ([*rest, *discard.split()], pile.split())
    parts = {
        "players": str(len(full)),
        "dealer": "0",
        "to_act": str(to_act),
        "direction": direction,
        "turn": "1",
        "phase": "drawn" if drawn else "turn",
        "top": top,
        "hands": "|".join(".".join(cards) for cards in full),
        "discard": ".".join(under),
        "pile": ".".join(draw_pile),
    }
    if drawn:
        parts["drawn"] = drawn
    return Game.from_text(";".join([rules, *[f"{key}={value}" for key, value in parts.items()]]) + more)


class Player:
    """A bot at a position: its view, its memory as it is at the beginning, its parameters."""

    def __init__(self, name: str, game: Game, bounds: BoundsBySeat | None = None) -> None:
        entrant = registry.entrant(name)
        bot = entrant.bot
        assert isinstance(bot, Bot)
        self.bot = bot
        self.view: View = game.view()
        self.memory: Any = blank(bot.memory) if bot.memory else None
        self.scratch: Any = blank(bot.scratch) if bot.scratch else None
        self.params = parameters.plain(bot.parameters, entrant.values)
        begin = bot.plain_entry("begin")
        if callable(begin):
            begin(self.view, self.memory, self.params, self.scratch)
        for seat, counts in (bounds or {}).items():
            assert self.memory is not None
            set_bounds(self.memory, seat, planes_from(counts_by_type(counts)))

    def answer(self, stream: int) -> str:
        """The name of the action it chooses."""
        choose = self.bot.plain_entry("choose")
        assert callable(choose)
        self.view.random_stream = scramble(stream)
        action = choose(self.view, self.memory, self.params, self.scratch)
        assert self.view.is_legal(action), f"{action} is not legal"
        return action_name(action)


def counts_by_type(counts: Mapping[str, int]) -> list[int]:
    """A count for each card type out of counts by name."""
    by_type = [0] * CARD_TYPES
    for name, count in counts.items():
        by_type[card_from_name(name)] = count
    return by_type


def answers(name: str, game: Game, bounds: BoundsBySeat | None = None, streams: int = MANY) -> Counter[str]:
    """How often a bot gives each answer over many random streams; `bounds` replaces its card-count bounds."""
    player = Player(name, game, bounds)
    return Counter(player.answer(stream) for stream in range(streams))


def choice(name: str, game: Game, bounds: BoundsBySeat | None = None) -> str:
    """The one answer that a bot gives whatever its random stream."""
    given = answers(name, game, bounds, FEW)
    assert len(given) == 1, f"{name} is undecided: {dict(given)}"
    return next(iter(given))


def assert_frequencies(given: Mapping[str, int], weights: Mapping[str, float]) -> None:
    """Exactly these answers, as often as their weights say."""
    assert set(given) == set(weights)
    count, total = sum(given.values()), sum(weights.values())
    for answer, weight in weights.items():
        chance = weight / total
        sigma = (count * chance * (1 - chance)) ** 0.5
        assert abs(given[answer] - count * chance) <= SIGMAS * sigma, f"{answer}: {given[answer]} of {count}, expected {count * chance:.0f}"


def assert_uniform(given: Mapping[str, int], *expected: str) -> None:
    """Exactly these answers, all equally often."""
    assert_frequencies(given, dict.fromkeys(expected, 1.0))


def with_every_colour(wild: str) -> list[str]:
    """The four answers that play a wild."""
    return [f"{wild}:{letter}" for letter in "rgby"]
