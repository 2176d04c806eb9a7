"""Figures as they are printed."""

from __future__ import annotations

from kibitz.experiments.result_tables import histogram
from kibitz.report.formatting import figure


def test_a_figure_has_its_error_or_says_that_none_is_known() -> None:
    assert figure(1.5, 0.25) == "1.50 ± 0.25"
    assert figure(-1.5, 0.25, 3) == "-1.500 ± 0.250"
    assert figure(1.5, 0.0) == "1.50 ± 0.00"
    assert figure(1.5, None) == "1.50 ± ?"


def test_bars_show_every_score_that_came() -> None:
    assert histogram([0, 1, 1000]) == " ▁█"
    assert histogram([0, 0]) == "  "
