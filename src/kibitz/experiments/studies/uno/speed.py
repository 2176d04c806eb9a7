"""How fast UNO is played: standard line-ups, a ratio to a limit, what a Python bot costs, and how long a start takes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.experiments.batch import open_workers
from kibitz.experiments.bench import Measured, rate_of
from kibitz.runs.units import worker_count

LINEUPS = {
    "random v random": ["random"] * 2,
    "greedy v random": ["greedy", "random"],
    "mix2 v random": ["mix2", "random"],
    "6 x random": ["random"] * 6,
    "mix2 v 5 random": ["mix2", *["random"] * 5],
    "random v random, official": ["random"] * 2,
    "6 x random, official": ["random"] * 6,
}
_EIGHT = ("random", "greedy", "diversity", "card_ranking", "mix", "mix2", "score", "card_counting")
_LIMIT_LINES = {"random v random": "2p RvR", "6 x random": "6p all R", "greedy v random": "2p GvR"}


class PythonRandom:
    """Plays like `random`, as a Python object: what an ordinary Python bot costs."""

    def choose(self, view: Any) -> int:
        """A random playable copy, a random colour."""
        card = view.pick_copy(view.playable())
        return int(view.play(card, view.randbelow(4) if card >= 52 else 0))


def measure(limit: Path | None, games: int, repeats: int, start: bool) -> Measured:
    """Run every measurement `repeats` times in turn and keep the best of each."""
    if limit:
        _limit_rates(limit, 1000)  # a wrong path is told at once
    threads = worker_count(None)
    result = Measured(threads, "uno")
    with open_workers(1) as one, open_workers(threads) as many:
        jobs: dict[tuple[str, int], Callable[[], float]] = {}
        for name, bots in LINEUPS.items():
            rules = name.partition(", ")[2] or "classic"
            jobs[name, 1] = rate_of(bots, games, one, rules, "uno")
            if threads > 1:
                jobs[name, threads] = rate_of(bots, games, many, rules, "uno")
        jobs["Python object v random", 1] = rate_of([PythonRandom, "random"], max(1, games // 400), one, None, "uno")
        for _ in range(repeats):
            if limit:
                for name, rate in _limit_rates(limit, games).items():
                    result.note_limit(name, rate)
            for key, job in jobs.items():
                result.note(key, job())
    if start:
        result.starts = _starts()
    base = result.rates["random v random", 1]
    result.remarks.append(f"mix2 v random is {result.rates['mix2 v random', 1] / base:.2f} of random v random.")
    for name in ("random v random", "6 x random"):
        share = result.rates[f"{name}, official", 1] / result.rates[name, 1]
        result.remarks.append(f"{name} under official rules is {share:.2f} of classic.")
    return result


def _limit_rates(path: Path, games: int) -> dict[str, float]:
    try:
        done = subprocess.run([str(path.resolve()), str(games), "1"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise BadValue(f"--limit {path} could not be run: {error}.") from error
    rates = {}
    for name, label in _LIMIT_LINES.items():
        found = re.search(rf"^{re.escape(label)}\s+([0-9.]+) Mgames/s", done.stdout, re.MULTILINE)
        if found:
            rates[name] = float(found[1]) * 1e6
    if not rates:
        raise BadValue(f"--limit {path} printed no line such as '2p RvR 1.0 Mgames/s'.")
    return rates


def _starts() -> dict[str, float]:
    """Seconds of whole commands in new processes: with an empty compile cache, with a full one, and for --help."""
    command = [sys.executable, "-m", "kibitz"]
    line = ["match", "random", "random", "--games", "1000", "--no-store"]
    everything = ["evaluate", *_EIGHT, "--games", "1", "--no-store"]
    with tempfile.TemporaryDirectory() as folder:
        cold = _seconds([*command, *everything], folder)
        house = _seconds([*command, *line, "--rules", "official"], folder)
        warm = min(_seconds([*command, *line], folder) for _ in range(3))
    return {
        "cold: engine and the eight bots": cold,
        "then: engine with house rules": house,
        "warm: match random random --games 1000": warm,
        "kibitz --help": min(_seconds([*command, "--help"], "") for _ in range(3)),
    }


def _seconds(command: list[str], cache: str) -> float:
    environment = {**os.environ, "KIBITZ_CACHE": cache} if cache else dict(os.environ)
    start = time.perf_counter()
    subprocess.run(command, env=environment, capture_output=True, check=True)
    return time.perf_counter() - start
