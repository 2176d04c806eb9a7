"""Worker processes, for work that Python itself must do.

Each worker has a pipe of its own and nothing is shared, so that a worker that dies, or a Ctrl-C at any moment, cannot
leave the others waiting for a lock.
"""

from __future__ import annotations

import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from typing import Any

from kibitz.errors import BotFault, KibitzError
from kibitz.runner.units import Unit


class ProcessPool:
    """A fixed number of worker processes."""

    def __init__(self, count: int) -> None:
        context = get_context("spawn")
        self._workers: dict[Connection, Any] = {}
        with _interrupts_ignored():  # inherited: Ctrl-C is for the parent, which then ends them
            for _ in range(count):
                here, there = context.Pipe()
                process = context.Process(target=_serve, args=(there,), daemon=True)
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
        while busy:
            for ready in wait(list(busy)):
                assert isinstance(ready, Connection)
                unit = busy.pop(ready)
                try:
                    kind, value = ready.recv()
                except EOFError:
                    code = self._workers[ready].exitcode
                    raise KibitzError(
                        f"a worker process died (exit code {code}) in games {unit.first} to {unit.first + unit.count - 1}."
                    ) from None
                if kind == "fault":
                    raise BotFault(*value)
                if kind == "error":
                    raise KibitzError(value)
                if kind == "crash":
                    raise RuntimeError(value)
                give(ready)
                yield unit, value

    def close(self) -> None:
        """End the workers, whatever they are doing."""
        for process in self._workers.values():
            process.terminate()
        for pipe, process in self._workers.items():
            process.join()
            pipe.close()
        self._workers.clear()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():  # only the main thread may change it
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def _serve(pipe: Connection) -> None:
    while True:
        try:
            work, unit = pipe.recv()
        except EOFError:
            return
        try:
            answer: tuple[str, Any] = ("result", work(unit))
        except BotFault as fault:
            answer = ("fault", (fault.bot, fault.seat, fault.seed, fault.index, fault.what))
        except KibitzError as error:
            answer = ("error", str(error))
        except Exception:
            answer = ("crash", traceback.format_exc())
        pipe.send(answer)
