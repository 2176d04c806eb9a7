"""`kibitz figures`: pages made again from a list, after an interruption or a kill too, and checked in little."""

from __future__ import annotations

import glob
import re
import shlex
import shutil
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from kibitz.cli import experiment_command, figures
from kibitz.experiments import experiment as experiment_module
from kibitz.experiments.batch import Batch
from kibitz.experiments.measurement import Match
from kibitz.report.formatting import marks_for
from tests.commands import check_refused, kibitz_command
from tests.figure_pages import LIST, PAGES, contents, make_folder, runs_in

SEQUENTIAL = """
[[figures]]
name = "left"
page = "left.md"
check = "--max-games 200"
headings = ["bots", "difference"]
rows = [{ labels = ["greedy v random"], cells = ["kibitz compare greedy random --margin 10"] }]
"""
ROOT = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]

MINE = """
class Mine:
    game = "hanabi"

    def choose(self, view):
        return next(action for action in range(250) if view.is_legal(action))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_folder(tmp_path / "pages", 4_000)


def make(capsys: Capture, folder: Path, *words: str) -> tuple[int, str, str]:
    return kibitz_command(capsys, "figures", str(folder / "list.toml"), "--store", str(folder / "runs.db"), *words)


def check(capsys: Capture, folder: Path, *words: str) -> tuple[int, str, str]:
    return kibitz_command(capsys, "figures", str(folder / "list.toml"), "--check", *words)


# -- made, found again, gone on with --


def test_pages_are_written_once_and_finished_experiments_are_found_again(folder: Path, capsys: Capture) -> None:
    code, out, err = make(capsys, folder)
    assert (code, out) == (0, ""), err
    assert "1 of 3  table …" in err and "3 of 3  study: " in err
    assert "not made here: by-hand (it is a painting): a brush" in err
    made = {file.name: file.read_bytes() for file in folder.iterdir()}
    table, cells, study = (made[page].decode() for page in PAGES)
    assert all(text.startswith("before\n") and text.endswith("after\n") for text in (table, cells, study))
    assert table.count("| greedy | 5") == 1 and "4,000 games per row" in table
    assert cells.count(" ± ") == 2 and "| chance | 50 | 50 |" in cells
    assert "Made by `kibitz study crossplay iggi random --games 40" in study
    assert b"<svg" in made["study.svg"]
    kept = runs_in(folder / "runs.db")
    assert [run[1] for run in kept] == ["complete"] * 4
    assert kept[1][3] == "kibitz match mix2 random --games 4000 --seating rotate"

    (folder / "study.svg").unlink()
    (folder / "cells.md").write_text(cells.replace("| `mix2` |", "| nobody |"), encoding="utf-8")
    code, _, err = make(capsys, folder)
    assert code == 0 and err.count("found finished") == 3
    assert runs_in(folder / "runs.db") == kept
    assert {name: (folder / name).read_bytes() for name in (*PAGES, "study.svg")} == {name: made[name] for name in (*PAGES, "study.svg")}


def test_another_setting_or_another_version_of_results_is_played_anew(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = folder / "list.toml"
    make(capsys, folder, "--only", "table")
    file.write_text(LIST.format(games=5_000), encoding="utf-8")
    make(capsys, folder, "--only", "table")
    assert [run[2] for run in runs_in(folder / "runs.db")] == [4 * 4_000, 4 * 5_000]
    assert "5,000 games per row" in (folder / "table.md").read_text(encoding="utf-8")
    for module in ("kibitz.runs.store", "kibitz.experiments.earlier_runs"):
        monkeypatch.setattr(f"{module}.results_version", lambda config: 77)
    make(capsys, folder, "--only", "table")
    assert [run[2] for run in runs_in(folder / "runs.db")] == [4 * 4_000, 4 * 5_000, 4 * 5_000]


def test_a_run_that_wrote_other_files_is_found_again(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "mine.py").write_text(MINE)
    (folder / "list.toml").write_text(LIST.format(games=4_000).replace("crossplay iggi random", "crossplay mine.py random"))
    (folder / "other.md").write_text((folder / "study.md").read_text())
    monkeypatch.chdir(folder)
    line = "study crossplay mine.py random --games 40 --write other.md --plot other.svg --store runs.db"
    ended = kibitz_command(capsys, *line.split())
    assert ended[0] == 0, ended
    kept = runs_in(folder / "runs.db")
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (folder / "mine.py").rename(elsewhere / "mine.py")
    monkeypatch.chdir(elsewhere)
    code, _, err = make(capsys, folder, "--only", "study")
    assert code == 0 and "found finished" in err and runs_in(folder / "runs.db") == kept
    (elsewhere / "mine.py").write_text((elsewhere / "mine.py").read_text() + "# another\n")
    assert make(capsys, folder, "--only", "study")[0] == 0 and len(runs_in(folder / "runs.db")) == 2, "with another bot"


def test_an_interrupted_list_goes_on_where_it_stopped(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, stopped = make_folder(tmp_path / "whole", 4_000), make_folder(tmp_path / "stopped", 4_000)
    assert make(capsys, whole)[0] == 0
    with monkeypatch.context() as patch:
        play = Match.play

        def stop_second(match: Match) -> Any:
            if "greedy" in match.bots:
                raise KeyboardInterrupt
            return play(match)

        patch.setattr(Match, "play", stop_second)
        code, _, _ = make(capsys, stopped)
    assert code == 130
    first, second, third = runs_in(stopped / "runs.db")
    assert (first[1], second[1], third[1]) == ("complete", "complete", "interrupted")
    assert "| greedy |" in (stopped / "table.md").read_text(encoding="utf-8")
    assert "|" not in (stopped / "cells.md").read_text(encoding="utf-8")
    played: list[str] = []
    run_batch = Batch.run

    def note(batch: Batch, *rest: Any) -> None:
        played.append(batch.lineup.entrants[-1].name)
        run_batch(batch, *rest)

    monkeypatch.setattr(Batch, "run", note)
    assert make(capsys, stopped)[0] == 0
    assert played[0] == "greedy"  # the second match of cells, and nothing before it
    assert [run[0] for run in runs_in(stopped / "runs.db")] == [1, 2, 3, 4]
    assert contents(stopped) == contents(whole)


def test_a_page_is_written_whole_or_not_at_all(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (folder / "table.md").read_bytes()

    def no_space(path: Path, target: Path) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", no_space)
        code, _, err = make(capsys, folder, "--only", "table")
    assert code == 2 and "table.md cannot be written: No space left on device" in err
    assert (folder / "table.md").read_bytes() == before
    assert sorted(file.suffix for file in folder.iterdir() if "unfinished" in file.name) == []


def test_the_day_and_version_on_a_page_are_those_of_the_games(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    make(capsys, folder, "--only", "study")
    page = (folder / "study.md").read_text(encoding="utf-8")
    monkeypatch.setattr(experiment_module, "__version__", "9.9.9")
    monkeypatch.setattr(time, "time", lambda: 4e9)
    make(capsys, folder, "--only", "study")
    assert (folder / "study.md").read_text(encoding="utf-8") == page


# -- checked in little --


def test_a_right_page_passes_and_a_doctored_one_is_noticed(folder: Path, capsys: Capture) -> None:
    make(capsys, folder)
    made = {page: (folder / page).read_text(encoding="utf-8") for page in PAGES}
    code, out, _ = check(capsys, folder)
    assert code == 0, out
    assert "1 of 3  table: 8 figures and 8 cells without an error compared, 0 left out" in out
    assert ": 0 cells wrong." in out and "at most 1 % of the time" in out
    assert {page: (folder / page).read_text(encoding="utf-8") for page in PAGES} == made
    cell = made["cells.md"].split("| `mix2` | ")[1].split(" ")[0]
    doctored = {
        "cells.md": (cell, f"{float(cell) + 30:.2f}", f"the page says {float(cell) + 30:g} ± "),
        "table.md": ("| 20.7 |", "| 20.8 |", "the page says '20.8', the small version '20.7'"),
        "study.md": ("| iggi |", "| piers |", "the page has no row 'iggi'"),
    }
    for page, (right, false, said) in doctored.items():
        (folder / page).write_text(made[page].replace(right, false), encoding="utf-8")
        code, out, _ = check(capsys, folder, "--only", page.removesuffix(".md"))
        assert code == 1 and said in out, out
        (folder / page).write_text(made[page], encoding="utf-8")


def test_cheap_figures_of_the_docs_pass_and_a_doctored_page_does_not(tmp_path: Path, capsys: Capture) -> None:
    for name in ("README.md", "docs"):
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tmp_path / name)
    words = ("figures", str(tmp_path / "docs" / "figures.toml"), "--check", "--only", "smart-strength")
    code, out, _ = kibitz_command(capsys, *words, "--only", "expectiminimax-strength")
    assert code == 0, out
    page = tmp_path / "docs" / "hanabi.md"
    text = page.read_text(encoding="utf-8")
    assert text.count("| 23.085 ± 0.006 | 23.286") == 1
    page.write_text(text.replace("| 23.085 ± 0.006 | 23.286", "| 24.085 ± 0.006 | 23.286"), encoding="utf-8")
    code, out, _ = kibitz_command(capsys, *words)
    assert code == 1 and out.count("\n! ") == 1 and "`smart` score, 2 players: the page says 24.085" in out


def test_a_check_draws_plots_elsewhere(folder: Path, capsys: Capture) -> None:
    make(capsys, folder, "--only", "study")
    (folder / "study.svg").unlink()
    assert check(capsys, folder, "--only", "study")[0] == 0
    assert not (folder / "study.svg").exists()


# -- running options --


def test_pages_of_merged_shares_are_those_of_one_machine(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    whole, shared = (make_folder(tmp_path / name, 400) for name in ("whole", "shared"))
    for folder in (whole, shared):
        add_what_cannot_be_divided(folder)
    assert make(capsys, whole)[0] == 0
    before = contents(shared)
    monkeypatch.chdir(shared)
    for share in ("1", "2"):
        code, _, err = kibitz_command(capsys, "figures", "list.toml", "--shard", f"{share}/2", "--store", f"part-{share}.sqlite")
        assert code == 0, err
        assert err.count("left out, since it can't be divided; it is played after the shares were merged: kibitz compare") == 1
    assert contents(shared) == before
    shares = zip(*(runs_in(shared / f"part-{share}.sqlite") for share in (1, 2)), strict=True)
    divided = [run[1:4] for run in runs_in(whole / "runs.db")][:4]
    assert [("complete", one[2] + other[2], one[3]) for one, other in shares] == divided

    merging, writing = (shlex.split(line)[1:] for line in err.splitlines()[-2:])
    code, _, err = kibitz_command(capsys, *(name for word in merging for name in (sorted(glob.glob(word)) or [word])))
    assert code == 0, err
    code, _, err = kibitz_command(capsys, *writing)
    assert code == 0, err
    assert [run[1:4] for run in runs_in(shared / "all.sqlite")][:4] == divided
    assert err.count("found finished") == 3  # all but what could not be divided
    assert contents(shared) == contents(whole)
    for name in ("left.md", "study.svg"):
        assert (shared / name).read_bytes() == (whole / name).read_bytes()
    tables = [(folder / "table.md").read_text(encoding="utf-8") for folder in (whole, shared)]
    assert [" cores (" in text for text in tables] == [True, False]


def test_a_store_of_shares_is_refused_before_anything_is_played(folder: Path, capsys: Capture) -> None:
    store = folder / "part-2.sqlite"
    words = ("figures", str(folder / "list.toml"), "--store", str(store), "--only", "cells")
    assert kibitz_command(capsys, *words, "--shard", "2/3")[0] == 0
    pages, kept = contents(folder), runs_in(store)
    code, _, err = kibitz_command(capsys, *words)
    assert code == 2
    typed = "kibitz match mix2 random --games 4000 --seating rotate"
    said = f"run 1 of {store} is only share 2 of 3 of `{typed}`; put all shares together first: kibitz merge OUT {folder}/part-*.sqlite"
    assert err.splitlines()[-1] == f"kibitz: {said}"
    assert (contents(folder), runs_in(store)) == (pages, kept)


def test_another_machine_than_that_of_the_games_is_not_named(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    page = folder / "table.md"
    make(capsys, folder, "--only", "table")
    assert " minutes on " in page.read_text(encoding="utf-8")
    monkeypatch.setattr("platform.node", lambda: "another")
    make(capsys, folder, "--only", "table")
    assert re.search(r"version \S+, 0\.\d minutes, \d{4}-", page.read_text(encoding="utf-8"))


def test_a_run_says_that_a_cluster_played_it_and_its_page_names_no_machine(
    folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str | None] = []

    def join(address: str | None, experiment: Any) -> Any:
        asked.append(address)
        return nullcontext()

    with monkeypatch.context() as patch:
        patch.setattr(experiment_command, "joining", join)
        assert make(capsys, folder, "--only", "table", "--cluster", "auto")[0] == 0
    assert asked == ["auto"]
    ((*_, command),) = runs_in(folder / "runs.db")
    assert command == "kibitz evaluate random greedy --published --games 4000 --cluster auto"
    page = folder / "table.md"
    text = page.read_text(encoding="utf-8")
    assert " minutes, " in text and " cores (" not in text
    make(capsys, folder, "--only", "table")
    assert page.read_text(encoding="utf-8") == text


def add_what_cannot_be_divided(folder: Path) -> None:
    """A table of a sequential comparison."""
    begin, end = marks_for("left")
    (folder / "left.md").write_text(f"{begin}\n{end}\n", encoding="utf-8")
    with (folder / "list.toml").open("a", encoding="utf-8") as file:
        file.write(SEQUENTIAL)


def test_options_of_experiments_are_options_of_a_list() -> None:
    shared = set(experiment_command.SHARED_OPTIONS)
    assert set(figures.RUNNING_OPTIONS) == shared - {"json", "no_store"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nowhere.toml",), "nowhere.toml does not exist"),
        (("LIST", "--only", "tabel"), "did you mean table"),
        (("LIST", "--only", "by-hand"), "'by-hand' is not made by an experiment (it is a painting): a brush"),
        (("LIST", "--check", "--store", "x.db"), "leave out --store"),
        (("LIST", "--shard", "3/2", "--store", "x.db"), "shard must be I/N"),
        (("LIST", "--shard", "1/2", "--store", "x.db", "--cluster", "auto"), "--shard 1/2 and --cluster are two ways"),
    ],
)
def test_a_mistake_gets_one_sentence(words: tuple[str, ...], said: str, folder: Path, capsys: Capture) -> None:
    given = [str(folder / "list.toml") if word == "LIST" else word for word in words]
    check_refused(kibitz_command(capsys, "figures", *given), said)
