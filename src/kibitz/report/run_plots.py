"""The plots of runs that are no tournament: win rates or scores with intervals, and the difference between two bots."""

from __future__ import annotations

from kibitz.experiments.results import Result
from kibitz.experiments.verdict import Comparison
from kibitz.report.drawing import MOST_RANKED, Plot, intervals, label, of_all, span, told
from kibitz.stats.summary import CooperativeRow


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
