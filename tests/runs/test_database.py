"""The file of the store: made, brought up to date, or refused with a sentence and left alone."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kibitz.experiments.experiment import recalled
from kibitz.runs import database, locks
from kibitz.runs.database import APPLICATION_ID, StoreError, open_for_reading, open_store, store_path
from kibitz.runs.kept_tables import KeptTable, keep_move, keep_table, read_table
from kibitz.runs.ledger import KeptGame
from kibitz.runs.schema import STEPS, VERSION
from kibitz.runs.store import KILLED, RunLedger, begin, condition, faults_of, list_runs, read_run, reopen
from kibitz.runs.units import Unit
from tests.commands import kibitz_command

VERSION_1 = Path(__file__).with_name("version_1.sql")
VERSION_2 = Path(__file__).with_name("version_2.sql")
VERSION_3 = Path(__file__).with_name("version_3.sql")


def old_store(path: Path, version: Path = VERSION_1) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(version.read_text(encoding="utf-8"))
    connection.close()


def pragma(path: Path, name: str) -> object:
    connection = sqlite3.connect(path)
    try:
        return connection.execute(f"PRAGMA {name}").fetchone()[0]
    finally:
        connection.close()


def schema(path: Path) -> list[tuple[str, ...]]:
    connection = sqlite3.connect(path)
    try:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")]
        return [(table, *(str(column[1:]) for column in connection.execute(f"PRAGMA table_info({table})"))) for table in tables]
    finally:
        connection.close()


def test_a_new_store_is_made_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "down" / "kibitz.db"
    with open_store(path) as store:
        assert list_runs(store) == []
        assert store.rows("PRAGMA journal_mode") == [("wal",)]
        assert store.rows("PRAGMA synchronous") == [(1,)]
        assert store.rows("PRAGMA foreign_keys") == [(1,)]
        assert store.rows("PRAGMA busy_timeout") == [(int(1000 * database.PATIENCE),)]
    assert pragma(path, "application_id") == APPLICATION_ID
    assert pragma(path, "user_version") == VERSION
    assert not path.with_name("kibitz.db-wal").exists()


def test_an_empty_file_is_a_new_store(tmp_path: Path) -> None:
    path = tmp_path / "kibitz.db"
    path.touch()
    open_store(path).close()
    assert pragma(path, "user_version") == VERSION


def test_an_empty_file_is_no_store_to_read_and_stays_empty(tmp_path: Path) -> None:
    path = tmp_path / "part-1.sqlite-locks"
    path.touch()
    for opened in (open_for_reading, lambda path: open_store(path, create=False)):
        with pytest.raises(StoreError, match=r"part-1.sqlite-locks is not a store of kibitz \(it is empty\)"):
            opened(path)
    assert path.stat().st_size == 0
    assert list(tmp_path.iterdir()) == [path]


def test_nothing_is_made_where_something_is_to_be_read(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="there is no store at"):
        open_store(tmp_path / "kibitz.db", create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("named", ["option", "KIBITZ_STORE", "data folder"])
def test_the_path_is_by_option_variable_or_the_data_folder(named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "data"))
    monkeypatch.setenv("KIBITZ_STORE", str(tmp_path / "variable.db"))
    if named == "option":
        assert store_path(str(tmp_path / "option.db")) == tmp_path / "option.db"
    elif named == "KIBITZ_STORE":
        assert store_path() == tmp_path / "variable.db"
    else:
        monkeypatch.delenv("KIBITZ_STORE")
        assert store_path() == tmp_path / "data" / "kibitz" / "kibitz.db"


@pytest.mark.skipif(sys.platform == "win32", reason="HOME is for others")
def test_without_any_variable_the_store_is_in_the_home_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KIBITZ_STORE")
    monkeypatch.setenv("XDG_DATA_HOME", "relative/folders/are/ignored")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert store_path() == tmp_path / ".local" / "share" / "kibitz" / "kibitz.db"


def test_a_folder_that_nobody_knows_is_a_sentence() -> None:
    with pytest.raises(StoreError, match=r"no folder is known .*--store, or play with --no-store"):
        store_path("~nobody_of_that_name/kibitz.db")


# -- refused --


def foreign_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE runs (id INTEGER PRIMARY KEY)")
    connection.execute("INSERT INTO runs VALUES (1)")
    connection.execute("PRAGMA user_version = 1")
    connection.commit()
    connection.close()


def other_application(path: Path) -> None:
    foreign_database(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA application_id = 77")
    connection.close()


def newer_store(path: Path) -> None:
    open_store(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()


def filled_store(path: Path) -> None:
    with open_store(path) as store, begin(store, "demo", {"text": "x" * 50_000}, "kibitz demo"):
        pass


def damaged_middle(path: Path) -> None:
    filled_store(path)
    content = bytearray(path.read_bytes())
    content[4096 : len(content) - 4096] = b"\xa5" * (len(content) - 8192)
    path.write_bytes(content)


def damaged_end(path: Path) -> None:
    filled_store(path)
    path.write_bytes(path.read_bytes()[:-9000])


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "text": (lambda path: path.write_text("my thesis\n" * 100), "is not a store of kibitz (it is no SQLite file)"),
    "short text": (lambda path: path.write_text("my thesis"), "is not a store of kibitz (it is no SQLite file)"),
    "header alone": (lambda path: path.write_bytes(b"SQLite format 3\0"), "is not a store of kibitz"),
    "foreign": (foreign_database, "is not a store of kibitz (it is an SQLite file of another program)"),
    "other application": (other_application, "is not a store of kibitz (it is an SQLite file of another program)"),
    "newer": (newer_store, f"was written by a newer kibitz (version {VERSION + 1} of the file; this one knows up to {VERSION})"),
    "damaged middle": (damaged_middle, "is damaged ("),
    "cut short": (damaged_end, "is damaged ("),
}


@pytest.mark.parametrize("kind", list(BAD))
def test_what_is_foreign_damaged_or_newer_is_refused_and_left_alone(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "kibitz.db"
    make, sentence = BAD[kind]
    make(path)
    before = path.read_bytes()
    for create in (True, False):
        with pytest.raises(StoreError) as refused:
            open_store(path, create)
        message = str(refused.value)
        assert str(path) in message
        assert sentence in message
        assert "left as it is" in message and "--no-store" in message and "\n" not in message
    assert path.read_bytes() == before


def test_damage_that_was_not_looked_for_is_told_when_it_is_met(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kibitz.db"
    damaged_middle(path)
    monkeypatch.setattr(database, "CHECKED_SIZE", 0)
    with pytest.raises(StoreError, match="is damaged"), open_store(path) as store:
        read_run(store, 1)


def test_what_cannot_be_written_is_told_with_the_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match=r"file/kibitz\.db cannot be written: .*--no-store"):
        open_store(tmp_path / "file" / "kibitz.db")
    with pytest.raises(StoreError, match=r"is a folder; .*--no-store"):
        open_store(tmp_path)


def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    with open_store(tmp_path / "kibitz.db") as store:
        store.rows("PRAGMA max_page_count = 20")
        with pytest.raises(StoreError, match=r"cannot be written: database or disk is full; .*--no-store"):
            begin(store, "demo", {"text": "x" * 1_000_000}, "kibitz demo")
        assert list_runs(store) == []
        begin(store, "demo", {}, "kibitz demo").close()
        assert len(list_runs(store)) == 1


# -- older --


def test_an_older_store_is_brought_up_to_date(tmp_path: Path) -> None:
    path, new = tmp_path / "old.db", tmp_path / "new.db"
    old_store(path)
    open_store(new).close()
    assert schema(path) != schema(new)
    with open_store(path) as store:
        first, second = read_run(store, 1), read_run(store, 2)
        assert (first.config, first.figures, first.done, first.seconds, first.asked) == ({"seed": 5}, {"wins": 3}, 30, 12.5, None)
        assert (second.done, second.seconds, condition(store, second)) == (7, 0.0, KILLED)
        assert [(part, fault.bot, fault.game) for part, fault in faults_of(store, 1)] == [(1, "mine", 4)]
        assert RunLedger(store, read_run(store, 2)).games(0) == [KeptGame(3, "uno/1;classic")]
        with reopen(store, 2) as ledger:
            assert [(unit.first, unit.count, payload) for unit, payload in ledger.finished(0).items()] == [(0, 7, b"\3")]
    assert schema(path) == schema(new)
    assert pragma(path, "user_version") == VERSION


def test_a_store_of_the_second_version_is_brought_up_to_date(tmp_path: Path) -> None:
    path, new = tmp_path / "old.db", tmp_path / "new.db"
    old_store(path, VERSION_2)
    open_store(new).close()
    assert pragma(path, "user_version") == 2
    assert schema(path) != schema(new)
    with open_store(path) as store:
        run = read_run(store, 1)
        assert (run.config, run.figures, run.done, run.seconds, run.asked, run.status) == (
            {"seed": 5},
            {"wins": 3},
            30,
            12.5,
            30,
            "complete",
        )
        assert read_table(store, "a" * 16) is None
        with store.writing() as connection:
            keep_table(connection, KeptTable("a" * 16, "{}", "owner", 5.0))
        assert read_table(store, "a" * 16) is not None
    assert schema(path) == schema(new)
    assert pragma(path, "user_version") == VERSION


def test_a_run_of_the_third_version_resumes_to_the_same_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, new = tmp_path / "old.db", tmp_path / "new.db"
    old_store(path, VERSION_3)
    open_store(new).close()
    assert pragma(path, "user_version") == 3
    assert schema(path) != schema(new)
    with open_store(path) as store:
        run = read_run(store, 1)
        assert (run.done, run.asked, run.results_version, run.version) == (40, 60, 1, "0.1.0")
        assert [(part, fault.bot, fault.game) for part, fault in faults_of(store, 1)] == [(0, "mine", 4)]
        assert RunLedger(store, read_run(store, 1)).games(0) == [KeptGame(3, "uno/1;classic")]
        table = read_table(store, "a" * 16)
        assert table is not None
        assert (table.setup, table.people, table.deals, table.notes) == (
            '{"seed": 5}',
            {0: ("digest", "Ann")},
            [["r5", "draw"]],
            {(0, 0): {3: "five?"}},
        )
        with store.writing() as connection:
            keep_move(connection, "a" * 16, 0, 2, "g5", True)
        table = read_table(store, "a" * 16)
        assert table is not None and (table.deals, table.finished) == ([["r5", "draw", "g5"]], True)
    assert schema(path) == schema(new)
    code, out, _ = kibitz_command(capsys, "resume", "1", "--store", str(path), "--json", "-")
    assert code == 0
    assert json.loads(out)["results_version"] == 1
    with open_store(path) as store:
        _, result = recalled(store, read_run(store, 1))
    rows = [(row.bot, row.games, row.wins, row.points_total) for row in result.rows]
    assert rows == [("random", 60, 28, 924), ("greedy", 60, 32, 1257)]  # as version 0.1.0 played them in one go


# -- who may read it --


def modes(folder: Path) -> dict[str, int]:
    return {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}


@pytest.fixture
def umask(request: pytest.FixtureRequest) -> Iterator[None]:
    before = os.umask(request.param)
    try:
        yield
    finally:
        os.umask(before)


@pytest.mark.skipif(sys.platform == "win32", reason="modes are for others")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277], indirect=True)
@pytest.mark.usefixtures("umask")
def test_only_its_owner_can_read_a_new_store(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "deep" / "down"
    with open_store(folder / "kibitz.db") as store, begin(store, "demo", {}, "kibitz demo") as ledger:
        ledger.keep(0, Unit(0, 1), b"")
        assert modes(folder) == dict.fromkeys(("kibitz.db", "kibitz.db-wal", "kibitz.db-shm", "kibitz.db-locks"), 0o600)
    assert modes(tmp_path) == {"deep": 0o700}
    assert modes(folder.parent) == {"down": 0o700}
    assert not caplog.records, "nobody could read it at any time"


@pytest.mark.skipif(sys.platform == "win32", reason="modes are for others")
def test_an_older_store_is_closed_to_others_once_and_that_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "kibitz.db"
    old_store(path, VERSION_3)
    path.with_name("kibitz.db-locks").touch()
    for file in tmp_path.iterdir():
        file.chmod(0o644)
    open_store(path).close()
    assert modes(tmp_path) == {"kibitz.db": 0o600, "kibitz.db-locks": 0o600}
    assert [record.getMessage() for record in caplog.records] == [
        f"store {path} could be read by other users; now only its owner can read it."
    ]
    path.chmod(0o640)  # a choice of the owner's
    open_store(path).close()
    assert modes(tmp_path)["kibitz.db"] == 0o640
    assert len(caplog.records) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="modes are for others")
def test_an_older_store_of_somebody_else_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kibitz.db"
    old_store(path, VERSION_3)
    path.chmod(0o664)
    monkeypatch.setattr("os.geteuid", lambda: path.stat().st_uid + 1)
    with open_store(path) as store, begin(store, "demo", {}, "kibitz demo"):
        assert modes(tmp_path)["kibitz.db"] == 0o664
        assert modes(tmp_path)["kibitz.db-locks"] == 0o664  # whoever may write the store may lock its runs


def test_a_migration_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "old.db"
    old_store(path)
    before = path.read_bytes()
    monkeypatch.setattr(database, "STEPS", (*STEPS[:-1], (*STEPS[-1], "INSERT INTO nowhere VALUES (1)")))
    with pytest.raises(StoreError):
        open_store(path)
    assert path.read_bytes() == before
    monkeypatch.undo()
    with open_store(path) as store:
        assert read_run(store, 1).done == 30


@pytest.mark.parametrize("pages", [1, 3])
def test_a_store_killed_in_its_first_transaction_is_new(pages: int, tmp_path: Path) -> None:
    """Some pages, the first one first, and a rollback journal that says that the file was empty: what such a kill leaves."""
    path = tmp_path / "kibitz.db"
    open_store(path).close()
    content = bytearray(path.read_bytes())
    content[18:20] = b"\1\1"  # not yet with a write-ahead log
    path.write_bytes(content[: 4096 * pages])
    numbers = (0, 12345, 0, 512, 4096)  # pages in the journal, nonce, pages of the file before, sector and page size
    header = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7" + b"".join(number.to_bytes(4, "big") for number in numbers)
    path.with_name("kibitz.db-journal").write_bytes(header.ljust(512, b"\0"))
    with open_store(path) as store:
        assert list_runs(store) == []
        begin(store, "demo", {}, "kibitz demo").close()
    assert pragma(path, "user_version") == VERSION


# -- more than one --


def test_many_make_the_same_store_at_once(tmp_path: Path) -> None:
    path = tmp_path / "kibitz.db"
    gate = threading.Barrier(8)
    problems: list[BaseException] = []

    def make(seed: int) -> None:
        gate.wait()
        try:
            with open_store(path) as store, begin(store, "demo", {"seed": seed}, "kibitz demo") as ledger:
                ledger.finish({})
        except BaseException as problem:  # shown by the assertion below
            problems.append(problem)

    threads = [threading.Thread(target=make, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    with open_store(path) as store:
        assert sorted(run.config["seed"] for run in list_runs(store)) == list(range(8))


def test_threads_share_the_file_of_locks(tmp_path: Path) -> None:
    """Eight threads take, look at and give back their own runs' locks 200 times each, changing places as often as they can."""
    store = tmp_path / "kibitz.db"
    store.touch()
    problems: list[object] = []

    def hold(run: int) -> None:
        try:
            for _ in range(200):
                found = locks.acquire(store, run), locks.is_held(store, run), locks.acquire(store, run)
                locks.release(store, run)
                if (*found, locks.is_held(store, run)) != (True, True, False, False):
                    problems.append(found)
        except BaseException as problem:  # shown by the assertion below
            problems.append(problem)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=hold, args=(run,)) for run in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert problems == []


