"""`kibitz tune` as a user types it: a table, a name to use, JSON, plots, and what happens on Ctrl-C."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from kibitz import registry
from kibitz.core.extras import MissingExtra
from kibitz.experiments.tune.figures import why_not_the_highest
from kibitz.experiments.tune.trials import search
from kibitz.experiments.tune.tuning import Tune, default_study, display_lines
from kibitz.stats.paired import Sums
from tests.commands import check_refused, kibitz_command

FEW = ["--games", "200", "--confirm", "200"]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "data" / "store.db"
    monkeypatch.setenv("KIBITZ_STORE", str(path))
    return path


def test_the_winner_is_a_name_that_other_commands_accept(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = kibitz_command(capsys, "tune", "card_ranking", "--trials", "25", *FEW)
    first, effort, *_ = out.splitlines()
    *_, name, values = out.splitlines()
    assert code == 0
    assert first == "card_ranking:win_rate for win_rate: UNO classic, 2 players v random, from scratch, seed 1"
    assert effort.startswith("25 trials, ")
    assert "games on fresh deals" not in err and "\x1b[" not in out + err
    made = registry.entrant(name)
    assert {key: list(value) if isinstance(value, tuple) else value for key, value in made.values.items()} == json.loads(values)
    assert kibitz_command(capsys, "match", name, "random", "--games", "20", "--no-store")[0] == 0


def test_a_winner_below_a_finalist_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tune", "card_ranking", "--trials", "20", "--games", "400", "--confirm", "400"]
    _, out, _ = kibitz_command(capsys, *words, "--seed", "8")
    value = json.loads(kibitz_command(capsys, *words, "--seed", "8", "--json", "-")[1])
    winner, _, finalist, _ = value["confirmed"]
    assert winner["role"] == "winner" and winner["value"] < finalist["value"] and winner["choice"] > finalist["choice"]
    (line,) = [line for line in out.splitlines() if line.startswith("A finalist has a higher figure than the winner")]
    lead = finalist["value"] - winner["value"]
    assert f": {finalist['value']:.2f} ± {finalist['standard_error']:.2f}, +{lead:.2f} ± " in line and "that may be chance" in line
    chosen = [f"{row['choice']:.2f} ± {row['choice_standard_error']:.2f}" for row in (winner, finalist)]
    assert f"chosen on other fresh deals, where it had {chosen[0]} and that finalist {chosen[1]}." in line
    assert "A finalist" not in kibitz_command(capsys, *words, "--seed", "5")[1]


def test_a_finalist_that_is_clearly_better_is_called_so() -> None:
    result = search(Tune("card_ranking", games=200, seed=8, trials=20, confirm=400))
    winner, *others = result.confirmed
    assert winner.choice is not None and why_not_the_highest(result) is not None
    ahead = [replace(row, lead=Sums(200, 200.0, 400.0)) for row in others]
    said = why_not_the_highest(replace(result, confirmed=[winner, *ahead]))
    assert said is not None and "more than chance explains, so let `kibitz compare` tell" in said
    alone = replace(winner, choice=None)
    assert why_not_the_highest(replace(result, confirmed=[alone, others[-1]])) is None


def test_json_says_the_same_and_the_same_command_goes_on(capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path) -> None:
    words = ["tune", "mix2", "--for", "points", "--players", "3", "--against", "greedy", "--fix", "end_game=on", *FEW]
    code, out, _ = kibitz_command(capsys, *words, "--trials", "3", "--json", "-")
    value = json.loads(out)
    assert code == 0
    shown = (value["bot"], value["for"], value["against"], value["fix"])
    assert shown == ("mix2:win_rate", "points", [registry.entrant("greedy").name] * 2, {"end_game": "on"})
    assert (value["trials"], len(value["history"]), value["complete"]) == (3, 3, True)
    assert value["parameters"]["end_game"] is True
    assert registry.entrant(value["winner"]).name == value["winner"]
    assert Path(value["study"]).parent == store.parent / "tuning"
    more = tmp_path / "more.json"
    code, _, _ = kibitz_command(capsys, *words, "--trials", "5", "--resume", "--json", str(more))
    assert code == 0
    assert json.loads(more.read_text())["history"][:3] == value["history"]


def test_plots_go_into_a_folder(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "plots"
    code, _, err = kibitz_command(capsys, "tune", "card_ranking", "--trials", "22", *FEW, "--plot", str(folder))
    assert code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["history.svg", "importance.svg"]
    code, _, err = kibitz_command(capsys, "tune", "card_ranking", "--trials", "3", "--seed", "2", *FEW, "--plot", str(folder / "few"))
    assert code == 0
    assert [path.name for path in (folder / "few").iterdir()] == ["history.svg"]
    assert "no plot of importance" in err


def test_hanabi(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["tune", "meanimax", "-g", "hanabi", "--for", "score", "--fix", "depth=1", "--trials", "3", "--games", "20", "--confirm", "20"]
    code, out, _ = kibitz_command(capsys, *words)
    assert code == 0
    assert out.startswith("meanimax for score: Hanabi standard, 2 players, from scratch, seed 1")
    assert registry.entrant(out.splitlines()[-2], "hanabi").values["depth"] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["random"], "bot 'random' has no parameters that can be tuned."),
        (["nobody"], "unknown bot 'nobody'"),
        (["mix2", "--trials", "0"], "trials=0 is out of range: at least 1 trial is needed."),
        (["mix2", "--confirm", "0"], "confirm=0 is out of range"),
        (["mix2", "--resume"], "there is no study at"),
        (["mix2", "--rules", "nonsense"], "unknown rules 'nonsense'"),
        (["mix2", "--threads", "0"], "threads=0 is out of range"),
        ([], "Missing argument"),
    ],
)
def test_mistakes_are_one_sentence(words: list[str], message: str, store: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check_refused(kibitz_command(capsys, "tune", *words), message)


def test_without_the_extra_one_sentence_names_it(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    code, out, err = kibitz_command(capsys, "tune", "mix2", "--trials", "1")
    assert (code, out) == (2, "")
    assert err == f"kibitz: {MissingExtra('tuning', 'optuna')}\n"


INTERRUPTING = """
import os, signal
from kibitz.cli import main
from kibitz.experiments.tune import tuning

