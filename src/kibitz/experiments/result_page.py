"""An evaluation or a match as a page: its tables, and the plot of win rates or scores with intervals."""

from __future__ import annotations

from kibitz import registry
from kibitz.core.printable import shortened
from kibitz.experiments import result_tables as tables
from kibitz.experiments.results import Result
from kibitz.report.drawing import MOST_RANKED, Plot, intervals, label, of_all, span, told
from kibitz.report.page import PageSettings, drawn, duration, listed, page, section, warning_of
from kibitz.report.page_tables import cell, count, counted_things, heading, measured, named, rate, table
from kibitz.stats.summary import ContestRow, CooperativeRow


def result_page(result: Result, settings: PageSettings) -> str:
    """The page of a run that is no tournament, with all its tables."""
    results = [result, *result.others]
    kind = result.command.capitalize()
    bots = list(dict.fromkeys(row.bot for each in results for row in each.rows))
    shown = ", ".join(shortened(bot, 40) for bot in bots[:4]) + " and others" * (len(bots) > 4)
    played = sum(each.games_played for each in results)
    sections = []
    for number, each in enumerate(results, 1):
        what = f"Figures with {each.players} players" if result.others else "Figures"
        sections += [section(what, figures_table(each)), drawn(result_plots(each, number), {})]
    return page(
        f"{registry.game(result.game).title}: {shown}",
        kind if settings.run is None else f"{kind} · run {settings.run}",
        " ".join(f"{tables.describe(each)}." for each in results),
        warning_of(all(each.complete for each in results), played, result.to),
        [
            ("Bots", f"{len(bots):,}"),
            (counted_things(result.to).capitalize(), f"{played:,}"),
            ("Time", duration(sum(each.seconds for each in results))),
        ],
        [*sections, section("Settings", _result_settings(result, settings))],
        settings,
    )


def _result_settings(result: Result, settings: PageSettings) -> str:
    return listed(
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


def figures_table(result: Result) -> str:
    """The rows of an evaluation or a match."""
    rows = result.rows
    if any(isinstance(row, CooperativeRow) for row in rows):
        names = ["score", "points kept", "perfect %", "lost %", "turns"]
        cells = [
            [
                measured(row.score, row.score_se, 3),
                measured(row.score_kept, row.score_kept_se, 3),
                *(cell(text) for text in (f"{100 * row.perfect:.2f}", f"{100 * row.lost:.2f}", f"{row.turns:.1f}")),
            ]
            for row in rows
        ]
        note = "± is one standard error. Score: a lost game counts 0; points kept: what lay on the table."
    else:
        unfinished = any(row.unfinished for row in rows)
        names = ["contests won %", "points a deal", "turns a deal", "deals a contest"] if result.to else ["won %", "points a game", "turns"]
        cells = [
            [rate(row.win_rate, row.win_rate_se), measured(row.points, row.points_se), cell(f"{row.turns:.1f}")]
            + ([measured(row.deals, row.deals_se)] if isinstance(row, ContestRow) else [])
            + ([count(row.unfinished)] if unfinished else [])
            for row in rows
        ]
        names += ["unfinished"] * unfinished
        note = "± is one standard error."
    headings = [heading("bot", "name"), heading("games"), *(heading(name) for name in names)]
    lines = [[named(row.bot), cell(f"{row.games:,}"), *found] for row, found in zip(rows, cells, strict=True)]
    return f'{table(headings, lines, "Figures")}<p class="note">{note}</p>\n'


def result_plots(result: Result, number: int = 1) -> list[Plot]:
    """The plot of a run that is no tournament: each row's win rate or score with its interval. `number`: of several tables."""
    rows = result.rows[:MOST_RANKED]
    if not rows:
        return []
    cooperative = isinstance(rows[0], CooperativeRow)
    labels = [label(row.bot) for row in rows]
    if cooperative:
        spans = [span(row.score, row.score_se) for row in rows]
        title, axis, even, digits = "Scores", "score, a lost game counting 0", None, 2
    else:
        spans = [span(100 * row.win_rate, None if row.win_rate_se is None else 100 * row.win_rate_se) for row in rows]
        what = "contests" if result.to else "games"
        title, axis, even, digits = "Win rates", f"{what} won in %", 100 / result.players, 1
    drawing = intervals(labels, spans, axis, [] if even is None else [even], digits)
    caption = "Lines are 95 % intervals." + ("" if even is None else f" The dashed line is an even share, {even:.1f} %.")
    return [
        Plot(
            "figures" if number == 1 else f"figures-{number}",
            title,
            caption + of_all(len(rows), len(result.rows)),
            f"{title} with intervals: {told(labels, spans)}",
            drawing,
        )
    ]
