"""Agents of RLCard in our matches: its own ones, from what they know as a state."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from rlcard.agents import DQNAgent, RandomAgent
from rlcard.models.uno_rule_models import UNORuleAgentV1

import kibitz
from kibitz import envs
from kibitz.core.errors import BotFault, KibitzError
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_in_turn
from kibitz.runs.units import Unit

RLCARD = "classic,starter=seat_0,drawn_card=must_play,must_play=on,wild_draw_four=last_resort"


def _random_state() -> Any:
    state: Any = np.random.get_state()
    return state[1].tolist()


@pytest.mark.parametrize("rules", [RLCARD, "official,seven_zero=on"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: RandomAgent(num_actions=61),
        UNORuleAgentV1,
        lambda: DQNAgent(num_actions=61, state_shape=[4, 4, 15], mlp_layers=[8], device="cpu"),
    ],
    ids=["random", "rules", "dqn"],
)
def test_agents_play_whole_games_and_equal_seeds_give_equal_ones(make: Callable[[], Any], rules: str) -> None:
    """Also in units of other sizes, though their random numbers are the process's; those are left as they were."""
    agent = make()
    lineup = make_lineup([envs.as_bot(agent, "uno"), "mix2", envs.as_bot(agent, "uno")], rules)
    np.random.seed(5)
    before = _random_state()
    whole = play_in_turn(lineup, 3, Unit(0, 6), compiled=True)
    assert _random_state() == before
    parts = [play_in_turn(lineup, 3, unit, compiled=True) for unit in (Unit(4, 2), Unit(0, 4))]
    assert np.sum(parts, axis=0).tolist() == whole.tolist()


class Noting:
    """An agent that notes what it is shown."""

    use_raw = True

    def __init__(self) -> None:
        self.states: list[Any] = []

    def eval_step(self, state: Any) -> tuple[str, dict[str, Any]]:
        self.states.append(state)
        return state["raw_legal_actions"][0], {}


def test_an_agent_is_asked_to_play_whenever_it_can() -> None:
    agent = Noting()
    kibitz.match([envs.as_bot(agent, "uno"), "random"], games=4, threads=1)
    assert len(agent.states) > 20 and all(state["obs"].shape == (4, 4, 15) for state in agent.states)
    assert all("draw" not in state["raw_legal_actions"] for state in agent.states if len(state["raw_legal_actions"]) > 1)


def test_what_agents_cannot_play_is_refused() -> None:
    agent = RandomAgent(num_actions=61)
    with pytest.raises(KibitzError, match="can't express deck="):
        kibitz.match([envs.as_bot(agent, "uno"), "random"], games=2, rules="modern", threads=1)
    with pytest.raises(KibitzError, match="Hanabi has no translation for agents of RLCard"):
        envs.as_bot(agent, "hanabi")


def test_an_answer_that_is_no_action_is_the_bots_fault() -> None:
    class Lost(Noting):
        use_raw = False

        def eval_step(self, state: Any) -> tuple[Any, dict[str, Any]]:
            return 61, {}

    with pytest.raises(BotFault, match="action 61 is not an action of RLCard's"):
        kibitz.match([envs.as_bot(Lost(), "uno"), "random"], games=2, threads=1)
