"""A page that shows a run: one file of HTML that needs nothing but itself, no network, no script; its frame and its tables.

Names, commands and faults were written by other people: every text goes through `escaped`, and the page forbids scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from xml.etree import ElementTree

from kibitz.core.printable import printable
from kibitz.report.formatting import figure
from kibitz.report.page_style import STYLE
from kibitz.report.plotting import ACCENT, INK, MUTED, PAPER, RULE, Plot


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


_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_DRESS = {INK: "var(--ink)", MUTED: "var(--muted)", RULE: "var(--rule)", ACCENT: "var(--accent)", PAPER: "var(--card)"}


@dataclass(frozen=True)
class PageSettings:
    """What is known of a run besides its figures."""

    command: str  # as typed into a shell
    version: str
    started: str
    run: int | None = None


def page(
    title: str,
    kind: str,
    lead: str,
    warning: str,
    facts: Iterable[tuple[str, str]],
    sections: Iterable[str],
    settings: PageSettings,
) -> str:
    """A page around its sections."""
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{escaped(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
    )
    run = "" if settings.run is None else f" · run {settings.run}"
    listed = "".join(f"<div><dt>{escaped(name)}</dt><dd><bdi>{escaped(value)}</bdi></dd></div>" for name, value in facts)
    header = (
        f'<header>\n<p class="eyebrow">{escaped(kind)}{run}</p>\n<h1><bdi>{escaped(title)}</bdi></h1>\n<p class="lead">{escaped(lead)}</p>\n'
        f'{warning}<dl class="facts">{listed}</dl>\n</header>\n'
    )
    made = f"Made by kibitz {escaped(settings.version)}."
    return f"{head}<body>\n{header}<main>\n{''.join(sections)}</main>\n<footer>{made}</footer>\n</body>\n</html>\n"


def section(title: str, content: str) -> str:
    """A part of a page under a heading."""
    return f"<section>\n<h2>{escaped(title)}</h2>\n{content}</section>\n"


def drawn(plots: Sequence[Plot], below: dict[str, str]) -> str:
    """Plots side by side, each with its caption and with what stands below it, by its name."""
    shown = "".join(
        f'<section class="plot {plot.shape}">\n<h2>{escaped(plot.title)}</h2>\n<div class="drawing">{inline_svg(plot)}</div>\n'
        f'<p class="caption">{escaped(plot.caption).replace(" %", "&nbsp;%")}</p>\n{below.get(plot.name, "")}</section>\n'
        for plot in plots
    )
    return f'<div class="plots">\n{shown}</div>\n' if shown else ""


def inline_svg(plot: Plot) -> str:
    """A plot's SVG as it stands in the page: in the page's colours, named for those who cannot see it, its marks its own."""
    root = ElementTree.fromstring(plot.svg())
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag.rpartition("}")[2] in ("metadata", "style"):
                parent.remove(child)
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
        attributes = {name.rpartition("}")[2]: value for name, value in element.attrib.items()}
        element.attrib.clear()
        element.attrib.update({name: _in_page(name, value, plot.name) for name, value in attributes.items()})
        element.tail = None
        if element.tag not in ("text", "tspan"):
            element.text = None
    _drop_unused_names(root)
    for name in ("width", "height", "version"):
        root.attrib.pop(name, None)
    root.attrib.update({"role": "img", "aria-label": printable(plot.alt)})
    return ElementTree.tostring(root, encoding="unicode")


def _in_page(name: str, value: str, plot: str) -> str:
    """An attribute's value: marks get the plot's name before them, as several plots share the page; colours follow the page's."""
    if name == "id":
        return f"{plot}-{value}"
    if name == "href":
        return value.replace("#", f"#{plot}-")
    value = value.replace("url(#", f"url(#{plot}-")
    for colour, variable in _DRESS.items():
        value = value.replace(colour, variable)
    return value


def _drop_unused_names(root: ElementTree.Element) -> None:
    """Most marks of matplotlib's are never referred to."""
    used = set()
    for element in root.iter():
        used.update(re.findall(r"#([\w-]+)", " ".join(value for name, value in element.attrib.items() if name != "id")))
    for element in root.iter():
        if element.get("id") not in used:
            element.attrib.pop("id", None)


def duration(seconds: float) -> str:
    """A time in words."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def warning_of(complete: bool, played: int, to: str | None) -> str:
    """That a run is not complete, nothing if it is."""
    return (
        ""
        if complete
        else f'<p class="warning">Incomplete: interrupted after {played:,} {counted_things(to)}. The figures are those so far.</p>\n'
    )


def listed(pairs: Sequence[tuple[str, str]], settings: PageSettings, games: bool = True) -> str:
    """Settings, the command, and with `games` how to see these."""
    known = [*pairs, ("version", settings.version), ("started", settings.started)]
    known += [("run", str(settings.run))] if settings.run is not None else []
    listed = "".join(f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>\n" for name, value in known)
    text = f'<dl class="settings">\n{listed}</dl>\n<h2>The command that made it</h2>\n<pre><code>{escaped(settings.command, lines=True)}</code></pre>\n'
    if settings.run is None or not games:
        return text
    again = f"kibitz replay {settings.run} 0\nkibitz export {settings.run} -o run-{settings.run}.csv"
    return f"{text}<h2>Its first game move by move, and all games as a table</h2>\n<pre><code>{again}</code></pre>\n"
