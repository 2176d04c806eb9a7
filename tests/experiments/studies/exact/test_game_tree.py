"""Trees: hand-counted cases, golden node counts, probabilities, and what information sets are."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest

from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record, fields_of
from kibitz.experiments.studies.exact.game_tree import build_tree
from kibitz.games.uno.state import State
from kibitz.games.uno.view import View
from kibitz.play.open_sitting import NEW_DEAL
from kibitz.search.exact.response import best_response, plan_from, uniform_plan
from kibitz.search.exact.sequences import Floats, Side
from tests.experiments.studies.exact.games import ACTIONS, PAIRS, WILD, everything_after, open_uno, replay, tree_of
from tests.golden.nodes import GOLDEN_FILE

GAMES = (PAIRS, WILD, ACTIONS)


def random_plan(side: Side, seed: int) -> Floats:
    weights = np.random.default_rng(seed).random(side.sequences)
    sums = np.bincount(side.owners[1:], weights[1:], side.sets)
    weights[1:] /= sums[side.owners[1:]]
    return plan_from(side, weights)


# -- hand-counted --


def test_one_card_each() -> None:
    """Seat 0 goes out at once with two of three cards; with the third it draws the last card, and seat 1 goes out."""
    tree = tree_of("numbers,deck=r1/r2/g1/g2,hand_size=1,starter=seat_0")
    assert (tree.deals, [side.sets for side in tree.sides]) == (24, [0, 0])
    nothing = np.ones(1)
    assert tree.value(nothing, nothing) == pytest.approx(1 / 3, abs=1e-12)
    assert tree.unfinished(nothing, nothing) == pytest.approx(0, abs=1e-12)
    assert best_response(tree, nothing, 0).value == pytest.approx(1 / 3, abs=1e-12)
    assert best_response(tree, nothing, 1).value == pytest.approx(-1 / 3, abs=1e-12)


def test_a_missing_card_ends_the_game() -> None:
    """Seat 0 with the wrong card plays what it draws; seat 1 then fits nothing, and there is no card left to draw."""
    tree = tree_of("classic,must_play=on,drawn_card=must_play,deck=r1/r2/g1/g2,hand_size=1,starter=seat_0")
    nothing = np.ones(1)
    assert [side.sets for side in tree.sides] == [0, 0]
    assert tree.value(nothing, nothing) == pytest.approx(2 / 3, abs=1e-12)
    assert tree.unfinished(nothing, nothing) == pytest.approx(1 / 3, abs=1e-12)
    assert tree.ends == {"cut off": 8, "won by 0": 16}


def test_last_card_wins_although_nobody_can_draw() -> None:
    """A Draw Two as the last card wins, pile or no pile."""
    tree = tree_of("classic,must_play=on,deck=r+2*2/r1,hand_size=1,starter=seat_0,opening=none")
    assert tree.ends == {"won by 0": 3}


# -- against the golden counts of the same engine --


def golden_cases() -> list[dict[str, Any]]:
    cases = json.loads(GOLDEN_FILE.read_text())
    return [case for case in cases if case["players"] == 2 and "hand_size=1" in case["rules"] and sum(case["decisions"]) < 8000]


@pytest.mark.parametrize("case", golden_cases(), ids=lambda case: case["rules"])
def test_counts_agree_with_the_golden_ones(case: dict[str, Any]) -> None:
    """With refills and one card in each hand, the tree is the one whose nodes are counted there."""
    tree = build_tree(open_uno(case["rules"], refills=True))
    ends: Counter[str] = Counter()
    for name, count in case["ends"].items():
        ends[name.partition(" with")[0]] += count
    assert (tree.deals, tree.decisions, tree.ends) == (case["deals"], case["decisions"], dict(ends))


def test_there_are_golden_cases() -> None:
    assert len(golden_cases()) >= 4


# -- probabilities --


@pytest.mark.parametrize("rules", GAMES)
def test_chances_of_all_ends_add_up(rules: str) -> None:
    tree = tree_of(rules)
    for seed in range(3):
        first, second = random_plan(tree.sides[0], seed), random_plan(tree.sides[1], 100 + seed)
        assert float(tree.chances @ (first[tree.rows] * second[tree.columns])) == pytest.approx(1, abs=1e-12)
        assert 0 <= tree.unfinished(first, second) < 1


def test_hands_dealt_have_the_right_chances() -> None:
    """Two cards of r1*2/r2*2/g1*2/g2*2: each pair of equal cards 1/28, of different ones 4/28."""
    hands: dict[tuple[int, int], float] = defaultdict(float)
    for dealt, chance in everything_after(open_uno(PAIRS), NEW_DEAL):
        hands[dealt.state.hands0[1], dealt.state.hands1[1]] += chance
    assert len(hands) == 10
    for (single, double), chance in hands.items():
        assert chance == pytest.approx(1 / 28 if double and not single else 4 / 28, abs=1e-12)


# -- information sets --


def look(state: State) -> tuple[Any, ...]:
    """What the player to act sees."""
    view = copy_record(state, View)
    return tuple(tuple(value) if isinstance(value := getattr(view, field.name), list) else value for field in fields_of(View))


@pytest.mark.parametrize("rules", GAMES)
def test_positions_of_an_information_set_look_alike(rules: str) -> None:
    tree = tree_of(rules)
    seen: dict[tuple[int, int], set[Any]] = defaultdict(set)
    for place, position in enumerate(tree.positions):
        if position.information >= 0:
            state = replay(tree, place).state
            assert state.current == position.seat
            seen[position.seat, position.information].add((look(state), tuple(tree.sitting.game.legal_actions(state))))
    assert len(seen) == sum(side.sets for side in tree.sides)
    for (seat, information), looks in seen.items():
        ((_, actions),) = looks
        side = tree.sides[seat]
        start = int(side.starts[information])
        assert list(actions) == side.actions[start : start + int(side.counts[information])].tolist()


@pytest.mark.parametrize("rules", GAMES)
def test_players_forget_nothing(rules: str) -> None:
    """All positions of an information set have the same own choices behind them."""
    tree = tree_of(rules)
    for seat, side in enumerate(tree.sides):
        sequence_of: dict[tuple[int, int], int] = {}
        for start, count, number in zip(side.starts, side.counts, range(side.sets), strict=True):
            sequence_of |= {(number, int(side.actions[place])): int(place) for place in range(start, start + count)}
        for position in tree.positions:
            if position.seat != seat or position.information < 0:
                continue
            child, parent = position, position.parent
            while parent >= 0:
                before = tree.positions[parent]
                if before.seat == seat and before.information >= 0:
                    assert side.parents[position.information] == sequence_of[before.information, child.action]
                    break
                child, parent = before, before.parent
            else:
                assert side.parents[position.information] == 0


def test_what_the_other_draws_stays_hidden() -> None:
    """Some information set holds positions in which the other seat's cards differ."""
    tree = tree_of(PAIRS)
    hands: dict[int, set[tuple[int, int]]] = defaultdict(set)
    for place, position in enumerate(tree.positions):
        if position.seat == 0 and position.information >= 0:
            state = replay(tree, place).state
            hands[position.information].add((state.hands0[1], state.hands1[1]))
    assert max(len(found) for found in hands.values()) >= 5


