"""Runs in the store: begun, continued after whatever happened, listed, deleted.

`begin` and `reopen` give a `RunLedger`, which is handed to whatever plays; each finished unit is one transaction, with
all that belongs to it. A run says in its config, as JSON, all that decides its figures. Whatever is damaged is a `StoreError`.
"""

from __future__ import annotations

import json
import os
import platform
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import cached_property
from types import TracebackType
from typing import Any

from kibitz import __version__
from kibitz.core.errors import BadValue
from kibitz.runs import locks, rows
from kibitz.runs.database import Store, StoreError
from kibitz.runs.ledger import Fault, KeptGame
from kibitz.runs.schema import COLUMNS, checksum
from kibitz.runs.shards import LedgerPart, Shares
from kibitz.runs.units import Unit

RUNNING, COMPLETE, INTERRUPTED, FAILED = "running", "complete", "interrupted", "failed"
KILLED = "killed"  # said of a run that is marked as running while nobody plays it

STATUSES = (RUNNING, COMPLETE, INTERRUPTED, FAILED)
LAST_MOMENT = 253_402_300_799.0  # the end of the year 9999, in seconds since 1970


@dataclass(frozen=True)
class Run:
    """A run as it stands in the store. Times are seconds since 1970; `asked` and `done` count games of all parts.

    `results_version` is that of its game when it began, None if its config names no game. `row` is what the table holds.
    """

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
    results_version: int | None
    shares: Shares | None  # None for a run that was never divided
    row: Mapping[str, Any] = field(repr=False, compare=False)

    @property
    def share(self) -> str:
        """Which share of a run it is, in words; empty for a whole run, merged or not."""
        return self.shares.shard.in_words if self.shares and self.shares.shard else ""

    def to_dict(self) -> dict[str, Any]:
        """The run as it stands in JSON."""
        return {**{name: value for name, value in vars(self).items() if name != "row"}, "shares": self.shares and self.shares.to_dict()}


