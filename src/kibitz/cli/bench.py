"""`kibitz bench`: how fast is this machine?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.options import GameName, JsonFile, announcing, check_json_path, console, write_json


def command(
    limit: Annotated[
        Path | None, typer.Option("--limit", help="A program that prints `NAME X Mgames/s` lines for 2p RvR and 6p all R: ratios to it.")
    ] = None,
    games: Annotated[int, typer.Option("--games", "-n", help="Games a measurement.")] = 200_000,
    repeats: Annotated[int, typer.Option("--repeats", help="Measurements of each kind, interleaved; the best counts.")] = 5,
    start: Annotated[bool, typer.Option("--start/--no-start", help="Also measure cold and warm starts.")] = True,
    game: GameName = None,
    json: JsonFile = None,
) -> None:
    """Games a second for standard line-ups, on one thread and on all, cold and warm start.

    Everything is measured in turn, several times over, and the best counts: a busy machine then spoils little.
    """
    from kibitz import registry
    from kibitz.experiments.bench import measure, print_measurements

    check_json_path(json)
    with announcing():
        measured = measure(limit, games, repeats, start, registry.game(game).name)
    write_json(json, measured.to_dict())
    if json != "-":
        print_measurements(measured, console())
