"""Measuring speed on a noisy machine: everything interleaved, the best of several, ratios in one run."""

from __future__ import annotations

import os
import platform
import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.experiments.batch import Batch, Workers, open_workers
from kibitz.play.lineup import make_lineup
from kibitz.runs.units import worker_count


@dataclass
class Measured:
    """Games a second by line-up and number of threads, the best of several; ratios to a limit; seconds of a start."""

    threads: int
    game: str
    rates: dict[tuple[str, int], float] = field(default_factory=dict)
    limits: dict[str, float] = field(default_factory=dict)
    starts: dict[str, float] = field(default_factory=dict)
    lowest: dict[tuple[str, int], float] = field(default_factory=dict)  # the worst of several
    lowest_limits: dict[str, float] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)  # what the figures say, in sentences

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


def measure(limit: Path | None, games: int, repeats: int, start: bool, game: str | None = None) -> Measured:
    """Run every measurement `repeats` times in turn and keep the best of each."""
    if games < 1 or repeats < 1:
        raise BadValue("bench: games and repeats must be at least 1.")
    definition = registry.game(game)
    own = definition.face.load("bench")
    if own:
        measured: Measured = own(limit, games, repeats, start)
        return measured
    if limit:
        raise BadValue(f"--limit is about {registry.game().title}; leave it out with --game {definition.name}.")
    threads = worker_count(None)
    result = Measured(threads, definition.name)
    lineups = definition.face.bench_lineups or {f"2 x {name}": ((name,) * 2, None, 1.0) for name in registry.quick_names(definition.name)}
    with open_workers(1) as one, open_workers(threads) as many:
        jobs = {}
        for name, (bots, rules, share) in lineups.items():
            for number, workers in {1: one, threads: many}.items():
                jobs[name, number] = rate_of(bots, max(1, int(games * share)), workers, rules, definition.name)
        for _ in range(repeats):
            for key, job in jobs.items():
                result.note(key, job())
    return result


def rate_of(bots: Sequence[Any], games: int, workers: Workers, rules: str | None, game: str) -> Callable[[], float]:
    """A measurement of a line-up: games a second."""
    lineup = make_lineup(list(bots), rules, game=game)
    Batch(lineup, 1, 1).prepare()

    def run() -> float:
        batch = Batch(lineup, games, 1)
        start = time.perf_counter()
        batch.run(workers)
        return games / (time.perf_counter() - start)

    return run


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
    for line in measured.remarks:
        console.print(line)
    for name, seconds in measured.starts.items():
        console.print(f"{name}: {seconds:.2f} s")
