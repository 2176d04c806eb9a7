"""A third game as a plug-in: everything works with it, and nothing in the package knows it."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.experiments import experiment_kinds
from kibitz.games.face import Face
from tests.kuhn.conftest import FILES, ROOT, Run

EXAMPLE = ROOT / "examples" / "kuhn"

PYTHON_BOT = '''
class Careful:
    """Bets with kings alone."""

    game = "kuhn"

    def choose(self, view):
        return 1 if view.card == 2 else 0
'''

PROGRAM = """
import json, sys

for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    elif message["type"] == "decide":
        action = "bet" if message["view"]["card"] == "K" else "pass"
        print(json.dumps({"type": "action", "id": message["id"], "action": action}), flush=True)
"""


def figures(run: Run, *words: str) -> dict[str, Any]:
    """What a command writes as JSON."""
    value: dict[str, Any] = json.loads(run(*words, "--json", "-").stdout)
    return value


# -- the package --


def test_the_page_makes_the_example() -> None:
    kept = {
        path.relative_to(EXAMPLE).as_posix(): path.read_text(encoding="utf-8")
        for path in EXAMPLE.rglob("*")
        if path.suffix in (".py", ".toml")
    }
    assert kept == FILES


def test_it_is_small() -> None:
    assert sum(text.count("\n") for name, text in FILES.items() if name.endswith(".py")) <= 350


def test_without_it_there_is_no_such_game() -> None:
    assert "kuhn" not in registry.BUILT_IN


def test_it_is_listed(command: Run) -> None:
    names = [bot["name"] for bot in json.loads(command("bots", "--game", "kuhn", "--json", "-").stdout)]
    assert names == ["always_bet", "random", "equilibrium"]
    assert "three cards" in command("rules", "--game", "kuhn").stdout


# -- many games --


def test_what_one_wins_the_other_loses(command: Run) -> None:
    rows = figures(command, "match", "always_bet", "equilibrium", "-n", "20000", "--no-store")["rows"]
    assert rows[0]["points"] == -rows[1]["points"] != 0.0
    assert rows[0]["win_rate"] + rows[1]["win_rate"] == pytest.approx(1.0)


def test_the_first_player_loses_an_eighteenth(command: Run) -> None:
    """In an equilibrium, whatever the other does that is one as well."""
    row = figures(command, "match", "equilibrium", "equilibrium", "--seating", "fixed", "-n", "1000000", "--no-store")["rows"][0]
    assert row["points"] == pytest.approx(-1 / 18, abs=4 * row["points_se"])
    assert row["points_se"] < 0.002


def test_compiled_and_plain_games_are_the_same(command: Run) -> None:
    words = ("evaluate", "--game", "kuhn", "-n", "300", "--no-store")
    compiled, plain = figures(command, *words), figures(command, *words, "--no-jit")
    assert compiled["rows"] == plain["rows"]
    assert [row["bot"] for row in plain["rows"]] == ["always_bet", "random", "equilibrium"]


def test_bots_are_compared_by_points(command: Run) -> None:
    found = figures(command, "compare", "equilibrium", "always_bet", "--for", "points", "-n", "20000", "--no-store")
    assert found["difference"] == pytest.approx(
        2 / 9, abs=4 * found["difference_se"]
    )  # each gains 1/9 of the other in the mean of both seats


def test_a_tournament_with_a_python_bot_and_a_program(command: Run, tmp_path: Path) -> None:
    (tmp_path / "careful.py").write_text(PYTHON_BOT)
    (tmp_path / "program.py").write_text(PROGRAM)
    players = {"ours": 'bot = "equilibrium"', "file": 'file = "careful.py"', "program": f'command = "{sys.executable} program.py"'}
    listed = "".join(f'[[players]]\nname = "{name}"\n{line}\n' for name, line in players.items())
    (tmp_path / "kuhn.toml").write_text(f'game = "kuhn"\ngames = 60\nseed = 4\n{listed}')
    found = figures(command, "tournament", str(tmp_path / "kuhn.toml"), "--no-store")["standings"]
    assert {player["name"]: player["faults"] for player in found} == dict.fromkeys(players, 0)
    assert sum(player["points_total"] for player in found) == 0 < max(player["points_total"] for player in found)
    assert command("check-bot", f"{sys.executable} {tmp_path / 'program.py'}", "--game", "kuhn", "--seconds", "60").returncode == 0


# -- one game --


def test_a_game_is_told_and_recorded(command: Run, tmp_path: Path) -> None:
    told = command("watch", "equilibrium", "always_bet", "--index", "2").stdout
    assert told.splitlines()[0] == "Kuhn poker standard · game 2 of seed 1"
    assert "always_bet" in told and " wins " in told.splitlines()[-1]
    file = tmp_path / "games.txt"
    command("export", "equilibrium", "always_bet", "-n", "20", "--format", "text", "-o", str(file))
    assert file.read_text().startswith("kuhn/1;standard;seed=1;deal=0;")
    found = json.loads(command("replay", str(file), "--json", "-").stdout)
    assert found["summary"]["disagreeing"] == 0 and len(found["games"]) == 20
    assert sum(player["points"] for player in found["summary"]["players"]) == 0
    command("replay", str(file), "--show", "3")
    rows = [json.loads(line) for line in command("export", "equilibrium", "always_bet", "-n", "20", "--decisions").stdout.splitlines()]
    assert {row["points"] for row in rows} <= {-2, -1, 1, 2} and min(row["points"] for row in rows) < 0
    assert {json.loads(row["view"])["card"] for row in rows} == {"J", "Q", "K"}


def test_a_person_plays_in_the_terminal(command: Run) -> None:
    said = command("play", "kuhn", "--against", "always_bet", "--seed", "3", "--no-store", input="bet\n").stdout
    assert "Your turn: pass or bet?" in said and "card: " in said
    assert "You win 2 points" in said or "always_bet wins 2 points" in said


def test_a_plain_table_in_the_browser(python: Run) -> None:
    found = json.loads(python("-W", "ignore", "-m", "tests.kuhn.table").stdout)
    assert (found["game"]["title"], found["game"]["max_players"]) == ("Kuhn poker", 2)
    assert found["own"]["card"] in ("J", "Q", "K") and found["own"]["legal"] == ["pass", "bet"]
    assert found["seen"]["card"] is None and found["seen"]["seat"] is None
    assert found["question"] == "Your turn: pass or bet?"
    assert found["log"][0] == "You: pass."  # the first legal action, always
    assert found["over"]["record"].startswith("kuhn/1;") and found["over"]["text"][0].endswith(".")
    assert sorted(card for hand in found["film"] for card in hand) in (["J", "K"], ["J", "Q"], ["K", "Q"])


# -- solved --


def test_the_study_proves_the_value_of_the_game(command: Run) -> None:
    found = figures(command, "study", "exact", "--game", "kuhn")
    assert found["value"] == pytest.approx(-1 / 18, abs=1e-9)
    assert found["gap"] < 1e-9  # a best response to either side gains no more
    assert found["information_sets"] == [6, 6]
    rows = {row["bot"]: row for row in found["rows"]}
    assert rows["equilibrium"]["exploitability"] == pytest.approx(0.0, abs=1e-9)
    assert rows["always_bet"]["exploitability"] == pytest.approx(1 / 3)  # with a king 2, with a queen 0, with a jack -1
    assert rows["random"]["exploitability"] > 0.4


# -- a study of its own --


def test_the_game_brings_a_study(command: Run, tmp_path: Path) -> None:
    store, page = ("--store", str(tmp_path / "kibitz.db")), tmp_path / "page.html"
    assert "Which seat is better?" in command("study", "--help").stdout
    assert "Games, or contests, of each line-up." in command("study", "seats", "--help").stdout
    found = figures(command, "study", "seats", "-n", "3000", *store)
    points = {each["question"]: each["rows"][0]["points"] for each in found["experiments"]}
    assert points["equilibrium"] < 0 and points["always_bet"] == pytest.approx(0, abs=0.2)  # -1/18 ± 0.02; 2 points by the higher card
    shown = figures(command, "runs", "show", "1", *store)
    assert shown["kind"] == "study seats" and shown["config"]["game"] == "kuhn" and shown["figures"] == found
    command("report", "1", "-o", str(page), *store)
    assert "Study of seats" in page.read_text() and "<svg" in page.read_text()


@pytest.mark.parametrize("words", ["match", "study", "study Seats", "tune seats"])
def test_an_experiment_with_another_name_is_refused(words: str) -> None:
    with pytest.raises(BadValue, match="'study NAME' or 'train NAME'"):
        Face(experiments={words: ("kibitz_kuhn.study:StudySeats", "Which seat is better?")})


def test_two_games_cannot_have_the_same_study(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = Face(experiments={"study exact": ("kibitz_kuhn.study:StudySeats", "Which seat is better?")})
    monkeypatch.setattr(experiment_kinds, "definition_of", lambda name: replace(registry.game(name), face=taken))
    with pytest.raises(BadValue, match="'study exact' of the game uno is the name of another experiment"):
        experiment_kinds.experiment_kinds()


ENVIRONMENTS = """
import warnings
import numpy as np
from pettingzoo.test import api_test
import kibitz.envs

warnings.simplefilter("ignore")
api_test(kibitz.envs.aec("kuhn"), num_cycles=50)
envs = kibitz.envs.vector("kuhn", num_envs=20_000, against="equilibrium", reward="points", autoreset="same_step", threads=1)
seen, _ = envs.reset(seed=1)
mine = games = 0
for _ in range(10):
    seen, rewards, ended, *_ = envs.step(np.ones(20_000, int))
    mine, games = mine + rewards.sum(), games + ended.sum()
print(mine / games, games)
"""


def test_environments_work_for_the_game(python: Run) -> None:
    """Who always bets loses 1/9 a game to the equilibrium, from either seat: 200,000 games, within 5 standard errors of 1.5 points a game."""
    told = python("-c", ENVIRONMENTS).stdout.splitlines()
    assert "Passed API test" in told
    mean, games = map(float, told[-1].split())
    assert games >= 200_000
    assert abs(mean + 1 / 9) < 5 * 1.5 / games**0.5
