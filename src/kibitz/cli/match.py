"""`kibitz match`: who wins this line-up?"""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli.options import (
    Bar,
    GameName,
    Games,
    JsonFile,
    NoJit,
    RulesName,
    Seating,
    Seed,
    Target,
    Threads,
    announcing,
    check_json_path,
    console,
    write_json,
)


def command(
    bots: Annotated[
        list[str], typer.Argument(metavar="BOT BOT...", help="The line-up, 2 to 10 bots; in Hanabi one name means that bot in every seat.")
    ],
    games: Games = 100_000,
    seed: Seed = 1,
    rules: RulesName = None,
    game: GameName = "uno",
    players: Annotated[int, typer.Option("--players", "-p", help="Seats, if one bot is named for all of them (Hanabi).")] = 2,
    seating: Seating = "random",
    to: Target = None,
    threads: Threads = None,
    json: JsonFile = None,
    no_jit: NoJit = False,
) -> int:
    """One line-up of 2 to 10 bots, many games: a row for each, in the order given.

    A bot is NAME[:item,item…], an item being a preset or key=value (mix2, mix2:points, mix2:wild_colour_slack=2), or
    path/to/file.py:name for your own.
    """
    from kibitz.arena.evaluation import Interrupted, match
    from kibitz.report.tables import print_result

    check_json_path(json)
    code = 0
    with announcing(), Bar(games) as bar:
        try:
            result = match(
                bots,
                games=games,
                seed=seed,
                rules=rules,
                game=game,
                players=players,
                seating=seating,
                to=to,
                threads=threads,
                jit=not no_jit,
                progress=bar.advance,
            )
        except Interrupted as stop:
            result, code = stop.result, 130
    write_json(json, result.to_dict())
    if json != "-":
        print_result(result, console())
    return code
