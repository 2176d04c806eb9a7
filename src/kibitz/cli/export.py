"""`kibitz export`: games between bots as records, as tables, or as a data set of decisions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from kibitz.cli.options import StoreFile, announcing, check_json_path, tell_written
from kibitz.cli.settings_command import command_from
from kibitz.core.errors import BadValue
from kibitz.core.printable import json_text
from kibitz.core.reading import whole_number
from kibitz.core.sentences import counted
from kibitz.experiments.settings import Compiled, LineupPlayers, RulesName, Seating, Seed, Setting, Target, check_settings

if TYPE_CHECKING:
    from kibitz.play.game import PlayedGame
    from kibitz.play.lineup import Lineup

FOREIGN = "live"  # another program's form
RECORDS = (FOREIGN, "json", "text")
TABLES = ("csv", "jsonl", "parquet")


@dataclass(frozen=True)
class ExportSettings:
    """Games between bots as files: records that `kibitz replay` reads, a table with a row a game, or with a row a decision.

    Game I of a batch with that seed is exactly the one it played.
    """

    bots: Annotated[
        list[str],
        Setting(
            "The line-up; of a team one name is that bot in every seat. Or the number of a run.",
            metavar="BOT [BOT...]|ID",
            is_argument=True,
        ),
    ]
    seed: Seed = 1
    index: Annotated[int, Setting("Which game of a batch with that seed, or the first of them.", "-i")] = 0
    games: Annotated[int, Setting("How many games, from there on.", "-n", least=1, unit="game")] = 1
    rules: RulesName = None
    game: Annotated[
        str | None, Setting("The game; by default that of the bots, one with records of another program if they play several.", "-g")
    ] = None
    players: LineupPlayers = 2
    seating: Seating = "random"
    to: Target = None
    form: Annotated[
        str | None,
        Setting(
            "Records: live (hanab.live's JSON, the default where a game has it), json (the default elsewhere), text (one line a game). "
            "Tables: csv, jsonl, parquet.",
            "--format -f",
        ),
    ] = None
    decisions: Annotated[bool, Setting("A row for each decision: what the bot saw and did (a table).", "--decisions")] = False
    out: Annotated[str, Setting("The file to write, or - for standard output.", "-o")] = "-"
    jit: Compiled = True


def run(asked: ExportSettings, store: str | None) -> None:
    """Play games and write them, or write those of a run."""
    from kibitz import registry
    from kibitz.play.lineup import make_lineup
    from kibitz.play.record_files import foreign_game, foreign_records
    from kibitz.report.files import check_table, whole_file

    bots, out, decisions = asked.bots, asked.out, asked.decisions
    if is_run(bots):
        if asked != ExportSettings(bots, form=asked.form, decisions=decisions, out=out):
            raise BadValue("a run is written whole and as it was played; beside its number go --format, --decisions, --out and --store.")
        export_run(whole_number(bots[0], "the number of a run"), asked.form or "csv", decisions, out, store)
        return
    if is_run(bots[:1]):
        what = f"kibitz replay {bots[0]} {bots[1]} shows one game of it" if is_run(bots[1:]) else "name it alone"
        raise BadValue(f"{bots[0]} is the number of a run, which is written whole: kibitz export {bots[0]}; {what}.")
    game = registry.game_of(bots, asked.game, foreign_game())  # as for `random`, which several games have
    foreign = foreign_records(game)
    chosen = asked.form or ("jsonl" if decisions else foreign.form if foreign else "json")
    check_form(chosen, game, decisions)
    check_settings(asked)
    if asked.index < 0:
        raise BadValue(f"index={asked.index} is out of range: games are counted from 0.")
    check_table(out, chosen) if chosen in TABLES else check_json_path(out)
    lineup = make_lineup(bots, asked.rules, asked.seating, game, asked.to, asked.players)
    indices = range(asked.index, asked.index + asked.games)
    if chosen in TABLES:
        with announcing():
            count = write_rows(lineup, asked, indices, chosen)
        tell_written(out, counted(count, "decision" if decisions else "deal" if asked.to else "game"))
        return
    texts = (text_of(lineup, played, chosen, asked.games == 1 and asked.to is None) for played in play_games(lineup, asked.seed, indices))
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


command = command_from(ExportSettings, run, {"store": (StoreFile, None)})


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
    from kibitz.play.record_files import foreign_game, foreign_records

    if form not in RECORDS + TABLES:
        raise BadValue(f"--format {form} is not accepted; it is {', '.join(RECORDS + TABLES)}.")
    if decisions and form not in TABLES:
        raise BadValue(f"--format {form}: decisions are written as {', '.join(TABLES)}.")
    if form == FOREIGN and foreign_records(game) is None:
        raise BadValue(f"--game {game}: hanab.live's form is for {foreign_game()}.")


def play_games(lineup: Lineup, seed: int, indices: range) -> Iterator[PlayedGame]:
    """The games, and every deal of contests, one after the other."""
    from kibitz.play.game import PlayedContest, deals_of

    for index in indices:
        yield from deals_of(PlayedContest(lineup.to or ""), lineup, seed, index)


def write_rows(lineup: Lineup, asked: ExportSettings, indices: range, form: str) -> int:
    """A table: of decisions, or of games; how many rows it has."""
    from kibitz.play.decisions import columns_of, decisions_of
    from kibitz.report.files import GAME_COLUMNS, game_row, write_table

    if asked.decisions:
        rows = decisions_of(lineup, asked.seed, indices, asked.jit)
        return write_table(rows, asked.out, form, columns_of(lineup.game.name))
    return write_table((game_row(played) for played in play_games(lineup, asked.seed, indices)), asked.out, form, GAME_COLUMNS)


def text_of(lineup: Lineup, played: PlayedGame, form: str, alone: bool) -> str:
    """A game as a record: a line, or a JSON object that is easy to read if it stands alone."""
    from kibitz.play.record import record_of

    if form == FOREIGN:
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
    """A game in another program's form."""
    from kibitz.play.record_files import foreign_records

    records = foreign_records(lineup.game.name)
    assert records is not None  # as checked before
    return records.write(distinct(played.seats), lineup.rules, played.opening.state, played.actions)


def distinct(names: Sequence[str]) -> list[str]:
    """Names of players that differ: the second `random` is `random 2`."""
    found: list[str] = []
    for name in names:
        seen = sum(other == name for other in names[: len(found)])
        found.append(f"{name} {seen + 1}" if seen else name)
    return found
