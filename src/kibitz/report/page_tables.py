"""Parts of tables on a page, as HTML. Names were written by other people: every text goes through `escaped`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from kibitz.core.printable import printable
from kibitz.report.tables import figure


def escaped(text: str, lines: bool = False) -> str:
    """A text as it may stand in HTML, whoever wrote it."""
    return escape(printable(text, lines=lines), quote=True)


def counted_things(to: str | None) -> str:
    """What was counted: games, or contests to so many points."""
    return "contests" if to else "games"


def table(headings: Sequence[str], rows: Iterable[Sequence[str]], label: str) -> str:
    """A table that scrolls in its own box. Headings and cells come as HTML: `<th…` and `<td…` elements."""
    body = "".join(f"<tr>{''.join(row)}</tr>\n" for row in rows)
    return (
        f'<div class="scroll standing" role="region" tabindex="0" aria-label="{escaped(label)}"><table>\n<thead><tr>{"".join(headings)}</tr></thead>\n'
        f"<tbody>\n{body}</tbody></table></div>\n"
    )


def heading(text: str, kind: str = "number") -> str:
    """A column's heading."""
    return f'<th scope="col" class="{kind}">{escaped(text)}</th>'


def named(name: str) -> str:
    """A row's player or bot."""
    return f'<th scope="row" class="name"><bdi>{escaped(name)}</bdi></th>'


def cell(text: str) -> str:
    """A cell with a text."""
    return f"<td>{escaped(text)}</td>"


def measured(value: float, error: float | None, digits: int = 2) -> str:
    """A cell with a figure and its standard error."""
    known, _, uncertain = figure(value, error, digits).partition(" ± ")
    return f"<td>{known} <small>± {uncertain}</small></td>"


def rate(value: float, error: float | None, digits: int = 2) -> str:
    """A cell with a share in % and its standard error."""
    return measured(100 * value, None if error is None else 100 * error, digits)


def count(number: int) -> str:
    """A cell with a number, pale if it is 0."""
    return f'<td class="{"some" if number else "zero"}">{number:,}</td>'
