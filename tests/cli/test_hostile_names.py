"""Names that hold escape sequences: no command prints them, and files keep them as they are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kibitz.play.record import Record
from kibitz.play.record_files import read_games
from kibitz.runs.database import open_store
from kibitz.runs.ledger import Fault
from kibitz.runs.store import begin
from kibitz.runs.units import Unit
from tests.commands import kibitz_command
from tests.core.test_printable import HOSTILE, UNSAFE

Capture = pytest.CaptureFixture[str]

NAME = HOSTILE.replace("\udcff", "")  # stores and files hold text
BOT = f'''import kibitz

@kibitz.bot
def tidy(view):
    """Plays [/] what comes first [link=https://example.org]{NAME.encode("unicode_escape").decode()}[/link]."""
    return view.first_legal()
'''


def check(text: str) -> None:
    assert not UNSAFE & set(text)
    assert "Eve\ufffd" in text


@pytest.fixture
def record(capsys: Capture, tmp_path: Path) -> Path:
    """A game of UNO whose players have hostile names."""
    path = tmp_path / "game.txt"
    assert kibitz_command(capsys, "export", "random", "random", "--game", "uno", "--format", "text", "--out", str(path))[0] == 0
    (game,) = read_games(path)
    assert isinstance(game, Record)
    path.write_text(Record.from_json(game.to_json() | {"seats": [NAME, f"{NAME} 2"]}).to_text(), encoding="utf-8")
    return path


def test_replays_of_records(capsys: Capture, record: Path) -> None:
    for words in ([], ["--show", "1"]):
        code, out, err = kibitz_command(capsys, "replay", str(record), *words)
        assert (code, err) == (0, "")
        check(out)


def test_records_keep_their_names(capsys: Capture, record: Path) -> None:
    (game,) = read_games(record)
    assert isinstance(game, Record)
    assert game.seats == (NAME, f"{NAME} 2")
    assert Record.from_text(game.to_text()).seats == Record.from_json(json.loads(json.dumps(game.to_json()))).seats == game.seats
    code, out, _ = kibitz_command(capsys, "replay", str(record), "--json", "-")
    assert code == 0
    assert not UNSAFE & set(out)
    assert json.loads(out)["games"][0]["players"] == [NAME, f"{NAME} 2"]


def test_replays_of_hanab_live(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    assert kibitz_command(capsys, "export", "random", "--out", str(path))[0] == 0
    game = json.loads(path.read_text()) | {"players": [NAME, f"{NAME} 2"]}
    path.write_text(json.dumps(game, ensure_ascii=False), encoding="utf-8")
    for words in ([], ["--show", "1"]):
        code, out, _ = kibitz_command(capsys, "replay", str(path), *words)
        assert code == 0
        check(out)
    game["actions"][0] = {"type": 3, "target": 0, "value": NAME}
    path.write_text(json.dumps(game, ensure_ascii=False), encoding="utf-8")
    code, out, err = kibitz_command(capsys, "replay", str(path))
    assert (code, out, err.count("\n")) == (2, "", 1)
    check(err)


def test_runs_of_the_store(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "kibitz.db"
    with open_store(path) as opened, begin(opened, "other", {"bots": [NAME]}, f"kibitz evaluate {NAME}", 5) as ledger:
        ledger.keep(0, Unit(0, 5), b"", [Fault(0, NAME, 0, "kind", f"said {NAME}")])
        ledger.finish({"bot": NAME})
    for words in (["runs"], ["runs", "show", "1"], ["runs", "delete", "1", "--yes"]):
        code, out, err = kibitz_command(capsys, *words, "--store", str(path))
        assert (code, err) == (0, "")
        assert not UNSAFE & set(out)
        assert "delete" in words or "Eve\ufffd" in out


def test_what_is_deleted_is_shown_safely(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "kibitz.db"
    with open_store(path) as opened, begin(opened, "other", {}, f"kibitz evaluate {NAME}", 5) as ledger:
        ledger.finish({})
    monkeypatch.setattr("typer.confirm", lambda question: False)
    code, out, _ = kibitz_command(capsys, "runs", "delete", "1", "--store", str(path))
    assert code == 1
    check(out)


def test_bots_of_a_file(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(BOT, encoding="utf-8")
    code, out, err = kibitz_command(capsys, "bots", f"{path}:tidy")
    assert (code, err) == (0, "")
    check(out)
    assert "[/] what comes first [link=https://example.org]" in out


@pytest.mark.parametrize(
    "words",
    [
        ["replay", HOSTILE],
        ["evaluate", HOSTILE],
        ["evaluate", f"{HOSTILE}.py"],
        ["evaluate", "random", "--rules", HOSTILE],
        ["tournament", f"{HOSTILE}.toml"],
        ["evaluate", f"linear:{HOSTILE}.npz"],
        ["evaluate", "random", f"--{HOSTILE}"],
        ["evaluate", "random", "--games", HOSTILE],
        [HOSTILE],
    ],
    ids=range(9),
)
def test_error_messages(capsys: Capture, words: list[str]) -> None:
    code, out, err = kibitz_command(capsys, *words)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert not UNSAFE & set(err)


def test_a_command_with_undecodable_bytes_is_kept(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, err = kibitz_command(
        capsys, "match", "random", "random", "--games", "2", "--no-jit", "--json", "a\udcff", "--store", "kibitz.db"
    )
    assert (code, err) == (0, "")
    code, out, _ = kibitz_command(capsys, "runs", "--store", "kibitz.db")
    assert code == 0
    assert "a\ufffd" in out
