"""The table of an environment to look at: as the terminal shows it, in text or as a picture.

It is shown as the player to act sees it; after the end, with all cards open.
"""

from __future__ import annotations

import io
import sys
from typing import Any

import numpy as np
from rich.console import Console
from rich.text import Text

from kibitz.core.errors import UnknownName
from kibitz.core.extras import MissingExtra
from kibitz.envs.episode import Episode

RENDER_MODES = ("ansi", "human", "rgb_array")
# Of a picture: lines (more if they are needed), characters in a line, pixels of one, pixels around the text.
ROWS, COLUMNS, CELL, MARGIN = 24, 100, (9, 18), 12
_DARK, _LIGHT = (18, 22, 30), (226, 232, 240)


class Renderer:
    """Shows the table of an episode in one of the modes, or not at all."""

    def __init__(self, episode: Episode, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise UnknownName("render mode", mode, RENDER_MODES)
        self._episode, self._mode = episode, mode

    def follow(self) -> None:
        """After every step: people who look on are shown the table."""
        if self._mode == "human":
            print(self._text(), file=sys.stdout, flush=True)

    def render(self) -> Any:
        """The table as text, as a picture of red, green and blue values, or nothing where people look on anyway."""
        if self._mode == "rgb_array":
            return self._picture()
        return self._text() if self._mode == "ansi" else None

    def _lines(self) -> list[Text]:
        episode = self._episode
        game, players = episode.game, episode.lineup.players
        names = [episode.lineup.entrants[entry].name for entry in list(episode.seating)[:players]]
        over = episode.seat < 0
        screen = game.face.load("screen")(game, game.title, names, max(episode.seat, 0))
        lines: list[Text] = screen.ending(episode.state) if over else screen.table(episode.look(episode.seat))
        return lines

    def _text(self) -> str:
        """With colours, in the escape sequences of terminals."""
        console = Console(file=io.StringIO(), width=COLUMNS, force_terminal=True, color_system="standard", legacy_windows=False)
        for line in self._lines():
            console.print(line, highlight=False)
        assert isinstance(console.file, io.StringIO)
        return console.file.getvalue()

    def _picture(self) -> np.ndarray[Any, np.dtype[np.uint8]]:
        try:
            from PIL import Image, ImageDraw, ImageFont
        except ImportError:
            raise MissingExtra("a picture of the table", "pillow", "Pillow") from None
        console = Console(file=io.StringIO(), width=COLUMNS, force_terminal=True, color_system="truecolor", legacy_windows=False)
        rows = [row for line in self._lines() for row in console.render_lines(line, pad=False)]
        width, height = COLUMNS * CELL[0] + 2 * MARGIN, max(len(rows), ROWS) * CELL[1] + 2 * MARGIN
        image = Image.new("RGB", (width, height), _DARK)
        draw, font = ImageDraw.Draw(image), ImageFont.load_default(CELL[1] - 4)
        for place, row in enumerate(rows):
            column = 0
            for segment in row:
                ink, paper = _colours(segment.style)
                for letter in segment.text:
                    x, y = MARGIN + column * CELL[0], MARGIN + place * CELL[1]
                    if paper:
                        draw.rectangle((x, y, x + CELL[0], y + CELL[1]), fill=paper)
                    draw.text((x + CELL[0] / 2, y + CELL[1] / 2), letter, fill=ink, font=font, anchor="mm")
                    column += 1
        return np.asarray(image)


def _colours(style: Any) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
    """The colour of letters, and the one behind them if there is one."""
    ink = tuple(style.color.get_truecolor()) if style and style.color and not style.color.is_default else _LIGHT
    paper = tuple(style.bgcolor.get_truecolor()) if style and style.bgcolor and not style.bgcolor.is_default else None
    return (paper or _DARK, ink) if style and style.reverse else (ink, paper)
