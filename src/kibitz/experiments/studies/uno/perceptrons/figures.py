"""The study of perceptrons as tables, on the terminal and in a page, and as plots: the training graph, and strength against games."""

from __future__ import annotations

from typing import Any

import numpy as np

from kibitz.experiments.studies.uno.perceptrons.study import CURVE, FIELDS, FOUR, PLAYED, PerceptronStudy, lead
from kibitz.experiments.training.uno.perceptron.plan import CMA, GENETIC, METHODS
from kibitz.policies.uno.perceptron_models import MODELS
from kibitz.report.plotting import COLOURS, legend_below, load_pyplot
from kibitz.report.study_tables import StudyTable

TITLES = {GENETIC: "genetic algorithm", CMA: "CMA-ES"}
# Share of matches in per cent as the study behind these perceptrons printed it.
PRINTED = (
    {"perceptron": 32, "offensive": 26, "first_playable": 22, "defensive": 20},
    {"perceptron": 22, "better_offensive": 21, "offensive": 20, "first_playable": 18, "defensive": 17},
)


def tables_of(study: PerceptronStudy) -> list[StudyTable]:
    """The tables of a study, as far as they are complete."""
    pages = [_field_table(study, place) for place, names in enumerate(FIELDS) if names in study.fields]
    if set(study.strengths) == set(study.courses()):
        pages += [_model_table(study), _curve_table(study)]
    return pages


def _field_table(study: PerceptronStudy, place: int) -> StudyTable:
    names, wins = ("perceptron", *FIELDS[place]), study.fields[FIELDS[place]]
    shares = wins / study.final
    errors = np.sqrt(shares * (1 - shares) / study.final)
    rows = [
        [name, f"{100 * share:.2f} ± {100 * error:.2f}", str(PRINTED[place][name])]
        for name, share, error in sorted(zip(names, shares, errors, strict=True), key=lambda row: -row[1])
    ]
    ahead, error = lead(wins, study.final)
    note = f"The perceptron leads by {100 * ahead:.2f} ± {100 * error:.2f} points, {ahead / error:.0f} standard errors.".replace("-", "−")
    return StudyTable(f"{len(names)} players, {study.final:,} contests: won in %", ["bot", "ours", "printed"], rows, note)


def _model_table(study: PerceptronStudy) -> StudyTable:
    """All models after the same number of contests."""
    rows = []
    for model, about in MODELS.items():
        cells = [model, f"`{about}`"]
        for method in METHODS:
            marks = study.marks(study.courses(method, model)[0])
            plan = study.plan(study.courses(method, model)[0])
            budget = min(range(len(marks)), key=lambda place: abs(marks[place] * plan.step_games - study.games))
            _, share, error = study.strength(method, model, budget)
            cells.append(f"{100 * share:.1f} ± {100 * error:.1f}")
        rows.append(cells)
    title = f"After {study.games:,} contests of training: contests won in % in the field of 4"
    note = f"Mean over {study.seeds} trainings and its standard error from their spread, each measured on {study.check:,} fresh contests."
    return StudyTable(title, ["model", "score of a card", *TITLES.values()], rows, note)


def _curve_table(study: PerceptronStudy) -> StudyTable:
    rows: list[list[str]] = []
    for genetic, evolution in zip(study.curve(GENETIC), study.curve(CMA), strict=False):
        cells = [f"{games:,.0f}: {100 * share:.1f} ± {100 * error:.1f}" for games, share, error in (genetic, evolution)]
        rows.append([str(len(rows) + 1), *cells])
    return StudyTable(f"Strength against contests of training, model {CURVE}", ["", *TITLES.values()], rows, plotted=True)


# -- output --


def describe(study: PerceptronStudy) -> str:
    """What was played, in one line."""
    return f"UNO hearn, perceptrons: {study.seeds} trainings each of {study.games:,} contests and more, seeds from {study.seed}"


def remark(study: PerceptronStudy) -> str:
    """What has to be said below the tables."""
    return (
        "± is one standard error. A game is a contest to more than 500 points under the rules `hearn`, with seats drawn each time; a "
        f"generation, or with CMA-ES a candidate, plays {PLAYED}."
    )


# -- the plots --


def drawing(study: PerceptronStudy) -> Any:
    """Draw the training graph to the left, and strength against games of training to the right."""
    pyplot = load_pyplot()
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
    _draw_graph(left, study)
    _draw_curves(right, study)
    return figure


def _draw_graph(axis: Any, study: PerceptronStudy) -> None:
    """What John Hearn's graph shows: shares of the contests of training, which all perceptrons play at one table."""
    plan = study.plan(study.courses(GENETIC, CURVE)[0])
    means, errors = study.graph()
    windows = len(means[0])
    at = (np.arange(windows) + 0.5) * plan.generations / windows
    for place, label in enumerate(("the best of each generation", "mean of all perceptrons")):
        low, high = 100 * (means[place] - 2 * errors[place]), 100 * (means[place] + 2 * errors[place])
        axis.fill_between(at, low, high, color=COLOURS[place], alpha=0.25, linewidth=0)
        axis.plot(at, 100 * means[place], color=COLOURS[place], linewidth=1.2, label=label)
    axis.axhline(100 / (plan.candidates + len(FOUR)), color="#999999", linewidth=1, label="chance")
    axis.set_xlabel("generation")
    axis.set_ylabel("contests won in %, bands: two standard errors")
    axis.set_title(f"the training itself, genetic, {plan.candidates + len(FOUR)} at the table")
    legend_below(axis)


def _draw_curves(axis: Any, study: PerceptronStudy) -> None:
    for place, method in enumerate(METHODS):
        games, shares, errors = (np.array(column) for column in zip(*study.curve(method), strict=True))
        axis.errorbar(games, 100 * shares, yerr=200 * errors, marker="o", markersize=4, color=COLOURS[place + 2], label=TITLES[method])
    if FOUR in study.fields:
        axis.axhline(100 * study.fields[FOUR][0] / study.final, color="#444444", linewidth=0.8, linestyle="--", label="shipped weights")
    axis.axhline(100 / (len(FOUR) + 1), color="#999999", linewidth=1, label="chance")
    axis.set_xscale("log")
    axis.set_xlabel("contests of training")
    axis.set_ylabel("contests won in %, bars: two standard errors")
    axis.set_title("strength, measured on fresh contests, field of 4")
    legend_below(axis)
