"""The study of expectiminimax: errors that compiled and plain searches agree on, and its variants."""

from __future__ import annotations

import pytest

from kibitz.experiments.studies.uno.expectiminimax import search_errors
from kibitz.experiments.studies.uno.expectiminimax.search_errors import measure_errors
from kibitz.experiments.studies.uno.expectiminimax.study import LARGE, SMALL, lines_at
from kibitz.registry import entrant
from tests.commands import check_refused, kibitz_command


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
    ],
)
def test_a_budget_of_nothing_gets_one_sentence_and_exit_code_2(capsys: pytest.CaptureFixture[str], words: list[str], sentence: str) -> None:
    check_refused(kibitz_command(capsys, *words), sentence)
