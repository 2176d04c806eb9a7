"""Runs that are kept: `kibitz runs`, `kibitz resume`, and what becomes of a stored run that cannot go on."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.cli.stored import export_run, replay_run
from kibitz.core.errors import BadValue
from kibitz.experiments.experiment import Interrupted
from kibitz.experiments.experiment_kinds import SHARED
from kibitz.experiments.measurement import Evaluate, Match
from kibitz.runs.database import open_store
from kibitz.runs.store import Run, RunLedger, list_runs, read_run
from tests.cli.test_commands import INTERRUPTING
from tests.commands import check_refused, kibitz_command

Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "data" / "kibitz.db"
    monkeypatch.setenv("KIBITZ_STORE", str(path))
    return path


def stored(path: Path) -> list[Run]:
    with open_store(path, create=False) as opened:
        return list_runs(opened)


def interrupt_after(monkeypatch: pytest.MonkeyPatch, units: int) -> None:
    """Ctrl-C comes when so many units are kept."""
    keep, count = RunLedger.keep, iter(range(1, 1_000_000))

    def counting(ledger: RunLedger, *values: Any) -> None:
        keep(ledger, *values)
        if next(count) == units:
            raise KeyboardInterrupt

    monkeypatch.setattr(RunLedger, "keep", counting)


def figures(text: str) -> Any:
    """JSON without what the clock decides."""
    return json.loads(
        text, object_hook=lambda value: {key: each for key, each in value.items() if key not in ("seconds", "games_per_second")}
    )


# -- kept --


def test_a_run_is_kept_and_says_nothing_of_it(capsys: Capture, store: Path) -> None:
    kibitz_command(capsys, "evaluate", "mix2", "greedy", "--games", "1", "--no-store")  # nothing is left to be compiled
    code, out, err = kibitz_command(capsys, "evaluate", "mix2", "greedy", "--games", "300", "--seed", "4", "--json", "-")
    assert (code, err) == (0, "")
    (run,) = stored(store)
    assert run.command == "kibitz evaluate mix2 greedy --games 300 --seed 4 --json -"
    assert (run.kind, run.status, run.done, run.asked, run.version) == ("evaluate", "complete", 600, 600, kibitz.__version__)
    assert run.figures == json.loads(out)
    wanted = {
        "command": "evaluate",
        "game": "uno",
        "bots": ["mix2:win_rate", "greedy"],
        "players": 2,
        "against": "random",
        "games": 300,
        "seed": 4,
        "rules": "classic",
        "seating": "random",
        "to": None,
        "jit": True,
    }
    assert wanted.items() <= run.config.items()


def test_a_command_is_kept_as_it_can_be_typed_again(capsys: Capture, store: Path, tmp_path: Path) -> None:
    words = ["match", "random", "random", "--games", "20", "--json", str(tmp_path / "my figures.json")]
    assert kibitz_command(capsys, *words)[0] == 0
    assert shlex.split(stored(store)[0].command) == ["kibitz", *words]


def test_no_store_keeps_nothing(capsys: Capture, store: Path) -> None:
    assert kibitz_command(capsys, "match", "random", "random", "--games", "20", "--no-store")[0] == 0
    assert not store.parent.exists()


def test_the_store_can_be_named(capsys: Capture, store: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.db"
    assert kibitz_command(capsys, "match", "random", "random", "--games", "20", "--store", str(other))[0] == 0
    assert not store.exists()
    code, out, _ = kibitz_command(capsys, "runs", "--store", str(other))
    assert code == 0
    assert "kibitz match random random" in out


def test_a_mistake_is_not_kept(capsys: Capture, store: Path) -> None:
    for words in (["--games", "0"], ["--threads", "0"], ["--seating", "left"]):
        assert kibitz_command(capsys, "match", "random", "random", *words)[0] == 2
    assert not store.exists() or stored(store) == []


def test_a_run_that_fails_says_why(capsys: Capture, store: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    source = "games = 0\nclass it:\n    def __init__(self):\n        global games\n        games += 1\n    def choose(self, view):\n"
    file.write_text(f"{source}        return next(a for a in range(250) if view.is_legal(a)) if games < 400 else 1 // 0\n")
    code, _, err = kibitz_command(capsys, "match", f"{file}:it", "random", "--games", "600", "--threads", "1")
    assert code == 2
    assert "raised ZeroDivisionError" in err
    (run,) = stored(store)
    assert (run.status, run.done) == ("failed", 250)
    assert run.reason == err.removeprefix("kibitz: ").strip()
    assert "raised ZeroDivisionError" in kibitz_command(capsys, "runs", "show", "1")[1]


# -- listed and shown --


def test_runs_are_listed_newest_first(capsys: Capture, store: Path) -> None:
    assert kibitz_command(capsys, "runs")[:2] == (0, f"no run is kept yet in {store}\n")
    for seed in (1, 2, 3):
        kibitz_command(capsys, "match", "random", "random", "--games", "20", "--seed", str(seed))
    code, out, _ = kibitz_command(capsys, "runs")
    lines = [line.split() for line in out.splitlines() if "kibitz match" in line]
    assert code == 0
    assert [line[0] for line in lines] == ["3", "2", "1"]
    assert all(line[-3:-1] == ["complete", "20"] for line in lines)
    assert "--seed 3" in out
    told = json.loads(kibitz_command(capsys, "runs", "--limit", "2", "--json", "-")[1])
    assert [run["id"] for run in told["runs"]] == [3, 2]
    assert told["runs"][0]["config"]["seed"] == 3


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "mix2", "greedy"],
        ["match", "mix2", "random", "greedy", "--seating", "rotate"],
        ["match", "greedy", "random", "--to", "100"],
        ["evaluate", "iggi", "--game", "hanabi", "--players", "3"],
        ["match", "iggi", "piers", "--game", "hanabi"],
        ["evaluate", "mix2", "--published"],
        ["evaluate", "iggi", "meanimax:depth=1", "--published"],
    ],
    ids=" ".join,
)
def test_show_prints_what_the_command_printed(capsys: Capture, words: list[str]) -> None:
    _, printed, _ = kibitz_command(capsys, *words, "--games", "60")
    code, out, err = kibitz_command(capsys, "runs", "show", "1")
    assert (code, err) == (0, "")
    assert out.endswith(printed)
    assert f"kibitz {' '.join(words)} --games 60" in out
    shown = json.loads(kibitz_command(capsys, "runs", "show", "1", "--json", "-")[1])
    assert shown["status"] == "complete"
    assert shown["figures"]["command"] == words[0]
    code, out, _ = kibitz_command(capsys, "resume", "1")
    assert (code, out) == (0, f"run 1 is complete\n\n{printed}")


def test_an_unfinished_run_is_shown_as_far_as_it_is(capsys: Capture, monkeypatch: pytest.MonkeyPatch, store: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("class it:\n    def choose(self, view):\n        return next(a for a in range(250) if view.is_legal(a))\n")
    interrupt_after(monkeypatch, 2)
    code, out, err = kibitz_command(capsys, "match", f"{file}:it", "random", "--games", "750", "--threads", "1")
    assert code == 130
    assert "INCOMPLETE" in out
    assert err == "resume with: kibitz resume 1\n"
    file.unlink()  # showing needs no bot
    code, out, _ = kibitz_command(capsys, "runs", "show", "1")
    assert code == 0
    assert "interrupted, 500 of 750 games" in out
    assert "INCOMPLETE: interrupted after 500" in out
    assert "kibitz resume 1" in out
    shown = json.loads(kibitz_command(capsys, "runs", "show", "1", "--json", "-")[1])
    assert (shown["status"], shown["figures"]["complete"], shown["figures"]["rows"][0]["games"]) == ("interrupted", False, 500)


def test_a_run_with_another_version_of_results_is_shown_as_it_was_written(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    kibitz_command(capsys, "match", "random", "random", "--games", "20")
    half_done(capsys, "match", "random", "random", "--games", "100")
    monkeypatch.setitem(vars(registry.game("uno")), "results_version", 2)
    code, out, _ = kibitz_command(capsys, "runs", "show", "1")
    assert code == 0
    assert '"games": 20' in out
    assert re.search(r"^results version +1$", out, re.MULTILINE)
    code, out, _ = kibitz_command(capsys, "runs", "show", "2")
    assert code == 0
    assert "kibitz resume 2" in out


def test_runs_are_deleted_after_a_question(capsys: Capture, monkeypatch: pytest.MonkeyPatch, store: Path) -> None:
    for _ in range(3):
        kibitz_command(capsys, "match", "random", "random", "--games", "20")
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    code, out, _ = kibitz_command(capsys, "runs", "delete", "1")
    assert code == 1
    assert "nothing was deleted" in out
    assert len(stored(store)) == 3
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert kibitz_command(capsys, "runs", "delete", "1")[0] == 0
    code, out, _ = kibitz_command(capsys, "runs", "delete", "2", "3", "--yes")
    assert (code, out) == (0, "deleted run 2, run 3\n")
    assert stored(store) == []


# -- resumed --


RESUMED = [
    ["evaluate", "mix2", "greedy", "--games", "160"],
    ["evaluate", "random", "greedy", "--published", "--games", "160"],
    ["match", "mix2:points", "random", "greedy", "--seating", "rotate", "--rules", "official,stacking=progressive", "--games", "160"],
    ["match", "greedy", "random", "--to", "100+", "--games", "80"],
    ["evaluate", "iggi", "piers", "--game", "hanabi", "--players", "3", "--games", "80"],
    ["match", "mix2", "random", "--no-jit", "--games", "600"],
]


@pytest.mark.parametrize("words", RESUMED, ids=" ".join)
@pytest.mark.parametrize("units", [1, 3])
def test_an_interrupted_run_resumes_to_the_same_figures(words: list[str], units: int, capsys: Capture, store: Path) -> None:
    if "--no-jit" in words:
        units = 1
    _, whole, _ = kibitz_command(capsys, *words, "--json", "-", "--no-store")
    with pytest.MonkeyPatch.context() as patch:
        interrupt_after(patch, units)
        code, _, err = kibitz_command(capsys, *words)
    assert (code, err) == (130, "resume with: kibitz resume 1\n")
    done = stored(store)[0].done
    assert 0 < done < (stored(store)[0].asked or 0)
    _, out, _ = kibitz_command(capsys, "resume")
    assert f"{done:,} of" in out
    code, out, err = kibitz_command(capsys, "resume", "1", "--json", "-")
    assert (code, err) == (0, "")
    assert figures(out) == figures(whole)
    (run,) = stored(store)
    assert (run.status, run.done) == ("complete", run.asked)
    assert run.figures == json.loads(out)
    assert kibitz_command(capsys, "resume")[:2] == (0, "every run is complete\n")


def test_ctrl_c_in_a_process_tells_how_to_go_on(store: Path) -> None:
    words = [sys.executable, "-c", INTERRUPTING, "evaluate", "mix2", "greedy", "--games", "2000000000"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 130
    assert done.stderr.endswith("resume with: kibitz resume 1\n")
    (run,) = stored(store)
    assert run.status == "interrupted"
    assert run.done > 0


def half_done(capsys: Capture, *words: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        interrupt_after(patch, 1)
        assert kibitz_command(capsys, *words)[0] == 130


def file_bot(folder: Path) -> Path:
    file = folder / "mine.py"
    file.write_text("class it:\n    def choose(self, view):\n        return next(a for a in range(250) if view.is_legal(a))\n")
    return file


def test_a_bot_in_a_file_resumes_from_any_folder(capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    file_bot(home)
    monkeypatch.chdir(home)
    words = ["match", "mine.py:it", "random", "--games", "600", "--threads", "1"]
    _, whole, _ = kibitz_command(capsys, *words, "--json", "-", "--no-store")
    half_done(capsys, *words)
    monkeypatch.chdir(elsewhere)
    code, _, err = kibitz_command(capsys, "resume", "1", "--json", "figures.json", "--threads", "1")
    assert (code, err) == (0, "")
    assert figures((elsewhere / "figures.json").read_text()) == figures(whole)
    assert Path.cwd() == elsewhere


@pytest.mark.parametrize("change", ["changed", "gone"])
def test_a_bot_file_that_is_not_what_it_was_is_refused(change: str, capsys: Capture, store: Path, tmp_path: Path) -> None:
    file = file_bot(tmp_path)
    half_done(capsys, "evaluate", f"{file}:it", "--games", "600", "--threads", "1")
    file.write_text(file.read_text() + "# better now\n") if change == "changed" else file.unlink()
    code, out, err = kibitz_command(capsys, "resume", "1")
    sentence = "has changed since the run began" if change == "changed" else "does not exist any more"
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"bot file {file} {sentence}" in err
    assert stored(store)[0].status == "interrupted"


def test_another_version_of_results_is_refused_and_another_version_of_kibitz_is_not(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, store: Path
) -> None:
    half_done(capsys, "match", "random", "random", "--games", "100")
    monkeypatch.setattr("kibitz.__version__", "9.9.9")
    with monkeypatch.context() as patch:
        patch.setitem(vars(registry.game("uno")), "results_version", 2)
        for words in (("resume", "1"), ("replay", "1", "0")):
            code, _, err = kibitz_command(capsys, *words)
            assert (code, err.count("\n")) == (2, 1)
            assert "run 1 was begun with version 1 of the results of uno, and this kibitz has version 2" in err
            assert "start again: kibitz match random random --games 100" in err
    code, out, _ = kibitz_command(capsys, "resume", "1", "--json", "-")
    assert code == 0
    assert json.loads(out)["results_version"] == 1
    kibitz_command(capsys, "match", "random", "random", "--games", "100", "--json", "-")
    resumed, whole = stored(store)[1], stored(store)[0]
    assert resumed.figures["rows"] == whole.figures["rows"]
    assert (resumed.results_version, whole.results_version) == (1, 1)


def test_a_compiled_run_is_not_resumed_without_the_compiler(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    half_done(capsys, "match", "random", "random", "--games", "100")
    monkeypatch.setenv("KIBITZ_JIT", "0")
    code, _, err = kibitz_command(capsys, "resume", "1")
    assert code == 2
    assert "KIBITZ_JIT is 0" in err


def test_a_kind_that_nobody_knows_is_refused(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    half_done(capsys, "match", "random", "random", "--games", "100")
    monkeypatch.delitem(SHARED, "match")
    code, _, err = kibitz_command(capsys, "resume", "1")
    assert code == 2
    assert "run 1 is of kind 'match', which this kibitz does not know" in err


BAD = [
    (["match", "random", "random", "--games", "5", "--store", "a.db", "--no-store"], "exclude each other"),
    (["match", "random", "random", "--games", "5", "--store", "README.md"], "README.md is not a store of kibitz"),
    (["match", "random", "random", "--games", "5", "--store", "README.md/kibitz.db"], "cannot be written: "),
    (["evaluate", "random", "--games", "5", "--store", "."], "is a folder; name a file with --store, or play with --no-store"),
    (["runs", "--store", "README.md"], "README.md is not a store of kibitz"),
    (["runs", "--limit", "0"], "limit=0 is out of range"),
    (["runs", "show", "7"], "there is no run 7 in "),
    (["runs", "show", "seven"], "'ID'"),
    (["runs", "delete", "1", "7", "--yes"], "there is no run 7 in "),
    (["runs", "--store", "a.db", "show", "1"], "options stand after the word"),
    (["runs", "fly"], "fly"),
    (["resume", "7"], "there is no run 7 in "),
    (["resume", "--json", "-"], "--json needs the number of a run"),
    (["resume", "1", "--store", "nowhere.db"], "there is no store at "),
]


@pytest.mark.parametrize(("words", "sentence"), BAD, ids=[" ".join(words)[:40] for words, _ in BAD])
def test_a_mistake_gets_one_sentence_and_exit_code_2(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, words: list[str], sentence: str, tmp_path: Path
) -> None:
    kibitz_command(capsys, "match", "random", "random", "--games", "20")
    monkeypatch.chdir(tmp_path)
    readme = tmp_path / "README.md"
    readme.write_text("nothing to do with cards\n" * 10)
    check_refused(kibitz_command(capsys, *words), sentence)
    assert readme.read_text() == "nothing to do with cards\n" * 10


# -- configurations --


def test_an_experiment_comes_back_from_its_config() -> None:
    for game in registry.BUILT_IN:
        asked = Evaluate(registry.all_names(game), games=10, seed=5, game=game)
        again = Evaluate.from_config(json.loads(json.dumps(asked.to_config())))
        names = [[entrant.name for entrant in lineup.entrants] for lineup in asked.tables[0]]
        assert [[entrant.name for entrant in lineup.entrants] for lineup in again.tables[0]] == names
        assert again.to_config() == asked.to_config()
    rules = "official,stacking=progressive"
    match = Match(["mix2:wild_colour_slack=2", "random"], games=10, seed=5, rules=rules, seating="rotate", to="300+")
    assert Match.from_config(match.to_config()).to_config() == match.to_config()
    assert Match.from_config(match.to_config(), absent=True).to_config() == match.to_config()
    house = Match(["mix2", "random"], games=10, seed=5, rules=str(Path(__file__).parents[2] / "examples" / "house.toml"))
    config = house.to_config()
    assert "toml" not in config["rules"]
    assert Match.from_config(config).tables[0][0].rules == house.tables[0][0].rules


# -- games of a run --


def test_exported_games_add_up_to_the_figures(capsys: Capture, store: Path, tmp_path: Path) -> None:
    kibitz_command(capsys, "evaluate", "mix2", "greedy", "--games", "120", "--players", "3")
    file = tmp_path / "games.csv"
    assert export_run(store, 1, "csv", False, str(file)) == 240
    rows = list(csv.DictReader(file.read_text().splitlines()))
    assert [int(row["index"]) for row in rows] == list(range(240))
    result = stored(store)[0].figures
    for part in (0, 1):
        own = [row for row in rows if row["part"] == str(part)]
        assert [int(row["game"]) for row in own] == list(range(120))
        bot = result["rows"][part]["bot"]
        won = [row for row in own if row["winner"] and json.loads(row["seats"])[int(row["winner"])] == bot]
        assert len(won) == pytest.approx(120 * result["rows"][part]["win_rate"])
        assert sum(int(row["points"]) for row in won) == pytest.approx(120 * result["rows"][part]["points"])
    game = kibitz.play(["greedy", "random", "random"], index=17)
    row = rows[120 + 17]
    assert json.loads(row["seats"]) == game.seats
    assert (int(row["winner"]), int(row["points"]), int(row["turns"])) == (game.winner, game.points, game.turns)
    assert row["status"] == game.status


def test_exported_contests_have_their_scores(capsys: Capture, store: Path) -> None:
    kibitz_command(capsys, "match", "greedy", "random", "--to", "100", "--games", "12")
    assert export_run(store, 1, "jsonl", False, "-") == 12
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    contest = kibitz.play_contest(["greedy", "random"], to=100, index=5)
    assert rows[5]["deals"] == len(contest.deals)
    assert rows[5]["scores"] == contest.scores


def test_decisions_of_a_run_are_exported(capsys: Capture, store: Path) -> None:
    kibitz_command(capsys, "evaluate", "greedy", "mix2", "--games", "3")
    count = export_run(store, 1, "jsonl", True, "-")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(rows) == count
    assert {(row["part"], row["index"]) for row in rows} == {(index // 3, index) for index in range(6)}
    assert all(row["action"] in row["legal"] for row in rows)


def test_a_game_of_a_run_is_told(capsys: Capture, store: Path) -> None:
    kibitz_command(capsys, "evaluate", "greedy", "mix2", "--games", "30")
    _, watched, _ = kibitz_command(capsys, "watch", "mix2", "random", "--index", "7")
    assert replay_run(store, 1, 37) == 0
    assert capsys.readouterr().out == watched
    with pytest.raises(BadValue, match="run 1 has no game 60: its games are counted from 0 to 59"):
        replay_run(store, 1, 60)


def test_a_run_that_is_not_complete_is_not_exported(capsys: Capture, store: Path) -> None:
    half_done(capsys, "match", "random", "random", "--games", "100")
    with pytest.raises(BadValue, match="run 1 is not complete; `kibitz resume 1`"):
        export_run(store, 1, "csv", False, "-")


def test_interrupted_results_are_handed_over_without_a_store(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(name: str, games: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        kibitz.match(["random", "random"], games=200, progress=stop)
    assert 0 < caught.value.result.games_played < 200


def test_read_run_agrees_with_the_list(capsys: Capture, store: Path) -> None:
    kibitz_command(capsys, "match", "random", "random", "--games", "20")
    with open_store(store) as opened:
        assert [read_run(opened, 1)] == list_runs(opened)
