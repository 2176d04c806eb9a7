"""The study of solved games as tables, on the terminal and in a page, and as a plot of what searches gain from longer thought."""

from __future__ import annotations

from typing import Any

from kibitz.experiments.studies.exact.study import ExactRow, ExactStudy
from kibitz.report.plotting import COLOURS, load_pyplot
from kibitz.report.study_tables import StudyTable

MINUS = "−"
ROUNDING = 1e-9
MOST_LINES = 5  # bots without a budget that the plot shows as lines


def marks_of(game: str) -> tuple[str, str]:
    """The markers of a page between which the tables of a game stand; each game has its own."""
    return f"<!-- results of {game}: written by a command -->", f"<!-- end of results of {game} -->"


# -- tables --


def tables_of(study: ExactStudy) -> list[StudyTable]:
    """The tables of a study."""
    headings = ["bot", "against the equilibrium", "in seat 0", "in seat 1", "exploitability"]
    cells = [_bot_cells(row) for row in _ordered(study)]
    if any(row.samples for row in study.rows):
        headings.append("between")
    else:
        cells = [row[:-1] for row in cells]
    pages = [StudyTable(f"How exploitable bots are in `{study.game}`", headings, cells, _note(study))]
    rows = [_value_cells(row) for row in study.rows if row.accuracy]
    if rows:
        pages.append(
            StudyTable(
                f"What searches think of their actions in `{study.game}`",
                ["search", "budget", "exact values", "error of a value", "as the search claims", "error of the mean", "by chance alone"],
                rows,
                f"The mean is that of {study.samples:,} answers for each action.",
                plotted=True,
            )
        )
    return pages


def _ordered(study: ExactStudy) -> list[ExactRow]:
    """Bots without a budget by exploitability, then searches, each with what it comes to without end."""
    ordered = sorted((row for row in study.rows if not row.budget), key=lambda row: row.exploitability)
    for series in _series(study):
        ordered += [row for row in study.rows if row.budget and row.series == series]
        ordered += [study.limits[series]] if series in study.limits else []
    return ordered


def _series(study: ExactStudy) -> list[str]:
    return list(dict.fromkeys(row.series for row in study.rows if row.budget))


def _bot_cells(row: ExactRow) -> list[str]:
    value = _signed(row.value) + (f" ± {row.error:.4f}" if row.samples else "")
    between = f"{row.low:.4f} and {row.high:.4f}" if row.samples else ""
    return [row.bot, value, _signed(row.first), _signed(row.second), f"{row.exploitability:.4f}", between]


def _value_cells(row: ExactRow) -> list[str]:
    found = row.accuracy
    assert found is not None
    error = f"{found.error:.4f} ± {found.error_se:.4f}"
    return [
        row.series or row.bot,
        f"{row.budget:,}",
        found.reference,
        error,
        f"{found.claimed:.4f}",
        f"{found.averaged:.4f}",
        f"{found.by_chance:.4f}",
    ]


def _signed(value: float) -> str:
    return f"{value:+.4f}".replace("-", MINUS)


def _note(study: ExactStudy) -> str:
    if not any(row.samples for row in study.rows):
        return "All figures are exact."
    return (
        f"Bots with a range were asked {study.samples:,} times at each information set; ± is one standard error, "
        "all other figures are exact."
    )


def describe(study: ExactStudy) -> list[str]:
    """The game in a few lines."""
    tree, solution, game = study.tree, study.solution, study.tree.sitting.game
    sets = " + ".join(f"{side.sets:,}" for side in tree.sides)
    unfinished = max(tree.unfinished(*solution.plans), 0.0)
    gap = f"{solution.gap:.0e}" if solution.gap > ROUNDING else f"less than {ROUNDING:.0e}"
    mixing = f"; who never mixes is exploitable by {study.unmixed:.4f} or more" if study.unmixed is not None else ""
    return [
        f"{game.title}, the game {study.game}: {tree.rules.to_text()}"
        if study.game != game.name
        else f"{game.title}: {tree.rules.to_text()}",
        f"{len(tree.positions):,} positions, {sets} information sets; solved by {solution.method}, bounds {gap} apart",
        f"value to seat 0: {_signed(solution.value)}; nobody wins {100 * unfinished:.1f} % of games between perfect players{mixing}",
    ]


def remark(study: ExactStudy) -> str:
    """What has to be said below the tables: nothing."""
    return ""


