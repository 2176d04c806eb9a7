"""Many games at once: each environment plays what a single one plays, whatever the threads."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from kibitz import envs
from kibitz.core.errors import BadBot, BadValue, UnknownName

WITH: list[tuple[str, dict[str, Any]]] = [
    ("uno", {"against": "mix2"}),
    ("uno", {"against": "linear", "players": 3, "rules": "official", "reward": "points"}),
    ("hanabi", {"partners": "smart", "players": 3}),
    ("hanabi", {"partners": "iggi", "reward": "points"}),
]


def choice(mask: Any, turn: int) -> int:
    """A legal action that depends on the turn alone."""
    legal = np.flatnonzero(mask)
    return int(legal[(turn * 7) % len(legal)])


@pytest.mark.parametrize(("game", "options"), WITH)
@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_an_environment_of_many_plays_what_a_single_one_plays(game: str, options: dict[str, Any], autoreset: str) -> None:
    """Environment e of n plays games e, e + n, …; a single one plays 0, 1, 2, … of the same seed."""
    count, steps = 3, 400
    many = envs.vector(game, num_envs=count, threads=2, autoreset=autoreset, **options)
    assert many.metadata["autoreset_mode"] is (AutoresetMode.NEXT_STEP if autoreset == "next_step" else AutoresetMode.SAME_STEP)
    single = envs.solo(game, **options)
    histories: list[list[Any]] = [[] for _ in range(count)]
    seen, _ = many.reset(seed=4)
    turns, over = np.zeros(count, int), np.zeros(count, bool)
    for _ in range(steps):
        actions = [0 if over[env] and autoreset == "next_step" else choice(seen["action_mask"][env], turns[env]) for env in range(count)]
        before = {name: array.copy() for name, array in seen.items()}
        was_over = over.copy() if autoreset == "next_step" else np.zeros(count, bool)
        seen, rewards, ended, cut_off, infos = many.step(np.array(actions))
        over = ended | cut_off
        for env in range(count):
            if was_over[env]:
                turns[env] = 0
                assert not over[env] and rewards[env] == 0.0
                continue
            final = infos["final_obs"]["observation"][env] if over[env] and autoreset == "same_step" else seen["observation"][env]
            histories[env].append((before["observation"][env], before["action_mask"][env], rewards[env], ended[env], cut_off[env], final))
            turns[env] = 0 if over[env] else turns[env] + 1
    games = [sum(step[3] or step[4] for step in history) for history in histories]
    assert min(games) >= 2
    places = [0] * count
    first, _ = single.reset(seed=4)
    for index in range(min(games) * count):
        env, turn, done = index % count, 0, False
        while not done:
            vector, mask, reward, ended_then, cut_off_then, final = histories[env][places[env]]
            assert np.array_equal(vector, first["observation"]) and np.array_equal(mask, first["action_mask"])
            first, got, ended_now, cut_off_now, _ = single.step(choice(mask, turn))
            assert (got, ended_now, cut_off_now) == (reward, ended_then, cut_off_then)
            assert np.array_equal(final, first["observation"])
            places[env], turn, done = places[env] + 1, turn + 1, ended_now or cut_off_now
        first, _ = single.reset()


@pytest.mark.parametrize("copy", [True, False])
def test_arrays_are_copies_unless_asked_otherwise(copy: bool) -> None:
    many = envs.vector("uno", num_envs=4, against="random", copy=copy)
    first, _ = many.reset(seed=1)
    kept = first["observation"].copy()
    second, *_ = many.step(np.argmax(first["action_mask"], axis=1))
    assert (second["observation"] is first["observation"]) == (not copy)
    assert np.array_equal(first["observation"], kept) == copy


def test_an_illegal_action_names_its_environment_and_moves_nothing() -> None:
    many = envs.vector("uno", num_envs=3, against="random")
    seen, _ = many.reset(seed=1)
    actions = np.argmax(seen["action_mask"], axis=1)
    wrong = actions.copy()
    wrong[1] = int(np.flatnonzero(seen["action_mask"][1] == 0)[0])
    with pytest.raises(BadValue, match=rf"action {wrong[1]} of environment 1 is not legal; legal are \d+ \("):
        many.step(wrong)
    with pytest.raises(BadValue, match="action 85 of environment 0 is not legal"):
        many.step(np.array([85, *actions[1:]]))
    again = envs.vector("uno", num_envs=3, against="random")
    again.reset(seed=1)
    assert np.array_equal(many.step(actions)[0]["observation"], again.step(actions)[0]["observation"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"num_envs": 0}, "num_envs=0 is out of range"),
        ({"autoreset": "never"}, "autoreset mode 'never'"),
        ({"reward": "score"}, "reward in UNO: 'score'"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises((BadValue, UnknownName), match=words):
        envs.vector("uno", against="random", **options)


def test_a_python_bot_is_refused_with_a_way_out() -> None:
    class Slow:
        def choose(self, view: Any) -> int:
            return 0

    with pytest.raises(BadBot, match="Slow runs as Python, and a vector of environments needs compiled bots; use the single environment"):
        envs.vector("uno", num_envs=2, against=[Slow])


def test_gymnasium_makes_it() -> None:
    many = gymnasium.make_vec("kibitz/uno-v0", num_envs=5, against="random")
    seen, _ = many.reset(seed=1)
    assert many.observation_space.contains(seen)
    with pytest.raises(BadValue, match="one seed"):
        many.reset(seed=[1, 2, 3, 4, 5])  # type: ignore[arg-type]
    many.close()
