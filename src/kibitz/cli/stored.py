"""Games of a run in the store, as tables for `kibitz export ID` and told for `kibitz replay ID INDEX`; `kibitz.experiments.stored_games` finds them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kibitz.cli.options import announcing, console, tell_written
from kibitz.core.errors import BadValue
from kibitz.core.public import public_names
from kibitz.core.sentences import counted

if TYPE_CHECKING:
    from kibitz.experiments.stored_games import Part
    from kibitz.play.decisions import Column, Row
    from kibitz.play.lineup import Lineup
    from kibitz.play.outcomes import Outcomes


def export_run(store_path: Path, run_id: int, file_format: str, decisions: bool, out: str) -> int:
    """Write every game of a run as a table, a row a game or with `decisions` a row a decision; how many rows there are."""
    from kibitz.experiments.stored_games import parts_of
    from kibitz.play.decisions import columns_of
    from kibitz.report.files import check_table, write_table
    from kibitz.runs.database import open_for_reading
    from kibitz.runs.store import COMPLETE, read_run

    check_table(out, file_format)
    target = out if out == "-" else str(Path(out).absolute())
    with open_for_reading(store_path) as store:
        run = read_run(store, run_id)
        if run.status != COMPLETE:
            raise BadValue(f"run {run_id} is not complete; `kibitz resume {run_id}` plays the rest of it, then it can be exported.")
        with announcing(), parts_of(store, run, absent=not decisions) as parts:
            lineup = parts[0].lineup
            if decisions:
                count = write_table(_decisions(parts), target, file_format, (_part_column(), *columns_of(lineup.game.name)))
            else:
                count = write_table(_games(parts), target, file_format, game_columns(lineup.to is not None))
    what = "decision" if decisions else "contest" if lineup.to else "game"
    tell_written(out, f"{counted(count, what)} of run {run_id}")
    return count


def replay_run(store_path: Path, run_id: int, index: int) -> int:
    """Tell one game of a run, turn by turn. Games are counted through the parts of the run, as an export does."""
    from kibitz.experiments.stored_games import deals_of_part, game_at, parts_of
    from kibitz.play.game import PlayedContest
    from kibitz.report.transcript import contest_ending, print_transcript
    from kibitz.runs.database import open_for_reading
    from kibitz.runs.store import read_run

    terminal = console()
    with open_for_reading(store_path) as store, parts_of(store, run := read_run(store, run_id)) as parts:
        part, game = game_at(run, parts, index)
        contest = PlayedContest(part.lineup.to or "")
        for played in deals_of_part(part, game, contest):
            print_transcript(played, terminal)
            if contest.scores:
                terminal.print(contest_ending(contest), soft_wrap=True)
                terminal.print()
    return 0


# -- rows --


def _part_column() -> Column:
    from kibitz.play.decisions import Column

    return Column("part", "int", "which row of an evaluation, line-up of a comparison or match of a tournament, from 0")


def game_columns(contests: bool) -> tuple[Column, ...]:
    """The columns of a run's games, or contests, in order."""
    from kibitz.play.decisions import Column

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
    forfeits = (
        Column("forfeited_by", "ints", "the seats that forfeited it; a win of theirs would count for nobody"),
        Column("fault", "texts", "for each of them, the kind of fault by which it did"),
    )
    return columns + (more if contests else ()) + forfeits


def _games(parts: Sequence[Part]) -> Iterator[Row]:
    from kibitz.experiments.stored_games import forfeits_of, seating_of
    from kibitz.play.record_faults import FORFEITED

    index = 0
    for part in parts:
        status_of = cache(lambda code, lineup=part.lineup: _status(lineup, code))
        seats_of, rules = seating_of(part), part.lineup.rules.to_text()
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
                if contest:
                    row |= {"deals": contest[0], "scores": [int(contest[1][entry]) for entry in seats]}
                faults = forfeits_of(part, first + place) if row["status"] == FORFEITED else []
                yield {**row, "forfeited_by": [fault.seat for fault in faults], "fault": [fault.kind for fault in faults]}
        index += part.games


def _told(outcomes: Outcomes) -> list[str]:
    """The fields of a record that a table has."""
    return [name for name in ("winner", "status", "turns", "points", "deals", "scores") if name in (outcomes.dtype.names or ())]


def _status(lineup: Lineup, code: int) -> str:
    """The name of an end."""
    from kibitz.play.outcomes import FORFEITED

    if code == FORFEITED:
        return "forfeited"
    state = lineup.new_state()
    state.status = code
    try:
        return str(lineup.game.outcome(state)["status"])
    except LookupError:
        raise BadValue(f"a game of the run ended in a way that does not exist ({code}): the store is damaged.") from None


def _decisions(parts: Sequence[Part]) -> Iterator[Row]:
    from kibitz.experiments.stored_games import kept_deals
    from kibitz.play.decisions import decisions_from, decisions_of

    before = 0
    rows: Iterator[Row]
    for part in parts:
        if part.kept:
            rows = (row for game in part.kept_by_game for deal in kept_deals(part, game) for row in decisions_from(deal, game))
        else:
            shown = public_names(entrant.name for entrant in part.lineup.entrants)
            played = decisions_of(part.lineup, part.seed, range(part.games), part.jit)
            rows = ({**row, "bot": shown[row["bot"]]} for row in played)
        for row in rows:
            yield {**row, "part": part.number, "index": before + row["index"]}
        before += part.games
