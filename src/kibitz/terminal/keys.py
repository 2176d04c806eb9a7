"""Single key presses of a terminal, where there is one."""

from __future__ import annotations

import codecs
import os
import select
import sys
from contextlib import suppress
from typing import Any

from kibitz.runs.watchdog import watchdog

ESCAPE, BACKSPACE, END, OTHER = "escape", "backspace", "end", "other"
_NAMED = {"\x1b": ESCAPE, "\x7f": BACKSPACE, "\b": BACKSPACE, "\x04": END}
_PAUSE = 0.05  # seconds within which the rest of a function key's sequence has arrived


class Keys:
    """Key presses, without echo and without waiting for Enter; the terminal is put back on exit."""

    def __init__(self, stream: int) -> None:
        self._stream = stream
        self._waiting = b""
        self._saved: list[Any] = []
        self.is_gone = False  # whether the terminal was closed: without waiting for Enter nothing else ends the input

    def __enter__(self) -> Keys:
        import termios
        import tty

        self._saved = termios.tcgetattr(self._stream)
        tty.setcbreak(self._stream, termios.TCSADRAIN)
        watchdog.tidying.append(self._put_back)
        return self

    def __exit__(self, *exc: object) -> None:
        watchdog.tidying.remove(self._put_back)
        self._put_back()

    def _put_back(self) -> None:
        import termios

        with suppress(OSError, termios.error):  # it may be gone
            termios.tcsetattr(self._stream, termios.TCSAFLUSH, self._saved)  # what was typed for the game is not for the shell

    def drop_typed(self) -> None:
        """Drop what was typed before anything was asked."""
        self._waiting = b""
        drop_typed(self._stream)

    def read(self) -> str:
        """The next key: a character, or ESCAPE, BACKSPACE, END (of input) or OTHER (arrows and their like)."""
        first = self._byte()
        if not first:
            return END
        if first == b"\x1b" and self._is_more():
            following = self._byte()
            if following in (b"[", b"O"):
                self._skip_sequence()
                return OTHER
            self._waiting = following
        text = self._character(first)
        return _NAMED.get(text, text if text.isprintable() else OTHER)

    def _byte(self) -> bytes:
        byte, self._waiting = self._waiting, b""
        if not byte:
            with suppress(OSError):
                byte = os.read(self._stream, 1)
            self.is_gone = not byte
        return byte

    def _is_more(self) -> bool:
        return bool(self._waiting) or bool(select.select([self._stream], [], [], _PAUSE)[0])

    def _skip_sequence(self) -> None:
        while self._is_more():
            byte = self._byte()
            if not byte or byte.isalpha() or byte == b"~":
                return

    def _character(self, first: bytes) -> str:
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(first)
        while not text:
            byte = self._byte()
            text = decoder.decode(byte, final=not byte)
        return text


def drop_typed(stream: int) -> None:
    """Drop what was typed at a terminal and not read yet; what comes through a pipe stays."""
    try:
        import termios
    except ImportError:
        return
    with suppress(OSError, termios.error):  # no terminal, or none any more
        termios.tcflush(stream, termios.TCIFLUSH)


def terminal_keys() -> Keys | None:
    """The keys of the terminal we run in, or None where answers come as lines."""
    try:
        import termios  # noqa: F401 - not on every system
    except ImportError:
        return None
    try:
        return Keys(sys.stdin.fileno()) if sys.stdin and sys.stdin.isatty() and sys.stdout.isatty() else None
    except (OSError, ValueError):
        return None
