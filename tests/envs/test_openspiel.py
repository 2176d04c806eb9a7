"""OpenSpiel's own tests on every game, its solver on Kuhn poker, and Hanabi bit by bit beside OpenSpiel's."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability

import kibitz
from kibitz import envs
from kibitz.envs import openspiel
from kibitz.games.plugins import declare_game, forget_games

KUHN = Path(__file__).parents[2] / "examples" / "kuhn" / "src"


@pytest.fixture(scope="module", autouse=True)
def games() -> Any:
    """Kuhn poker is installed beside the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(KUHN))
        declare_game("kuhn", "kibitz_kuhn.game:GAME")
        openspiel.register()
        openspiel.register()  # again is no harm
        yield
        forget_games()
    for name in [name for name in sys.modules if name.startswith("kibitz_kuhn")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "text", ["kibitz_uno", "kibitz_uno(rules=tiny)", "kibitz_hanabi(players=3)", "kibitz_hanabi(players=5)", "kibitz_kuhn"]
)
def test_openspiel_plays_at_random_and_finds_nothing_wrong(text: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=2, serialize=True, verbose=False)


def test_a_state_can_be_copied_and_goes_its_own_way() -> None:
    state = pyspiel.load_game("kibitz_uno(players=3,rules=official)").new_initial_state()
    rng = np.random.default_rng(1)
    for _ in range(60):
        outcomes = [outcome for outcome, _ in state.chance_outcomes()] if state.is_chance_node() else state.legal_actions()
        action = int(rng.choice(outcomes))
        twin, before = state.clone(), str(state)
        twin.apply_action(action)
        assert str(state) == before and str(twin) != before
        state.apply_action(action)
        assert str(twin) == str(state) and twin.history() == state.history()


def test_what_a_player_is_told_depends_on_what_it_saw_alone() -> None:
    """States that differ in hidden cards alone have one information state for a player, and another for the one who holds them."""
    game = pyspiel.load_game("kibitz_kuhn")
    states = [game.new_initial_state() for _ in range(2)]
    for state, second in zip(states, (0, 1), strict=True):
        state.apply_action(1)
        state.apply_action(second)
    first, other = states
    assert first.information_state_string(0) == other.information_state_string(0)
    assert first.information_state_tensor(0) == other.information_state_tensor(0)
    assert first.information_state_string(1) != other.information_state_string(1)


def test_cfr_finds_the_value_of_kuhn_poker() -> None:
    """-1/18 for who begins, up to what the average strategy can still be exploited by."""
    game = pyspiel.load_game("kibitz_kuhn")
    solver = cfr.CFRPlusSolver(game)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    value, gap = expected_game_score.policy_value(game.new_initial_state(), [policy] * 2)[0], exploitability.nash_conv(game, policy)
    assert gap < 0.01
    assert abs(value + 1 / 18) <= gap


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_hanabi_observations_are_openspiels_bit_by_bit(players: int) -> None:
    """The same cards and moves in both programs: every observation and every list of legal moves."""
    theirs = pyspiel.load_game("hanabi", {"players": players})
    rng, positions = np.random.default_rng(players), 0
    for seed in range(1, 7):
        state, game = theirs.new_initial_state(), kibitz.Game(players=players, seed=seed, game="hanabi")
        dealt = [card for hand in game.definition.hands(game.state) for card in hand]
        while state.is_chance_node():
            state.apply_action(dealt.pop(0))
        while not state.is_terminal():
            seat = game.to_act
            assert state.current_player() == seat and state.legal_actions() == game.legal_actions()
            assert envs.encode(game.view()).tolist() == [int(bit) for bit in state.observation_tensor(seat)]
            positions += 1
            careful = [move for move in game.legal_actions() if not game.definition.action_name(game.state, move).startswith("play")]
            move = int(rng.choice(careful if careful and rng.random() < 0.9 else game.legal_actions()))  # so that games last
            game.apply(move)
            state.apply_action(move)
            if state.is_chance_node():
                state.apply_action(game.definition.hands(game.state)[seat][-1])
        assert game.is_over
    assert positions > 150


def test_rules_and_players_that_do_not_exist_are_refused() -> None:
    with pytest.raises(kibitz.KibitzError, match="offical"):
        pyspiel.load_game("kibitz_uno(rules=offical)")
    with pytest.raises(kibitz.KibitzError, match="11 players"):
        pyspiel.load_game("kibitz_uno(players=11)")
