"""Measuring speed on a noisy machine: everything interleaved, the best of several, ratios in one run."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from kibitz.core.errors import BadValue
from kibitz.experiments.batch import Batch, Workers, open_workers
from kibitz.play.lineup import make_lineup
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
HANABI_LINEUPS = {
    "2 x random": ["random"] * 2,
    "5 x random": ["random"] * 5,
    "2 x iggi": ["iggi"] * 2,
    "5 x iggi": ["iggi"] * 5,
    "2 x cheater": ["cheater"] * 2,
}
_EIGHT = ("random", "greedy", "diversity", "card_ranking", "mix", "mix2", "score", "card_counting")
_LIMIT_LINES = {"random v random": "2p RvR", "6 x random": "6p all R", "greedy v random": "2p GvR"}


class PythonRandom:
    """Plays like `random`, as a Python object: what an ordinary Python bot costs."""

    def choose(self, view: Any) -> int:
        """A random playable copy, a random colour."""
        card = view.pick_copy(view.playable())
        return int(view.play(card, view.randbelow(4) if card >= 52 else 0))


@dataclass
class Measured:
    """Games a second by line-up and number of threads, the best of several; ratios to a limit; seconds of a start."""

    threads: int
    game: str = "uno"
    rates: dict[tuple[str, int], float] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    starts: dict[str, float] = field(default_factory=dict)
    lowest: dict[tuple[str, int], float] = field(default_factory=dict)  # the worst of several
    lowest_limits: dict[str, float] = field(default_factory=dict)

    def note(self, key: tuple[str, int], rate: float) -> None:
        """One more measurement of a line-up."""
        self.rates[key] = max(rate, self.rates.get(key, rate))
        self.lowest[key] = min(rate, self.lowest.get(key, rate))

    def note_limit(self, name: str, rate: float) -> None:
        """One more measurement of the program at the limit."""
        self.limits[name] = max(rate, self.limits.get(name, rate))
        self.lowest_limits[name] = min(rate, self.lowest_limits.get(name, rate))

    def to_dict(self) -> dict[str, Any]:
        """The measurements as they stand in JSON."""
        return {
            "command": "bench",
            "game": self.game,
            "threads": self.threads,
            "rates": [
                {
                    "line_up": name,
                    "threads": threads,
                    "games_per_second": rate,
                    "lowest_games_per_second": self.lowest[name, threads],
                    "ratio_to_limit": rate / self.limits[name] if threads == 1 and name in self.limits else None,
                }
                for (name, threads), rate in self.rates.items()
            ],
            "limits": self.limits,
            "starts": self.starts,
        }


def measure(limit: Path | None, games: int, repeats: int, start: bool, game: str = "uno") -> Measured:
    """Run every measurement `repeats` times in turn and keep the best of each."""
    if games < 1 or repeats < 1:
        raise BadValue("bench: games and repeats must be at least 1.")
    if limit:
        _limit_rates(limit, 1000)  # a wrong path is told at once
    if game == "hanabi":
        if limit:
            raise BadValue("--limit is about UNO; leave it out with --game hanabi.")
        return _measure_hanabi(games, repeats)
    threads = worker_count(None)
    result = Measured(threads)
    with open_workers(1) as one, open_workers(threads) as many:
        jobs: dict[tuple[str, int], Callable[[], float]] = {}
        for name, bots in LINEUPS.items():
            rules = name.partition(", ")[2] or "classic"
            jobs[name, 1] = _rate(bots, games, one, rules)
            if threads > 1:
                jobs[name, threads] = _rate(bots, games, many, rules)
        jobs["Python object v random", 1] = _rate([PythonRandom, "random"], max(1, games // 400), one)
        for _ in range(repeats):
            if limit:
                for name, rate in _limit_rates(limit, games).items():
                    result.note_limit(name, rate)
            for key, job in jobs.items():
                result.note(key, job())
    if start:
        result.starts = _starts()
    return result


def _measure_hanabi(games: int, repeats: int) -> Measured:
    """Self-play of a few bots, on one thread and on all."""
    threads = worker_count(None)
    result = Measured(threads, "hanabi")
    with open_workers(1) as one, open_workers(threads) as many:
        jobs = {}
        for name, bots in HANABI_LINEUPS.items():
            count = games if "random" in name else max(1, games // 10)
            for number, workers in {1: one, threads: many}.items():
                jobs[name, number] = _rate(bots, count, workers, None, "hanabi")
        for _ in range(repeats):
            for key, job in jobs.items():
                result.note(key, job())
    return result


def _rate(bots: list[Any], games: int, workers: Workers, rules: str | None = None, game: str = "uno") -> Callable[[], float]:
    lineup = make_lineup(bots, rules, game=game)
    Batch(lineup, 1, 1).prepare()

    def run() -> float:
        batch = Batch(lineup, games, 1)
        start = time.perf_counter()
        batch.run(workers)
        return games / (time.perf_counter() - start)

    return run


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


def with_spread(best: float, worst: float) -> str:
    """The best of several rates, and what share of it the worst has: `1,234,567 (0.93)`."""
    return f"{best:,.0f} ({worst / best:.2f})"


def machine_lines() -> list[str]:
    """What figures of speed depend on: the processor, what it can do, the versions, and what else the machine does."""
    from importlib.metadata import version

    from kibitz.core import jit

    name = platform.processor() or platform.machine()
    with suppress(OSError):
        found = re.search(r"^model name\s*:\s*(.+)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
        name = found[1].strip() if found else name
    target = jit.target_processor()
    extras = [extra for extra in ("bmi2", "avx2", "avx512f") if f"+{extra}" in target.features]
    load = f", load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return [
        f"{name} ({target.name}; {', '.join(extras) or 'no extras'}), {os.cpu_count()} processors{load}",
        f"Python {platform.python_version()}, Numba {version('numba')}, llvmlite {version('llvmlite')}",
    ]


def print_measurements(measured: Measured, console: Console) -> None:
    """The measurements as tables."""
    for line in machine_lines():
        console.print(line, markup=False, highlight=False)
    table = Table(title="Games a second, best of several; in brackets the worst, as a share of the best", title_justify="left")
    table.add_column("line-up")
    for heading in ("1 thread", f"{measured.threads} threads", "ratio", *(["limit", "ratio to limit"] if measured.limits else [])):
        table.add_column(heading, justify="right")
    for name in dict.fromkeys(name for name, _ in measured.rates):
        single, many = measured.rates[name, 1], measured.rates.get((name, measured.threads))
        cells = [
            name,
            with_spread(single, measured.lowest[name, 1]),
            with_spread(many, measured.lowest[name, measured.threads]) if many and measured.threads > 1 else "",
            f"{many / single:.2f}" if many and measured.threads > 1 else "",
        ]
        if measured.limits:
            top = measured.limits.get(name)
            cells += [with_spread(top, measured.lowest_limits[name]), f"{single / top:.2f}"] if top else ["", ""]
        table.add_row(*cells)
    console.print(table)
    if measured.game != "uno":
        return
    base = measured.rates["random v random", 1]
    console.print(f"mix2 v random is {measured.rates['mix2 v random', 1] / base:.2f} of random v random.")
    for name in ("random v random", "6 x random"):
        console.print(f"{name} under official rules is {measured.rates[f'{name}, official', 1] / measured.rates[name, 1]:.2f} of classic.")
    for name, seconds in measured.starts.items():
        console.print(f"{name}: {seconds:.2f} s")
