"""Hands out units to a Ray cluster and takes their results: an executor like one of threads, in the process that runs an experiment.

Only so many units are on their way at once. A unit that gets lost with its worker or its node is handed out again, a few times; its
result counts once. One that is lost again and again ends the run and is named with its seed; that other nodes leave meanwhile does not
count. If the cluster disappears, the run ends with one sentence, and what was finished is kept.
"""

from __future__ import annotations

import inspect
import pickle
import tempfile
import threading
import traceback
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from kibitz.core.errors import BadValue, ClusterFailure, KibitzError
from kibitz.core.extras import MissingExtra
from kibitz.runs.cluster import executor, link
from kibitz.runs.cluster.inspection import NodeRefused, check_node, facts_here
from kibitz.runs.cluster.parcels import JobPapers, PackedCall, pack_job
from kibitz.runs.processes import interrupts_ignored, main_hidden
from kibitz.runs.units import Unit, worker_count
from kibitz.runs.watchdog import watchdog

JOINING = 60.0  # seconds until a cluster that does not answer is given up
ATTEMPTS = 4  # of a unit that gets lost, all together
AHEAD = 2  # units on their way for each processor, so that none waits for work
PARCELS = 64  # that the cluster keeps for units to come
LEAVING = 5.0  # seconds until a link that does not end is ended
KEPT = "finished work is kept and can be resumed with or without a cluster"


class ClusterLost(ClusterFailure):
    """The cluster has disappeared."""


class UnitLost(ClusterFailure):
    """A unit that brings no result, however often it is tried."""


@dataclass
class _Task:
    """A unit on its way, or waiting for that."""

    number: int
    call: PackedCall
    future: Future[Any]
    about: str
    failures: int = 0  # attempts that were lost by a fault that may be the unit's own


