"""`kibitz watch`: one game, turn by turn."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli.options import JsonFile, RulesName, Seating, Seed, check_json_path, console, write_json


def command(
    bots: Annotated[list[str], typer.Argument(metavar="BOT BOT...", help="The line-up, 2 to 10 bots.")],
    seed: Seed = 1,
    index: Annotated[int, typer.Option("--index", "-i", help="Which game of a batch with that seed.")] = 0,
    rules: RulesName = "classic",
    seating: Seating = "random",
    json: JsonFile = None,
) -> None:
    """One game as text, with every hand; game I of a batch with that seed is exactly the game the batch played."""
    from kibitz.arena.game import PlayedGame, play
    from kibitz.errors import BotFault
    from kibitz.report.transcript import transcript

    check_json_path(json)
    try:
        played = play(bots, seed=seed, index=index, rules=rules, seating=seating)
    except BotFault as fault:
        if isinstance(fault.played, PlayedGame) and json != "-":  # what led up to it
            for line in transcript(fault.played):
                console().print(line, soft_wrap=True)
        raise
    write_json(json, played.to_dict())
    if json != "-":
        terminal = console()
        for line in transcript(played):
            terminal.print(line, soft_wrap=True)
