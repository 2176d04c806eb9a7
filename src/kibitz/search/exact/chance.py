"""The engine with its chance laid open: every deal and every draw, each with its probability.

The rules are those of `kibitz.games.uno`, bound anew so that a random number becomes a choice between all it could be.
Without refills a game that needs a card from an empty draw pile ends there, and nobody has won.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import factorial, prod
from typing import Any, NamedTuple

from kibitz.core.errors import BadValue
from kibitz.core.jit import number, specialise_modules
from kibitz.core.layouts import copy_record, fields_of
from kibitz.games.uno import dealing, effects, engine, piles, turns, windows
from kibitz.games.uno.cards import MAX_CARDS, WILD_SHUFFLE_HANDS
from kibitz.games.uno.rules import Rules
from kibitz.games.uno.state import SEAT_0, State, new_state
from kibitz.games.uno.view import CUT_OFF, NO_SEAT

PLAYERS = 2

# What no action under these rules writes to: copies of a state share it, as tuples, so that a mistake would show.
_SHARED = ("full_deck", "wrap", "orders", "order", "seat_streams", "scores", "shuffled", "ordered")
_KNOWLEDGE = ("known0", "known1", "known2", "knowledge0", "knowledge1", "knowledge2")
Script = tuple[int, ...]


class Outcome(NamedTuple):
    """What chance made of a deal or an action: the state, how likely it was, its choices, and (seat, card) of each card drawn."""

    state: State
    probability: float
    script: Script
    drawn: tuple[tuple[int, int], ...]


class OpenEngine:
    """Two-player UNO under some rules, in which the caller decides about chance.

    `deals` and `after` give every outcome; `deal` and `apply` repeat one of them from its script.
    """

    def __init__(self, rules: Rules, refills: bool = False) -> None:
        rules.check_players(PLAYERS)
        if rules.seven_zero or rules.jump_in or rules.deck[WILD_SHUFFLE_HANDS]:
            raise BadValue(
                f"rules '{rules.name}' cannot be solved: seven_zero and jump_in must be off, and the deck without Wild Shuffle Hands."
            )
        # Early refills would end the game with the last card of the pile instead of the first one that is missing.
        self.rules = rules if refills else replace(rules, refill="when_needed")
        bindings: dict[str, Any] = {"below": self._choose_place, "weigh_draw": self._note_draw}
        if not refills:
            bindings["refill"] = _end_game
        self._verbs = specialise_modules(piles, turns, effects, windows, dealing, engine, HOUSE=True, **bindings)
        self._shared = _SHARED if rules.wild_draw_four == "challenge" else _SHARED + _KNOWLEDGE
        self._changing = [field.name for field in fields_of(State) if field.length and field.name not in self._shared]
        self._blank = self._state = new_state(self.rules, PLAYERS)
        self._script: list[int] = []
        self._options: list[Sequence[int]] = []  # behind each choice: those not tried yet
        self._chosen: list[int] = []
        self._probability = 1.0
        self._drawn: list[tuple[int, int]] = []
        self._dealing = False

    # -- the verbs --

    def deals(self) -> Iterator[Outcome]:
        """Every deal: hands as sets of cards, who begins, and the opening card. The order of hands is not kept in them."""
        for outcome in self._every_way(self._deal):
            for name in self._shared:
                setattr(outcome.state, name, tuple(getattr(outcome.state, name)))
            yield outcome

    def deal(self, script: Script) -> State:
        """The deal of a script."""
        return self._one_way(self._deal, script).state

    def after(self, state: State, action: int) -> Iterator[Outcome]:
        """Everything an action can lead to; the state itself is left alone."""
        return self._every_way(lambda: self._apply(self.copy(state), action))

    def apply(self, state: State, action: int, script: Script) -> None:
        """Carry out an action as it went in a script."""
        self._one_way(lambda: self._apply(state, action), script)

    def copy(self, state: State) -> State:
        """A copy for play on in which the order of no hand is kept; what does not change then is shared."""
        twin: State = State.__new__(State)
        fields = twin.__dict__
        fields.update(state.__dict__)
        for name in self._changing:
            fields[name] = fields[name][:]
        return twin

    def legal_actions(self, state: State) -> list[int]:
        """Every legal action, none once the game is over."""
        return engine.legal_actions(state)

    def show_actor(self, state: State) -> None:
        """Show a state anew to the player to act."""
        engine.show_actor(state)

    def _deal(self) -> State:
        self._state = state = copy_record(self._blank)
        state.observed = 1
        self._dealing = True
        self._verbs["deal"](state, 0)
        self._dealing = False
        for seat in range(PLAYERS):
            # Hands are dealt in ascending order here: one way out of all that give the same cards.
            dealt = Counter(state.orders[seat * MAX_CARDS : seat * MAX_CARDS + state.initial_hand])
            self._probability *= factorial(state.initial_hand) / prod(factorial(count) for count in dealt.values())
        return state

    def _apply(self, state: State, action: int) -> State:
        self._state = state
        state.event_count = 0
        self._verbs["apply"](state, action)
        return state

    # -- chance --

    def _choose_place(self, position: int, bound: int) -> tuple[int, int]:
        """In place of a random number below a bound."""
        state, place = self._state, len(self._chosen)
        pile = state.pile[:bound]
        counts = Counter(pile)
        cards = sorted(counts)
        if self._dealing:
            dealt = PLAYERS * state.initial_hand
            if place == dealt:
                return position, self._choose_dealer()
            if place < dealt and place % state.initial_hand:
                cards = [card for card in cards if card >= self._chosen[-1]]
            elif place == dealt + 1:
                cards = [card for card in cards if not dealing.goes_back(state, card)] or cards
                bound = sum(counts[card] for card in cards)
        return position, pile.index(self._choose(cards, [counts[card] / bound for card in cards]))

    def _choose_dealer(self) -> int:
        if self._state.starter == SEAT_0 or self._state.set_dealer != NO_SEAT:  # then it does not matter
            return self._choose([0], [1.0])
        return self._choose(range(PLAYERS), [1 / PLAYERS] * PLAYERS)

    def _choose(self, options: Sequence[int], chances: Sequence[float]) -> int:
        place = len(self._chosen)
        if place < len(self._script):
            choice = self._script[place]
        else:
            if not options:
                raise _DeadEnd
            choice = options[0]
            self._options.append(options[1:])
        self._chosen.append(choice)
        self._probability *= chances[options.index(choice)]
        return choice

    def _note_draw(self, state: State, seat: int, owed: int, size: int, card: int) -> None:
        self._drawn.append((number(seat), card))

    def _one_way(self, make: Callable[[], State], script: Script) -> Outcome:
        self._script, self._options, self._chosen = list(script), [], []
        self._probability, self._drawn = 1.0, []
        state = make()
        return Outcome(state, self._probability, tuple(self._chosen), tuple(self._drawn))

    def _every_way(self, make: Callable[[], State]) -> Iterator[Outcome]:
        """What is made, once for every sequence of choices."""
        scripts: list[Script] = [()]
        while scripts:
            script = scripts.pop()
            try:
                outcome = self._one_way(make, script)
            except _DeadEnd:
                outcome = None
            for place, options in enumerate(self._options, len(script)):
                scripts.extend((*self._chosen[:place], option) for option in options)
            if outcome is not None:
                yield outcome


class _DeadEnd(Exception):
    """No card is left that would keep a hand in ascending order."""


def _end_game(state: State) -> None:
    """In place of a refill."""
    state.status = CUT_OFF
