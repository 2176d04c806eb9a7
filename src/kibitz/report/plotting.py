"""Plots: files that studies draw, and those of a page with their colours, sizes, dots with intervals, as SVG text or files.

Needs the extra `report`, which brings matplotlib.
"""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.extras import needed_for
from kibitz.core.printable import printable, shortened
from kibitz.core.reading import check_name, is_folder, reason
from kibitz.report.formatting import MINUS, signed

FORMATS = (".svg", ".png", ".pdf")
COLOURS = ("#c0392b", "#27803b", "#2c5fa8", "#b8860b", "#7d3c98", "#16808a", "#444444")


def check_plot(path: Path | None) -> None:
    """Refuse a plot that cannot be drawn or written before anything is played for it."""
    if path is None:
        return
    if path.suffix not in FORMATS:
        raise BadValue(f"plot file {path} is not accepted; its name ends with {', '.join(FORMATS)}.")
    check_name(path, "plot file")
    if not is_folder(path.parent):
        raise BadValue(f"plot file {path} cannot be written: the folder {path.parent} does not exist.")
    load_pyplot()


def load_pyplot() -> Any:
    """Matplotlib's pyplot, set up for files."""
    with needed_for("a plot", "matplotlib"):
        import matplotlib as mpl
    mpl.use("Agg")
    mpl.rcParams.update({"svg.hashsalt": "kibitz", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    from matplotlib import pyplot

    return pyplot


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure, the same bytes for the same figure, all of it or nothing, and let go of it."""
    from kibitz.report.files import whole_file  # as for a page

    metadata = {"Date": None} if path.suffix == ".svg" else None
    with whole_file(path) as file:
        figure.savefig(file, format=path.suffix[1:], bbox_inches="tight", dpi=150, metadata=metadata)
    load_pyplot().close(figure)


def legend_below(axis: Any, columns: int = 2) -> None:
    """A legend under the axis, where no line can lie."""
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=columns, frameon=False)


PAGE_FORMATS = ("svg", "png")
MOST_RANKED = 40  # rows of dots with intervals
MANY = 20  # rows beyond which they stand closer
TWO_SIDED = 1.96  # standard errors of a 95 % interval
WIDTH = 4.6  # inches: about 440 pixels on a screen, and still readable at 330
# Colours that the page turns into those of its light or dark dress.
INK, MUTED, RULE, ACCENT, PAPER = "#1d2328", "#66717a", "#d8d5ce", "#1d6f8c", "#fffffe"
SETTINGS = {
    "svg.fonttype": "none",
    "text.parse_math": False,  # a name may have any sign in it
    "font.size": 10,
    "text.color": INK,
    "axes.labelcolor": MUTED,
    "axes.edgecolor": RULE,
    "axes.labelsize": 9,
    "xtick.color": RULE,
    "ytick.color": RULE,
    "xtick.labelcolor": MUTED,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
}


@dataclass(frozen=True)
class Plot:
    """A drawn plot: what its file is called, what stands above it and below it, and what it shows in words."""

    name: str
    title: str
    caption: str
    alt: str
    drawing: Any
    shape: str = ""  # in the page: tall beside two others, or wide

    def svg(self) -> str:
        """The plot as SVG text; equal plots give equal text."""
        held = io.StringIO()
        self._save(held, "svg")
        return held.getvalue()

    def write(self, folder: Path, kind: str) -> Path:
        """Write the plot as a file into a folder."""
        path = folder / f"{self.name}.{kind}"
        self._save(path, kind)
        return path

    def _save(self, target: Any, kind: str) -> None:
        metadata = {"Date": None, "Creator": None, "Format": None, "Type": None} if kind == "svg" else {"Software": None}
        with dressed():
            self.drawing.savefig(target, format=kind, dpi=200, metadata=metadata)


def check_plots(folder: Path | None, kind: str) -> None:
    """Refuse plots that cannot be drawn or written before work is done for them."""
    load_pyplot()
    if kind not in PAGE_FORMATS:
        raise BadValue(f"--plot-format {kind} is not accepted; it is {' or '.join(PAGE_FORMATS)}.")
    if folder is None:
        return
    check_name(folder, "--plots")
    present = folder
    while not os.path.exists(present):
        present = present.parent
    if not is_folder(present):
        raise BadValue(f"--plots {folder}: {present} is a file; name a folder.")
    if not os.access(present, os.W_OK):
        raise BadValue(f"--plots {folder}: the folder {present} is not writable.")


def write_plots(plots: Sequence[Plot], folder: Path, kind: str) -> list[Path]:
    """Write every plot as a file into a folder, which is made if there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return [plot.write(folder, kind) for plot in plots]
    except (OSError, ValueError) as error:
        raise BadValue(f"--plots {folder}: a plot cannot be written: {reason(error)}.") from error


@contextmanager
def dressed() -> Iterator[None]:
    """Draw in our colours and sizes. A sign that matplotlib has no picture of is left to the browser, which has."""
    with load_pyplot().rc_context(SETTINGS), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def new_drawing(width: float, height: float) -> tuple[Any, Any]:
    """An empty drawing, in inches, and its axes."""
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(width, height), layout="constrained", facecolor=PAPER)
    axes = drawing.subplots()
    axes.set_facecolor("none")
    return drawing, axes


def label(name: str, most: int = 20) -> str:
    """A name as it stands in a plot."""
    return shortened(printable(name), most)


def span(value: float, error: float | None) -> tuple[float, float, float]:
    """A figure between the ends of its 95 % interval."""
    reach = TWO_SIDED * (error or 0.0)
    return value - reach, value, value + reach


def of_all(shown: int, all_of_them: int) -> str:
    """Says how many are shown if they are not all."""
    return f" The first {shown} of {all_of_them:,} are shown." if shown < all_of_them else ""


def told(labels: Sequence[str], spans: Sequence[tuple[float, float, float]]) -> str:
    """The first figures in words."""
    return ", ".join(f"{name} {value:.1f}" for name, (_, value, _) in list(zip(labels, spans, strict=True))[:8])


def intervals(
    labels: Sequence[str],
    spans: Sequence[tuple[float, float, float]],
    axis: str,
    marks: Sequence[float],
    digits: int | None,
) -> Any:
    """A dot and a line for each label, with the number at the right edge: with so many digits, or None: whole with its sign. `marks` are dashed lines."""
    with dressed():
        drawing, axes = new_drawing(WIDTH, tall_enough(len(labels)))
        size = 9 if len(labels) <= MANY else 8
        for row, (low, value, high) in enumerate(spans):
            axes.plot([low, high], [row, row], color=ACCENT, linewidth=2.2, alpha=0.45, solid_capstyle="round")
            axes.plot([value], [row], "o", color=ACCENT, markersize=5)
            number = signed(value) if digits is None else f"{value:,.{digits}f}".replace("-", MINUS)
            axes.text(1.02, row, number, transform=axes.get_yaxis_transform(), va="center", fontsize=size, color=MUTED)
        for mark in marks:
            axes.axvline(mark, color=MUTED, linewidth=0.8, linestyle=(0, (3, 3)), zorder=0)
        axes.set_yticks(range(len(labels)), labels, fontsize=10 if len(labels) <= MANY else 8.5)
        axes.set_ylim(len(labels) - 0.4, -0.6)
        axes.margins(x=0.04)
        axes.tick_params(length=0)
        axes.grid(axis="x")
        axes.set_axisbelow(True)
        axes.spines[["left", "top", "right"]].set_visible(False)
        axes.set_xlabel(axis)
        few_ticks(axes.xaxis, 6)
        return drawing


def tall_enough(rows: int) -> float:
    """Inches for so many rows with labels."""
    return max(1.7, (0.25 if rows <= MANY else 0.19) * rows + 0.75)


def few_ticks(axis: Any, most: int) -> None:
    """Few marks on an axis, all of them in units, thousands or millions."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(most))
    largest = max(abs(end) for end in axis.get_view_interval())
    size, letter = (1e6, " M") if largest >= 1e6 else (1e3, " k") if largest >= 2e4 else (1, "")
    axis.set_major_formatter(lambda value, _: (f"{value / size:,.6g}{letter}" if value else "0").replace("-", MINUS))
