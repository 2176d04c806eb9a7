"""A disk that is full and a store where nothing can be written, on real file systems of their own."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.verify.attacks.conftest import Begin
from tests.verify.attacks.disks import small_disk
from tests.verify.attacks.servers import serving
from tests.verify.attacks.test_kills import Pair

pytestmark = pytest.mark.verify

EVALUATION = ["evaluate", "random", "greedy", "--games", "400000", "--seed", "3"]
SIZES = ("16k", "100k", "128k", "200k", "300k", "420k")  # a run in one go needs some 500 kB
MATCH = ["match", "random", "greedy", "--games", "3000", "--seed", "3"]


def test_a_run_on_a_full_disk(begin: Begin, tmp_path: Path) -> None:
    with begin("disk full: evaluate") as attack:
        with small_disk(attack, tmp_path, "20m") as disk:
            whole = disk.figures(*EVALUATION, "--store", str(tmp_path / "kibitz.db"))
        kept = 0
        for size in SIZES:
            with attack.attempt(f"a disk of {size}"), small_disk(attack, tmp_path, size) as disk:
                store = ["--store", str(tmp_path / "kibitz.db")]
                ended = disk.command(*EVALUATION, *store)
                assert ended.is_one_sentence, ended
                disk.remount("size=20m")
                listed = disk.command("runs", "--json", "-", *store)
                runs = json.loads(listed.output)["runs"] if listed.code == 0 else []
                kept += sum(run["done"] for run in runs)
                words = ["resume", str(runs[0]["id"])] if runs else EVALUATION
                assert disk.figures(*words, *store) == whole, "the figures differ from those of a run in one go"
        assert kept > 0, "no disk was full in the middle of a run"
        attack.note = f"{kept:,} games were kept"


def test_a_table_on_a_full_disk(begin: Begin, tmp_path: Path) -> None:
    with begin("disk full: table") as attack:
        folder = tmp_path / "disk"
        folder.mkdir()
        with small_disk(attack, folder, "4m") as disk:
            with serving(folder / "kibitz.db", tmp_path / "log", before=disk.enter) as server:
                pair = Pair.of(server)
                pair.play(server, 2)
                for number in range(3):
                    before = pair.unkept
                    with disk.full():
                        pair.play(server, 2)
                        attack.check(f"moves {number} are done and said not to be kept", pair.unkept == before + 2, pair.unkept)
                        with server.client() as client:
                            answer = client.post("/api/sessions", json={"name": "Eve"})
                        attack.check(f"a new session {number} is refused", answer.status_code == 503, answer.text)
                    pair.play(server, 1)
                    attack.check(f"with room {number} they are kept", pair.unkept == 0, pair.unkept)
                server.kill()
            moves = pair.acknowledged[pair.table]
            assert len(moves) == 11, moves
            for file in disk.seen.glob("kibitz.db*"):  # SQLite does not open files by a path into another namespace
                shutil.copy(file, tmp_path)
            lost = pair.lost_in(tmp_path / "kibitz.db")
            for place, action in moves.items():
                attack.check(f"move {place}", not any(f" {place} {action}" in one for one in lost), "is not in the store")
            assert "Traceback" not in (tmp_path / "log").read_text(encoding="utf-8")


def test_files_on_a_full_disk(begin: Begin, tmp_path: Path) -> None:
    folder = tmp_path / "disk"
    folder.mkdir()
    with begin("disk full: files that commands write") as attack, small_disk(attack, folder, "1m") as disk:
        store = ["--store", str(tmp_path / "kibitz.db")]  # on another disk
        shown = disk.figures(*MATCH, *store)
        writing = {
            f"export {kind}": ["export", "1", "--format", kind, "--out", str(folder / f"games.{kind}")]
            for kind in ("csv", "jsonl", "parquet")
        }
        writing["report"] = ["report", "1", "--out", str(folder / "report.html")]
        writing["plots"] = ["report", "1", "--out", str(tmp_path / "report.html"), "--plots", str(folder)]
        writing["figures"] = [*MATCH, "--json", str(folder / "figures.json")]
        with disk.full():
            for name, words in writing.items():
                with attack.attempt(name):
                    ended = disk.command(*words, *store)
                    assert ended.is_one_sentence and "No space left" in ended.errors, ended
        with attack.attempt("the run is as it was"):
            assert disk.figures("runs", "show", "1", *store)["figures"]["rows"] == shown["rows"]


def test_a_store_where_nothing_can_be_written(begin: Begin, tmp_path: Path) -> None:
    with begin("read-only store") as attack:
        for left_open in (False, True):  # closed as it should be, and by a kill, with its log beside it
            with small_disk(attack, tmp_path, "20m") as disk:
                store = ["--store", str(tmp_path / "kibitz.db")]
                shown = disk.figures(*MATCH, *store)
                if left_open:
                    with serving(tmp_path / "kibitz.db", tmp_path.parent / f"{tmp_path.name}.log", before=disk.enter) as server:
                        Pair.of(server)
                    assert (disk.seen / "kibitz.db-wal").stat().st_size > 0
                disk.remount("ro")
                how = "after a kill" if left_open else "closed"
                for name, words in {
                    "runs": ["runs"],
                    "runs show": ["runs", "show", "1"],
                    "report": ["report", "1", "--out", "-"],
                    "export": ["export", "1", "--format", "csv"],
                    "resume of a complete run": ["resume", "1"],
                }.items():
                    with attack.attempt(f"{name}, {how}"):
                        ended = disk.command(*words, *store)
                        assert ended.code == 0 and ended.output, ended
                with attack.attempt(f"the figures, {how}"):
                    assert disk.figures("runs", "show", "1", *store)["figures"]["rows"] == shown["rows"]
                for name, words in {
                    "match": MATCH,
                    "evaluate": ["evaluate", "random", "--games", "100"],
                    "runs delete": ["runs", "delete", "1", "--yes"],
                    "table": ["table", "--port", "0", "--no-open"],
                    "report beside it": ["report", "1", "--out", str(tmp_path / "report.html")],
                }.items():
                    with attack.attempt(f"{name}, {how}"):
                        ended = disk.command(*words, *store)
                        assert ended.is_one_sentence and "cannot be " in ended.errors, ended
