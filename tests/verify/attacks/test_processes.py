"""Five processes on one store at once, and others that read it meanwhile: every run ends in the figures of a run alone."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kibitz.runs.database import open_store
from kibitz.runs.store import COMPLETE, list_runs
from tests.runs.test_kill import finish
from tests.runs.warm import Started
from tests.verify.attacks.conftest import Begin

pytestmark = pytest.mark.verify

ROUNDS = 2


def commands(chosen: int) -> list[list[str]]:
    """Five runs with seeds of their own."""
    matches = [["match", "mix2", "random", "--games", "200000", "--seed", str(chosen + place)] for place in range(3)]
    return matches + [["evaluate", "greedy", "mix2", "--games", "150000", "--seed", str(chosen + place)] for place in (3, 4)]


def read_until(over: Callable[[], bool], store: Path, words: list[str]) -> list[subprocess.CompletedProcess[str]]:
    """Look at the store again and again."""
    found: list[subprocess.CompletedProcess[str]] = []
    while not (over() and found):
        command = [sys.executable, "-m", "kibitz", *words, "--store", str(store)]
        found.append(subprocess.run(command, capture_output=True, text=True, timeout=120, check=False))
    return found


def test_five_processes_on_one_store(begin: Begin, tmp_path: Path) -> None:
    with begin("five processes on one store") as attack:
        for number in range(ROUNDS):
            wanted = commands(100 * number)
            alone = [finish(words, tmp_path / f"alone-{number}-{place}.db", tmp_path) for place, words in enumerate(wanted)]
            store = tmp_path / f"shared-{number}.db"
            if number == 0:  # else all five want to create it
                open_store(store).close()
            started = [Started(words, store) for words in wanted]
            until = time.monotonic() + 60
            while not store.exists() and time.monotonic() < until:
                time.sleep(0.005)

            def over(running: list[Started] = started) -> bool:
                return not any(process.alive for process in running)

            with ThreadPoolExecutor(2) as readers:
                lists = readers.submit(read_until, over, store, ["runs", "--json", "-"])
                shows = readers.submit(read_until, over, store, ["runs"])
                ended = [process.wait() for process in started]
                looks = [*lists.result(), *shows.result()]
            with open_store(store) as opened:
                found = {run.config["seed"]: run for run in list_runs(opened)}
            for place, (words, one) in enumerate(zip(wanted, ended, strict=True)):
                with attack.attempt(" ".join(words)):
                    assert one.code == 0 and "locked" not in one.errors, one.errors
                    run = found[100 * number + place]
                    assert (run.status, run.done) == (COMPLETE, run.asked)
                    assert run.figures["rows"] == alone[place]["rows"], "the figures differ from those of a run alone"
            for look in looks:
                with attack.attempt("a look at the store"):
                    assert look.returncode == 0 and not look.stderr, look.stderr
            with attack.attempt("all runs are listed"):
                assert len(json.loads(lists.result()[-1].stdout)["runs"]) == len(wanted)
