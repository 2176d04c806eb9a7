"""Looks on while bots are called, so that one that never answers can be stopped and named.

Code that calls bots does so inside `attending`, which says how often it has called one and whose turn it is. A thread looks
at these counts. If a call lasts longer than the limit set by `limiting`, it is stopped and becomes a `DecisionTimeout` of that
bot. When the user interrupts, compiled code is stopped, and bots that owed an answer for a while are listed in `silent`.

Compiled code stops through `kibitz.core.stopping`, Python code by an exception. Python runs no signal handler while the main thread
is in compiled code, so the thread also reads signals from a pipe (`signal.set_wakeup_fd`).
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from kibitz.core import stopping
from kibitz.core.errors import BadValue, BotFault, DecisionTimeout, StoppedInDebugger
from kibitz.core.stopping import Halted

NOTICEABLE = 0.5  # seconds without an answer after which an interruption names the bot
PATIENCE = 1.0  # seconds that code gets to stop by itself
COMPILER_PATIENCE = 0.25  # seconds that the compiler gets to finish a root
TICK = 0.05  # seconds between two looks
MAX_LIMIT = 86_400.0
_WAKE = b"\0"  # not a signal

Report = Callable[[str, BotFault | None], None]


@dataclass(eq=False)
class Activity:
    """One place where bots are called at the moment."""

    calls: Callable[[], int]
    fault: Callable[[str], BotFault]
    in_python: Callable[[], bool]
    thread: int = field(default_factory=threading.get_ident)
    seen: int = -1
    since: float = 0.0
    noted: bool = False  # among the silent
    reported: bool = False  # to the parent of this process
    stopped: float = 0.0  # when it was told to stop because of the limit

    def silence(self) -> float:
        """For how many seconds the present call has been seen to last."""
        now, calls = time.monotonic(), self.calls()
        if calls != self.seen:
            self.seen, self.since = calls, now
        return now - self.since


@dataclass(frozen=True)
class Silent:
    """A bot that owed an answer when the user interrupted."""

    fault: BotFault
    seconds: float

    def __str__(self) -> str:
        fault = self.fault
        where = f"reproduce with --seed {fault.seed} --index {fault.index}{fault.options}"
        return f"bot {fault.bot} in seat {fault.seat} had not answered for {self.seconds:.1f} s ({where})"


class Watchdog:
    """Everything that calls bots in this process; there is one of it, `watchdog`."""

    def __init__(self) -> None:
        self.limit: float | None = None  # seconds a bot may take over one call
        self.silent: list[Silent] = []  # since `listening` began
        self.elsewhere: dict[Any, tuple[BotFault, float]] = {}  # long calls in worker processes: whose, and since when
        self.patience: float | None = None  # seconds to wait for threads that were told to stop; None: until they have
        self.last_resort: Callable[[], None] | None = None  # ends the process if the main thread does not stop
        self.tidying: list[Callable[[], None]] = []  # what puts the terminal back before a last resort
        self.report: Report | None = None  # in a worker process: tells the parent of long calls
        self._activities: list[Activity] = []
        self._verdict: DecisionTimeout | None = None
        self._interrupted = 0.0  # when compiled code was told to stop because of the user
        self._heard = 0.0  # when a signal came that something else handles first
        self._holding = 0
        self._lock = threading.RLock()
        self._thread: threading.Thread | None = None
        self._exempt = threading.local()

    # -- for those who call bots --

    @contextmanager
    def attending(
        self, calls: Callable[[], int], fault: Callable[[str], BotFault], in_python: Callable[[], bool] = lambda: False
    ) -> Iterator[None]:
        """Bots are called in this block.

        `calls` counts the calls; `fault` makes a fault of the bot being called from what it did; `in_python` says whether that
        bot is Python code.
        """
        if getattr(self._exempt, "now", False):
            yield
            return
        activity = Activity(calls, fault, in_python)
        activity.silence()
        self._activities.append(activity)
        try:
            yield
        except KeyboardInterrupt as error:
            if isinstance(error, Halted):
                self.check()
            if not isinstance(error, StoppedInDebugger):
                self._note(activity)
            raise
        finally:
            self._activities.remove(activity)

    @contextmanager
    def exempting(self) -> Iterator[None]:
        """In this block, calls of bots in this thread are nobody's concern: somebody else limits their time."""
        previous, self._exempt.now = getattr(self._exempt, "now", False), True
        try:
            yield
        finally:
            self._exempt.now = previous

    def check(self) -> None:
        """Raise the time-out that was found, if there is one."""
        if self._verdict is not None:
            raise self._verdict from None

    # -- for those who start and end runs --

    @property
    def is_busy(self) -> bool:
        """Whether bots are being called."""
        return bool(self._activities)

    @contextmanager
    def limiting(self, seconds: float | None) -> Iterator[None]:
        """In this block, a bot that takes longer than `seconds` over one call ends the run with a `DecisionTimeout`."""
        if seconds is None:
            yield
            return
        if not 0 < seconds <= MAX_LIMIT:
            raise BadValue(f"decision seconds must be more than 0 and at most {MAX_LIMIT:,.0f}, got {seconds:g}.")
        previous, self.limit = self.limit, float(seconds)
        try:
            with self.listening(), _alarm_as_stop():
                yield
        finally:
            self.limit = previous
            self.rest()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """In this block, look on and hear signals. Nothing new happens inside another such block."""
        if self._thread is not None:
            yield
            return
        self.silent.clear()
        ears, mouth = os.pipe()
        for end in (ears, mouth):
            os.set_blocking(end, False)
        in_main = threading.current_thread() is threading.main_thread()
        previous = signal.set_wakeup_fd(mouth, warn_on_full_buffer=False) if in_main else -1
        thread = self._thread = threading.Thread(target=self._look_on, args=(ears,), name="kibitz-watchdog", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._thread = None
            os.write(mouth, _WAKE)
            thread.join()
            if in_main:
                signal.set_wakeup_fd(previous)
            os.close(ears)
            os.close(mouth)

    @contextmanager
    def reporting(self, report: Report) -> Iterator[None]:
        """In this block, in a copy of a process made by fork, tell the parent of long calls. The thread that looked on there isn't here."""
        self._thread, self._lock, self.last_resort = None, threading.RLock(), None
        self._activities.clear()
        self.report = report
        with self.listening():
            yield

    @contextmanager
    def holding(self) -> Iterator[None]:
        """In this block a signal stops nothing, unless a bot does not answer: something finishes a step and keeps it."""
        self._holding += 1
        try:
            yield
        finally:
            self._holding -= 1

    def interrupt(self) -> None:
        """Find out which bots don't answer, then stop all compiled code."""
        with self._lock:
            if self._interrupted:
                return
            pending = list(self._activities)
            counts = {activity: (activity.silence(), activity.seen)[1] for activity in pending}
            while pending:
                for activity in pending:
                    self._note(activity)
                pending = [
                    activity
                    for activity in pending
                    if activity in self._activities and not activity.noted and activity.calls() == counts[activity]
                ]
                time.sleep(0.01 if pending else 0)
            now = time.monotonic()
            self.silent += [Silent(fault, now - since) for fault, since in self.elsewhere.values()]
            self.elsewhere.clear()
            self._interrupted = now
            stopping.stop()

    def settle(self) -> bool:
        """Wait until bots are no longer called, for `patience` seconds at most; whether that is so."""
        until = time.monotonic() + self.patience if self.patience is not None else None
        while self.is_busy and (until is None or time.monotonic() < until):
            time.sleep(0.01)
        return not self.is_busy

    def rest(self) -> None:
        """Forget what was stopped, unless some of it still runs."""
        if not self.is_busy:
            self._verdict = None
            self._interrupted = self._heard = 0.0
            stopping.go_on()

    # -- looking on --

    def _look_on(self, ears: int) -> None:
        me = threading.current_thread()
        while self._thread is me:
            tick = min(TICK, self.limit / 4) if self.limit else TICK
            if select.select([ears], [], [], tick)[0]:
                self._hear(os.read(ears, 1024))
            try:
                for activity in list(self._activities):
                    self._look_at(activity)
                self._insist()
            except Exception:  # such as a table that is just being laid: one look less
                continue

    def _hear(self, signals: bytes) -> None:
        """A signal that interrupts stops compiled code; one that something else handles, such as a training, gets a while for that."""
        for number in set(signals) & {signal.SIGINT, signal.SIGTERM}:
            self._heard = time.monotonic()
            if signal.getsignal(number) is signal.default_int_handler and not self._holding:
                self.interrupt()

    def _look_at(self, activity: Activity) -> None:
        seconds = activity.silence()
        if self.report is not None and activity.reported != (seconds >= NOTICEABLE):
            activity.reported = not activity.reported
            self.report("busy" if activity.reported else "free", activity.fault("") if activity.reported else None)
        if self.limit is not None and seconds > self.limit and not activity.stopped:
            activity.stopped = time.monotonic()
            self._time_out(activity, self.limit)
        if self._heard and not self._interrupted and seconds > PATIENCE:
            self.interrupt()

    def _time_out(self, activity: Activity, limit: float) -> None:
        fault = activity.fault(f"took longer than {limit:g} s to answer")
        found = DecisionTimeout(fault.bot, fault.seat, fault.seed, fault.index, fault.what, fault.options)
        if self.report is not None:
            self.report("fault", found)  # the parent ends this process
            return
        if self._verdict is None:
            self._verdict = found
        stopping.stop()
        if activity.in_python():
            _raise_in(activity.thread)

    def _insist(self) -> None:
        """End the process if the main thread goes on, in code that can't be stopped, long after it was told to stop."""
        if self.last_resort is None or _is_debugging():
            return
        now, main = time.monotonic(), threading.main_thread().ident
        mine = [activity for activity in list(self._activities) if activity.thread == main]
        told = [since for since in (self._interrupted, *(activity.stopped for activity in mine)) if since]
        # What a training would lose gets longer than a compilation, which leaves nothing behind that a later one would not replace.
        patience = PATIENCE if self._holding else COMPILER_PATIENCE
        if (mine and told and now - min(told) > PATIENCE) or (self._heard and stopping.compiling and now - self._heard > patience):
            self.last_resort()

    def _note(self, activity: Activity) -> None:
        seconds = activity.silence()
        if seconds >= NOTICEABLE and not activity.noted and not _is_debugging():
            activity.noted = True
            self.silent.append(Silent(activity.fault(""), seconds))


def _is_debugging() -> bool:
    """Whether the main thread is in the debugger, where a person may think and Ctrl-C clears a line."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    while frame is not None:
        if os.path.basename(frame.f_code.co_filename) in ("pdb.py", "bdb.py"):
            return True
        frame = frame.f_back
    return False


@contextmanager
def _alarm_as_stop() -> Iterator[None]:
    """Let SIGALRM raise `Halted` in the main thread, wherever Python code is there."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(number: int, frame: object) -> None:
        raise Halted

    previous = signal.signal(signal.SIGALRM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGALRM, previous)


def _raise_in(thread: int) -> None:
    """Raise `Halted` in a thread that runs Python code; in the main one also where it waits for something."""
    if thread == threading.main_thread().ident and hasattr(signal, "SIGALRM"):
        with suppress(ProcessLookupError):
            signal.pthread_kill(thread, signal.SIGALRM)
    else:
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(Halted))


watchdog = Watchdog()


def decision_limit(seconds: float) -> AbstractContextManager[None]:
    """A `with` block in which a bot that takes longer than `seconds` over one decision ends the run with a `DecisionTimeout`."""
    return watchdog.limiting(seconds)
