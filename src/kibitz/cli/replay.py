"""`kibitz replay`: recorded games, checked action by action."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import JsonFile, StoreFile, check_json_path, console, write_json
from kibitz.core.errors import BadValue
from kibitz.core.printable import printable
from kibitz.core.reading import whole_number

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.play.record_files import Replayed, Written
    from kibitz.stats.summary import CooperativeRow


def command(
    target: Annotated[
        str, typer.Argument(metavar="FILE|ID", help="Records as text or JSON, hanab.live's JSON, or replays; or the number of a run.")
    ],
    index: Annotated[int | None, typer.Argument(metavar="[INDEX]", help="Of a run in the store: which of its games.")] = None,
    show: Annotated[int | None, typer.Option("--show", help="Tell this game of the file move by move; the first is 1.")] = None,
    json: JsonFile = None,
    store: StoreFile = None,
) -> int:
    """Play recorded games through: how they end, and whether that is what was written down.

    The first action that is not legal is named, with game, turn and seat. The exit code is 1 if an end does not agree.
    """
    from kibitz import registry
    from kibitz.play.record_files import read_games, replay_written

    check_json_path(json)
    if is_run(target):
        if show is not None or json is not None:
            raise BadValue("--show and --json go with a file; a game of a run is told move by move.")
        return replay_run(whole_number(target, "the number of a run"), index, store)
    if index is not None:
        raise BadValue(f"index {index} goes with the number of a run; --show {index} tells a game of the file {target}.")
    if show is not None:
        if json is not None:
            raise BadValue("--show tells one game and --json has the figures of all; give one of them.")
        return show_game(find_game(target, show), show)
    games = [replay_written(written) for written in read_games(target)]
    report = report_team if registry.game(games[0].game).cooperative else report_players
    figures = report(target, games, json == "-")
    disagreeing = sum(game.agrees is False for game in games)
    summary = {**figures, "disagreeing": disagreeing}
    write_json(json, {"command": "replay", "file": target, "summary": summary, "games": [as_dict(game) for game in games]})
    return 1 if disagreeing else 0


# -- runs in the store --


def is_run(target: str) -> bool:
    """Whether a word is the number of a run, not a file."""
    return target.isascii() and target.isdigit()


def replay_run(run: int, index: int | None, store: str | None) -> int:
    """Tell a game of a run that the store keeps."""
    from kibitz.cli import stored
    from kibitz.runs.database import store_path

    if index is None:
        raise BadValue(f"run {run}: name one of its games as well, counted from 0: kibitz replay {run} 0.")
    return stored.replay_run(store_path(store), run, index)


# -- one game --


def find_game(path: str, number: int) -> Written:
    """A game of a file, the first being 1."""
    from kibitz.play.record_files import read_games

    place = 0
    for place, written in enumerate(read_games(path), 1):
        if place == number:
            return written
    raise BadValue(f"--show {number}: {path} has games 1 to {place}.")


def show_game(written: Written, number: int) -> int:
    """Tell a recorded game move by move."""
    from kibitz import registry
    from kibitz.play.record import Record
    from kibitz.play.record_files import replay_steps, replay_written
    from kibitz.report.transcript import transcript

    checked, played = replay_written(written), replay_steps(written)
    terminal = console()
    lines = transcript(played)
    if not isinstance(written, Record):
        next(lines)  # the heading names a seed, and there is none
        terminal.print(f"{registry.game(played.game).title} {played.rules} · game {number}", style="bold")
    for line in lines:
        terminal.print(line, soft_wrap=True)
    if checked.agrees is False:
        terminal.print(f"The record says otherwise: {checked.recorded}.", style="bold red", markup=False)
    return 1 if checked.agrees is False else 0


# -- all games of a file --


def as_dict(game: Replayed) -> dict[str, Any]:
    """A game as it stands in JSON."""
    about: dict[str, Any] = {"players": list(game.seats), "rules": game.rules, "status": status_of(game)}
    if "score" in game.outcome:
        status, _, points = game.recorded.rpartition(":")
        recorded = None if not points else 0 if status == "lost" else int(points)
        about |= {"score": game.outcome["score"], "score_kept": game.outcome["points"], "turns": game.actions, "recorded_score": recorded}
    else:
        about |= {"winner": game.outcome["winner"], "points": game.outcome["points"], "turns": game.outcome["turns"]}
        about |= {"recorded": game.recorded or None}
    return {**about, "agrees": game.agrees}


def status_of(game: Replayed) -> str:
    """How a game ended, in words."""
    status = str(game.outcome["status"])
    return "broken off" if status == "playing" else status


def _table(*headings: str) -> Any:
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in headings:
        left = heading in ("players", "player", "ended")
        table.add_column(heading, justify="left" if left else "right", no_wrap=heading != "players")
    return table


_AGREES = {None: "", True: "yes", False: "NO"}


def agreement(games: list[Replayed]) -> str:
    """How many games end as it was written down."""
    recorded = [game for game in games if game.agrees is not None]
    return f"{sum(bool(game.agrees) for game in recorded):,} of {len(recorded):,}" if recorded else "none recorded"


# -- players against each other --


def report_players(path: str, games: list[Replayed], silent: bool) -> dict[str, Any]:
    """Print the games of a file and what each player got; the figures."""
    from rich.text import Text

    from kibitz import registry

    definition = registry.game(games[0].game)
    unfinished = sum(game.outcome["winner"] is None for game in games)
    players: dict[str, dict[str, Any]] = {}
    for game in games:
        for seat, name in enumerate(game.seats):
            row = players.setdefault(name, {"player": name, "seats": 0, "wins": 0, "points": 0})
            row["seats"] += 1
            row["wins"] += game.outcome["winner"] == seat
            row["points"] += definition.gain(seat, game.outcome["winner"], game.outcome["points"], len(game.seats))
    if not silent:
        table = _table("game", "players", "winner", "points", "turns", "ended", "recorded", "agrees")
        for place, game in enumerate(games, 1):
            winner, end = game.outcome["winner"], game.outcome
            won = "" if winner is None else str(winner)
            who = Text(printable(", ".join(game.seats)))
            table.add_row(str(place), who, won, str(end["points"]), str(end["turns"]), status_of(game), game.recorded, _AGREES[game.agrees])
        console().print(table)
        table = _table("player", "games", "won", "points")
        for row in players.values():
            table.add_row(Text(printable(row["player"])), f"{row['seats']:,}", f"{row['wins']:,}", f"{row['points']:,}")
        console().print(table)
        console().print(f"games: {len(games):,}; without a winner: {unfinished:,}; ends agree: {agreement(games)}")
    return {"games": len(games), "unfinished": unfinished, "players": list(players.values())}


# -- teams --


def report_team(path: str, games: list[Replayed], silent: bool) -> dict[str, Any]:
    """Print the games of a file and all of them together; the figures."""
    row = summary(path, games)
    if not silent:
        print_games(games, console())
        print_summary(row, games, console())
    return {key: value for key, value in row.to_dict().items() if key != "bot"}


def summary(name: str, games: list[Replayed]) -> CooperativeRow:
    """The figures of all games together."""
    from kibitz import registry
    from kibitz.stats.summary import CooperativeRow

    definition = registry.game(games[0].game)
    points = range(len(definition.make_row([0] * definition.tally_size, 0, name).kept))  # as many as a team can have
    ends = [(game.outcome["status"], game.outcome["points"]) for game in games]
    return CooperativeRow(
        bot=name,
        games=len(games),
        kept=tuple(sum(kept == found for _, found in ends) for kept in points),
        lost_with=tuple(ends.count(("lost", kept)) for kept in points),
        perfect_games=sum(status == "perfect" for status, _ in ends),
        turns_total=sum(game.actions for game in games),
    )


def print_games(games: list[Replayed], terminal: Console) -> None:
    """One line a game."""
    from rich.text import Text

    table = _table("game", "players", "score", "points kept", "turns", "ended", "recorded", "agrees")
    for place, game in enumerate(games, 1):
        names, end = game.seats, game.outcome
        unnamed = all(name == f"seat {seat}" for seat, name in enumerate(names))
        who = Text(str(len(names)) if unnamed else printable(f"{len(names)}: {', '.join(names)}"))
        figures = (str(end["score"]), str(end["points"]), str(game.actions))
        table.add_row(str(place), who, *figures, status_of(game), game.recorded, _AGREES[game.agrees])
    terminal.print(table)


def print_summary(row: CooperativeRow, games: list[Replayed], terminal: Console) -> None:
    """All games together."""
    from kibitz.report.formatting import figure

    table = _table("games", "score", "points kept", "perfect %", "lost %", "turns", "scores agree")
    table.add_row(
        f"{row.games:,}",
        figure(row.score, row.score_se),
        figure(row.score_kept, row.score_kept_se),
        f"{100 * row.perfect:.1f}",
        f"{100 * row.lost:.1f}",
        f"{row.turns:.1f}",
        agreement(games),
    )
    terminal.print(table)
