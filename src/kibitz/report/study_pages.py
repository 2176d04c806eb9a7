"""The tables of any study: on the terminal, and as Markdown for the page that shows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.console import Console
from rich.table import Table

from kibitz.report.page_tables import cell, escaped, heading, named, table


@dataclass
class Page:
    """One table of a study. One that is `plotted` is printed, and left out of the Markdown page, where the plot shows it."""

    title: str
    headings: list[str]
    rows: list[list[str]]
    note: str = ""
    plotted: bool = False


def print_pages(pages: Iterable[Page], console: Console) -> None:
    """The tables that have rows, each with its note; what Markdown sets as code stands as it is."""
    for page in pages:
        if not page.rows:
            continue
        title = page.title.replace("`", "")
        shown = Table(*page.headings[:1], box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), title=title, title_justify="left")
        for title_of_column in page.headings[1:]:
            shown.add_column(title_of_column, justify="right")
        for row in page.rows:
            shown.add_row(*[cell.replace("`", "") for cell in row])
        console.print(shown)
        if page.note:
            console.print(page.note, style="dim")


def pages_as_markdown(pages: Iterable[Page]) -> list[str]:
    """The tables as lines of Markdown, each with its note; of those that are plotted the titles alone."""
    lines: list[str] = []
    plotted = []
    for page in pages:
        if page.plotted:
            plotted.append(page.title)
            continue
        lines += [f"**{page.title}**", "", *markdown_table(page.headings, page.rows), ""]
        if page.note:
            lines += [page.note, ""]
    if plotted:
        lines += [f"The plot shows, and the command prints: {'; '.join(plotted)}.", ""]
    return lines


def markdown_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table as Markdown, figures to the right."""
    rule = ["---", *["---:"] * (len(headings) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (headings, rule, *rows)]


def page_table(page: Page) -> str:
    """A table with its note as HTML."""
    headings = [heading(text.replace("`", ""), "number" if place else "name") for place, text in enumerate(page.headings)]
    rows = [[named(first.replace("`", "")), *(cell(text.replace("`", "")) for text in rest)] for first, *rest in page.rows]
    note = f'<p class="note">{escaped(page.note.replace("`", ""))}</p>\n' if page.note else ""
    return f"{table(headings, rows, page.title)}{note}"
