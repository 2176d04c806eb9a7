"""A tournament with a bot that never answers, as a teacher looks at it: replay, export, report, and the film in the browser."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands import kibitz_command
from tests.outside.tables import HOSTILE
from tests.table.clients import opened

CUP = """
title = "Cup"
format = "free-for-all"
games = 6
table = 3
seed = 5
players = [{name = "Sleepy", command = "python3 -I -S %s hang", seconds = 0.3}, {name = "Mix", bot = "mix2"}, {name = "Rand", bot = "random"}]
"""


@pytest.fixture
def played(tmp_path: Path, store: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """The store with that tournament as its run 1."""
    (tmp_path / "cup.toml").write_text(CUP % (HOSTILE / "player.py"), encoding="utf-8")
    assert kibitz_command(capsys, "tournament", str(tmp_path / "cup.toml"), "--quiet")[0] == 0
    return store


def rows(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    code, out, _ = kibitz_command(capsys, "export", "1", *words)
    assert code == 0
    return [json.loads(line) for line in out.splitlines()] if "jsonl" in words else list(csv.DictReader(io.StringIO(out)))


def test_every_way_to_look_at_a_forfeited_game_says_what_counted(played: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    games = rows(capsys)
    assert list(games[0])[-3:] == ["status", "forfeited_by", "fault"]
    winners = set()
    with opened(played) as client:
        for index, game in enumerate(games):
            seats = json.loads(game["seats"])
            sleepy = seats.index("Sleepy")
            assert (game["status"], game["forfeited_by"]) == ("forfeited", str(sleepy))
            assert json.loads(game["fault"]) == ["time" if index < 3 else "start"]
            winner = seats[int(game["winner"])] if game["winner"] else None
            winners.add(winner)
            counted = f"{winner} wins {game['points']} points" if winner else "which doesn't count: nobody wins."
            code, out, _ = kibitz_command(capsys, "replay", "1", str(index))
            assert code == 0
            turns = [line for line in out.splitlines() if re.match(r" {0,3}\d+  \d ", line)]
            assert all(("[substitute]" in line) == (f"{sleepy} Sleepy" in line) for line in turns)
            assert sum("[substitute]" in line for line in turns) > 1
            end = out.splitlines()[-1]
            assert end.startswith(f"Seat {sleepy} Sleepy forfeited ") and counted in end
            assert "Sleepy wins" not in out
            film = client.get(f"/api/runs/1/games/{index}").json()
            assert film["ending"].startswith("Sleepy forfeited ") and counted in film["ending"]
            assert film["frames"][-1]["words"][-1] in film["ending"]
            assert {frame["seat"] for frame in film["frames"] if frame["substitute"]} == {sleepy}
            assert "Sleepy wins" not in json.dumps(film)
            assert (film["outcome"]["status"], film["outcome"]["points"]) == ("forfeited", int(game["points"]))
    assert "Sleepy" not in winners and None in winners and len(winners) > 1


def test_decisions_say_which_were_a_substitutes(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    decisions = rows(capsys, "--decisions", "--format", "jsonl")
    assert list(decisions[0])[-2:] == ["substitute", "fault"]
    assert {(row["bot"] == "Sleepy", row["substitute"]) for row in decisions} == {(True, 1), (False, 0)}
    faults = {index: [row["fault"] for row in decisions if row["index"] == index and row["fault"]] for index in range(6)}
    assert faults == {**{index: ["time"] for index in range(3)}, **{index: [] for index in range(3, 6)}}
    assert all(row["status"] == "forfeited" and not (row["bot"] == "Sleepy" and (row["won"] or row["points"])) for row in decisions)


def test_the_page_tells_of_forfeits_and_says_what_was_written(played: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, _, err = kibitz_command(capsys, "report", "1", "-o", str(tmp_path / "page.html"))
    assert code == 0 and err.startswith(f"wrote {tmp_path / 'page.html'}: the page of run 1, 6 games, ")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "6 games were forfeited." in text and "kibitz replay 1 5" in text and "seat -1" not in text
    code, out, err = kibitz_command(capsys, "export", "1", "-o", str(tmp_path / "games.csv"))
    assert (code, out) == (0, "") and err.startswith(f"wrote {tmp_path / 'games.csv'}: 6 games of run 1, ")
    assert "seat -1" not in kibitz_command(capsys, "runs", "show", "1")[1]
