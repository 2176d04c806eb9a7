"""What each action is worth to a player who does not look into why its opponent played as it did: what a search estimates, exactly.

A search deals the hidden cards out anew and tries actions. It believes whatever the rules prove and the cards allow, and takes no
card that was played for a sign of those that were not: as if the opponent had drawn it blindly from its hand. A hand is then as
likely as it was dealt, times the number of copies it held of each card at the moment that card was played. Of what follows there
are two values here: with everybody keeping to known choices, as in a rollout (`policy_values`), and with everybody seeing all hands
and playing as well as that allows, as in a minimax of each sampled world (`open_values`). Wins count 1, losses -1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kibitz.experiments.studies.exact.game_tree import Tree
from kibitz.search.exact.response import plan_from
from kibitz.search.exact.sequences import Floats, Side, add_up

Choices = tuple[Floats, Floats]
WIN = 100.0  # what a game is worth to a search that counts in points; a card is worth 1
NO_DEPTH = -1
TIES = 1e-9


class Reference(NamedTuple):
    """Exact values of actions, by seat and sequence. `compared` has nan where a search and the solved game are not about the same."""

    name: str
    values: tuple[Floats, Floats]
    compared: tuple[Floats, Floats]

    def plans(self, tree: Tree) -> tuple[Floats, Floats]:
        """How a search plays that knows these values: the best action everywhere, of equally good ones each as often."""
        first, second = (plan_from(side, best_choices(side, values)) for side, values in zip(tree.sides, self.values, strict=True))
        return first, second


def best_choices(side: Side, values: Floats) -> Floats:
    """The chance of each action if the best is taken, of several best ones by lot."""
    choices: Floats = np.ones(side.sequences)
    for start, count in zip(side.starts.tolist(), side.counts.tolist(), strict=True):
        stretch = values[start : start + count]
        best = stretch >= stretch.max() - TIES
        choices[start : start + count] = best / best.sum()
    return choices


def blind_chances(tree: Tree, seat: int) -> Floats:
    """How likely each position is to a seat, up to a factor for each of its information sets: the cards, and blind plays of the other."""
    weights: Floats = np.empty(len(tree.positions))
    for place, position in enumerate(tree.positions):
        weight = 1.0
        if position.parent >= 0:
            weight = float(weights[position.parent])
            if tree.positions[position.parent].seat != seat:
                weight *= position.copies
        weights[place] = weight
    return weights


def settled_sets(tree: Tree, seat: int) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """The information sets from which every game ends with a winner: no card is ever missing, so that a refill plays no part."""
    unsettled = np.zeros(len(tree.positions), dtype=bool)
    for ending in tree.endings:
        if ending.result == 0 and ending.parent >= 0:
            unsettled[ending.parent] = True
    settled = np.ones(tree.sides[seat].sets, dtype=bool)
    for place in range(len(tree.positions) - 1, -1, -1):  # whatever follows a position has a higher number
        position = tree.positions[place]
        if unsettled[place]:
            if position.parent >= 0:
                unsettled[position.parent] = True
            if position.seat == seat and position.information >= 0:
                settled[position.information] = False
    return settled


def policy_values(tree: Tree, choices: Choices, seat: int) -> Floats:
    """The value of each action to a seat if everybody then makes the given choices, by sequence; nan for sequence 0."""
    weights = blind_chances(tree, seat)
    side = tree.sides[seat]
    masses = np.zeros(len(tree.positions))  # the chance of what follows x what it brings seat 0
    sums = np.zeros(side.sequences)

    def pass_on(parent: int, action: int, mass: float) -> None:
        actor, sequence = tree.positions[parent].seat, _sequence(tree, parent, action)
        if sequence < 0:
            masses[parent] += mass
            return
        masses[parent] += mass * choices[actor][sequence]
        if actor == seat:
            sums[sequence] += weights[parent] * mass

    for ending in tree.endings:
        if ending.parent >= 0:
            pass_on(ending.parent, ending.action, ending.chance * ending.result)
    for place in range(len(tree.positions) - 1, -1, -1):
        position = tree.positions[place]
        if position.parent >= 0:
            pass_on(position.parent, position.action, float(masses[place]))
    return _means(tree, seat, sums if seat == 0 else -sums, weights)


def open_values(tree: Tree, seat: int, depth: int = NO_DEPTH) -> Floats:
    """The value of each action to a seat if both then see all hands and look `depth` actions ahead, by sequence; nan for sequence 0.

    The action itself is the first of them. At the horizon a card more in the opponent's hand is worth 1 / WIN. Cards still to be
    drawn are unknown to both. NO_DEPTH goes to the end of every game.
    """
    places = np.arange(len(tree.positions))
    parents = np.array([position.parent for position in tree.positions] + [ending.parent for ending in tree.endings])
    actions = np.array([position.action for position in tree.positions] + [ending.action for ending in tree.endings])
    chances = np.array([position.chance for position in tree.positions] + [ending.chance for ending in tree.endings])
    inner = parents >= 0
    results = np.array([ending.result for ending in tree.endings], dtype=np.float64)
    seats = np.array([position.seat for position in tree.positions])
    pairs, groups = np.unique(np.stack([parents[inner], actions[inner]]), axis=1, return_inverse=True)
    groups = groups.reshape(-1)
    owners = pairs[0]
    shares = chances[inner] / chances[parents[inner]]
    horizon = np.array([position.cards[1] - position.cards[0] for position in tree.positions]) / WIN
    values = horizon  # to seat 0
    worth = np.zeros(len(owners))
    for _ in range(depth if depth != NO_DEPTH else len(tree.decisions) + 1):
        worth = add_up(groups, shares * np.concatenate([values, results])[inner], len(owners))
        best = np.full(len(places), -np.inf)
        np.maximum.at(best, owners, np.where(seats[owners] == 0, worth, -worth))
        values = np.where(seats == 0, best, -best)
    weights = blind_chances(tree, seat)
    side = tree.sides[seat]
    sums = np.zeros(side.sequences)
    numbers = {(int(parent), int(action)): place for place, (parent, action) in enumerate(pairs.T)}
    sign = 1.0 if seat == 0 else -1.0
    for place, position in enumerate(tree.positions):
        if position.seat != seat or position.information < 0:
            continue
        for sequence in side.sequences_of(position.information):
            value = worth[numbers[place, int(side.actions[sequence])]]
            sums[sequence] += sign * weights[place] * position.chance * value
    return _means(tree, seat, sums, weights)


def _sequence(tree: Tree, parent: int, action: int) -> int:
    """The sequence of the choice that led somewhere, -1 if there was none."""
    if parent < 0 or tree.positions[parent].information < 0:
        return -1
    side = tree.sides[tree.positions[parent].seat]
    return next(place for place in side.sequences_of(tree.positions[parent].information) if side.actions[place] == action)


def _means(tree: Tree, seat: int, sums: Floats, weights: Floats) -> Floats:
    """Sums over the positions of an information set, divided by how likely it is."""
    side = tree.sides[seat]
    totals = np.zeros(side.sets)
    for place, position in enumerate(tree.positions):
        if position.seat == seat and position.information >= 0:
            totals[position.information] += weights[place] * position.chance
    means: Floats = np.full(side.sequences, np.nan)
    means[1:] = sums[1:] / totals[side.owners[1:]]
    return means
