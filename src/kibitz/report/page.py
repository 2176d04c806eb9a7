"""A run as one page of HTML that needs nothing but itself: no network, no script, no other file.

Names, commands and faults were written by other people: every text goes through `escaped`, and the page forbids scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from xml.etree import ElementTree

from kibitz import registry
from kibitz.core.printable import printable, shortened
from kibitz.experiments.results import Result
from kibitz.experiments.tournament.results import TournamentResult
from kibitz.experiments.verdict import Comparison
from kibitz.report import tables
from kibitz.report.drawing import ACCENT, INK, MUTED, PAPER, RULE, Plot
from kibitz.report.page_style import STYLE
from kibitz.report.page_tables import (
    counted_things,
    escaped,
    faults_table,
    figures_table,
    heading,
    matrix_table,
    named,
    standings_table,
    table,
)
from kibitz.report.run_plots import comparison_plots, result_plots
from kibitz.report.tournament_plots import tournament_plots
from kibitz.report.tournament_tables import FORMAT_NAMES, deals_text
from kibitz.report.transcript import counted
from kibitz.runs.ledger import FORFEIT

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
_DRESS = {INK: "var(--ink)", MUTED: "var(--muted)", RULE: "var(--rule)", ACCENT: "var(--accent)", PAPER: "var(--card)"}


@dataclass(frozen=True)
class PageSettings:
    """What is known of a run besides its figures."""

    command: str  # as typed into a shell
    version: str
    started: str
    run: int | None = None


def tournament_page(result: TournamentResult, settings: PageSettings) -> str:
    """The page of a tournament."""
    return _page(
        result.title,
        "Tournament" if settings.run is None else f"Tournament · run {settings.run}",
        _tournament_lead(result),
        _warning(result.complete, result.games_played, result.to),
        _tournament_facts(result),
        [
            _section("Standings", standings_table(result)),
            _plots(tournament_plots(result), {"against": matrix_table(result)}),
            _section("Faults", faults_table(result, settings.run)),
            _section("Settings", _tournament_settings(result, settings)),
        ],
        settings,
    )


def result_page(result: Result, settings: PageSettings, *others: Result) -> str:
    """The page of a run that is no tournament; `others` are further tables of the same run."""
    results = [result, *others]
    kind = result.command.capitalize()
    bots = list(dict.fromkeys(row.bot for each in results for row in each.rows))
    listed = ", ".join(shortened(bot, 40) for bot in bots[:4]) + " and others" * (len(bots) > 4)
    played = sum(each.games_played for each in results)
    sections = []
    for number, each in enumerate(results, 1):
        what = f"Figures with {each.players} players" if others else "Figures"
        sections += [_section(what, figures_table(each)), _plots(result_plots(each, number), {})]
    return _page(
        f"{registry.game(result.game).title}: {listed}",
        kind if settings.run is None else f"{kind} · run {settings.run}",
        " ".join(f"{tables.describe(each)}." for each in results),
        _warning(all(each.complete for each in results), played, result.to),
        [
            ("Bots", f"{len(bots):,}"),
            (counted_things(result.to).capitalize(), f"{played:,}"),
            ("Time", _time(sum(each.seconds for each in results))),
        ],
        [*sections, _section("Settings", _result_settings(result, settings))],
        settings,
    )


def comparison_page(result: Comparison, settings: PageSettings) -> str:
    """The page of a comparison of two bots."""
    verdict, *grounds = result.in_words()
    told = "".join(f"<p>{escaped(line)}</p>\n" for line in grounds)
    test = result.test
    tested = (f"{test.h0:+g} v {test.h1:+g} {result.unit}, errors {100 * test.alpha:g} % and {100 * test.beta:g} %",) if test else ()
    pairs = [
        ("game", registry.game(result.game).title),
        ("rules", result.rules),
        ("players", str(result.players)),
        *([("with", ", ".join(result.others))] if result.others else []),
        ("measure", result.measure.replace("_", " ")),
        *(("hypotheses", text) for text in tested),
        (f"{counted_things(result.to)} of a line-up, at most", f"{result.max_games:,}"),
        *([("contests to", result.to)] if result.to else []),
        ("seed", str(result.seed)),
    ]
    return _page(
        f"{registry.game(result.game).title}: {' or '.join(shortened(bot, 40) for bot in result.bots)}?",
        "Comparison" if settings.run is None else f"Comparison · run {settings.run}",
        verdict,
        _warning(result.complete, result.games, result.to),
        [
            ("Better", result.better or "not known"),
            ("Deals", f"{result.deals:,}"),
            (counted_things(result.to).capitalize(), f"{result.games:,}"),
            ("Time", _time(result.seconds)),
        ],
        [_section("Figures", told), _plots(comparison_plots(result), {}), _section("Settings", _listed(pairs, settings))],
        settings,
    )


# -- the frame --


def _page(
    title: str,
    kind: str,
    lead: str,
    warning: str,
    facts: Iterable[tuple[str, str]],
    sections: Iterable[str],
    settings: PageSettings,
) -> str:
    head = (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="color-scheme" content="light dark">\n'
        f"<title>{escaped(title)}</title>\n<style>{STYLE}</style>\n</head>\n"
    )
    listed = "".join(f"<div><dt>{escaped(name)}</dt><dd><bdi>{escaped(value)}</bdi></dd></div>" for name, value in facts)
    header = (
        f'<header>\n<p class="eyebrow">{escaped(kind)}</p>\n<h1><bdi>{escaped(title)}</bdi></h1>\n<p class="lead">{escaped(lead)}</p>\n'
        f'{warning}<dl class="facts">{listed}</dl>\n</header>\n'
    )
    made = f"Made by kibitz {escaped(settings.version)}."
    return f"{head}<body>\n{header}<main>\n{''.join(sections)}</main>\n<footer>{made}</footer>\n</body>\n</html>\n"


def _section(title: str, content: str) -> str:
    return f"<section>\n<h2>{escaped(title)}</h2>\n{content}</section>\n"


def _plots(plots: Sequence[Plot], below: dict[str, str]) -> str:
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


# -- words --


def _time(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min" if hours else f"{minutes} min {rest:02d} s"


def _warning(complete: bool, played: int, to: str | None) -> str:
    return (
        ""
        if complete
        else f'<p class="warning">Incomplete: interrupted after {played:,} {counted_things(to)}. The figures are those so far.</p>\n'
    )


def _tournament_lead(result: TournamentResult) -> str:
    title = registry.game(result.game).title
    length = f"contests to {result.to} points" if result.to else "games"
    matches = "1 match" if result.matches == 1 else f"{result.matches:,} matches"
    return (
        f"{title} under the rules {result.rules}: {FORMAT_NAMES.get(result.format, result.format)}, "
        f"{counted(len(result.standings), 'player')}, tables of {result.table}; {matches} of {result.games:,} {length}{' each' * (result.matches != 1)}."
    )


def _tournament_facts(result: TournamentResult) -> list[tuple[str, str]]:
    first = "Best" if result.cooperative else "Winner" if result.complete else "Leader"
    return [
        *([(first, shortened(result.standings[0].name, 60))] if result.standings else []),
        ("Players", f"{len(result.standings):,}"),
        ("Matches", f"{result.matches:,}"),
        (counted_things(result.to).capitalize(), f"{result.games_played:,}"),
        ("Faults", f"{sum(fault.kind != FORFEIT for _, fault in result.faults):,}"),
        ("Time", _time(result.seconds)),
    ]


def _tournament_settings(result: TournamentResult, settings: PageSettings) -> str:
    bots = [[named(player.name), f'<td class="name"><code>{escaped(player.bot)}</code></td>'] for player in result.standings]
    players = table([heading("player", "name"), heading("bot", "name")], bots, "What each player is")
    return f"{_listed(_tournament_pairs(result), settings)}<details><summary>What each player is</summary>\n{players}</details>\n"


def _tournament_pairs(result: TournamentResult) -> list[tuple[str, str]]:
    return [
        ("game", registry.game(result.game).title),
        ("rules", result.rules),
        ("format", result.format),
        ("players at a table", str(result.table)),
        (f"{counted_things(result.to)} a match", f"{result.games:,}"),
        *([("contests to", result.to)] if result.to else []),
        ("deals", deals_text(result)),
        ("seed", str(result.seed)),
    ]


def _result_settings(result: Result, settings: PageSettings) -> str:
    return _listed(
        [
            ("game", registry.game(result.game).title),
            ("rules", result.rules),
            ("players", str(result.players)),
            *([("against", result.against)] if result.against else []),
            (f"{counted_things(result.to)} a row", f"{result.games:,}"),
            *([("contests to", result.to)] if result.to else []),
            ("seating", result.seating),
            ("seed", str(result.seed)),
        ],
        settings,
    )


def _listed(pairs: Sequence[tuple[str, str]], settings: PageSettings) -> str:
    known = [*pairs, ("version", settings.version), ("started", settings.started)]
    known += [("run", str(settings.run))] if settings.run is not None else []
    listed = "".join(f"<div><dt>{escaped(name)}</dt><dd>{escaped(value)}</dd></div>\n" for name, value in known)
    text = f'<dl class="settings">\n{listed}</dl>\n<h2>The command that made it</h2>\n<pre><code>{escaped(settings.command, lines=True)}</code></pre>\n'
    if settings.run is None:
        return text
    again = f"kibitz replay {settings.run} 0\nkibitz export {settings.run} -o run-{settings.run}.csv"
    return f"{text}<h2>Its first game move by move, and all games as a table</h2>\n<pre><code>{again}</code></pre>\n"