def test_only_the_thread_that_opened_it_may_write(tmp_path: Path) -> None:
    with open_store(tmp_path / "kibitz.db") as store, begin(store, "demo", {}, "kibitz demo") as ledger:
        refused: list[type[BaseException]] = []

        def interfere(ledger: RunLedger) -> None:
            try:
                ledger.interrupt()
            except sqlite3.ProgrammingError as error:
                refused.append(type(error))

        thread = threading.Thread(target=interfere, args=(ledger,))
        thread.start()
        thread.join()
        assert refused == [sqlite3.ProgrammingError]


def test_opening_it_twice_does_not_let_another_process_throw_the_log_away(tmp_path: Path) -> None:
    """SQLite's locks would be gone if the file were opened and closed beside it: the process that ends would delete the log."""
    path = tmp_path / "kibitz.db"
    program = f"""
from pathlib import Path
from kibitz.runs.database import open_store
from kibitz.runs.store import begin
with open_store(Path({str(path)!r})) as store:
    begin(store, "demo", {{}}, "kibitz demo").close()
"""
    with open_store(path) as first:
        assert list_runs(first) == []  # from now on it is in use
        second = open_store(path)
        for number in (1, 2):
            subprocess.run([sys.executable, "-c", program], check=True)
            assert [run.id for run in list_runs(first)] == list(range(number, 0, -1))
            assert path.with_name("kibitz.db-wal").exists()
        begin(second, "demo", {}, "kibitz demo").close()
        second.close()
    with open_store(path) as store:
        assert [run.id for run in list_runs(store)] == [3, 2, 1]
