"""A game with its chance laid open, as the solver needs it: every deal and everything an action can lead to, each with its probability.

`OpenGame` is the contract between a game and the solver. What a random number could be is tried in turn: whatever draws one calls
`_choose`, and `_every_way` goes through all sequences of choices. `OpenedGame` does so for any game that lets its verbs be bound
anew (`GameDefinition.rebound`); a game that knows better, as which orders of cards are alike, brings an `OpenGame` of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record, fields_of
from kibitz.games.contract import GameDefinition

PLAYERS = 2
Script = tuple[int, ...]


class Outcome(NamedTuple):
    """What chance made of a deal or an action: the state, how likely it was, its choices, and (seat, card) of each card drawn."""

    state: Any
    probability: float
    script: Script
    drawn: tuple[tuple[int, int], ...] = ()


class DeadEnd(Exception):
    """The choices so far leave none: this way is not gone."""


class OpenGame(ABC):
    """A two-player game under some rules, in which the caller decides about chance.

    `deals` and `after` give every outcome; `deal` and `apply` repeat one of them from its script.
    """

    unit = "points of a game; what one gains, the other loses"  # what results are counted in

    def __init__(self, game: GameDefinition, rules: Any) -> None:
        rules.check_players(PLAYERS)
        self.game, self.asked_rules, self.rules = game, rules, rules  # what was asked for, and what is played
        self._script: list[int] = []
        self._options: list[Sequence[int]] = []  # behind each choice: those not tried yet
        self._chosen: list[int] = []
        self._probability = 1.0
        self._drawn: list[tuple[int, int]] = []

    # -- what a game brings --

    @abstractmethod
    def _deal(self) -> Any:
        """Deal, choosing what chance would; the state."""

    @abstractmethod
    def _apply(self, state: Any, action: int) -> Any:
        """Carry out an action in a state, choosing what chance would; the same state."""

    @abstractmethod
    def at_start(self, state: Any, seat: int) -> Hashable:
        """All that a seat has seen of a new deal."""

    @abstractmethod
    def news(self, outcome: Outcome, seat: int) -> Iterable[Hashable]:
        """What a seat learns from an action, one thing after another."""

    @abstractmethod
    def result(self, state: Any) -> float:
        """What a finished game brings seat 0; seat 1 gets the opposite."""

    def ending(self, state: Any) -> str:
        """How a finished game ended, in a word or two."""
        end = self.game.outcome(state)
        return f"won by {end['winner']}" if end["winner"] is not None else str(end["status"])

    def copy(self, state: Any) -> Any:
        """A copy for play on."""
        return copy_record(state)

    def hand(self, state: Any, seat: int) -> tuple[int, ...]:
        """The cards that a seat was dealt, where their order may matter to a bot."""
        return ()

    def arrange(self, state: Any, seat: int, reading: int, order: tuple[int, ...]) -> None:  # noqa: B027 - few bots look
        """Put a hand in an order, to be read in a way."""

    def cards(self, state: Any) -> tuple[int, int]:
        """How many cards are in each hand: what a search with a horizon goes by."""
        return 0, 0

    def copies(self, state: Any, action: int) -> int:
        """How many copies of the card that an action plays are held by who plays it; 1 for any other action."""
        return 1

    # -- the verbs --

    def deals(self) -> Iterator[Outcome]:
        """Every deal."""
        return self._every_way(self._deal)

    def deal(self, script: Script) -> Any:
        """The deal of a script."""
        return self._one_way(self._deal, script).state

    def after(self, state: Any, action: int) -> Iterator[Outcome]:
        """Everything an action can lead to; the state itself is left alone."""
        return self._every_way(lambda: self._apply(self.copy(state), action))

    def apply(self, state: Any, action: int, script: Script) -> None:
        """Carry out an action as it went in a script."""
        self._one_way(lambda: self._apply(state, action), script)

    def legal_actions(self, state: Any) -> list[int]:
        """Every legal action, none once the game is over."""
        return self.game.legal_actions(state) if not self.game.verbs["is_over"](state) else []

    def show_actor(self, state: Any) -> None:
        """Show a state anew to the player to act."""
        self.game.verbs["show_actor"](state)

    # -- chance --

    def _choose(self, options: Sequence[int], chances: Sequence[float]) -> int:
        """One of several things that chance can do, each with its probability."""
        place = len(self._chosen)
        if place < len(self._script):
            choice = self._script[place]
        else:
            if not options:
                raise DeadEnd
            choice = options[0]
            self._options.append(options[1:])
        self._chosen.append(choice)
        self._probability *= chances[options.index(choice)]
        return choice

    def _one_way(self, make: Callable[[], Any], script: Script) -> Outcome:
        self._script, self._options, self._chosen = list(script), [], []
        self._probability, self._drawn = 1.0, []
        state = make()
        return Outcome(state, self._probability, tuple(self._chosen), tuple(self._drawn))

    def _every_way(self, make: Callable[[], Any]) -> Iterator[Outcome]:
        """What is made, once for every sequence of choices."""
        scripts: list[Script] = [()]
        while scripts:
            script = scripts.pop()
            try:
                outcome = self._one_way(make, script)
            except DeadEnd:
                outcome = None
            for place, options in enumerate(self._options, len(script)):
                scripts.extend((*self._chosen[:place], option) for option in options)
            if outcome is not None:
                yield outcome


class OpenedGame(OpenGame):
    """Any game whose verbs can be bound anew: every number below a bound is a choice. A seat has seen its views, and every event."""

    def __init__(self, game: GameDefinition, rules: Any) -> None:
        super().__init__(game, rules)
        if game.rebound is None:
            raise BadValue(f"{game.title} can't be solved: its chance can't be laid open.")
        self._verbs = game.rebound(below=self._below)
        kind: Any = game.view
        self._seen = [field.name for field in fields_of(kind) if field.name not in ("random_stream", "legal")]

    def _below(self, position: int, bound: int) -> tuple[int, int]:
        return position, self._choose(range(bound), [1 / bound] * bound)

    def _deal(self) -> Any:
        state = self.game.new_state(self.rules, PLAYERS)
        state.observed = 1
        self._verbs["deal"](state, 0)
        return state

    def _apply(self, state: Any, action: int) -> Any:
        state.event_count = 0
        self._verbs["apply"](state, action)
        return state

    def at_start(self, state: Any, seat: int) -> Hashable:
        """What the seat sees."""
        return self._view(state, seat)

    def news(self, outcome: Outcome, seat: int) -> Iterable[Hashable]:
        """Every event, and what the seat sees then."""
        state = outcome.state
        for place in range(state.event_count):
            yield tuple(vars(self._verbs["event_at"](state, place)).values())
        yield self._view(state, seat)

    def _view(self, state: Any, seat: int) -> Hashable:
        self._verbs["show"](state, seat)
        seen = tuple(tuple(value) if isinstance(value, list) else value for value in (getattr(state, name) for name in self._seen))
        self._verbs["show_actor"](state)
        return seen

    def result(self, state: Any) -> float:
        """The points of seat 0 less those of seat 1, halved where the loser pays them."""
        winner, points = self._verbs["result_of"](state)
        return 0.0 if winner < 0 else float(points if winner == 0 else -points)


def open_game(game: GameDefinition, rules: Any) -> OpenGame:
    """A game with its chance laid open, by its own means or by those that fit any."""
    made: OpenGame = (game.face.load("solver") or OpenedGame)(game, rules)
    return made
