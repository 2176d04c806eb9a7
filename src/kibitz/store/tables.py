"""Tables of the browser in the store: sessions, who sits where, every action of every deal, and players' notes.

Of a session only the digest of its token is kept. What is written takes a connection inside a transaction, so that the web table
can put many changes into one; what is read takes the store. A table's setup is text that `kibitz.table.live` reads.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kibitz.store.database import Store

SESSION_DAYS = 30  # for which a session without a table is kept after its last use
TABLE_DAYS = 365  # for which a table is kept after the end of its game

Notes = dict[tuple[int, int], dict[int, str]]  # by deal and seat: what stands at each card, by its place in the deck


@dataclass
class KeptTable:
    """A table as it stands in the store. `deals` has the names of all actions, deal by deal; the last one may still be open."""

    id: str
    setup: str
    owner: str  # the digest of the session that opened it
    made: float
    people: dict[int, tuple[str, str]] = field(default_factory=dict)  # by seat: the session's digest and the name
    deals: list[list[str]] = field(default_factory=lambda: [[]])
    finished: bool = False
    following: str | None = None  # the table that the players went on to
    notes: Notes = field(default_factory=dict)
    changed: float = 0.0


# -- sessions --


def keep_session(connection: sqlite3.Connection, digest: str, name: str) -> None:
    """Keep a session, or its new name, which is also that of every seat it has."""
    change = "INSERT INTO sessions VALUES (?, ?, ?) ON CONFLICT (digest) DO UPDATE SET name = excluded.name"
    connection.execute(change, (digest, name, time.time()))
    connection.execute("UPDATE people SET name = ? WHERE session = ?", (name, digest))


def keep_use(connection: sqlite3.Connection, digest: str, name: str) -> None:
    """Keep that a session is still used."""
    change = "INSERT INTO sessions VALUES (?, ?, ?) ON CONFLICT (digest) DO UPDATE SET made = excluded.made"
    connection.execute(change, (digest, name, time.time()))


def forget_old(connection: sqlite3.Connection, now: float) -> None:
    """Forget games that ended a year ago, and then sessions without a table that nobody used for 30 days."""
    connection.execute("DELETE FROM tables WHERE finished = 1 AND changed < ?", (now - TABLE_DAYS * 86_400,))
    unused = "made < ? AND digest NOT IN (SELECT owner FROM tables) AND digest NOT IN (SELECT session FROM people)"
    connection.execute(f"DELETE FROM sessions WHERE {unused}", (now - SESSION_DAYS * 86_400,))


def read_session(store: Store, digest: str) -> str | None:
    """The name of a session, None if there is none."""
    found = store.rows("SELECT name FROM sessions WHERE digest = ?", (digest,))
    return str(found[0][0]) if found else None


# -- writing tables --


def keep_table(connection: sqlite3.Connection, table: KeptTable) -> None:
    """Keep a whole table, new or as it is now."""
    connection.execute("DELETE FROM tables WHERE id = ?", (table.id,))
    values = (table.id, table.setup, table.owner, table.made, time.time(), len(table.deals), int(table.finished), table.following)
    connection.execute("INSERT INTO tables VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
    seats = [(table.id, seat, digest, name) for seat, (digest, name) in table.people.items()]
    connection.executemany("INSERT INTO people VALUES (?, ?, ?, ?)", seats)
    moves = [(table.id, deal, place, action) for deal, actions in enumerate(table.deals) for place, action in enumerate(actions)]
    connection.executemany("INSERT INTO moves VALUES (?, ?, ?, ?)", moves)
    notes = [(table.id, *key, place, text) for key, texts in table.notes.items() for place, text in texts.items()]
    connection.executemany("INSERT INTO notes VALUES (?, ?, ?, ?, ?)", notes)


def keep_move(connection: sqlite3.Connection, table: str, deal: int, position: int, action: str, finished: bool) -> None:
    """Keep one action; `position` is its place in the deal, from 0."""
    connection.execute("INSERT INTO moves VALUES (?, ?, ?, ?)", (table, deal, position, action))
    if finished:
        connection.execute("UPDATE tables SET finished = 1, changed = ? WHERE id = ?", (time.time(), table))


def keep_deals(connection: sqlite3.Connection, table: str, deals: int) -> None:
    """Keep that so many deals were begun."""
    connection.execute("UPDATE tables SET deals = ?, changed = ? WHERE id = ?", (deals, time.time(), table))


def keep_person(connection: sqlite3.Connection, table: str, seat: int, digest: str, name: str) -> None:
    """Keep who took a seat."""
    connection.execute("INSERT OR REPLACE INTO people VALUES (?, ?, ?, ?)", (table, seat, digest, name))


def keep_setup(connection: sqlite3.Connection, table: str, setup: str) -> None:
    """Keep what a table is set up as, before it is played at."""
    connection.execute("UPDATE tables SET setup = ?, changed = ? WHERE id = ?", (setup, time.time(), table))


def keep_following(connection: sqlite3.Connection, table: str, following: str) -> None:
    """Keep where the players of a table went on to."""
    connection.execute("UPDATE tables SET following = ? WHERE id = ?", (following, table))


def keep_note(connection: sqlite3.Connection, table: str, deal: int, seat: int, place: int, text: str) -> None:
    """Keep a player's note on a card; without text it is taken away."""
    if text:
        connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?, ?, ?, ?)", (table, deal, seat, place, text))
    else:
        connection.execute("DELETE FROM notes WHERE table_id = ? AND deal = ? AND seat = ? AND place = ?", (table, deal, seat, place))


