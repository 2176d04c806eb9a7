"""PettingZoo's own tests, and what they don't ask: masks, errors, rewards, registries."""

from __future__ import annotations

import io
from contextlib import redirect_stdout
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.test.seed_test import parallel_seed_test

import kibitz
from kibitz import envs
from kibitz.core.errors import BadValue, UnknownName

# What PettingZoo says of environments that aren't its own and have a mask.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
    pytest.mark.filterwarnings("ignore:Action mask numpy array is all zeros"),
]

HOUSE = "classic,stacking=progressive,seven_zero=on,jump_in=on,uno_call=on"
TABLES = [
    *[
        ("uno", players, rules)
        for players, rules in zip(range(2, 11), ["classic", "official", HOUSE, "classic", "official"] * 2, strict=False)
    ],
    ("uno", 2, HOUSE),
    ("uno", 3, "classic,draw=until_playable,drawn_card=must_play"),
    ("uno", 4, "official,wild_draw_four=honest_only,must_play=on"),
    ("uno", 2, "classic,deck=modern,drawn_card=any_card"),
    *[("hanabi", players, None) for players in range(2, 6)],
]


@pytest.mark.parametrize(("game", "players", "rules"), TABLES)
def test_pettingzoo_accepts_every_table(game: str, players: int, rules: str | None) -> None:
    def turns(**options: Any) -> Any:
        return envs.aec(game, players=players, rules=rules, **options)

    def together(**options: Any) -> Any:
        return envs.parallel(game, players=players, rules=rules, **options)

    with redirect_stdout(io.StringIO()):
        api_test(turns(), num_cycles=60)
        seed_test(turns, num_cycles=30)
        parallel_api_test(together(), num_cycles=60)
        parallel_seed_test(together, num_cycles=30)


@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_every_render_mode_works(game: str) -> None:
    shown = io.StringIO()
    with redirect_stdout(shown):
        render_test(lambda **options: envs.aec(game, players=3, **options))
    assert "seat 0" in shown.getvalue()


def played(env: Any, seed: int = 1) -> dict[str, float]:
    """What each agent gets in a game of random legal moves."""
    env.reset(seed=seed)
    got = dict.fromkeys(env.possible_agents, 0.0)
    rng = np.random.default_rng(seed)
    for agent in env.agent_iter():
        seen, reward, ended, cut_off, _ = env.last()
        got[agent] += reward
        env.step(None if ended or cut_off else rng.choice(np.flatnonzero(seen["action_mask"])))
    return got


def test_a_game_is_the_one_that_kibitz_game_plays() -> None:
    """Game 0 of a seed: the same cards, the same legal actions after the same moves, decisions without a choice left out."""
    env, game = envs.aec("uno", players=3).unwrapped, kibitz.Game(players=3, seed=5)
    env.reset(seed=5)
    rng = np.random.default_rng(5)
    moves = 0
    while not game.is_over:
        legal = game.legal_actions()
        if len(legal) > 1:
            seen = env.observe(env.agent_selection)
            assert env.agent_selection == f"player_{game.to_act}"
            assert np.flatnonzero(seen["action_mask"]).tolist() == legal
            assert seen["observation"].tolist() == envs.encode(game.view()).tolist()
            action = int(rng.choice(legal))
            env.step(action)
            moves += 1
        else:
            action = legal[0]
        game.apply(action)
    assert moves > 10 and all(env.terminations.values())
    assert env.rewards == {f"player_{seat}": 1.0 if seat == game.winner else -1.0 for seat in range(3)}


@pytest.mark.parametrize(
    ("game", "reward", "of_a_seat"),
    [
        ("uno", "points", lambda game, seat: game.points if seat == game.winner else 0),
        ("hanabi", "score", lambda game, seat: game.outcome["score"]),
        ("hanabi", "points", lambda game, seat: game.points),
    ],
)
def test_rewards_add_up_to_what_the_game_brought(game: str, reward: str, of_a_seat: Any) -> None:
    env = envs.aec(game, players=3, reward=reward)
    for seed in range(1, 6):
        got = played(env, seed)
        ended = kibitz.Game(players=3, seed=seed, game=game)
        rng = np.random.default_rng(seed)
        while not ended.is_over:
            legal = ended.legal_actions()
            ended.apply(int(rng.choice(legal)) if len(legal) > 1 else legal[0])
        assert got == {f"player_{seat}": of_a_seat(ended, seat) for seat in range(3)}


