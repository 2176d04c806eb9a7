"""`kibitz tournament`: who is best of all who take part, bots from anywhere?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import (
    Bar,
    DecisionSeconds,
    JsonFile,
    NoStore,
    RulesName,
    StoreFile,
    Threads,
    announcing,
    check_json_path,
    console,
    run_lines,
    storing,
    tell,
    write_json,
)
from kibitz.core.errors import BadValue

if TYPE_CHECKING:
    from kibitz.experiments.tournament.config import Tournament
    from kibitz.experiments.tournament.play import Report
    from kibitz.experiments.tournament.results import TournamentResult
    from kibitz.runs.store import RunLedger


def command(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A TOML file, or a .txt file with a Name,prefix or Name,command per line (see docs/tournaments.md)."
        ),
    ],
    games: Annotated[int | None, typer.Option("--games", "-n", help="Games of each match, instead of what the file says.")] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", "-s", help="Seed, instead of what the file says; by default one from the operating system.")
    ] = None,
    format: Annotated[
        str | None, typer.Option("--format", "-f", help="round-robin, swiss, gauntlet, free-for-all; Hanabi: teams, mixed.")
    ] = None,
    table: Annotated[int | None, typer.Option("--table", help="Players at a table.")] = None,
    rounds: Annotated[int | None, typer.Option("--rounds", help="Rounds of a Swiss, or of tables that are drawn.")] = None,
    rules: RulesName = None,
    paired: Annotated[
        bool | None,
        typer.Option(
            "--paired/--no-paired",
            help="Play each deal from every seat, or a fresh deal for each game. Default: --no-paired if a bot is a process of its own, "
            "since it could remember a deal that it plays twice.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Nothing but each player's total.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every game, move by move, with the hands.")] = False,
    ladder: Annotated[bool, typer.Option("--ladder", help="A live ladder of skills (needs the extra 'ratings').")] = False,
    logs: Annotated[Path | None, typer.Option("--logs", help="A folder for what outside bots write to standard error.")] = None,
    threads: Threads = None,
    decision_seconds: DecisionSeconds = None,
    json: JsonFile = None,
    store: StoreFile = None,
    no_store: NoStore = False,
) -> int:
    """A tournament between bots of ours, Python files and programs in any language: standings with errors, ratings, faults.

    Everyone plays equally often from every seat: each deal from all of them, or with outside bots a fresh deal for each game.
    Outside bots are processes of their own; what one of them does wrong is charged to it, and the tournament goes on.
    """
    from kibitz.experiments.tournament.config import read_tournament

    check_json_path(json)
    if quiet and verbose:
        raise BadValue("--quiet and --verbose exclude each other; give one of them.")
    if verbose and json == "-":
        raise BadValue("--verbose and --json - both write to standard output; give --json a file.")
    changes = {"games": games, "seed": seed, "format": format, "table": table, "rounds": rounds, "rules": rules, "paired": paired}
    tournament = read_tournament(file, **changes)
    if ladder:
        _check_ladder(tournament)
    if logs is not None:
        _make_folder(logs)
    config = tournament.to_dict()
    with storing("tournament", config, _expected(tournament), store, no_store) as ledger:
        return run(tournament, ledger, threads, json, quiet=quiet, verbose=verbose, ladder=ladder, logs=logs)


def play(config: Mapping[str, Any], ledger: RunLedger, threads: int | None, json: str | None) -> int:
    """Go on with a tournament from the store, whose files have been checked."""
    from kibitz.experiments.tournament.config import Tournament

    return run(Tournament.from_dict(config), ledger, threads, json)


def run(
    tournament: Tournament,
    ledger: RunLedger | None,
    threads: int | None,
    json: str | None,
    *,
    quiet: bool = False,
    verbose: bool = False,
    ladder: bool = False,
    logs: Path | None = None,
) -> int:
    """Play, and show what came of it; the exit code."""
    from kibitz.experiments.tournament.play import TournamentInterrupted, play_tournament
    from kibitz.report.tournament_tables import print_tournament

    code = 0
    told = _teller(tournament) if verbose else None
    with announcing(), _progress(tournament, ladder, quiet or verbose) as (progress, look_on):
        try:
            result = play_tournament(
                tournament,
                ledger=ledger,
                threads=1 if verbose else threads,  # one game after the other
                progress=progress,
                told=told or look_on,
                logs=logs,
                ladder=ladder,
                warn=lambda line: tell(f"kibitz: {line}"),
            )
        except TournamentInterrupted as stop:
            result, code = stop.result, 130
    if ledger is not None:
        if code:
            ledger.interrupt()
        else:
            ledger.finish(result.to_dict())
    write_json(json, result.to_dict())
    if json == "-":
        return code
    if quiet or verbose:
        print_totals(result)
    else:
        lines = run_lines(ledger.store.path, ledger.id, result.games_played) if ledger is not None and not code else []
        print_tournament(result, console(), lines)
    return code


def print_totals(result: TournamentResult) -> None:
    """Each player's total, in the order of the standings."""
    from rich.cells import cell_len

    from kibitz.core.printable import printable

    terminal = console()
    names = {player.name: printable(player.name) for player in result.standings}
    width = max(cell_len(name) for name in names.values())
    for player in result.standings:
        name = names[player.name]
        terminal.print(f"{name}{' ' * (width - cell_len(name))}  {player.points_total:>12,}", markup=False, soft_wrap=True)