class RunLedger:
    """Keeps the units of one run in the store, as `kibitz.runs.ledger.Ledger` wants it, and how the run ends.

    `earlier` are the seconds it was played for before it was opened again.
    """

    def __init__(self, store: Store, run: Run) -> None:
        self.store, self.id, self.earlier, self.status = store, run.id, run.seconds, run.status
        self._row, self._shares = dict(run.row), run.shares
        self._whole: set[str] = set()  # tables of which every row of this run was looked at
        self._since: float | None = None  # when it began to play: compiling before that does not count

    # -- what is played --

    def finished(self, part: int) -> dict[Unit, bytes]:
        """The units of a part that are done, with their results."""
        self._since = self._since or time.perf_counter()
        self._check_whole("units")
        found: dict[Unit, bytes] = {}
        end = 0
        for row in rows.each(self.store, "units", "WHERE run = ? AND part = ? ORDER BY first", (self.id, part)):
            _, _, first, count, payload = row
            if first < end or count < 1:
                raise rows.damaged(self.store, "units", row, "overlaps with another")
            found[Unit(first, count)] = payload
            end = first + count
        return found

    def keep(self, part: int, unit: Unit, payload: bytes, faults: Sequence[Fault] = (), games: Sequence[KeptGame] = ()) -> None:
        """Keep a finished unit with all that belongs to it. When this returns, a kill cannot undo it."""
        key = (self.id, part)
        counts = {"done": unit.count, "faults": len(faults), "kept": len(games)}
        with self._changing(seconds=self.seconds, **{name: self._row[name] + more for name, more in counts.items()}) as connection:
            rows.insert(connection, "units", [(*key, unit.first, unit.count, payload)])
            if faults:
                told = [(*key, each.game, each.bot, each.seat, each.kind, each.what, each.position, each.reproduce) for each in faults]
                rows.insert(connection, "faults", map(_unicode, told))
            if games:
                rows.insert(connection, "games", [_unicode((*key, each.game, each.text)) for each in games])

    def faults(self, part: int) -> list[Fault]:
        """The faults kept with the units of a part, in the order of its games."""
        self._check_whole("faults")
        return [fault for _, fault in _faults(self.store, "run = ? AND part = ?", (self.id, part))]

    def games(self, part: int) -> list[KeptGame]:
        """The games kept with the units of a part, in order."""
        self._check_whole("games")
        rest = "WHERE run = ? AND part = ? ORDER BY game, rowid"
        return [KeptGame(game, text) for _, _, game, text in rows.read(self.store, "games", rest, (self.id, part))]

    def slices(self, part: int) -> Sequence[Unit] | None:
        """How a part of a run that was divided into shares is cut; None if the run was never divided."""
        return self._parts[part].slices if self._shares else None

    @cached_property
    def _parts(self) -> list[LedgerPart]:
        return self._shares.parts if self._shares else []

    def _check_whole(self, table: str) -> None:
        """Look once at every row of the run in a table: nothing is damaged, and nothing is missing."""
        if table in self._whole:
            return
        with self.store.reading():  # somebody else may be playing it
            found = [row[3] if table == "units" else 1 for row in rows.each(self.store, table, "WHERE run = ?", (self.id,))]
            column = {"units": "done", "faults": "faults", "games": "kept"}[table]
            expected = read_run(self.store, self.id).row[column]
        if sum(found) != expected:
            what = {"units": "games", "faults": "faults of bots", "games": "records of games"}[table]
            raise StoreError(
                f"store {self.store.path} is damaged: run {self.id} has {expected:,} {what}, but {sum(found):,} are there; delete it with "
                f"`kibitz runs delete {self.id}` and play it again, or restore the file from a copy."
            )
        self._whole.add(table)

    @property
    def seconds(self) -> float:
        """How long the run was played for, all in all."""
        return self.earlier + (time.perf_counter() - self._since if self._since else 0.0)

    @property
    def version(self) -> str:
        """The version of Kibitz that began it."""
        return str(self._row["version"])

    @property
    def ended(self) -> float | None:
        """When it ended, in seconds since 1970."""
        ended: float | None = self._row["ended"]
        return ended

    # -- how it begins again and ends --

    def resume(self) -> None:
        """It is being played again, by this process."""
        with self._changing(status=RUNNING, ended=None, reason="", pid=os.getpid(), host=platform.node()):
            pass

    def finish(self, figures: Any) -> None:
        """All is played: keep the figures, as JSON, and what it took."""
        self._end(COMPLETE, json.dumps(figures, allow_nan=False))

    def interrupt(self) -> None:
        """Somebody stopped it; it can be resumed."""
        self._end(INTERRUPTED)

    def fail(self, reason: str) -> None:
        """It cannot go on. A run that had nothing finished is forgotten."""
        if self._row["done"]:
            self._end(FAILED, reason=reason)
            return
        with self.store.writing() as connection:
            connection.execute("DELETE FROM runs WHERE id = ?", (self.id,))
        self.status = FAILED

    def _end(self, status: str, figures: str | None = None, reason: str = "") -> None:
        with self._changing(status=status, ended=time.time(), seconds=self.seconds, figures=figures, reason=reason):
            pass
        self.status = status

    @contextmanager
    def _changing(self, **changes: Any) -> Iterator[sqlite3.Connection]:
        """A transaction that also changes columns of the run's own row. Only the holder of its lock changes a run."""
        row = {**self._row, **dict(zip(changes, _unicode(changes.values()), strict=True))}
        with self.store.writing() as connection:
            yield connection
            write_row(connection, row, changes)
        self._row = row

    def close(self) -> None:
        """Let others have the run."""
        locks.release(self.store.path, self.id)

    def __enter__(self) -> RunLedger:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def begin(
    store: Store, kind: str, config: dict[str, Any], command: str, asked: int | None = None, shares: Shares | None = None
) -> RunLedger:
    """Enter a new run: `kind` says who can resume it, `command` is what was typed, `asked` how many games it will have.

    With `shares` it is a share of a run.
    """
    row = {
        "kind": kind,
        "config": json.dumps(config, allow_nan=False),
        "command": command,
        "version": __version__,
        "started": time.time(),
        "ended": None,
        "status": RUNNING,
        "pid": os.getpid(),
        "host": platform.node(),
        "figures": None,
        "asked": asked,
        "done": 0,
        "seconds": 0.0,
        "reason": "",
        "results_version": results_version(config),
        "faults": 0,
        "kept": 0,
        "shares": shares.to_text() if shares else "",
    }
    with store.writing() as connection:
        number = insert_run(connection, row)
        take(store, number)  # before anybody can see it
    return RunLedger(store, read_run(store, number))


def insert_run(connection: sqlite3.Connection, values: Mapping[str, Any]) -> int:
    """Write the row of a new run, all columns but its number in order; its number."""
    row = dict(zip(values, _unicode(values.values()), strict=True))
    insert = f"INSERT INTO runs ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})"
    number = connection.execute(insert, list(row.values())).lastrowid
    assert number is not None  # the row is there
    write_row(connection, {"id": number, **row}, ())
    return number


def results_version(config: Mapping[str, Any]) -> int | None:
    """The version of what a config's game gives today, None if it names no game."""
    from kibitz import registry  # brings all bots, which a list of runs need not wait for

    return registry.game(config["game"]).results_version if "game" in config else None


def reopen(store: Store, number: int) -> RunLedger:
    """Continue a run that is not complete, alone: refused while another process plays it."""
    read_run(store, number)
    if not take(store, number):
        run = read_run(store, number)
        raise StoreError(f"run {number} is being played by process {run.pid} on {run.host}; wait for it, or stop it first.")
    try:
        run = read_run(store, number)  # whoever had it may have ended it
        if run.status == COMPLETE:
            raise StoreError(f"run {number} is complete; `kibitz runs show {number}` shows it.")
        ledger = RunLedger(store, run)
        ledger.resume()
        return ledger
    except BaseException:
        locks.release(store.path, number)
        raise


