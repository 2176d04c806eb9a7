"""The tables of the store: the steps that lead from each version of the file to the next, the columns of today, and the checksum of a row."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

CHECKSUM_SIZE = 8  # bytes


def checksum(*values: Any) -> bytes:
    """The checksum of a row: of what its columns hold, in order. It finds damage, not forgery.

    A number counts as the same whether a column holds it as a whole number or not.
    """
    parts: list[bytes] = []
    for value in values:
        if isinstance(value, str):
            content = value.encode()
            parts.append(b"s%d:" % len(content))
            parts.append(content)
        elif isinstance(value, bytes):
            parts.append(b"b%d:" % len(value))
            parts.append(value)
        elif value is None:
            parts.append(b"0:")
        else:
            parts.append(b"n%a:" % (int(value) if isinstance(value, float) and value.is_integer() else value))
    return blake2b(b"".join(parts), digest_size=CHECKSUM_SIZE).digest()


# What each column of today holds. Every table has a column `checksum` after these: of their values, in this order.
COLUMNS: dict[str, dict[str, Any]] = {
    "runs": {
        "id": int,
        "kind": str,
        "config": str,
        "command": str,
        "version": str,
        "started": float,
        "ended": float | None,
        "status": str,
        "pid": int | None,
        "host": str | None,
        "figures": str | None,
        "asked": int | None,
        "done": int,
        "seconds": float,
        "reason": str,
        "results_version": int | None,
        "faults": int,
        "kept": int,
        "shares": str,
    },
    "units": {"run": int, "part": int, "first": int, "count": int, "payload": bytes},
    "faults": {
        "run": int,
        "part": int,
        "game": int,
        "bot": str,
        "seat": int,
        "kind": str,
        "what": str,
        "position": str,
        "reproduce": str,
    },
    "games": {"run": int, "part": int, "game": int, "text": str},
    "sessions": {"digest": str, "name": str, "made": float},
    "tables": {
        "id": str,
        "setup": str,
        "owner": str,
        "made": float,
        "changed": float,
        "deals": int,
        "finished": int,
        "following": str | None,
        "moves": int,
        "people": int,
        "notes": int,
    },
    "people": {"table_id": str, "seat": int, "session": str, "name": str},
    "moves": {"table_id": str, "deal": int, "position": int, "action": str},
    "notes": {"table_id": str, "deal": int, "seat": int, "place": int, "text": str},
}


def _with_checksum(table: str, columns: str) -> tuple[str, str]:
    """A new column with the checksum of these others, filled in for the rows that are there."""
    return f"ALTER TABLE {table} ADD COLUMN checksum BLOB NOT NULL DEFAULT x''", f"UPDATE {table} SET checksum = checksum({columns})"


_RUN_IN_STEP_4 = (
    "id, kind, config, command, version, started, ended, status, pid, host, figures, asked, done, seconds, reason, results_version, "
    "faults, kept"
)

# From an empty file on: a new file takes every step, an old one those that are missing. A released step never changes.
# Steps may call `checksum` as a function of SQL.
STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE runs (
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, config TEXT NOT NULL, command TEXT NOT NULL,
            version TEXT NOT NULL, started REAL NOT NULL, ended REAL, status TEXT NOT NULL, pid INTEGER, host TEXT, figures TEXT
        )""",
        """CREATE TABLE units (
            run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, part INTEGER NOT NULL, first INTEGER NOT NULL,
            count INTEGER NOT NULL, payload BLOB NOT NULL, PRIMARY KEY (run, part, first)
        )""",
        """CREATE TABLE faults (
            run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, part INTEGER NOT NULL, game INTEGER NOT NULL,
            bot TEXT NOT NULL, seat INTEGER NOT NULL, kind TEXT NOT NULL, what TEXT NOT NULL, position TEXT NOT NULL, reproduce TEXT NOT NULL
        )""",
        "CREATE INDEX faults_of_runs ON faults (run, part, game)",
        """CREATE TABLE games (
            run INTEGER NOT NULL REFERENCES runs (id) ON DELETE CASCADE, part INTEGER NOT NULL, game INTEGER NOT NULL, text TEXT NOT NULL
        )""",
        "CREATE INDEX games_of_runs ON games (run, part, game)",
    ),
    (  # how far a run has come and what it took stand in its own row
        "ALTER TABLE runs ADD COLUMN asked INTEGER",
        "ALTER TABLE runs ADD COLUMN done INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE runs ADD COLUMN seconds REAL NOT NULL DEFAULT 0",
        "ALTER TABLE runs ADD COLUMN reason TEXT NOT NULL DEFAULT ''",
        "UPDATE runs SET done = (SELECT coalesce(sum(count), 0) FROM units WHERE units.run = runs.id)",
        "UPDATE runs SET seconds = ended - started WHERE status = 'complete' AND ended IS NOT NULL",
    ),
    (  # tables in the browser: who sits there, what was done, and what players noted
        "CREATE TABLE sessions (digest TEXT PRIMARY KEY, name TEXT NOT NULL, made REAL NOT NULL)",
        """CREATE TABLE tables (
            id TEXT PRIMARY KEY, setup TEXT NOT NULL, owner TEXT NOT NULL, made REAL NOT NULL, changed REAL NOT NULL,
            deals INTEGER NOT NULL, finished INTEGER NOT NULL, following TEXT
        )""",
        """CREATE TABLE people (
            table_id TEXT NOT NULL REFERENCES tables (id) ON DELETE CASCADE, seat INTEGER NOT NULL, session TEXT NOT NULL,
            name TEXT NOT NULL, PRIMARY KEY (table_id, seat)
        )""",
        "CREATE INDEX people_of_sessions ON people (session)",
        """CREATE TABLE moves (
            table_id TEXT NOT NULL REFERENCES tables (id) ON DELETE CASCADE, deal INTEGER NOT NULL, position INTEGER NOT NULL,
            action TEXT NOT NULL, PRIMARY KEY (table_id, deal, position)
        ) WITHOUT ROWID""",
        """CREATE TABLE notes (
            table_id TEXT NOT NULL REFERENCES tables (id) ON DELETE CASCADE, deal INTEGER NOT NULL, seat INTEGER NOT NULL,
            place INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (table_id, deal, seat, place)
        ) WITHOUT ROWID""",
    ),
    (  # every row has a checksum, runs and tables know how many rows belong to them, and runs which results they belong to
        "ALTER TABLE runs ADD COLUMN results_version INTEGER",
        "ALTER TABLE runs ADD COLUMN faults INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE runs ADD COLUMN kept INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE tables ADD COLUMN moves INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE tables ADD COLUMN people INTEGER NOT NULL DEFAULT 0",
        "ALTER TABLE tables ADD COLUMN notes INTEGER NOT NULL DEFAULT 0",
        "UPDATE runs SET results_version = 1, faults = (SELECT count(*) FROM faults WHERE faults.run = runs.id)",
        "UPDATE runs SET kept = (SELECT count(*) FROM games WHERE games.run = runs.id)",
        "UPDATE tables SET moves = (SELECT count(*) FROM moves WHERE table_id = id)",
        "UPDATE tables SET people = (SELECT count(*) FROM people WHERE table_id = id)",
        "UPDATE tables SET notes = (SELECT count(*) FROM notes WHERE table_id = id)",
        *_with_checksum("runs", _RUN_IN_STEP_4),
        *_with_checksum("units", "run, part, first, count, payload"),
        *_with_checksum("faults", "run, part, game, bot, seat, kind, what, position, reproduce"),
        *_with_checksum("games", "run, part, game, text"),
        *_with_checksum("sessions", "digest, name, made"),
        *_with_checksum("tables", "id, setup, owner, made, changed, deals, finished, following, moves, people, notes"),
        *_with_checksum("people", "table_id, seat, session, name"),
        *_with_checksum("moves", "table_id, deal, position, action"),
        *_with_checksum("notes", "table_id, deal, seat, place, text"),
    ),
    (  # a run that is a share of another, or was merged from shares; what was damaged before stays so
        "ALTER TABLE runs ADD COLUMN shares TEXT NOT NULL DEFAULT ''",
        f"UPDATE runs SET checksum = checksum({_RUN_IN_STEP_4}, shares) WHERE checksum = checksum({_RUN_IN_STEP_4})",
    ),
)
VERSION = len(STEPS)
