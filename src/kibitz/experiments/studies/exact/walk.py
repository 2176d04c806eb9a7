"""How a bot plays a tree: its mind is led to every information set that it can reach, and its answers become a plan.

It is led along one line of play to each information set; that it would answer the same on any other line is what a view promises,
and tests check.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np

from kibitz.core.errors import BadValue
from kibitz.experiments.studies.exact.game_tree import Node, Tree
from kibitz.experiments.studies.exact.minds import Mind
from kibitz.play.open_sitting import NEW_DEAL, NO_ORDER, Moment
from kibitz.search.exact.sequences import Floats

Heard = Callable[[int, dict[int, float]], None]  # of the number of an information set, and the answer there


def _nobody(number: int, chances: dict[int, float]) -> None:
    """Nobody listens."""


def plan_of(tree: Tree, mind: Mind, seat: int, last_positions: bool = False, everywhere: bool = False, heard: Heard = _nobody) -> Floats:
    """The plan by which a bot plays in a seat.

    It is led along the first line of the tree to each information set, or along the last one; `everywhere` also to those where its own
    choices would not lead. `heard` is told of every answer.
    """
    return _Walk(tree, mind, seat, last_positions, everywhere, heard).plan


def choices_of(tree: Tree, mind: Mind, seat: int) -> Floats:
    """What a bot does at every information set of a seat, also where it would never get to: the chance of each sequence's action."""
    if mind.hand_reading != NO_ORDER:
        raise BadValue("a bot that reads the order of its hand has no choices by information set: that order is not part of it.")
    side = tree.sides[seat]
    choices = np.ones(side.sequences)

    def note(number: int, chances: dict[int, float]) -> None:
        for sequence in side.sequences_of(number):
            choices[sequence] = chances.get(int(side.actions[sequence]), 0.0)

    plan_of(tree, mind, seat, everywhere=True, heard=note)
    return choices


class _Walk:
    """One bot in one seat of a tree."""

    def __init__(self, tree: Tree, mind: Mind, seat: int, last_positions: bool, everywhere: bool, heard: Heard) -> None:
        self.tree, self.sitting, self.mind, self.seat = tree, tree.sitting, mind, seat
        self.everywhere, self.heard = everywhere, heard
        self.side = tree.sides[seat]
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
            # The orders in which somebody may have got its first cards are equally likely.
            orders = sorted(set(permutations(hand))) if mind.hand_reading != NO_ORDER else [()]
            for order in orders:
                self.answers.clear()
                for dealt in deals:
                    self._lead(*dealt, order, 1 / len(orders))

    def _deals(self) -> dict[tuple[int, ...], list[tuple[int, Moment]]]:
        """The deals to be shown, by the bot's own cards."""
        found: dict[tuple[int, ...], list[tuple[int, Moment]]] = {}
        for place in self.children.get(-1, []):
            self._go_on(NEW_DEAL, place)
            found.setdefault(self.sitting.hand(self.seat), []).append((place, self.sitting.moment))
        return found

    def _go_on(self, moment: Moment, place: int) -> None:
        """From the moment of its parent to a position."""
        self.sitting.moment = moment
        self.sitting.take(*self.tree.positions[place].answers)
        self.sitting.step()

    def _lead(self, deal: int, dealt: Moment, order: tuple[int, ...], reach: float) -> None:
        """Lead the bot through everything that follows from a deal; `reach` is the chance of its own choices so far."""
        self.sitting.moment = dealt
        if order:
            self.sitting.arrange(self.seat, self.mind.hand_reading, order)
        self.mind.begin(self.sitting, self.seat)
        stack = [(deal, self.sitting.moment, self.mind.memory(), reach)]
        while stack:
            place, moment, memory, reach = stack.pop()
            self.mind.remember(memory)
            if place != deal:
                self._go_on(moment, place)
                self.mind.tell(self.sitting, self.seat)
            chances = self._answer(self.tree.positions[place], reach)
            memory = self.mind.memory()
            for child in self.children.get(place, []):
                share = 1.0 if chances is None else chances.get(self.tree.positions[child].action, 0.0)
                if share > 0 or self.everywhere:
                    stack.append((child, self.sitting.moment, memory, reach * share))

    def _answer(self, node: Node, reach: float) -> dict[int, float] | None:
        """What the bot does at a position, None if it has nothing to decide there; asked once at each information set."""
        number = node.information
        if node.seat != self.seat or number < 0:
            return None
        if number in self.answers:
            chances, memory = self.answers[number]
            self.mind.remember(memory)
            return chances
        chances = self.mind.answer(self.sitting)
        self.heard(number, chances)
        self.answers[number] = chances, self.mind.memory()
        for sequence in self.side.sequences_of(number):
            self.plan[sequence] += reach * chances.get(int(self.side.actions[sequence]), 0.0)
        return chances
