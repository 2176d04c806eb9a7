"""What may come of every action: every legal one is valued, from what a seat sees alone, and figures mean what they say."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.games.uno import engine
from kibitz.games.uno.cards import DRAW
from kibitz.games.uno.names import card_from_name
from kibitz.games.uno.view import PHASE_NAMES
from kibitz.play.advice import Trials, analyst_of, view_seed
from kibitz.play.hearing import unlinked
from kibitz.play.uno.advice import UnoAnalyst
from kibitz.search.uno.rollouts import FUTURES
from tests.search.uno.positions import WINDOWS_OPEN, arranged, decisions, with_other_hidden_cards

UNO = registry.game("uno")


def tried(view: Any, analyst: UnoAnalyst, batches: int = 2) -> dict[int, tuple[float, float]]:
    analyst.begin(view)
    trials = analyst.open(view)
    for batch in range(batches):
        analyst.add_batch(trials, batch)
    return {action: trials.value(action) for action in trials.actions}


# -- figures --


def test_means_errors_and_leads_are_those_of_the_rows() -> None:
    rows = np.random.default_rng(3).normal((0.0, 2.0, 1.0), size=(40, 3))
    rows[:, 2] += rows[:, 1]
    trials, part = Trials((7, 2, 9)), Trials((7, 2, 9))
    trials.add(rows[:10], 20, 10)
    part.add(rows[10:], 60, 30)
    trials.include(part)
    assert (trials.rows, trials.worlds, trials.games) == (40, 80, 40)
    for place, action in enumerate(trials.actions):
        column = rows[:, place]
        assert trials.value(action) == pytest.approx((column.mean(), column.std(ddof=1) / 40**0.5))
    difference = rows[:, 2] - rows[:, 1]
    assert trials.lead(9, 2) == pytest.approx((difference.mean(), difference.std(ddof=1) / 40**0.5))
    assert trials.lead(9, 2)[1] < trials.value(9)[1]
    assert trials.ranked() == [9, 2, 7]


def test_one_row_has_no_error_to_speak_of() -> None:
    trials = Trials((4, 5))
    trials.add(np.array([[0.25, 0.25]]), 1, 1)
    assert trials.value(4) == (0.25, float("inf"))
    assert trials.ranked() == [4, 5]


# -- UNO --


def test_every_legal_action_is_valued_in_every_window() -> None:
    analyst, met = UnoAnalyst(games=60), set()
    for rules, players in ((WINDOWS_OPEN, 4), (WINDOWS_OPEN, 2), ("official,hand_size=3", 2)):
        for state, view in decisions(rules, players, 5, 120):
            found = tried(view, analyst)
            assert sorted(found) == sorted(engine.legal_actions(state))
            assert all(0.0 <= value <= 1.0 for value, _ in found.values())
            met.add(PHASE_NAMES[state.phase])
    assert met >= {"turn", "challenge", "stack", "swap", "uno_call", "catch", "jump_in"}


def test_an_action_without_alternative_has_a_value_as_well() -> None:
    state, _ = arranged(["r5 y2", "b1 b2 b3"], "g3", "y9 y9 y9", 50)
    assert engine.legal_actions(state) == [DRAW]
    found = tried(engine.as_view(state), UnoAnalyst(games=60))
    assert 0.0 <= found[DRAW][0] < 1.0


def test_a_certain_win_is_seen_with_certainty() -> None:
    state, _ = arranged(["rskip r5", "b1 b2 b3"], "r3", "y9 y9 y9", 50)
    found = tried(engine.as_view(state), UnoAnalyst(games=120))
    assert found[card_from_name("rskip")] == (1.0, 0.0)
    assert min(value for value, _ in found.values()) < 1.0


@pytest.mark.parametrize("rules", ["classic", WINDOWS_OPEN])
def test_hidden_cards_and_streams_change_nothing(rules: str) -> None:
    random, analyst = Random(6), UnoAnalyst(games=60)
    for state, view in decisions(rules, 3, 8, 25):
        if state.pile_size == 0:
            continue
        twin = with_other_hidden_cards(state, random)
        seen = engine.as_view(twin)
        seen.random_stream = random.getrandbits(64)
        assert twin.hands0 != state.hands0
        if rules == "classic" or (seen.playable_types, seen.may_challenge) == (view.playable_types, view.may_challenge):
            assert tried(view, analyst) == tried(seen, analyst)


def test_a_batch_is_the_same_whatever_was_tried_before_and_another_differs() -> None:
    (_, view), (_, elsewhere) = decisions("classic", 2, 3, 2)
    analyst = UnoAnalyst(games=300)
    first = tried(view, analyst, 3)
    tried(elsewhere, analyst)
    assert tried(view, analyst, 3) == first
    analyst.begin(view)
    trials = analyst.open(view)
    analyst.add_batch(trials, 5)
    assert {action: trials.value(action)[0] for action in trials.actions} != {action: value for action, (value, _) in first.items()}
    assert trials.games == FUTURES * trials.worlds


def test_compiled_and_plain_trials_are_the_same() -> None:
    for _, view in decisions(WINDOWS_OPEN, 3, 2, 4):
        assert tried(view, UnoAnalyst(True, games=8)) == tried(view, UnoAnalyst(False, games=8))


# -- what is refused, and what nothing leads back to --


@pytest.mark.usefixtures("both_ways")
def test_nothing_to_decide_and_cards_that_cannot_add_up_are_refused() -> None:
    game = kibitz.Game(3, seed=2)
    other = (game.to_act + 1) % 3
    analyst = analyst_of("uno")
    with pytest.raises(BadValue, match=f"seat {other} has nothing to decide now"):
        analyst.open(game.view(other))
    view = game.view()
    view.pile_size += 1
    analyst.begin(view)
    with pytest.raises(BadValue, match="the cards cannot add up"):
        analyst.add_batch(analyst.open(view), 0)


def test_a_seed_comes_from_what_is_seen_alone() -> None:
    view = kibitz.Game(2, seed=2).view()
    moved = unlinked(UNO, view, 12345)
    assert moved.random_stream == 12345 and view.random_stream != 12345
    assert view_seed(UNO, moved) == view_seed(UNO, view)
    moved.sizes[1] += 1
    assert view_seed(UNO, moved) != view_seed(UNO, view)
