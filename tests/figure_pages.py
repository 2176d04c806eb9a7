"""A short list of figures with pages for it: tables, cells, and a study with a plot."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from kibitz.report.formatting import BEGIN_MARK, END_MARK, marks_for

LIST = """
[[figures]]
name = "table"
page = "table.md"
command = "kibitz evaluate random greedy --published --games {games}"
check = "--games 400"

[[figures]]
name = "cells"
page = "cells.md"
check = "--games 300"
headings = ["bot", "v random", "v greedy"]
columns = ["kibitz match {{bot}} random --games {games} --seating rotate", "kibitz match {{bot}} greedy --games {games} --seating rotate"]
rows = [{{ labels = ["`mix2`"], bot = "mix2" }}, {{ labels = ["chance"], cells = ["50", "50"] }}]

[[figures]]
name = "study"
page = "study.md"
plot = "study.svg"
command = "kibitz study crossplay iggi random --games 40"
check = "--games 20"
loose = ["best team with strangers", "its score"]

[[others]]
name = "by-hand"
command = "a brush"
why = "it is a painting"
"""
PAGES = ("table.md", "cells.md", "study.md")


def make_folder(folder: Path, games: int) -> Path:
    """A list and pages that are not written yet."""
    folder.mkdir()
    (folder / "list.toml").write_text(LIST.format(games=games), encoding="utf-8")
    for page in PAGES:
        begin, end = marks_for("cells") if page == "cells.md" else (BEGIN_MARK, END_MARK)
        (folder / page).write_text(f"before\n{begin}\n{end}\nafter\n", encoding="utf-8")
    return folder


def runs_in(store: Path) -> list[tuple[Any, ...]]:
    """The number, status, games and command of each run."""
    with closing(sqlite3.connect(store)) as connection:
        return connection.execute("SELECT id, status, done, command FROM runs ORDER BY id").fetchall()


def contents(folder: Path) -> dict[str, str]:
    """What the figures are: all but the time that it took to make them."""
    pages = {page: (folder / page).read_text(encoding="utf-8") for page in PAGES}
    return {page: "\n".join(line for line in text.splitlines() if "±" not in line or line.startswith("|")) for page, text in pages.items()}
