"""How the study of seats is shown."""

from __future__ import annotations

from typing import Any

from kibitz.experiments.studies.lineups import Study
from kibitz.report.formatting import figure
from kibitz.report.plotting import load_pyplot
from kibitz.report.study_tables import StudyTable


def describe(study: Study) -> str:
    """What was played."""
    return f"Kuhn poker, study of seats: {study.games:,} games of each bot, seed {study.seed}"


def tables_of(study: Study) -> list[StudyTable]:
    """What the first seat gains."""
    rows = [[line.question, figure(result.rows[0].points, result.rows[0].points_se)] for line, result in study.played]
    return [StudyTable("Points of the first player", ["bot", "points a game"], rows)]


def remark(study: Study) -> str:
    """Below the table."""
    return "± is one standard error."


def drawing(study: Study) -> Any:
    """A bar for each bot."""
    drawn, axis = load_pyplot().subplots()
    axis.bar([line.question for line, _ in study.played], [result.rows[0].points for _, result in study.played])
    return drawn
