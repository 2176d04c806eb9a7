"""The table of a search: rows in the order they were listed, and never more than there is room for."""

from __future__ import annotations

from kibitz.core.layouts import blank
from kibitz.policies.valuation import MOST_ACTIONS, POINTS, UNITS, WIN_CHANCE, Valuation, begin_valuation, list_action, listed_rows


def test_rows_are_read_back_and_a_new_table_is_empty() -> None:
    table = blank(Valuation)
    begin_valuation(table, POINTS)
    list_action(table, 7, 1.5, 0.25, 40)
    list_action(table, 3, -2.0, 0.0, 1)
    assert list(listed_rows(table)) == [(7, 1.5, 0.25, 40), (3, -2.0, 0.0, 1)]
    assert UNITS[table.unit] == "expected points"
    begin_valuation(table, WIN_CHANCE)
    assert list(listed_rows(table)) == []
    assert UNITS[table.unit] == "chance to win"


def test_a_full_table_takes_no_more() -> None:
    table = blank(Valuation)
    begin_valuation(table, WIN_CHANCE)
    for action in range(MOST_ACTIONS + 5):
        list_action(table, action, 0.5, 0.1, 1)
    assert [row[0] for row in listed_rows(table)] == list(range(MOST_ACTIONS))