def test_unplayable_and_kept_cards_look_alike_to_the_other() -> None:
    """Whether a drawn card did not fit or was held back is not to be seen: seat 1 has fewer sets than if it were told."""
    tree = tree_of("classic,must_play=on,deck=r1*2/r2/g1*2/g2,hand_size=2,starter=seat_0")
    found: dict[int, set[bool]] = defaultdict(set)
    for position in tree.positions:
        if position.seat == 1 and position.information >= 0 and position.parent >= 0:
            before = tree.positions[position.parent]
            if before.seat == 0:
                found[position.information].add(before.information >= 0)
    assert {True, False} in found.values()


# -- limits --


def test_too_large_a_game_is_refused() -> None:
    with pytest.raises(BadValue, match="more than 100 positions"):
        build_tree(open_uno(PAIRS), limit=100)


@pytest.mark.parametrize("switch", ["seven_zero=on", "jump_in=on", "deck=r1*3/wildshuffle"])
def test_rules_that_cannot_be_solved_are_refused(switch: str) -> None:
    with pytest.raises(BadValue, match="cannot be solved"):
        open_uno(f"classic,hand_size=1,{switch}")


def test_a_horizon_cuts_the_game() -> None:
    tree = tree_of("classic,deck=r1/r2/g1/g2,hand_size=1,max_turns=2", refills=True)
    assert "cut off" in tree.ends
    plans = [uniform_plan(side) for side in tree.sides]
    assert tree.unfinished(plans[0], plans[1]) > 0
