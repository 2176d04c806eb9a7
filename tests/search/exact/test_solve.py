"""Equilibria and best responses: a literature value, brute force, and two methods that must agree."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from kibitz.search.exact.response import action_values, best_response, choices_from, exploitability, plan_from, reach, uniform_plan
from kibitz.search.exact.sequences import End, GrowingSide, SequenceForm, sequence_form
from kibitz.search.exact.solve import pure_value, solve, solve_by_program, solve_by_regret
from tests.experiments.studies.exact.games import ACTIONS, PAIRS, WILD, tree_of
from tests.experiments.studies.exact.test_game_tree import random_plan

PASS, BET = 0, 1


def kuhn_poker() -> SequenceForm:
    """Three cards, one each, one bet: the smallest game in which bluffing pays."""
    sides = (GrowingSide(), GrowingSide())
    ends: list[End] = []

    def play(cards: tuple[int, ...], said: str, sequences: tuple[int, int]) -> None:
        higher = 1 if cards[0] > cards[1] else -1
        results = {"pp": higher, "bb": 2 * higher, "pbb": 2 * higher, "bp": 1, "pbp": -1}
        if said in results:
            ends.append(End(*sequences, 1 / 6, results[said]))
            return
        seat = len(said) % 2
        _, start = sides[seat].decide((cards[seat], said), sequences[seat], [PASS, BET])
        for action in (PASS, BET):
            after = (start + action, sequences[1]) if seat == 0 else (sequences[0], start + action)
            play(cards, said + "pb"[action], after)

    for cards in permutations(range(3), 2):
        play(cards, "", (0, 0))
    return sequence_form(sides, ends)[0]


def test_value_of_kuhn_poker() -> None:
    """-1/18 for who begins, as Kuhn showed in 1950."""
    game = kuhn_poker()
    assert [side.sets for side in game.sides] == [6, 6]
    by_program, by_regret = solve_by_program(game), solve_by_regret(game, 1e-9)
    assert by_program.value == pytest.approx(-1 / 18, abs=1e-9)
    assert by_regret.value == pytest.approx(-1 / 18, abs=1e-8)
    # Seat 1 has one equilibrium: it bluffs with the lowest card and calls with the middle one a third of the time.
    choices = np.sort(choices_from(game.sides[1], by_program.plans[1])[1:])
    assert choices == pytest.approx([0] * 4 + [1 / 3] * 2 + [2 / 3] * 2 + [1] * 4, abs=1e-9)


@pytest.mark.parametrize("rules", [PAIRS, WILD, ACTIONS])
def test_program_and_regret_agree(rules: str) -> None:
    tree = tree_of(rules)
    by_program, by_regret = solve_by_program(tree), solve_by_regret(tree, 1e-6)
    assert abs(by_program.gap) < 1e-9
    assert -1e-9 < by_regret.gap <= 1e-6
    assert by_regret.low - 1e-9 <= by_program.value <= by_regret.high + 1e-9
    assert by_regret.value == pytest.approx(by_program.value, abs=1e-6)
    for solution in (by_program, by_regret):
        assert exploitability(tree, solution.plans) == pytest.approx(solution.gap / 2, abs=1e-12)
        assert tree.value(*solution.plans) == pytest.approx(by_program.value, abs=1e-6)


def test_seats_are_equal_where_the_starter_is_drawn() -> None:
    assert solve(tree_of(WILD)).value == pytest.approx(0, abs=1e-9)
    assert abs(solve(tree_of(PAIRS)).value) > 0.1


def test_who_does_not_mix_gets_less() -> None:
    """Hidden cards matter: without chance seat 0 cannot get the value of PAIRS, nor that of poker."""
    for game, value in ((tree_of(PAIRS), solve(tree_of(PAIRS)).value), (kuhn_poker(), -1 / 18)):
        assert pure_value(game) < value - 1e-3


def test_unfinished_rounds_tell_their_gap() -> None:
    rough = solve_by_regret(tree_of(PAIRS), 0.0, max_rounds=7)
    assert rough.rounds == 7
    assert rough.low < solve(tree_of(PAIRS)).value < rough.high


# -- best responses --


def test_best_response_against_every_plan() -> None:
    """Brute force: all plans without chance of a game with a handful of information sets."""
    game = kuhn_poker()
    for seat in (0, 1):
        side = game.sides[seat]
        for seed in range(5):
            other = random_plan(game.sides[1 - seat], seed)
            best = -np.inf
            for picked in product(range(2), repeat=side.sets):
                choices = np.zeros(side.sequences)
                choices[side.starts + np.array(picked)] = 1
                plan = plan_from(side, choices)
                value = game.value(plan, other) if seat == 0 else -game.value(other, plan)
                best = max(best, value)
            response = best_response(game, other, seat)
            assert response.value == pytest.approx(best, abs=1e-12)
            own = game.value(response.plan, other) if seat == 0 else -game.value(other, response.plan)
            assert own == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize("rules", [PAIRS, WILD, ACTIONS])
def test_best_response_is_at_least_the_value(rules: str) -> None:
    tree = tree_of(rules)
    value = solve(tree).value
    for seed in range(10):
        assert best_response(tree, random_plan(tree.sides[1], seed), 0).value >= value - 1e-9
        assert best_response(tree, random_plan(tree.sides[0], seed), 1).value >= -value - 1e-9
    plans = (uniform_plan(tree.sides[0]), uniform_plan(tree.sides[1]))
    assert exploitability(tree, plans) > 0.01


def test_plans_and_choices_are_the_same_thing() -> None:
    side = tree_of(PAIRS).sides[0]
    plan = random_plan(side, 3)
    assert plan_from(side, choices_from(side, plan)) == pytest.approx(plan, abs=1e-14)
    pure = best_response(tree_of(PAIRS), random_plan(tree_of(PAIRS).sides[1], 4), 0).plan
    assert set(np.unique(pure)) == {0.0, 1.0}
    assert plan_from(side, choices_from(side, pure)) == pytest.approx(pure, abs=1e-14)


@pytest.mark.parametrize("rules", [PAIRS, WILD, ACTIONS])
def test_reach_is_the_same_for_all_actions(rules: str) -> None:
    """Whatever a player does next, it has got to where it is."""
    tree = tree_of(rules)
    for seat, side in enumerate(tree.sides):
        chances = reach(tree, random_plan(tree.sides[1 - seat], 7), seat)
        assert chances[0] == pytest.approx(1, abs=1e-12)
        assert chances[1:] == pytest.approx(np.repeat(chances[side.starts], side.counts), abs=1e-12)


def test_values_of_actions() -> None:
    """In poker, after a bet: the lowest card loses 1 by folding and 2 by calling; the highest loses 1 or wins 2."""
    game = kuhn_poker()
    values = action_values(game, uniform_plan(game.sides[0]), 1)
    by_set = [sorted(values[start : start + 2].round(9).tolist()) for start in game.sides[1].starts]
    assert [-2.0, -1.0] in by_set and [-1.0, 2.0] in by_set
    assert values[0] == pytest.approx(best_response(game, uniform_plan(game.sides[0]), 1).value)
    tree = tree_of(PAIRS)
    found = action_values(tree, uniform_plan(tree.sides[1]), 0)
    assert (np.abs(found) <= 1 + 1e-12).all()


def test_values_of_actions_that_cannot_come_up() -> None:
    game = kuhn_poker()
    passive = plan_from(game.sides[0], (game.sides[0].actions == PASS).astype(float))
    values = action_values(game, passive, 1)
    assert np.isnan(values).sum() == 6
