"""A second look at games: played again as plain Python and watched, to find the line of a fault or a bot that is not repeatable.

Nothing here changes a figure: what is played is thrown away. Bots can't print or ask anything meanwhile, and the time is limited. Before
a run, games are played in a copy of the process, so that not even a bot that remembers them plays differently afterwards.
"""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from dataclasses import replace
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

from kibitz.bots.bot import Bot
from kibitz.bots.source import Place, first_line, is_own, is_own_function
from kibitz.core import jit
from kibitz.core.errors import BotFault, KibitzError, NotRepeatable, StoppedInDebugger
from kibitz.play.explaining import noting
from kibitz.play.lineup import Lineup
from kibitz.play.sitting import Sitting
from kibitz.registry import Entrant
from kibitz.runs.watchdog import NOTICEABLE, watchdog

FAULT_SECONDS = 3.0  # for a game with a fault
REPEAT_SECONDS = 1.0  # for games that are played twice
REPEATED_GAMES = 10
LAST_ANSWER_SECONDS = 3.0  # more, for the answer that is due when the time is up


class TimeUp(BaseException):
    """A game took too long to be looked at again; not an `Exception`, so that no bot catches it."""


class Watch:
    """Watches plain Python for a while: where bots answer, and when the time is up."""

    def __init__(self, seconds: float) -> None:
        self.ends = time.monotonic() + seconds
        self.answered: Place | None = None  # the line at which a bot's function was last left

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch this thread until the end of the block."""
        previous = sys.gettrace()
        with _bots_muted(), watchdog.exempting():
            sys.settrace(self._see)
            try:
                yield
            finally:
                sys.settrace(previous)

    def _see(self, frame: FrameType, event: str, argument: Any) -> Any:
        if time.monotonic() > self.ends:
            raise TimeUp
        if not is_own(frame.f_code.co_filename):
            return None
        if event == "return" and not (frame.f_back and is_own(frame.f_back.f_code.co_filename)):
            self.answered = Place(frame.f_code.co_filename, frame.f_lineno)
        return self._see


@contextmanager
def _bots_muted() -> Iterator[None]:
    """What bots print is not shown, and they can't ask anything. All threads share these files, so only the main one may change them;
    others play compiled bots, which print nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    stdin, sys.stdin = sys.stdin, io.StringIO()
    try:
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            yield
    finally:
        sys.stdin = stdin


# -- the line of a fault --


def located(fault: BotFault, lineup: Lineup) -> BotFault:
    """A fault with the line of the author's own code that it comes from, where that can be found out."""
    entrant = next((entrant for entrant in lineup.entrants if entrant.name == fault.bot), None)
    if fault.place or type(fault) is not BotFault or entrant is None or not _is_own(entrant):
        return fault
    again, place = _played_again(lineup, fault.seed, fault.index)
    same = type(again) is BotFault and (again.bot, again.seat) == (fault.bot, fault.seat)
    if not same and isinstance(entrant.bot, Bot):
        place = str(first_line(entrant.bot.choose))
    found = BotFault(fault.bot, fault.seat, fault.seed, fault.index, again.what if again and same else fault.what, fault.options, place)
    found.played = fault.played
    return found


def _played_again(lineup: Lineup, seed: int, index: int) -> tuple[BotFault | None, str]:
    """The fault of a game that is played as plain Python, and its place."""
    lineup = _with_compiled_searches(lineup)
    watch = Watch(FAULT_SECONDS)
    try:
        with watch.watching():
            Sitting(lineup, seed, compiled=False).play(index)
    except BotFault as fault:
        return fault, fault.place or (str(watch.answered) if watch.answered else "")
    except (TimeUp, KibitzError, StoppedInDebugger):
        pass
    return None, ""


def _with_compiled_searches(lineup: Lineup) -> Lineup:
    """The line-up for the plain loop, with searches of ours compiled all the same: they would take all the time."""
    entrants = zip(lineup.entrants, noting(lineup, lambda explanation: None).entrants, strict=True)
    return replace(lineup, entrants=tuple(entrant if _is_own(entrant) else noted for entrant, noted in entrants))


