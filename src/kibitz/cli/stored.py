"""Games of a run in the store, for `kibitz export ID` and `kibitz replay ID INDEX`.

Built-in bots and bots in files play the same games again from the seed, so the store need not keep them; games of others
are kept as records.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import chdir, contextmanager, nullcontext
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.cli.evaluate import plans_of
from kibitz.cli.options import announcing, console
from kibitz.cli.resume import check_resumable
from kibitz.errors import BadValue

if TYPE_CHECKING:
    from kibitz.arena.batch import Batch
    from kibitz.arena.decisions import Column, Row
    from kibitz.arena.lineup import Lineup
    from kibitz.arena.plan import Plan
    from kibitz.store.database import Store
    from kibitz.store.runs import Run

PLAYED_AGAIN = ("evaluate", "match")  # runs whose games come from their seed


def export_run(store_path: Path, run_id: int, file_format: str, decisions: bool, out: str) -> int:
    """Write every game of a run as a table, a row a game or with `decisions` a row a decision; how many rows there are."""
    from kibitz.arena.decisions import columns_of
    from kibitz.report.files import check_table, write_table
    from kibitz.store.database import open_store
    from kibitz.store.runs import COMPLETE, read_run

    check_table(out, file_format)
    target = out if out == "-" else str(Path(out).absolute())
    with open_store(store_path, create=False) as store:
        run = read_run(store, run_id)
        if run.status != COMPLETE:
            raise BadValue(f"run {run_id} is not complete; `kibitz resume {run_id}` plays the rest of it, then it can be exported.")
        with announcing(), _plans(run) as plans:
            contests, game = plans[0].lineups[0].to is not None, plans[0].lineups[0].game.name
            if decisions:
                return write_table(_decisions(plans), target, file_format, (_part_column(), *columns_of(game)))
            return write_table(_games(plans), target, file_format, game_columns(contests))


def replay_run(store_path: Path, run_id: int, index: int) -> int:
    """Tell one game of a run, turn by turn. Games are counted through the parts of the run, as an export does."""
    from kibitz.arena.game import PlayedContest, deals_of
    from kibitz.arena.record import Record, replay
    from kibitz.cli.watch import print_transcript
    from kibitz.report.transcript import contest_ending
    from kibitz.store.database import open_store
    from kibitz.store.runs import read_run

    terminal = console()
    with open_store(store_path, create=False) as store:
        run = read_run(store, run_id)
        kept = _kept(store, run, index)
        if kept:
            for text in kept:
                print_transcript(replay(Record.from_text(text, f"run {run_id}, game {index}")), terminal)
            return 0
        with _plans(run) as plans:
            lineup, game = _game_at(run, plans, index)
            contest = PlayedContest(lineup.to or "")
            for played in deals_of(contest, lineup, plans[0].seed, game):
                print_transcript(played, terminal)
                if lineup.to:
                    terminal.print(contest_ending(contest), soft_wrap=True)
                    terminal.print()
    return 0


def _kept(store: Store, run: Run, index: int) -> list[str]:
    """The records of a game that the store has."""
    from kibitz.store.runs import kept_game

    size = run.config.get("games")
    if not isinstance(size, int) or size < 1 or index < 0:
        return []
    return kept_game(store, run.id, index // size, index % size)


@contextmanager
def _plans(run: Run) -> Iterator[list[Plan]]:
    """What a run played, with its bots as they were, for as long as a block lasts."""
    if run.kind not in PLAYED_AGAIN:
        raise BadValue(
            f"run {run.id} is of kind '{run.kind}', whose games are not played again; that is done for {', '.join(PLAYED_AGAIN)}."
        )
    check_resumable(run)
    with chdir(run.config["folder"]) if run.config.get("files") else nullcontext():
        yield plans_of(run.config)


def _game_at(run: Run, plans: list[Plan], index: int) -> tuple[Lineup, int]:
    lineups = [lineup for plan in plans for lineup in plan.lineups]
    games = plans[0].games
    if not 0 <= index < len(lineups) * games:
        raise BadValue(f"run {run.id} has no game {index}: its games are counted from 0 to {len(lineups) * games - 1}.")
    return lineups[index // games], index % games


# -- rows --


def _part_column() -> Column:
    from kibitz.arena.decisions import Column

    return Column("part", "int", "which row of an evaluation, from 0")


def game_columns(contests: bool) -> tuple[Column, ...]:
    """The columns of a run's games, or contests, in order."""
    from kibitz.arena.decisions import Column

    columns = (
        Column("index", "int", "the game, counted in the run from 0"),
        _part_column(),
        Column("game", "int", "the game, counted in its part from 0"),
        Column("bots", "texts", "the line-up"),
        Column("seats", "ints", "the entry of the line-up in each seat"),
        Column("winner", "int", "the entry of the line-up that won; nothing if nobody did"),
        Column("points", "int", "what the winner of the last deal got; for a team the points on the table"),
        Column("turns", "int", "turns played"),
        Column("status", "text", "how it ended"),
    )
    more = (Column("deals", "int", "deals of the contest"), Column("scores", "ints", "scores by entry of the line-up"))
    return columns + more if contests else columns


def _games(plans: list[Plan]) -> Iterator[Row]:
    from kibitz.arena.batch import open_workers

    part = index = 0
    with open_workers() as workers:
        for plan in plans:
            for batch in plan.batches(noted=True):
                batch.prepare()
                for row in _rows(batch, workers):
                    yield {"index": index, "part": part, **row}
                    index += 1
                part += 1


def _rows(batch: Batch, workers: Any) -> Iterator[Row]:
    """The games of a batch in order; units that are done too early wait."""
    lineup, following = batch.lineup, 0
    waiting: dict[int, Any] = {}
    bots = [entrant.name for entrant in lineup.entrants]
    status_of = cache(lambda code: _status(lineup, code))
    seats_of = _seating(batch)
    for unit, outcomes in workers.results(batch):
        waiting[unit.first] = outcomes
        while following in waiting:
            found = waiting.pop(following)
            for place, outcome in enumerate(found.tolist()):
                winner, status, turns, points, *contest = outcome
                row = {
                    "game": following + place,
                    "bots": bots,
                    "seats": seats_of(following + place),
                    "winner": None if winner < 0 else winner,
                    "points": points,
                    "turns": turns,
                    "status": status_of(status),
                }
                yield {**row, "deals": contest[0], "scores": [int(score) for score in contest[1]]} if contest else row
            following += len(found)


def _status(lineup: Lineup, code: int) -> str:
    """The name of an end."""
    from kibitz.arena.outcomes import FORFEITED

    if code == FORFEITED:
        return "forfeited"
    state = lineup.new_state()
    state.status = code
    return str(lineup.game.outcome(state)["status"])


def _seating(batch: Batch) -> Any:
    """Who sits where in each game, by its index."""
    from kibitz.arena.deal import draw_seats
    from kibitz.arena.lineup import plain_table

    table = plain_table(batch.lineup)

    def seats_of(index: int) -> list[int]:
        table.index = index
        draw_seats(table, batch.seed)
        return list(table.seating[: batch.lineup.players])

    return seats_of


def _decisions(plans: list[Plan]) -> Iterator[Row]:
    from kibitz.arena.decisions import decisions_of

    part = 0
    for plan in plans:
        for lineup in plan.lineups:
            for row in decisions_of(lineup, plan.seed, range(plan.games), plan.jit):
                yield {"part": part, **row}
            part += 1
