"""A tournament on the terminal: whole where there is room, and with every name where there is little."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from kibitz.core.printable import shortened
from kibitz.experiments.tournament.standings import Interval, TournamentResult
from kibitz.experiments.tournament.tournament_tables import (
    StandingsColumn,
    fault_counts,
    fitting,
    interval_text,
    one_of_each,
    print_faults,
    print_tournament,
    rating_text,
)
from tests.report.made_up import EIGHT, HOSTILE, teams, tournament


def printed(result: TournamentResult, width: int) -> str:
    held = io.StringIO()
    print_tournament(result, Console(file=held, width=width, highlight=False, force_terminal=True, color_system=None))
    return held.getvalue()


def test_all_columns_where_there_is_room() -> None:
    text = printed(tournament(swiss=True, fault_count=10), 160)
    headings = next(line for line in text.splitlines() if "interval" in line).split()
    assert " ".join(headings) == "player matches games points points a game wins % rating 95 % interval faults forfeits"
    row = next(line for line in text.splitlines() if "mix2 " in line).split()
    assert " ".join(row) == "1 mix2 7.5 70,000 1,995,000 28.50 ± 0.04 57.00 ± 0.12 +70 +67 to +73 2 0"
    assert "left out" not in text and "no room" not in text
    assert "UNO classic, swiss, 8 players, tables of 2: 28 matches, 280,000 games, seed 20261116" in text


@pytest.mark.parametrize("width", [46, 60, 80, 100])
def test_narrow_terminals_lose_columns_and_never_names(width: int) -> None:
    text = printed(tournament(), width)
    assert all(cell_len(line) <= width for line in text.splitlines())
    for name in EIGHT:
        assert sum(f" {name} " in line for line in text.splitlines()) == 2  # in the standings and in the matrix
    assert "57.00 ± 0.12" in text
    assert ("left out, as there is no room: games" in text) == (width < 100)


def test_columns_go_in_the_order_of_their_worth() -> None:
    columns = [StandingsColumn("a", ["12345"], 3), StandingsColumn("b", ["12345"]), StandingsColumn("c", ["12345"], 5)]
    assert fitting(columns, 21) == (columns, [])
    assert fitting(columns, 20) == (columns[:2], columns[2:])
    assert fitting(columns, 1) == ([columns[1]], [columns[2], columns[0]])


def test_the_matrix_shows_as_many_opponents_as_there_is_room_for() -> None:
    assert "first" not in printed(tournament(), 80)
    assert "the first 3 of 8 opponents" in " ".join(printed(tournament(), 40).split())
    assert "the first 30 of 40 opponents" in printed(tournament([f"p{place}" for place in range(40)]), 400)


def test_teams_have_scores() -> None:
    text = printed(teams(), 80)
    assert "24.870 ± 0.030" in text and "wins" not in text and "rating" not in text
    assert "together with" in printed(teams(mixed=True), 80)


@pytest.mark.parametrize("width", [60, 200])
def test_hostile_names_command_nothing(width: int) -> None:
    text = printed(tournament(HOSTILE, fault_count=16), width)
    assert not {"\x1b", "\x07", "\x00", "\u202e"} & set(text)
    assert "[bold]red[/bold]" in "".join(text.split("\n"))
    text.encode("utf-8")


def test_faults_are_counted_and_can_be_copied() -> None:
    result = tournament(fault_count=25)
    assert fault_counts(result)[0][2].count("forfeit") == 0
    assert sum(count for _, count, _ in fault_counts(result)) == 20  # and 5 forfeits, which are told apart
    held = io.StringIO()
    print_faults(result, Console(file=held, width=50, highlight=False))
    lines = held.getvalue().splitlines()
    told = one_of_each(result)
    assert len({(fault.bot, fault.kind) for _, fault in told}) == len(told) > 10
    for _, fault in told[:10]:
        assert f"  {fault.reproduce}" in lines
    assert "10 of 20 faults and 5 forfeits, one of each kind" in " ".join(lines)
    assert "ID" not in " ".join(lines)  # lines to copy have the number of a run


def test_without_faults_nothing_is_said_of_them() -> None:
    assert "fault" not in printed(tournament(), 120)


def test_texts_are_cut_and_ratings_signed() -> None:
    assert shortened("abcdef", 6) == "abcdef" and shortened("abcdefg", 6) == "abcde…"
    assert [rating_text(Interval(value, 0, 0)) for value in (12.4, -0.4, -12.6)] == ["+12", "0", "−13"]
    assert interval_text(Interval(1, -3.2, 5)) == "−3 to +5"
    assert interval_text(Interval(0, float("-inf"), 5)) == rating_text(None) == "–"
