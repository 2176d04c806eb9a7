"""OpenSpiel's own tests on every game, its solvers on what is solved here, and Hanabi bit by bit beside OpenSpiel's."""

from __future__ import annotations

import sys
import unittest
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from absl import flags
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, gambit, generate_playthrough

import kibitz
from kibitz import envs
from kibitz.envs import openspiel, spiel_positions
from kibitz.experiments.studies.exact.game_tree import build_tree
from kibitz.games.plugins import declare_game, forget_games
from kibitz.search.exact.solve import solve

PLAYTHROUGHS = sorted((Path(__file__).parent / "playthroughs").glob("*.txt"))
KUHN = Path(__file__).parents[2] / "examples" / "kuhn" / "src"


@pytest.fixture(scope="module", autouse=True)
def games() -> Any:
    """Kuhn poker is installed beside the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(KUHN))
        declare_game("kuhn", "kibitz_kuhn.game:GAME")
        openspiel.register()
        openspiel.register()  # again is no harm
        flags.FLAGS.mark_as_parsed()  # as OpenSpiel's own tests find them
        yield
        forget_games()
    for name in [name for name in sys.modules if name.startswith("kibitz_kuhn")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    "text", ["kibitz_uno", "kibitz_uno(rules=tiny)", "kibitz_hanabi(players=3)", "kibitz_hanabi(players=5)", "kibitz_kuhn"]
)
def test_openspiel_plays_at_random_and_finds_nothing_wrong(text: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(text), num_sims=1, serialize=True, verbose=False)


def check(tests: type[unittest.TestCase], **attributes: Any) -> None:
    """Run tests of OpenSpiel, made for one game."""
    cases = unittest.defaultTestLoader.loadTestsFromTestCase(type(tests.__name__, (tests,), attributes))
    result = unittest.TestResult()
    cases.run(result)
    assert result.testsRun >= 5 and not result.skipped
    assert [trace for _, trace in result.failures + result.errors] == []


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("kibitz_uno", {}),
        ("kibitz_uno", {"rules": "tiny"}),
        ("kibitz_uno", {"players": 4, "rules": "official,jump_in=on,seven_zero=on"}),
        ("kibitz_hanabi", {"players": 3}),
        ("kibitz_kuhn", {}),
    ],
)
def test_openspiels_own_tests_of_its_interface_pass(name: str, parameters: dict[str, Any]) -> None:
    np.random.seed(1)
    check(api_test.EnforceAPIOnPartialTreeBase, game_name=name, game=pyspiel.load_game(name, parameters))


def test_kuhn_passes_openspiels_tests_of_a_whole_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    """It has as many positions and information states as OpenSpiel's own Kuhn poker."""
    for known in (api_test.TOTAL_NUM_STATES, api_test.PERFECT_RECALL_NUM_STATES):
        monkeypatch.setitem(known, "kibitz_kuhn", known["kuhn_poker"])
    check(api_test.EnforceAPIOnFullTreeBase, game_name="kibitz_kuhn", game=pyspiel.load_game("kibitz_kuhn"))


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_games_go_as_they_are_written_down(path: Path) -> None:
    """If a game is meant to change: `open_spiel.python.algorithms.generate_playthrough.update_path` writes its file again."""
    expected, played = generate_playthrough.replay(path)
    assert played.splitlines() == expected.splitlines()


def test_every_game_is_written_down() -> None:
    assert {path.stem for path in PLAYTHROUGHS} == {"kibitz_uno", "kibitz_uno_tiny", "kibitz_hanabi", "kibitz_kuhn"}


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


@pytest.fixture(scope="module")
def tiny() -> Any:
    """Tiny UNO in OpenSpiel, and its whole tree as Kibitz solves it."""
    game = pyspiel.load_game("kibitz_uno(rules=tiny)")
    return game, build_tree(spiel_positions.spiel_table(*game.key).sitting)


def choices_of(state: Any) -> Iterator[tuple[int, str, list[int]]]:
    """Every decision with a choice: who decides, its information state, and what it may do."""
    if state.is_chance_node():
        actions = [outcome for outcome, _ in state.chance_outcomes()]
    else:
        actions = state.legal_actions()
        if len(actions) > 1:
            yield state.current_player(), state.information_state_string(), actions
    for action in actions:
        yield from choices_of(state.child(action))


def test_players_of_tiny_uno_know_as_much_as_in_our_own_tree(tiny: Any) -> None:
    game, tree = tiny
    known: dict[tuple[int, str], list[int]] = {}
    for player, told, actions in choices_of(game.new_initial_state()):
        assert known.setdefault((player, told), actions) == actions
    counts = Counter(player for player, _ in known)
    assert [counts[0], counts[1]] == [side.sets for side in tree.sides]


