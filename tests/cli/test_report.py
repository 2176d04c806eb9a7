"""`kibitz report`: pages of runs that the store keeps, and one sentence for what cannot be done."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kibitz.cli.experiment_command import finish
from kibitz.experiments.comparison import Compare
from kibitz.experiments.tournament.config import BUILT_IN, Participant, Tournament
from kibitz.experiments.tournament.hold import result_from
from kibitz.report.formatting import to_json
from kibitz.runs.database import open_store
from kibitz.runs.store import begin
from tests.commands import kibitz_command
from tests.report.made_up import teams, tournament

COMMAND = "kibitz tournament 'my file.toml' --seed 20261116"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with a tournament (1), one that is not complete (2) and a run of a kind without a page (3)."""
    path = tmp_path / "store.db"
    players = tuple(Participant(name, BUILT_IN, name) for name in ("mix2", "greedy", "random"))
    config = Tournament("Not played yet", "uno", "classic", "round-robin", 100, 2, 5, players)
    with open_store(path) as opened:
        with begin(opened, "tournament", {}, COMMAND) as ledger:
            ledger.finish(tournament(fault_count=7, swiss=True).to_dict())
        with begin(opened, "tournament", config.to_dict(), COMMAND) as ledger:
            ledger.interrupt()
        with begin(opened, "study", {}, "kibitz study rules") as ledger:
            ledger.finish({})
    return path


def test_a_tournament_comes_back_from_its_json() -> None:
    for result in (tournament(fault_count=7, swiss=True), teams()):
        assert result_from(json.loads(to_json(result.to_dict()))) == result


def test_a_tournament_becomes_a_page(capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path) -> None:
    pages = [tmp_path / "one.html", tmp_path / "two.html"]
    for page in pages:
        code, out, err = kibitz_command(capsys, "report", "1", "-o", str(page), "--store", str(store))
        size = f"{page.stat().st_size / 1000:.0f} kB"
        assert (code, out, err) == (0, "", f"wrote {page}: the page of run 1, 0 games, {size}\n")
    text = pages[0].read_text(encoding="utf-8")
    assert "Tournament · run 1" in text and "my file.toml" in text and "check-bot" in text and text.count("<svg") == 3
    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert kibitz_command(capsys, "report", "1", "-o", "-", "--store", str(store)) == (0, text, "")


@pytest.mark.parametrize(("kind", "begins"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_plots_are_written_as_files(capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path, kind: str, begins: bytes) -> None:
    words = ["report", "1", "-o", str(tmp_path / "page.html"), "--plots", str(tmp_path / "plots"), "--plot-format", kind]
    code, _, err = kibitz_command(capsys, *words, "--store", str(store))
    assert code == 0
    assert err.startswith(f"wrote 3 plots to {tmp_path / 'plots'}: ratings.{kind}, against.{kind}, points.{kind}\nwrote ")
    found = sorted((tmp_path / "plots").iterdir())
    assert [path.name for path in found] == [f"{name}.{kind}" for name in ("against", "points", "ratings")]
    assert all(path.read_bytes().startswith(begins) for path in found)


def test_a_tournament_that_is_not_complete_says_so(capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert kibitz_command(capsys, "report", "2", "-o", str(page), "--store", str(store))[:2] == (0, "")
    text = page.read_text(encoding="utf-8")
    assert "Not played yet" in text and "Incomplete: interrupted after 0 games." in text


def test_other_runs_become_pages(capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    kibitz_command(capsys, "evaluate", "mix2", "greedy", "--games", "20", "--no-jit", "--store", str(store))
    kibitz_command(capsys, "match", "mix2", "random", "--games", "20", "--no-jit", "--store", str(store))
    question = Compare("mix2", "random", games=20, jit=False)
    with open_store(store) as opened, begin(opened, "compare", question.to_config(), "kibitz compare mix2 random") as ledger:
        finish(question.going(ledger=ledger), None)
    for run, word, kind, plot in (
        (4, "evaluate", "Evaluate", "Win rates"),
        (5, "match", "Match", "Win rates"),
        (6, "compare", "Comparison", "Difference"),
    ):
        assert kibitz_command(capsys, "report", str(run), "-o", str(page), "--store", str(store))[0] == 0
        text = page.read_text(encoding="utf-8")
        assert f"kibitz replay {run} 0\nkibitz export {run} -o run-{run}.csv" in text
        assert f"{kind} · run {run}" in text and f"kibitz {word} mix2" in text and f"<h2>{plot}</h2>" in text


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["9"], "there is no run 9"),
        (["3"], "run 3 is of kind 'study', which this kibitz does not know"),
        (["1", "-o", "{folder}"], "is a folder; name a file"),
        (["1", "-o", "{folder}/missing/page.html"], "cannot be written: No such file or directory."),
        (["1", "--plots", "{folder}/store.db"], "is a file; name a folder."),
        (["1", "--plots", "{folder}/store.db/plots"], "store.db is a file; name a folder."),
        (["1", "--plots", "{folder}/plots", "--plot-format", "gif"], "--plot-format gif is not accepted; it is svg or png."),
    ],
)
def test_what_cannot_be_done_is_one_sentence(
    capsys: pytest.CaptureFixture[str], store: Path, tmp_path: Path, words: list[str], reason: str
) -> None:
    words = [word.format(folder=tmp_path) for word in words]
    words += [] if "-o" in words else ["-o", str(tmp_path / "page.html")]
    before = sorted(tmp_path.rglob("*.html"))
    code, out, err = kibitz_command(capsys, "report", *words, "--store", str(store))
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert reason in err
    assert sorted(tmp_path.rglob("*.html")) == before and not (tmp_path / "plots").exists()
