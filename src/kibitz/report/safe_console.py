"""The terminal that every command prints to: whatever is printed, only our own styles reach it as escape sequences.

Names in records, stores and tournament files were written by others. Their control characters are shown as replacement
characters, and square brackets in them are brackets, never markup.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from kibitz.core.printable import UNSAFE, printable


class Terminal(Console):
    """A console on which text cannot control anything."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{"highlight": False, "markup": False, "emoji": False, **settings})

    def render_str(self, text: str, **settings: Any) -> Text:
        """Text made of a string, safe before it is measured for a table."""
        return super().render_str(printable(text, lines=True), **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """What is printed, piece by piece; pieces with a `control` are the console's own."""
        for piece in super().render(renderable, options):
            unsafe = piece.control is None and UNSAFE.search(piece.text)
            yield Segment(printable(piece.text, lines=True), piece.style) if unsafe else piece
