"""A sitting with its chance laid open: one deal in which somebody else decides about chance as well as about every seat.

`step` returns `Ask` wherever a seat must act, `Chance` where cards or dice must fall, and `Over`; `take` answers. Solvers branch by
`moment`, which can be read and set: states are never changed once they are reached. Wherever the rules draw a random number, the next
of the answers so far is used. If there is none left, the action is given up, and carried out again with one answer more.

This works for every game whose verbs can be bound to other random numbers (`GameDefinition.rebound`). A game that knows more, as which
cards are alike, has a class of its own (`Face.solver`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from kibitz.bots.object_bot import AskedSeat
from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record, fields_of
from kibitz.games.contract import GameDefinition
from kibitz.play.hearing import events_of
from kibitz.play.lineup import Lineup, plain_table
from kibitz.play.loop import CHOSEN, FAULT, kernels_for
from kibitz.play.sitting import Ask, Chance, Over, illegal
from kibitz.registry import Entrant

NO_ORDER = 0  # of a hand: bots may have it in any


class Moment(NamedTuple):
    """Where an open sitting stands: the state in which a seat was last asked, None before the deal, and the answers since then."""

    state: Any
    answers: tuple[int, ...]


NEW_DEAL = Moment(None, ())


class Undecided(Exception):
    """Chance must decide, and there is no answer left."""

    def __init__(self, outcomes: Sequence[tuple[int, float]]) -> None:
        super().__init__()
        self.outcomes = outcomes


class OpenSitting:
    """A deal of a game under some rules, as plain Python, in which every seat and chance are asked."""

    unit = "points of a game; what one gains, the other loses"  # what results are counted in

    def __init__(self, game: GameDefinition, rules: Any, players: int = 2, **bindings: Any) -> None:
        rules.check_players(players)
        if game.rebound is None:
            raise BadValue(f"{game.title} can't be solved: its chance can't be laid open.")
        self.game = replace(game, verbs=game.rebound(**{"below": self._below, **bindings}))
        self.asked_rules, self.rules = rules, rules  # what was asked for, and what is played
        self.players = players
        self.moment = NEW_DEAL
        self._kernels = kernels_for(self.game)
        seats = tuple(Entrant(f"seat {seat}", AskedSeat(f"seat {seat}", reading=NO_ORDER)) for seat in range(players))
        self._lineup = Lineup(self.game, rules, seats, "fixed")
        self._table = plain_table(self._lineup)
        self._table.observed = self._table.outside_observers = 1
        self._state: Any = None  # while the engine works: the state it works on
        self._answers: Iterator[int] = iter(())  # of chance, that are not used yet
        kind: Any = game.view
        self._seen = [field.name for field in fields_of(kind) if field.name not in ("random_stream", "legal")]

    # -- what happens --

    def step(self) -> Over | Ask | Chance:
        """Carry out what was decided, and say what must be decided next. The view of an `Ask` is the whole state, shown to that seat."""
        state, answers = self.moment
        if state is None or answers:
            try:
                state = self._deal(answers) if state is None else self._apply(state, answers)
            except Undecided as undecided:
                return Chance(undecided.outcomes)
            self.moment = Moment(state, ())
        return Over() if self.game.verbs["is_over"](state) else Ask(state.current, state)

    def take(self, *answers: int) -> None:
        """Answer the last step: an action, or one of the outcomes of chance; further answers are outcomes of what chance is asked then."""
        self.moment = Moment(self.moment.state, self.moment.answers + answers)

    def _deal(self, answers: tuple[int, ...]) -> Any:
        self._state, self._answers = self._lineup.new_state(), iter(answers)
        self._kernels.start_game(self._table, self._state, 0, 0)
        return self._state

    def _apply(self, before: Any, answers: tuple[int, ...]) -> Any:
        self._state, self._answers = self._copy(before), iter(answers[1:])
        self._state.event_count = 0
        self._table.answer = answers[0]
        if self._kernels.take_action(self._table, self._state, CHOSEN) == FAULT:
            raise BadValue(f"a seat {illegal(self._lineup, answers[0])}.")
        return self._state

    def _copy(self, state: Any) -> Any:
        """A state to play on with."""
        return copy_record(state)

    def _below(self, position: int, bound: int) -> tuple[int, int]:
        """In place of a random number below a bound."""
        return position, self._choose(range(bound), [1 / bound] * bound)

    def _choose(self, choices: Sequence[int], chances: Sequence[float]) -> int:
        """What chance does, of several choices with their probabilities."""
        if len(choices) == 1 and chances[0] == 1:
            return choices[0]
        for answer in self._answers:
            return answer
        outcomes = list(zip(choices, chances, strict=True))
        raise Undecided(outcomes[1:] + outcomes[:1])  # in this order the positions of solved games have always been numbered

    # -- how it stands --

    @property
    def state(self) -> Any:
        """The state in which a seat was last asked, shown to that seat."""
        return self.moment.state

    def look(self, seat: int, kind: type | None = None) -> Any:
        """What a seat sees: a copy, as the game's view or of another `kind`."""
        self.game.verbs["show"](self.state, seat)
        view = copy_record(self.state, kind or self.game.view)
        self.game.verbs["show_actor"](self.state)
        return view

    def events(self) -> list[Any]:
        """The events of the last action."""
        return events_of(self.game, self.state)

    def news(self, seat: int) -> Iterable[Hashable]:
        """What a seat has learnt from the deal or the last action, one thing after another: every event, and what it sees then."""
        for event in self.events():
            yield tuple(vars(event).values())
        view = self.look(seat)
        yield tuple(tuple(value) if isinstance(value, list) else value for value in (getattr(view, name) for name in self._seen))

    def result(self) -> float:
        """What a finished deal of two brings seat 0; seat 1 gets the opposite."""
        winner, points = self.game.verbs["result_of"](self.state)
        return 0.0 if winner < 0 else float(points if winner == 0 else -points)

    def ending(self) -> str:
        """How a finished deal ended, in a word or two."""
        end = self.game.outcome(self.state)
        return f"won by {end['winner']}" if end["winner"] is not None else str(end["status"])

    # -- what bots and searches go by, in games where that matters --

    def hand(self, seat: int) -> tuple[int, ...]:
        """The cards that a seat was dealt, where their order may matter to a bot."""
        return ()

    def arrange(self, seat: int, reading: int, order: tuple[int, ...]) -> None:
        """Put a hand in an order, to be read in a way."""

    def cards(self) -> tuple[int, int]:
        """How many cards are in each hand: what a search with a horizon goes by."""
        return 0, 0

    def copies(self, action: int) -> int:
        """How many copies of the card that an action plays are held by who plays it; 1 for any other action."""
        return 1


def open_game(game: GameDefinition, rules: Any) -> OpenSitting:
    """A game of two with its chance laid open, by its own means or by those that fit any."""
    made: OpenSitting = (game.face.load("solver") or OpenSitting)(game, rules)
    return made
