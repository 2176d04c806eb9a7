"""Small versions against pages: what is read from a cell, how far figures may lie apart, and how often that is a false alarm."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import kibitz
from kibitz.cli.experiment_command import experiment_from
from kibitz.experiments.figure_cells import Cell, CellTable, shown_figure
from kibitz.experiments.figure_check import CellFigure, ComparedFigure, check_page, figures_in, growth_in, growth_of, verdict_of
from kibitz.experiments.figure_list import FigureEntry, read_figures
from kibitz.experiments.measurement import Evaluate, Match
from kibitz.report.markdown_tables import markdown_table

HEADINGS = ("bot", "played to", "wins %", "chance", "best")
PAGE = [["mix2", "500", "68.73 ± 0.15", "50.0", "greedy"], ["mix2", "1000", "71.20 ± 0.15", "50.0", "random"]]


def alike(row: int, column: int, heading: str) -> float:
    """A small version as large as the page."""
    return 1.0


def page_of(rows: list[list[str]], title: str = "2 players, 1,000 games", note: str = "") -> str:
    return "\n".join([f"**{title}**", "", *markdown_table(HEADINGS[: len(rows[0])], rows), "", note])


def wrong(small: list[list[str]], **how: str) -> list[str]:
    found = check_page(page_of(PAGE), page_of(small, "2 players, 20 games", **how), ["best"], alike, "entry")
    return verdict_of(found).wrong


@pytest.mark.parametrize(
    ("cell", "bound", "figures"),
    [
        ("55.35 ± 0.02", None, [(55.35, 0.02, 0.005)]),
        ("−0.11 ± 0.50", None, [(-0.11, 0.5, 0.005)]),
        ("**+2.9 ± 0.5**", None, [(2.9, 0.5, 0.05)]),
        ("12.6 ± 0.1 %", None, [(12.6, 0.1, 0.05)]),
        ("2,093 ± 11", None, [(2093.0, 11.0, 0.5)]),
        ("49.25▼", 0.11, [(49.25, 0.11, 0.005)]),
        ("69.6 30.4", 0.2, [(69.6, 0.2, 0.05), (30.4, 0.2, 0.05)]),
        ("49.25", None, None),
        ("classic,stacking=same", 0.11, None),
        ("", 0.11, None),
        ("23.09 ± ?", None, None),
    ],
)
def test_figures_are_read_from_cells(cell: str, bound: float | None, figures: list[tuple[float, float, float]] | None) -> None:
    assert figures_in(cell, bound) == (figures and [CellFigure(*each) for each in figures])


def test_figures_agree_within_the_errors_of_both_and_rounding() -> None:
    near = [["mix2", "500", "69.9 ± 1.0", "50.0", "-"], ["mix2", "1000", "70.1 ± 1.0", "50.0", "-"]]
    assert wrong(near) == []
    far = [["mix2", "500", "74.9 ± 1.0", "50.0", "-"], near[1]]
    (said,) = wrong(far)
    assert said.startswith("entry, 2 players, 1,000 games, mix2 500, wins %: the page says 68.73 ± 0.15, the small version 74.9 ± 1")
    assert "6.0 standard errors apart" in said  # (6.17 less rounding of 0.055) / √(0.155² + 1.0²)


def test_rows_are_found_by_as_many_cells_as_tell_them_apart_in_any_order() -> None:
    turned = [["mix2", "1000", "71.9 ± 1.0", "50.0", "-"], ["mix2", "500", "68.9 ± 1.0", "50.0", "-"]]
    assert wrong(turned) == []
    assert wrong(turned[:1]) == []  # the small version may have fewer rows
    assert wrong([*turned, ["mix2", "200", "60.0 ± 1.0", "50.0", "-"]]) == ["entry, 2 players, 1,000 games: the page has no row 'mix2 200'"]


def test_an_empty_first_cell_is_that_of_the_row_above() -> None:
    page = page_of([["`a`", "score", "1.0 ± 0.1"], ["", "lost", "2.0 ± 0.1"], ["`b`", "score", "3.0 ± 0.1"], ["", "lost", "4.0 ± 0.1"]])
    found = check_page(page, page.replace("4.0", "9.0"), [], alike, "entry")
    assert (len(found.figures), found.wrong) == (4, [])
    (said,) = verdict_of(found).wrong
    assert "`b` lost" in said


def test_cells_without_an_error_must_be_the_same_unless_their_column_is_loose() -> None:
    small = [["mix2", "500", "69.0 ± 1.0", "51.0", "-"]]
    assert wrong(small) == ["entry, 2 players, 1,000 games, mix2 500, chance: the page says '50.0', the small version '51.0'"]
    found = check_page(page_of(PAGE), page_of(PAGE), ["best"], alike, "entry")
    assert (len(found.figures), found.equal, found.left_out) == (2, 2, 2)


def test_tables_must_have_the_same_shape() -> None:
    (fewer,) = check_page(page_of(PAGE), "", [], alike, "entry").wrong
    assert fewer == "entry: the page has 1 tables, and the experiment makes 0"
    (title,) = wrong(PAGE) or check_page(page_of(PAGE), page_of(PAGE, "3 games, 2 teams"), ["best"], alike, "entry").wrong
    assert "the experiment makes '3 games, 2 teams'" in title
    (columns,) = check_page(page_of(PAGE), page_of([row[:4] for row in PAGE]), ["best"], alike, "entry").wrong
    assert "the page has the columns bot, played to, wins %, chance, best" in columns


def test_a_note_says_how_large_errors_are_at_most() -> None:
    page = page_of([["mix2", "500", "68.73▲"]], note="Standard errors are at most 0.11. ▲ ▼: above or below.")
    near, far = (page_of([["mix2", "500", cell]], note="Standard errors are at most 1.10.") for cell in ("70.5", "75.5▲"))
    assert verdict_of(check_page(page, near, [], alike, "entry")).wrong == []
    assert len(verdict_of(check_page(page, far, [], alike, "entry")).wrong) == 1


def test_few_games_that_agree_too_well_count_with_the_error_that_so_many_have() -> None:
    published, found = CellFigure(24.97, 0.006, 0.0005), CellFigure(25.0, 0.0, 0.0005)  # ten perfect games
    assert ComparedFigure("", published, found, 1.0).apart > 3
    assert ComparedFigure("", published, found, 10.0).apart < 1
    both_exact = ComparedFigure("", CellFigure(0.5, 0.0, 0.05), CellFigure(0.62, 0.0, 0.005), 1.0)
    assert math.isinf(both_exact.apart)
    assert "which has no error" in both_exact.in_words()
    assert ComparedFigure("", CellFigure(0.5, 0.0, 0.05), CellFigure(0.55, 0.0, 0.005), 1.0).apart == 0


def test_errors_grow_with_the_root_of_what_the_small_version_lacks() -> None:
    whole, small = Evaluate(["random"], games=40_000, seed=9), Evaluate(["random"], games=400)
    assert growth_of(whole, small, "games") == pytest.approx(10)
    assert growth_of(small, whole, "games") == 1
    assert growth_of(whole, small, "seed") == pytest.approx(3)


MIXED = """
[[figures]]
name = "strength"
page = "strength.md"
check = "--games 200"
headings = ["bot", "v random", "v greedy"]
columns = ["kibitz match {bot} random --games {games}", "kibitz match {bot} greedy --games {games}"]
rows = [
    { labels = ["`mix2`"], bot = "mix2", games = 20000 },
    { labels = ["`score`"], bot = "score", games = 1000000 },
    { labels = ["chance"], cells = ["50", "50"] },
]
"""


def entry_of(folder: Path, text: str) -> FigureEntry:
    (folder / "list.toml").write_text(text, encoding="utf-8")
    return read_figures(folder / "list.toml", experiment_from).entries[0]


def test_errors_of_a_cell_grow_by_the_games_of_its_own_experiment(tmp_path: Path) -> None:
    growth = growth_in(entry_of(tmp_path, MIXED))
    rows = [[growth(row, column, "v random") for column in (1, 2)] for row in range(3)]
    assert rows == [pytest.approx([10, 10]), pytest.approx([math.sqrt(5_000)] * 2), [1, 1]]


def test_a_wrong_cell_is_found_beside_one_of_many_more_games(tmp_path: Path) -> None:
    growth = growth_in(entry_of(tmp_path, MIXED))
    headings = ("bot", "v random", "v greedy")
    made = [["`mix2`", "68.0 ± 3.3", "62.0 ± 3.4"], ["`score`", "55.0 ± 3.5", "51.0 ± 3.5"], ["chance", "50", "50"]]
    page = [["`mix2`", "68.73 ± 0.33", "62.40 ± 0.34"], ["`score`", "55.35 ± 0.05", "50.80 ± 0.05"], ["chance", "50", "50"]]
    doctored = [["`mix2`", "90.00 ± 0.33", "62.40 ± 0.34"], *page[1:]]
    texts = ["\n".join(markdown_table(headings, rows)) for rows in (page, doctored, made)]
    assert verdict_of(check_page(texts[0], texts[2], [], growth, "entry")).wrong == []
    (said,) = verdict_of(check_page(texts[1], texts[2], [], growth, "entry")).wrong
    assert "`mix2`, v random: the page says 90 ± 0.33" in said


PERCEPTRONS = """
[[figures]]
name = "perceptrons"
page = "perceptrons.md"
command = "kibitz study perceptrons --games 40000 --final 1000000 --check 900"
check = "--games 10000 --final 10000 --check 100"
"""


@pytest.mark.parametrize(
    ("line", "grown"),
    [
        ("", {"ours": 2, "printed": 2}),
        ('counted_by = "final"', {"ours": 10, "printed": 10}),
        ('counted_by = { ours = "final", printed = "check" }', {"ours": 10, "printed": 3, "else": 2}),
    ],
)
def test_errors_of_one_experiment_grow_by_the_setting_that_the_list_names(line: str, grown: dict[str, float], tmp_path: Path) -> None:
    growth = growth_in(entry_of(tmp_path, PERCEPTRONS + line))
    assert {heading: growth(0, 1, heading) for heading in grown} == pytest.approx(grown)


class Trials(NamedTuple):
    """Checks of pages whose figures were all drawn around the truth, but for one that was shifted by some standard errors."""

    alarms: float  # the share in which something was wrong
    noticed: float  # the share in which it was the shifted one


def trials(shift: Callable[[float], float], count: int = 400, figures: int = 60, false_alarms: float = 0.1) -> Trials:
    random = np.random.default_rng(5)
    alarms = noticed = 0
    for _ in range(count):
        errors = random.uniform(0.5, 2.0, figures)
        page, small = (50 + error * random.standard_normal(figures) for error in (errors / 10, errors))
        limit = verdict_of(check_page("", "", [], alike, "")).limit
        page[0] += shift(limit) * math.hypot(errors[0], errors[0] / 10)
        rows = [
            [[str(place), f"{value:.4f} ± {error:.4f}"] for place, (value, error) in enumerate(zip(values, spread, strict=True))]
            for values, spread in ((page, errors / 10), (small, errors))
        ]
        said = verdict_of(check_page(page_of(rows[0]), page_of(rows[1]), [], alike, "entry"), false_alarms).wrong
        alarms += bool(said)
        noticed += any(", 0, " in each for each in said)
    return Trials(alarms / count, noticed / count)


def test_right_pages_raise_an_alarm_as_rarely_as_stated_and_wrong_ones_are_found() -> None:
    right = trials(lambda _: 0.0)
    assert 0.04 < right.alarms <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / 400)
    limit, noticed = (value for value in verdict_of(check_page(page_of(PAGE), page_of(PAGE), ["best"], alike, ""))[:2])
    assert (limit, noticed) == pytest.approx((2.807, 2.807 + 2.326), abs=0.001)  # two figures, 1 % of false alarms
    shifted = trials(lambda _: 3.144 + 2.326)  # sixty figures at 10 %, and what is found 99 times of 100
    assert shifted.noticed > 0.97


# -- tables of cells --


def test_a_cell_shows_the_figure_of_its_experiment() -> None:
    match = Match(["greedy", "random"], games=200, jit=False).play()
    team = Evaluate(["random"], game="hanabi", games=20, jit=False).play()
    row, lost = match.rows[0], team.rows[0].lost
    table = CellTable(
        ("bot", "", "wins", "score"), (("`a`", "b", Cell(0, "wins"), Cell(1, "lost")), ("`a`", "c", "50", Cell(0, "points", 1))), "A note."
    )
    spread = 100 * math.sqrt(lost * (1 - lost) / 20)
    assert table.markdown([match, team]).splitlines() == [
        "| bot |  | wins | score |",
        "| --- | --- | ---: | ---: |",
        f"| `a` | b | {100 * row.win_rate:.2f} ± {100 * row.win_rate_se:.2f} | {100 * lost:.1f} ± {spread:.1f} % |",
        f"| `a` | c | 50 | {row.points:.1f} ± {row.points_se:.1f} |",
        "",
        "A note.",
    ]


def test_a_cell_shows_the_difference_that_a_comparison_found() -> None:
    found = kibitz.compare("random", "greedy", games=60, jit=False)
    ((value, error, rounding),) = figures_in(shown_figure(found, Cell(0, "difference"))) or []
    assert (value, error, rounding) == pytest.approx((found.difference, found.standard_error, 0.005), abs=0.005)
