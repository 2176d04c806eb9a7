"""Tables as files: rows of results or decisions as CSV, JSON lines or Parquet, a few thousand at a time.

A file appears under its name when it is whole: until then it has another, so that an interrupted export leaves none behind.
Parquet needs the extra `report`, which brings pyarrow.
"""

from __future__ import annotations

import csv
import importlib
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, Protocol

from kibitz.core.errors import BadValue
from kibitz.core.extras import needed_for
from kibitz.core.printable import printable
from kibitz.core.reading import check_name, is_folder, reason
from kibitz.play.decisions import Column, Row
from kibitz.play.game import PlayedGame

FORMATS = ("csv", "jsonl", "parquet")
BATCH = 4_096  # rows in memory at once

# One row a game. A team has no winner.
GAME_COLUMNS = (
    Column("index", "int", "the game, counted in its batch from 0"),
    Column("match", "int", "which match of a tournament, from 0"),
    Column("round", "int", "which deal of a contest, from 0"),
    Column("rules", "text", "the rules"),
    Column("seats", "texts", "the bots by seat"),
    Column("status", "text", "how it ended"),
    Column("winner", "int", "the winner's seat; nothing if nobody won"),
    Column("points", "int", "what the winner got; for a team the points on the table"),
    Column("turns", "int", "turns played"),
)


def game_row(played: PlayedGame, match: int = 0) -> Row:
    """A game that was played, as a row of `GAME_COLUMNS`."""
    return {
        "index": played.index,
        "match": match,
        "round": played.deal,
        "rules": played.rules,
        "seats": played.seats,
        "status": played.status,
        "winner": played.winner,
        "points": played.points,
        "turns": played.turns,
    }


def check_table(path: str, file_format: str) -> None:
    """Refuse a table that cannot be written before anything is played for it."""
    if file_format not in FORMATS:
        raise BadValue(f"format '{file_format}' is not accepted; a table is written as {', '.join(FORMATS)}.")
    if path == "-":
        if file_format == "parquet":
            raise BadValue("parquet cannot be written to standard output; name a file with --out.")
        return
    target = Path(path)
    check_name(target.with_name(_unfinished(target)) if target.name else target, "file")
    if is_folder(path):
        raise BadValue(f"file {path} is a folder; name a file.")
    if not is_folder(target.parent):
        raise BadValue(f"file {path} cannot be written: the folder {target.parent} does not exist.")
    if not os.access(target.parent, os.W_OK):
        raise BadValue(f"file {path} cannot be written: the folder {target.parent} may not be written to.")
    if file_format == "parquet":
        _pyarrow()


def write_table(rows: Iterable[Row], path: str | Path, file_format: str, columns: Sequence[Column]) -> int:
    """Write rows to a file, or for `-` to standard output; how many there were."""
    check_table(str(path), file_format)
    write = {"csv": _write_csv, "jsonl": _write_jsonl, "parquet": _write_parquet}[file_format]
    if str(path) == "-":
        return write(rows, _StandardOutput(), columns)
    with whole_file(Path(path)) as file:
        return write(rows, file, columns)


class Bytes(Protocol):
    """What takes a table: a file, or standard output."""

    def write(self, data: bytes, /) -> object:
        """Take some of it."""
        ...


class _StandardOutput:
    """Standard output as a file of bytes."""

    def write(self, data: bytes, /) -> None:
        text = data.decode("utf-8")
        sys.stdout.write(printable(text, lines=True) if sys.stdout.isatty() else text)


@contextmanager
def whole_file(path: Path) -> Iterator[IO[bytes]]:
    """A file to write that gets its name once all is written and safe on the disk. A device is written to as it is."""
    target = Path(os.path.realpath(path))
    if os.path.exists(target) and not target.is_file():
        with target.open("wb") as device:
            yield device
        return
    unfinished = target.with_name(_unfinished(target))
    try:
        with unfinished.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    except OSError as error:  # a full disk, a folder that may not be written to
        raise BadValue(f"file {path} cannot be written: {reason(error)}.") from error
    finally:
        unfinished.unlink(missing_ok=True)


def _unfinished(target: Path) -> str:
    return f".{target.name[:60]}.{os.getpid()}.unfinished"


def _batches(rows: Iterable[Row]) -> Iterator[list[Row]]:
    source = iter(rows)
    while batch := list(islice(source, BATCH)):
        yield batch


def _write_csv(rows: Iterable[Row], file: Bytes, columns: Sequence[Column]) -> int:
    """Comma-separated values with a heading; a list of numbers is parted by spaces, one of texts is JSON, nothing is empty."""
    names, count = [column.name for column in columns], 0
    cells = {"ints": lambda values: " ".join(map(str, values)), "texts": lambda values: json.dumps(values, ensure_ascii=False)}
    written = [cells.get(column.kind) for column in columns]
    _write_lines(file, [names])
    for batch in _batches(rows):
        shown = [[row[name] if cell is None else cell(row[name]) for name, cell in zip(names, written, strict=True)] for row in batch]
        _write_lines(file, shown)
        count += len(batch)
    return count


def _write_lines(file: Bytes, lines: list[list[Any]]) -> None:
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(lines)
    file.write(text.getvalue().encode("utf-8", "backslashreplace"))


def _write_jsonl(rows: Iterable[Row], file: Bytes, columns: Sequence[Column]) -> int:
    """One JSON object a line."""
    names, count = [column.name for column in columns], 0
    for batch in _batches(rows):
        lines = [json.dumps({name: row[name] for name in names}, ensure_ascii=False) for row in batch]
        file.write(("\n".join(lines) + "\n").encode("utf-8", "backslashreplace"))
        count += len(batch)
    return count


def _write_parquet(rows: Iterable[Row], file: Bytes, columns: Sequence[Column]) -> int:
    """Parquet: whole numbers of 64 bits, texts, and lists of these, a row group a batch."""
    arrow, parquet = _pyarrow()
    kinds = {"int": arrow.int64(), "text": arrow.string(), "ints": arrow.list_(arrow.int64()), "texts": arrow.list_(arrow.string())}
    schema = arrow.schema([(column.name, kinds[column.kind]) for column in columns])
    count = 0
    with parquet.ParquetWriter(file, schema) as writer:
        for batch in _batches(rows):
            writer.write_table(arrow.Table.from_pylist(batch, schema=schema))
            count += len(batch)
    return count


def _pyarrow() -> tuple[Any, Any]:
    with needed_for("parquet", "pyarrow"):
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
