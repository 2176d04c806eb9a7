"""The plots of a tournament: strengths with intervals, a heat map of who beats whom, points over time.

Needs the extra `report`, which brings matplotlib.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from kibitz.experiments.tournament.standings import Standing, TournamentResult
from kibitz.report.plotting import (
    MOST_RANKED,
    MUTED,
    PAPER,
    RULE,
    WIDTH,
    Plot,
    dressed,
    few_ticks,
    intervals,
    label,
    new_drawing,
    of_all,
    span,
    tall_enough,
    told,
)

MOST_IN_HEAT_MAP = 30
MOST_NUMBERED = 12  # players up to whom the heat map has numbers
MOST_LINES, MOST_NAMED = 12, 8  # lines of points over time that are all named; of more, so many
# Readable in both dresses, and told apart with every kind of colour vision.
LINES = ("#1d6f8c", "#e08a00", "#0a9b76", "#cf5f10", "#c071a0", "#4ea3d8", "#8a7ad0", "#9a8348", "#7c8790", "#b5475d", "#6f9e3c", "#94684e")
WARM, MIDDLE, COOL, DARK_TEXT, LIGHT_TEXT = "#c4681b", "#f5f2ec", "#2a6f9e", "#14181c", "#fefefe"


def tournament_plots(result: TournamentResult) -> list[Plot]:
    """Every plot that the result has figures for."""
    strengths = (_scores(result), _ratings(result)) if result.cooperative else (_ratings(result) or _scores(result),)
    against, points = _heat_map(result), _points_over_time(result)
    others = (points, against) if against and against.shape == "wide" else (against, points)
    return [plot for plot in (*strengths, *others) if plot]


def _ratings(result: TournamentResult) -> Plot | None:
    """Ratings with their intervals, the best above."""
    rated = [(player, player.rating) for player in result.standings if player.rating and math.isfinite(player.rating.rating)]
    if len(rated) < 2:
        return None
    rated.sort(key=lambda found: -found[1].rating)
    chosen = rated[:MOST_RANKED]
    labels = [label(player.name) for player, _ in chosen]
    spans = [(_finite(rating.low, rating.rating), rating.rating, _finite(rating.high, rating.rating)) for _, rating in chosen]
    caption = "Elo scale, the field's mean being 0; lines are 95 % intervals." + of_all(len(chosen), len(rated))
    alt = f"Ratings with intervals: {told(labels, spans)}"
    return Plot("ratings", "Ratings", caption, alt, intervals(labels, spans, "rating (Elo)", [0.0], None))


def _scores(result: TournamentResult) -> Plot | None:
    """Scores, or points a game, with their intervals, the best above."""
    players = sorted(result.standings, key=lambda player: -player.points.value)[:MOST_RANKED]
    if not players:
        return None
    labels = [label(player.name) for player in players]
    spans = [span(player.points.value, player.points.error) for player in players]
    what = "Scores" if result.cooperative else "Points a game"
    axis = "score, a lost game counting 0" if result.cooperative else "points a game"
    caption = "Lines are 95 % intervals." + of_all(len(players), len(result.standings))
    return Plot("scores", what, caption, f"{what} with intervals: {told(labels, spans)}", intervals(labels, spans, axis, [], 2))


def _finite(value: float, otherwise: float) -> float:
    return value if math.isfinite(value) else otherwise


def _heat_map(result: TournamentResult) -> Plot | None:
    """Who did how against whom: rows against columns, in the order of the standings; of two, the standings say it all."""
    players = result.standings[:MOST_IN_HEAT_MAP]
    count = len(players)
    scale = 1.0 if result.cooperative else 100.0
    cells = [[None if found is None else scale * found.value for found in row[:count]] for row in result.matrix[:count]]
    known = [value for row in cells for value in row if value is not None]
    pairs = [value for row, line in enumerate(cells) for column, value in enumerate(line) if row != column and value is not None]
    if count < 3 or not pairs:
        return None
    drawing = _draw_heat_map(players, cells, result.cooperative)
    if result.cooperative:
        title, caption = "Together", "Mean score of teams in which both sat: the bluer, the higher. Columns stand in the order of the rows."
    else:
        title = "Against each other"
        of = "contests" if result.to else "games"
        common = f"Of the {of} that one of the two won at a common table, the share in %" if result.table > 2 else f"{of.capitalize()} in %"
        caption = f"{common} that the row won against the column: blue more than half, orange less. Columns stand in the order of the rows."
    caption += f" The first {count} of {len(result.standings):,} players are shown." if count < len(result.standings) else ""
    alt = f"{title}: a map of {count} by {count} fields from {min(known):.1f} to {max(known):.1f}; the numbers stand in the table below it"
    return Plot("against", title, caption, alt, drawing, shape="wide" if count > MOST_NUMBERED else "tall")


def _draw_heat_map(players: Sequence[Standing], cells: list[list[float | None]], cooperative: bool) -> Any:
    import numpy as np

    count = len(players)
    numbered = count <= MOST_NUMBERED
    values = np.ma.masked_invalid(np.array([[math.nan if value is None else value for value in row] for row in cells]))
    colours, low, high = _shades(values, cooperative)
    width = WIDTH if numbered else 7.4
    with dressed():
        cell = (width - 1.5) / count
        drawing, axes = new_drawing(width, min(max(cell, 0.2), 0.8) * count + (0.6 if numbered else 1.1))
        axes.pcolormesh(
            np.arange(count + 1) - 0.5,
            np.arange(count + 1) - 0.5,
            values,
            cmap=colours,
            vmin=low,
            vmax=high,
            edgecolors=PAPER,
            linewidth=1.2,
        )
        axes.set_xlim(-0.5, count - 0.5)
        axes.set_ylim(count - 0.5, -0.5)
        size = 8.5 if count <= 8 else 6.8 if numbered else 8
        for row, line in enumerate(cells if numbered else []):
            for column, value in enumerate(line):
                if value is not None:
                    red, green, blue, _ = colours((value - low) / (high - low))
                    dark = 0.299 * red + 0.587 * green + 0.114 * blue > 0.55
                    axes.text(column, row, f"{value:.1f}", ha="center", va="center", fontsize=size, color=DARK_TEXT if dark else LIGHT_TEXT)
        names = [label(player.name, 16) for player in players]
        axes.set_yticks(range(count), [f"{name}  {place}" for place, name in enumerate(names, 1)], fontsize=10 if numbered else size)
        axes.set_xticks(range(count), [str(place) for place in range(1, count + 1)], fontsize=9 if numbered else 7.5)
        axes.xaxis.tick_top()
        axes.tick_params(length=0, pad=3)
        axes.spines[:].set_visible(False)
        if not numbered:
            _scale_below(drawing, colours, low, high)
        return drawing


def _shades(values: Any, cooperative: bool) -> tuple[Any, float, float]:
    """The colours, and the values at their two ends."""
    from matplotlib.colors import LinearSegmentedColormap

    if cooperative:
        low, high = float(values.min()), float(values.max())
        return LinearSegmentedColormap.from_list("scores", [MIDDLE, COOL]), low, high if high > low else low + 1
    reach = max(5.0, float(abs(values - 50).max()))
    return LinearSegmentedColormap.from_list("shares", [WARM, MIDDLE, COOL]), 50 - reach, 50 + reach


def _scale_below(drawing: Any, colours: Any, low: float, high: float) -> None:
    """A strip that says which colour is which number."""
    import numpy as np
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import BoundaryNorm

    bounds = np.linspace(low, high, 10)
    shown = ScalarMappable(BoundaryNorm(bounds, 256), colours)
    bar = drawing.colorbar(
        shown, ax=drawing.axes[0], location="bottom", shrink=0.5, aspect=30, pad=0.02, ticks=[low, (low + high) / 2, high]
    )
    bar.outline.set_visible(False)
    bar.ax.tick_params(length=0)
    bar.ax.xaxis.set_major_formatter(lambda value, _: f"{value:.0f}")


def _points_over_time(result: TournamentResult) -> Plot | None:
    """Total points of each as games are played, named at the right end."""
    players = result.standings
    if not players or not result.progress or result.progress[0][0] == result.progress[-1][0]:
        return None
    named = players if len(players) <= MOST_LINES else players[:MOST_NAMED]
    games = [played for played, _ in result.progress]
    with dressed():
        height = max(3.3, tall_enough(min(len(players), MOST_RANKED))) if len(players) > MOST_NUMBERED else 3.3  # as its neighbour
        drawing, axes = new_drawing(WIDTH, height)
        for place in range(len(players) - 1, -1, -1):
            totals = [points[place] for _, points in result.progress]
            if place < len(named):
                axes.plot(games, totals, color=LINES[place], linewidth=1.6, zorder=3)
            else:
                axes.plot(games, totals, color=RULE, linewidth=0.8, zorder=1)
        ends = [result.progress[-1][1][place] for place in range(len(named))]
        axes.set_xlim(min(games), max(games))
        axes.set_ylim(bottom=min(0, *(min(points) for _, points in result.progress)))
        low, high = axes.get_ylim()
        for place, at in enumerate(spread([(end - low) / (high - low) for end in ends], 0.22 / height)):
            end = (ends[place] - low) / (high - low)
            axes.plot(
                [1, 1.03, 1.05],
                [end, at, at],
                transform=axes.transAxes,
                color=LINES[place],
                linewidth=0.9,
                clip_on=False,
                solid_capstyle="round",
            )
            axes.text(1.06, at, label(named[place].name, 16), transform=axes.transAxes, va="center", fontsize=9)
        axes.tick_params(length=0, labelcolor=MUTED, labelsize=9)
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        axes.spines[["left", "top", "right"]].set_visible(False)
        axes.set_xlabel("contests played" if result.to else "games played")
        axes.set_ylabel("total score" if result.cooperative else "total points")
        few_ticks(axes.xaxis, 4)
        few_ticks(axes.yaxis, 5)
    others = f" The first {len(named)} are named; the other {len(players) - len(named):,} are grey." if len(named) < len(players) else ""
    caption = f"{'Scores' if result.cooperative else 'Points'} of all games so far, added up.{others}"
    leader = label(players[0].name)
    title = "Scores over time" if result.cooperative else "Points over time"
    alt = f"{title}: {len(players)} lines over {games[-1]:,} games, {leader} with {ends[0]:,.0f} at the end"
    return Plot("points", title, caption, alt, drawing)


def spread(heights: Sequence[float], gap: float) -> list[float]:
    """Heights moved apart so that labels do not overlap, in the same order and as near to their own as can be."""
    order = sorted(range(len(heights)), key=lambda place: heights[place])
    # Blocks of labels that touch: [members, centre]; those that overlap are merged around their common mean.
    blocks: list[tuple[list[int], float]] = []
    for place in order:
        members, centre = [place], heights[place]
        while blocks and centre - gap * len(members) / 2 < blocks[-1][1] + gap * len(blocks[-1][0]) / 2:
            before, middle = blocks.pop()
            centre = (centre * len(members) + middle * len(before)) / (len(members) + len(before))
            members = before + members
        blocks.append((members, centre))
    found = list(heights)
    for members, centre in blocks:
        for step, place in enumerate(members):
            found[place] = centre + gap * (step - (len(members) - 1) / 2)
    return found