# -- the plot --


def drawing(study: ExactStudy) -> Any:
    """Draw what searches gain from longer thought: how exploitable they are, and how wrong about their actions."""
    pyplot = load_pyplot()
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    names = _series(study)
    for place, name in enumerate(names):
        colour = COLOURS[place % len(COLOURS)]
        rows = sorted((row for row in study.rows if row.series == name and row.budget), key=lambda row: row.budget)
        _draw_exploitability(left, rows, colour, name)
        if name in study.limits:
            left.axhline(study.limits[name].exploitability, color=colour, linewidth=0.8, linestyle=":")
        _draw_errors(right, [row for row in rows if row.accuracy], colour, name)
    _draw_lines(left, [row for row in study.rows if not row.budget])
    if study.unmixed:
        _label_line(left, study.unmixed, "never mixing, at best")
    left.set_ylim(bottom=0)
    left.set_title(f"how exploitable (game {study.game})")
    left.set_ylabel("what the best opponent gains a game")
    right.set_title("how far off its values are")
    right.set_ylabel("error of an action's value")
    _draw_guide(right, [row for row in study.rows if row.accuracy])
    for axis in (left, right):
        if names:
            axis.set_xscale("log", base=2)
            axis.xaxis.set_major_formatter(lambda value, _: f"{value:,.0f}" if value >= 1 else "")
        axis.set_xlabel("budget of a decision: rollouts or samples")
        axis.grid(linewidth=0.3)
    handles, labels = left.get_legend_handles_labels()
    if handles:
        guide = [(handle, label) for handle, label in zip(*right.get_legend_handles_labels(), strict=True) if label not in labels]
        figure.legend(
            [*handles, *[handle for handle, _ in guide]],
            [*labels, *[label for _, label in guide]],
            loc="outside upper center",
            ncols=3,
            frameon=False,
            fontsize=8,
        )
    return figure


def _draw_exploitability(axis: Any, rows: list[ExactRow], colour: str, label: str) -> None:
    middle = [row.exploitability for row in rows]
    reach = [[row.exploitability - row.low for row in rows], [row.high - row.exploitability for row in rows]]
    budgets = [row.budget for row in rows]
    axis.errorbar(
        budgets, middle, yerr=[[max(end, 0.0) for end in ends] for ends in reach], marker="o", markersize=4, color=colour, label=label
    )


def _draw_errors(axis: Any, rows: list[ExactRow], colour: str, label: str) -> None:
    found = [(row.budget, row.accuracy.error, 2 * row.accuracy.error_se) for row in rows if row.accuracy and row.accuracy.error > 0]
    if found:
        budgets, errors, reach = zip(*found, strict=True)
        axis.errorbar(budgets, errors, yerr=reach, marker="o", markersize=4, color=colour, label=label)


def _draw_lines(axis: Any, rows: list[ExactRow]) -> None:
    """Bots without a budget: the least exploitable ones, and the most."""
    rows = sorted(rows, key=lambda row: row.exploitability)
    shown = rows if len(rows) <= MOST_LINES else [*rows[: MOST_LINES - 1], rows[-1]]
    together: dict[str, list[ExactRow]] = {}
    for row in shown:
        together.setdefault(f"{row.exploitability:.4f}", []).append(row)
    for equal in together.values():
        _label_line(axis, equal[0].exploitability, ", ".join(row.bot.partition(":")[0] for row in equal))


def _label_line(axis: Any, height: float, name: str) -> None:
    axis.axhline(height, color="#444444", linewidth=0.7, linestyle="--")
    axis.text(1.01, height, name, transform=axis.get_yaxis_transform(), va="center", fontsize=8, color="#444444")


def _draw_guide(axis: Any, rows: list[ExactRow]) -> None:
    """A line that falls with the root of the budget, through the first search's first error."""
    measured = [(row.budget, row.accuracy.error) for row in rows if row.accuracy and row.accuracy.error > 0]
    if not measured:
        axis.text(0.5, 0.5, "no search with known exact values", transform=axis.transAxes, ha="center", color="#444444")
        return
    axis.set_yscale("log")
    start, error = measured[0]
    ends = [min(budget for budget, _ in measured), max(budget for budget, _ in measured)]
    axis.plot(ends, [error * (start / end) ** 0.5 for end in ends], color="#444444", linewidth=0.8, linestyle=":", label="1/√budget")