def show(self, result):  # the display hears of the first finished trials: that is when Ctrl-C comes
    if len(result.trials) == 4:
        os.kill(os.getpid(), signal.SIGINT)

signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
tuning.Display.__call__ = show
main.run()
"""


def test_ctrl_c_keeps_what_is_done_and_says_how_it_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figures, file = tmp_path / "figures.json", tmp_path / "study.db"
    words = ["tune", "card_ranking", "--trials", "9", *FEW, "--study", str(file), "--json", str(figures)]
    done = subprocess.run([sys.executable, "-c", INTERRUPTING, *words], capture_output=True, text=True, timeout=300, check=False)
    value = json.loads(figures.read_text())
    assert done.returncode == 130, done.stderr
    assert "INCOMPLETE: interrupted. Best so far, not confirmed: " in done.stdout
    assert "resume with: kibitz resume 1" in done.stderr
    assert "Traceback" not in done.stderr
    assert (value["complete"], value["winner"], value["trials"]) == (False, None, 4)
    code, _, _ = kibitz_command(capsys, "resume", "1", "--json", str(figures))
    assert code == 0
    whole = json.loads(figures.read_text())
    assert whole["history"][:4] == value["history"]
    code, _, _ = kibitz_command(capsys, *words, "--resume")
    assert code == 0
    assert json.loads(figures.read_text())["confirmed"] == whole["confirmed"]
    code, out, _ = kibitz_command(capsys, "runs", "show", "1")
    assert code == 0 and whole["winner"] in out


def test_display_shows_the_best_with_its_error_and_the_time_to_go() -> None:
    shown: list[list[str]] = []
    search(Tune("card_ranking", games=200, trials=4, confirm=200, progress=lambda known: shown.append(display_lines(known))))
    progress, best = next(lines for lines in shown if "trial 2 of 4" in lines[0])
    assert progress.startswith("searching: ████████████░░░░░░░░░░░░ trial 2 of 4, ")
    assert "games/s, about 0:" in progress and progress.endswith(" to go")
    assert best.startswith("best so far ") and " ± " in best and ": card_ranking:" in best
    assert shown[-1][0].startswith("confirming: ")


def test_every_task_has_a_file_of_its_own(store: Path) -> None:
    files = {
        default_study(Tune("mix2", **asked)) for asked in ({}, {"seed": 2}, {"players": 3}, {"start": "points"}, {"held": ["end_game=on"]})
    }
    assert len(files) == 5
    assert {file.parent for file in files} == {store.parent / "tuning"}
    assert default_study(Tune("mix2")) in files
