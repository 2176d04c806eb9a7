"""Runs in the store: units with all that belongs to them, ends, locks, deletion."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import kibitz
from kibitz.core.errors import KibitzError
from kibitz.runs.database import Store, StoreError, open_store
from kibitz.runs.ledger import Fault, KeptGame, Ledger
from kibitz.runs.store import (
    COMPLETE,
    FAILED,
    INTERRUPTED,
    KILLED,
    RUNNING,
    RunLedger,
    begin,
    condition,
    delete_runs,
    faults_of,
    list_runs,
    read_run,
    reopen,
)
from kibitz.runs.units import Unit


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "kibitz.db") as opened:
        yield opened


def in_another_process(store: Store, program: str) -> str:
    """What a program prints that runs with the same store, by the name `store`, in a process of its own."""
    head = "from pathlib import Path\nfrom kibitz.runs.database import open_store\nfrom kibitz.runs.store import *\n"
    head += f"from kibitz.runs import store as runs\nfrom kibitz.runs.units import Unit\nstore = open_store(Path({str(store.path)!r}))\n"
    done = subprocess.run([sys.executable, "-c", head + program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode in (0, -9), done.stderr
    return done.stdout.strip()


def test_a_unit_is_kept_with_its_faults_and_games(store: Store) -> None:
    first, second = Fault(3, "mine", 1, "illegal", "answered 69", "position", "kibitz watch"), Fault(1, "mine", 0, "time", "took 2 s")
    games = [KeptGame(2, "two"), KeptGame(0, "nothing, deal 1"), KeptGame(0, "nothing, deal 2")]
    with begin(store, "demo", {"seed": 1}, "kibitz demo", 30) as ledger:
        told: Ledger = ledger
        told.keep(0, Unit(10, 10), b"later")
        told.keep(0, Unit(0, 10), b"sooner", [first, second], games)
        told.keep(1, Unit(0, 10), b"elsewhere")
    with reopen(store, 1) as again:
        assert list(again.finished(0).items()) == [(Unit(0, 10), b"sooner"), (Unit(10, 10), b"later")]
        assert again.finished(1) == {Unit(0, 10): b"elsewhere"}
        assert again.finished(2) == {}
        assert again.faults(0) == [second, first]
        assert again.faults(1) == []
        assert again.games(0) == [games[1], games[2], games[0]]
    assert faults_of(store, 1) == [(0, second), (0, first)]
    assert (read_run(store, 1).done, read_run(store, 1).asked) == (30, 30)


def test_a_unit_is_kept_whole_or_not_at_all(store: Store) -> None:
    with begin(store, "demo", {}, "kibitz demo") as ledger:
        unprintable: int = object()  # type: ignore[assignment]  # that is the point: SQLite cannot keep it
        with pytest.raises(sqlite3.ProgrammingError):
            ledger.keep(0, Unit(0, 5), b"x", [Fault(0, "mine", unprintable, "kind", "what")])
        assert (ledger.finished(0), ledger.faults(0), read_run(store, 1).done) == ({}, [], 0)
        ledger.keep(0, Unit(0, 5), b"x")
        assert read_run(store, 1).done == 5


def test_text_that_is_no_unicode_is_kept_readably(store: Store) -> None:
    """A bot can say anything, and a file can have any name."""
    with begin(store, "demo", {"bots": ["\udcff.py"]}, "kibitz match \udcff.py") as ledger:
        ledger.keep(0, Unit(0, 1), b"", [Fault(0, "\ud800", 0, "garbage", "said \udcff\0")], [KeptGame(0, "seats=\ud800")])
        ledger.finish({"bot": "\udcff.py"})
        assert ledger.faults(0) == [Fault(0, "\\ud800", 0, "garbage", "said \\udcff\0")]
        assert ledger.games(0) == [KeptGame(0, "seats=\\ud800")]
    run = read_run(store, 1)
    assert (run.config, run.command, run.figures) == ({"bots": ["\udcff.py"]}, "kibitz match \\udcff.py", {"bot": "\udcff.py"})


def test_how_runs_end(store: Store) -> None:
    config = {"bots": ["mix2", "ü"], "seed": 2**63}
    with begin(store, "demo", config, "kibitz demo 'two words'", 7) as ledger:
        ledger.keep(0, Unit(0, 7), b"")
        assert condition(store, read_run(store, 1)) == RUNNING
        ledger.finish({"wins": [1, 2], "rate": 0.5})
    with begin(store, "demo", config, "kibitz demo") as ledger:
        ledger.interrupt()
    with begin(store, "demo", config, "kibitz demo") as ledger:
        ledger.keep(0, Unit(0, 7), b"")
        ledger.fail("a bot raised ValueError")
    begin(store, "demo", config, "kibitz demo").close()
    killed, failed, interrupted, complete = list_runs(store)
    assert (complete.status, complete.figures, complete.config, complete.version) == (
        COMPLETE,
        {"wins": [1, 2], "rate": 0.5},
        config,
        kibitz.__version__,
    )
    assert complete.ended is not None and complete.ended >= complete.started
    assert (interrupted.status, interrupted.figures) == (INTERRUPTED, None)
    assert (failed.status, failed.reason) == (FAILED, "a bot raised ValueError")
    assert condition(store, killed) == KILLED
    assert [run.id for run in list_runs(store, unfinished=True)] == [4, 3, 2]
    assert [run.id for run in list_runs(store, limit=2)] == [4, 3]
    json.dumps(complete.to_dict())


def test_a_run_that_failed_before_anything_was_finished_is_forgotten(store: Store) -> None:
    with begin(store, "demo", {}, "kibitz demo") as ledger:
        ledger.fail("threads=0")
    assert list_runs(store) == []


def test_seconds_add_up_over_interruptions(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([100.0, 103.0, 104.0, 200.0, 210.0])
    monkeypatch.setattr("kibitz.runs.store.time.perf_counter", lambda: next(clock))
    with begin(store, "demo", {}, "kibitz demo") as ledger:
        ledger.finished(0)  # 100: this is when it begins to play
        ledger.keep(0, Unit(0, 1), b"")  # 103
        assert read_run(store, 1).seconds == 3.0
        ledger.interrupt()  # 104
    with reopen(store, 1) as ledger:
        assert ledger.earlier == 4.0
        ledger.finished(0)  # 200
        ledger.finish({})  # 210
    assert read_run(store, 1).seconds == 14.0


def test_a_run_is_played_by_one_at_a_time(store: Store) -> None:
    with begin(store, "demo", {}, "kibitz demo") as ledger:
        with pytest.raises(StoreError, match=r"run 1 is being played by process \d+ on "):
            reopen(store, 1)
        program = "try:\n    reopen(store, 1)\nexcept Exception as error:\n    print(condition(store, read_run(store, 1)), error)"
        assert in_another_process(store, program).startswith("running run 1 is being played by process ")
        ledger.interrupt()
    assert in_another_process(store, "reopen(store, 1).finish({})\nprint('done')") == "done"
    with pytest.raises(StoreError, match="run 1 is complete"):
        reopen(store, 1)


def test_a_killed_run_is_known_as_such_while_another_is_played(store: Store) -> None:
    with begin(store, "demo", {}, "kibitz demo") as ledger:
        in_another_process(store, "import os, signal\nbegin(store, 'demo', {}, 'kibitz demo')\nos.kill(os.getpid(), signal.SIGKILL)")
        looks = "print(condition(store, read_run(store, 1)), condition(store, read_run(store, 2)))"
        assert in_another_process(store, looks) == f"{RUNNING} {KILLED}"
        ledger.interrupt()


def test_what_was_kept_outlives_a_kill_and_the_lock_does_not(store: Store) -> None:
    program = "import os, signal\nledger = begin(store, 'demo', {}, 'kibitz demo')\n"
    program += "for first in range(50):\n    ledger.keep(0, Unit(first, 1), bytes([first]))\n"
    in_another_process(store, program + "os.kill(os.getpid(), signal.SIGKILL)")
    assert condition(store, read_run(store, 1)) == KILLED
    with reopen(store, 1) as ledger:
        assert ledger.finished(0) == {Unit(first, 1): bytes([first]) for first in range(50)}
        assert condition(store, read_run(store, 1)) == RUNNING


def test_a_child_that_outlives_its_parent_does_not_hold_the_lock(store: Store) -> None:
    program = "import os, signal, subprocess, sys\nledger = begin(store, 'demo', {}, 'kibitz demo')\n"
    program += "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n"
    program += "print(child.pid, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    child = int(in_another_process(store, program))
    try:
        reopen(store, 1).close()
    finally:
        os.kill(child, signal.SIGKILL)


def test_two_processes_write_to_one_store(store: Store) -> None:
    program = "ledger = begin(store, 'demo', {'seed': SEED}, 'kibitz demo', 300)\n"
    program += "for first in range(300):\n    ledger.keep(0, Unit(first, 1), bytes([SEED]))\nledger.finish({'seed': SEED})"
    head = "import sys\nfrom pathlib import Path\nfrom kibitz.runs.database import open_store\nfrom kibitz.runs.store import begin\n"
    head += f"from kibitz.runs.units import Unit\nstore = open_store(Path({str(store.path)!r}))\nSEED = int(sys.argv[1])\n"
    others = [subprocess.Popen([sys.executable, "-c", head + program, str(seed)]) for seed in (1, 2)]
    assert [other.wait(timeout=120) for other in others] == [0, 0]
    for run in list_runs(store):
        assert (run.status, run.done, run.figures) == (COMPLETE, 300, run.config)
        payloads = store.rows("SELECT DISTINCT payload FROM units WHERE run = ?", (run.id,))
        assert payloads == [(bytes([run.config["seed"]]),)]
    assert len(list_runs(store)) == 2


def test_runs_are_deleted_with_all_that_belongs_to_them_and_numbers_are_not_used_again(store: Store) -> None:
    for _ in range(2):
        with begin(store, "demo", {}, "kibitz demo") as ledger:
            ledger.keep(0, Unit(0, 1), b"", [Fault(0, "mine", 0, "kind", "what")], [KeptGame(0, "text")])
            ledger.finish({})
    delete_runs(store, [2, 2])
    assert [run.id for run in list_runs(store)] == [1]
    for table in ("units", "faults", "games"):
        assert store.rows(f"SELECT run FROM {table}") == [(1,)]
    with begin(store, "demo", {}, "kibitz demo") as ledger:
        assert ledger.id == 3
        with pytest.raises(StoreError, match="run 3 is being played"):
            delete_runs(store, [1, 3])
    assert [run.id for run in list_runs(store)] == [3, 1]


@pytest.mark.parametrize("number", [0, -1, 5, 2**70])
def test_an_unknown_run_is_a_sentence(store: Store, number: int) -> None:
    with pytest.raises(KibitzError, match=r"there is no run -?\d+ in .*; it holds none\."):
        read_run(store, number)
    begin(store, "demo", {}, "kibitz demo").close()
    for action in (read_run, reopen):
        with pytest.raises(KibitzError, match=r"there is no run .*; the last is run 1\."):
            action(store, number)
    with pytest.raises(KibitzError, match="there is no run"):
        delete_runs(store, [1, number])
    assert len(list_runs(store)) == 1


def test_an_evaluation_is_played_on_from_its_ledger(store: Store) -> None:
    whole = kibitz.evaluate(["mix2", "greedy"], games=100, seed=3)
    with begin(store, "evaluate", {}, "") as ledger:
        first = kibitz.evaluate(["mix2", "greedy"], games=100, seed=3, ledger=ledger)
        assert first.rows == whole.rows
        assert store.rows("SELECT part, sum(count) FROM units GROUP BY part") == [(0, 100), (1, 100)]
    with begin(store, "evaluate", {}, "") as ledger:  # of which some units are missing
        for part in (0, 1):
            for unit, payload in RunLedger(store, read_run(store, 1)).finished(part).items():
                if part == 0 or unit.first % 40:
                    ledger.keep(part, unit, payload)
    with reopen(store, 2) as ledger:
        again = kibitz.evaluate(["mix2", "greedy"], games=100, seed=3, ledger=ledger)
    assert (again.rows, again.games_played) == (whole.rows, 200)
