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
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from kibitz.runs.database import open_store
from kibitz.runs.store import COMPLETE, KILLED, condition, list_runs
from tests.commands import kibitz_command
from tests.figure_pages import contents, make_folder, runs_in
from tests.runs.warm import COMMANDS, PATIENCE, Started, command_line

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")

MOMENTS = {"evaluate": 4, "match": 4, "contest": 3, "compare": 3, "tournament": 6}  # that each is killed at


def finish(words: list[str], store: Path, folder: Path) -> dict[str, Any]:
    """Run a command to its end: its figures."""
    file = folder / "figures.json"
    ended = Started([*words, "--json", str(file)], store).wait()
    assert ended.code == 0, ended.errors
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


def kill(process: Started, store: Path, share: float, delay: float) -> None:
    """Kill a process a little after it has kept a share of its games, or after its store came to be if the share is negative."""
    until = time.monotonic() + PATIENCE
    while process.alive and time.monotonic() < until:
        if games_kept(store) >= share if share >= 0 else store.exists():
            break
        time.sleep(0.002)
    time.sleep(delay)
    process.kill()
    process.wait()


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
    kill(Started(words, store), store, share, delay)
    hit = stopped_in_mid_run(store)
    if hit and twice is not None:
        kill(Started(["resume", "1"], store), store, twice, delay)
    figures = finish(["resume", "1"] if hit else words, store, folder)
    with open_store(store) as opened:
        last = list_runs(opened)[0]
        assert (last.status, last.done) == (COMPLETE, last.asked)
    return hit, figures


@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_killed_run_ends_in_the_figures_of_a_run_in_one_go(name: str, tmp_path: Path) -> None:
    words, moments = command_line(name, tmp_path), MOMENTS[name]
    whole = finish(words, tmp_path / "whole.db", tmp_path)
    draw = random.Random(f"moments of {name}")
    hits = 0
    for moment in range(moments):
        share, delay, twice = draw.uniform(-0.2, 0.9), draw.uniform(0, 0.02), draw.uniform(0.5, 0.95) if moment % 3 == 2 else None
        hit, figures = kill_and_resume(words, tmp_path / str(moment), share, delay, twice)
        assert figures == whole
        hits += hit
    assert hits >= moments / 2


def test_two_runs_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    commands = [["match", "mix2", "random", "--games", "60000", "--seed", str(seed)] for seed in (1, 2)]
    alone = [finish(words, tmp_path / f"{place}.db", tmp_path) for place, words in enumerate(commands)]
    store = tmp_path / "both.db"
    for ended in [process.wait() for process in [Started(words, store) for words in commands]]:
        assert ended.code == 0, ended.errors
    with open_store(store) as opened:
        found = {run.config["seed"]: run for run in list_runs(opened)}
    assert [found[seed].figures["rows"] for seed in (1, 2)] == [figures["rows"] for figures in alone]


def test_a_run_is_resumed_by_one_process_at_a_time(tmp_path: Path) -> None:
    store = tmp_path / "kibitz.db"
    kill(Started(["match", "mix2", "random", "--games", "200000000"], store), store, 0.0, 0.0)
    first = Started(["resume", "1"], store)
    before, until = games_kept(store), time.monotonic() + PATIENCE
    while games_kept(store) <= before and time.monotonic() < until:
        time.sleep(0.01)
    second = Started(["resume", "1"], store).wait()
    assert (second.code, second.errors.count("\n")) == (2, 1)
    assert f"run 1 is being played by process {first.pid} on " in second.errors
    os.kill(first.pid, signal.SIGINT)
    ended = first.wait()
    assert ended.code == 130
    assert f"resume with: kibitz resume 1 --store {store}" in ended.errors


# -- a list of figures --


def has_begun(store: Path, number: int) -> bool:
    """Whether a run has kept something."""
    try:
        with closing(sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, timeout=5)) as connection:
            return bool(connection.execute("SELECT 1 FROM runs WHERE id = ? AND done > 0", (number,)).fetchone())
    except sqlite3.OperationalError:  # not yet, or just being made
        return False


def test_a_killed_list_goes_on_where_it_stopped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for attempt in range(8):  # until a kill hits the second run in the middle
        folder = make_folder(tmp_path / f"killed {attempt}", 400_000)
        words, store = ["figures", str(folder / "list.toml"), "--only", "table", "--only", "cells"], folder / "runs.db"
        process, until = Started(words, store), time.monotonic() + PATIENCE
        while process.alive and time.monotonic() < until and not has_begun(store, 2):
            time.sleep(0.002)
        process.kill()
        process.wait()
        if [run[1] for run in runs_in(store)] == ["complete", "running"]:
            break
    assert 0 < runs_in(store)[1][2] < 400_000
    assert "| greedy |" in (folder / "table.md").read_text(encoding="utf-8")
    before = (folder / "table.md").read_bytes()
    assert kibitz_command(capsys, *words, "--store", str(store))[0] == 0
    assert (folder / "table.md").read_bytes() == before
    assert [(run[0], run[1]) for run in runs_in(store)] == [(1, "complete"), (2, "complete"), (3, "complete")]
    whole = make_folder(tmp_path / "whole", 400_000)
    again = ("figures", str(whole / "list.toml"), "--only", "cells", "--store", str(whole / "runs.db"))
    assert kibitz_command(capsys, *again)[0] == 0
    assert contents(folder)["cells.md"] == contents(whole)["cells.md"]
