"""Runs in the store: begun, continued after whatever happened, listed, deleted.

`begin` and `reopen` give a `RunLedger`, which is handed to whatever plays; each finished unit is one transaction, with
all that belongs to it. A run says in its config, as JSON, all that decides its figures.
"""

from __future__ import annotations

import json
import os
import platform
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from kibitz import __version__
from kibitz.errors import BadValue
from kibitz.runner.ledger import Fault, KeptGame
from kibitz.runner.units import Unit
from kibitz.store import locks
from kibitz.store.database import Store, StoreError

RUNNING, COMPLETE, INTERRUPTED, FAILED = "running", "complete", "interrupted", "failed"
KILLED = "killed"  # said of a run that is marked as running while nobody plays it

_COLUMNS = "id, kind, config, command, version, started, ended, status, pid, host, figures, asked, done, seconds, reason"


@dataclass(frozen=True)
class Run:
    """A run as it stands in the store. Times are seconds since 1970; `asked` and `done` count games of all parts."""

    id: int
    kind: str
    config: dict[str, Any]
    command: str
    version: str
    started: float
    ended: float | None
    status: str
    pid: int
    host: str
    figures: Any
    asked: int | None
    done: int
    seconds: float
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """The run as it stands in JSON."""
        return dict(vars(self))


class RunLedger:
    """Keeps the units of one run in the store, as `kibitz.runner.ledger.Ledger` wants it, and how the run ends.

    `earlier` are the seconds it was played for before it was opened again.
    """

    def __init__(self, store: Store, run: Run) -> None:
        self.store, self.id, self.earlier, self.status = store, run.id, run.seconds, run.status
        self._done = run.done
        self._since: float | None = None  # when it began to play: compiling before that does not count

    # -- what is played --

    def finished(self, part: int) -> dict[Unit, bytes]:
        """The units of a part that are done, with their results."""
        self._since = self._since or time.perf_counter()
        found = self.store.rows("SELECT first, count, payload FROM units WHERE run = ? AND part = ? ORDER BY first", (self.id, part))
        return {Unit(first, count): payload for first, count, payload in found}

    def keep(self, part: int, unit: Unit, payload: bytes, faults: Sequence[Fault] = (), games: Sequence[KeptGame] = ()) -> None:
        """Keep a finished unit with all that belongs to it. When this returns, a kill cannot undo it."""
        key = (self.id, part)
        with self.store.writing() as connection:
            connection.execute("INSERT INTO units VALUES (?, ?, ?, ?, ?)", (*key, unit.first, unit.count, payload))
            if faults:
                rows = [(*key, each.game, each.bot, each.seat, each.kind, each.what, each.position, each.reproduce) for each in faults]
                connection.executemany("INSERT INTO faults VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", map(_unicode, rows))
            if games:
                connection.executemany("INSERT INTO games VALUES (?, ?, ?, ?)", [_unicode((*key, each.game, each.text)) for each in games])
            connection.execute("UPDATE runs SET done = done + ?, seconds = ? WHERE id = ?", (unit.count, self.seconds, self.id))
        self._done += unit.count

    def faults(self, part: int) -> list[Fault]:
        """The faults kept with the units of a part, in the order of its games."""
        return [fault for _, fault in faults_of(self.store, self.id, part)]

    def games(self, part: int) -> list[KeptGame]:
        """The games kept with the units of a part, in order."""
        query = "SELECT game, text FROM games WHERE run = ? AND part = ? ORDER BY game, rowid"
        return [KeptGame(*row) for row in self.store.rows(query, (self.id, part))]

    @property
    def seconds(self) -> float:
        """How long the run was played for, all in all."""
        return self.earlier + (time.perf_counter() - self._since if self._since else 0.0)

    # -- how it ends --

    def finish(self, figures: Any) -> None:
        """All is played: keep the figures, as JSON, and what it took."""
        self._end(COMPLETE, json.dumps(figures, allow_nan=False))

    def interrupt(self) -> None:
        """Somebody stopped it; it can be resumed."""
        self._end(INTERRUPTED)

    def fail(self, reason: str) -> None:
        """It cannot go on. A run that had nothing finished is forgotten."""
        if self._done:
            self._end(FAILED, reason=reason)
            return
        with self.store.writing() as connection:
            connection.execute("DELETE FROM runs WHERE id = ?", (self.id,))
        self.status = FAILED

    def _end(self, status: str, figures: str | None = None, reason: str = "") -> None:
        values = _unicode((status, time.time(), self.seconds, figures, reason, self.id))
        with self.store.writing() as connection:
            connection.execute("UPDATE runs SET status = ?, ended = ?, seconds = ?, figures = ?, reason = ? WHERE id = ?", values)
        self.status = status

    def close(self) -> None:
        """Let others have the run."""
        locks.release(self.store.path, self.id)

    def __enter__(self) -> RunLedger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def begin(store: Store, kind: str, config: dict[str, Any], command: str, asked: int | None = None) -> RunLedger:
    """Enter a new run: `kind` says who can resume it, `command` is what was typed, `asked` how many games it will have."""
    told = json.dumps(config, allow_nan=False)
    values = (kind, told, command, __version__, time.time(), RUNNING, os.getpid(), platform.node(), asked)
    with store.writing() as connection:
        insert = "INSERT INTO runs (kind, config, command, version, started, status, pid, host, asked) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        number = connection.execute(insert, _unicode(values)).lastrowid
        assert number is not None  # the row is there
        _take(store, number)  # before anybody can see it
    return RunLedger(store, read_run(store, number))


