"""The study of perceptrons, made small: what is played is what is announced, and its tables and plots come out."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz.experiments.experiment import Interrupted
from kibitz.experiments.studies.uno.perceptrons import study as study_module
from kibitz.experiments.studies.uno.perceptrons.figures import drawing, tables_of
from kibitz.experiments.studies.uno.perceptrons.study import CURVE, FIELDS, FOUR, PerceptronStudy, StudyPerceptrons, lead
from kibitz.experiments.training.uno.perceptron.plan import CMA, GENETIC
from kibitz.policies.uno.perceptron_models import MODELS
from kibitz.report.plotting import save_figure
from tests.runs.notebook import Notebook


def asked(**how: Any) -> StudyPerceptrons:
    return StudyPerceptrons(games=40, seeds=2, check_games=100, final=200, threads=2, **how)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study_module, "PLAYED", 4)
    monkeypatch.setattr(study_module, "WINDOWS", 5)


@pytest.fixture(scope="module")
def played() -> PerceptronStudy:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(study_module, "PLAYED", 4)
        patch.setattr(study_module, "WINDOWS", 5)
        counted: list[int] = []
        study = asked(progress=lambda name, games: counted.append(games)).play()
        assert sum(counted) == study.total()
    return study


def test_every_training_is_measured_in_the_end(played: PerceptronStudy) -> None:
    assert set(played.strengths) == set(played.courses())
    assert len(played.courses()) == 2 * 2 * len(MODELS)
    for course, found in played.strengths.items():
        plan = played.plan(course)
        assert list(found)[-1] == plan.generations * plan.step_games
        assert all(0 <= share <= 1 for share in found.values())
    assert len(played.curve(GENETIC)) > 4
    assert {names: int(wins.sum()) for names, wins in played.fields.items()} == dict.fromkeys(FIELDS, 200)


def test_strength_is_the_mean_over_seeds_with_the_error_of_their_spread(played: PerceptronStudy) -> None:
    shares = [list(played.strengths[course].values())[-1] for course in played.courses(CMA, CURVE)]
    _, mean, error = played.strength(CMA, CURVE)
    assert mean == pytest.approx(sum(shares) / 2)
    assert error == pytest.approx(abs(shares[0] - shares[1]) / 2)


def test_the_training_graph_has_the_best_above_the_mean(played: PerceptronStudy) -> None:
    means, errors = played.graph()
    assert means.shape == errors.shape == (2, 5)
    assert (means[0] >= means[1]).all()


def test_trainings_of_the_study_are_those_of_the_command(played: PerceptronStudy) -> None:
    course = played.courses(GENETIC, "cards")[0]
    plan = played.plan(course)
    assert (plan.opponents, plan.unit, plan.rules_played, plan.candidates, plan.generations) == (FOUR, "contests", "hearn", 3, 10)


def test_a_lead_has_the_error_of_two_shares_of_the_same_games() -> None:
    """Against the spread of many drawn fields: 4,000 of them know it to 1.1 %, so that 6 % is 5 standard errors."""
    drawn = np.random.default_rng(1).multinomial(500, [0.4, 0.35, 0.25], size=4_000)
    ahead, error = lead(np.array([200.0, 175.0, 125.0]), 500)
    assert ahead == pytest.approx(0.05)
    assert error == pytest.approx(float(np.std((drawn[:, 0] - drawn[:, 1]) / 500)), rel=0.06)
    assert math.isclose(lead(np.array([100.0, 175.0, 225.0]), 500)[0], -0.25)


def test_tables_and_plots(played: PerceptronStudy, tmp_path: Path) -> None:
    pages = tables_of(played)
    assert len(pages) == 4
    assert [row[0] for row in pages[2].rows] == list(MODELS)
    assert sum(float(row[1].split(" ±")[0]) for row in pages[0].rows) == pytest.approx(100, abs=0.1)
    assert "leads by" in asked().markdown(played)
    save_figure(drawing(played), tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").stat().st_size > 10_000
    assert played.to_dict()["trainings"][0]["method"] == GENETIC


def test_an_interrupted_study_shows_what_it_has() -> None:
    def stop(name: str, games: int) -> None:
        if name.startswith(CMA):
            raise KeyboardInterrupt

    ledger = Notebook()
    with pytest.raises(Interrupted) as stopped:
        asked(progress=stop, ledger=ledger).play()
    study = stopped.value.result
    assert not study.complete
    assert asked(ledger=ledger).recall().strengths == study.strengths
    assert set(study.strengths) == set(study.courses(GENETIC, "cards"))
    assert tables_of(study) == []
