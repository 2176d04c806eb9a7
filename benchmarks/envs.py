"""Steps per second of environments, beside those of RLCard, the Hanabi Learning Environment and OpenSpiel where they are installed:

    python benchmarks/envs.py [--jax PYTHON] [--write docs/compare.md]

Everybody plays random legal moves, and everybody writes observations. Each figure is the best of several turns in one run. Ratios compare
processor time, which other programs disturb least; `must` is what Kibitz promises.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import kibitz.envs
from kibitz.envs.uno.rlcard_style import RLCardStyleEnv

STEPS = 20_000
RLCARD, RL_ENV = "UNO, RLCard", "Hanabi, Learning Environment (rl_env)"
ONE_BY_ONE = "games of a policy, one decision at a time"
MARKS = re.compile(r"(<!-- speed -->\n).*?(<!-- end of speed -->)", re.DOTALL)


class Spent(NamedTuple):
    """What some steps took, in seconds."""

    steps: int
    clock: float
    processor: float


Run = Callable[[], Spent]


class Case(NamedTuple):
    """What is measured: `against` is the case it is compared with, `must` the least ratio, `least` the least steps per second."""

    name: str
    make: Callable[[], Run]
    against: str = ""
    must: float = 0.0
    least: int = 0


def timed(play: Callable[[int], None], steps: int = STEPS) -> Run:
    """Runs some steps that play by themselves."""
    play(steps // 20)

    def run() -> Spent:
        start = time.perf_counter(), time.process_time()
        play(steps)
        return Spent(steps, time.perf_counter() - start[0], time.process_time() - start[1])

    return run


def turns(game: str, players: int) -> Run:
    """A PettingZoo environment."""
    env = kibitz.envs.aec(game, players=players)
    rng = np.random.default_rng(1)
    env.reset(seed=1)

    def play(steps: int) -> None:
        while steps:
            seen, _, ended, cut_off, _ = env.last()
            if ended or cut_off:
                env.reset()
                continue
            legal = seen["action_mask"].nonzero()[0]
            env.step(legal[int(rng.random() * len(legal))])
            steps -= 1

    return timed(play)


def vector(game: str, threads: int, num_envs: int = 4096, copy: bool = False, **bots: Any) -> Run:
    """A vector, observations and masks written; choosing the actions is not counted."""
    envs = kibitz.envs.vector(game, num_envs=num_envs, threads=threads, copy=copy, **bots)
    rng = np.random.default_rng(1)
    seen, _ = envs.reset(seed=1)

    def run() -> Spent:
        nonlocal seen
        clock = processor = 0.0
        rounds = 60
        for _ in range(rounds):
            actions = np.argmax(seen["action_mask"] * rng.random(seen["action_mask"].shape, dtype=np.float32), axis=1)
            start = time.perf_counter(), time.process_time()
            seen, *_ = envs.step(actions)
            clock += time.perf_counter() - start[0]
            processor += time.process_time() - start[1]
        return Spent(rounds * num_envs, clock, processor)

    return run


def policy(in_batches: bool) -> Run:
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

    def play(games: int) -> None:
        kibitz.match([made if in_batches else OneByOne, "random"], games=games, threads=1)

    return timed(play, 4000 if in_batches else 100)


def rlcard_like(env: Any, steps: int = STEPS) -> Run:
    """RLCard's UNO, or ours in its manner."""
    rng = np.random.default_rng(1)

    def play(steps: int) -> None:
        state, _ = env.reset()
        for _ in range(steps):
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(rng.random() * len(legal))])
            if env.is_over():
                state, _ = env.reset()

    return timed(play, steps)


def rlcard_uno() -> Run:
    """RLCard's UNO."""
    import rlcard

    return rlcard_like(rlcard.make("uno", config={"seed": 1}))


