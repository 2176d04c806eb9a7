"""The study of expectiminimax: errors that compiled and plain searches agree on, tables and a plot."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest

from kibitz.experiments.evaluation import match
from kibitz.experiments.studies.lineups import Study
from kibitz.experiments.studies.uno.expectiminimax import search_errors
from kibitz.experiments.studies.uno.expectiminimax.figures import drawing, markdown, pages_of
from kibitz.experiments.studies.uno.expectiminimax.search_errors import DepthRow, DrawRow, SampleRow, SearchErrors, measure_errors
from kibitz.experiments.studies.uno.expectiminimax.study import LARGE, SMALL, ExpectiminimaxStudy, lines_at
from kibitz.registry import entrant
from kibitz.report.plots import save_figure
from tests.cli.test_commands import kibitz_command


@pytest.fixture
def short_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (
        ("SAMPLE_STEPS", (2, 50)),
        ("DEPTH_STEPS", (1, 3)),
        ("DRAW_STEPS", (1, 60)),
        ("MANY", 60),
        ("WORLDS", 4),
        ("KEYS", 4),
    ):
        monkeypatch.setattr(search_errors, name, value)


@pytest.mark.usefixtures("short_steps")
def test_compiled_and_plain_searches_have_the_same_errors() -> None:
    compiled, plain = (measure_errors(3, 3, 1, compiled) for compiled in (True, False))
    assert compiled == plain
    assert compiled.samples[0].spread > compiled.samples[1].spread  # 3 positions, 2 worlds v 50: spreads differ by a factor of five
    assert compiled.draws[1].spread < 0.01  # nearly all cards of the pile are tried


def made_up() -> ExpectiminimaxStudy:
    rows = [SampleRow(samples, 14 / math.sqrt(samples), 1 / math.sqrt(samples), 0.3, 0.1) for samples in (5, 50, 500)]
    depths = [DepthRow(1, 0.0, 0.5, 0.7), DepthRow(2, 0.4, 1.0, 1.2)]
    draws = [DrawRow(1, 0.3, 0.9, 2.0), DrawRow(5, 0.1, 0.4, 2.0)]
    errors = SearchErrors(10, 5, 1, 4, rows, depths, draws)
    result = match(["random", "random"], games=10, rules="numbers", jit=False)
    small, large = (Study("expectiminimax", 10, 1, [(experiment, result) for experiment in lines_at(b)]) for b in (SMALL, LARGE))
    return ExpectiminimaxStudy(small, large, errors)


def test_a_spread_as_one_over_the_root_has_the_exponent_of_a_half() -> None:
    errors = made_up().errors
    assert errors.slope == pytest.approx(-0.5)
    assert replace(errors, samples=errors.samples[:1]).slope == 0.0


def test_tables_and_plot(tmp_path: Path) -> None:
    study = made_up()
    pages = pages_of(study)
    assert [len(page.rows) for page in pages] == [9, 4, 3, 2, 2]
    assert all(len(row) == len(page.headings) for page in pages for row in page.rows)
    assert pages[2].rows[1][:4] == ["50", "1.980", "0.141", "0.141"]
    text = markdown(study, "kibitz study expectiminimax")
    assert "`kibitz study expectiminimax`" in text
    save_figure(drawing(study), tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text().startswith("<?xml")


def test_every_variant_is_a_bot() -> None:
    for budget in (SMALL, LARGE):
        for experiment in lines_at(budget):
            assert entrant(experiment.bots[0]).values


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["match", "expectiminimax:samples=0", "random"], "samples must be 1–100000, got 0"),
        (["match", "expectiminimax:depth=-1", "random"], "depth must be 1–8, got -1"),
        (["match", "expectiminimax:draw_samples=0", "random"], "draw_samples must be 1–60, got 0"),
        (["study", "expectiminimax", "--games", "0"], "games=0 is out of range"),
        (["study", "expectiminimax", "--positions", "0"], "positions must be 1–"),
        (["study", "expectiminimax", "--repeats", "1"], "repeats must be 2–"),
    ],
)
def test_a_budget_of_nothing_gets_one_sentence_and_exit_code_2(capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    code, out, err = kibitz_command(capsys, *words)
    assert code == 2
    assert out == ""
    assert sentence in err
    assert err.count("\n") == 1
