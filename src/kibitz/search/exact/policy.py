"""How somebody plays a tree: a player is led to every information set it can reach, and its answers become a plan.

A player is shown states of the engine, from which it takes its seat's view and nothing else. It is led along one line of play
to each information set; that it would answer the same on any other line is what a view promises, and tests check.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any, NamedTuple, Protocol

import numpy as np

from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record
from kibitz.games.uno.cards import MAX_CARDS
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.state import NO_ORDER, State
from kibitz.search.exact.chance import OpenEngine
from kibitz.search.exact.sequences import Floats
from kibitz.search.exact.tree import Position, Tree


class Player(Protocol):
    """Somebody who can be led through a game, and back to where it was."""

    hand_reading: int  # how it reads the order of its hand: NO_ORDER, NEWEST_FIRST or OLDEST_FIRST

    def begin(self, state: State, seat: int) -> None:
        """Sit down at a state that has just been dealt."""

    def tell(self, state: State, seat: int) -> None:
        """Hear of the events of the last action."""

    def answer(self, state: State, seat: int) -> dict[int, float]:
        """The chance of each action in a state in which the seat must decide."""

    def memory(self) -> Any:
        """What the player keeps in mind, to be put back later."""

    def remember(self, memory: Any) -> None:
        """Put back what `memory` gave."""


Listener = Callable[[int, dict[int, float]], None]


def _nobody(number: int, chances: dict[int, float]) -> None:
    """Nobody listens."""


def plan_of(
    tree: Tree, player: Player, seat: int, last_positions: bool = False, everywhere: bool = False, listen: Listener = _nobody
) -> Floats:
    """The plan by which a player plays in a seat.

    The player is led along the first line of the tree to each information set, or along the last one; `everywhere` also to those
    where its own choices would not lead. `listen` is told of the number of each set and the answer there.
    """
    return _Walk(tree, player, seat, last_positions, everywhere, listen).plan


def choices_of(tree: Tree, player: Player, seat: int) -> Floats:
    """What a player does at every information set of a seat, also where it would never get to: the chance of each sequence's action."""
    if player.hand_reading != NO_ORDER:
        raise BadValue("a bot that reads the order of its hand has no choices by information set: that order is not part of it.")
    side = tree.sides[seat]
    choices = np.ones(side.sequences)

    def note(number: int, chances: dict[int, float]) -> None:
        start = int(side.starts[number])
        for sequence in range(start, start + int(side.counts[number])):
            choices[sequence] = chances.get(int(side.actions[sequence]), 0.0)

    plan_of(tree, player, seat, everywhere=True, listen=note)
    return choices


class _Step(NamedTuple):
    """A position to be shown, with the player's memory before the last action and the chance of its own choices so far."""

    position: int
    state: State | None  # before the last action; None for a deal
    memory: Any
    reach: float


class _Walk:
    """One player in one seat of a tree."""

    def __init__(self, tree: Tree, player: Player, seat: int, last_positions: bool, everywhere: bool, listen: Listener) -> None:
        self.tree, self.player, self.seat = tree, player, seat
        self.everywhere, self.listen = everywhere, listen
        self.side = tree.sides[seat]
        self.engine: OpenEngine = tree.engine
        self.copy = self.engine.copy if player.hand_reading == NO_ORDER else copy_record
        shown = (self.side.last_positions if last_positions else self.side.first_positions).tolist()
        self.children: dict[int, list[int]] = {}
        needed: set[int] = set()
        for found in shown:
            place = found
            while place >= 0 and place not in needed:
                needed.add(place)
                parent = tree.positions[place].parent
                self.children.setdefault(parent, []).append(place)
                place = parent
        self.plan = np.zeros(self.side.sequences)
        self.plan[0] = 1.0
        self.answers: dict[int, tuple[dict[int, float], Any]] = {}
        for hand, deals in self._deals().items():
            orders = _orders(hand) if player.hand_reading != NO_ORDER else [()]
            for order in orders:
                self.answers.clear()
                for dealt in deals:
                    self._lead(*dealt, order, 1 / len(orders))

    def _deals(self) -> dict[tuple[int, ...], list[tuple[int, State]]]:
        """The deals to be shown, by the player's own cards."""
        found: dict[tuple[int, ...], list[tuple[int, State]]] = {}
        for place in self.children.get(-1, []):
            state = self.engine.deal(self.tree.positions[place].script)
            hand = cards_from((state.hands0[self.seat], state.hands1[self.seat], state.hands2[self.seat]))
            found.setdefault(tuple(hand), []).append((place, state))
        return found

    def _lead(self, deal: int, dealt: State, order: tuple[int, ...], reach: float) -> None:
        """Lead the player through everything that follows from a deal."""
        state = copy_record(dealt)
        if order:
            state.any_ordered = 1
            state.ordered[self.seat] = self.player.hand_reading
            state.orders[self.seat * MAX_CARDS : self.seat * MAX_CARDS + len(order)] = order
        self.engine.show_actor(state)
        self.player.begin(state, self.seat)
        self._visit(deal, state, reach)

    def _visit(self, deal: int, dealt: State, reach: float) -> None:
        stack = [_Step(deal, None, self.player.memory(), reach)]
        while stack:
            step = stack.pop()
            position = self.tree.positions[step.position]
            self.player.remember(step.memory)
            if step.state is None:
                state = dealt
            else:
                state = self.copy(step.state)
                self.engine.apply(state, position.action, position.script)
                self.player.tell(state, self.seat)
            chances = self._answer(position, state, step.reach)
            memory = self.player.memory()
            for child in self.children.get(step.position, []):
                share = 1.0 if chances is None else chances.get(self.tree.positions[child].action, 0.0)
                if share > 0 or self.everywhere:
                    stack.append(_Step(child, state, memory, step.reach * share))

    def _answer(self, position: Position, state: State, reach: float) -> dict[int, float] | None:
        """What the player does at a position, None if it has nothing to decide there; asked once at each information set."""
        number = position.information
        if position.seat != self.seat or number < 0:
            return None
        if number in self.answers:
            chances, memory = self.answers[number]
            self.player.remember(memory)
            return chances
        chances = self.player.answer(state, self.seat)
        self.listen(number, chances)
        self.answers[number] = chances, self.player.memory()
        start = int(self.side.starts[number])
        for sequence in range(start, start + int(self.side.counts[number])):
            self.plan[sequence] += reach * chances.get(int(self.side.actions[sequence]), 0.0)
        return chances


def _orders(hand: tuple[int, ...]) -> list[tuple[int, ...]]:
    """The orders in which somebody may have got its first cards, all equally likely."""
    return sorted(set(permutations(hand)))
