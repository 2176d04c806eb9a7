"""A run killed with SIGKILL at any moment resumes, and ends in the figures of a run in one go.

Real processes: each is killed when a share of its games that is drawn at random has been kept, and a little later, or as soon
as its store is there; some are killed a second time after they were resumed. Twenty moments in all.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kibitz.store.database import open_store
from kibitz.store.runs import COMPLETE, KILLED, condition, list_runs

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")

# Command lines with some tenths of a second to play, in 16 units or more, and how many moments each is killed at.
COMMANDS = {
    "evaluate": (["evaluate", "mix2", "greedy", "--games", "80000", "--players", "3"], 4),
    "match": (["match", "mix2", "random", "greedy", "--games", "120000", "--seating", "rotate"], 4),
    "contest": (["match", "greedy", "random", "--games", "10000", "--to", "200"], 3),
    "compare": (["compare", "mix2", "greedy", "--games", "60000"], 3),
    "tournament": (["tournament", "CUP", "--seed", "5"], 6),
}
# A Swiss in which each round hangs on the last, with a bot that is a process of its own and one that breaks the rules.
CUP = """
format = "swiss"
games = 24
rounds = 3
players = [
    {{ name = "Ann", bot = "mix2" }},
    {{ name = "Bob", bot = "greedy" }},
    {{ name = "Out", command = ["{python}", "{client}"] }},
    {{ name = "Bad", command = ["{python}", "{bad}", "illegal_name", "2"] }},
]
"""
HERE = Path(__file__).resolve().parent
PATIENCE = 300.0


def write_cup(folder: Path) -> str:
    client, bad = HERE.parents[1] / "examples/outside/random_client.py", HERE.parent / "outside/hostile/player.py"
    file = folder / "cup.toml"
    file.write_text(CUP.format(python=sys.executable, client=client, bad=bad), encoding="utf-8")
    return str(file)


def start(words: list[str], store: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "kibitz", *words, "--store", str(store), "--threads", "2"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(words: list[str], store: Path, folder: Path) -> dict[str, Any]:
    """Run a command to its end: its figures."""
    file = folder / "figures.json"
    process = start([*words, "--json", str(file)], store)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors
    figures: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return {key: value for key, value in figures.items() if key not in ("seconds", "games_per_second")}


def games_kept(store: Path) -> float:
    """Which share of its games the last run has kept, -1 if there is no run yet."""
    try:
        with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=5)) as connection:
            found = connection.execute("SELECT done * 1.0 / asked FROM runs ORDER BY id DESC LIMIT 1").fetchone()
    except sqlite3.OperationalError:  # not yet, or just being made
        return -1.0
    return -1.0 if found is None else float(found[0])


def kill(process: subprocess.Popen[str], store: Path, share: float, delay: float) -> None:
    """Kill a process a little after it has kept a share of its games, or after its store came to be if the share is negative."""
    until = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < until:
        if games_kept(store) >= share if share >= 0 else store.exists():
            break
        time.sleep(0.002)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=PATIENCE)


def stopped_in_mid_run(store: Path) -> bool:
    """Whether a run is there that is not complete, which then says that it was killed."""
    if not store.exists() or store.stat().st_size == 0:
        return False
    with open_store(store, create=False) as opened:
        found = list_runs(opened)
        if not found or found[0].status == COMPLETE:
            return False
        assert condition(opened, found[0]) == KILLED
        assert found[0].done == sum(count for (count,) in opened.rows("SELECT count FROM units"))
        return True


def kill_and_resume(words: list[str], folder: Path, share: float, delay: float, twice: float | None) -> tuple[bool, dict[str, Any]]:
    """Kill a command, and if `twice` says so its resumption: whether that hit a run in the middle, and the figures at the end."""
    folder.mkdir()
    store = folder / "kibitz.db"
    kill(start(words, store), store, share, delay)
    hit = stopped_in_mid_run(store)
    if hit and twice is not None:
        kill(start(["resume", "1"], store), store, twice, delay)
    figures = finish(["resume", "1"] if hit else words, store, folder)
    with open_store(store) as opened:
        last = list_runs(opened)[0]
        assert (last.status, last.done) == (COMPLETE, last.asked)
    return hit, figures


@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_killed_run_ends_in_the_figures_of_a_run_in_one_go(name: str, tmp_path: Path) -> None:
    words, moments = COMMANDS[name]
    words = [write_cup(tmp_path) if word == "CUP" else word for word in words]
    whole = finish(words, tmp_path / "whole.db", tmp_path)
    draw = random.Random(f"moments of {name}")
    drawn = [
        (draw.uniform(-0.2, 0.9), draw.uniform(0, 0.02), draw.uniform(0.5, 0.95) if moment % 3 == 2 else None) for moment in range(moments)
    ]
    with ThreadPoolExecutor(2) as pool:  # most of the time processes start up
        killed = [pool.submit(kill_and_resume, words, tmp_path / str(place), *moment) for place, moment in enumerate(drawn)]
    for moment in killed:
        assert moment.result()[1] == whole
    assert sum(moment.result()[0] for moment in killed) >= moments / 2


def test_two_runs_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    commands = [["match", "mix2", "random", "--games", "60000", "--seed", str(seed)] for seed in (1, 2)]
    alone = [finish(words, tmp_path / f"{place}.db", tmp_path) for place, words in enumerate(commands)]
    store = tmp_path / "both.db"
    together = [start(words, store) for words in commands]
    for process in together:
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, errors
    with open_store(store) as opened:
        found = {run.config["seed"]: run for run in list_runs(opened)}
    assert [found[seed].figures["rows"] for seed in (1, 2)] == [figures["rows"] for figures in alone]


def test_a_run_is_resumed_by_one_process_at_a_time(tmp_path: Path) -> None:
    store = tmp_path / "kibitz.db"
    kill(start(["match", "mix2", "random", "--games", "200000000"], store), store, 0.0, 0.0)
    first = start(["resume", "1"], store)
    before, until = games_kept(store), time.monotonic() + PATIENCE
    while games_kept(store) <= before and time.monotonic() < until:
        time.sleep(0.01)
    second = start(["resume", "1"], store)
    _, errors = second.communicate(timeout=PATIENCE)
    assert (second.returncode, errors.count("\n")) == (2, 1)
    assert f"run 1 is being played by process {first.pid} on " in errors
    os.kill(first.pid, signal.SIGINT)
    _, errors = first.communicate(timeout=PATIENCE)
    assert first.returncode == 130
    assert f"resume with: kibitz resume 1 --store {store}" in errors
