"""Shares of runs as a user plays and merges them: every kind of experiment comes out as on one machine, to the last digit."""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.commands import check_refused, kibitz_command

SHARES = 3
STUDIES = "kibitz.experiments.studies.uno"
CUP = """
game = "{game}"
format = "{format}"
games = 12
table = {table}
{seed}
"""
PLAYER = '\n[[players]]\nname = "{name}"\n{bot}\n'
BOTS = ('bot = "random"', 'bot = "greedy"', 'bot = "mix2"', 'bot = "random"')
OUTSIDE = ('file = "asked.py:Asked"', 'bot = "greedy"', 'bot = "random"')
ASKED = '''
class Asked:
    """Plays its first card that fits."""

    def choose(self, view):
        fitting = [card for card in range(56) if view.can_play(card)]
        return view.play(fitting[0], view.common_colour()) if fitting else view.decline()
'''

# Words of commands, with what makes a study smaller than its options can.
LINES: dict[str, dict[str, Any]] = {
    "evaluate random greedy --games 41 --seed 5": {},
    "evaluate asked.py:Asked --games 20 --against greedy": {},
    "match mix2 random --games 40 --to 50 --seating balanced": {},
    "match greedy random random --games 31 --seating rotate": {},
    "match random outer --game hanabi --games 20": {},
    "compare mix2 greedy --games 301": {},
    "compare mix2 greedy --with random --games 100 --luck": {},
    "tournament round-robin.toml": {},
    "tournament gauntlet.toml": {},
    "tournament free-for-all.toml": {},
    "tournament outside.toml": {},
    "study contests --games 2": {},
    "study crossplay outer random --games 20 --players 2": {},
    "study exact random greedy rollout:rollouts=2 rollout:rollouts=4 --samples 4": {},
    "study skill --games 20 --search-games 20 --rollouts 1": {"skill.study.PLAYERS": (2,), "skill.study.SEARCHERS": ("champion",)},
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where shares are played: with tournaments, and a bot in a file."""
    (tmp_path / "asked.py").write_text(ASKED)
    for name, bots in (("round-robin", BOTS[:3]), ("gauntlet", BOTS[:3]), ("free-for-all", BOTS), ("outside", OUTSIDE)):
        kind, table = ("round-robin", 2) if name == "outside" else (name, 3 if name == "free-for-all" else 2)
        players = "".join(PLAYER.format(name=f"P{place}", bot=bot) for place, bot in enumerate(bots))
        (tmp_path / f"{name}.toml").write_text(CUP.format(game="uno", format=kind, table=table, seed="seed = 3") + players)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_times(each) for name, each in value.items() if name not in ("seconds", "games_per_second")}
    return [without_times(each) for each in value] if isinstance(value, list) else value


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What a command prints that ends with this code."""
    ended = kibitz_command(capsys, *words)
    assert ended[0] == code, ended
    return ended[1]


def figures(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    return without_times(json.loads(run(capsys, *words, "--json", "-", code=code)))


def play(capsys: pytest.CaptureFixture[str], line: str, *shares: int, count: int = SHARES, prefix: str = "part") -> list[str]:
    """Play some shares: their stores."""
    stores = []
    for index in shares or range(1, count + 1):
        stores.append(f"{prefix}-{index}.sqlite")
        run(capsys, *line.split(), "--shard", f"{index}/{count}", "--store", stores[-1])
    return stores


def content(store: str) -> list[str]:
    """All that a store holds."""
    connection = sqlite3.connect(store)
    found = [str(row) for table in ("runs", "units", "faults", "games") for row in connection.execute(f"SELECT * FROM {table}")]
    connection.close()
    return found


@pytest.mark.parametrize("line", LINES)
def test_merged_shares_are_the_whole_run(
    line: str, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in LINES[line].items():
        monkeypatch.setattr(f"{STUDIES}.{name}", value)
    parts = play(capsys, line)
    merged = json.loads(run(capsys, "merge", "all.sqlite", *parts, "--json", "-"))["runs"][0]
    whole = figures(capsys, *line.split(), "--store", "whole.sqlite")
    assert (merged["complete"], merged["missing"], merged["shares"]) == (True, [], ["1/3", "2/3", "3/3"])
    assert without_times(merged["figures"]) == whole
    shown = [json.loads(run(capsys, "runs", "show", "1", "--store", store, "--json", "-")) for store in ("all.sqlite", "whole.sqlite")]
    assert [each["status"] for each in shown] == ["complete"] * 2
    assert shown[0]["done"] == shown[1]["done"] and shown[0]["config"] == shown[1]["config"]
