"""Games of a run in the store, for `kibitz export ID` and `kibitz replay ID INDEX`.

A run has parts: a row of an evaluation, a line-up of a comparison, a match of a tournament. Bots of ours and bots in files play the
same games again from the seed, so the store need not keep every move; games with outside bots are kept as records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import chdir, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kibitz.cli.options import announcing, console
from kibitz.cli.resume import check_resumable
from kibitz.errors import BadValue

if TYPE_CHECKING:
    from kibitz.arena.decisions import Column, Row
    from kibitz.arena.lineup import Lineup
    from kibitz.arena.outcomes import Outcomes
    from kibitz.runner.ledger import KeptGame
    from kibitz.store.database import Store
    from kibitz.store.runs import Run


@dataclass(frozen=True)
class Part:
    """Games of one line-up: who plays, from which seed, and how they ended."""

    number: int
    lineup: Lineup
    seed: int
    games: int
    names: list[str]  # of the line-up's entries
    outcomes: Callable[[], Iterator[tuple[int, Outcomes]]]  # stretches of games in order, with the index of the first
    jit: bool = True
    kept: Sequence[KeptGame] = ()  # every deal, if they cannot be played again


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
        with announcing(), parts_of(store, run) as parts:
            lineup = parts[0].lineup
            if decisions:
                return write_table(_decisions(parts), target, file_format, (_part_column(), *columns_of(lineup.game.name)))
            return write_table(_games(parts), target, file_format, game_columns(lineup.to is not None))


def replay_run(store_path: Path, run_id: int, index: int) -> int:
    """Tell one game of a run, turn by turn. Games are counted through the parts of the run, as an export does."""
    from kibitz.arena.game import PlayedContest
    from kibitz.cli.watch import print_transcript
    from kibitz.report.transcript import contest_ending
    from kibitz.store.database import open_store
    from kibitz.store.runs import read_run

    terminal = console()
    with open_store(store_path, create=False) as store, parts_of(store, run := read_run(store, run_id)) as parts:
        part, game = _game_at(run, parts, index)
        contest = PlayedContest(part.lineup.to or "")
        for played in deals_of_part(part, game, contest):
            print_transcript(played, terminal)
            if contest.scores:
                terminal.print(contest_ending(contest), soft_wrap=True)
                terminal.print()
    return 0


def deals_of_part(part: Part, game: int, contest: Any = None) -> Iterator[Any]:
    """The deals of a game: from its records, or played again under the names of the part."""
    from kibitz.arena.game import PlayedContest, deals_of
    from kibitz.arena.record import Record, replay

    if part.kept:
        texts = [kept.text for kept in part.kept if kept.game == game]
        if not texts:
            raise BadValue(f"game {game} of part {part.number} was not kept.")
        for text in texts:
            yield replay(Record.from_text(text))
        return
    seats = _seating(part)(game)
    for played in deals_of(PlayedContest(part.lineup.to or "") if contest is None else contest, part.lineup, part.seed, game):
        played.seats = [part.names[entry] for entry in seats]
        yield played


def _game_at(run: Run, parts: Sequence[Part], index: int) -> tuple[Part, int]:
    """The part and place of a game, by its index in the whole run."""
    left = index
    for part in parts:
        if 0 <= left < part.games:
            return part, left
        left -= part.games
    total = sum(part.games for part in parts)
    raise BadValue(f"run {run.id} has no game {index}: its games are counted from 0 to {total - 1}.")


# -- the parts of each kind of run --


@contextmanager
def parts_of(store: Store, run: Run) -> Iterator[list[Part]]:
    """What a run played, with its bots as they were, for as long as a block lasts."""
    kinds = {"evaluate": _parts_of_plans, "match": _parts_of_plans, "compare": _parts_of_comparison, "tournament": _parts_of_tournament}
    if run.kind not in kinds:
        raise BadValue(f"run {run.id} is of kind '{run.kind}', which has no games to show; {', '.join(kinds)} have.")
    check_resumable(run)
    with chdir(run.config["folder"]) if run.config.get("files") else nullcontext():
        yield kinds[run.kind](store, run)


def _parts_of_plans(store: Store, run: Run) -> list[Part]:
    """An evaluation or a match keeps sums alone: its games are played again."""
    from kibitz.cli.evaluate import plans_of

    parts: list[Part] = []
    for plan in plans_of(run.config):
        for batch in plan.batches(noted=True):
            names = [entrant.name for entrant in batch.lineup.entrants]
            parts.append(Part(len(parts), batch.lineup, plan.seed, plan.games, names, lambda batch=batch: _in_order(batch), plan.jit))  # type: ignore[misc]  # bound here
    return parts


def _in_order(batch: Any) -> Iterator[tuple[int, Outcomes]]:
    """The games of a batch in order; units that are done too early wait."""
    from kibitz.arena.batch import open_workers

    waiting: dict[int, Any] = {}
    following = 0
    batch.prepare()
    with open_workers() as workers:
        for unit, outcomes in workers.results(batch):
            waiting[unit.first] = outcomes
            while following in waiting:
                found = waiting.pop(following)
                yield following, found
                following += len(found)


def _parts_of_comparison(store: Store, run: Run) -> list[Part]:
    """A comparison keeps every game of its line-ups."""
    from kibitz.arena.comparison import kept_outcomes, question_from
    from kibitz.store.runs import RunLedger

    question = question_from(run.config)
    parts = []
    for number, lineup in enumerate(question.sides.lineups):
        outcomes = kept_outcomes(question, RunLedger(store, run), number)
        names = [entrant.name for entrant in lineup.entrants]
        parts.append(Part(number, lineup, question.sides.seed, len(outcomes), names, _at_once(outcomes), question.jit))
    return parts


def _parts_of_tournament(store: Store, run: Run) -> list[Part]:
    """A tournament keeps how every game ended, and those with outside bots move by move."""
    from kibitz.arena.tournament.config import Tournament
    from kibitz.arena.tournament.play import Match, Play
    from kibitz.store.runs import RunLedger

    ledger = RunLedger(store, run)
    tournament = Tournament.from_dict(run.config)
    play = Play(tournament, ledger)
    play.recall()
    parts = []
    for played in play.played:
        match = Match(played.number, played.round, played.members)
        names = [tournament.players[player].name for player in played.members]
        kept = ledger.games(played.number) if play.has_outside(match) else ()
        games = tournament.games
        parts.append(Part(played.number, played.lineup, play.seed_of(match), games, names, _at_once(played.outcomes), kept=kept))
    return parts


def _at_once(outcomes: Outcomes) -> Callable[[], Iterator[tuple[int, Outcomes]]]:
    return lambda: iter([(0, outcomes)])


# -- rows --


def _part_column() -> Column:
    from kibitz.arena.decisions import Column

    return Column("part", "int", "which row of an evaluation, line-up of a comparison or match of a tournament, from 0")


def game_columns(contests: bool) -> tuple[Column, ...]:
    """The columns of a run's games, or contests, in order."""
    from kibitz.arena.decisions import Column

    columns = (
        Column("index", "int", "the game, counted in the run from 0"),
        _part_column(),
        Column("game", "int", "the game, counted in its part from 0"),
        Column("rules", "text", "the rules"),
        Column("seats", "texts", "the players by seat"),
        Column("winner", "int", "the winner's seat; nothing if nobody won"),
        Column("points", "int", "what the winner of the last deal got; for a team the points on the table"),
        Column("turns", "int", "turns played"),
        Column("status", "text", "how it ended"),
    )
    more = (Column("deals", "int", "deals of the contest"), Column("scores", "ints", "scores by seat"))
    return columns + more if contests else columns


