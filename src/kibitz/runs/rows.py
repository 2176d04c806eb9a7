"""Rows with checksums: nothing is written without one, and nothing is read that does not match its own.

A flipped bit on a disk, or a row changed by hand, is one sentence that says what is damaged, and never another figure.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import count
from typing import Any

from kibitz.runs.database import Store, StoreError
from kibitz.runs.schema import COLUMNS, checksum

Row = tuple[Any, ...]


def insert(connection: sqlite3.Connection, table: str, rows: Iterable[Sequence[Any]], way: str = "INSERT") -> None:
    """Write rows, which have a value for every column of the table."""
    connection.executemany(_insertion(table, way), [(*row, checksum(*row)) for row in rows])


@cache
def _insertion(table: str, way: str) -> str:
    return f"{way} INTO {table} VALUES ({', '.join('?' * (len(COLUMNS[table]) + 1))})"


def change(connection: sqlite3.Connection, table: str, changes: Mapping[str, Any], where: str, values: Sequence[Any]) -> None:
    """Change columns of some rows; a row that was damaged before stays so. A change may be SQL, as `Sql`."""
    given = [value for value in changes.values() if not isinstance(value, Sql)]
    computed = tuple(value.text if isinstance(value, Sql) else None for value in changes.values())
    connection.execute(_update(table, tuple(changes), computed, where), (*given, *values))


@cache
def _update(table: str, names: tuple[str, ...], computed: tuple[str | None, ...], where: str) -> str:
    numbers = count(1)
    new = {name: text or f"?{next(numbers)}" for name, text in zip(names, computed, strict=True)}
    sets = ", ".join(f"{name} = {text}" for name, text in new.items())
    before = f"checksum({', '.join(COLUMNS[table])})"
    after = f"checksum({', '.join(new.get(name, name) for name in COLUMNS[table])})"
    return f"UPDATE {table} SET {sets}, checksum = CASE checksum WHEN {before} THEN {after} ELSE checksum END WHERE {where}"


class Sql:
    """A change that is computed from the row, such as `moves + 1`."""

    def __init__(self, text: str) -> None:
        self.text = text


def read(store: Store, table: str, rest: str = "", values: Sequence[Any] = ()) -> list[Row]:
    """Rows of a table, all columns in order; `rest` is the rest of the query, from WHERE on."""
    return list(each(store, table, rest, values))


def each(store: Store, table: str, rest: str = "", values: Sequence[Any] = ()) -> Iterator[Row]:
    """The same one by one, where there may be much to read."""
    for *row, kept in store.each(f"SELECT {', '.join(COLUMNS[table])}, checksum FROM {table} {rest}", values):
        yield checked(store, table, tuple(row), kept)


def checked(store: Store, table: str, row: Row, kept: Any) -> Row:
    """A row, if it matches its checksum and every column holds what it should."""
    if kept != checksum(*row):
        raise damaged(store, table, row, "does not match its checksum")
    for (name, kind), value in zip(COLUMNS[table].items(), row, strict=True):
        if not isinstance(value, kind):
            raise damaged(store, table, row, f"has no proper {name}")
    return row


def damaged(store: Store, table: str, row: Row, why: str) -> StoreError:
    """What is damaged, in a sentence that says what can be done."""
    remedy = "restore the file from a copy"
    run = row[0]
    if table == "runs":
        what = f"run {run}"
    elif table == "units":
        _, part, first, games, _ = row
        last = first + games - 1 if isinstance(first, int) and isinstance(games, int) else "?"
        what = f"the result of games {first} to {last} of part {part} of run {run}"
    elif table in ("faults", "games"):
        what = f"{'a fault in game' if table == 'faults' else 'the record of game'} {row[2]} of part {row[1]} of run {run}"
    elif table == "sessions":
        what = "a session"
    elif table == "tables":
        what = f"table {row[0]}"
    else:
        what = f"{'a person' if table == 'people' else 'an action' if table == 'moves' else 'a note'} at table {row[0]}"
    if table in ("runs", "units", "faults", "games"):
        remedy = f"delete it with `kibitz runs delete {run}` and play it again, or {remedy}"
    return StoreError(f"store {store.path} is damaged: {what} {why}; {remedy}.")
