"""What a bot thinks of each action: the table that every search bot fills in, and that explanations and advice show.

The scratch memory of a search bot is a subclass of `Valuation`. `choose` calls `begin_valuation` and, before it returns,
`list_action` for every action it considered; what was not worth a search, such as a forced action, leaves the table empty.
Bots that weigh actions without a search have `Preferences` instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from kibitz.core.jit import number
from kibitz.core.layouts import Byte, Int

MOST_ACTIONS = 80

# What the values are: preferences are chances that add up to 1; SCORE is whatever a search counts in if it is none of the others.
WIN_CHANCE, POINTS, SCORE, PREFERENCE = 0, 1, 2, 3
UNITS = ("chance to win", "expected points", "score", "preference")


class Valuation:
    """One row for each action: its value, the standard error of that, and how often it was tried.

    An exact value has an error of 0. What was never tried has no visits, and then its value means nothing.
    """

    values: Annotated[list[float], "f8", MOST_ACTIONS]
    errors: Annotated[list[float], "f8", MOST_ACTIONS]
    visits: Annotated[list[int], "i8", MOST_ACTIONS]
    listed_actions: Annotated[list[int], "i4", MOST_ACTIONS]
    listed: Int  # rows in use
    unit: Byte  # WIN_CHANCE …


class Preferences(Valuation):
    """The table of a bot that does not search: how much it prefers each action that it weighed, as chances that add up to 1.

    Such a bot decides so often that a table nobody reads would cost too much: it fills one in where it is wanted, and only there.
    """

    wanted: Byte
    win_chance: Annotated[float, "f8"]  # its own guess at the chance to win, before it acts; below 0 if it makes none


def keeps_table(scratch: type | None) -> bool:
    """Whether a bot with this scratch memory tells what it thinks of each action."""
    return scratch is not None and issubclass(scratch, Valuation)


def searches(scratch: type | None) -> bool:
    """Whether a bot with this scratch memory finds that out by a search, which takes its time."""
    return keeps_table(scratch) and not keeps_preferences(scratch)


def keeps_preferences(scratch: type | None) -> bool:
    """Whether a bot with this scratch memory tells what it prefers, if it is wanted."""
    return scratch is not None and issubclass(scratch, Preferences)


def begin_valuation(table: Valuation, unit: int) -> None:
    """Start an empty table."""
    table.listed = 0
    table.unit = unit


def list_action(table: Valuation, action: int, value: float, error: float, visits: int) -> None:
    """Add a row."""
    place = number(table.listed)
    if place < MOST_ACTIONS:
        table.listed_actions[place] = action
        table.values[place] = value
        table.errors[place] = error
        table.visits[place] = visits
        table.listed = place + 1


def listed_rows(table: Valuation) -> Iterator[tuple[int, float, float, int]]:
    """Every row of a table: action, value, error, visits."""
    for place in range(table.listed):
        yield table.listed_actions[place], table.values[place], table.errors[place], table.visits[place]
