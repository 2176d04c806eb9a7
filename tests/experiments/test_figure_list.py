"""The list of figures: what it may say, what is wrong with it in one sentence, and whether docs/figures.toml has all that the pages show."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from kibitz.cli.experiment_command import experiment_from
from kibitz.core.errors import KibitzError
from kibitz.experiments.figure_list import FigureList, read_figures
from kibitz.report.markdown_tables import markdown_table, tables_in

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
RULE = re.compile(r"\|(\s*:?-+:?\s*\|)+")
PLACE = re.compile(r"<!-- (?!end)(.+?) -->")
NO_PLACE = "findings: "  # a comment to whoever edits the page


@cache
def the_list() -> FigureList:
    return read_figures(ROOT / "docs" / "figures.toml", experiment_from)


def unlisted(page: Path, text: str, listed: FigureList) -> list[str]:
    """What a page shows that no entry of a list makes: pictures, places with markers, and tables with standard errors outside of those."""
    entries = [entry for entry in listed.entries if entry.page.resolve() == page]
    others = [other for other in listed.others if page in [each.resolve() for each in other.pages]]
    made = {entry.plot.resolve() for entry in entries if entry.plot} | {image.resolve() for other in others for image in other.images}
    found = [image for image in re.findall(r"!\[[^]]*\]\(([^)]+)\)", text) if (page.parent / image).resolve() not in made]
    marks = [mark for other in listed.others if not other.pages or other in others for mark in other.marks]
    ours = {entry.marks[0] for entry in entries}
    inside, heading = False, ""
    for line in re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE).splitlines():
        if (place := PLACE.fullmatch(line)) and not place[1].startswith(NO_PLACE):
            inside = True
            if line not in ours and not place[1].startswith(tuple(marks)):
                found.append(line)
        elif line.startswith("<!-- end"):
            inside = False
        elif RULE.fullmatch(line) and not inside:
            known = [table for other in others for table in other.tables]
            if shows_errors(text, heading) and not heading.startswith(tuple(known)):
                found.append(heading)
        heading = line
    return found


def shows_errors(text: str, heading: str) -> bool:
    return "±" in text.partition(heading)[2].partition("\n\n")[0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_table_and_plot_of_the_pages_is_listed(page: Path) -> None:
    assert unlisted(page, page.read_text(encoding="utf-8"), the_list()) == []


def test_what_no_entry_makes_is_found() -> None:
    page = ROOT / "docs" / "findings" / "rules.md"
    text = page.read_text(encoding="utf-8")
    more = "\n![new](../images/new.svg)\n\n<!-- new results: written by a command -->\n<!-- end of new results -->\n\n| bot | new |\n|---|---:|\n| mix2 | 1 ± 2 |\n"
    assert unlisted(page, text + more, the_list()) == ["../images/new.svg", "<!-- new results: written by a command -->", "| bot | new |"]


def test_everything_listed_is_on_the_pages() -> None:
    listed = the_list()
    for entry in listed.entries:
        entry.check()  # markers, settings, and what the small version asks for
        text = entry.page.read_text(encoding="utf-8")
        assert tables_in(entry.before()), f"{entry.name} has no table on {entry.page.name}"
        assert entry.plot is None or f"{entry.plot.parent.name}/{entry.plot.name}" in text
        tables = tables_in(entry.before())
        headings = {heading for table in tables for heading in table.headings}
        named = entry.loose | (entry.counted_by.keys() - {""})
        assert named <= headings, f"{entry.name} names columns that are not there: {named - headings}"
    for other in listed.others:
        shown = "".join(page.read_text(encoding="utf-8") for page in (other.pages or PAGES))
        for told in (
            *(f"\n{table}" for table in other.tables),
            *(image.name for image in other.images),
            *(f"<!-- {mark}" for mark in other.marks),
        ):
            assert told in shown, f"{other.name} lists '{told}', which no page of it shows"


def test_each_plot_belongs_to_one_entry() -> None:
    plots = [entry.plot for entry in the_list().entries if entry.plot] + [image for other in the_list().others for image in other.images]
    assert len(plots) == len(set(plots))
    assert {path.name for path in (ROOT / "docs" / "images").iterdir()} <= {path.name for path in plots}


# -- mistakes --

GOOD = """# a list
[[figures]]
name = "one"
page = "page.md"
command = "kibitz evaluate random greedy --published --games 400"
check = "--games 100"
"""
CELLS = """
[[figures]]
name = "two"
page = "page.md"
check = "--games 100"
headings = ["bot", "wins"]
columns = ["kibitz match {bot} random --games 400"]
rows = [{ labels = ["greedy"], bot = "greedy" }]
"""
MISTAKES = {
    "unknown key": (GOOD.replace("page =", "pge ="), ["line 2", "figure 'one'", "unknown key", "'pge'", "page"]),
    "unknown key of the file": (f"{GOOD}\n[[figure]]\n", ["unknown key", "'figure'"]),
    "no name": (GOOD.replace('name = "one"', ""), ["line 2", "a figure without a name", "name is missing"]),
    "no page": (GOOD.replace('page = "page.md"', ""), ["line 2, figure 'one'", "page is missing"]),
    "no check": (GOOD.replace("check", "#"), ["figure 'one'", "check is missing"]),
    "two of one name": (GOOD + CELLS.replace("two", "one"), ["2 figures are called 'one'"]),
    "no experiment": (GOOD.replace("kibitz evaluate", "kibitz evalute"), ["line 2, figure 'one'", "'evalute random' is no experiment"]),
    "another program": (GOOD.replace("kibitz evaluate", "python evaluate"), ["figure 'one'", "it begins with 'kibitz'"]),
    "unknown setting": (GOOD.replace("--games 400", "--gamez 400"), ["line 2, figure 'one'", "--gamez"]),
    "bad setting": (GOOD.replace("--games 400", "--games many"), ["line 2, figure 'one'", "many"]),
    "bad setting of the check": (GOOD.replace("--games 100", "--games many"), ["line 2, figure 'one'", "many"]),
    "open quote": (GOOD.replace("random greedy", "'random greedy"), ["figure 'one'", "No closing quotation"]),
    "another kind in the check": (
        GOOD.replace('"--games 100"', '"kibitz match random greedy"'),
        ["figure 'one'", "check is `kibitz match`"],
    ),
    "writes nothing": (
        GOOD.replace("evaluate random greedy --published", "match random greedy"),
        ["figure 'one'", "`kibitz match` has no --write"],
    ),
    "draws nothing": (GOOD + 'plot = "x.svg"\n', ["figure 'one'", "`kibitz evaluate` has no --plot"]),
    "page named twice": (GOOD.replace("--games 400", "--games 400 --write x.md"), ["figure 'one'", "leave out --write"]),
    "command and rows": (GOOD + "rows = []\n", ["figure 'one'", "command and rows exclude each other"]),
    "loose is no list": (GOOD + 'loose = "wins %"\n', ["figure 'one'", "loose='wins %'", "list of texts"]),
    "counted by nothing": (GOOD + 'counted_by = "gamez"\n', ["figure 'one'", "unknown setting in counted_by", "did you mean games?"]),
    "counted by what is no number": (
        GOOD + 'counted_by = { "wins %" = "rules" }\n',
        ["figure 'one'", "unknown setting in counted_by", "'rules'"],
    ),
    "counted by a list": (GOOD + 'counted_by = ["games"]\n', ["figure 'one'", "counted_by=['games']", "a table of settings"]),
    "counted by in a table of cells": (CELLS + 'counted_by = "games"\n', ["figure 'two'", "counted_by is not accepted"]),
    "neither command nor rows": (GOOD.replace("command =", "note ="), ["figure 'one'", "command is missing; or rows"]),
    "row too short": (CELLS.replace('["bot", "wins"]', '["bot", "wins", "more"]'), ["figure 'two'", "row 1 has 2 cells", "3 headings"]),
    "row without a value": (CELLS.replace('bot = "greedy"', 'but = "greedy"'), ["figure 'two'", "row 1 has no bot"]),
    "unknown figure": (
        CELLS.replace('bot = "greedy"', 'bot = "greedy", show = "win"'),
        ["figure 'two'", "unknown figure", "did you mean wins?"],
    ),
    "figure of another game": (CELLS.replace('bot = "greedy"', 'bot = "greedy", show = "score"'), ["figure 'two'", "unknown figure"]),
    "no figure for a cell": (
        CELLS.replace("match {bot} random", "study rules"),
        ["figure 'two'", "`kibitz study rules` can stand in a cell"],
    ),
    "cell is a number": (CELLS.replace('bot = "greedy"', "cells = [5]"), ["figure 'two'", "row 1 has the cell 5"]),
    "plot of a table of cells": (CELLS + 'plot = "x.svg"\n', ["figure 'two'", "plot is not accepted"]),
    "other without a reason": ('[[others]]\nname = "three"\ncommand = "by hand"\n', ["line 1, figure 'three'", "why is missing"]),
    "not TOML": ("[[figures]\n", ["not TOML"]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_in_the_list_is_named_with_its_place(name: str, tmp_path: Path) -> None:
    text, parts = MISTAKES[name]
    file = tmp_path / "list.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(KibitzError) as refused:
        read_figures(file, experiment_from)
    assert "\n" not in str(refused.value)
    for part in ("list.toml", *parts):
        assert part in str(refused.value)


def test_what_cannot_be_played_or_written_is_refused_before_anything_is(tmp_path: Path) -> None:
    file, page = tmp_path / "list.toml", tmp_path / "page.md"
    file.write_text(GOOD.replace("greedy", "gredy"), encoding="utf-8")
    page.write_text("<!-- results: written by a command -->\n<!-- end of results -->\n", encoding="utf-8")
    (entry,) = read_figures(file, experiment_from).entries
    with pytest.raises(KibitzError, match=r"line 2, figure 'one': .*gredy"):
        entry.check()
    file.write_text(GOOD, encoding="utf-8")
    (entry,) = read_figures(file, experiment_from).entries
    entry.check()
    page.write_text("no place\n", encoding="utf-8")
    with pytest.raises(KibitzError, match=r"line 2, figure 'one': .*has no place for the results"):
        entry.check()


def test_a_name_picks_entries_in_the_order_of_the_list_and_others_say_how_they_are_made() -> None:
    listed = the_list()
    assert [entry.name for entry in listed.picked(["skill", "rules"])] == ["rules", "skill"]
    assert listed.picked([]) == listed.entries
    with pytest.raises(KibitzError, match="did you mean rules"):
        listed.picked(["rulse"])
    with pytest.raises(KibitzError, match=r"'memory' is not made by an experiment .*tools/study_memory.py"):
        listed.picked(["memory"])


# -- tables in Markdown --


def test_a_table_reads_back_as_it_was_written() -> None:
    rows = [("`a`", "1.0 ± 0.2", ""), ("b \\| c", "−3", "x")]
    lines = ["**A title**", "", *markdown_table(("bot", "wins", "note"), rows), "", "A remark.", "", "More."]
    (table,) = tables_in("\n".join(["text", "", *lines]))
    assert (table.title, table.headings, table.rows, table.note) == ("A title", ("bot", "wins", "note"), rows, "A remark.")


def test_tables_of_a_page_are_found_in_order_and_not_in_code() -> None:
    text = "| a |\n|---|\n| 1 |\n| c | d |\n\n```\n| no | table |\n|---|---|\n```\n**b**\n\n| b | x |\n|:--|--:|\n\n**next**\n"
    first, second = tables_in(text)
    assert (first.headings, first.rows, first.title, first.note) == (("a",), [("1",), ("c", "d")], "", "")
    assert (second.headings, second.rows, second.title, second.note) == (("b", "x"), [], "b", "")