def test_only_the_agent_to_act_has_legal_actions() -> None:
    env = envs.aec("hanabi", players=4).unwrapped
    env.reset(seed=3)
    masks = {agent: int(env.observe(agent)["action_mask"].sum()) for agent in env.agents}
    assert masks.pop(env.agent_selection) > 1 and set(masks.values()) == {0}


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (3, "action 3 (r3) of seat 0 is not legal; legal are wild+4:r, wild+4:g, wild+4:b, wild+4:y, draw."),
        (85, "action 85 is not an action; actions are numbered 0 to 84."),
        (-1, "action -1 is not an action; actions are numbered 0 to 84."),
        ("draw", "action 'draw' is not an action; actions are numbered 0 to 84."),
        (True, "action True is not an action; actions are numbered 0 to 84."),
    ],
)
def test_what_is_not_legal_is_refused_and_changes_nothing(action: Any, words: str) -> None:
    env = envs.aec("uno", players=3).unwrapped
    env.reset(seed=1)
    before = env.observe("player_0")
    with pytest.raises(BadValue, match="^" + words.replace("(", r"\(").replace(")", r"\)").replace("+", r"\+")):
        env.step(action)
    assert env.agent_selection == "player_0"
    assert all(np.array_equal(before[name], env.observe("player_0")[name]) for name in before)


def test_an_agent_that_hands_in_nothing_is_named() -> None:
    env = envs.parallel("uno", players=3)
    env.reset(seed=1)
    with pytest.raises(BadValue, match="player_0 is to act, and there is no action of that agent"):
        env.step({"player_1": 68})


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"reward": "score"}, "reward in UNO: 'score'"),
        ({"render_mode": "rgb"}, "render mode 'rgb'"),
        ({"rules": "offical"}, "did you mean official"),
        ({"players": 11}, "2 to 10"),
    ],
)
def test_options_that_do_not_exist_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises((BadValue, UnknownName), match=words):
        envs.aec("uno", **options)


def test_both_registries_and_the_usual_functions_know_the_games() -> None:
    for kind in ("aec", "parallel"):
        made = pettingzoo.make(kind, "kibitz/hanabi-v0", players=3)
        made.reset(seed=1)
        assert len(made.agents) == 3
    module = envs.uno_v0
    assert [len(make(players=4).possible_agents) for make in (module.env, module.raw_env, module.parallel_env)] == [4, 4, 4]
    with pytest.raises(AttributeError, match="poker_v0"):
        _ = envs.poker_v0


def test_steps_out_of_order_are_refused() -> None:
    env = envs.aec("uno", players=2)
    assert env.agents == []
    with pytest.raises(AttributeError, match="rewards cannot be accessed before reset"):
        _ = env.rewards
    with pytest.raises(AssertionError, match="reset\\(\\) needs to be called before step"):
        env.step(68)
    with pytest.raises(BadValue, match="reset the environment before you observe it"):
        env.observe("player_0")
    env.reset(seed=1)
    with pytest.raises(AssertionError, match="need to call step"):
        list(env.agent_iter())
    assert [env.agent_selection for _ in zip(env.agent_iter(max_iter=1), range(5), strict=False)] == ["player_0"]


def test_what_was_observed_stays_as_it_is() -> None:
    """Two observations of one moment, and those of later ones, share no memory."""
    env = envs.aec("uno", players=2)
    env.reset(seed=1)
    env.step(np.flatnonzero(env.last()[0]["action_mask"])[0])
    first, second = env.last()[0], env.last()[0]
    kept = {name: array.copy() for name, array in first.items()}
    for array in second.values():
        array[:] = 1
    env.step(np.flatnonzero(kept["action_mask"])[0])
    assert all(np.array_equal(first[name], kept[name]) for name in kept)
    assert not np.array_equal(env.last()[0]["observation"], first["observation"])
