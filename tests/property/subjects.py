"""The games whose properties are tried, and a decorator that tries one on many random positions of each."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

import pytest
from hypothesis import given, seed, settings
from hypothesis.strategies import SearchStrategy

from kibitz.games.hanabi import engine as hanabi_engine
from kibitz.games.hanabi import wire as hanabi_wire
from kibitz.games.uno import engine as uno_engine
from kibitz.games.uno import wire as uno_wire
from kibitz.games.uno.cards import ACTIONS
from tests.property import hanabi, uno


@dataclass(frozen=True)
class Subject:
    """What properties ask of a game, or of a kind of its games."""

    name: str
    setups: SearchStrategy[Any]
    engine: Any
    wire: Any
    dealt: Callable[[Any], Any]
    allowed: Callable[[Any, Any], list[int]]  # what may be played at random
    all_cards: Callable[[Any], list[int]]
    hidden: Callable[[Any, int, Random], Any]  # the same position with other cards hidden from a viewer
    numbers: int  # no action has a number as high

    def positions(self, setup: Any, steps: int | None = None) -> Iterator[Any]:
        """The state at every decision and at the end, the same object each time."""
        state = self.dealt(setup)
        random = Random(setup.seed)
        yield state
        for _ in range(setup.steps if steps is None else steps):
            if self.engine.is_over(state):
                return
            self.engine.apply(state, random.choice(self.allowed(setup, state)))
            yield state

    def some_position(self, setup: Any) -> Any:
        """The last of these states."""
        return list(self.positions(setup))[-1]

    def view(self, state: Any, seat: int) -> Any:
        """What a seat sees."""
        self.engine.show(state, seat)
        return self.engine.as_view(state)


def _uno(name: str, setups: SearchStrategy[Any]) -> Subject:
    legal: Callable[[Any, Any], list[int]] = lambda setup, state: uno_engine.legal_actions(state)  # noqa: E731 - a field of a record
    return Subject(name, setups, uno_engine, uno_wire, uno.dealt, legal, uno.all_cards, uno.with_other_hidden_cards, ACTIONS + 4)


CLASSIC = _uno("classic", uno.classic_setups())
HOUSE = _uno("house", uno.house_setups())
HANABI = Subject(
    "hanabi",
    hanabi.setups(),
    hanabi_engine,
    hanabi_wire,
    hanabi.dealt,
    hanabi.allowed_moves,
    hanabi.all_cards,
    hanabi.with_other_hidden_cards,
    70,
)
SUBJECTS = {subject.name: subject for subject in (CLASSIC, HOUSE, HANABI)}

Property = Callable[[Subject, Any], None]


def holds(**examples: int) -> Callable[[Property], Callable[[str], None]]:
    """A test that a property holds for so many random setups of each subject that is named."""

    def make(check: Property) -> Callable[[str], None]:
        @pytest.mark.parametrize("name", list(examples))
        def test(name: str) -> None:
            subject = SUBJECTS[name]

            def tried(setup: Any) -> None:
                check(subject, setup)

            number = zlib.crc32(f"{check.__name__} {name}".encode())
            settings(max_examples=examples[name])(seed(number)(given(subject.setups)(tried)))()

        test.__name__, test.__doc__, test.__module__ = check.__name__, check.__doc__, check.__module__
        return test

    return make
