"""The file of the store: found, looked at before it is touched, made or brought up to date, and written safely.

A file that is not ours, damaged or newer than this program is refused with a sentence and left as it is. With the
write-ahead log, what is committed survives a kill at any moment, and one process may read while another writes.
Only its owner can read a new store. One that cannot be written can still be looked at.
"""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import sqlite3
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.reading import check_kind
from kibitz.runs import private
from kibitz.runs.schema import STEPS, VERSION, checksum

log = logging.getLogger("kibitz.store")

APPLICATION_ID = 0x4B49425A  # "KIBZ", in the header of every file of ours
PATIENCE = 30.0  # seconds to wait for another process that writes
CHECKED_SIZE = 8 * 2**20  # files up to this size are looked through for damage when they are opened

# The header of an SQLite file, https://sqlite.org/fileformat.html
_MAGIC = b"SQLite format 3\0"
_HEADER_SIZE = 100
_VERSION_AT, _APPLICATION_AT = 60, 68
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_CANNOT_WRITE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
_ELSEWHERE = (*_CANNOT_WRITE, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM)
_NO_TEXT = "text that is not UTF-8"  # a name in a message of SQLite's
_BESIDE = ("", "-wal", "-shm", "-locks")  # the files of a store

# A process loses its locks on a file as soon as it closes it anywhere, SQLite's among them: then another process may throw away
# the log that this one still writes to. So a file is looked at only while nobody in this process has it open.
_open_here: Counter[str] = Counter()
_looking = threading.Lock()


class StoreError(KibitzError):
    """The store cannot be used; the message says which file and why."""


