"""Studies that are killed: the store knows what was done, and resumed they end in the figures of one in one go."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands import kibitz_command

# A study as a process of its own that is killed, as if from outside, when the third unit has been kept.
KILLED = """
import os, signal, sys
from importlib import import_module
from kibitz.cli.main import run
from kibitz.runs.store import RunLedger

keep, kept = RunLedger.keep, []

def killed(self, *arguments, **named):
    keep(self, *arguments, **named)
    kept.append(1)
    if len(kept) == 3:
        os.kill(os.getpid(), signal.SIGKILL)

RunLedger.keep = killed
module, sizes = eval(sys.argv[1])
for name, value in sizes.items():
    setattr(import_module(module), name, value)
run(sys.argv[2:])
"""
UNO = "kibitz.experiments.studies.uno"
SHORT_STEPS = {"SAMPLE_STEPS": (2, 50), "DEPTH_STEPS": (1, 2), "DRAW_STEPS": (1, 60), "MANY": 60, "WORLDS": 2, "KEYS": 2}
# The words of each study, and what makes it smaller than its options can.
STUDIES = {
    "rules greedy --games 60 --seed 5": (UNO, {}),
    "contests --games 10": (UNO, {}),
    "crossplay iggi piers --games 40 --seed 3": (UNO, {}),
    "skill --games 20 --search-games 20 --rollouts 1": (UNO, {}),
    "expectiminimax --games 1 --positions 2 --repeats 2": (f"{UNO}.expectiminimax.search_errors", SHORT_STEPS),
    "perceptrons --games 20 --seeds 2 --check 100 --final 100": (
        f"{UNO}.perceptrons.study",
        {"PLAYED": 4, "WINDOWS": 5, "MARKS": (0.5, 1.0), "LONG": 1},
    ),
    "exact random mix2 greedy score rollout:rollouts=2 --samples 4": (UNO, {}),
}


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_times(each) for name, each in value.items() if name not in ("seconds", "games_per_second")}
    return [without_times(each) for each in value] if isinstance(value, list) else value


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.parametrize("line", STUDIES, ids=lambda line: line.split()[0])
def test_a_killed_study_goes_on_where_it_was(
    line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words, store, small = line.split(), ("--store", str(tmp_path / "kibitz.db")), STUDIES[line]
    for name, value in small[1].items():
        monkeypatch.setattr(f"{small[0]}.{name}", value)
    command = [sys.executable, "-c", KILLED, repr(small), "study", *words, *store]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False)
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
