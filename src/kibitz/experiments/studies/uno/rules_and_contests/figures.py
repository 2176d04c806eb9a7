"""Studies as tables: on the terminal, and as Markdown between two markers of a page."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

from kibitz.experiments.results import Result
from kibitz.experiments.studies.lineups import Study
from kibitz.experiments.studies.uno.rules_and_contests.study import PRINTED_LINES
from kibitz.report.plotting import COLOURS, load_pyplot
from kibitz.report.published import CONTEST_FIGURES, CONTEST_REFERENCE_SE
from kibitz.report.study_tables import StudyTable
from kibitz.stats.summary import ContestRow, Row

SIGNIFICANT = 3.0  # joint standard errors
MORE, LESS = "▲", "▼"


class Estimate(NamedTuple):
    """A figure and its standard error."""

    value: float
    error: float

    def __str__(self) -> str:
        return f"{self.value:.2f} ± {self.error:.2f}"


def win_rate(row: Row) -> Estimate:
    """A win rate in per cent."""
    return Estimate(100 * row.win_rate, 100 * (row.win_rate_se or 0.0))


def points(row: Row) -> Estimate:
    """Points a deal."""
    return Estimate(row.points, row.points_se or 0.0)


def turns(row: Row) -> Estimate:
    """Turns a game."""
    return Estimate(row.turns, row.turns_se or 0.0)


def joint_errors(first: Estimate, second: Estimate) -> float:
    """How many joint standard errors one figure is above another."""
    error = math.hypot(first.error, second.error)
    return (first.value - second.value) / error if error else 0.0


def tables_of(study: Study) -> list[StudyTable]:
    """The tables of a study."""
    return list(_rules_tables(study) if study.name == "rules" else _contest_tables(study))


# -- how much do rules matter? --


def rules_figures(study: Study) -> dict[str, dict[str, Row]]:
    """The row of each bot under each set of rules, as far as they were played."""
    figures: dict[str, dict[str, Row]] = {}
    for experiment, result in study.played:
        figures.setdefault(experiment.question, {})[experiment.bots[0]] = result.rows[0]
    return figures


def _rules_tables(study: Study) -> Iterable[StudyTable]:
    figures = rules_figures(study)
    bots = list(next(iter(figures.values()), {}))
    for title, measure in (("Games won in %", win_rate), ("Turns a game", turns)):
        rows, errors = [], [0.0]
        for rules, by_bot in figures.items():
            cells = []
            for bot in bots:
                if bot not in by_bot:
                    cells.append("")
                    continue
                figure = measure(by_bot[bot])
                apart = joint_errors(figure, measure(figures["classic"][bot]))
                mark = MORE if apart > SIGNIFICANT else LESS if apart < -SIGNIFICANT else ""
                cells.append(f"{figure.value:.2f}{mark}")
                errors.append(figure.error)
            rows.append([rules, *cells])
        note = f"Standard errors are at most {max(errors):.2f}. {MORE} {LESS}: above or below the figure under classic by more than "
        note += f"{SIGNIFICANT:.0f} joint standard errors."
        yield StudyTable(title, ["rules", *bots], rows, note, plotted=measure is turns)


# -- deals and contests --


def _contest_tables(study: Study) -> Iterable[StudyTable]:
    rows = [[" v ".join(e.bots), e.to or "one deal", *_sides(r)] for e, r in study.about("pairs")]
    headings = ["line-up", "played to", "first wins %", "first's points a deal", "second's points a deal"]
    yield StudyTable("Two players: deals and contests", headings, rows)
    rows = [[e.to or "one deal", " v ".join(e.bots), str(win_rate(r.rows[0])), _deals(r)] for e, r in study.about("target")]
    yield StudyTable("The longer the contest", ["played to", "line-up", "first wins %", "deals a contest"], rows, plotted=True)
    yield StudyTable(
        "The more players",
        ["players", "played to", "defensive wins %", "even share %", "defensive's points a deal", "the others' points a deal"],
        [_table_row(len(e.bots), e.to, r) for e, r in study.about("players")],
        plotted=True,
    )
    rows = [[e.bots[1], e.to or "one deal", *_sides(r)] for e, r in study.about("opponents")]
    yield StudyTable(
        "Other opponents of defensive",
        ["opponent", "played to", "defensive wins %", "defensive's points a deal", "opponent's points a deal"],
        rows,
    )
    rows = []
    for e, r in study.about("reference"):
        for row, reference in zip(r.rows, CONTEST_FIGURES[e.bots], strict=False):
            apart = joint_errors(win_rate(row), Estimate(reference, CONTEST_REFERENCE_SE))
            rows.append([", ".join(e.bots), row.bot, str(win_rate(row)), f"{reference:.1f}", f"{apart:+.1f}"])
    yield StudyTable(
        "Fixed seats, seat 0 begins: against the reference figures",
        ["seats", "player", "wins %", "reference", "joint standard errors apart"],
        rows,
    )
    yield StudyTable(
        "John Hearn's line-ups, four ways",
        ["seats", "printed", "fixed seats", "seats drawn", "fixed, random colours", "drawn, random colours"],
        list(_printed_rows(study)),
        _largest_error(row for _, result in study.about("printed") for row in result.rows),
    )


def _largest_error(rows: Iterable[Row]) -> str:
    return f"Standard errors are at most {max((win_rate(row).error for row in rows), default=0.0):.2f}."


def _sides(result: Result) -> list[str]:
    first, second = result.rows[:2]
    return [str(win_rate(first)), str(points(first)), str(points(second))]


def _deals(result: Result) -> str:
    first = result.rows[0]
    return str(Estimate(first.deals, first.deals_se or 0.0)) if isinstance(first, ContestRow) else "1"


def _table_row(players: int, to: str | None, result: Result) -> list[str]:
    first, *others = result.rows
    gained = Estimate(
        sum(row.points for row in others) / len(others),
        math.sqrt(sum((row.points_se or 0.0) ** 2 for row in others)) / len(others),
    )
    return [str(players), to or "one deal", str(win_rate(first)), f"{100 / players:.2f}", str(points(first)), str(gained)]


def _printed_rows(study: Study) -> Iterable[list[str]]:
    shares: dict[tuple[str, ...], dict[tuple[str, str], str]] = {}
    for experiment, result in study.about("printed"):
        line = tuple(bot.partition(":")[0] for bot in experiment.bots)
        colours = experiment.bots[0].rpartition("=")[2]
        shares.setdefault(line, {})[colours, experiment.seating] = " ".join(f"{100 * row.win_rate:.1f}" for row in result.rows)
    for line, found in shares.items():
        ways = [("common", "fixed"), ("common", "random"), ("random", "fixed"), ("random", "random")]
        yield [", ".join(line), " ".join(map(str, PRINTED_LINES[line])), *[found.get(way, "") for way in ways]]


# -- output --


def describe(study: Study) -> str:
    """What was played, in one line."""
    first = study.played[0][1] if study.played else None
    unit = "games" if study.name == "rules" else "games or contests"
    text = f"UNO, study of {study.name}: {study.games:,} {unit} each, seed {study.seed}"
    if study.name == "rules" and first:
        text += f", {first.players} players, each bot v {first.rows[1].bot}"
    return text


def remark(study: Study) -> str:
    """What has to be said below the tables."""
    return "± is one standard error."


# -- plots --


def drawing(study: Study) -> Any:
    """The plot of a study."""
    pyplot = load_pyplot()
    return _draw_rules(pyplot, study) if study.name == "rules" else _draw_contests(pyplot, study)


def _draw_rules(pyplot: Any, study: Study) -> Any:
    """Each set of rules a line: how often each bot wins, and how long its games last."""
    figures = rules_figures(study)
    names = list(figures)
    bots = list(figures[names[0]])
    figure, (wins, lengths) = pyplot.subplots(1, 2, sharey=True, figsize=(10, 0.25 * len(names) + 1.3), layout="constrained")
    for axis, measure, title in ((wins, win_rate, "games won in %"), (lengths, turns, "turns a game")):
        for place, bot in enumerate(bots):
            colour = COLOURS[place % len(COLOURS)]
            shown = [(row, measure(figures[name][bot])) for row, name in enumerate(names) if bot in figures[name]]
            axis.axvline(measure(figures["classic"][bot]).value, color=colour, linewidth=0.6, alpha=0.5)
            _points(axis, [value for _, value in shown], [row for row, _ in shown], colour, bot)
        axis.set_xlabel(f"{title} (bars: two standard errors)")
        axis.grid(axis="y", linewidth=0.3)
    wins.set_yticks(range(len(names)), [name.removeprefix("classic,") for name in names])
    wins.invert_yaxis()
    wins.margins(y=0.01)
    handles, labels = wins.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(bots), frameon=False)
    return figure


def _points(axis: Any, values: list[Estimate], rows: list[int], colour: str, label: str) -> None:
    errors = [2 * figure.error for figure in values]
    axis.errorbar([figure.value for figure in values], rows, xerr=errors, fmt="o", markersize=3.5, color=colour, label=label, linewidth=1)


def _draw_contests(pyplot: Any, study: Study) -> Any:
    """How the share of contests won grows with their length, and how it shrinks with the number of players."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    targets: dict[tuple[str, ...], list[tuple[str, Estimate]]] = {}
    for experiment, result in study.about("target"):
        targets.setdefault(experiment.bots, []).append((experiment.to or "one deal", win_rate(result.rows[0])))
    for place, (bots, found) in enumerate(targets.items()):
        _line(left, [name for name, _ in found], [value for _, value in found], COLOURS[place], " v ".join(bots))
    left.axhline(50, color="#444444", linewidth=0.6)
    left.set_xlabel("contest to so many points")
    left.set_ylabel("won by defensive, in % (bars: two standard errors)")
    left.set_title("two players: the longer, the clearer")
    left.legend(frameon=False)
    shares: dict[str, list[tuple[str, Estimate]]] = {}
    for experiment, result in study.about("players"):
        players = len(experiment.bots)
        share = win_rate(result.rows[0])
        relative = Estimate(share.value * players / 100, share.error * players / 100)
        label = f"contest to {experiment.to}" if experiment.to else "one deal"
        shares.setdefault(label, []).append((str(players), relative))
    for place, (label, found) in enumerate(shares.items()):
        _line(right, [name for name, _ in found], [value for _, value in found], COLOURS[place + 2], label)
    right.axhline(1, color="#444444", linewidth=0.6)
    right.set_xlabel("players, one defensive, the others first_playable")
    right.set_ylabel("share won by defensive, even share = 1")
    right.set_title("the more players, the less")
    right.legend(frameon=False)
    return figure


def _line(axis: Any, names: list[str], values: list[Estimate], colour: str, label: str) -> None:
    errors = [2 * figure.error for figure in values]
    axis.errorbar(
        names, [figure.value for figure in values], yerr=errors, marker="o", markersize=4, color=colour, label=label, linewidth=1.2
    )