def rl_env_hanabi() -> Run:
    """The Hanabi Learning Environment's own interface for Python, which writes what all players see."""
    from hanabi_learning_environment import rl_env

    env = rl_env.make("Hanabi-Full", num_players=2)
    rng = np.random.default_rng(1)

    def play(steps: int) -> None:
        seen = env.reset()
        for _ in range(steps):
            legal = seen["player_observations"][seen["current_player"]]["legal_moves_as_int"]
            seen, _, done, _ = env.step(legal[int(rng.random() * len(legal))])
            if done:
                seen = env.reset()

    return timed(play, STEPS // 10)


def openspiel_hanabi() -> Run:
    """OpenSpiel's Hanabi, which is the C++ code of the Hanabi Learning Environment."""
    import pyspiel

    game = pyspiel.load_game("hanabi", {"players": 2})
    rng = np.random.default_rng(1)

    def play(steps: int) -> None:
        state = game.new_initial_state()
        while steps:
            if state.is_terminal():
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(int(rng.choice(outcomes, p=chances)))
            else:
                np.asarray(state.observation_tensor(state.current_player()))
                legal = state.legal_actions()
                state.apply_action(legal[int(rng.random() * len(legal))])
                steps -= 1

    return timed(play, STEPS // 4)


def jaxmarl_hanabi(python: str, versions: dict[str, str]) -> Run:
    """JaxMARL's Hanabi in another Python."""
    script = str(Path(__file__).with_name("jaxmarl_hanabi.py"))

    def run() -> Spent:
        done = subprocess.run([python, script], stdout=subprocess.PIPE, text=True, check=True)
        told = json.loads(done.stdout.splitlines()[-1])
        versions.update({name: told[name] for name in ("jaxmarl", "jax")})
        return Spent(told["steps"], told["clock"], told["processor"])

    return run


def cases(jax: str, versions: dict[str, str]) -> list[Case]:
    """What is measured: ours, and of others what is installed."""
    there = {name for name in ("torch", "rlcard", "pyspiel", "hanabi_learning_environment") if importlib.util.find_spec(name)}
    found = [
        Case("UNO, Kibitz (PettingZoo)", lambda: turns("uno", 2), RLCARD, 4.0),
        Case("UNO, Kibitz (RLCard style)", lambda: rlcard_like(RLCardStyleEnv(2, seed=1)), RLCARD),
        *([Case(RLCARD, rlcard_uno)] if "rlcard" in there else []),
        Case("Hanabi, Kibitz (PettingZoo)", lambda: turns("hanabi", 2), RL_ENV, 10.0),
        *([Case(RL_ENV, rl_env_hanabi)] if "hanabi_learning_environment" in there else []),
        *([Case("Hanabi, OpenSpiel (C++ from Python)", openspiel_hanabi)] if "pyspiel" in there else []),
        Case("UNO, Kibitz (vector of 4096 v mix2, copies)", lambda: vector("uno", 2, copy=True, against="mix2")),
        Case("UNO, Kibitz (vector of 4096 v mix2)", lambda: vector("uno", 2, against="mix2"), least=1_000_000),
        Case("UNO, Kibitz (vector of 4096 v random)", lambda: vector("uno", 2, against="random")),
        Case("Hanabi, Kibitz (vector of 4096 with random)", lambda: vector("hanabi", 2, partners="random")),
        Case("Hanabi, Kibitz (vector of 4096 with smart)", lambda: vector("hanabi", 2, partners="smart")),
        *([Case("Hanabi, JaxMARL (vector of 4096, CPU)", lambda: jaxmarl_hanabi(jax, versions))] if jax else []),
    ]
    if "torch" in there:
        found.append(Case(ONE_BY_ONE, lambda: policy(False)))
        found.append(Case("games of a policy, side by side", lambda: policy(True), ONE_BY_ONE, 20.0))
    return found


def versions_of(names: dict[str, str]) -> dict[str, str]:
    """The versions of packages that are installed, by the names they go by."""
    found = {}
    for name, package in names.items():
        try:
            found[name] = version(package)
        except PackageNotFoundError:
            continue
    return found


def rows_of(measured: list[Case], spent: dict[str, list[Spent]]) -> list[tuple[str, ...]]:
    """For each case: its name, steps per second by the clock, processor time of a step, the ratio, and what it must be."""
    micro = {name: min(each.processor / each.steps for each in tries) * 1e6 for name, tries in spent.items()}
    rows: list[tuple[str, ...]] = []
    for case in measured:
        rate = max(each.steps / each.clock for each in spent[case.name])
        ratio = (
            f"{micro[case.against] / micro[case.name]:.1f} × {case.against.partition(', ')[2] or 'that'}" if case.against in micro else ""
        )
        must = f"{case.must:g} ×" if case.must else f"{case.least:,} steps/s" if case.least else ""
        rows.append((case.name, f"{rate:,.0f}", f"{micro[case.name]:.2f} µs", ratio, must))
    return rows


def machine() -> str:
    """What it ran on."""
    info = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*: (.*)", info.read_text()) if info.is_file() else None
    return f"{model[1] if model else platform.processor() or platform.machine()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def page(rows: list[tuple[str, ...]], versions: dict[str, str], command: str) -> str:
    """The table as Markdown."""
    told = ", ".join(f"{name} {number}" for name, number in versions.items())
    lines = ["| environment | steps per second | processor time of a step | ratio | must |", "|---|---:|---:|---|---|"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([*lines, "", f"`{command}` on {machine()}; {told}.", ""])


def main() -> None:
    """Measure, and print the table or write it into a page."""
    parser = argparse.ArgumentParser(description="Steps per second of environments.")
    parser.add_argument("--repeats", type=int, default=3, help="turns of each; the best counts")
    parser.add_argument("--jax", default="", metavar="PYTHON", help="a Python with jax and jaxmarl, to measure JaxMARL's Hanabi as well")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into a page, between its marks for speed")
    asked = parser.parse_args()
    versions = versions_of(
        {
            "Kibitz": "kibitz",
            "RLCard": "rlcard",
            "hanabi-learning-environment": "hanabi-learning-environment",
            "OpenSpiel": "open_spiel",
            "PettingZoo": "pettingzoo",
        }
    )
    measured = cases(asked.jax, versions)
    runs = {case.name: case.make() for case in measured}
    spent: dict[str, list[Spent]] = {case.name: [] for case in measured}
    for repeat in range(asked.repeats):
        for name, run in runs.items():
            if "JaxMARL" not in name or repeat == 0:  # it takes the best of several itself
                spent[name].append(run())
    rows = rows_of(measured, spent)
    for name, rate, micro, ratio, must in rows:
        print(f"{name:46}{rate:>12}/s {micro:>12}  {ratio:36}{f'must be {must}' if must else ''}".rstrip())
    if asked.write:
        command = "python benchmarks/envs.py" + (" --jax PYTHON" if asked.jax else "")
        text = asked.write.read_text(encoding="utf-8")
        table = page(rows, versions, command)
        changed, count = MARKS.subn(lambda found: found[1] + table + found[2], text)
        if not count:
            sys.exit(f"{asked.write} has no marks for speed.")
        asked.write.write_text(changed, encoding="utf-8")


if __name__ == "__main__":
    main()
