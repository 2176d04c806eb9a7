"""Tables of the browser in the store: sessions, who sits where, every action of every deal, and players' notes.

Of a session only the digest of its token is kept. What is written takes a connection inside a transaction, so that the web table
can put many changes into one; what is read takes the store. A table's setup is text that `kibitz.table.live` reads.
A table of which anything is damaged is not brought back as another game: it is a `StoreError`.
"""

from __future__ import annotations

import logging
import sqlite3
import time
from dataclasses import dataclass, field

from kibitz.runs import rows
from kibitz.runs.database import Store, StoreError

log = logging.getLogger("kibitz.store")

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
    rows.insert(connection, "sessions", [(digest, name, time.time())], "INSERT OR IGNORE")
    rows.change(connection, "sessions", {"name": name}, "digest = ?", (digest,))
    rows.change(connection, "people", {"name": name}, "session = ?", (digest,))


def keep_use(connection: sqlite3.Connection, digest: str, name: str) -> None:
    """Keep that a session is still used."""
    now = time.time()
    rows.insert(connection, "sessions", [(digest, name, now)], "INSERT OR IGNORE")
    rows.change(connection, "sessions", {"made": now}, "digest = ?", (digest,))


def forget_old(connection: sqlite3.Connection, now: float) -> None:
    """Forget games that ended a year ago, and then sessions without a table that nobody used for 30 days."""
    connection.execute("DELETE FROM tables WHERE finished = 1 AND changed < ?", (now - TABLE_DAYS * 86_400,))
    unused = "made < ? AND digest NOT IN (SELECT owner FROM tables) AND digest NOT IN (SELECT session FROM people)"
    connection.execute(f"DELETE FROM sessions WHERE {unused}", (now - SESSION_DAYS * 86_400,))


def read_session(store: Store, digest: str) -> str | None:
    """The name of a session, None if there is none."""
    found = rows.read(store, "sessions", "WHERE digest = ?", (digest,))
    return str(found[0][1]) if found else None


# -- writing tables --


def keep_table(connection: sqlite3.Connection, table: KeptTable) -> None:
    """Keep a whole table, new or as it is now."""
    forget_table(connection, table.id)
    moves = [(table.id, deal, place, action) for deal, actions in enumerate(table.deals) for place, action in enumerate(actions)]
    values = (table.id, table.setup, table.owner, table.made, time.time(), len(table.deals), int(table.finished), table.following)
    notes = [(table.id, *key, place, text) for key, texts in table.notes.items() for place, text in texts.items()]
    rows.insert(connection, "tables", [(*values, len(moves), len(table.people), len(notes))])
    rows.insert(connection, "people", [(table.id, seat, digest, name) for seat, (digest, name) in table.people.items()])
    rows.insert(connection, "moves", moves)
    rows.insert(connection, "notes", notes)


def keep_move(connection: sqlite3.Connection, table: str, deal: int, position: int, action: str, finished: bool) -> None:
    """Keep one action; `position` is its place in the deal, from 0."""
    rows.insert(connection, "moves", [(table, deal, position, action)])
    ended = {"finished": 1, "changed": time.time()} if finished else {}
    rows.change(connection, "tables", {"moves": rows.Sql("moves + 1"), **ended}, "id = ?", (table,))


def keep_deals(connection: sqlite3.Connection, table: str, deals: int) -> None:
    """Keep that so many deals were begun."""
    rows.change(connection, "tables", {"deals": deals, "changed": time.time()}, "id = ?", (table,))


def keep_person(connection: sqlite3.Connection, table: str, seat: int, digest: str, name: str) -> None:
    """Keep who took a seat."""
    rows.insert(connection, "people", [(table, seat, digest, name)], "INSERT OR REPLACE")
    rows.change(connection, "tables", {"people": _counted("people")}, "id = ?", (table,))


def keep_setup(connection: sqlite3.Connection, table: str, setup: str) -> None:
    """Keep what a table is set up as, before it is played at."""
    rows.change(connection, "tables", {"setup": setup, "changed": time.time()}, "id = ?", (table,))


def keep_following(connection: sqlite3.Connection, table: str, following: str) -> None:
    """Keep where the players of a table went on to."""
    rows.change(connection, "tables", {"following": following}, "id = ?", (table,))


