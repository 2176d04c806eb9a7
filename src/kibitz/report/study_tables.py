"""The tables of any study: on the terminal, and as Markdown for the page that shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table

from kibitz.report.html_page import cell, escaped, heading, named
from kibitz.report.html_page import table as html
from kibitz.report.markdown_tables import markdown_table


@dataclass
class StudyTable:
    """One table of a study. One that is `plotted` is printed, and left out of the Markdown page, where the plot shows it."""

    title: str
    headings: list[str]
    rows: list[list[str]]
    note: str = ""
    plotted: bool = False


def print_tables(tables: Iterable[StudyTable], console: Console) -> None:
    """The tables that have rows, each with its note; what Markdown sets as code stands as it is."""
    for table in tables:
        if not table.rows:
            continue
        title = table.title.replace("`", "")
        shown = Table(*table.headings[:1], box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title=title, title_justify="left")
        for title_of_column in table.headings[1:]:
            shown.add_column(title_of_column, justify="right")
        for row in table.rows:
            shown.add_row(*[cell.replace("`", "") for cell in row])
        console.print(shown)
        if table.note:
            console.print(table.note, style="dim")


def tables_as_markdown(tables: Iterable[StudyTable]) -> list[str]:
    """The tables as lines of Markdown, each with its note; of those that are plotted the titles alone."""
    lines: list[str] = []
    plotted = []
    for table in tables:
        if table.plotted:
            plotted.append(table.title)
            continue
        lines += [f"**{table.title}**", "", *markdown_table(table.headings, table.rows), ""]
        if table.note:
            lines += [table.note, ""]
    if plotted:
        lines += [f"The plot shows, and the command prints: {'; '.join(plotted)}.", ""]
    return lines


def html_table(table: StudyTable) -> str:
    """A table with its note as HTML."""
    headings = [heading(text.replace("`", ""), "number" if place else "name") for place, text in enumerate(table.headings)]
    rows = [[named(first.replace("`", "")), *(cell(text.replace("`", "")) for text in rest)] for first, *rest in table.rows]
    note = f'<p class="note">{escaped(table.note.replace("`", ""))}</p>\n' if table.note else ""
    return f"{html(headings, rows, table.title)}{note}"
