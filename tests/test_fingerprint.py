"""Folders of compiled code: one process compiles what several need."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kibitz.fingerprint import held_alone

HOLDS = """
import sys
from pathlib import Path
from kibitz.fingerprint import held_alone

with held_alone(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""
COMPILES = """
import kibitz.jit
from kibitz.bots.uno.greedy import greedy
from kibitz.games.uno.state import Event
from kibitz.games.uno.view import View
from numba.core import event

made = 0

class Count(event.Listener):
    def on_start(self, event):
        pass
    def on_end(self, event):
        global made
        made += 1

with event.install_listener("numba:compile", Count()):
    greedy.address("choose", View, Event)
print(made)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="folders cannot be locked there")
@pytest.mark.parametrize("killed", [False, True])
def test_who_comes_second_waits_until_the_first_is_done_or_dead(killed: bool, tmp_path: Path) -> None:
    entered = threading.Event()

    def enter() -> None:
        with held_alone(tmp_path):
            entered.set()

    with subprocess.Popen([sys.executable, "-c", HOLDS, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdin is not None and first.stdout is not None
        assert first.stdout.readline() == "held\n"
        second = threading.Thread(target=enter)
        second.start()
        assert not entered.wait(0.3)
        if killed:
            first.kill()
        else:
            first.stdin.write("\n")
            first.stdin.flush()
        assert entered.wait(60)
        second.join()


def test_a_folder_that_cannot_be_held_stops_nobody(tmp_path: Path) -> None:
    with held_alone(tmp_path / "none"):
        pass
    with held_alone(tmp_path):
        pass
    assert not list(tmp_path.iterdir())


def test_of_two_processes_that_need_the_same_one_loads_what_the_other_compiled(tmp_path: Path) -> None:
    environment = {**os.environ, "KIBITZ_CACHE": str(tmp_path)}
    both = [subprocess.Popen([sys.executable, "-c", COMPILES], stdout=subprocess.PIPE, text=True, env=environment) for _ in range(2)]
    said = [int(process.communicate(timeout=300)[0]) for process in both]
    assert [process.returncode for process in both] == [0, 0]
    assert min(said) == 0 < max(said)
