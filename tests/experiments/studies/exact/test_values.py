"""Exact values of actions against a slow and obvious reckoning with the engine alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from math import prod

import numpy as np
import pytest

from kibitz.experiments.studies.exact.game_tree import Tree
from kibitz.experiments.studies.exact.uno.references import draws_prove
from kibitz.experiments.studies.exact.values import NO_DEPTH, WIN, open_values, policy_values, settled_sets
from kibitz.games.uno.cards import DRAW
from kibitz.games.uno.counts import counts_from
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import State
from kibitz.games.uno.view import WON
from kibitz.play.open_sitting import NEW_DEAL, Moment
from kibitz.play.sitting import Chance
from kibitz.search.exact.response import choices_from
from tests.experiments.studies.exact.games import PAIRS, everything_after, tree_of

# Three of some cards, so that copies matter more, and games that run out of cards.
COPIES = "numbers,deck=r1*3/r2*2/g1/g2*2,hand_size=2,starter=seat_0"


class Found:
    """A position that was found again: its moment, its chance, and how many copies each player held of what it played."""

    def __init__(self, tree: Tree, place: int) -> None:
        node, sitting = tree.positions[place], tree.sitting
        parent = Found(tree, node.parent) if node.parent >= 0 else None
        self.moment: Moment = parent.moment if parent else NEW_DEAL
        self.chance: float = parent.chance if parent else 1.0
        self.copies: list[tuple[int, int]] = parent.copies if parent else []
        if parent and node.action < DRAW:
            state = parent.moment.state
            hand = counts_from((state.hands0[state.current], state.hands1[state.current], state.hands2[state.current]))
            self.copies = [*parent.copies, (state.current, hand[node.action])]
        sitting.moment = self.moment
        for answer in node.answers:
            asked = sitting.step()
            if isinstance(asked, Chance):
                self.chance *= dict(asked.outcomes)[answer]
            sitting.take(answer)
        sitting.step()
        self.moment = sitting.moment


def result(state: State) -> float:
    """What seat 0 gets."""
    return 0.0 if state.status != WON else 1.0 if state.winner == 0 else -1.0


def after(tree: Tree, moment: Moment, action: int) -> Iterator[tuple[Moment, float]]:
    """All that an action can lead to."""
    return everything_after(tree.sitting, Moment(moment.state, (action,)))


def value_at_random(tree: Tree, moment: Moment) -> float:
    """What seat 0 gets if both play any legal action."""
    actions = tree.sitting.game.legal_actions(moment.state)
    if not actions:
        return result(moment.state)
    return sum(step_at_random(tree, moment, action) for action in actions) / len(actions)


def step_at_random(tree: Tree, moment: Moment, action: int) -> float:
    return sum(chance * value_at_random(tree, found) for found, chance in after(tree, moment, action))


def value_open(tree: Tree, moment: Moment, depth: int) -> float:
    """What seat 0 gets if both see both hands."""
    actions, state = tree.sitting.game.legal_actions(moment.state), moment.state
    if not actions:
        return result(state)
    if depth == 0:
        return float(state.sizes[1] - state.sizes[0]) / WIN
    values = [step_open(tree, moment, action, depth) for action in actions]
    return max(values) if state.current == 0 else min(values)


def step_open(tree: Tree, moment: Moment, action: int, depth: int) -> float:
    return sum(chance * value_open(tree, found, depth - 1) for found, chance in after(tree, moment, action))


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
                "random": [step_at_random(tree, found.moment, action) for found in positions],
                "three": [step_open(tree, found.moment, action, 3) for found in positions],
                "whole": [step_open(tree, found.moment, action, 100) for found in positions],
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
    def runs_out(tree: Tree, moment: Moment) -> bool:
        actions = tree.sitting.game.legal_actions(moment.state)
        if not actions:
            return bool(moment.state.status != WON)
        return any(runs_out(tree, found) for action in actions for found, _ in after(tree, moment, action))

    tree = tree_of(COPIES)
    settled = settled_sets(tree, 1)
    assert settled.any() and not settled.all()
    for number, positions in positions_of(tree, 1).items():
        assert settled[number] == (not any(runs_out(tree, found.moment) for found in positions))


@pytest.mark.parametrize("rules", ["classic", "numbers,must_play=off", "hearn,drawn_card=may_play"])
def test_draws_that_prove_nothing(rules: str) -> None:
    assert draws_prove(parse_rules("numbers")) and not draws_prove(parse_rules(rules))
