"""Bots, policies and agents of OpenSpiel in our matches: they play whole games, from states that tell them nothing hidden."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python import policy as spiel_policy
from open_spiel.python import rl_agent
from open_spiel.python.algorithms import expected_game_score, ismcts, mcts
from open_spiel.python.bots import uniform_random

import kibitz
from kibitz import envs
from kibitz.core.errors import BotFault
from kibitz.envs import openspiel
from kibitz.games.plugins import declare_game, forget_games
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_in_turn
from kibitz.runs.units import Unit

KUHN = Path(__file__).parents[2] / "examples" / "kuhn" / "src"
SHORT = "classic,hand_size=3"


@pytest.fixture(scope="module", autouse=True)
def games() -> Iterator[None]:
    """Kuhn poker is installed beside the others."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(KUHN))
        declare_game("kuhn", "kibitz_kuhn.game:GAME")
        openspiel.register()
        yield
        forget_games()
    for name in [name for name in sys.modules if name.startswith("kibitz_kuhn")]:
        del sys.modules[name]


class Hands:
    """Values a state of two players by how many cards they hold; for OpenSpiel's searches."""

    def evaluate(self, state: Any) -> Any:
        first, second = state.position.state.sizes[:2]
        value = np.tanh((second - first) / 3)
        return np.array([value, -value])

    def prior(self, state: Any) -> list[tuple[int, float]]:
        legal = state.legal_actions()
        return [(action, 1 / len(legal)) for action in legal]


def searching(game: Any, player: int, seed: int) -> Any:
    return ismcts.ISMCTSBot(game, Hands(), uct_c=0.5, max_simulations=6, random_state=np.random.RandomState(seed))


def aimless(game: Any, player: int, seed: int) -> Any:
    return uniform_random.UniformRandomBot(player, np.random.RandomState(seed))


def test_openspiels_ismcts_plays_uno() -> None:
    """Two whole games; whatever is illegal would be a fault."""
    rows = kibitz.match([envs.as_bot(searching, "uno"), "random"], games=2, rules=SHORT, threads=1).rows
    assert rows[0].wins + rows[1].wins == 2


@pytest.mark.verify
def test_openspiels_ismcts_beats_openspiels_random_bot() -> None:
    """24 games; a bot that is no better wins 20 of them once in 1,300 times."""
    rows = kibitz.match([envs.as_bot(searching, "uno"), envs.as_bot(aimless, "uno")], games=24, rules=SHORT, threads=1).rows
    assert rows[0].wins >= 20


@pytest.mark.verify
def test_openspiels_ismcts_plays_with_its_own_rollouts() -> None:
    def deep(game: Any, player: int, seed: int) -> Any:
        rng = np.random.RandomState(seed)
        return ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, rng), uct_c=1.0, max_simulations=4, random_state=rng)

    bots = [envs.as_bot(deep, "uno"), "random", "random"]
    assert kibitz.match(bots, games=2, rules="official,jump_in=on,hand_size=3", threads=1).rows[0].games == 2


@pytest.mark.parametrize(
    ("game", "rules", "bots"),
    [
        ("uno", SHORT, [aimless, "mix2"]),
        ("uno", "official,jump_in=on,seven_zero=on,stacking=progressive", [aimless, "random", aimless, "greedy"]),
        ("hanabi", None, [aimless, "smart", "iggi"]),
        ("kuhn", None, [aimless, "equilibrium"]),
    ],
)
def test_equal_seeds_give_equal_games_in_units_of_any_size(game: str, rules: str | None, bots: list[Any]) -> None:
    made = [envs.as_bot(bot, game) if callable(bot) else bot for bot in bots]
    lineup = make_lineup(made, rules, game=game)
    whole = play_in_turn(lineup, 4, Unit(0, 6), compiled=True)
    parts = [play_in_turn(lineup, 4, unit, compiled=True) for unit in (Unit(3, 3), Unit(0, 1), Unit(1, 2))]
    assert np.sum(parts, axis=0).tolist() == whole.tolist()


