"""People for the tests: one who answers with lines, one at a real terminal, one who tries everything at random."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import random
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.cli.main import run
from kibitz.terminal.menu import Choice, Menu, TextPage
from kibitz.terminal.screen import Screen

# The first terminal that the leader of a session opens becomes its own, and so sends interrupts.
PROGRAM = (
    "import os, signal; signal.signal(signal.SIGHUP, {hang_up}); os.open(os.ttyname(0), os.O_RDWR); from kibitz.cli.main import run; run()"
)
SOURCE = str(Path(kibitz.__file__).parent.parent)


class Pipe:
    """Runs commands in this process, with answers as lines."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys, self._monkeypatch = capsys, monkeypatch

    def play(self, command: str, answers: Iterable[str] = (), jit: bool = False) -> tuple[int, str, str]:
        """Exit code, standard output, standard error; not what the first test has to compile."""
        self._monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{answer}\n" for answer in answers)))
        with pytest.raises(SystemExit) as stop:
            run(["play", *command.split(), *([] if jit else ["--no-jit"])])
        out, err = self._capsys.readouterr()
        return int(stop.value.code or 0), out, re.sub(r"kibitz: compiling .*; happens once\n", "", err)


class Terminal:
    """A game in another process, behind a pseudo-terminal."""

    def __init__(self, command: str, rows: int = 24, columns: int = 80, deaf: bool = False, jit: bool = False, **environment: str) -> None:
        self._here, there = pty.openpty()
        fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(there)
        known = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR")}
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                PROGRAM.format(hang_up="signal.SIG_IGN" if deaf else "signal.SIG_DFL"),
                "play",
                *command.split(),
                *([] if jit else ["--no-jit"]),
            ],
            stdin=there,
            stdout=there,
            stderr=subprocess.PIPE if deaf else there,
            env={**known, "PYTHONPATH": SOURCE, "TERM": "xterm-256color", **environment},
            start_new_session=True,
        )
        self._there = there
        self.output = ""

    def wait_for(self, *texts: str) -> str:
        """What was written until one of these texts and the rest of its screen came, from the last clearing of the screen on."""
        seen = ""
        while not any(text in plain(last_screen(seen)) for text in texts) or select.select([self._here], [], [], 0.1)[0]:
            assert select.select([self._here], [], [], 20)[0], f"{texts} did not come after {seen!r}"
            seen += os.read(self._here, 65536).decode()
        self.output += seen
        return last_screen(seen)

    def press(self, keys: str, *texts: str) -> str:
        """Press keys, then wait for one of these texts."""
        self.type(keys)
        return self.wait_for(*texts)

    def type(self, keys: str) -> None:
        """Press keys and wait for nothing."""
        os.write(self._here, keys.encode())

    def unread(self) -> bytes:
        """What was typed and nobody has read: it would be the shell's."""
        return os.read(self._there, 1000) if select.select([self._there], [], [], 0)[0] else b""

    def hang_up(self) -> None:
        """Close the terminal's window."""
        os.close(self._here)
        self._here = os.open(os.devnull, os.O_RDWR)

    def modes(self) -> Any:
        """The modes of the terminal now."""
        return termios.tcgetattr(self._there)

    def end(self) -> int:
        """The exit code, once the game is over."""
        return self.process.wait(timeout=20)

    def close(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        if self.process.stderr:
            self.process.stderr.close()
        os.close(self._here)
        os.close(self._there)


@contextmanager
def terminal(
    command: str, rows: int = 24, columns: int = 80, deaf: bool = False, jit: bool = False, **environment: str
) -> Iterator[Terminal]:
    """A terminal for the length of a test; if `deaf`, the game does not hear that it is closed, as after `nohup`."""
    made = Terminal(command, rows, columns, deaf, jit, **environment)
    try:
        yield made
    finally:
        made.close()


def plain(text: str) -> str:
    """Text without what steers the terminal."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "")


def last_screen(text: str) -> str:
    """What came since the screen was cleared."""
    return text.rpartition("\x1b[2J\x1b[H")[2]


def lines_of(screen: str) -> list[str]:
    """The lines of a screen as they are seen."""
    return plain(screen).rstrip("\n").split("\n")


class Explorer(Screen):
    """Answers with random choices, and keeps every menu and page."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._random = random.Random(seed)
        self.asked: list[Menu] = []
        self.pages: list[TextPage] = []
        self.last = TextPage([])
        self.said: list[str] = []

    def ask(self, page: TextPage, menu: Menu, note: str = "", deeper: bool = False) -> str:
        """A random choice that is possible."""
        assert note == ""
        self.pages.append(page)
        if not deeper:
            self.asked.append(menu)
        return self._random.choice([choice.key for choice in menu.choices if not choice.why_not])

    def show(self, page: TextPage) -> None:
        """Keep the last page."""
        self.last = page

    def say(self, sentence: str, command: str = "") -> None:
        """Keep what is said."""
        self.said.append(sentence + command)


def actions_of(menu: Menu) -> list[int]:
    """Every action that a menu offers, in its depths too."""
    found: list[int] = []
    for choice in offered(menu.choices):
        if isinstance(choice.leads_to, Menu):
            found += actions_of(choice.leads_to)
        elif isinstance(choice.leads_to, int):
            found.append(choice.leads_to)
    return found


def offered(choices: Sequence[Choice]) -> list[Choice]:
    """The choices that are possible."""
    return [choice for choice in choices if not choice.why_not]
