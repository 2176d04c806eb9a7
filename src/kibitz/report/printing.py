"""Games told on a terminal, line by line."""

from __future__ import annotations

from rich.console import Console

from kibitz.play.game import PlayedGame
from kibitz.report.transcript import transcript


def print_transcript(played: PlayedGame, terminal: Console, explain: bool = False) -> None:
    """A game, line by line; with `explain`, what search bots thought."""
    for line in transcript(played, explain):
        terminal.print(line, soft_wrap=True)
