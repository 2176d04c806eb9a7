"""`kibitz train perceptron`: writes a bot that plays, and says how it is made again; interruptions are in test_interrupted_trainings.py."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from kibitz.cli.main import run
from kibitz.experiments.training.train import opponents
from kibitz.experiments.training.uno.perceptron.plan import Plan
from kibitz.experiments.training.uno.perceptron.training import Training, command_for
from kibitz.policies.uno.perceptron_models import read_perceptron

SMALL = ("--generations", "8", "--games", "20")


def command(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as stop:
        run(["train", "perceptron", *words])
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


def weights_of(plan: Plan) -> list[float]:
    training = Training(plan)
    training.run(1)
    return training.trained().weights.tolist()  # type: ignore[no-any-return]  # NumPy does not say


@pytest.mark.parametrize("method", ["genetic", "cma"])
def test_command_writes_weights_that_can_be_played(capsys: pytest.CaptureFixture[str], tmp_path: Path, method: str) -> None:
    out = tmp_path / "mine.json"
    words = ("--method", method, "--model", "types", "--population", "4", "--against", "offensive,defensive", "--seed", "3")
    code, text, _ = command(capsys, *SMALL, *words, "--out", str(out))
    assert code == 0
    assert f"perceptron:{out}" in text
    plan = Plan(method, "types", against=("offensive", "defensive"), generations=8, games=20, population=4, seed=3)
    assert read_perceptron(out).weights.tolist() == weights_of(plan)
    assert list(tmp_path.iterdir()) == [out]
    with pytest.raises(SystemExit) as stop:
        run(["match", f"perceptron:{out}", "random", "--games", "20", "--no-store"])
    assert not stop.value.code


def test_the_file_says_how_it_is_made_again(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out, again = tmp_path / "mine.json", tmp_path / "again.json"
    assert command(capsys, *SMALL, "--model", "hidden", "--hidden", "2", "--unit", "contests", "--out", str(out))[0] == 0
    made = json.loads(out.read_text())["made"].split()
    assert made[:3] == ["kibitz", "train", "perceptron"]
    assert command(capsys, *made[3:], "--out", str(again))[0] == 0
    assert again.read_bytes() == out.read_bytes()


def test_a_finished_training_is_listed_with_all_its_games(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "runs.db"))
    assert command(capsys, *SMALL, "--out", str(tmp_path / "mine.json"), *store)[0] == 0
    with pytest.raises(SystemExit):
        run(["runs", "--json", "-", *store])
    [listed] = json.loads(capsys.readouterr().out)["runs"]
    assert (listed["status"], listed["done"], listed["asked"]) == ("complete", 160, 160)


@pytest.mark.parametrize(
    "against", [("offensive", "random"), ("rollout:rollouts=5,horizon=2",), ("mix2:end_game=on,limits=1/1/1/1/1/1", "random")]
)
def test_opponents_are_written_as_the_command_reads_them(against: tuple[str, ...]) -> None:
    words = shlex.split(command_for(Plan(against=against)))
    assert opponents(words[words.index("--against") + 1]) == against


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--games", "1000000000000"), "games=1000000000000 is out of range: 1 to 10,000,000 are accepted"),
        (("--model", "deep"), "model 'deep' is not accepted; it is cards, rectified, types, faces, hidden"),
        (("--method", "luck"), "method 'luck' is not accepted; it is genetic, cma"),
        (("--unit", "hands"), "unit 'hands' is not accepted; it is deals, contests"),
        (("--hidden", "0"), "hidden=0 is out of range"),
        (("--generations", "0"), "generations=0 is out of range"),
        (("--games", "0"), "games=0 is out of range"),
        (("--population", "1"), "population=1 is out of range"),
        (("--population", "8"), "a line-up of 11 bots is not accepted"),
        (("--against", "mixx"), "unknown bot 'mixx'"),
        (("--against", ","), "no opponent is named"),
        (("--rules", "nice"), "unknown rules 'nice'"),
        (("--seed", "-1"), "seed -1 is out of range"),
        (("--resume",), "does not exist; start without --resume"),
        (("--threads", "0"), "threads=0 is out of range"),
    ],
)
def test_bad_options_get_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, ...], sentence: str) -> None:
    code, _, err = command(capsys, *words, "--out", str(tmp_path / "mine.json"))
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_bad_places_get_one_sentence(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "is a folder" in command(capsys, "--out", str(tmp_path))[2]
    assert "there is no folder" in command(capsys, "--out", str(tmp_path / "none" / "w.json"))[2]
