"""Exact values of actions against a slow and obvious reckoning with the engine alone."""

from __future__ import annotations

from collections import defaultdict
from math import prod

import numpy as np
import pytest

from kibitz.core.errors import BadValue
from kibitz.games.uno.cards import DRAW
from kibitz.games.uno.counts import counts_from
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import State
from kibitz.games.uno.view import WON
from kibitz.search.exact.response import choices_from
from kibitz.search.exact.tree import Tree
from kibitz.search.exact.values import NO_DEPTH, WIN, check_belief, open_values, policy_values, settled_sets
from tests.search.exact.games import PAIRS, tree_of

# Three of some cards, so that copies matter more, and games that run out of cards.
COPIES = "numbers,deck=r1*3/r2*2/g1/g2*2,hand_size=2,starter=seat_0"


class Found:
    """A position that was found again by its scripts: the state, its chance, and how many copies each player held of what it played."""

    def __init__(self, tree: Tree, place: int) -> None:
        position = tree.positions[place]
        if position.parent < 0:
            self.state = tree.engine.deal(position.script)
            self.chance = next(deal.probability for deal in tree.engine.deals() if deal.script == position.script)
            self.copies: list[tuple[int, int]] = []
            return
        before = Found(tree, position.parent)
        seat = int(before.state.current)
        self.copies = before.copies
        if position.action < DRAW:
            hand = counts_from((before.state.hands0[seat], before.state.hands1[seat], before.state.hands2[seat]))
            self.copies = [*before.copies, (seat, hand[position.action])]
        after = next(found for found in tree.engine.after(before.state, position.action) if found.script == position.script)
        self.state, self.chance = after.state, before.chance * after.probability


def result(state: State) -> float:
    """What seat 0 gets."""
    return 0.0 if state.status != WON else 1.0 if state.winner == 0 else -1.0


def value_at_random(tree: Tree, state: State) -> float:
    """What seat 0 gets if both play any legal action."""
    actions = tree.engine.legal_actions(state)
    if not actions:
        return result(state)
    return sum(step_at_random(tree, state, action) for action in actions) / len(actions)


def step_at_random(tree: Tree, state: State, action: int) -> float:
    return sum(found.probability * value_at_random(tree, found.state) for found in tree.engine.after(state, action))


def value_open(tree: Tree, state: State, depth: int) -> float:
    """What seat 0 gets if both see both hands."""
    actions = tree.engine.legal_actions(state)
    if not actions:
        return result(state)
    if depth == 0:
        return float(state.sizes[1] - state.sizes[0]) / WIN
    values = [step_open(tree, state, action, depth) for action in actions]
    return max(values) if state.current == 0 else min(values)


def step_open(tree: Tree, state: State, action: int, depth: int) -> float:
    return sum(found.probability * value_open(tree, found.state, depth - 1) for found in tree.engine.after(state, action))


def positions_of(tree: Tree, seat: int) -> dict[int, list[Found]]:
    """The positions of some information sets of a seat: every third one."""
    found: dict[int, list[Found]] = defaultdict(list)
    for place, position in enumerate(tree.positions):
        if position.seat == seat and position.information >= 0 and position.information % 3 == 0:
            found[position.information].append(Found(tree, place))
    return found


@pytest.mark.parametrize("rules", [PAIRS, COPIES])
@pytest.mark.parametrize("seat", [0, 1])
def test_values_by_brute_force(rules: str, seat: int) -> None:
    tree = tree_of(rules)
    side = tree.sides[seat]
    first, second = (choices_from(each, np.zeros(each.sequences)) for each in tree.sides)
    exact = {
        "random": policy_values(tree, (first, second), seat),
        "three": open_values(tree, seat, 3),
        "whole": open_values(tree, seat, NO_DEPTH),
    }
    sets = positions_of(tree, seat)
    assert len(sets) > 10 and max(len(found) for found in sets.values()) > 2
    for number, positions in sets.items():
        weights = [found.chance * prod(copies for who, copies in found.copies if who != seat) for found in positions]
        for sequence in range(side.starts[number], side.starts[number] + side.counts[number]):
            action = int(side.actions[sequence])
            steps = {
                "random": [step_at_random(tree, found.state, action) for found in positions],
                "three": [step_open(tree, found.state, action, 3) for found in positions],
                "whole": [step_open(tree, found.state, action, 100) for found in positions],
            }
            for name, values in steps.items():
                mean = sum(weight * value for weight, value in zip(weights, values, strict=True)) / sum(weights)
                assert exact[name][sequence] == pytest.approx(mean if seat == 0 else -mean, abs=1e-12), name


def test_copies_change_what_is_believed() -> None:
    """Who plays one of two equal cards is likelier to have held both: values differ from those by the cards alone."""
    tree = tree_of(COPIES)
    assert any(position.copies > 1 for position in tree.positions)
    assert {position.copies for position in tree_of("numbers,deck=r1/r2/r3/g1/g2/g3,hand_size=2").positions} == {1}


def test_sets_that_can_run_out_of_cards() -> None:
    def runs_out(tree: Tree, state: State) -> bool:
        actions = tree.engine.legal_actions(state)
        if not actions:
            return state.status != WON
        return any(runs_out(tree, found.state) for action in actions for found in tree.engine.after(state, action))

    tree = tree_of(COPIES)
    settled = settled_sets(tree, 1)
    assert settled.any() and not settled.all()
    for number, positions in positions_of(tree, 1).items():
        assert settled[number] == (not any(runs_out(tree, found.state) for found in positions))


@pytest.mark.parametrize("rules", ["classic", "numbers,must_play=off", "hearn,drawn_card=may_play"])
def test_draws_that_prove_nothing_are_refused(rules: str) -> None:
    with pytest.raises(BadValue, match=r"must_play=on, drawn_card=may_not_play"):
        check_belief(parse_rules(rules))