def reopen(store: Store, number: int) -> RunLedger:
    """Continue a run that is not complete, alone: refused while another process plays it."""
    read_run(store, number)
    if not _take(store, number):
        run = read_run(store, number)
        raise StoreError(f"run {number} is being played by process {run.pid} on {run.host}; wait for it, or stop it first.")
    try:
        run = read_run(store, number)  # whoever had it may have ended it
        if run.status == COMPLETE:
            raise StoreError(f"run {number} is complete; `kibitz runs show {number}` shows it.")
        with store.writing() as connection:
            change = "UPDATE runs SET status = ?, ended = NULL, reason = '', pid = ?, host = ? WHERE id = ?"
            connection.execute(change, (RUNNING, os.getpid(), platform.node(), number))
        return RunLedger(store, run)
    except BaseException:
        locks.release(store.path, number)
        raise


def _take(store: Store, number: int) -> bool:
    try:
        return locks.acquire(store.path, number)
    except OSError as error:
        raise StoreError(f"store {store.path} cannot be locked: {error.strerror}; play with --no-store.") from error


def _unicode(values: Iterable[Any]) -> list[Any]:
    """Values that SQLite takes: what bots say and files are called need not be Unicode."""
    return [value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value for value in values]


# -- looking and deleting --


def read_run(store: Store, number: int) -> Run:
    """A run by its number."""
    found = store.rows(f"SELECT {_COLUMNS} FROM runs WHERE id = ?", (number,)) if 0 < number < 2**63 else []
    if not found:
        (last,) = store.rows("SELECT max(id) FROM runs")[0]
        known = f"the last is run {last}" if last else "it holds none"
        raise BadValue(f"there is no run {number} in {store.path}; {known}.")
    return _run(found[0])


def list_runs(store: Store, limit: int | None = None, unfinished: bool = False) -> list[Run]:
    """The runs, newest first; with `unfinished` those that can be resumed or are being played."""
    where = f"WHERE status != '{COMPLETE}'" if unfinished else ""
    found = store.rows(f"SELECT {_COLUMNS} FROM runs {where} ORDER BY id DESC LIMIT ?", (-1 if limit is None else limit,))
    return [_run(row) for row in found]


def _run(row: tuple[Any, ...]) -> Run:
    run = Run(*row)
    figures = None if run.figures is None else json.loads(run.figures)
    return Run(**{**vars(run), "config": json.loads(row[2]), "figures": figures})


def condition(store: Store, run: Run) -> str:
    """How a run stands: its status, but `killed` if it is marked as running and nobody plays it."""
    if run.status != RUNNING:
        return run.status
    try:
        return RUNNING if locks.is_held(store.path, run.id) else KILLED
    except OSError:  # a folder where we may only read
        return RUNNING


def faults_of(store: Store, number: int, part: int | None = None) -> list[tuple[int, Fault]]:
    """The faults of a run, or of one part of it, with their parts, in order."""
    query = "SELECT part, game, bot, seat, kind, what, position, reproduce FROM faults WHERE run = ?"
    values = [number] if part is None else [number, part]
    found = store.rows(f"{query}{'' if part is None else ' AND part = ?'} ORDER BY part, game, rowid", values)
    return [(row[0], Fault(*row[1:])) for row in found]


def kept_game(store: Store, number: int, part: int, game: int) -> list[str]:
    """The lines kept of one game: one, or one for each deal of a contest; none if it was not kept."""
    query = "SELECT text FROM games WHERE run = ? AND part = ? AND game = ? ORDER BY rowid"
    return [text for (text,) in store.rows(query, (number, part, game))]


def delete_runs(store: Store, numbers: Iterable[int]) -> None:
    """Forget runs with all that belongs to them; refused for one that is being played."""
    taken: list[int] = []
    try:
        for number in dict.fromkeys(numbers):
            run = read_run(store, number)
            if not _take(store, number):
                raise StoreError(f"run {number} is being played by process {run.pid} on {run.host}; stop it before it is deleted.")
            taken.append(number)
        with store.writing() as connection:
            connection.executemany("DELETE FROM runs WHERE id = ?", [(number,) for number in taken])
    finally:
        for number in taken:
            locks.release(store.path, number)
