"""A store where nothing can be written: looked at as always, and refused with a sentence where something has to be written."""

from __future__ import annotations

import shutil
import sqlite3
import sys
from pathlib import Path

import pytest

from kibitz.runs.database import ReadOnlyStore, Store, StoreError, open_for_reading, open_store
from kibitz.runs.kept_tables import read_table
from kibitz.runs.schema import VERSION
from kibitz.runs.store import begin, faults_of, list_runs, read_run
from tests.commands import kibitz_command
from tests.runs.permissions import unwritable
from tests.runs.test_database import VERSION_3, old_store

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes of folders are for others")

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a complete run of 20 games and one that was interrupted."""
    path = tmp_path / "data" / "kibitz.db"
    old_store(tmp_path / "old.db", VERSION_3)
    path.parent.mkdir()
    shutil.move(tmp_path / "old.db", path)
    open_store(path).close()
    return path


def test_every_command_that_only_looks_works(store: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIBITZ_STORE", str(store))
    assert kibitz_command(capsys, "match", "random", "greedy", "--games", "20", "--no-jit")[0] == 0
    looks = (
        ["runs"],
        ["runs", "show", "2"],
        ["runs", "show", "1", "--json", "-"],
        ["resume"],
        ["export", "2", "--out", "-"],
        ["replay", "2", "3"],
        ["report", "2", "--out", "-"],
        ["resume", "2"],
    )
    expected = [kibitz_command(capsys, *words) for words in looks]
    before = sorted((path.name, path.read_bytes()) for path in store.parent.iterdir())
    with unwritable(store.parent):
        for words, (code, out, _) in zip(looks, expected, strict=True):
            assert code == 0
            assert kibitz_command(capsys, *words)[:2] == (0, out), words
        for words in (["resume", "1"], ["runs", "delete", "1", "--yes"], ["match", "random", "greedy", "--games", "20", "--no-jit"]):
            code, _, err = kibitz_command(capsys, *words)
            assert (code, err.count("\n")) == (2, 1)
            assert f"store {store} cannot be written: " in err
    assert sorted((path.name, path.read_bytes()) for path in store.parent.iterdir()) == before


def test_an_older_store_is_brought_up_to_date_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "data" / "kibitz.db"
    path.parent.mkdir()
    old_store(path, VERSION_3)
    before = path.read_bytes()
    with unwritable(path.parent), open_for_reading(path) as store:
        assert store.rows("PRAGMA user_version") == [(VERSION,)]
        assert (read_run(store, 1).done, len(faults_of(store, 1))) == (40, 1)
        table = read_table(store, "a" * 16)
        assert table is not None and table.deals == [["r5", "draw"]]
        with pytest.raises(StoreError, match="cannot be written"):
            begin(store, "demo", {}, "kibitz demo")
    assert path.read_bytes() == before


def test_what_is_only_in_the_log_is_seen(store: Path, tmp_path: Path) -> None:
    """A store that was copied, or lost its process, while its last run was still in the write-ahead log."""
    path = tmp_path / "copy" / "kibitz.db"
    path.parent.mkdir()
    with open_store(store) as opened, begin(opened, "demo", {}, "kibitz demo"):
        for end in ("", "-wal"):
            shutil.copyfile(f"{store}{end}", f"{path}{end}")
    assert path.with_name("kibitz.db-wal").stat().st_size > 0
    with unwritable(path.parent), open_for_reading(path) as opened:
        assert [run.id for run in list_runs(opened)] == [2, 1]


def test_damage_is_told_there_too(store: Path) -> None:
    content = bytearray(store.read_bytes())
    place = content.index(b'"seed": 3')
    content[place + 8] ^= 1
    store.write_bytes(content)
    with unwritable(store.parent), open_for_reading(store) as opened, pytest.raises(StoreError, match="run 1 does not match its checksum"):
        list_runs(opened)


def test_a_store_that_another_process_has_locked_is_not_taken_for_one_that_cannot_be_written(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kibitz.runs.database.PATIENCE", 0.05)
    old_store(store.with_name("busy.db"), VERSION_3)
    other = sqlite3.connect(store.with_name("busy.db"), isolation_level=None)
    try:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match=r"cannot be written: database is locked"):
            open_for_reading(store.with_name("busy.db"))
    finally:
        other.close()


def test_a_store_that_could_be_opened_but_not_written_says_so(store: Path) -> None:
    connection = sqlite3.connect(f"{store.as_uri()}?mode=ro", uri=True, isolation_level=None)
    with Store(store, connection) as opened, pytest.raises(ReadOnlyStore, match=r"cannot be written: attempt to write a readonly database"):
        opened.check_writable()
    with open_store(store) as opened:
        opened.check_writable()
