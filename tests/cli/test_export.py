"""`kibitz export` as a user types it: records and tables of UNO and Hanabi that say what was played."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz.cli import export
from kibitz.play.decisions import columns_of, decisions_of
from kibitz.play.lineup import make_lineup
from kibitz.play.record import Record, record_of
from kibitz.play.record_files import read_games
from tests.commands import check_refused, kibitz_command
from tests.report.test_files import read_back

UNO = ["mix2", "random", "--game", "uno", "--seed", "9"]


def test_a_record_is_the_game_that_was_played(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    known = record_of(kibitz.play(["mix2", "random"], seed=9, index=2))
    for form in ([], ["--format", "json"], ["--format", "text"]):
        code, out, _ = kibitz_command(capsys, "export", *UNO, "--index", "2", *form)
        assert code == 0
        file = tmp_path / "game"
        assert kibitz_command(capsys, "export", *UNO, "--index", "2", *form, "--out", str(file))[:2] == (0, "")
        assert file.read_text() == out
        assert list(read_games(file)) == [known]
    assert out == known.to_text() + "\n"


def test_one_record_as_json_has_a_line_for_each_part(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = kibitz_command(capsys, "export", *UNO)
    assert [line.partition(":")[0].strip() for line in out.splitlines()[1:-1]] == [
        f'"{key}"' for key in ("game", "version", "rules", "seed", "deal", "seats", "actions", "result")
    ]
    assert Record.from_json(json.loads(out)).deal == 0


@pytest.mark.parametrize("form", ["json", "text"])
def test_several_games_stand_one_a_line(capsys: pytest.CaptureFixture[str], tmp_path: Path, form: str) -> None:
    file = tmp_path / "games"
    words = [*UNO, "--index", "3", "--games", "4", "--seating", "rotate", "--format", form, "--out", str(file)]
    assert kibitz_command(capsys, "export", *words)[0] == 0
    assert len(file.read_text().splitlines()) == 4
    played = [kibitz.play(["mix2", "random"], seed=9, index=index, seating="rotate") for index in range(3, 7)]
    games = list(read_games(file))
    assert games == [record_of(game) for game in played]
    assert [game.deal for game in games if isinstance(game, Record)] == [1, 2, 2, 3]
    assert kibitz_command(capsys, "replay", str(file))[0] == 0


def test_every_deal_of_a_contest_is_written(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "contest"
    assert kibitz_command(capsys, "export", *UNO, "--to", "200", "--format", "text", "--out", str(file))[0] == 0
    contest = kibitz.play_contest(["mix2", "random"], to=200, seed=9)
    assert list(read_games(file)) == [record_of(deal) for deal in contest.deals]
    assert kibitz_command(capsys, "replay", str(file))[0] == 0


def test_hanabi_has_every_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for form in ("live", "json", "text"):
        file = tmp_path / form
        words = ["iggi", "--players", "3", "--games", "2", "--format", form, "--out", str(file)]
        assert kibitz_command(capsys, "export", *words)[0] == 0
        code, out, _ = kibitz_command(capsys, "replay", str(file), "--json", "-")
        assert code == 0
        assert [game["score"] for game in json.loads(out)["games"]] == [
            kibitz.play(["iggi"] * 3, index=index, game="hanabi").points for index in range(2)
        ]


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_decisions_are_those_of_the_games(capsys: pytest.CaptureFixture[str], tmp_path: Path, game: str, form: str) -> None:
    file = tmp_path / "decisions"
    words = ["random", "random", "--game", game, "--seed", "9", "--index", "1", "--games", "3", "--decisions", "--format", form]
    assert kibitz_command(capsys, "export", *words, "--out", str(file))[:2] == (0, "")
    rows = list(decisions_of(make_lineup(["random", "random"], game=game), 9, range(1, 4)))
    assert read_back(file, form, columns_of(game)) == rows
    assert kibitz_command(capsys, "export", *words, "--out", str(file), "--no-jit")[0] == 0
    assert read_back(file, form, columns_of(game)) == rows


def test_decisions_and_games_go_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(capsys, "export", *UNO, "--decisions")
    assert code == 0
    assert [json.loads(line)["decision"] for line in out.splitlines()] == list(range(len(out.splitlines())))
    code, out, _ = kibitz_command(capsys, "export", *UNO, "--games", "3", "--format", "csv")
    assert (code, len(out.splitlines())) == (0, 4)
    assert out.startswith("index,match,round,rules,seats,status,winner,points,turns\n0,0,0,classic,")


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--games", "3", "--format", "text"], "3 records as text"),
        (["--format", "csv"], "1 game"),
        (["--to", "200", "--format", "jsonl"], "8 deals"),
        (["--decisions", "--format", "csv"], "{rows} decisions"),
    ],
)
def test_what_was_written_is_said(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: list[str], what: str) -> None:
    file = tmp_path / "games"
    code, out, err = kibitz_command(capsys, "export", *UNO, *words, "--out", str(file))
    told = what.format(rows=len(file.read_text().splitlines()) - 1)
    size = file.stat().st_size
    shown = f"{size} bytes" if size < 1000 else f"{size / 1000:.1f} kB" if size < 10_000 else f"{size / 1000:.0f} kB"
    assert (code, out, err.splitlines()[-1]) == (0, "", f"wrote {file}: {told}, {shown}")


@pytest.mark.parametrize(("bots", "game"), [(["mix2", "greedy"], "uno"), (["random", "iggi"], "hanabi"), (["random", "random"], "hanabi")])
def test_the_game_follows_from_the_bots(capsys: pytest.CaptureFixture[str], bots: list[str], game: str) -> None:
    code, out, _ = kibitz_command(capsys, "export", *bots)
    assert code == 0
    assert out == kibitz_command(capsys, "export", *bots, "--game", game)[1]


def test_a_bot_that_fails_leaves_no_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    bot = tmp_path / "failing.py"
    bot.write_text(
        "class Failing:\n"
        "    def choose(self, view):\n"
        "        if view.turn > 10:\n"
        "            raise ValueError('too long')\n"
        "        return [action for action in range(85) if view.is_legal(action)][0]\n"
    )
    for form in ("text", "csv"):
        file = tmp_path / "games"
        words = [f"{bot}:Failing", "random", "--game", "uno", "--games", "20", "--format", form, "--out", str(file)]
        code, _, err = kibitz_command(capsys, "export", *words)
        assert code == 2
        assert "too long" in err
        assert [path.name for path in tmp_path.iterdir() if path.suffix != ".py" and path.name != "__pycache__"] == []


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*UNO, "--format", "live"], "--game uno: hanab.live's form is for hanabi."),
        ([*UNO, "--format", "xml"], "--format xml is not accepted; it is live, json, text, csv, jsonl, parquet."),
        ([*UNO, "--decisions", "--format", "text"], "--format text: decisions are written as csv, jsonl, parquet."),
        ([*UNO, "--format", "parquet"], "parquet cannot be written to standard output"),
        ([*UNO, "--games", "0"], "games=0 is out of range"),
        ([*UNO, "--index", "-1", "--decisions"], "index=-1 is out of range"),
        ([*UNO, "--format", "csv", "--out", "nowhere/table.csv"], "the folder nowhere does not exist"),
        (["mix2", "random", "--game", "hanabi"], "bot 'mix2' plays uno, not hanabi."),
        (["mix2", "iggi"], "bots 'mix2' (uno) and 'iggi' (hanabi) play different games"),
        (["mix2", "random", "--format", "live"], "--game uno: hanab.live's form is for hanabi."),
        (["987654321", "--format", "csv"], "store"),
        (["7", "0"], "7 is the number of a run, which is written whole: kibitz export 7; kibitz replay 7 0 shows one game of it."),
        (["7", "mix2"], "7 is the number of a run, which is written whole: kibitz export 7; name it alone."),
    ],
)
def test_what_cannot_be_exported_is_one_sentence(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    check_refused(kibitz_command(capsys, "export", *words), message)


def test_a_run_goes_its_own_way(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(export, "export_run", lambda *words: asked.append(words))
    assert kibitz_command(capsys, "export", "12", "--decisions", "--format", "parquet", "--out", "x")[0] == 0
    assert asked == [(12, "parquet", True, "x", None)]
