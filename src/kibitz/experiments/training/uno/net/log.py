"""The log of a training, as CSV and as curves: win rates over games played with their standard errors, and how the learning went."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.errors import BadValue
from kibitz.core.extras import MissingExtra
from kibitz.report.plotting import COLOURS, load_pyplot, save_figure

FIGURES = ("step", "games", "seconds", "policy_loss", "value_loss", "entropy", "divergence", "clipped", "guess_loss")
WINS, ERROR = "wins v ", "± v "  # and the name of the opponent
LEARNING = {"value_loss": "value loss", "entropy": "entropy of the choices"}  # drawn small below the win rates

Lines = Sequence[Sequence[float]]  # figures, then win rate and standard error for each opponent


def log_of(out: Path) -> Path:
    """Where the log of a training lies, beside the weights that it makes."""
    return out.with_name(f"{out.stem}.csv")


def write_log(path: Path, opponents: Sequence[str], lines: Lines) -> None:
    """Write all lines of a log so far."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*FIGURES, *[f"{column}{name}" for name in opponents for column in (WINS, ERROR)]])
    for line in lines:
        writer.writerow([int(line[0]), int(line[1]), *[f"{figure:.6g}" for figure in line[2:]]])
    try:
        path.write_text(text.getvalue(), encoding="utf-8")
    except OSError as error:
        raise BadValue(f"log {path} cannot be written: {error.strerror}.") from error


def draw_log(path: Path, opponents: Sequence[str], lines: Lines) -> Path | None:
    """Draw a log into an SVG file beside it; none without matplotlib, or as long as there are no win rates."""
    if not lines or not opponents:
        return None
    try:
        pyplot = load_pyplot()
    except MissingExtra:
        return None
    columns = np.array(lines, dtype=np.float64).T
    games, rates = columns[FIGURES.index("games")], 100 * columns[len(FIGURES) :]
    figure = pyplot.figure(figsize=(6.5, 5.2), layout="constrained")
    upper, lower = figure.subfigures(2, 1, height_ratios=(2.6, 1))
    wins = upper.subplots()
    for place, name in enumerate(opponents):
        bars = {"marker": "o", "markersize": 3.5, "linewidth": 1.2, "elinewidth": 1, "color": COLOURS[place % len(COLOURS)]}
        wins.errorbar(games, rates[2 * place], yerr=rates[2 * place + 1], label=f"v {name}", **bars)
    wins.set_xlabel("games learned from")
    wins.set_ylabel("games won in % (bars: ± one standard error)")
    _dress(wins)
    upper.legend(*wins.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False)
    for axis, (name, title) in zip(lower.subplots(1, len(LEARNING)), LEARNING.items(), strict=True):
        axis.plot(games, columns[FIGURES.index(name)], marker=".", markersize=3, color=COLOURS[-1], linewidth=1)
        axis.set_title(title, fontsize="medium")
        _dress(axis)
    picture = path.with_suffix(".svg")
    save_figure(figure, picture)
    return picture


def _dress(axis: Any) -> None:
    """Games from zero on, in numbers that can be read, and lines to read values by."""
    axis.set_xlim(left=0)
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.locator_params(axis="x", nbins=5)
    axis.grid(axis="y", linewidth=0.3)
