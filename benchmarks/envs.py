"""Steps per second of environments, beside those of RLCard and of OpenSpiel's Hanabi where they are installed: python benchmarks/envs.py

Everybody plays random legal moves. Best of several, in one run; the last column is the ratio that counts.
"""

from __future__ import annotations

import argparse
import importlib.util
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import kibitz.envs

SECONDS = 1.0


def turns(game: str, players: int) -> Callable[[], int]:
    """Steps of a PettingZoo environment, observations included."""
    env = kibitz.envs.aec(game, players=players).unwrapped
    rng = np.random.default_rng(1)
    env.reset(seed=1)

    def run() -> int:
        steps, end = 0, time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            seen, _, ended, cut_off, _ = env.last()
            if ended or cut_off:
                env.reset()
                continue
            legal = np.flatnonzero(seen["action_mask"])
            env.step(legal[int(rng.random() * len(legal))])
            steps += 1
        return steps

    return run


def vector(game: str, threads: int, num_envs: int = 4096, **bots: Any) -> Callable[[], int]:
    """Environment steps of a vector, observations and masks written; choosing the actions is not counted."""
    envs = kibitz.envs.vector(game, num_envs=num_envs, threads=threads, copy=False, **bots)
    rng = np.random.default_rng(1)
    seen, _ = envs.reset(seed=1)

    def run() -> int:
        nonlocal seen
        steps, spent = 0, 0.0
        while spent < SECONDS:
            actions = np.argmax(seen["action_mask"] * rng.random(seen["action_mask"].shape, dtype=np.float32), axis=1)
            start = time.perf_counter()
            seen, *_ = envs.step(actions)
            spent += time.perf_counter() - start
            steps += num_envs
        return round(steps * SECONDS / spent)

    return run


def policy(in_batches: bool) -> Callable[[], int]:
    """Games of a small network in PyTorch v random: many side by side, or asked about one decision at a time."""
    import torch

    import kibitz

    torch.manual_seed(1)
    torch.set_num_threads(1)
    net = torch.nn.Sequential(torch.nn.Linear(774, 64), torch.nn.ReLU(), torch.nn.Linear(64, 85))
    made: Any = kibitz.envs.as_bot(net, "uno")

    class OneByOne:
        game, windows = "uno", made.windows

        def choose(self, view: Any) -> int:
            return int(made.fresh().choose(view))

    kibitz.match([made, "random"], games=20, threads=1)

    def run() -> int:
        games = 4000 if in_batches else 100
        start = time.perf_counter()
        kibitz.match([made if in_batches else OneByOne, "random"], games=games, threads=1)
        return round(games * SECONDS / (time.perf_counter() - start))

    return run


def rlcard_uno() -> Callable[[], int]:
    """Steps of RLCard's UNO."""
    import rlcard

    env = rlcard.make("uno", config={"seed": 1})
    rng = np.random.default_rng(1)

    def run() -> int:
        steps, end = 0, time.perf_counter() + SECONDS
        state, _ = env.reset()
        while time.perf_counter() < end:
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(rng.random() * len(legal))])
            steps += 1
            if env.is_over():
                state, _ = env.reset()
        return steps

    return run


def openspiel_hanabi() -> Callable[[], int]:
    """Steps of OpenSpiel's Hanabi, which is the C++ code of the Hanabi Learning Environment."""
    import pyspiel

    game = pyspiel.load_game("hanabi", {"players": 2})
    rng = np.random.default_rng(1)

    def run() -> int:
        steps, end = 0, time.perf_counter() + SECONDS
        state = game.new_initial_state()
        while time.perf_counter() < end:
            if state.is_terminal():
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(outcomes, p=chances)))
            else:
                np.asarray(state.observation_tensor(state.current_player()))
                legal = state.legal_actions()
                state.apply_action(legal[int(rng.random() * len(legal))])
                steps += 1
        return steps

    return run


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Steps per second of environments.")
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    cases: dict[str, Callable[[], Callable[[], int]]] = {
        "uno, PettingZoo, 2 players": lambda: turns("uno", 2),
        "hanabi, PettingZoo, 2 players": lambda: turns("hanabi", 2),
        "uno, vector of 4096 v mix2, 1 thread": lambda: vector("uno", 1, against="mix2"),
        "uno, vector of 4096 v mix2, 2 threads": lambda: vector("uno", 2, against="mix2"),
        "uno, vector of 4096 v random, 2 threads": lambda: vector("uno", 2, against="random"),
        "hanabi, vector of 4096 with smart, 2 threads": lambda: vector("hanabi", 2, partners="smart"),
    }
    if importlib.util.find_spec("torch"):
        cases["games of a policy, one decision at a time"] = lambda: policy(False)
        cases["games of a policy, side by side"] = lambda: policy(True)
    if importlib.util.find_spec("rlcard"):
        cases["uno, RLCard"] = rlcard_uno
    if importlib.util.find_spec("pyspiel"):
        cases["hanabi, OpenSpiel's C++ from Python"] = openspiel_hanabi
    runs = {name: make() for name, make in cases.items()}
    best = dict.fromkeys(runs, 0)
    for _ in range(repeats):
        for name, run in runs.items():
            best[name] = max(best[name], run())
    rivals = {"uno": best.get("uno, RLCard"), "hanabi": best.get("hanabi, OpenSpiel's C++ from Python")}
    for name, steps in best.items():
        kind = name.partition(",")[0]
        rival = rivals.get(kind, best.get("games of a policy, one decision at a time"))
        unit = "steps/s" if kind in rivals else "games/s"
        print(f"{name:46}{round(steps / SECONDS):>12,} {unit}{f'{steps / rival:>10.1f} x' if rival else ''}")


if __name__ == "__main__":
    main()