def test_cfr_finds_the_exact_value_of_tiny_uno(tiny: Any) -> None:
    """Up to what its average strategy can still be exploited by. OpenSpiel keeps the tree itself, so that its solver in C++ is quick."""
    game, tree = tiny
    whole = pyspiel.load_efg_game(gambit.export_gambit(game))
    solver = pyspiel.CFRPlusSolver(whole)
    for _ in range(100):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    value, gap = pyspiel.expected_returns(whole.new_initial_state(), policy, -1, True)[0], pyspiel.nash_conv(whole, policy, True)
    assert gap < 0.001
    assert abs(value - solve(tree).value) <= gap


@pytest.mark.verify
def test_cfr_on_our_own_states_finds_it_as_well(tiny: Any) -> None:
    game, tree = tiny
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(30):
        solver.evaluate_and_update_policy()
    policy = solver.average_policy()
    value, gap = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)[0], pyspiel.nash_conv(game, policy, True)
    assert gap < 0.002
    assert abs(value - solve(tree).value) <= gap


# -- sampled states --


def positions(name: str, parameters: dict[str, Any], seed: int, every: int = 7) -> Iterator[Any]:
    """Some positions of a game in which players choose at random."""
    state, rng, steps = pyspiel.load_game(name, parameters).new_initial_state(), np.random.default_rng(seed), 0
    while not state.is_terminal() and steps < 150:
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
            continue
        if steps % every == 0:
            yield state
        state.apply_action(int(rng.choice(state.legal_actions())))
        steps += 1


DRAWN: list[tuple[str, dict[str, Any]]] = [
    ("kibitz_uno", {}),
    ("kibitz_uno", {"players": 4, "rules": "official,jump_in=on,seven_zero=on,stacking=progressive"}),
    ("kibitz_hanabi", {"players": 3}),
    ("kibitz_kuhn", {}),
]


@pytest.mark.parametrize(("name", "parameters"), DRAWN)
def test_a_state_drawn_anew_is_the_same_to_its_player_and_playable(name: str, parameters: dict[str, Any]) -> None:
    rng = np.random.default_rng(3)
    seen = 0
    for state in positions(name, parameters, 5, 1 if name == "kibitz_kuhn" else 7):
        player = state.current_player()
        drawn = state.resample_from_infostate(player, rng.random)
        for one, other in ((state, drawn), (state.clone(), drawn.clone())):
            assert other.current_player() == player and other.legal_actions() == one.legal_actions()
            assert other.information_state_string(player) == one.information_state_string(player)
            assert other.information_state_tensor(player) == one.information_state_tensor(player)
            assert other.observation_string(player) == one.observation_string(player)
            assert other.observation_tensor(player) == one.observation_tensor(player)
        while not drawn.is_terminal() and drawn.move_number() < 40:
            legal = [outcome for outcome, _ in drawn.chance_outcomes()] if drawn.is_chance_node() else drawn.legal_actions()
            drawn.apply_action(int(rng.choice(legal)))
        seen += 1
    assert seen >= 2


@pytest.mark.parametrize(("name", "parameters"), DRAWN)
def test_what_is_drawn_does_not_depend_on_hidden_cards(name: str, parameters: dict[str, Any]) -> None:
    """Two states that a player can't tell apart lead to the same draws, whatever the others hold."""
    differ = 0
    for state in positions(name, parameters, 8, 1 if name == "kibitz_kuhn" else 7):
        player = state.current_player()
        for first, number in ((0.61, 0.2), (0.3, 0.7), (0.1, 0.4)):
            other = state.resample_from_infostate(player, lambda first=first: first)
            differ += str(other) != str(state)
            one, two = (start.resample_from_infostate(player, lambda number=number: number) for start in (state, other))
            assert str(one) == str(two) and one.information_state_string(1 - player % 2) == two.information_state_string(1 - player % 2)
    assert differ


def test_hidden_cards_are_drawn_as_often_as_they_are_likely() -> None:
    """The other holds one of two cards: 300 draws, 4 standard errors, so that chance fails it once in 15,000 times."""
    state = pyspiel.load_game("kibitz_kuhn").new_initial_state()
    for outcome in (1, 0):
        state.apply_action(outcome)
    rng = np.random.default_rng(4)
    hands = [state.resample_from_infostate(0, rng.random).position.state.cards[1] for _ in range(300)]
    assert abs(hands.count(0) - 150) < 4 * np.sqrt(75)


def test_a_secret_decision_is_told_to_nobody() -> None:
    """Who could jump in and doesn't: the others' information states are as before."""
    secret = 0
    for state in positions("kibitz_uno", {"players": 4, "rules": "official,jump_in=on"}, 2, 1):
        if state.position.table.definition.phases[state.position.state.phase] == "jump_in":
            others = [player for player in range(4) if player != state.current_player()]
            before = [(state.information_state_string(player), state.information_state_tensor(player)) for player in others]
            passing = next(action for action in state.legal_actions() if state.action_to_string(action) == "pass")
            after = state.child(passing)
            secret += before == [(after.information_state_string(player), after.information_state_tensor(player)) for player in others]
    assert secret


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
