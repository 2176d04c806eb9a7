"""The log of a training as curves: win rates over games played with their standard errors, and how the learning went.

Logs are the CSV files that `kibitz train net` leaves beside its weights. Several of them go into one picture, to compare trainings.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import BadValue
from kibitz.core.reading import read_text
from kibitz.experiments.training.uno.net.training import ERROR, WINS
from kibitz.report.plotting import COLOURS, load_pyplot, save_figure

GAMES = "games"
LEARNING = {"value_loss": "loss of the value", "entropy": "entropy of the choices"}  # drawn small below, where a log has them

Column = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class TrainingLog:
    """A log, by the names of its columns."""

    columns: Mapping[str, Column]

    @property
    def opponents(self) -> tuple[str, ...]:
        """Against whom win rates were measured."""
        return tuple(name.removeprefix(WINS) for name in self.columns if name.startswith(WINS))


def read_log(path: Path) -> TrainingLog:
    """A log from its file."""
    text = read_text(path, "log")
    try:
        names, *rows = list(csv.reader(text.splitlines()))
        values = np.array([[float(cell) for cell in row] for row in rows], dtype=np.float64).reshape(len(rows), len(names))
    except (ValueError, csv.Error):
        raise BadValue(f"log {path} cannot be read: it is damaged or of another kind.") from None
    log = TrainingLog(dict(zip(names, values.T, strict=True)))
    needed = [GAMES, *[f"{ERROR}{name}" for name in log.opponents]]
    if not rows or not log.opponents or any(name not in log.columns for name in needed):
        raise BadValue(f"log {path} has no win rates; lines with columns such as games, wins v mix2 and ± v mix2 are needed.")
    return log


def draw_beside(log: Path) -> Path | None:
    """Draw the log of a training into an SVG file beside it; none without matplotlib, or as long as the log has no win rates."""
    picture = log.with_suffix(".svg")
    try:
        load_pyplot()
        draw_logs({"": read_log(log)}, picture)
    except BadValue:
        return None
    return picture


def draw_logs(logs: Mapping[str, TrainingLog], path: Path, opponents: Sequence[str] = ()) -> None:
    """Draw logs, each by its label: a panel for each opponent where there are several logs, one panel with all opponents where there is one.

    `opponents` says who is shown; by default all that every log knows.
    """
    if not logs:
        raise BadValue("no log to draw is named.")
    shown = tuple(opponents) or _in_common(list(logs.values()))
    for label, log in logs.items():
        missing = [name for name in shown if name not in log.opponents]
        if missing:
            raise BadValue(f"log '{label}' has no win rates against {missing[0]}; it has those against {', '.join(log.opponents)}.")
    pyplot = load_pyplot()
    below = [name for name in LEARNING if any(name in log.columns for log in logs.values())]
    panels = len(shown) if len(logs) > 1 else 1
    figure = pyplot.figure(figsize=(max(6.5, 4.2 * panels), 5.2 if below else 3.6), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=(2.6, 1)) if below else (figure, None)
    axes = upper.subplots(1, panels, squeeze=False)[0]
    if len(logs) > 1:
        for axis, name in zip(axes, shown, strict=True):
            for place, (label, log) in enumerate(logs.items()):
                _draw_wins(axis, log, name, label, place)
            axis.set_title(f"v {name}")
    else:
        (log,) = logs.values()
        for place, name in enumerate(shown):
            _draw_wins(axes[0], log, name, f"v {name}", place)
    for axis in axes:
        axis.set_xlabel("games learned from")
        _dress(axis)
    upper.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    axes[0].set_ylabel("games won in % (bars: ± one standard error)")
    if lower is not None:
        for axis, name in zip(lower.subplots(1, len(below), squeeze=False)[0], below, strict=True):
            _draw_learning(axis, logs, name)
    save_figure(figure, path)


def _in_common(logs: Sequence[TrainingLog]) -> tuple[str, ...]:
    found = tuple(name for name in logs[0].opponents if all(name in log.opponents for log in logs))
    if not found:
        raise BadValue("these logs have no opponent in common.")
    return found


def _draw_wins(axis: Any, log: TrainingLog, opponent: str, label: str, place: int) -> None:
    rates, errors = 100 * log.columns[f"{WINS}{opponent}"], 100 * log.columns[f"{ERROR}{opponent}"]
    colour = COLOURS[place % len(COLOURS)]
    axis.errorbar(
        log.columns[GAMES], rates, yerr=errors, marker="o", markersize=3.5, color=colour, label=label, linewidth=1.2, elinewidth=1
    )


def _draw_learning(axis: Any, logs: Mapping[str, TrainingLog], name: str) -> None:
    for place, log in enumerate(logs.values()):
        if name in log.columns:
            colour = COLOURS[place % len(COLOURS)] if len(logs) > 1 else COLOURS[-1]
            axis.plot(log.columns[GAMES], log.columns[name], marker=".", markersize=3, color=colour, linewidth=1)
    axis.set_title(LEARNING[name], fontsize="medium")
    _dress(axis)


def _dress(axis: Any) -> None:
    """Games from zero on, in numbers that can be read, and lines to read values by."""
    axis.set_xlim(left=0)
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.locator_params(axis="x", nbins=5)
    axis.grid(axis="y", linewidth=0.3)
