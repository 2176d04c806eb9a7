"""Logs of trainings: what they say is what is drawn, and a training never fails for want of a picture."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from kibitz.core.errors import BadValue
from kibitz.experiments.training.uno.net import log as log_module
from kibitz.experiments.training.uno.net.log import draw_log, write_log
from kibitz.report.plotting import load_pyplot

BOTS = ("mix2", "random")
LINES = [
    [25, 100_000, 1.5, 0.1, 0.6, 0.5, 0.0, 0.0, 0.0, 0.55, 0.007, 0.7, 0.006],
    [50, 200_000, 3.0, 0.1, 0.5, 0.4, 0.0, 0.0, 0.0, 0.6, 0.006, 0.75, 0.005],
]


def drawn_bars(axis: Any) -> list[tuple[str, list[float], list[float], list[float]]]:
    """Label, points and lengths of the bars of each line."""
    found = []
    for container in axis.containers:
        line, _, (bars,) = container.lines
        lengths = [round(float(high - low) / 2, 6) for (_, low), (_, high) in bars.get_segments()]
        found.append((container.get_label(), line.get_xdata().tolist(), line.get_ydata().round(6).tolist(), lengths))
    return found


def test_there_is_a_line_for_each_opponent_with_bars_of_one_standard_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[Any] = []
    monkeypatch.setattr(log_module, "save_figure", lambda figure, path: held.append(figure))
    assert draw_log(tmp_path / "mine.csv", BOTS, LINES) == tmp_path / "mine.svg"
    wins, value_loss, entropy = held[0].axes
    assert drawn_bars(wins) == [
        ("v mix2", [100_000, 200_000], [55, 60], [0.7, 0.6]),
        ("v random", [100_000, 200_000], [70, 75], [0.6, 0.5]),
    ]
    assert "one standard error" in wins.get_ylabel()
    assert [axis.lines[0].get_ydata().tolist() for axis in (value_loss, entropy)] == [[0.6, 0.5], [0.5, 0.4]]
    load_pyplot().close(held[0])


def test_log_and_picture_are_files_and_the_same_each_time(tmp_path: Path) -> None:
    written = []
    for _ in range(2):
        write_log(tmp_path / "mine.csv", BOTS, LINES)
        assert draw_log(tmp_path / "mine.csv", BOTS, LINES)
        written.append([path.read_bytes() for path in sorted(tmp_path.iterdir())])
    assert written[0] == written[1]
    table, picture = written[0]
    assert table.decode().splitlines()[0].endswith("guess_loss,wins v mix2,± v mix2,wins v random,± v random")
    assert table.decode().splitlines()[1] == "25,100000,1.5,0.1,0.6,0.5,0,0,0,0.55,0.007,0.7,0.006"
    assert picture.startswith(b"<?xml")


def test_without_matplotlib_or_win_rates_there_is_no_picture_and_no_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "mine.csv"
    assert draw_log(path, BOTS, []) is None
    assert draw_log(path, (), [line[:9] for line in LINES]) is None
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert draw_log(path, BOTS, LINES) is None
    assert not list(tmp_path.iterdir())


def test_a_log_that_cannot_be_written_gets_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match=r"log .*none cannot be written: "):
        write_log(tmp_path / "none" / "none", BOTS, LINES)
