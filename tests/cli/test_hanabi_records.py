"""`kibitz replay` and `kibitz export` as a user types them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import kibitz
from kibitz.games.hanabi.replays import replay
from tests.commands import check_refused, kibitz_command
from tests.golden.hanabi_games import LIVE, RANDOM_GAMES, REPLAYS, read

# -- replay --


def test_replay_shows_every_game_and_a_summary(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = kibitz_command(capsys, "replay", str(REPLAYS))
    assert (code, err) == (0, "")
    assert "20 of 20" in out
    assert out.count(" yes") == 20
    code, out, _ = kibitz_command(capsys, "replay", str(LIVE))
    assert code == 0
    assert "none recorded" in out
    assert "3: Ada, Ben, Cleo" in out


def test_replay_writes_json(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, out, _ = kibitz_command(capsys, "replay", str(REPLAYS), "--json", "-")
    assert code == 0
    value = json.loads(out)
    scores = [game["score"] for game in value["games"]]
    assert scores == [game["recorded_score"] for game in value["games"]]
    assert value["summary"]["games"] == 20
    assert value["summary"]["score"] == pytest.approx(sum(scores) / 20)
    assert value["summary"]["disagreeing"] == 0
    file = tmp_path / "figures.json"
    code, out, _ = kibitz_command(capsys, "replay", str(REPLAYS), "--json", str(file))
    assert "20 of 20" in out
    assert json.loads(file.read_text()) == value


def test_score_that_does_not_agree_gives_exit_code_1(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    game = json.loads(REPLAYS.read_text().splitlines()[0])
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps({**game, "score": 25}))
    code, out, _ = kibitz_command(capsys, "replay", str(file))
    assert code == 1
    assert "NO" in out
    assert "0 of 1" in out


def test_first_illegal_move_is_one_sentence_and_exit_code_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    lines = REPLAYS.read_text().splitlines()
    game = json.loads(lines[1])
    game["actions"][0] = 0
    file = tmp_path / "games.jsonl"
    file.write_text(f"{lines[0]}\n{json.dumps(game)}\n")
    code, out, err = kibitz_command(capsys, "replay", str(file))
    assert (code, out) == (2, "")
    assert err == (
        f"kibitz: {file}, line 2, turn 1: discard:0 by seat 0 is not legal: nothing may be discarded while all 8 tokens are there.\n"
    )


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"deck": [], "actions": []}', "null", "[[[["])
def test_damaged_record_is_one_sentence_and_exit_code_2(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    file = tmp_path / "games.json"
    file.write_text(text)
    check_refused(kibitz_command(capsys, "replay", str(file)))


def test_missing_file_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = kibitz_command(capsys, "replay", "nowhere.json")
    assert (code, err) == (2, "kibitz: record nowhere.json does not exist.\n")


# -- export --


def test_export_writes_the_game_that_was_played(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    for index in range(3):
        words = ["random", "--players", "3", "--game", "hanabi", "--seed", "9", "--index", str(index)]
        assert kibitz_command(capsys, "export", *words, "--out", str(file))[:2] == (0, "")
        code, out, _ = kibitz_command(capsys, "export", *words)
        assert (code, out) == (0, file.read_text())
        assert json.loads(out)["players"] == ["random", "random 2", "random 3"]
        (game,) = [replay(record) for record in read(file)]
        played = kibitz.play(["random"] * 3, seed=9, index=index, game="hanabi")
        assert (game.moves, game.kept, game.status, len(game.moves)) == (played.actions, played.points, played.status, played.turns)


def test_export_repeats_the_golden_games(capsys: pytest.CaptureFixture[str]) -> None:
    golden = json.loads(LIVE.read_text())
    for (players, seed), game in zip(RANDOM_GAMES, golden, strict=False):
        code, out, _ = kibitz_command(capsys, "export", *["random"] * players, "--seed", str(seed))
        assert code == 0
        assert {**json.loads(out), "players": game["players"]} == game


def test_export_writes_smaller_hands(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = kibitz_command(capsys, "export", "random", "--rules", "autohanabi")
    assert code == 0
    assert json.loads(out)["options"] == {"variant": "No Variant", "oneLessCard": True}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["random", "--rules", "standard,tokens=4"], "rules standard,tokens=4 cannot be written for hanab.live"),
        (["random", "--game", "uno", "--format", "live"], "--game uno: hanab.live's form is for hanabi."),
        (["random"] * 6, "2 to 5"),
        (["randon"], "unknown bot 'randon'"),
        (["random", "--index", "-1"], "index=-1 is out of range"),
        (["random", "--out", "."], "is a folder"),
    ],
)
def test_export_refuses_in_one_sentence(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    check_refused(kibitz_command(capsys, "export", *words), message)
