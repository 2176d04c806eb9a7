"""How long a newcomer waits: python benchmarks/cold.py [--repeats 3] [--only TEXT] [--baseline FILE] [--write FILE]

Each command runs with an empty compile cache, in a terminal of its own, until what the user waits for is on the screen. The table has
the best of some repeats in seconds of processor time, with all child processes, and by the clock, and compares them with a baseline
(benchmarks/cold.json) and with what they must and should take. Nothing in the tests depends on these numbers: machines differ, and this one may be busy.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import httpx
from rich.console import Console
from rich.table import Table
from websockets.sync.client import connect

BASELINE = Path(__file__).with_name("cold.json")
PATIENCE = 600.0
NOTE = """`make test` and `make check` are not run here; each prints its own time. On two idle cores with everything installed:
  KIBITZ_CACHE=$(mktemp -d) make test    must 12 min, goal 8 min
  make test, once more                   must 9 min, goal 6 min
  make check, after make test            must 90 s"""


class Seconds(NamedTuple):
    """What a command took."""

    processor: float
    clock: float


@dataclass(frozen=True)
class Row:
    """A command, and the text on its screen that ends the wait; without one, it runs to its end."""

    words: str
    until: str = ""
    warm: bool = False  # with everything compiled

    what: str = ""  # the wait, in words
    must: float = 0.0  # seconds that it may take
    goal: float = 0.0  # seconds that it should take

    @property
    def title(self) -> str:
        return f"{'warm: ' * self.warm}{self.words}{self.what}"


ROWS = (
    Row("match random random --games 100", must=3.5, goal=2.5),
    Row("evaluate --published", r"[1-9]\d?%", what=" until the first row moves", must=7, goal=4),
    Row("match mix2 random --rules official --games 100", must=7, goal=4),
    Row("match champion mix2 --games 4", must=15, goal=8),
    Row("evaluate meanimax --game hanabi --games 4", must=5, goal=3),
    Row("play uno --advice --seed 3", "Advice of", what=" until the first advice", must=8, goal=5),
    Row("play hanabi --advice --seed 3", "Advice assuming", what=" until the first advice", must=8, goal=5),
    Row("match random random --games 1000", warm=True, must=0.8, goal=0.5),
)
TABLE_MUST, TABLE_GOAL = 8, 5  # seconds
AT_THE_TABLE = {"uno": "first advice at the web table, UNO", "hanabi": "first advice at the web table, Hanabi"}


def environment(folder: Path) -> dict[str, str]:
    """Nothing compiled, nothing kept."""
    return {
        **os.environ,
        "KIBITZ_CACHE": str(folder / "cache"),
        "KIBITZ_STORE": str(folder / "store.db"),
        "TERM": "xterm",
        "COLUMNS": "120",
    }


def in_terminal(row: Row, folder: Path) -> Seconds:
    """Run a command at a terminal until its text appears."""
    begun = time.perf_counter()
    process, screen = pty.fork()
    if process == 0:
        os.execve(sys.executable, [sys.executable, "-m", "kibitz", *row.words.split()], environment(folder))
    output = ""
    while time.perf_counter() - begun < PATIENCE:
        if select.select([screen], [], [], 1.0)[0]:
            try:
                output += os.read(screen, 65536).decode(errors="replace")
            except OSError:  # it has ended
                break
            if row.until and re.search(row.until, output):
                break
    clock = time.perf_counter() - begun
    if row.until:
        os.kill(process, signal.SIGKILL)
    _, status, used = os.wait4(process, 0)
    os.close(screen)
    found = bool(re.search(row.until, output)) if row.until else os.waitstatus_to_exitcode(status) == 0
    if not found:
        sys.exit(f"`kibitz {row.words}` did not come to where it should:\n{output[-2000:]}")
    return Seconds(used.ru_utime + used.ru_stime, clock)


def at_the_table(game: str, folder: Path) -> Seconds:
    """From the start of a server to the first advice at one of its tables."""
    begun = time.perf_counter()
    words = [sys.executable, "-m", "kibitz", "table", "--no-open", "--no-store", "--port", "0"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment(folder))
    assert server.stdout is not None
    address = re.search(r"http://\S+", server.stdout.readline())
    assert address
    place = address[0].rstrip("/")
    bot = "mix2" if game == "uno" else "piers"
    with httpx.Client(base_url=place, timeout=PATIENCE) as client:
        token = client.post("/api/sessions", json={"name": "Cold"}).json()["token"]
        asked = {"game": game, "seats": [{"person": True}, {"bot": bot}], "seat": 0}
        made = client.post("/api/tables", json=asked, headers={"Authorization": f"Bearer {token}"})
        made.raise_for_status()
    with connect(f"{place.replace('http', 'ws')}/api/tables/{made.json()['table']}/live", compression=None) as socket:
        socket.send(json.dumps({"type": "hello", "token": token}))
        while not json.loads(socket.recv(PATIENCE)).get("legal"):
            pass
        socket.send(json.dumps({"type": "advise", "id": 1, "bots": []}))
        while json.loads(socket.recv(PATIENCE)).get("reply") != 1:
            pass
    clock = time.perf_counter() - begun
    server.terminate()
    _, _, used = os.wait4(server.pid, 0)
    return Seconds(used.ru_utime + used.ru_stime, clock)


def best(measure: Callable[[Path], Seconds], repeats: int, keep: bool) -> Seconds:
    """The least of some repeats, each with a new folder unless `keep`; then a first one does not count."""
    found: list[Seconds] = []
    folder = Path(tempfile.mkdtemp())
    try:
        for _ in range(repeats + keep):
            if not keep:
                shutil.rmtree(folder)
                folder.mkdir(mode=0o700)
            found.append(measure(folder))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    counted = found[1:] if keep else found
    return Seconds(min(one.processor for one in counted), min(one.clock for one in counted))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--only", default="", help="only rows with this text in their name")
    parser.add_argument("--baseline", type=Path, default=BASELINE)
    parser.add_argument("--write", type=Path, help="keep what was measured as a baseline")
    asked = parser.parse_args()
    before = json.loads(asked.baseline.read_text(encoding="utf-8"))["seconds"] if asked.baseline.exists() else {}
    work: dict[str, tuple[Callable[[Path], Seconds], bool]] = {row.title: (partial(in_terminal, row), row.warm) for row in ROWS}
    work |= {title: (partial(at_the_table, game), False) for game, title in AT_THE_TABLE.items()}
    limits = {row.title: (row.must, row.goal) for row in ROWS} | dict.fromkeys(AT_THE_TABLE.values(), (TABLE_MUST, TABLE_GOAL))
    table = Table("command", "processor, s", "baseline", "must", "goal", "", "clock, s", "baseline", title="from an empty compile cache")
    found: dict[str, Seconds] = {}
    for title, (measure, keep) in work.items():
        if asked.only in title:
            print(f"{title} …", file=sys.stderr)
            found[title] = best(measure, asked.repeats, keep)
            was = before.get(title, ["–", "–"])
            must, goal = limits[title]
            processor, clock = found[title]
            met = "goal met" if processor <= goal else "must met" if processor <= must else "MISSED"
            table.add_row(title, f"{processor:.2f}", str(was[0]), f"{must:g}", f"{goal:g}", met, f"{clock:.2f}", str(was[1]))
    Console(width=150).print(table)
    print(NOTE)
    if asked.write:
        seconds = {**before, **{title: [round(one, 2) for one in took] for title, took in found.items()}}
        machine = f"{platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"
        asked.write.write_text(
            json.dumps({"machine": machine, "repeats": asked.repeats, "seconds": seconds}, indent=2) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    main()