class ReadOnlyStore(StoreError):
    """The store is where nothing can be written, but it may still be read."""


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
        return list(self.each(query, values))

    def each(self, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """What a query finds, row by row."""
        with explained(self.path):
            yield from self._connection.execute(query, values)

    @contextmanager
    def reading(self) -> Iterator[None]:
        """A block in which all queries see the store as it was at the first of them."""
        with explained(self.path), _transaction(self._connection, "BEGIN"):
            yield

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction: all of the block is kept, or nothing."""
        with explained(self.path), _transaction(self._connection):
            yield self._connection

    def check_writable(self) -> None:
        """Fail now if nothing can be written: a store whose log was left beside it can be opened on a read-only file system, too."""
        with self.writing() as connection:
            connection.execute("UPDATE runs SET id = id WHERE FALSE")  # takes the lock to write, and BEGIN IMMEDIATE does not do so there

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
    """Open the store: created if it does not exist and `create` is set, brought up to date if an older version wrote it."""
    with _looked_at(path, create):
        _look_for_damage(path)
        with explained(path):
            return _store(path, sqlite3.connect(path, timeout=PATIENCE, isolation_level=None), _bring_up_to_date)


def open_for_reading(path: Path) -> Store:
    """Open a store that exists to look at it; where nothing can be written, it is opened all the same."""
    try:
        return open_store(path, create=False)
    except ReadOnlyStore:
        with _looked_at(path, create=False), explained(path):
            return _store(path, _connect_read_only(path), _prepare_to_read)


@contextmanager
def _looked_at(path: Path, create: bool) -> Iterator[None]:
    """A block that opens a file which may be opened: it is there or may be made, and is a store as far as its header tells."""
    if not create and not path.exists():
        raise StoreError(f"there is no store at {path}: no run was kept there yet; name another file with --store.")
    try:
        if create:
            private.make_folder(path.parent)
        with _looking:
            if not _open_here[_key(path)]:
                _look_at_header(path, create)
                if create and not path.exists():
                    private.create_file(path)  # empty is new for SQLite, which gives the files beside it the same mode
            _open_here[_key(path)] += 1
    except OSError as error:
        raise _unwritable(path, error.strerror or str(error)) from error
    try:
        yield
    except BaseException:
        _note_closed(path)
        raise


def _store(path: Path, connection: sqlite3.Connection, prepare: Callable[[Path, sqlite3.Connection], None]) -> Store:
    try:
        connection.create_function("checksum", -1, checksum, deterministic=True)
        prepare(path, connection)
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
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


def _look_at_header(path: Path, create: bool) -> None:
    """Refuse what is not ours or newer, from its first bytes, before SQLite opens it. An empty file is new, if one may be made."""
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
        if create:
            return
        raise _foreign(path, "it is empty")
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
        _check_pages(path, connection)
    except sqlite3.DatabaseError as error:
        if _code(error) in _DAMAGED:
            raise _damaged(path, str(error)) from error
        # Otherwise it is something such as an unfinished first write, which only opening it for writing can undo.
    except UnicodeDecodeError as error:
        raise _damaged(path, _NO_TEXT) from error
    finally:
        connection.close()


def _check_pages(path: Path, connection: sqlite3.Connection) -> None:
    """Let SQLite look through its pages, and whether each index has every row."""
    found = connection.execute("PRAGMA integrity_check(1)").fetchone()
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
        _migrate(path, connection)
        _take_from_others(path)
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


def _migrate(path: Path, connection: sqlite3.Connection) -> None:
    with _transaction(connection):
        version = _version(connection)
        _check_version(path, version)
        for statements in STEPS[version:]:
            for statement in statements:
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")


def _take_from_others(path: Path) -> None:
    """Close a store of an older version to others, once: older versions created it with whatever mode the umask gave."""
    if sum(private.take_from_others(path.with_name(path.name + end)) for end in _BESIDE):
        log.warning("store %s could be read by other users; now only its owner can read it.", path)


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


@contextmanager
def _transaction(connection: sqlite3.Connection, begin: str = "BEGIN IMMEDIATE") -> Iterator[None]:
    try:
        connection.execute(begin)
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


# -- looking where nothing can be written --


def _connect_read_only(path: Path) -> sqlite3.Connection:
    """The store as it is now, where SQLite can create no file beside it; in memory, if it is of an older version."""
    wal = path.with_name(f"{path.name}-wal")
    if wal.exists() and wal.stat().st_size:
        return _copy_with_log(path, wal)
    connection = sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True, isolation_level=None)
    try:
        if path.stat().st_size <= CHECKED_SIZE:
            _check_pages(path, connection)
        return connection if _version(connection) == VERSION else _in_memory(connection)
    except BaseException:
        connection.close()
        raise


def _copy_with_log(path: Path, wal: Path) -> sqlite3.Connection:
    """A copy in memory, made from a copy on disk: only there can SQLite take over what is still in the log."""
    with tempfile.TemporaryDirectory(prefix="kibitz-store-") as folder:
        copy = Path(folder) / "copy.db"
        try:
            shutil.copyfile(path, copy)
            shutil.copyfile(wal, copy.with_name("copy.db-wal"))
        except OSError as error:
            raise StoreError(f"store {path} cannot be copied to be read: {error.strerror}; copy it to where it can be written.") from error
        connection = sqlite3.connect(copy, isolation_level=None)
        try:
            if copy.stat().st_size <= CHECKED_SIZE:
                _check_pages(path, connection)
            return _in_memory(connection)
        finally:
            connection.close()


def _in_memory(connection: sqlite3.Connection) -> sqlite3.Connection:
    """A copy of a database, which is closed."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.backup(copy)
    except BaseException:
        copy.close()
        raise
    connection.close()
    return copy


def _prepare_to_read(path: Path, connection: sqlite3.Connection) -> None:
    """Bring a copy up to date, and let nobody write what would be lost."""
    if _version(connection) != VERSION:
        _migrate(path, connection)
    connection.execute("PRAGMA query_only = ON")


# -- sentences --


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turn what SQLite says into a sentence that names the file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        if _code(error) not in _ELSEWHERE:  # such as text that is no UTF-8, or a column that is not there
            raise _damaged(path, str(error)) from error
        raise _unwritable(path, str(error), _code(error) in _CANNOT_WRITE) from error
    except sqlite3.DatabaseError as error:
        if isinstance(error, (sqlite3.IntegrityError, sqlite3.ProgrammingError)):
            raise  # a mistake of ours
        raise _damaged(path, str(error)) from error
    except UnicodeDecodeError as error:
        raise _damaged(path, _NO_TEXT) from error


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF  # without what SQLite adds to its plain codes


def _foreign(path: Path, why: str) -> StoreError:
    return StoreError(
        f"{path} is not a store of kibitz ({why}) and is left as it is; name another file with --store, or play with --no-store."
    )


def _damaged(path: Path, what: str) -> StoreError:
    return StoreError(f"store {path} is damaged ({what}) and is left as it is; name another file with --store, or play with --no-store.")


def _unwritable(path: Path, why: str, only_read: bool = False) -> StoreError:
    kind = ReadOnlyStore if only_read else StoreError
    return kind(f"store {path} cannot be written: {why}; name another file with --store, or play with --no-store.")


def line_to_copy(store: Path, *words: str) -> str:
    """A command about a run, as it can be typed: with the store, if that is not the usual one."""
    return shlex.join(["kibitz", *words, *([] if store == store_path() else ["--store", str(store)])])
