"""Bots as players that can be led to any information set of a solved game, and back to where they were.

Where a bot draws few random numbers, as rule bots do, every number it could draw is tried, and the chances of its actions
are exact. Any other bot is asked many times, compiled where it can be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from kibitz.bots.bot import Bot
from kibitz.core.errors import BadBot
from kibitz.core.layouts import copy_record
from kibitz.core.seeds import FIRST_SEAT, game_key, stream
from kibitz.play.lineup import Lineup, window_bits
from kibitz.play.open_sitting import OpenSitting
from kibitz.play.seat import player_of
from kibitz.policies import valuation
from kibitz.policies.valuation import listed_rows
from kibitz.registry import Entrant

MAX_NUMBERS = 8  # random numbers for one answer, if all they could be are tried
MAX_WAYS = 1000


class ManyNumbers(Exception):
    """A bot draws too many random numbers to try them all, or reads its stream itself."""


class _Numbers:
    """The random numbers of one answer: a script that is gone through in every way."""

    def __init__(self) -> None:
        self.script: list[tuple[int, int]] = []  # each number, and what it is below
        self.used = 0
        self.ways = 0

    def below(self, bound: int) -> int:
        """The next number."""
        if self.used == len(self.script):
            if self.used >= MAX_NUMBERS or bound > MAX_WAYS:
                raise ManyNumbers
            self.script.append((0, bound))
        self.used += 1
        return self.script[self.used - 1][0]

    def chance(self) -> float:
        """How likely these numbers are."""
        return 1 / float(np.prod([bound for _, bound in self.script])) if self.script else 1.0

    def go_on(self) -> bool:
        """Turn to the next numbers; false once all were tried."""
        self.used = 0
        self.ways += 1
        if self.ways >= MAX_WAYS:
            raise ManyNumbers
        while self.script:
            value, bound = self.script.pop()
            if value + 1 < bound:
                self.script.append((value + 1, bound))
                return True
        return False


class _Scripted:
    """A view whose random numbers come from a script."""

    @property
    def random_stream(self) -> int:
        """Nothing: whoever reads the stream itself must be sampled."""
        raise ManyNumbers

    def randbelow(self, bound: int) -> int:
        """The next number of the script."""
        numbers: _Numbers | None = self.__dict__.get("numbers")
        if numbers is None:
            raise ManyNumbers
        return numbers.below(bound)


@cache
def _scripted(view: type) -> type:
    """The view of a game with random numbers from a script."""
    return type(f"Scripted{view.__name__}", (_Scripted, view), {})


# -- what a search thinks --


class Opinion(NamedTuple):
    """What a search said of an action before one of its answers: value and standard error in the unit of the search, and visits."""

    action: int
    value: float
    error: float
    visits: int
    unit: int


def searches(bot: Any) -> bool:
    """Whether a bot searches, and so keeps a table of what it thinks of each action."""
    return isinstance(bot, Bot) and valuation.searches(bot.scratch)


# -- minds --


class Mind:
    """A bot that is led through a game. With `samples` it is asked so many times, else every random number is tried, as plain Python.

    It gets nothing but what its seat sees of an open sitting. After an answer of a search that was sampled, `opinions` has its tables,
    one for each time it was asked.
    """

    def __init__(self, lineup: Lineup, samples: int = 0, seed: int = 0, compiled: bool = False) -> None:
        self.entrant: Entrant = lineup.entrants[0]
        self.hand_reading = self.entrant.bot.hand_reading
        self.samples, self.seed, self.compiled, self.asked = samples, seed, compiled, 0
        self.opinions: list[list[Opinion]] = []
        self._windows = window_bits(lineup.game, self.entrant)
        self._player = player_of(self.entrant, lineup.game, compiled)
        self._observes = not isinstance(self.entrant.bot, Bot) or self.entrant.bot.observe is not None
        self.memory, self.remember = self._player.memory, self._player.remember

    def begin(self, sitting: OpenSitting, seat: int) -> None:
        """Sit down at a new deal."""
        with self._without_chance(sitting, seat) as view:
            self._player.begin(view)

    def tell(self, sitting: OpenSitting, seat: int) -> None:
        """Hear of the events of the last action."""
        if self._observes:
            with self._without_chance(sitting, seat) as view:
                for event in sitting.events():
                    self._player.observe(view, event)

    @contextmanager
    def _without_chance(self, sitting: OpenSitting, seat: int) -> Iterator[Any]:
        """What a seat sees; a bot that is sampled and draws random numbers elsewhere than in its answers is refused."""
        view = sitting.look(seat, None if self.compiled else _scripted(sitting.game.view))
        before = view.random_stream if self.compiled else None
        try:
            yield view
        except ManyNumbers:
            raise (_random_memory(self.entrant) if self.samples else ManyNumbers) from None
        if self.compiled and view.random_stream != before:
            raise _random_memory(self.entrant)

    def answer(self, sitting: OpenSitting) -> dict[int, float]:
        """The chance of each action."""
        self.opinions = []
        usual = sitting.game.verbs["default_action"](sitting.state, self._windows)
        if usual >= 0:
            return {usual: 1.0}
        return self._sampled(sitting) if self.samples else self._enumerated(sitting)

    def _sampled(self, sitting: OpenSitting) -> dict[int, float]:
        found: Counter[int] = Counter()
        before = self.memory()
        for _ in range(self.samples):
            self.remember(before)
            view = copy_record(sitting.state, sitting.game.view)
            view.random_stream = stream(game_key(self.seed, self.asked), FIRST_SEAT + view.seat)
            self.asked += 1
            found[self._choose(view, sitting)] += 1
            if searches(self.entrant.bot):
                table = self._player.valuation
                assert table is not None
                self.opinions.append([Opinion(*row, table.unit) for row in listed_rows(table)])
        return {action: count / self.samples for action, count in found.items()}

    def _enumerated(self, sitting: OpenSitting) -> dict[int, float]:
        chances: dict[int, float] = {}
        before = self.memory()
        numbers = _Numbers()
        more = True
        while more:
            self.remember(before)
            view = copy_record(sitting.state, _scripted(sitting.game.view))
            view.__dict__["numbers"] = numbers
            action = self._choose(view, sitting)
            chances[action] = chances.get(action, 0.0) + numbers.chance()
            more = numbers.go_on()
        return chances

    def _choose(self, view: Any, sitting: OpenSitting) -> int:
        action = self._player.choose(view)
        if action not in sitting.game.legal_actions(sitting.state):
            raise BadBot(f"bot '{self.entrant.name}' answered {action}, which is not legal in a position of the solved game.")
        return action


def _random_memory(entrant: Entrant) -> BadBot:
    return BadBot(
        f"bot '{entrant.name}' draws random numbers in begin or observe: what it remembers does not follow from what it saw, "
        "so that its exploitability cannot be measured."
    )
