"""`kibitz evaluate`: how good is a bot against an opponent?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

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

if TYPE_CHECKING:
    from kibitz.arena.results import Result


def command(
    bots: Annotated[
        list[str] | None,
        typer.Argument(metavar="[BOT]...", help="Bots; all with all presets if none is named, with --published those that have figures."),
    ] = None,
    players: Annotated[int, typer.Option("--players", "-p", help="Players at the table, 2 to 10 (Hanabi: 2 to 5).")] = 2,
    against: Annotated[
        str | None,
        typer.Option("--against", "-a", help="The bot in every other seat, random by default; in Hanabi a bot plays with itself."),
    ] = None,
    games: Games = 100_000,
    seed: Seed = 1,
    rules: RulesName = None,
    game: GameName = "uno",
    seating: Seating = "random",
    to: Target = None,
    threads: Threads = None,
    json: JsonFile = None,
    no_jit: NoJit = False,
    published: Annotated[
        bool, typer.Option("--published", help="Both reference tables: v Random with 2 players, v five Random with 6.")
    ] = False,
    write: Annotated[
        Path | None, typer.Option("--write", help="With --published: also put the tables between the markers of this file.")
    ] = None,
) -> int:
    """Each bot in one seat against copies of an opponent, or in every seat (Hanabi): figures with standard errors.

    A bot is NAME[:item,item…], an item being a preset or key=value (mix2, mix2:points, mix2:wild_colour_slack=2), or
    path/to/file.py:name for your own. Reference figures are shown beside ours where there are any.
    """
    from kibitz import registry
    from kibitz.arena.evaluation import Interrupted, evaluate
    from kibitz.errors import BadValue
    from kibitz.report.published import FIGURES, PLAYER_NUMBERS
    from kibitz.report.tables import markdown, print_result, write_between_marks

    check_json_path(json)
    if published and (to or game != "uno" or rules not in (None, "classic")):
        raise BadValue("--published is about single games of UNO under the classic rules; leave out --to, --game and --rules.")
    if write and not published:
        raise BadValue("--write goes with --published.")
    numbers = PLAYER_NUMBERS if published else (players,)
    chosen = bots or (list(FIGURES[numbers[0]]) if published else registry.all_names(game))
    results: list[Result] = []
    code = 0
    with announcing(), Bar(len(chosen) * len(numbers) * games) as bar:
        for number in numbers:
            try:
                results.append(
                    evaluate(
                        chosen,
                        players=number,
                        against=against,
                        games=games,
                        seed=seed,
                        rules=rules,
                        game=game,
                        seating=seating,
                        to=to,
                        threads=threads,
                        jit=not no_jit,
                        progress=bar.advance,
                    )
                )
            except Interrupted as stop:
                results.append(stop.result)
                code = 130
                break
    write_json(json, results[0].to_dict() if not published else {"command": "evaluate", "tables": [result.to_dict() for result in results]})
    if json != "-":
        for result in results:
            print_result(result, console())
    if write and code == 0:
        write_between_marks(write, markdown(results))
    return code