class ClusterExecutor(Executor):
    """A cluster as an executor. `submit` may be called from any thread; functions and arguments must be picklable."""

    def __init__(self, pipe: Connection, threads: int | None = None) -> None:
        self._pipe = pipe
        self._threads = threads
        self._lock = threading.RLock()
        self._waiting: deque[_Task] = deque()
        self._begun: dict[int, _Task] = {}
        self._sent: OrderedDict[str, None] = OrderedDict()  # parcels that the cluster has, the one used longest ago first
        self._number = 0
        self._over: KibitzError | None = None  # why nothing more can be done
        self.address, self.nodes, self.processors = "", 0, 0
        self.units = 0  # that brought a result
        self.largest = 0  # bytes that went with a unit

    # -- joining --

    def join(self, papers: JobPapers) -> None:
        """Wait until the cluster is there, and refuse nodes that can't take part."""
        kind, *values = self._told(JOINING)
        if kind == link.CONNECTED:
            kind, *values = self._told(None)
        if kind == link.REFUSED:
            raise BadValue(f"{values[0]}.")
        self.address, self.nodes, self.processors, found = values
        for node, facts in found:
            if isinstance(facts, str):
                raise NodeRefused(f"node {node} of the cluster can't take part: {facts.replace('its node', 'it')}.")
            check_node(node, papers.expected, facts)
        threading.Thread(target=self._listen, name="kibitz-cluster", daemon=True).start()

    def _told(self, seconds: float | None) -> Any:
        """What the link says, if it says something in time."""
        try:
            if not self._pipe.poll(seconds):
                raise BadValue(f"--cluster: what answers there is no Ray cluster, or did not let us in within {JOINING:g} s.")
            return self._pipe.recv()
        except (EOFError, OSError):
            raise ClusterLost("the process that talks to Ray ended before it had joined the cluster.") from None

    @property
    def workers(self) -> int:
        """How many units are done at once."""
        return self._threads or max(1, self.processors)

    def shown(self) -> str:
        """How large it is, in words."""
        return f"{self.nodes} node{'s' * (self.nodes != 1)}, {self.processors} processor{'s' * (self.processors != 1)}"

    # -- handing out --

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have a function called on the cluster."""
        assert not kwargs  # nobody has needed them yet
        call = PackedCall.of(fn, args)
        future: Future[Any] = Future()
        with self._lock:
            if self._over:
                raise self._over
            self._number += 1
            self._waiting.append(_Task(self._number, call, future, _about(fn, args)))
            self._hand_out()
        return future

    def _hand_out(self) -> None:
        """Send what waits, as long as there is room."""
        room = self._threads or AHEAD * max(1, self.processors)
        while self._waiting and len(self._begun) < room and not self._over:
            task = self._waiting.popleft()
            if not task.future.running() and not task.future.set_running_or_notify_cancel():
                continue
            self._begun[task.number] = task
            self.largest = max(self.largest, task.call.size)
            self._send(task)

    def _send(self, task: _Task) -> None:
        try:
            for digest, content in task.call.parcels.items():
                if digest not in self._sent:
                    self._pipe.send((link.PARCEL, digest, content))
                self._sent[digest] = None
                self._sent.move_to_end(digest)
            self._pipe.send((link.UNIT, task.number, task.call.work, task.call.arguments, tuple(task.call.parcels)))
            self._forget_parcels()
        except OSError:
            self._end(self._lost())

    def _forget_parcels(self) -> None:
        """Let the cluster forget the parcels used longest ago; Ray keeps those of units on their way."""
        while len(self._sent) > PARCELS:
            digest, _ = self._sent.popitem(last=False)
            self._pipe.send((link.FORGET, digest))

    def drop_waiting(self) -> None:
        """Forget all units whose results nobody waits for any more."""
        with self._lock:
            for task in self._waiting:
                task.future.cancel()
            self._waiting.clear()

    def leave(self) -> None:
        """Let go of the cluster."""
        with self._lock, suppress(OSError):
            self._pipe.send((link.LEAVE,))

    # -- taking results --

    def _listen(self) -> None:
        """Take what the link says, until it ends."""
        try:
            while True:
                kind, *values = self._pipe.recv()
                with self._lock:
                    self._take(kind, *values)
        except (EOFError, OSError):
            with self._lock:
                self._end(self._lost())
        except Exception as error:  # or all who wait would wait for ever
            why = ClusterLost(f"what came from the Ray cluster at {self.address} can't be used ({_said(error)}); {KEPT}.")
            why.add_note(traceback.format_exc())  # what --debug shows
            with self._lock:
                self._end(why)

    def _take(self, kind: str, *values: Any) -> None:
        if kind == link.DONE:
            number, answer = values
            task = self._begun.pop(number, None)
            if task is not None:
                self._settle(task, answer)
        elif kind == link.LOST:
            number, why = values
            task = self._begun.pop(number, None)
            if task is not None:
                self._try_again(task, why)
        elif kind == link.AGAIN:
            (number,) = values
            if number in self._begun:  # it stays there: an answer of either attempt counts
                self._send(self._begun[number])
        elif kind == link.NODES:
            self.nodes, self.processors = values
        elif kind == link.GONE:
            self._end(self._lost())
        self._hand_out()

    def _settle(self, task: _Task, answer: bytes) -> None:
        try:
            self._use(task, *pickle.loads(answer))
        except Exception as error:
            task.future.set_exception(UnitLost(f"{task.about} brought what can't be read here: {_said(error)}."))

    def _use(self, task: _Task, kind: str, value: Any) -> None:
        if kind == executor.RESULT:
            self.units += 1
            task.future.set_result(value)
        elif kind == executor.FAULT:
            task.future.set_exception(value)
        elif kind == executor.ERROR:
            task.future.set_exception(KibitzError(value))
        elif kind == executor.REFUSED:
            self._end(NodeRefused(value))
            task.future.set_exception(NodeRefused(value))
        else:
            what, details = value
            error = UnitLost(f"{task.about} failed on the cluster: {what}.")
            error.add_note(details)  # what --debug shows
            task.future.set_exception(error)

    def _try_again(self, task: _Task, why: str) -> None:
        task.failures += 1
        if task.failures < ATTEMPTS:
            self._waiting.appendleft(task)
            return
        task.future.set_exception(
            UnitLost(
                f"{task.about} failed {task.failures} times on the cluster, the last time because {why}; all other finished work is kept."
            )
        )

    # -- the end --

    def _lost(self) -> KibitzError:
        return ClusterLost(f"the Ray cluster at {self.address} is gone; {KEPT}.")

    def _end(self, why: KibitzError) -> None:
        """Nothing more can be done: tell everybody who waits."""
        if self._over:
            return
        self._over = why
        for task in self._begun.values():
            task.future.set_exception(why)
        for task in self._waiting:
            if task.future.running() or task.future.set_running_or_notify_cancel():
                task.future.set_exception(why)
        self._begun.clear()
        self._waiting.clear()


def _said(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _about(function: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
    """A unit in words: its games, and the seed they come from."""
    given: dict[str, Any] = dict(vars(function)) if hasattr(function, "__dict__") else {}
    with suppress(TypeError, ValueError):
        given |= inspect.signature(function).bind(*arguments).arguments
    unit = next((value for value in given.values() if isinstance(value, Unit)), None)
    games = f"games {unit.first} to {unit.first + unit.count - 1}" if unit else getattr(function, "__name__", "a unit")
    seed = given.get("seed", getattr(given.get("match"), "seed", None))
    return games if seed is None else f"{games} of seed {seed}"


# -- the cluster of a run --

_current: list[ClusterExecutor] = []


def current_cluster() -> ClusterExecutor | None:
    """The cluster that has been joined, if there is one."""
    return _current[-1] if _current else None


@contextmanager
def joined(
    address: str, files: Iterable[str] = (), games: Iterable[str] = (), threads: int | None = None, guards: str = ""
) -> Iterator[ClusterExecutor]:
    """In this block, units are played on a Ray cluster.

    `files` and `games` travel there. `guards` says who knows the guards of outside bots, if such bots play.
    """
    if find_spec("ray") is None:
        raise MissingExtra("--cluster", "ray", "Ray")
    check_address(address)
    with tempfile.TemporaryDirectory(prefix="kibitz-job-") as folder:
        papers = pack_job(Path(folder), JobPapers(facts_here(guards), decision_seconds=watchdog.limit, guards=guards), files, games)
        here, there = get_context("spawn").Pipe()
        process: Any = get_context("spawn").Process(target=link.serve, args=(there, address, folder, guards), daemon=True)
        with interrupts_ignored(), main_hidden():
            process.start()
        there.close()
        cluster = ClusterExecutor(here, None if threads is None else worker_count(threads))
        try:
            cluster.join(papers)
            _current.append(cluster)
            yield cluster
        finally:
            if cluster in _current:
                _current.remove(cluster)
            cluster.leave()
            process.join(LEAVING)
            process.kill()
            process.join()
            here.close()


def check_address(address: str) -> None:
    """Refuse what is no address of a cluster."""
    host, colon, port = address.rpartition(":")
    if address != link.AUTO and not (host and colon and port.isdecimal() and 0 < int(port) < 65536 and "/" not in address):
        raise BadValue(f"--cluster {address} is not accepted; it is auto, or the address of a Ray cluster such as 10.0.0.1:6379.")
