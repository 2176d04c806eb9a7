"""The study of cross-play as tables, on the terminal and in a page, and as heat maps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kibitz.experiments.studies.hanabi.crossplay.study import Crossplay, TeamMean
from kibitz.report.plotting import load_pyplot
from kibitz.report.study_tables import StudyTable

WORDS = {2: "two", 3: "three"}
PERFECT = 25


def tables_of(study: Crossplay) -> list[StudyTable]:
    """The tables of a study."""
    return [table for size in study.sizes for table in _tables_of_size(study, size)]


def _tables_of_size(study: Crossplay, size: int) -> Iterator[StudyTable]:
    bots = _bots(study, size)
    ranked = sorted(bots, key=lambda bot: -_value(study.with_strangers(bot, size)))
    rows = [[bot, _shown(study.with_strangers(bot, size)), _shown(study.score(*[bot] * size)), *_best(study, bot, size)] for bot in ranked]
    headings = ["bot", "with strangers", "with itself", "best team with strangers", "its score"]
    note = "With strangers: the mean of all teams in which the bot has no partner like itself."
    yield StudyTable(f"Teams of {WORDS[size]}: who plays well with strangers?", headings, rows, note)
    names = ["one bot with" if size == 2 else "two of one bot with", *bots]
    rows = [[host, *[_shown(study.score(*[host] * (size - 1), guest)) for guest in bots]] for host in bots]
    yield StudyTable(f"Teams of {WORDS[size]}: mean scores", names, rows, plotted=True)
    mixed = [team for team in study.teams(size) if len(set(team)) == size > 2]
    if mixed:
        mixed.sort(key=lambda team: -_value(study.score(*team)))
        rows = [[" + ".join(team), _shown(study.score(*team))] for team in mixed]
        yield StudyTable("Three different bots", ["team", "mean score"], rows, plotted=True)


def _bots(study: Crossplay, size: int) -> list[str]:
    """The bots that have played in teams of a size."""
    return [bot for bot in study.bots if any(bot in team for team in study.teams(size))]


def _best(study: Crossplay, bot: str, size: int) -> list[str]:
    teams = [team for team in study.teams(size) if team.count(bot) == 1]
    if not teams:
        return ["", ""]
    best = max(teams, key=lambda team: _value(study.score(*team)))
    return [" + ".join(other for other in best if other != bot), _shown(study.score(*best))]


def _value(mean: TeamMean | None) -> float:
    return -1.0 if mean is None else mean.value


def _shown(mean: TeamMean | None) -> str:
    if mean is None:
        return ""
    return f"{mean.value:.2f} ± {mean.error:.2f}" if mean.error is not None else f"{mean.value:.2f}"


# -- words --


def describe(study: Crossplay) -> str:
    """What was played, in one line."""
    sizes = " and ".join(WORDS[size] for size in study.sizes)
    return f"Hanabi {study.rules}, cross-play in teams of {sizes}: {study.games:,} games of each team, seed {study.seed}"


def remark(study: Crossplay) -> str:
    """How to read the tables."""
    return (
        f"Mean scores of {study.games:,} games for each team, a lost game counted as 0; ± is one standard error. Teams of one size play the "
        "same deals."
    )


# -- the plot --


def drawing(study: Crossplay) -> Any:
    """A heat map for each size of team: rows are hosts, columns the one guest, the diagonal is self-play."""
    pyplot = load_pyplot()
    side = 0.62 * max(len(_bots(study, size)) for size in study.sizes) + 2.2
    figure, axes = pyplot.subplots(1, len(study.sizes), figsize=(side * len(study.sizes), side), layout="constrained", squeeze=False)
    for axis, size in zip(axes[0], study.sizes, strict=True):
        _draw_map(axis, study, size)
    return figure


def _draw_map(axis: Any, study: Crossplay, size: int) -> None:
    bots = _bots(study, size)
    means = [[study.score(*[host] * (size - 1), guest) for guest in bots] for host in bots]
    axis.imshow([[_value(mean) for mean in row] for row in means], vmin=0, vmax=PERFECT, cmap="viridis", aspect="equal")
    for row, found in enumerate(means):
        for column, mean in enumerate(found):
            if mean is not None:
                text = f"{mean.value:.1f}\n± {mean.error or 0:.2f}"
                colour = "white" if mean.value < 0.6 * PERFECT else "black"
                axis.text(column, row, text, ha="center", va="center", fontsize=6.5, color=colour)
    axis.set_xticks(range(len(bots)), bots, rotation=40, ha="right")
    axis.set_yticks(range(len(bots)), bots)
    axis.set_title("two players" if size == 2 else "two of the row's bot and one of the column's")
    axis.spines[:].set_visible(False)
    axis.tick_params(length=0)
