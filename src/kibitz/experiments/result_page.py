"""An evaluation, a match or a comparison as a page: tables or the verdict, and plots of figures with intervals."""

from __future__ import annotations

from kibitz import registry
from kibitz.core.printable import shortened
from kibitz.experiments import result_tables as tables
from kibitz.experiments.results import Result
from kibitz.experiments.verdict import Comparison
from kibitz.report.html_page import (
    PageSettings,
    cell,
    count,
    counted_things,
    drawn,
    duration,
    escaped,
    heading,
    listed,
    measured,
    named,
    page,
    rate,
    section,
    table,
    warning_of,
)
from kibitz.report.plotting import MOST_RANKED, Plot, intervals, label, of_all, span, told
from kibitz.stats.summary import ContestRow, CooperativeRow


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
    return page(
        f"{registry.game(result.game).title}: {' or '.join(shortened(bot, 40) for bot in result.bots)}?",
        "Comparison",
        verdict,
        warning_of(result.complete, result.games, result.to),
        [
            ("Better", result.better or "not known"),
            ("Deals", f"{result.deals:,}"),
            (counted_things(result.to).capitalize(), f"{result.games:,}"),
            ("Time", duration(result.seconds)),
        ],
        [section("Figures", told), drawn(comparison_plots(result), {}), section("Settings", listed(pairs, settings))],
        settings,
    )


def comparison_plots(result: Comparison) -> list[Plot]:
    """By how much the first bot is better, with the interval, and what was tested."""
    if result.interval is None:
        return []
    low, high = result.interval
    spans = [(low, result.difference, high)]
    tested = [result.test.h0, result.test.h1] if result.test else [0.0]
    first, second = (label(bot, 30) for bot in result.bots)
    drawing = intervals(["difference"], spans, f"{first} over {second}, in {result.unit}", tested, 2)
    caption = f"The line is the {100 * result.confidence:g} % interval" + (
        ", as if the number of games had been fixed." if result.test else "."
    )
    caption += " The dashed lines are the two hypotheses." if result.test else " The dashed line is no difference."
    return [
        Plot("difference", "Difference", caption, f"Difference of {result.difference:+.2f}, between {low:+.2f} and {high:+.2f}", drawing)
    ]


def result_page(result: Result, settings: PageSettings) -> str:
    """The page of a run that is no tournament, with all its tables."""
    results = [result, *result.others]
    bots = list(dict.fromkeys(row.bot for each in results for row in each.rows))
    shown = ", ".join(shortened(bot, 40) for bot in bots[:4]) + " and others" * (len(bots) > 4)
    played = sum(each.games_played for each in results)
    sections = []
    for number, each in enumerate(results, 1):
        what = f"Figures with {each.players} players" if result.others else "Figures"
        sections += [section(what, figures_table(each)), drawn(result_plots(each, number), {})]
    return page(
        f"{registry.game(result.game).title}: {shown}",
        result.command.capitalize(),
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