def _is_own(entrant: Entrant) -> bool:
    """Whether this bot is an author's own, not one of ours."""
    return is_own_function(entrant.bot.choose) if isinstance(entrant.bot, Bot) else True


# -- games that are played twice --


_checked: set[tuple[str, Any]] = set()


def check_repeatable(lineup: Lineup, seed: int, games: int, compiled: bool) -> None:
    """Warn of a Python bot that answers differently when a game is played again, once for each bot."""
    played_in_python = [entrant for entrant in lineup.entrants if _is_own(entrant) and not (compiled and entrant.is_compiled)]
    new = {_key(entrant) for entrant in played_in_python} - _checked
    if not new:
        return
    _checked.update(new)
    bot = _first_to_differ(lineup, seed, min(games, REPEATED_GAMES), compiled)
    if bot:
        words = f"bot {bot} answers differently when the same game is played again, so equal seeds don't give equal results; "
        words += "take random numbers from view.randbelow(n), and remember nothing between games."
        if jit.is_silent():
            warnings.warn(words, NotRepeatable, stacklevel=2)
        else:
            jit.announce(words)


def _key(entrant: Entrant) -> tuple[str, Any]:
    source = entrant.bot.choose if isinstance(entrant.bot, Bot) else entrant.bot.source
    return entrant.name, source if isinstance(source, str) else id(source)


def _first_to_differ(lineup: Lineup, seed: int, games: int, compiled: bool) -> str:
    """The name of the first bot that answers differently the second time; empty if none was seen to."""
    answers: list[tuple[str, int]] = []
    ends = 0.0

    def listen(view: Any, action: int) -> None:
        answers.append((sitting.seats[view.seat], action))
        if time.monotonic() > ends:  # between two answers
            raise TimeUp

    sitting = Sitting(lineup, seed, compiled, listen=listen)
    sitting.prepare()  # what has to be compiled is, before the time runs

    def played(index: int) -> list[tuple[str, int]]:
        answers.clear()
        with sitting.attending():
            sitting.play(index)
        return answers[:]

    def look() -> str:
        nonlocal ends
        ends = time.monotonic() + REPEAT_SECONDS
        for index in range(games):
            for (name, action), (_, other) in zip(played(index), played(index), strict=False):
                if action != other:
                    return name
        return ""

    return _in_a_copy(look, REPEAT_SECONDS, min(LAST_ANSWER_SECONDS, watchdog.limit or LAST_ANSWER_SECONDS))


def _in_a_copy(look: Callable[[], str], seconds: float, more: float) -> str:
    """What is found in a copy of this process: whatever bots remember, print or change there is gone with it. Empty if that takes too long,
    or if a bot is at fault, which the run itself will tell.

    The copy ends by itself between two answers, so that a bot with a program of its own at the other end of a pipe stays in step with
    it. `more` seconds later it is killed.
    """
    if not hasattr(os, "fork"):  # Windows
        with suppress(TimeUp, KibitzError, StoppedInDebugger), Watch(seconds).watching():
            return look()
        return ""
    here, there = Pipe(duplex=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # other threads don't exist in the copy; if it waits for one, its time runs out
        child = os.fork()
    if child == 0:
        try:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which then ends the copy
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_REAL, seconds + more + 1)  # also if nobody is left to kill it
            for place in range(3):
                os.dup2(os.open(os.devnull, os.O_RDWR), place)
            with watchdog.reporting(lambda kind, fault: there.send((kind, fault))):
                found = look()
            there.send(("found", found))
        finally:
            os._exit(0)
    there.close()
    try:
        return _heard_from(here, time.monotonic() + seconds + more)
    finally:
        here.close()
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _heard_from(copy: Connection, ends: float) -> str:
    """What a copy of this process finds; meanwhile it tells of bots that take long to answer, for an interruption to name."""
    while copy.poll(max(0.0, ends - time.monotonic())):
        try:
            kind, value = copy.recv()
        except EOFError:
            break
        watchdog.elsewhere.pop(copy, None)
        if kind == "busy":
            watchdog.elsewhere[copy] = (value, time.monotonic() - NOTICEABLE)
        elif kind == "fault":
            raise value
        elif kind == "found":
            return str(value)
    watchdog.elsewhere.pop(copy, None)
    return ""
