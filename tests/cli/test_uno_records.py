"""`kibitz replay` with records of UNO, as a user types it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import kibitz
from kibitz.play.record import Record, record_of
from kibitz.report.transcript import transcript
from tests.commands import check_refused, kibitz_command


def records(count: int = 4) -> list[Record]:
    return [record_of(kibitz.play(["mix2", "random", "greedy"], seed=6, index=index)) for index in range(count)]


def written(tmp_path: Path, games: list[Record]) -> Path:
    path = tmp_path / "games.txt"
    path.write_text("".join(f"{game.to_text()}\n" for game in games), encoding="utf-8")
    return path


def test_every_game_and_a_summary_are_shown(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    games = records()
    code, out, err = kibitz_command(capsys, "replay", str(written(tmp_path, games)))
    assert (code, err) == (0, "")
    assert out.count(" yes") == 4
    assert "games: 4; without a winner: 0; ends agree: 4 of 4" in out
    for game in games:
        assert f" {game.result} " in out


def test_figures_are_written_as_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    games = records()
    code, out, _ = kibitz_command(capsys, "replay", str(written(tmp_path, games)), "--json", "-")
    assert code == 0
    value = json.loads(out)
    assert [(game["winner"], game["points"], game["status"], game["agrees"]) for game in value["games"]] == [
        (game.winner, game.points, "won", True) for game in games
    ]
    assert value["summary"]["disagreeing"] == value["summary"]["unfinished"] == 0
    for row in value["summary"]["players"]:
        won = [game for game in games if game.winner is not None and game.seats[game.winner] == row["player"]]
        assert (row["seats"], row["wins"], row["points"]) == (4, len(won), sum(game.points for game in won))
    file = tmp_path / "figures.json"
    kibitz_command(capsys, "replay", str(written(tmp_path, games)), "--json", str(file))
    assert json.loads(file.read_text()) == value


def test_a_game_is_told_move_by_move(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    games = records()
    played = kibitz.play(["mix2", "random", "greedy"], seed=6, index=2)
    told = "".join(f"{line.plain}\n" for line in transcript(played))
    assert kibitz_command(capsys, "replay", str(written(tmp_path, games)), "--show", "3") == (0, told, "")
    wrong = replace(games[2], points=1)
    code, out, _ = kibitz_command(capsys, "replay", str(written(tmp_path, [wrong])), "--show", "1")
    assert (code, out) == (1, f"{told}The record says otherwise: {wrong.result}.\n")
    code, _, err = kibitz_command(capsys, "replay", str(written(tmp_path, games)), "--show", "5")
    assert (code, err) == (2, f"kibitz: --show 5: {tmp_path}/games.txt has games 1 to 4.\n")


def test_games_of_hanabi_are_told_from_every_form(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["iggi", "piers", "--seed", "3", "--index", "5", "--out", str(tmp_path / "game")]
    told = []
    for form in ("live", "json", "text"):
        kibitz_command(capsys, "export", *words, "--format", form)
        code, out, _ = kibitz_command(capsys, "replay", str(tmp_path / "game"), "--show", "1")
        assert code == 0
        told.append(out)
    assert told[1] == told[2]
    assert told[0].splitlines()[0] == "Hanabi standard · game 1"
    assert told[0].splitlines()[1:] == told[1].splitlines()[1:]
    code, out, _ = kibitz_command(capsys, "replay", str(tmp_path / "game"))
    assert code == 0
    assert "ended:12" in out
    assert "1 of 1" in out


def test_an_end_that_does_not_agree_gives_exit_code_1(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    games = records()
    games[1] = replace(games[1], points=games[1].points + 1)
    code, out, _ = kibitz_command(capsys, "replay", str(written(tmp_path, games)))
    assert code == 1
    assert out.count(" NO") == 1
    assert "ends agree: 3 of 4" in out


def test_the_first_illegal_action_is_one_sentence_and_exit_code_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    games = records()
    games[2] = replace(games[2], actions=("keep", *games[2].actions[1:]))
    code, out, err = kibitz_command(capsys, "replay", str(written(tmp_path, games)))
    assert (code, out) == (2, "")
    assert err.startswith(f"kibitz: {tmp_path}/games.txt, line 3, turn 1, action 1: keep by ")
    assert "is not legal; legal are " in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["987654321", "3"], "store"),
        (["games.txt", "3"], "index 3 goes with the number of a run; --show 3 tells a game of the file games.txt."),
        (["games.txt", "--show", "1", "--json", "-"], "give one of them"),
        (["nowhere.txt"], "record nowhere.txt does not exist"),
    ],
)
def test_what_cannot_be_replayed_is_one_sentence(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    check_refused(kibitz_command(capsys, "replay", *words), message)


def test_odd_names_are_shown_as_they_are(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = replace(records(1)[0], seats=("[bold]a", "b|c", "d;e"))
    code, out, _ = kibitz_command(capsys, "replay", str(written(tmp_path, [game])))
    assert code == 0
    assert "[bold]a, b|c, d;e" in out
