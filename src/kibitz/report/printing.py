"""Games told on a terminal, line by line."""

from __future__ import annotations

from rich.console import Console

from kibitz.play.game import PlayedGame
from kibitz.report.hanabi_transcript import transcript as hanabi_transcript
from kibitz.report.transcript import transcript


def print_transcript(played: PlayedGame, terminal: Console, explain: bool = False) -> None:
    """A game of either kind, line by line; with `explain`, what search bots thought."""
    for line in hanabi_transcript(played, explain) if played.game == "hanabi" else transcript(played, explain):
        terminal.print(line, soft_wrap=True)