class Recorder(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no type hints
    """Plays the first legal action; of every state it notes its own card and the other's, and what OpenSpiel would call it."""

    def __init__(self, player: int, notes: list[Any]) -> None:
        pyspiel.Bot.__init__(self)
        self._player, self._notes = player, notes
        self.restarts = 0

    def restart_at(self, state: Any) -> None:
        self.restarts += 1

    def step(self, state: Any) -> int:
        assert state.current_player() == self._player and state.history() == [] and self.restarts
        self._notes.append((self._player, list(state.position.state.cards), state.information_state_string()))
        return int(state.legal_actions()[0])


def test_states_show_hidden_cards_no_oftener_than_chance() -> None:
    """The other's card in a state is the real one in half of 400 games, up to 4 standard errors: chance fails it once in 15,000 times."""
    notes: list[Any] = []
    seen: list[Any] = []

    class Onlooker:
        """Passes, and tells which card it really holds."""

        game = "kuhn"

        def begin(self, view: Any) -> None:
            seen.append(view.card)

        def choose(self, view: Any) -> int:
            return 0

    bot = envs.as_bot(lambda game, player, seed: Recorder(player, notes), "kuhn", "recorder")
    kibitz.match([bot, Onlooker], games=400, seating="fixed", threads=1, game="kuhn")
    firsts = [cards for player, cards, told in notes if "turn 1," in told and player == 0]
    assert len(firsts) == len(seen) == 400
    right = sum(cards[1] == card for cards, card in zip(firsts, seen, strict=True))
    assert abs(right - 200) < 4 * 10


def test_a_policy_of_openspiel_plays_by_its_table() -> None:
    """In a match it meets the information states that it was made for, and gets what OpenSpiel expects of it.

    600 games, 4 standard errors: chance fails it once in 15,000 times.
    """
    game = pyspiel.load_game("kibitz_kuhn")
    table = spiel_policy.TabularPolicy(game)
    rng = np.random.default_rng(2)
    table.action_probability_array[:] = rng.dirichlet([1, 1], len(table.action_probability_array))
    always = spiel_policy.TabularPolicy(game)
    always.action_probability_array[:] = [0, 1]
    expected = sum(
        expected_game_score.policy_value(game.new_initial_state(), pair)[seat]
        for seat, pair in enumerate(([table, always], [always, table]))
    )
    rows = kibitz.match([envs.as_bot(table, "kuhn"), "always_bet"], games=600, seed=2, seating="balanced", threads=1, game="kuhn").rows
    row = rows[0]
    mean = row.points_total / row.games
    error = np.sqrt((row.points_squares / row.games - mean**2) / row.games)
    assert abs(mean - expected / 2) < 4 * error


class Cautious(rl_agent.AbstractAgent):  # type: ignore[misc]  # OpenSpiel has no type hints
    """Takes the last legal action; it may be moved to any seat."""

    def __init__(self) -> None:
        self.steps = 0

    def step(self, time_step: Any, is_evaluation: bool = False) -> Any:
        assert is_evaluation and self.steps < 1000
        self.steps += 1
        size = pyspiel.load_game("kibitz_uno").information_state_tensor_size()
        assert [len(seen) for seen in time_step.observations["info_state"]] == [size, size]
        return rl_agent.StepOutput(action=time_step.observations["legal_actions"][0][0], probs=[])


def test_an_agent_plays_and_every_game_has_a_copy_of_its_own() -> None:
    agent = Cautious()
    assert kibitz.match([envs.as_bot(agent, "uno"), "random"], games=3, rules=SHORT, threads=1).rows[0].games == 3
    assert agent.steps == 0


class Remembering(pyspiel.Bot):  # type: ignore[misc]  # pyspiel has no type hints
    """Has random numbers of its own."""

    def __init__(self) -> None:
        pyspiel.Bot.__init__(self)
        self.rng = np.random.RandomState(1)

    def step(self, state: Any) -> int:
        return int(self.rng.choice(state.legal_actions()))


def test_a_bot_that_is_given_as_it_is_plays_every_game_from_its_beginning() -> None:
    lineup = make_lineup([envs.as_bot(Remembering(), "uno"), "random"], SHORT)
    parts = [play_in_turn(lineup, 4, unit, compiled=True) for unit in (Unit(2, 2), Unit(0, 2))]
    assert np.sum(parts, axis=0).tolist() == play_in_turn(lineup, 4, Unit(0, 4), compiled=True).tolist()


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        (lambda game, player, seed: 7, BotFault, "made 7, which is no bot, policy or agent of OpenSpiel"),
        (pyspiel.make_uniform_random_bot(0, 1), BotFault, r"can't be copied for every game .* pass a function of \(game, player, seed\)"),
        (lambda game, player, seed: uniform_random.UniformRandomBot(1 - player, np.random), BotFault, "mine"),
    ],
)
def test_what_is_wrong_with_a_bot_of_openspiel_is_said(given: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        kibitz.match([envs.as_bot(given, "uno", "mine"), "random"], games=2, rules=SHORT, threads=1)
