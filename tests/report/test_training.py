"""Curves of trainings: what a log says is what is drawn, one log or several, and a training never fails for want of a picture."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kibitz.core.errors import BadValue
from kibitz.experiments.training.uno.net import curves as training_module
from kibitz.experiments.training.uno.net.curves import TrainingLog, draw_beside, draw_logs, read_log
from kibitz.report.plotting import load_pyplot

LOG = """step,games,value_loss,entropy,wins v mix2,± v mix2,wins v random,± v random
25,100000,0.6,0.5,0.55,0.007,0.7,0.006
50,200000,0.5,0.4,0.6,0.006,0.75,0.005
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "mine.csv"
    path.write_text(LOG, encoding="utf-8")
    return path


def other(*names: str) -> TrainingLog:
    """A log of win rates alone."""
    rates = {f"wins v {name}": np.array([0.4, 0.5]) for name in names}
    return TrainingLog({"games": np.array([50_000.0, 250_000.0]), **rates, **{f"± v {name}": np.full(2, 0.01) for name in names}})


def figures_drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Figures as they are when they are to be written."""
    held: list[Any] = []
    monkeypatch.setattr(training_module, "save_figure", lambda figure, path: held.append(figure))
    return held


def drawn_bars(axis: Any) -> list[tuple[str, list[float], list[float], list[float]]]:
    """Label, points and lengths of the bars of each line."""
    found = []
    for container in axis.containers:
        line, _, (bars,) = container.lines
        lengths = [round(float(high - low) / 2, 6) for (_, low), (_, high) in bars.get_segments()]
        found.append((container.get_label(), line.get_xdata().tolist(), line.get_ydata().round(6).tolist(), lengths))
    return found


def test_one_log_has_a_line_for_each_opponent_with_bars_of_one_standard_error(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = figures_drawn(monkeypatch)
    assert draw_beside(log) == log.with_suffix(".svg")
    wins, value_loss, entropy = held[0].axes
    assert drawn_bars(wins) == [
        ("v mix2", [100_000, 200_000], [55, 60], [0.7, 0.6]),
        ("v random", [100_000, 200_000], [70, 75], [0.6, 0.5]),
    ]
    assert "one standard error" in wins.get_ylabel()
    assert [axis.lines[0].get_ydata().tolist() for axis in (value_loss, entropy)] == [[0.6, 0.5], [0.5, 0.4]]
    load_pyplot().close(held[0])


def test_several_logs_have_a_panel_for_each_opponent_in_common(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held = figures_drawn(monkeypatch)
    draw_logs({"mine": read_log(log), "other": other("random", "mix2", "greedy")}, log.with_suffix(".svg"))
    upper, lower = held[0].subfigs
    assert [axis.get_title() for axis in upper.axes] == ["v mix2", "v random"]
    assert [[label for label, *_ in drawn_bars(axis)] for axis in upper.axes] == [["mine", "other"]] * 2
    assert [len(axis.lines) for axis in lower.axes] == [1, 1]  # the other log does not say how the learning went
    draw_logs({"a": other("mix2", "greedy"), "b": other("mix2")}, log.with_suffix(".svg"), ["mix2"])
    assert [axis.get_title() for axis in held[1].axes] == ["v mix2"]
    for figure in held:
        load_pyplot().close(figure)


def test_the_picture_is_a_file_beside_the_log_and_the_same_each_time(log: Path) -> None:
    picture = draw_beside(log)
    assert picture is not None
    first = picture.read_bytes()
    assert first.startswith(b"<?xml")
    draw_beside(log)
    assert picture.read_bytes() == first


def test_without_matplotlib_or_win_rates_there_is_no_picture_and_no_failure(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert draw_beside(log.with_name("none.csv")) is None
    log.write_text("step,games\n1,100\n", encoding="utf-8")
    assert draw_beside(log) is None
    log.write_text(LOG, encoding="utf-8")
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert draw_beside(log) is None
    assert list(log.parent.iterdir()) == [log]


@pytest.mark.parametrize(
    "text", ["", "games\n", "games,wins v mix2\n1,0.5\n", "games,wins v mix2,± v mix2\n", "games,a\n1,x\n", "games\n1,2\n"]
)
def test_what_is_no_log_is_refused_in_one_sentence(log: Path, text: str) -> None:
    log.write_text(text, encoding="utf-8")
    with pytest.raises(BadValue, match=r"log .*mine\.csv (cannot be read|has no win rates)"):
        read_log(log)


def test_logs_that_cannot_be_compared_are_refused(tmp_path: Path) -> None:
    for logs, opponents, sentence in (
        ({}, (), "no log to draw"),
        ({"a": other("mix2"), "b": other("greedy")}, (), "no opponent in common"),
        ({"a": other("mix2"), "b": other("greedy")}, ("mix2",), "log 'b' has no win rates against mix2; it has those against greedy"),
    ):
        with pytest.raises(BadValue, match=sentence):
            draw_logs(logs, tmp_path / "picture.svg", opponents)
