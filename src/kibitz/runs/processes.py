"""Worker processes, for work that Python itself must do.

Each worker has a pipe of its own and nothing is shared, so that a worker that dies, or a Ctrl-C at any moment, cannot
leave the others waiting for a lock.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from kibitz.core.errors import BotFault, KibitzError
from kibitz.runs.units import Unit
from kibitz.runs.watchdog import NOTICEABLE, watchdog


class ProcessPool:
    """A fixed number of worker processes."""

    def __init__(self, count: int) -> None:
        context = get_context("spawn")
        self._workers: dict[Connection, Any] = {}
        limit = watchdog.limit
        with interrupts_ignored(), main_hidden():  # inherited: Ctrl-C is for the parent, which then ends them
            for _ in range(count):
                here, there = context.Pipe()
                process = context.Process(target=_serve, args=(there, limit), daemon=True)
                process.start()
                there.close()
                self._workers[here] = process

    def run(self, work: Callable[[Unit], Any], units: Iterator[Unit]) -> Iterator[tuple[Unit, Any]]:
        """Do every unit and hand over each result as it comes. `work` must be picklable."""
        busy: dict[Connection, Unit] = {}

        def give(worker: Connection) -> None:
            unit = next(units, None)
            if unit is not None:
                worker.send((work, unit))
                busy[worker] = unit

        for worker in self._workers:
            give(worker)
        failed: dict[int, Exception] = {}
        while busy:
            for ready in wait(list(busy)):
                assert isinstance(ready, Connection)
                answer = self._receive(ready, busy[ready])
                if answer is None:
                    continue
                unit = busy.pop(ready)
                result, failure = answer
                if failure is not None:
                    failed[unit.first] = failure
                    continue
                if not failed:
                    give(ready)
                yield unit, result
            if failed and all(min(failed) < unit.first for unit in busy.values()):
                raise failed[min(failed)]  # the first unit that fails, whichever process came first

    def _receive(self, worker: Connection, unit: Unit) -> tuple[Any, Exception | None] | None:
        """What a worker brings: a result, or how it failed; None if it only tells of a call that takes long."""
        watchdog.elsewhere.pop(worker, None)
        try:
            kind, value = worker.recv()
        except EOFError:
            code = self._workers[worker].exitcode
            return None, KibitzError(f"a worker process died (exit code {code}) in games {unit.first} to {unit.first + unit.count - 1}.")
        if kind in ("busy", "free"):
            if kind == "busy":
                watchdog.elsewhere[worker] = (value, time.monotonic() - NOTICEABLE)
            return None
        if kind == "fault":
            return None, value
        if kind == "error":
            return None, KibitzError(value)
        if kind == "crash":
            return None, RuntimeError(value)
        return value, None

    def close(self) -> None:
        """End the workers, whatever they are doing."""
        for process in self._workers.values():
            process.terminate()
        for pipe, process in self._workers.items():
            process.join()
            pipe.close()
        self._workers.clear()


@contextmanager
def interrupts_ignored() -> Iterator[None]:
    """Let processes that are started in this block inherit that Ctrl-C means nothing to them."""
    if threading.current_thread() is not threading.main_thread():  # only the main thread may change it
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


@contextmanager
def main_hidden() -> Iterator[None]:
    """Keep new processes from importing the user's script again: bots that live in it are played here anyway."""
    main: Any = sys.modules["__main__"]
    hidden = {name: main.__dict__.pop(name) for name in ("__file__", "__spec__") if name in main.__dict__}
    main.__spec__ = None
    try:
        yield
    finally:
        main.__dict__.update(hidden)


def _serve(pipe: Connection, limit: float | None) -> None:
    """The life of a worker. Its watchdog tells the parent of calls that take long, also while one lasts."""
    lock = threading.Lock()

    def send(kind: str, value: Any) -> None:
        try:
            with lock:
                pipe.send((kind, value))
        except OSError:  # the parent is gone
            os._exit(1)

    watchdog.report = send
    with watchdog.listening(), watchdog.limiting(limit):
        _work(pipe, send)


def _work(pipe: Connection, send: Callable[[str, Any], None]) -> None:
    while True:
        try:
            work, unit = pipe.recv()
        except EOFError:
            return
        try:
            answer: tuple[str, Any] = ("result", work(unit))
        except BotFault as fault:
            answer = ("fault", fault)
        except KibitzError as error:
            answer = ("error", str(error))
        except Exception:
            answer = ("crash", traceback.format_exc())
        send(*answer)
