"""Compiling for the table: in processes of their own, so that the server goes on answering and nobody waits for what others need.

When the server starts, one such process makes likely bots and advice ready while nobody waits. What somebody asks for before that
is compiled at once, in another process. The server then only loads it.
"""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import zip_longest
from typing import IO

from kibitz import registry
from kibitz.core import jit, notices
from kibitz.core.errors import KibitzError
from kibitz.play.advice import analyst_of
from kibitz.play.seat import player_of
from kibitz.runs.units import worker_count

log = logging.getLogger("kibitz.table")

ADVICE = "advice"  # stands for what advice in a game is made with

_places = threading.BoundedSemaphore(max(2, worker_count(None)))  # for processes that somebody waits for
_compilers: set[subprocess.Popen[bytes]] = set()


def likely() -> list[tuple[str, str]]:
    """What is likely to be asked for first, each game in turn; everything else is compiled when somebody asks for it."""
    wanted = [[(game, name) for name in registry.game(game).face.likely] for game in registry.BUILT_IN]
    return [each for turn in zip_longest(*wanted) for each in turn if each is not None]


@contextmanager
def compiled_apart(game: str, names: Sequence[str]) -> Iterator[None]:
    """Let another process compile what is still missing for some bots, or for ADVICE, when it is first needed in the block."""

    def compile_there() -> None:
        with _places, tempfile.TemporaryFile() as complaints:
            process = _start([(game, name) for name in names], complaints)
            code = process.wait()
            _compilers.discard(process)
            if code > 0:  # it is compiled here instead, and whoever asked is told what is wrong
                complaints.seek(0)
                log.warning("compiling %s apart failed: %s", ", ".join(names), complaints.read()[-500:].decode(errors="replace").strip())

    with jit.compiling_elsewhere(compile_there):
        yield


def warm_up() -> None:
    """Start a process that makes ready what is likely to be asked for. Its priority is not lowered: somebody may soon wait for it."""
    if os.environ.get("KIBITZ_JIT") == "0":
        return
    process = _start(likely())

    def collect() -> None:
        process.wait()
        _compilers.discard(process)

    threading.Thread(target=collect, name="warming", daemon=True).start()


def stop_compiling() -> None:
    """End all processes that compile for the table."""
    for process in list(_compilers):
        process.terminate()
        process.wait()
        _compilers.discard(process)


def _start(wanted: Sequence[tuple[str, str]], complaints: IO[bytes] | None = None) -> subprocess.Popen[bytes]:
    """Start a process that compiles; Ctrl-C at the server's terminal does not reach it."""
    command = [sys.executable, "-m", "kibitz.table.warming", json.dumps(wanted)]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=complaints, start_new_session=sys.platform != "win32")
    _compilers.add(process)
    return process


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


def main() -> int:
    """Make ready what the command line names, each whatever becomes of the others; the exit code."""
    failed = False
    if sys.stderr.isatty():  # that of a server at its start
        notices.show = _tell_once
    for game, name in json.loads(sys.argv[1]):
        try:
            make_ready(game, name)
        except KibitzError as error:
            failed = True
            print(f"kibitz: {error}", file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
