"""Tables as files: they read back as what was written, and no half of one ever has its name."""

from __future__ import annotations

import csv
import importlib
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.core.errors import BadValue
from kibitz.core.extras import MissingExtra
from kibitz.play.decisions import Column, columns_of, decisions_of
from kibitz.play.lineup import make_lineup
from kibitz.report import files
from kibitz.report.files import FORMATS, GAME_COLUMNS, game_row, write_table

COLUMNS = (
    Column("number", "int", ""),
    Column("name", "text", ""),
    Column("cards", "ints", ""),
    Column("seats", "texts", ""),
)
ROWS: list[dict[str, Any]] = [
    {"number": 1, "name": "Zoë", "cards": [], "seats": ["a b", 'c",d']},
    {"number": None, "name": 'comma, "quote"\nline', "cards": [1, -2, 2**40], "seats": []},
    {"number": -7, "name": "", "cards": [0], "seats": [""]},
]


def read_back(path: Path, file_format: str, columns: tuple[Column, ...]) -> list[dict[str, Any]]:
    if file_format == "jsonl":
        return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    if file_format == "parquet":
        parquet: Any = importlib.import_module("pyarrow.parquet")
        rows: list[dict[str, Any]] = parquet.read_table(path).to_pylist()
        return rows
    readers: dict[str, Any] = {
        "int": lambda text: int(text) if text else None,
        "text": str,
        "ints": lambda text: [int(word) for word in text.split()],
        "texts": json.loads,
    }
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        assert reader.fieldnames == [column.name for column in columns]
        return [{column.name: readers[column.kind](row[column.name]) for column in columns} for row in reader]


@pytest.mark.parametrize("file_format", FORMATS)
def test_a_table_reads_back(file_format: str, tmp_path: Path) -> None:
    path = tmp_path / "table"
    assert write_table(ROWS, path, file_format, COLUMNS) == 3
    assert read_back(path, file_format, COLUMNS) == ROWS
    assert write_table([], path, file_format, COLUMNS) == 0
    assert read_back(path, file_format, COLUMNS) == []
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_decisions_read_back(game: str, file_format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BATCH", 100)
    lineup = make_lineup(["random", "random", "random"], game=game)
    rows = list(decisions_of(lineup, 4, range(8)))
    assert len(rows) > 100
    path = tmp_path / "decisions"
    assert write_table(decisions_of(lineup, 4, range(8)), path, file_format, columns_of(game)) == len(rows)
    assert read_back(path, file_format, columns_of(game)) == rows


@pytest.mark.parametrize("file_format", FORMATS)
def test_games_read_back(file_format: str, tmp_path: Path) -> None:
    games = [kibitz.play(["mix2", "random"], seed=4, index=index, rules="classic,max_turns=40") for index in range(10)]
    path = tmp_path / "games"
    write_table((game_row(played, match=2) for played in games), path, file_format, GAME_COLUMNS)
    rows = read_back(path, file_format, GAME_COLUMNS)
    assert {row["winner"] for row in rows} == {None, 0, 1}
    for row, played in zip(rows, games, strict=True):
        assert (row["index"], row["match"], row["seats"], row["rules"]) == (played.index, 2, played.seats, played.rules)
        assert (row["winner"], row["points"], row["turns"], row["status"]) == (played.winner, played.points, played.turns, played.status)


@pytest.mark.parametrize("file_format", FORMATS)
def test_rows_are_taken_in_batches(file_format: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more than a batch of rows is alive at once."""
    monkeypatch.setattr(files, "BATCH", 10)
    alive: list[int] = [0, 0]  # now, and at most

    class Counted(dict[str, Any]):
        def __init__(self) -> None:
            super().__init__(ROWS[0])
            alive[0] += 1
            alive[1] = max(alive)

        def __del__(self) -> None:
            alive[0] -= 1

    write_table((Counted() for _ in range(500)), tmp_path / "table", file_format, COLUMNS)
    assert 10 <= alive[1] <= 21  # the next batch is made while the last one is still named


@pytest.mark.parametrize("file_format", FORMATS)
@pytest.mark.parametrize("failure", [KeyboardInterrupt, ZeroDivisionError])
def test_an_interrupted_table_leaves_what_was_there(
    file_format: str, failure: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "BATCH", 2)
    path = tmp_path / "table"

    def broken() -> Iterator[dict[str, Any]]:
        yield from ROWS * 3
        raise failure

    with pytest.raises(failure):
        write_table(broken(), path, file_format, COLUMNS)
    assert list(tmp_path.iterdir()) == []
    path.write_text("before")
    with pytest.raises(failure):
        write_table(broken(), path, file_format, COLUMNS)
    assert [file.name for file in tmp_path.iterdir()] == ["table"]
    assert path.read_text() == "before"


def test_a_name_appears_only_when_the_file_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "BATCH", 1)
    path = tmp_path / "table"

    def rows() -> Iterator[dict[str, Any]]:
        for row in ROWS:
            assert not path.exists()
            yield row

    write_table(rows(), path, "jsonl", COLUMNS)
    assert path.exists()


def test_links_and_devices_stay_what_they_are(tmp_path: Path) -> None:
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(target)
    write_table(ROWS, link, "jsonl", COLUMNS)
    assert link.is_symlink()
    assert read_back(target, "jsonl", COLUMNS) == ROWS
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_table(ROWS, pipe, "jsonl", COLUMNS)
        assert os.read(reader, 10_000) == target.read_bytes()
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_standard_output_takes_text(capsys: pytest.CaptureFixture[str]) -> None:
    write_table(ROWS[:1], "-", "csv", COLUMNS)
    assert capsys.readouterr().out == 'number,name,cards,seats\n1,Zoë,,"[""a b"", ""c\\"",d""]"\n'
    with pytest.raises(BadValue, match="parquet cannot be written to standard output; name a file with --out"):
        write_table(ROWS, "-", "parquet", COLUMNS)


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    for path, file_format, message in (
        (tmp_path, "csv", "is a folder"),
        (tmp_path / "nowhere" / "table", "csv", "nowhere does not exist"),
        (tmp_path / "table", "excel", "format 'excel' is not accepted; a table is written as csv, jsonl, parquet"),
        (tmp_path / ("x" * 300), "csv", "x cannot be written: File name too long"),
    ):
        with pytest.raises(BadValue, match=message):
            write_table(ROWS, path, file_format, COLUMNS)


def test_a_missing_package_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"parquet needs pyarrow; .*install the extra 'report'"):
        write_table(ROWS, tmp_path / "table", "parquet", COLUMNS)
    assert list(tmp_path.iterdir()) == []
