"""Studies that are killed: the store knows what was done, and resumed they end in the figures of one in one go."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_commands import kibitz_command

# A study as a process of its own that is killed, as if from outside, when the third unit has been kept.
KILLED = """
import os, signal, sys
from kibitz.cli.main import run
from kibitz.runs.store import RunLedger

keep, kept = RunLedger.keep, []

def killed(self, *arguments, **named):
    keep(self, *arguments, **named)
    kept.append(1)
    if len(kept) == 3:
        os.kill(os.getpid(), signal.SIGKILL)

RunLedger.keep = killed
run(sys.argv[1:])
"""


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_times(each) for name, each in value.items() if name not in ("seconds", "games_per_second")}
    return [without_times(each) for each in value] if isinstance(value, list) else value


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize(
    "words",
    [
        ("rules", "greedy", "--games", "60", "--seed", "5"),
        ("contests", "--games", "10"),
        ("exact", "random", "mix2", "greedy", "score", "rollout:rollouts=2", "--samples", "4"),
    ],
    ids=lambda words: str(words[0]),
)
def test_a_killed_study_goes_on_where_it_was(words: tuple[str, ...], capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "kibitz.db"))
    done = subprocess.run([sys.executable, "-c", KILLED, "study", *words, *store], capture_output=True, timeout=300, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    shown = json.loads(kibitz_command(capsys, "runs", "show", "1", *store, "--json", "-")[1])
    assert (shown["kind"], shown["status"], shown["figures"]["complete"]) == (f"study {words[0]}", "killed", False)
    code, again, _ = kibitz_command(capsys, "resume", "1", *store, "--json", "-")
    assert code == 0
    code, whole, _ = kibitz_command(capsys, "study", *words, "--no-store", "--json", "-")
    assert code == 0
    assert without_times(json.loads(again)) == without_times(json.loads(whole))
    page = tmp_path / "page.html"
    assert kibitz_command(capsys, "report", "1", "-o", str(page), *store)[0] == 0
    assert f"Study of {words[0]}" in page.read_text() and "<svg" in page.read_text()
