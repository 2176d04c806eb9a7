"""Work units: a run of deals cut into pieces, spread over threads or processes.

Results come back in whatever order they are done; summaries are whole-number sums, so the order changes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from dataclasses import dataclass
from typing import TypeVar

from kibitz.core.errors import BadValue
from kibitz.runs.watchdog import TICK, watchdog

Result = TypeVar("Result")


@dataclass(frozen=True)
class Unit:
    """Deals `first` to `first + count - 1`."""

    first: int
    count: int


def cut(games: int, size: int) -> Iterator[Unit]:
    """The units of a run."""
    for first in range(0, games, size):
        yield Unit(first, min(size, games - first))


def run_units(executor: Executor, work: Callable[[Unit], Result], units: Iterator[Unit], workers: int) -> Iterator[tuple[Unit, Result]]:
    """Do every unit on an executor, a few ahead at a time, and hand over each result as it comes.

    When the caller stops early, units that have not begun are dropped.
    """
    pending: dict[Future[Result], Unit] = {}
    try:
        for unit in units:
            pending[executor.submit(work, unit)] = unit
            if len(pending) >= 2 * workers:
                yield from _finished(pending)
        while pending:
            yield from _finished(pending)
    finally:
        for future in pending:
            future.cancel()


def _finished(pending: dict[Future[Result], Unit]) -> Iterator[tuple[Unit, Result]]:
    done = _wait(pending)
    if any(future.exception() for future in done):
        # The first unit that fails is the one to tell of, whichever thread came first: wait for those before it.
        for future in sorted(pending, key=lambda future: pending[future].first):
            _wait([future])
            future.result()
    for future in done:
        yield pending.pop(future), future.result()


def _wait(futures: Iterable[Future[Result]]) -> set[Future[Result]]:
    """Wait until one of them is done, or a bot has taken too long: its thread may be in code that does not stop at once."""
    while True:
        done, _ = wait(futures, timeout=None if watchdog.limit is None else TICK, return_when=FIRST_COMPLETED)
        watchdog.check()
        if done:
            return done


def worker_count(threads: int | None) -> int:
    """How many workers to use: as asked, else one for each processor."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not 1 <= threads <= 1024:
        raise BadValue(f"threads={threads} is out of range: 1 to 1024 is accepted.")
    return threads