def write_row(connection: sqlite3.Connection, row: Mapping[str, Any], changed: Iterable[str]) -> None:
    """Write some columns of a run, and its checksum."""
    columns = {**{name: row[name] for name in changed}, "checksum": checksum(*row.values())}
    sets = ", ".join(f"{name} = ?" for name in columns)
    connection.execute(f"UPDATE runs SET {sets} WHERE id = ?", (*columns.values(), row["id"]))


def take(store: Store, number: int) -> bool:
    """Take the lock of a run; false if somebody else has it."""
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
    found = rows.read(store, "runs", "WHERE id = ?", (number,)) if 0 < number < 2**63 else []
    if not found:
        raise _unknown(store, number)
    return _run(store, found[0])


def list_runs(store: Store, limit: int | None = None, unfinished: bool = False) -> list[Run]:
    """The runs, newest first; with `unfinished` those that can be resumed or are being played."""
    where = f"WHERE status != '{COMPLETE}'" if unfinished else ""
    found = rows.read(store, "runs", f"{where} ORDER BY id DESC LIMIT ?", (-1 if limit is None else limit,))
    return [_run(store, row) for row in found]


def _unknown(store: Store, number: int) -> BadValue:
    (last,) = store.rows("SELECT max(id) FROM runs")[0]
    known = f"the last is run {last}" if last else "it holds none"
    return BadValue(f"there is no run {number} in {store.path}; {known}.")


def _run(store: Store, row: rows.Row) -> Run:
    """A run from its row, which may hold anything: older versions kept no checksums."""
    kept = dict(zip(COLUMNS["runs"], row, strict=True))
    try:
        values = {**kept, "config": json.loads(kept["config"]), "figures": json.loads(kept["figures"] or "null"), "row": kept}
        values["shares"] = Shares.from_text(kept["shares"]) if kept["shares"] else None
    except (ValueError, RecursionError, LookupError, TypeError, BadValue) as error:
        raise rows.damaged(store, "runs", row, "has no proper config or figures") from error
    run = Run(**{item.name: values[item.name] for item in fields(Run)})
    times = [run.started, run.ended or 0.0, run.seconds]
    counts = [run.done, run.asked or 0, kept["faults"], kept["kept"]]
    if not (
        isinstance(run.config, dict)
        and run.status in STATUSES
        and all(0.0 <= moment <= LAST_MOMENT for moment in times)
        and all(count >= 0 for count in counts)
    ):
        raise rows.damaged(store, "runs", row, "has values that no run can have")
    return run


@contextmanager
def understood(run: Run) -> Iterator[None]:
    """A block that reads what a run's config or figures say: what is missing in them, or of another kind, becomes a sentence."""
    try:
        yield
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise StoreError(
            f"run {run.id} cannot be read: its config or its figures in the store are damaged ({type(error).__name__}: {error}); delete it "
            f"with `kibitz runs delete {run.id}` and play it again, or restore the file from a copy."
        ) from error


def condition(store: Store, run: Run) -> str:
    """How a run stands: its status, but `killed` if it is marked as running and nobody plays it."""
    if run.status != RUNNING:
        return run.status
    try:
        return RUNNING if locks.is_held(store.path, run.id) else KILLED
    except OSError:  # a folder where we may only read
        return RUNNING


def faults_of(store: Store, number: int) -> list[tuple[int, Fault]]:
    """The faults of a run, with their parts, in order."""
    RunLedger(store, read_run(store, number))._check_whole("faults")
    return _faults(store, "run = ?", (number,))


def _faults(store: Store, where: str, values: Sequence[int]) -> list[tuple[int, Fault]]:
    found = rows.read(store, "faults", f"WHERE {where} ORDER BY part, game, rowid", values)
    return [(part, Fault(*fault)) for _, part, *fault in found]


def delete_runs(store: Store, numbers: Iterable[int]) -> None:
    """Forget runs, damaged or not, with all that belongs to them; refused for one that is being played."""
    taken: list[int] = []
    try:
        for number in dict.fromkeys(numbers):
            found = store.rows("SELECT pid, host FROM runs WHERE id = ?", (number,)) if 0 < number < 2**63 else []
            if not found:
                raise _unknown(store, number)
            if not take(store, number):
                pid, host = found[0]
                raise StoreError(f"run {number} is being played by process {pid} on {host}; stop it before it is deleted.")
            taken.append(number)
        with store.writing() as connection:
            connection.executemany("DELETE FROM runs WHERE id = ?", [(number,) for number in taken])
    finally:
        for number in taken:
            locks.release(store.path, number)
