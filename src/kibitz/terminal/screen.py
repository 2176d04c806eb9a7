"""What a person sees and answers with: a page and a question at a time, by key press or, through a pipe, by line."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from kibitz.report.safe_console import Terminal
from kibitz.terminal.keys import BACKSPACE, END, ESCAPE, OTHER, Keys, drop_typed
from kibitz.terminal.menu import Choice, Menu, TextPage, in_rows

BACK = "back"
ADVICE = ("!", "advice")  # key and word
WIDTH = 80

# Lines that stay on a small screen, as far as possible: of what has happened, and of advice.
_EVENTS_KEPT, _ADVICE_KEPT = 3, 3


class Left(BaseException):
    """The person has left the table. Like an interrupt, nobody may take it for a mistake of a bot."""


class Screen:
    """Shows pages, asks questions. With `keys` every question has a screen of its own; without, all goes on as text."""

    def __init__(self, keys: Keys | None = None, console: Console | None = None) -> None:
        for stream in (sys.stdin, sys.stdout):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")
        self._keys = keys
        self._console = console or Terminal(width=None if keys else WIDTH)
        self._shown: TextPage | None = None

    def ask(self, page: TextPage, menu: Menu, note: str = "", deeper: bool = False) -> str:
        """Ask until something is answered; the answer as it was given, or BACK. `deeper`: there is a menu to go back to."""
        asked = self._question(menu, note, deeper, not page.advice and not deeper)
        if self._keys:
            self._draw(page, asked)
            return self._key()
        if page is not self._shown:
            known = self._shown is not None and page.advice and page.table is self._shown.table
            self._print([] if known else [Text(), *page.table, *([Text()] if page.log else []), *page.log])
            self._print([*([Text()] if page.advice else []), *page.advice, Text()])
            self._shown = page
        self._print(asked)
        return self._line()

    @property
    def has_keys(self) -> bool:
        """Whether answers are single keys."""
        return self._keys is not None

    @property
    def is_gone(self) -> bool:
        """Whether nobody reads any more."""
        return self._keys is not None and self._keys.is_gone

    def drop_typed(self) -> None:
        """Drop what was typed while nothing was asked, at a terminal. Answers that come through a pipe wait for their questions."""
        if self._keys:
            self._keys.drop_typed()
        elif sys.stdin and sys.stdin.isatty():
            drop_typed(sys.stdin.fileno())

    def read(self, page: TextPage, key: str) -> None:
        """A page to read, which stays until it is dismissed: with the key that opened it or with one that goes back. Text just stays."""
        if not self._keys:
            self._print([Text(), *page.table, Text()])
            return
        self._draw(page, [Choice("Esc", "back to the game").text()])
        while self._key() not in (BACK, key, "q", " "):
            pass

    def show(self, page: TextPage) -> None:
        """A page without a question."""
        if self._keys:
            self._draw(page, [], reserve=3)
        else:
            self._print([Text(), *page.table, Text(), *page.log])

    def say(self, sentence: str, command: str = "") -> None:
        """One more sentence, and a command to copy, which is never broken into lines."""
        self._print([Text(sentence)])
        if command:
            self._console.print(Text(f"  {command}"), soft_wrap=True)
            self._flush()

    def say_busy(self) -> None:
        """The others are at it."""
        if self._keys:
            self._print([Text("…", "dim")])

    def _question(self, menu: Menu, note: str, deeper: bool, advise: bool) -> list[Text]:
        choices = [choice for choice in menu.choices if choice.listed and not choice.why_not]
        if deeper:
            choices.append(Choice("Esc" if self._keys else BACK, "" if not self._keys else BACK))
        if menu.in_game:
            choices += [*([Choice(*ADVICE)] if advise else []), Choice("?", "all moves"), Choice("q", "quit")]
        rows = in_rows([choice.text() for choice in choices], min(self._console.width, WIDTH))
        notes = [Text(note, "bold yellow")] if note else []
        return [*notes, Text(menu.question, "bold"), *rows]

    def _draw(self, page: TextPage, question: Sequence[Text], reserve: int = 0) -> None:
        """Fill the screen; `reserve` lines below are left for what is said next."""
        log, advice, gap = list(page.log), list(page.advice), [Text()]
        room = self._console.height - 3 - reserve - self._height(page.table) - self._height(question)
        if advice:
            events = min(_EVENTS_KEPT, self._height(log))
            while len(advice) > _ADVICE_KEPT and self._height(advice) >= room - events:  # the worst actions come last
                del advice[-1]
            room -= self._height(advice) + 1
        if self._height(log) > room:  # the end of it matters most
            while log and self._height(log) >= room:
                del log[0]
            log.insert(0, Text("…", "dim"))
        if not self._console.is_dumb_terminal:
            self._console.clear()
        self._print([*page.table, *(gap if log else []), *log, *(gap if advice else []), *advice, *gap, *question])

    def _height(self, lines: Iterable[Text]) -> int:
        return sum(max(1, -(-line.cell_len // self._console.width)) for line in lines)

    def _print(self, lines: Iterable[Text]) -> None:
        for line in lines:
            self._console.print(line)
        self._flush()

    def _flush(self) -> None:
        self._console.file.flush()

    def _key(self) -> str:
        assert self._keys
        key = self._keys.read()
        if key == END:
            raise Left
        return BACK if key in (ESCAPE, BACKSPACE) else key if key != OTHER else ""

    def _line(self) -> str:
        self._console.print("> ", end="")
        self._flush()
        line: Any = sys.stdin.readline() if sys.stdin else ""
        if not line:
            self._console.print()
            raise Left
        answer = "".join(letter for letter in line.strip() if letter.isprintable())
        if not sys.stdin.isatty():  # so that the text reads as a dialogue
            self._console.print(Text(answer))
        return BACK if answer == "<" else answer.lower()
