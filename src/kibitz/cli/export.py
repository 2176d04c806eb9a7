"""`kibitz export`: games between bots as records, as tables, or as a data set of decisions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import NoJit, RulesName, Seating, Seed, StoreFile, Target, announcing, check_json_path, tell_written
from kibitz.core.errors import BadValue
from kibitz.core.printable import json_text
from kibitz.core.reading import whole_number

if TYPE_CHECKING:
    from kibitz.play.game import PlayedGame
    from kibitz.play.lineup import Lineup

RECORDS = ("live", "json", "text")
DEFAULT_GAME = "hanabi"  # where bots leave it open, as for `random`: records were Hanabi's first
TABLES = ("csv", "jsonl", "parquet")


def command(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT [BOT...]|ID", help="The line-up; in Hanabi one name is that bot in every seat. Or the number of a run."
        ),
    ],
    seed: Seed = 1,
    index: Annotated[int, typer.Option("--index", "-i", help="Which game of a batch with that seed, or the first of them.")] = 0,
    games: Annotated[int, typer.Option("--games", "-n", help="How many games, from there on.")] = 1,
    rules: RulesName = None,
    game: Annotated[
        str | None, typer.Option("--game", "-g", help="uno or hanabi; by default the game of the bots, hanabi if they play both.")
    ] = None,
    players: Annotated[int, typer.Option("--players", "-p", help="Seats, if one bot is named for all of them (Hanabi).")] = 2,
    seating: Seating = "random",
    to: Target = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            "-f",
            help="Records: live (hanab.live's JSON, what Hanabi has by default), json (what UNO has), text (one line a game). Tables: csv, jsonl, parquet.",
        ),
    ] = None,
    decisions: Annotated[bool, typer.Option("--decisions", help="A row for each decision: what the bot saw and did (a table).")] = False,
    out: Annotated[str, typer.Option("--out", "-o", help="The file to write, or - for standard output.")] = "-",
    no_jit: NoJit = False,
    store: StoreFile = None,
) -> None:
    """Games between bots as files: records that `kibitz replay` reads, a table with a row a game, or with a row a decision.

    Game I of a batch with that seed is exactly the one it played.
    """
    from kibitz import registry
    from kibitz.play.lineup import make_lineup
    from kibitz.report.files import check_table, whole_file
    from kibitz.report.transcript import counted

    if is_run(bots):
        usual = (1, 0, 1, None, DEFAULT_GAME, 2, "random", None, False)
        if (seed, index, games, rules, game or DEFAULT_GAME, players, seating, to, no_jit) != usual:
            raise BadValue("a run is written whole and as it was played; beside its number go --format, --decisions, --out and --store.")
        export_run(whole_number(bots[0], "the number of a run"), form or "csv", decisions, out, store)
        return
    if is_run(bots[:1]):
        what = f"kibitz replay {bots[0]} {bots[1]} shows one game of it" if is_run(bots[1:]) else "name it alone"
        raise BadValue(f"{bots[0]} is the number of a run, which is written whole: kibitz export {bots[0]}; {what}.")
    game = registry.game_of(bots, game, DEFAULT_GAME)
    chosen = form or ("jsonl" if decisions else "live" if game == "hanabi" else "json")
    check_form(chosen, game, decisions)
    if games < 1:
        raise BadValue(f"games={games} is out of range: at least 1 game is needed.")
    if index < 0:
        raise BadValue(f"index={index} is out of range: games are counted from 0.")
    check_table(out, chosen) if chosen in TABLES else check_json_path(out)
    lineup = make_lineup(bots, rules, seating, game, to, players)
    indices = range(index, index + games)
    if chosen in TABLES:
        with announcing():
            count = write_rows(lineup, seed, indices, chosen, decisions, out, not no_jit)
        tell_written(out, counted(count, "decision" if decisions else "deal" if to else "game"))
        return
    texts = (text_of(lineup, played, chosen, games == 1 and to is None) for played in play_games(lineup, seed, indices))
    if out == "-":
        with announcing():
            sys.stdout.writelines(texts)
        return
    count = 0
    with announcing(), whole_file(Path(out)) as file:
        for text in texts:
            file.write(text.encode("utf-8"))
            count += 1
    tell_written(out, f"{counted(count, 'record')} as {chosen}")


def is_run(bots: Sequence[str]) -> bool:
    """Whether one word, the number of a run, stands where bots would."""
    return len(bots) == 1 and bots[0].isascii() and bots[0].isdigit()


def export_run(run: int, form: str, decisions: bool, out: str, store: str | None) -> None:
    """Write the games of a run that the store keeps."""
    from kibitz.cli import stored
    from kibitz.runs.database import store_path

    if form not in TABLES:
        raise BadValue(f"--format {form}: a run is written as {', '.join(TABLES)}.")
    stored.export_run(store_path(store), run, form, decisions, out)


def check_form(form: str, game: str, decisions: bool) -> None:
    """Refuse a form that does not go with the game or with decisions."""
    if form not in RECORDS + TABLES:
        raise BadValue(f"--format {form} is not accepted; it is {', '.join(RECORDS + TABLES)}.")
    if decisions and form not in TABLES:
        raise BadValue(f"--format {form}: decisions are written as {', '.join(TABLES)}.")
    if form == "live" and game != "hanabi":
        raise BadValue(f"--game {game}: hanab.live's form is for hanabi.")


def play_games(lineup: Lineup, seed: int, indices: range) -> Iterator[PlayedGame]:
    """The games, and every deal of contests, one after the other."""
    from kibitz.play.game import PlayedContest, deals_of

    for index in indices:
        yield from deals_of(PlayedContest(lineup.to or ""), lineup, seed, index)


def write_rows(lineup: Lineup, seed: int, indices: range, form: str, decisions: bool, out: str, jit: bool) -> int:
    """A table: of decisions, or of games; how many rows it has."""
    from kibitz.play.decisions import columns_of, decisions_of
    from kibitz.report.files import GAME_COLUMNS, game_row, write_table

    if decisions:
        return write_table(decisions_of(lineup, seed, indices, jit), out, form, columns_of(lineup.game.name))
    return write_table((game_row(played) for played in play_games(lineup, seed, indices)), out, form, GAME_COLUMNS)


def text_of(lineup: Lineup, played: PlayedGame, form: str, alone: bool) -> str:
    """A game as a record: a line, or a JSON object that is easy to read if it stands alone."""
    from kibitz.play.record import record_of

    if form == "live":
        return json.dumps(live_form(lineup, played)) + "\n"
    record = record_of(played)
    if form == "text":
        return record.to_text() + "\n"
    value = record.to_json()
    if not alone:
        return json_text(value) + "\n"
    lines = [f"  {json.dumps(key)}: {json_text(part)}" for key, part in value.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


def live_form(lineup: Lineup, played: PlayedGame) -> dict[str, Any]:
    """A game of Hanabi as hanab.live's JSON."""
    from kibitz.games.hanabi.replays import to_live

    start = played.opening.state
    return to_live(distinct(played.seats), lineup.rules, start.deck_order[: start.deck_total], played.actions)


def distinct(names: Sequence[str]) -> list[str]:
    """Names of players that differ: the second `random` is `random 2`."""
    found: list[str] = []
    for name in names:
        seen = sum(other == name for other in names[: len(found)])
        found.append(f"{name} {seen + 1}" if seen else name)
    return found
