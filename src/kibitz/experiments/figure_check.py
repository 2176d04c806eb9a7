"""Tables of a page against a small version of the same: figure by figure, with the standard errors of both and one stated rate of false alarms.

A figure with an error (`55.35 ± 0.02`, or one below whose table stands how large errors are at most) may differ by chance; every other cell
must be the same. The small version's errors count as at least those of the page times the square root of how many times fewer games it
has, for few games can agree too well. Rounding of both is allowed for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from scipy.stats import norm

from kibitz.experiments.experiment import Experiment
from kibitz.experiments.figure_cells import Cell
from kibitz.report.formatting import MINUS
from kibitz.report.markdown_tables import MarkdownTable, tables_in

if TYPE_CHECKING:
    from kibitz.experiments.figure_list import FigureEntry

Growth = Callable[[int, int, str], float]  # by row, column and heading: how many times larger errors of a small version are

FALSE_ALARMS = 0.01  # of a whole check in which every page is right
FOUND = 0.99  # how surely a deviation of the size that is stated is found

_NUMBER = r"[-+]?\d[\d,]*(?:\.\d+)?"
_FIGURE = re.compile(rf"({_NUMBER}) ± ({_NUMBER})")
_BOUND = re.compile(rf"Standard errors are at most ({_NUMBER})")
_MARKS = re.compile(r"[▲▼*]")  # that stand beside a figure and depend on it


class CellFigure(NamedTuple):
    """A figure as it stands on a page: value, standard error, and half of the last digit."""

    value: float
    error: float
    rounding: float


@dataclass(frozen=True)
class ComparedFigure:
    """A figure on the page and in the small version."""

    where: str
    published: CellFigure
    found: CellFigure
    growth: float  # how many times larger errors of the small version are

    @property
    def error(self) -> float:
        """The standard error of the difference."""
        page = self.published.error + (self.published.rounding if self.published.error else 0.0)
        return math.hypot(page, max(self.found.error, self.growth * page))

    @property
    def apart(self) -> float:
        """How many standard errors the two lie apart, beyond what rounding explains."""
        beyond = abs(self.published.value - self.found.value) - self.published.rounding - self.found.rounding
        if beyond <= 1e-9:
            return 0.0
        return beyond / self.error if self.error else math.inf

    def in_words(self) -> str:
        """What is wrong."""
        page, found = self.published, self.found
        far = "which has no error" if math.isinf(self.apart) else f"{self.apart:.1f} standard errors apart"
        return f"{self.where}: the page says {page.value:g} ± {page.error:g}, the small version {found.value:g} ± {found.error:g}, {far}"


@dataclass
class TableCheck:
    """What was compared, and what can't be right whatever chance does."""

    figures: list[ComparedFigure] = field(default_factory=list)
    equal: int = 0  # cells without an error that are the same
    left_out: int = 0  # cells of loose columns
    wrong: list[str] = field(default_factory=list)

    def add(self, other: TableCheck) -> None:
        """Those of another table."""
        self.figures += other.figures
        self.equal += other.equal
        self.left_out += other.left_out
        self.wrong += other.wrong


# -- figures and tables --


def figures_in(cell: str, bound: float | None = None) -> list[CellFigure] | None:
    """The figures of a cell, if all of it is figures with errors; `bound` is the error of those that stand alone."""
    text = _MARKS.sub("", cell).replace(MINUS, "-").strip()
    if found := _FIGURE.fullmatch(text.removesuffix(" %")):
        return [CellFigure(_value(found[1]), _value(found[2]), _half_digit(found[1]))]
    words = text.split()
    if bound is None or not words or not all(re.fullmatch(_NUMBER, word) for word in words):
        return None
    return [CellFigure(_value(word), bound, _half_digit(word)) for word in words]


def _value(text: str) -> float:
    return float(text.replace(",", ""))


def _half_digit(text: str) -> float:
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def check_page(published: str, small: str, loose: Iterable[str], growth: Growth, where: str) -> TableCheck:
    """Tables of a page against those of a small version, one by one in their order; `loose` columns are left out."""
    found, skipped = TableCheck(), set(loose)
    pairs = (tables_in(published), tables_in(small))
    if len(pairs[0]) != len(pairs[1]):
        found.wrong.append(f"{where}: the page has {len(pairs[0])} tables, and the experiment makes {len(pairs[1])}")
        return found
    for page, made in zip(*pairs, strict=True):
        found.add(_check_table(page, made, skipped, growth, f"{where}, {page.title or page.headings[0]}"))
    return found


