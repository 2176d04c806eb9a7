"""Transcripts of games with faults: substitute moves are marked, and the last line says what counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kibitz.play.game import PlayedContest
from kibitz.play.record import Record, replay
from kibitz.play.record_faults import FORFEITED, RecordedFault
from kibitz.report.hanabi_transcript import transcript as hanabi_transcript
from kibitz.report.transcript import contest_ending, transcript

# Seat 0 played its last card and won 109 points, which seat 1 held.
WON = Record.from_text(
    "uno/1;classic,hand_size=3;seed=12;deal=0;seats=Ann|Bob;actions=g4.draw.g4.draw.g9.draw.b9.b7.y7.draw.draw.wild+4:r.r+2.b+2;result=won:0:109"
)
CUT = replace(WON, actions=WON.actions[:4], status=FORFEITED, winner=None, points=0)
SLOW = "did not answer within 0.2 s"


def told(record: Record, **changes: Any) -> list[str]:
    lines = hanabi_transcript if record.game == "hanabi" else transcript
    return [line.plain for line in lines(replay(replace(record, **changes)))]


def forfeit(action: int, seat: int) -> RecordedFault:
    return RecordedFault(action, seat, "time", SLOW, forfeits=True)


def test_a_game_without_faults_is_told_as_always() -> None:
    lines = told(WON)
    assert lines[-1] == "Seat 0 Ann wins 109 points (seat 1 held 109) in 12 turns."
    assert not any("substitute" in line or "fault" in line for line in lines)


def test_moves_of_a_substitute_and_faults_are_marked() -> None:
    illegal = RecordedFault(1, int(replay(WON).opening.state.current), "illegal", "answered 67, which is not legal there")
    lines = told(WON, faults=(illegal,))
    marked = [line for line in lines if line.endswith("  [substitute]")]
    assert len(marked) == 1 and marked[0].startswith("   1  ")
    name = WON.seats[illegal.seat]
    assert lines[lines.index(marked[0]) + 2] == f"        fault: {name} answered 67, which is not legal there; a substitute moves for it."
    assert lines[-1] == told(WON)[-1]


def test_a_reason_that_is_a_sentence_ends_once() -> None:
    broken = RecordedFault(0, 1, "start", "could not be started: file bob.py defines no bot.", forfeits=True)
    lines = told(WON, status=FORFEITED, faults=(broken,))
    assert "        fault: Bob could not be started: file bob.py defines no bot; it forfeits, and a substitute plays on for it." in lines
    assert "forfeited before the deal: it could not be started: file bob.py defines no bot. Seat 0" in lines[-1]


def test_every_move_after_a_forfeit_is_a_substitutes() -> None:
    lines = told(WON, status=FORFEITED, winner=None, points=0, faults=(forfeit(3, 0),))
    turns = [line for line in lines if line[:4].strip().isdigit()]
    own = [line for line in turns if line[6:].startswith("0 Ann")]
    assert 0 < sum("[substitute]" in line for line in own) < len(own)
    assert not any("[substitute]" in line for line in turns if line not in own)
    assert f"        fault: Ann {SLOW}; it forfeits, and a substitute plays on for it." in lines


@pytest.mark.parametrize(
    ("record", "changes", "end"),
    [
        # The seat that forfeited was out of cards first.
        (
            WON,
            {"winner": None, "points": 0, "faults": (forfeit(3, 0),)},
            f"Seat 0 Ann forfeited at turn 3: it {SLOW}. The substitute of seat 0 was first out of cards, which doesn't count: nobody wins.",
        ),
        # Another one was, and that counts.
        (
            WON,
            {"faults": (replace(forfeit(0, 1), kind="start", what="could not be started"),)},
            "Seat 1 Bob forfeited before the deal: it could not be started. Seat 0 Ann wins 109 points (seat 1 held 109) in 12 turns.",
        ),
        # Only one was left.
        (
            CUT,
            {"winner": 1, "points": 65, "faults": (RecordedFault(2, 0, "illegal", "erred"), forfeit(5, 0))},
            f"Seat 0 Ann forfeited at turn 4, after 2 faults: it {SLOW}. Seat 1 Bob, the last player left, wins 65 points (seat 0 held 65).",
        ),
        # Nobody was.
        (
            CUT,
            {"faults": (forfeit(0, 0), forfeit(1, 1))},
            f"Seat 0 Ann forfeited before the deal: it {SLOW}. Seat 1 Bob forfeited at turn 1: it {SLOW}. Nobody is left, so nobody wins.",
        ),
        # A deal of a contest that one is left in.
        (CUT, {"faults": (forfeit(5, 0),)}, f"Seat 0 Ann forfeited at turn 4: it {SLOW}. The deal ends there."),
        # Records of version 0.1.
        (
            CUT,
            {"winner": 1, "points": 65},
            "A player forfeited this game; the record doesn't say who, or where a substitute moved. "
            "Seat 1 Bob, the last player left, wins 65 points (seat 0 held 65).",
        ),
        (
            WON,
            {"winner": None, "points": 0},
            "A player forfeited this game; the record doesn't say who, or where a substitute moved. "
            "Seat 0 Ann was first out of cards; the record doesn't say whether that counted.",
        ),
    ],
)
def test_the_last_line_says_what_counted(record: Record, changes: dict[str, Any], end: str) -> None:
    assert told(record, status=FORFEITED, **changes)[-1] == end


def test_a_team_that_forfeits_counts_nothing() -> None:
    record = Record.from_text(
        "hanabi/1;standard;seed=3;deal=0;seats=Ann|Bob;actions=hint:1:1.discard:0.hint:1:2;result=forfeited:0;"
        f"faults=2:1:illegal:substitute:answered nonsense|4:1:time:forfeit:{SLOW}"
    )
    lines = told(record)
    assert [line for line in lines if "[substitute]" in line] == [next(line for line in lines if "Bob" in line and "discards" in line)]
    assert f"      fault: Bob {SLOW}; it forfeits." in lines
    assert (
        lines[-1]
        == f"Seat 1 Bob forfeited at turn 4, after 2 faults: it {SLOW}. The game ends there and counts 0; 0 points lay on the table."
    )


def test_a_forfeited_contest_says_whose_points_count_as_0() -> None:
    deal = replay(replace(CUT, faults=(forfeit(5, 0),)))
    contest = PlayedContest("200", [deal, deal], [0, 34], winner=1, is_over=True)
    assert contest_ending(contest).plain == (
        "Scores: seat 0 Ann 0, seat 1 Bob 34; seat 0 forfeited the contest, so its points count as 0; seat 1 wins the contest to 200 after 2 deals."
    )
