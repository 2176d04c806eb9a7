"""Plots of studies as SVG or PNG files. Needs the extra `report`, which brings matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.extras import MissingExtra
from kibitz.core.reading import check_name, is_folder

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
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtra("a plot", "matplotlib") from None
    mpl.use("Agg")
    mpl.rcParams.update({"svg.hashsalt": "kibitz", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    from matplotlib import pyplot

    return pyplot


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure, the same bytes for the same figure, and let go of it."""
    figure.savefig(path, bbox_inches="tight", dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    load_pyplot().close(figure)


def legend_below(axis: Any, columns: int = 2) -> None:
    """A legend under the axis, where no line can lie."""
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=columns, frameon=False)