def _expected(tournament: Tournament) -> int:
    from kibitz.experiments.tournament.play import Play

    return Play(tournament, absent=True).games_expected()


def _check_ladder(tournament: Tournament) -> None:
    from kibitz import registry
    from kibitz.stats.ladder import Ladder

    if registry.game(tournament.game).cooperative:
        raise BadValue("--ladder needs winners; a game played together has none.")
    Ladder(1)  # says what is missing


def _make_folder(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadValue(f"folder {path} for logs cannot be made: {error.strerror}.") from error


@contextmanager
def _progress(tournament: Tournament, ladder: bool, silent: bool) -> Iterator[tuple[Callable[[str, int], None] | None, Any]]:
    """A bar of games, and with `ladder` the ladder under it as it moves."""
    if silent:
        yield None, None
        return
    with Bar(_expected(tournament)) as bar:
        yield bar.advance, (_climber(tournament, bar) if ladder else None)


def _climber(tournament: Tournament, bar: Bar) -> Callable[[Report], None]:
    """Moves the ladder with each unit of games that is finished, and shows its top."""
    from kibitz.experiments.tournament.play import Play
    from kibitz.play.outcomes import wins_by_entry
    from kibitz.stats.ladder import Ladder

    climbing = Ladder(len(tournament.players))
    plan = Play(tournament, absent=True)

    def look_on(report: Report) -> None:
        lineup = plan.lineup_of(report.match)
        wins = wins_by_entry(lineup, report.outcomes).sum(axis=0)
        climbing.update(report.match.members, [int(won) for won in wins])
        top = climbing.table()[:10]
        bar.show("   ".join(f"{place}. {tournament.players[rung.player].name} {rung.ordinal:.1f}" for place, rung in enumerate(top, 1)))

    return look_on


# -- every game, move by move --


def _teller(tournament: Tournament) -> Callable[[Report], None]:
    """Prints the games of a unit as they are finished."""
    from kibitz.cli.watch import print_transcript
    from kibitz.experiments.tournament.play import Play
    from kibitz.play.record import Record, replay

    plan = Play(tournament)
    terminal = console()

    def tell(report: Report) -> None:
        if report.games:
            for kept in report.games:
                print_transcript(replay(Record.from_text(kept.text)), terminal)
                terminal.print()
            return
        for game in range(report.unit.first, report.unit.first + report.unit.count):
            for played in replay_game(plan, report.match, game):
                print_transcript(played, terminal)
                terminal.print()

    return tell


def replay_game(plan: Any, match: Any, game: int) -> Iterator[Any]:
    """The deals of a game between our own bots, played again, under the names of the tournament."""
    from kibitz.play.game import PlayedContest, deals_of

    lineup = plan.lineup_of(match)
    names = [plan.tournament.players[player].name for player in match.members]
    shift = game % len(names) if lineup.seating in ("rotate", "balanced") else 0
    for played in deals_of(PlayedContest(lineup.to or ""), lineup, plan.seed_of(match), game):
        played.seats = [names[(seat + shift) % len(names)] for seat in range(len(names))]
        yield played