# -- reading tables --


def read_table(store: Store, table: str) -> KeptTable | None:
    """A table with all that was done there, None if there is none."""
    query = "SELECT setup, owner, made, changed, deals, finished, following FROM tables WHERE id = ?"
    found = store.rows(query, (table,))
    if not found:
        return None
    setup, owner, made, changed, count, finished, following = found[0]
    deals: list[list[str]] = [[] for _ in range(count)]
    for deal, position, action in store.rows(
        "SELECT deal, position, action FROM moves WHERE table_id = ? ORDER BY deal, position", (table,)
    ):
        if deal < count and position == len(deals[deal]):  # nothing counts after a gap
            deals[deal].append(action)
    notes: Notes = {}
    for deal, seat, place, text in store.rows("SELECT deal, seat, place, text FROM notes WHERE table_id = ?", (table,)):
        notes.setdefault((deal, seat), {})[place] = text
    people = _people(store, [table])[table]
    return KeptTable(table, setup, owner, made, people, deals, bool(finished), following, notes, changed)


def tables_of(store: Store, digest: str, limit: int) -> list[KeptTable]:
    """The tables at which a session has a seat or that it opened, the newest first, without what was done there."""
    query = """SELECT id, setup, owner, made, changed, finished, following FROM tables
        WHERE owner = ? OR id IN (SELECT table_id FROM people WHERE session = ?) ORDER BY made DESC LIMIT ?"""
    found = store.rows(query, (digest, digest, limit))
    seated = _people(store, [row[0] for row in found])
    return [
        KeptTable(table, setup, owner, made, seated[table], [], bool(finished), following, {}, changed)
        for table, setup, owner, made, changed, finished, following in found
    ]


def count_tables(store: Store, owner: str, since: float) -> int:
    """How many tables a session has opened since a moment."""
    return int(store.rows("SELECT count(*) FROM tables WHERE owner = ? AND made >= ?", (owner, since))[0][0])


def _people(store: Store, tables: Sequence[str]) -> Mapping[str, dict[int, tuple[str, str]]]:
    seated: dict[str, dict[int, tuple[str, str]]] = {table: {} for table in tables}
    marks = ", ".join("?" * len(tables))
    for table, seat, digest, name in store.rows(f"SELECT table_id, seat, session, name FROM people WHERE table_id IN ({marks})", tables):
        seated[table][seat] = (digest, name)
    return seated
