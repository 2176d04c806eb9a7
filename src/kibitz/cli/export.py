"""`kibitz export`: a game of Hanabi between bots, as hanab.live's JSON."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.options import GameName, RulesName, Seating, Seed, check_json_path
from kibitz.errors import BadValue


def command(
    bots: Annotated[
        list[str], typer.Argument(metavar="BOT [BOT...]", help="The line-up, 2 to 5 bots; one name is that bot in every seat.")
    ],
    seed: Seed = 1,
    index: Annotated[int, typer.Option("--index", "-i", help="Which game of a batch with that seed.")] = 0,
    rules: RulesName = None,
    game: GameName = "hanabi",
    players: Annotated[int, typer.Option("--players", "-p", help="Seats, if one bot is named for all of them.")] = 2,
    seating: Seating = "random",
    out: Annotated[str, typer.Option("--out", "-o", help="The file to write, or - for standard output.")] = "-",
) -> None:
    """One game in the form that hanab.live and `kibitz replay` read; game I of a batch with that seed is exactly the one it played."""
    from kibitz.arena.game import PlayedContest, deals_of
    from kibitz.arena.lineup import make_lineup
    from kibitz.games.hanabi.replays import to_live

    if game != "hanabi":
        raise BadValue(f"--game {game}: hanab.live's form is for hanabi.")
    check_json_path(out)
    lineup = make_lineup(bots, rules, seating, game, None, players)
    played = next(deals_of(PlayedContest(""), lineup, seed, index))
    start = played.opening.state
    record = to_live(distinct(played.seats), lineup.rules, start.deck_order[: start.deck_total], played.actions)
    text = json.dumps(record) + "\n"
    if out == "-":
        sys.stdout.write(text)
    else:
        Path(out).write_text(text, encoding="utf-8")


def distinct(names: Sequence[str]) -> list[str]:
    """Names of players that differ: the second `random` is `random 2`."""
    found: list[str] = []
    for name in names:
        seen = sum(other == name for other in names[: len(found)])
        found.append(f"{name} {seen + 1}" if seen else name)
    return found
