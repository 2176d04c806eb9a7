"""The file of the store: found, looked at before it is touched, made or brought up to date, and written safely.

A file that is not ours, damaged or newer than this program is refused with a sentence and left as it is. With the
write-ahead log, what is committed survives a kill at any moment, and one process may read while another writes.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from kibitz.errors import BadValue, KibitzError
from kibitz.reading import check_kind

APPLICATION_ID = 0x4B49425A  # "KIBZ", in the header of every file of ours
PATIENCE = 30.0  # seconds to wait for another process that writes
CHECKED_SIZE = 8 * 2**20  # files up to this size are looked through for damage when they are opened

# The header of an SQLite file, https://sqlite.org/fileformat.html
_MAGIC = b"SQLite format 3\0"
_HEADER_SIZE = 100
_VERSION_AT, _APPLICATION_AT = 60, 68
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)

# What leads from each version of the file to the next, from an empty one on: a new file takes every step, an old one the rest.
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
)
VERSION = len(STEPS)


# A process loses its locks on a file as soon as it closes it anywhere, SQLite's among them: then another process may throw away
# the log that this one still writes to. So a file is looked at only while nobody in this process has it open.
_open_here: Counter[str] = Counter()
_looking = threading.Lock()


class StoreError(KibitzError):
    """The store cannot be used; the message says which file and why."""


def store_path(option: str | None = None) -> Path:
    """Where the store is: as asked, else as KIBITZ_STORE says, else in the user's data folder."""
    named = option if option is not None else os.environ.get("KIBITZ_STORE") or None
    try:
        if named is not None:
            path = Path(named).expanduser().absolute()
            check_kind(path, "store")
            return path
        return _data_folder() / "kibitz" / "kibitz.db"
    except BadValue as error:
        raise StoreError(f"{str(error).rstrip('.')}; name a file with --store, or play with --no-store.") from None
    except RuntimeError as error:
        raise StoreError(f"no folder is known to keep runs in ({error}); name a file with --store, or play with --no-store.") from error


def _data_folder() -> Path:
    named = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME", "")
    if Path(named).is_absolute():  # a relative one is to be ignored, says the specification of XDG
        return Path(named)
    return Path.home() / ("AppData/Local" if sys.platform == "win32" else ".local/share")


class Store:
    """An open store. Only the thread that opened it may use it."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._is_open = True

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """What a query finds."""
        with explained(self.path):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of the block is kept, or nothing."""
        with explained(self.path), _transaction(self._connection):
            yield self._connection

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
        if self._is_open:
            self._is_open = False
            _note_closed(self.path)

    def __enter__(self) -> Store:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def open_store(path: Path, create: bool = True) -> Store:
    """Open the store, made if it does not exist and `create` is set, brought up to date if an older version wrote it."""
    if not create and not path.exists():
        raise StoreError(f"there is no store at {path}: no run was kept there yet; name another file with --store.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error
    with _looking:
        if not _open_here[_key(path)]:
            _look_at_header(path)
        _open_here[_key(path)] += 1
    try:
        _look_for_damage(path)
        with explained(path):
            connection = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
            try:
                _bring_up_to_date(path, connection)
                connection.execute("PRAGMA foreign_keys = ON")
                connection.execute("PRAGMA synchronous = NORMAL")
            except BaseException:
                connection.close()
                raise
    except BaseException:
        _note_closed(path)
        raise
    return Store(path, connection)


def _key(path: Path) -> str:
    return os.path.realpath(path)


def _note_closed(path: Path) -> None:
    with _looking:
        _open_here[_key(path)] -= 1
        if not _open_here[_key(path)]:
            del _open_here[_key(path)]


# -- looking first --


def _look_at_header(path: Path) -> None:
    """Refuse what is not ours or newer, from its first bytes, before SQLite opens it. An empty file is new."""
    if path.is_dir():
        raise StoreError(f"store {path} is a folder; name a file with --store, or play with --no-store.")
    try:
        with path.open("rb") as file:
            header = file.read(_HEADER_SIZE)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(
            f"store {path} cannot be read: {error.strerror}; name another file with --store, or play with --no-store."
        ) from error
    if not header:
        return
    if not header.startswith(_MAGIC) or len(header) < _HEADER_SIZE:
        raise _foreign(path, "it is no SQLite file")
    if int.from_bytes(header[_APPLICATION_AT : _APPLICATION_AT + 4], "big") != APPLICATION_ID:
        raise _foreign(path, "it is an SQLite file of another program")
    _check_version(path, int.from_bytes(header[_VERSION_AT : _VERSION_AT + 4], "big"))


def _look_for_damage(path: Path) -> None:
    """Refuse a damaged file without writing to it. Large files are not read through: there damage shows when it is met."""
    if not path.exists() or not 0 < path.stat().st_size <= CHECKED_SIZE:
        return
    connection = sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=PATIENCE)
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if _code(error) in _DAMAGED:
            raise _damaged(path, str(error)) from error
        return  # such as an unfinished first write, which only opening it for writing can undo
    finally:
        connection.close()
    if found != ("ok",):
        raise _damaged(path, str(found[0]).splitlines()[-1])


def _check_version(path: Path, version: int) -> None:
    if version > VERSION:
        raise StoreError(
            f"store {path} was written by a newer kibitz (version {version} of the file; this one knows up to {VERSION}) and is left "
            "as it is; update kibitz, name another file with --store, or play with --no-store."
        )


# -- making and migrating --


def _bring_up_to_date(path: Path, connection: sqlite3.Connection) -> None:
    """Take the steps that are missing, all in one transaction; whoever comes second finds them taken."""
    if _version(connection) != VERSION:
        with _transaction(connection):
            version = _version(connection)
            _check_version(path, version)
            for statements in STEPS[version:]:
                for statement in statements:
                    connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
    # Only now: before its first transaction a file of ours could not be told from another's.
    until = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:  # somebody else is about to switch it on
            if _code(error) != sqlite3.SQLITE_BUSY or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


# -- sentences --


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says into a sentence that names the file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _code(error) in _DAMAGED:
            raise _damaged(path, str(error)) from error
        raise _unwritable(path, str(error)) from error
    except sqlite3.DatabaseError as error:
        if isinstance(error, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
            raise  # a mistake of ours
        raise _damaged(path, str(error)) from error


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # without what SQLite adds to its plain codes


def _foreign(path: Path, why: str) -> StoreError:
    return StoreError(
        f"{path} is not a store of kibitz ({why}) and is left as it is; name another file with --store, or play with --no-store."
    )


def _damaged(path: Path, what: str) -> StoreError:
    return StoreError(f"store {path} is damaged ({what}) and is left as it is; name another file with --store, or play with --no-store.")


def _unwritable(path: Path, why: str) -> StoreError:
    return StoreError(f"store {path} cannot be written: {why}; name another file with --store, or play with --no-store.")
