"""Gymnasium's own check, and you against bots: the games that a batch plays."""

from __future__ import annotations

import pickle
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import kibitz
from kibitz import envs
from kibitz.core.errors import BadValue, KibitzError

WITH: list[tuple[str, dict[str, Any]]] = [
    ("uno", {"against": "mix2"}),
    ("uno", {"against": ["mix2", "random", "greedy"], "players": 4, "rules": "official"}),
    ("hanabi", {"partners": "smart", "players": 3}),
]


@pytest.mark.parametrize(("game", "options"), WITH)
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
def test_gymnasium_accepts_it(game: str, options: dict[str, Any]) -> None:
    made = gymnasium.make(f"kibitz/{game}-v0", illegal="lose", **options)
    check_env(made.unwrapped)


def chosen(turn: int, legal: list[int]) -> int:
    return legal[turn * 7 % len(legal)]


class ByTurn:
    """Chooses by the number of the turn."""

    windows = ("colour", "challenge", "stack", "swap", "uno_call", "catch", "jump_in")

    def choose(self, view: Any) -> int:
        return chosen(view.turn, [action for action in range(85) if view.is_legal(action)])


@pytest.mark.parametrize("rules", ["classic", "official,seven_zero=on,jump_in=on"])
def test_your_games_are_those_that_a_match_plays(rules: str) -> None:
    """As many wins as the same player has as a Python bot in `match`."""
    games, won, index = 60, 0, 0
    row = kibitz.match([ByTurn, "mix2"], games=games, seed=9, seating="random", rules=rules, threads=1).rows[0]
    env = envs.solo("uno", against="mix2", rules=rules)
    seen, _ = env.reset(seed=9)
    while index < games:
        turn = env.episode.state.turn
        seen, reward, ended, cut_off, _ = env.step(chosen(turn, np.flatnonzero(seen["action_mask"]).tolist()))
        if ended or cut_off:
            won += reward > 0
            index += 1
            seen, _ = env.reset()
    assert won == row.wins and 0 < won < games


def test_masks_for_sb3() -> None:
    env = envs.solo("uno", against="random")
    seen, _ = env.reset(seed=2)
    assert env.action_masks().dtype == bool and env.action_masks().tolist() == (seen["action_mask"] == 1).tolist()


def test_an_illegal_action_raises_or_loses() -> None:
    env = envs.solo("uno", against="random")
    env.reset(seed=2)
    wrong = int(np.flatnonzero(~env.action_masks())[0])
    with pytest.raises(BadValue, match=rf"action {wrong} \(.*\) of seat \d is not legal; legal are"):
        env.step(wrong)
    env = envs.solo("uno", against="random", illegal="lose")
    env.reset(seed=2)
    _, reward, ended, _, info = env.step(wrong)
    assert (reward, ended, info) == (-1.0, True, {"illegal": wrong})
    with pytest.raises(BadValue, match="comes after the end of the game; reset the environment"):
        env.episode.take(68)


@pytest.mark.parametrize(
    ("game", "options", "words"),
    [
        ("uno", {}, "name the bots that sit beside you with against"),
        ("hanabi", {}, "name the bots that sit beside you with partners"),
        ("uno", {"partners": "mix2"}, "partners='mix2' is not accepted in UNO; name the other players with against"),
        ("hanabi", {"against": "smart"}, "against='smart' is not accepted in Hanabi; name the other players with partners"),
        ("uno", {"against": "mix3"}, "mix3"),
        ("uno", {"against": "mix2", "illegal": "ignore"}, "unknown value of illegal: 'ignore'; known: lose, raise"),
    ],
)
def test_what_is_missing_or_wrong_is_said(game: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(KibitzError, match=words):
        envs.solo(game, **options)


def test_a_space_in_a_file_leaves_the_game_behind() -> None:
    """As in the files of models: it draws on from where its random numbers stood, from all actions."""
    env = envs.solo("uno", against="random")
    env.reset(seed=4)
    env.action_space.seed(7)
    kept = pickle.loads(pickle.dumps(env.action_space))
    assert kept == env.action_space
    everything = np.ones(85, np.int8)
    assert [kept.sample() for _ in range(20)] == [env.action_space.sample(everything) for _ in range(20)]
