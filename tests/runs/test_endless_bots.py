"""A bot that never answers: the first Ctrl-C or SIGTERM ends the run, as does a limit on decisions, and both name the bot.

Processes of their own, most of them forked from one that has imported everything. Each ends by itself; a test that waited for PATIENCE has found a command that can't be stopped.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

import kibitz
from kibitz.core.errors import BadValue, DecisionTimeout
from kibitz.core.stopping import is_stopped
from kibitz.runs.database import open_store
from kibitz.runs.store import INTERRUPTED, KILLED, condition, list_runs
from kibitz.runs.watchdog import watchdog
from tests.runs.interrupted import prepare
from tests.runs.warm import PATIENCE, Started

FILE = "tests/runs/endless.py"
ROOT = Path(__file__).resolve().parents[2]

# The command after `match`, who is named, and which signal it gets.
CASES = {
    "compiled, on threads": (["choosing", "random", "--threads", "2"], "choosing", "SIGINT"),
    "in a function that the bot calls": (["helping", "random"], "helping", "SIGTERM"),
    "in begin": (["beginning", "random"], "beginning", "SIGTERM"),
    "in observe": (["observing", "random"], "observing", "SIGINT"),
    "compiled, beside a Python bot": (["choosing", "Fine", "--games", "10"], "choosing", "SIGINT"),
    "compiled bot as plain Python": (["choosing", "random", "--no-jit"], "choosing", "SIGTERM"),
    "Python bot": (["Loop", "random", "--games", "10"], "Loop", "SIGINT"),
    "Python bot that waits": (["Sleeper", "random", "--games", "10"], "Sleeper", "SIGTERM"),
    "Python bot that catches everything": (["Stubborn", "fine", "--games", "10"], "Stubborn", "SIGINT"),
    "Python bot in worker processes": (["Loop", "random", "--games", "3000", "--threads", "2"], "Loop", "SIGINT"),
}


def bot(name: str) -> str:
    return name if name == "random" else f"{FILE}:{name}"


def words_of(case: str) -> list[str]:
    first, second, *options = CASES[case][0]
    return ["match", bot(first), bot(second), *options, "--seed", "7"]


# Python bots play some games twice before the run; here they never get to it.
EARLY = {name: case for name, case in CASES.items() if name.startswith(("Python bot", "compiled bot as plain"))}


def run(words: list[str], store: Path, signal: str = "none", moment: str = "late") -> tuple[int, str]:
    """A command's exit code, and what it said on standard error."""
    ended = Started(words, store, options=(), before=partial(prepare, signal, moment)).wait()
    assert "Traceback" not in ended.errors
    return ended.code, ended.errors


def run_from_the_start(words: list[str], store: Path, signal: str = "none") -> tuple[int, str]:
    """The same with an interpreter of its own, as a user has it."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.runs.interrupted", signal, "late", *words, "--store", str(store)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr


# Two of them are started as a user does.
HOW = dict.fromkeys(CASES, run) | dict.fromkeys(["compiled, on threads", "Python bot in worker processes"], run_from_the_start)


def how_it_ended(store: Path) -> str:
    with open_store(store) as opened:
        return condition(opened, list_runs(opened)[0])


@pytest.mark.parametrize("case", CASES)
def test_first_signal_ends_the_run_and_names_the_bot(case: str, tmp_path: Path) -> None:
    _, name, signal = CASES[case]
    code, said = HOW[case](words_of(case), tmp_path / "store.db", signal)
    assert code == 130
    assert re.search(rf"bot {FILE}:{name} in seat [01] had not answered for \d+\.\d s \(reproduce with --seed 7 --index \d+\)", said)
    assert "resume with: kibitz resume 1" in said


@pytest.mark.parametrize("case", EARLY)
def test_a_signal_before_the_run_names_the_bot(case: str, tmp_path: Path) -> None:
    _, name, signal = EARLY[case]
    code, said = run(words_of(case), tmp_path / "store.db", signal, "early")
    assert code == 130
    assert len(re.findall(rf"bot {FILE}:{name} in seat 1 had not answered for [\d.]+ s \(reproduce with --seed 7 --index 0\)", said)) == 1


@pytest.mark.parametrize("case", EARLY)
def test_limit_before_the_run_names_the_bot(case: str, tmp_path: Path) -> None:
    code, said = run([*words_of(case), "--decision-seconds", "0.2"], tmp_path / "store.db", moment="early")
    assert code == 1
    assert f"bot {FILE}:{EARLY[case][1]} in seat 1 took longer than 0.2 s to answer (reproduce with --seed 7 --index 0)" in said
    assert how_it_ended(tmp_path / "store.db") == INTERRUPTED


@pytest.mark.parametrize("case", CASES)
def test_limit_ends_the_run_and_names_the_bot(case: str, tmp_path: Path) -> None:
    _, name, _ = CASES[case]
    code, said = HOW[case]([*words_of(case), "--decision-seconds", "0.2"], tmp_path / "store.db")
    assert code == 1
    assert re.search(rf"bot {FILE}:{name} in seat [01] took longer than 0.2 s to answer \(reproduce with --seed 7 --index \d+\)", said)
    assert "had not answered" not in said
    assert how_it_ended(tmp_path / "store.db") == (KILLED if name == "Stubborn" else INTERRUPTED)


@pytest.mark.parametrize("signal", ["SIGINT", "none"])
def test_finished_units_are_kept(signal: str, tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    words = ["match", bot("seldom"), "random", "--games", "10000000", "--threads", "1"]
    code, said = run(words if signal != "none" else [*words, "--decision-seconds", "1"], store, signal)
    assert code == (130 if signal != "none" else 1)
    index = int(re.search(r"--index (\d+)", said)[1])  # type: ignore[index]  # the sentence names it
    with open_store(store) as opened:
        assert list_runs(opened)[0].done == index // 20_000 * 20_000 > 0
    assert how_it_ended(store) == INTERRUPTED


def test_other_commands_have_the_limit(tmp_path: Path) -> None:
    store = tmp_path / "store.db"
    for words in (["evaluate", bot("choosing")], ["compare", bot("choosing"), "random"]):
        code, said = run([*words, "--decision-seconds", "0.2"], store)
        assert (code, f"bot {FILE}:choosing in seat" in said) == (1, True)
    code, said = run(["resume", "1", "--decision-seconds", "0.3"], store)
    assert (code, "took longer than 0.3 s to answer" in said) == (1, True)


def test_a_limit_is_a_positive_number(tmp_path: Path) -> None:
    code, said = run(["match", "random", "random", "--decision-seconds", "-1"], tmp_path / "store.db")
    assert (code, said) == (2, "kibitz: decision seconds must be more than 0 and at most 86,400, got -1.\n")


def test_python_interface_goes_on_after_a_time_out() -> None:
    before = kibitz.match(["greedy", "random"], games=2_000, seed=3)
    with pytest.raises(DecisionTimeout, match=r"took longer than 0\.1 s to answer"), kibitz.decision_limit(0.1):
        kibitz.match([bot("choosing"), "random"], games=100)
    assert not is_stopped()
    assert not watchdog.is_busy
    with kibitz.decision_limit(60):
        after = kibitz.match(["greedy", "random"], games=2_000, seed=3)
    assert [row.to_dict() for row in after.rows] == [row.to_dict() for row in before.rows]
    with pytest.raises(BadValue, match="more than 0"), kibitz.decision_limit(0):
        pass
