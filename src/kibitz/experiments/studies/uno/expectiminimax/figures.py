"""The study of expectiminimax as tables, on the terminal and in a page, and as a plot of the error of Q."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from kibitz.experiments.studies.lineups import Study
from kibitz.experiments.studies.uno.expectiminimax.search_errors import DEPTH, DRAWS, MANY, SAMPLES, SearchErrors
from kibitz.experiments.studies.uno.expectiminimax.study import LARGE, SMALL, ExpectiminimaxStudy
from kibitz.experiments.studies.uno.rules_and_contests.figures import Estimate, win_rate
from kibitz.report.plotting import COLOURS, load_pyplot
from kibitz.report.study_tables import StudyTable

VALUE_RANGE = 200  # from a lost game to a won one


def tables_of(study: ExpectiminimaxStudy) -> list[StudyTable]:
    """The tables of a study."""
    return [*_match_tables(study), *(_error_tables(study.errors) if study.errors.draws else ())]


def _match_tables(study: ExpectiminimaxStudy) -> Iterable[StudyTable]:
    for budget, matches in ((SMALL, study.small), (LARGE, study.large)):
        rows = list(_match_rows(budget, matches))
        title = f"Against first_playable at {budget.replace('x', '×')}: {matches.games:,} games each"
        yield StudyTable(title, ["searcher", "rules", "wins %", "it costs"], rows)


def _match_rows(budget: str, matches: Study) -> Iterable[list[str]]:
    base = None
    for experiment, result in matches.played:
        found = win_rate(result.rows[0])
        base = base or found
        less = Estimate(base.value - found.value, math.hypot(base.error, found.error))
        told = "" if found is base or experiment.question != budget else f"{less.value:+.2f} ± {less.error:.2f}".replace("-", "−")
        yield [f"`{experiment.bots[0]}`", f"`{experiment.rules}`", str(found), told]


def _error_tables(errors: SearchErrors) -> Iterable[StudyTable]:
    one_world = _at(errors, SAMPLES).spread * math.sqrt(SAMPLES)
    quiet_world = _at(errors, SAMPLES).quiet * math.sqrt(SAMPLES)
    rows = [
        [
            str(row.samples),
            f"{row.spread:.3f}",
            f"{row.spread / one_world:.3f}" if one_world else "",
            f"{1 / math.sqrt(row.samples):.3f}",
            f"{100 * row.spread / VALUE_RANGE:.2f} %",
            f"{row.quiet:.3f}",
            f"{100 * row.wrong:.0f} %",
            f"{row.loss:.3f}",
        ]
        for row in errors.samples
    ]
    headings = [
        "worlds N",
        "spread of Q",
        "of one world's",
        "1/√N",
        "of the range",
        "spread where nobody can win",
        "chooses otherwise",
        "which costs",
    ]
    yield StudyTable(
        f"Worlds: {DEPTH} turns, {DRAWS} cards for a draw",
        headings,
        rows,
        f"Points. One world's spread is {one_world:.1f}, {quiet_world:.2f} where nobody can win before the horizon; fitted exponent of N "
        f"{errors.slope:.3f}. Otherwise: than with {MANY:,} worlds.".replace("-", "−"),
    )
    rows = [
        [str(row.depth), f"{row.change:.2f}" if row.change else "", f"{100 * row.agreement:.0f} %", f"{row.spread:.2f}"]
        for row in errors.depths
    ]
    headings = ["turns d", "the last turn changes differences by", "chooses as the deepest", f"spread of Q, {SAMPLES} worlds"]
    yield StudyTable(f"Depth: {MANY:,} worlds", headings, rows, "Points, root mean square over actions and positions.", plotted=True)
    rows = [
        [
            str(row.draws),
            f"{row.spread:.3f}",
            f"{row.matters:.3f}",
            f"{row.spread / errors.draws[0].spread:.2f}" if errors.draws[0].spread else "",
            f"{1 / math.sqrt(row.draws):.2f}",
            f"{row.spread / math.sqrt(SAMPLES):.3f}",
            f"{row.total:.2f}",
        ]
        for row in errors.draws
    ]
    headings = [
        "cards m",
        "spread by draws in one world",
        "where they matter",
        "of one card's",
        "1/√m",
        f"in Q, {SAMPLES} worlds",
        "spread of Q in all",
    ]
    yield StudyTable(
        f"Cards tried for a draw: {DEPTH} turns", headings, rows, "Points; cards are drawn without putting back.", plotted=True
    )


def _at(errors: SearchErrors, samples: int) -> Any:
    return next(row for row in errors.samples if row.samples == samples)


def describe(study: ExpectiminimaxStudy) -> str:
    """What was searched, in one line."""
    return f"expectiminimax: {study.errors.positions} positions of number cards, each searched {study.errors.repeats} times"


def remark(study: ExpectiminimaxStudy) -> str:
    """What has to be said below the tables."""
    errors = study.errors
    return (
        f"± is one standard error. {errors.positions} positions ({errors.quiet_positions} of them where nobody can win before the horizon), "
        f"each searched {errors.repeats} times."
    )


# -- the plot --


def drawing(study: ExpectiminimaxStudy) -> Any:
    """Draw the error of Q against worlds, depth and cards tried for a draw."""
    pyplot = load_pyplot()
    figure, (left, middle, right) = pyplot.subplots(1, 3, figsize=(12, 4), layout="constrained")
    _draw_worlds(left, study.errors)
    _draw_depths(middle, study.errors)
    _draw_draws(right, study.errors)
    return figure


def _draw_worlds(axis: Any, errors: SearchErrors) -> None:
    for field, colour, label in (("spread", COLOURS[0], "all positions"), ("quiet", COLOURS[2], "nobody can win before the horizon")):
        points = [(row.samples, getattr(row, field)) for row in errors.samples if getattr(row, field) > 0]
        if not points:
            continue
        counts = [count for count, _ in points]
        axis.loglog(counts, [value for _, value in points], "o", color=colour, markersize=4, label=label)
        scale = math.exp(sum(math.log(value * math.sqrt(count)) for count, value in points) / len(points))
        axis.loglog(counts, [scale / math.sqrt(count) for count in counts], color=colour, linewidth=0.8)
    axis.set_xlabel("worlds N for each action")
    axis.set_ylabel("spread of Q in points")
    axis.set_title("worlds: as 1/√N (lines)")
    axis.legend(frameon=False)


def _draw_depths(axis: Any, errors: SearchErrors) -> None:
    depths = [row.depth for row in errors.depths]
    axis.plot(depths, [row.spread for row in errors.depths], "o-", color=COLOURS[0], markersize=4, label=f"spread of Q, {SAMPLES} worlds")
    later = [row for row in errors.depths if row.change]
    label = "what the last turn changes"
    axis.plot([row.depth for row in later], [row.change for row in later], "o-", color=COLOURS[1], markersize=4, label=label)
    axis.set_ylim(bottom=0)
    axis.set_xticks(depths)
    axis.set_xlabel("turns d that are foreseen")
    axis.set_ylabel("points")
    axis.set_title("depth: nothing dies away")
    axis.legend(frameon=False)


def _draw_draws(axis: Any, errors: SearchErrors) -> None:
    rows = [row for row in errors.draws if row.spread > 0]
    if not rows:
        return
    counts = [row.draws for row in rows]
    axis.loglog(counts, [row.total for row in rows], "o-", color=COLOURS[0], markersize=4, label=f"Q in all, {SAMPLES} worlds")
    axis.loglog(counts, [row.spread for row in rows], "o-", color=COLOURS[2], markersize=4, label="one world, by draws alone")
    axis.loglog(counts, [row.spread / math.sqrt(SAMPLES) for row in rows], "o-", color=COLOURS[3], markersize=4, label="Q, by draws alone")
    axis.loglog(counts, [rows[0].spread / math.sqrt(count) for count in counts], color="#444444", linewidth=0.8, label="1/√m")
    axis.set_xlabel("cards m tried for a draw")
    axis.set_ylabel("spread in points")
    axis.set_title("draws: hardly seen in Q")
    axis.legend(frameon=False)
