"""A table of a page whose cells are figures of different experiments: which figure of a result a cell shows, and how."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kibitz.core.errors import BadValue, UnknownName
from kibitz.experiments.experiment import Experiment
from kibitz.experiments.measurement import Measurement
from kibitz.report.formatting import MINUS, figure
from kibitz.report.markdown_tables import markdown_table

# By the kind of result: what a cell can show, with the digits that it usually has, the usual one first.
COMPETITIVE = {"wins": 2, "points": 2}
COOPERATIVE = {"score": 3, "points_kept": 3, "perfect": 1, "lost": 1}
COMPARED = {"difference": 2}
_PLACES = {"wins": ("win_rate", 100), "points": ("points", 1), "score": ("score", 1), "points_kept": ("score_kept", 1)}


class Cell(NamedTuple):
    """A figure of an experiment, counted from 0 in its table."""

    experiment: int
    show: str
    digits: int | None = None


@dataclass(frozen=True)
class CellTable:
    """A table with its note; rows of texts and figures."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str | Cell, ...], ...]
    note: str = ""

    def markdown(self, results: Sequence[Any]) -> str:
        """The table with the figures of these results, one for each experiment."""
        rows = [[cell if isinstance(cell, str) else shown_figure(results[cell.experiment], cell) for cell in row] for row in self.rows]
        left = next((place for place, cell in enumerate(self.rows[0]) if isinstance(cell, Cell)), 1) if self.rows else 1
        return "\n".join([*markdown_table(self.headings, rows, max(left, 1)), "", *([self.note] if self.note else [])]).rstrip()


def figures_of(experiment: Experiment[Any]) -> dict[str, int]:
    """What a cell can show of an experiment, with the usual number of digits."""
    if isinstance(experiment, Measurement):
        return COOPERATIVE if experiment.tables[0][0].game.cooperative else COMPETITIVE
    if experiment.kind == "compare":
        return COMPARED
    raise BadValue(f"no figure of `kibitz {experiment.kind}` can stand in a cell; evaluate, match and compare have such.")


def check_figure(experiment: Experiment[Any], show: str) -> str:
    """The figure that a cell shows: as asked, or the usual one."""
    known = figures_of(experiment)
    if show and show not in known:
        raise UnknownName(f"figure of `kibitz {experiment.kind}`", show, known)
    return show or next(iter(known))


def shown_figure(result: Any, cell: Cell) -> str:
    """A figure with its standard error."""
    usual = {**COMPETITIVE, **COOPERATIVE, **COMPARED}[cell.show]
    digits = usual if cell.digits is None else cell.digits
    if cell.show == "difference":
        return f"{result.difference:+.{digits}f} ± {result.standard_error or 0.0:.{digits}f}".replace("-", MINUS)
    row = result.rows[0]
    if cell.show in ("perfect", "lost"):
        share = getattr(row, cell.show)
        return f"{figure(100 * share, 100 * math.sqrt(share * (1 - share) / row.games), digits)} %"
    name, factor = _PLACES[cell.show]
    error = getattr(row, f"{name}_se")
    return figure(factor * getattr(row, name), None if error is None else factor * error, digits)