def _games(parts: Sequence[Part]) -> Iterator[Row]:
    index = 0
    for part in parts:
        status_of = cache(lambda code, lineup=part.lineup: _status(lineup, code))
        seats_of, rules = _seating(part), part.lineup.rules.to_text()
        for first, outcomes in part.outcomes():
            for place, outcome in enumerate(outcomes[_told(outcomes)].tolist()):
                winner, status, turns, points, *contest = outcome
                seats = seats_of(first + place)
                row = {
                    "index": index + first + place,
                    "part": part.number,
                    "game": first + place,
                    "rules": rules,
                    "seats": [part.names[entry] for entry in seats],
                    "winner": None if winner < 0 else seats.index(winner),
                    "points": points,
                    "turns": turns,
                    "status": status_of(status),
                }
                yield {**row, "deals": contest[0], "scores": [int(contest[1][entry]) for entry in seats]} if contest else row
        index += part.games


def _told(outcomes: Outcomes) -> list[str]:
    """The fields of a record that a table has."""
    return [name for name in ("winner", "status", "turns", "points", "deals", "scores") if name in (outcomes.dtype.names or ())]


def _status(lineup: Lineup, code: int) -> str:
    """The name of an end."""
    from kibitz.arena.outcomes import FORFEITED

    if code == FORFEITED:
        return "forfeited"
    state = lineup.new_state()
    state.status = code
    return str(lineup.game.outcome(state)["status"])


def _seating(part: Part) -> Callable[[int], list[int]]:
    """Who sits where in each game, by its index."""
    from kibitz.arena.deal import Table, draw_seats
    from kibitz.arena.lineup import SEATINGS
    from kibitz.records import blank

    table = blank(Table)
    table.players, table.arrangement = part.lineup.players, SEATINGS[part.lineup.seating]

    def seats_of(index: int) -> list[int]:
        table.index = index
        draw_seats(table, part.seed)
        return list(table.seating[: part.lineup.players])

    return seats_of


def _decisions(parts: Sequence[Part]) -> Iterator[Row]:
    from kibitz.arena.decisions import decisions_from, decisions_of
    from kibitz.arena.record import Record

    before = 0
    rows: Iterator[Row]
    for part in parts:
        if part.kept:
            rows = (row for kept in part.kept for row in decisions_from(Record.from_text(kept.text), kept.game))
        else:
            rows = decisions_of(part.lineup, part.seed, range(part.games), part.jit)
        for row in rows:
            yield {**row, "part": part.number, "index": before + row["index"]}
        before += part.games