def _check_table(page: MarkdownTable, made: MarkdownTable, loose: set[str], growth: Growth, where: str) -> TableCheck:
    found = TableCheck()
    if page.headings != made.headings or _without_numbers(page.title) != _without_numbers(made.title):
        found.wrong.append(
            f"{where}: the page has the columns {', '.join(page.headings)}, and the experiment makes '{made.title}' with {', '.join(made.headings)}"
        )
        return found
    rows, small = _filled(page.rows), _filled(made.rows)
    size = _key_size(rows, small)
    known = {row[:size]: row for row in rows}
    bounds = _bound(page), _bound(made)
    for place, row in enumerate(small):
        name = " ".join(row[:size])
        if row[:size] not in known:
            found.wrong.append(f"{where}: the page has no row '{name}'")
            continue
        cells = zip(page.headings[size:], known[row[:size]][size:], row[size:], strict=True)
        for column, (heading, before, now) in enumerate(cells, size):
            if heading in loose:
                found.left_out += 1
            else:
                _check_cell(found, before, now, bounds, growth(place, column, heading), f"{where}, {name}, {heading}")
    return found


def _check_cell(found: TableCheck, page: str, made: str, bounds: tuple[float | None, float | None], growth: float, where: str) -> None:
    published, small = figures_in(page, bounds[0]), figures_in(made, bounds[1])
    if published and small and len(published) == len(small):
        found.figures += [ComparedFigure(where, before, now, growth) for before, now in zip(published, small, strict=True)]
    elif page == made:
        found.equal += 1
    else:
        found.wrong.append(f"{where}: the page says '{page}', the small version '{made}'")


def _without_numbers(text: str) -> str:
    return re.sub(_NUMBER, "", text)


def _filled(rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Rows whose empty first cell means that of the row above."""
    found: list[tuple[str, ...]] = []
    for row in rows:
        found.append((found[-1][0], *row[1:]) if found and row and not row[0] else row)
    return found


def _key_size(*tables: Sequence[tuple[str, ...]]) -> int:
    """How many cells at the beginning of a row tell it from all others."""
    widest = min((len(row) for rows in tables for row in rows), default=1)
    return next((size for size in range(1, widest) if all(len({row[:size] for row in rows}) == len(rows) for rows in tables)), widest)


def _bound(table: MarkdownTable) -> float | None:
    told = _BOUND.search(table.note)
    return _value(told[1]) if told else None


# -- how much larger errors of small versions are --


def growth_in(entry: FigureEntry) -> Growth:
    """That of each cell: by the experiment that it is a figure of, and the setting that its figure counts by."""
    pairs = list(zip(entry.experiments, entry.small, strict=True))

    def growth(row: int, column: int, heading: str) -> float:
        if entry.cells is None:
            return growth_of(*pairs[0], entry.setting_of(heading))
        cell = entry.cells.rows[row][column]
        return growth_of(*pairs[cell.experiment], entry.setting_of(heading)) if isinstance(cell, Cell) else 1.0

    return growth


def growth_of(whole: Experiment[Any], small: Experiment[Any], setting: str) -> float:
    """How many times larger standard errors of a small version are: the root of how many times fewer games, or the like, it has."""
    many, few = (experiment.kept().get(setting) for experiment in (whole, small))
    return math.sqrt(many / few) if type(many) is type(few) is int and many > few > 0 else 1.0


# -- the verdict --


class CheckVerdict(NamedTuple):
    """What came of all comparisons together."""

    limit: float  # standard errors beyond which a figure is wrong
    noticed: float  # standard errors that are found with the probability `FOUND`
    wrong: list[str]


def verdict_of(found: TableCheck, false_alarms: float = FALSE_ALARMS) -> CheckVerdict:
    """Each figure gets its share of the false alarms (Bonferroni), so all together raise one no more often, however they hang together."""
    limit = float(norm.isf(false_alarms / (2 * max(len(found.figures), 1))))
    wrong = [each.in_words() for each in found.figures if each.apart > limit]
    return CheckVerdict(limit, limit + float(norm.isf(1 - FOUND)), [*found.wrong, *wrong])