def keep_note(connection: sqlite3.Connection, table: str, deal: int, seat: int, place: int, text: str) -> None:
    """Keep a player's note on a card; without text it is taken away."""
    if text:
        rows.insert(connection, "notes", [(table, deal, seat, place, text)], "INSERT OR REPLACE")
    else:
        connection.execute("DELETE FROM notes WHERE table_id = ? AND deal = ? AND seat = ? AND place = ?", (table, deal, seat, place))
    rows.change(connection, "tables", {"notes": _counted("notes")}, "id = ?", (table,))


def _counted(table: str) -> rows.Sql:
    return rows.Sql(f"(SELECT count(*) FROM {table} WHERE table_id = tables.id)")


def forget_table(connection: sqlite3.Connection, table: str) -> None:
    """Forget a table with all that belongs to it."""
    connection.execute("DELETE FROM tables WHERE id = ?", (table,))


def forget_more_than(connection: sqlite3.Connection, owner: str, most: int) -> None:
    """Forget the tables of an owner but for so many, those that were changed last."""
    kept = "SELECT id FROM tables WHERE owner = ?1 ORDER BY changed DESC LIMIT ?2"
    connection.execute(f"DELETE FROM tables WHERE owner = ?1 AND id NOT IN ({kept})", (owner, most))


# -- reading tables --


def read_table(store: Store, table: str) -> KeptTable | None:
    """A table with all that was done there, None if there is none."""
    with store.reading():  # the game may go on meanwhile
        found = rows.read(store, "tables", "WHERE id = ?", (table,))
        moves = rows.read(store, "moves", "WHERE table_id = ? ORDER BY deal, position", (table,))
        written = rows.read(store, "notes", "WHERE table_id = ?", (table,))
        people = _people(store, table)
    if not found:
        return None
    _, setup, owner, made, changed, count, finished, following, *expected = found[0]
    for what, kept, there in zip(("actions", "people", "notes"), expected, (moves, people, written), strict=True):
        if len(there) != kept:
            raise rows.damaged(store, "tables", found[0], f"has {kept} {what}, but {len(there)} are there")
    if not 0 < count <= len(moves) + 1:
        raise rows.damaged(store, "tables", found[0], f"has {count} deals, but {len(moves)} actions")
    deals: list[list[str]] = [[] for _ in range(count)]
    for _, deal, position, action in moves:
        if 0 <= deal < count and position == len(deals[deal]):  # nothing counts after a gap
            deals[deal].append(action)
    notes: Notes = {}
    for _, deal, seat, place, text in written:
        notes.setdefault((deal, seat), {})[place] = text
    return KeptTable(table, setup, owner, made, people, deals, bool(finished), following, notes, changed)


def tables_of(store: Store, digest: str, limit: int) -> list[KeptTable]:
    """The tables at which a session has a seat or that it opened, the newest first, without what was done there.

    One that is damaged is logged and left out, so that the others can still be found.
    """
    query = "SELECT id FROM tables WHERE owner = ? OR id IN (SELECT table_id FROM people WHERE session = ?) ORDER BY made DESC LIMIT ?"
    found = []
    for (table,) in store.rows(query, (digest, digest, limit)):
        try:
            for row in rows.read(store, "tables", "WHERE id = ?", (table,)):
                _, setup, owner, made, changed, _, finished, following, *_ = row
                seated = _people(store, table)
                found.append(KeptTable(table, setup, owner, made, seated, [], bool(finished), following, {}, changed))
        except StoreError as error:
            log.error("%s", error)
    return found


def names_of(store: Store, owner: str) -> list[str]:
    """The ids of an owner's tables, that which was changed last first; nothing else of them is read."""
    return [str(name) for (name,) in store.rows("SELECT id FROM tables WHERE owner = ? ORDER BY changed DESC", (owner,))]


def count_tables(store: Store, owner: str, since: float) -> int:
    """How many tables a session has opened since a moment."""
    return int(store.rows("SELECT count(*) FROM tables WHERE owner = ? AND made >= ?", (owner, since))[0][0])


def _people(store: Store, table: str) -> dict[int, tuple[str, str]]:
    found = rows.read(store, "people", "WHERE table_id = ?", (table,))
    return {seat: (digest, name) for _, seat, digest, name in found}
