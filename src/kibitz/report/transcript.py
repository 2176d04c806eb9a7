"""One game as text a person can follow, turn by turn: what is the same for every game. The lines are the game's own (`Face.transcript`)."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from kibitz import registry
from kibitz.core.sentences import counted
from kibitz.play.game import PlayedContest, PlayedGame
from kibitz.play.loop import MAX_BARREN_DEALS
from kibitz.play.record_faults import forfeited_by
from kibitz.report.forfeits import Named, fault_sentence, faults_at, seat_alone


def print_transcript(played: PlayedGame, terminal: Console, explain: bool = False) -> None:
    """A game, line by line; with `explain`, what bots say about their choices."""
    for line in transcript(played, explain):
        terminal.print(line, soft_wrap=True)


SUBSTITUTE = "  [substitute]"  # behind what was done in place of an outside bot


def transcript(played: PlayedGame, explain: bool = False) -> Iterator[Text]:
    """The lines of a game in its own words; with `explain`, below each turn what bots say about their choices."""
    lines: Iterator[Text] = registry.game(played.game).face.load("transcript")(played, explain)
    return lines


def counted_end(played: PlayedGame, named: Named, short: Named) -> str:
    """What counted of a forfeited deal; `short` is what seats are called where points are listed."""
    return str(registry.game(played.game).face.load("counted_end")(played, named, short))


def fault_lines(played: PlayedGame, first: int, last: int, indent: int = 8) -> Iterator[Text]:
    """What outside bots did wrong when these actions were due."""
    for fault in faults_at(played.faults, first, last):
        goes_on = fault.action <= len(played.steps)
        yield Text(f"{'':{indent}}fault: {fault_sentence(fault, played.seats[fault.seat], goes_on)}", style="red")


def contest_ending(contest: PlayedContest) -> Text:
    """How a contest stands, or ended."""
    seats = contest.deals[-1].seats
    scores = ", ".join(f"seat {seat} {name} {contest.scores[seat]}" for seat, name in enumerate(seats))
    after = f"after {counted(len(contest.deals), 'deal')}"
    out = forfeited_by(contest.deals[-1].faults) if contest.is_over else []
    end = f"; seat {contest.winner} wins the contest to {contest.to} {after}" if contest.winner is not None else ""
    if contest.is_over and contest.winner is None:
        barren = "" if out else f", {MAX_BARREN_DEALS} of them in a row without a point"
        end = f"; the contest ends without a winner {after}{barren}"
    if out:
        end = (
            f"; {' and '.join(map(seat_alone, out))} forfeited the contest, so {'its' if len(out) == 1 else 'their'} points count as 0{end}"
        )
    return Text(f"Scores: {scores}{end}.", style="bold")
