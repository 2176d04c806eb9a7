"""Compiling for the table: in processes of their own, so that the server goes on answering and nobody waits for what others need.

When the server starts, one such process makes likely bots and advice ready, one part after another. It begins no further part while
somebody waits for one, and then goes on with the game that was asked for last. What somebody asks for is compiled at once, in a process
that is free or in a new one. The server then only loads it.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest

from kibitz import registry
from kibitz.core import jit, notices
from kibitz.core.errors import KibitzError
from kibitz.play.advice import analyst_of
from kibitz.play.seat import player_of
from kibitz.runs.units import worker_count

log = logging.getLogger("kibitz.table")

ADVICE = "advice"  # stands for what advice in a game is made with
TELL = "--tell"  # given to the process that says what it is about

Part = tuple[str, str]  # a game, and one of its bots or ADVICE


def likely() -> list[Part]:
    """What is likely to be asked for first, each game in turn; everything else is compiled when somebody asks for it."""
    wanted = [[(game, name) for name in registry.game(game).face.likely] for game in registry.BUILT_IN]
    return [each for turn in zip_longest(*wanted) for each in turn if each is not None]


class CompilingProcess:
    """A process that compiles one part at a time; Ctrl-C at the server's terminal does not reach it."""

    def __init__(self, tells: bool) -> None:
        command = [sys.executable, "-m", "kibitz.table.warming", *[TELL] * tells]
        apart = sys.platform != "win32"
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=apart)

    def make_ready(self, part: Part) -> str:
        """Wait until it has compiled a part; returns what was wrong, or nothing."""
        assert self._process.stdin is not None and self._process.stdout is not None
        try:
            print(json.dumps(part), file=self._process.stdin, flush=True)
            if answer := self._process.stdout.readline():
                return str(json.loads(answer))
        except (OSError, ValueError):  # it has ended, or is being ended
            pass
        code = self._process.wait()
        return f"its process ended with exit code {code}." if code > 0 else ""

    def has_ended(self) -> bool:
        """Whether it can't compile any more."""
        return self._process.poll() is not None

    def end(self) -> None:
        """End it, whatever it is doing."""
        with self._process:  # closes its pipes
            self._process.terminate()


class Compilations:
    """What is being compiled for the table, and by which processes."""

    def __init__(self) -> None:
        self._changed = threading.Condition()  # guards everything below
        self._processes: set[CompilingProcess] = set()
        self._free: list[CompilingProcess] = []
        self._in_hand: set[Part] = set()
        self._likely: list[Part] = []  # not begun yet, the next one first
        self._waiting = 0  # threads in which somebody waits for a part
        self._places = threading.BoundedSemaphore(max(2, worker_count(None)))  # for processes that somebody waits for

    def make_likely_ready(self) -> None:
        """Compile what is likely to be asked for, in the background while nobody waits for anything."""
        with self._changed:
            self._likely = likely()
        threading.Thread(target=self._work_off, name="warming", daemon=True).start()

    def prefer(self, game: str) -> None:
        """Somebody is at a table of this game: what is likely there comes first."""
        with self._changed:
            self._likely.sort(key=lambda part: part[0] != game)

    def make_ready(self, parts: Sequence[Part]) -> None:
        """Compile parts for somebody who waits for them."""
        with self._changed:
            self._waiting += 1
        try:
            for part in parts:
                with self._places:
                    self._compile(part)
        finally:
            with self._changed:
                self._waiting -= 1
                self._changed.notify_all()

    def stop(self) -> None:
        """End all processes. What somebody still waits for is compiled in the server."""
        with self._changed:
            processes = set(self._processes)
            self._likely.clear()
            self._free.clear()
            self._processes.clear()
            self._changed.notify_all()
        for process in processes:
            process.end()

    def _work_off(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: not (self._likely and self._waiting))
                if not self._likely:
                    break
                part = self._likely[0]
            self._compile(part, tells=True)

    def _compile(self, part: Part, tells: bool = False) -> None:
        """Let a process compile a part, or wait until the one that has it in hand is done."""
        with self._changed:
            if part in self._in_hand:
                self._changed.wait_for(lambda: part not in self._in_hand)
                return
            self._in_hand.add(part)
            self._likely = [other for other in self._likely if other != part]
            process = self._free.pop() if self._free else CompilingProcess(tells)
            self._processes.add(process)
        complaint = process.make_ready(part)
        with self._changed:
            self._in_hand.remove(part)
            self._free.append(process)
            spare = [each for each in self._free if not self._likely or each.has_ended()]
            self._free = [each for each in self._free if each not in spare]
            self._processes.difference_update(spare)
            self._changed.notify_all()
        for each in spare:
            each.end()
        if complaint:  # it is compiled here instead, and whoever asked is told what is wrong
            log.warning("compiling %s apart failed: %s", part[1], complaint)


_compilations = Compilations()
stop_compiling = _compilations.stop


@contextmanager
def compiled_apart(game: str, names: Sequence[str]) -> Iterator[None]:
    """Let another process compile what is still missing for some bots, or for ADVICE, when it is first needed in the block."""
    _compilations.prefer(game)
    with jit.compiling_elsewhere(lambda: _compilations.make_ready([(game, name) for name in names])):
        yield


def warm_up() -> None:
    """Make ready in the background what is likely to be asked for."""
    if os.environ.get("KIBITZ_JIT") != "0":
        _compilations.make_likely_ready()


# -- in that process --


def make_ready(game: str, name: str) -> None:
    """Compile a bot, or what advice is made with, into the cache."""
    if name == ADVICE:
        analyst_of(game)
    else:
        player_of(registry.entrant(name, game), registry.game(game))


def _tell_once(line: str) -> None:
    """Say once that something compiles, though it may be many things."""
    notices.show = lambda more: None
    print("kibitz: compiling bots and advice in the background, about 10 s; happens once.", file=sys.stderr, flush=True)


def main() -> None:
    """Compile each part that comes in as a line of JSON, and answer with what was wrong, or nothing."""
    if TELL in sys.argv and sys.stderr.isatty():  # that of a server at its start
        notices.show = _tell_once
    for line in sys.stdin:
        complaint = ""
        try:
            make_ready(*json.loads(line))
        except KibitzError as error:
            complaint = str(error)
        print(json.dumps(complaint), flush=True)


if __name__ == "__main__":
    main()
