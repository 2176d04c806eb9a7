"""`kibitz replay`: recorded games of Hanabi, checked move by move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import JsonFile, check_json_path, console, write_json

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.games.hanabi.replays import Replay
    from kibitz.stats.summary import CooperativeRow


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="hanab.live's JSON, or replays, one JSON object a line.")],
    json: JsonFile = None,
) -> int:
    """Play recorded games of Hanabi through: scores, and whether they are those written down.

    The first move that is not legal is named, with game and turn. The exit code is 1 if a score does not agree.
    """
    from kibitz.games.hanabi.replays import read_games, replay

    check_json_path(json)
    games = [replay(record) for record in read_games(file)]
    row = summary(file, games)
    disagreeing = sum(game.agrees is False for game in games)
    figures = {key: value for key, value in row.to_dict().items() if key != "bot"}
    write_json(
        json,
        {
            "command": "replay",
            "file": file,
            "summary": {**figures, "disagreeing": disagreeing},
            "games": [game.to_dict() for game in games],
        },
    )
    if json != "-":
        print_games(games, console())
        print_summary(row, games, console())
    return 1 if disagreeing else 0


def summary(name: str, games: list[Replay]) -> CooperativeRow:
    """The figures of all games together."""
    from kibitz.games.hanabi.cards import CARD_TYPES
    from kibitz.stats.summary import CooperativeRow

    points = range(CARD_TYPES + 1)  # a point for each type played
    return CooperativeRow(
        bot=name,
        games=len(games),
        kept=tuple(sum(game.kept == kept for game in games) for kept in points),
        lost_with=tuple(sum(game.status == "lost" and game.kept == kept for game in games) for kept in points),
        perfect_games=sum(game.status == "perfect" for game in games),
        turns_total=sum(len(game.moves) for game in games),
    )


def _table(*headings: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        table.add_column(heading, justify="left" if heading in ("players", "ended") else "right", no_wrap=heading != "players")
    return table


def print_games(games: list[Replay], terminal: Console) -> None:
    """One line a game."""
    table = _table("game", "players", "score", "points kept", "turns", "ended", "recorded", "agrees")
    for place, game in enumerate(games, 1):
        names = game.record.players
        unnamed = all(name == f"seat {seat}" for seat, name in enumerate(names))
        recorded = "" if game.record.score is None else str(game.record.score)
        agrees = {None: "", True: "yes", False: "NO"}[game.agrees]
        who = str(len(names)) if unnamed else f"{len(names)}: {', '.join(names)}"
        table.add_row(str(place), who, str(game.score), str(game.kept), str(len(game.moves)), game.status, recorded, agrees)
    terminal.print(table)


def print_summary(row: CooperativeRow, games: list[Replay], terminal: Console) -> None:
    """All games together."""
    from kibitz.report.tables import figure

    table = _table("games", "score", "points kept", "perfect %", "lost %", "turns", "scores agree")
    recorded = [game for game in games if game.agrees is not None]
    table.add_row(
        f"{row.games:,}",
        figure(row.score, row.score_se),
        figure(row.score_kept, row.score_kept_se),
        f"{100 * row.perfect:.1f}",
        f"{100 * row.lost:.1f}",
        f"{row.turns:.1f}",
        f"{sum(bool(game.agrees) for game in recorded):,} of {len(recorded):,}" if recorded else "none recorded",
    )
    terminal.print(table)
