"""Plots of studies as SVG or PNG files. Needs the extra `report`, which brings matplotlib."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.extras import MissingExtra
from kibitz.core.reading import check_name, is_folder
from kibitz.experiments.studies.uno.rules_and_contests import Study
from kibitz.report.studies import Figure, rules_figures, turns, win_rate

FORMATS = (".svg", ".png", ".pdf")
COLOURS = ("#c0392b", "#27803b", "#2c5fa8", "#b8860b", "#7d3c98", "#16808a", "#444444")


def check_plot(path: Path | None) -> None:
    """Refuse a plot that cannot be drawn or written before anything is played for it."""
    if path is None:
        return
    if path.suffix not in FORMATS:
        raise BadValue(f"plot file {path} is not accepted; its name ends with {', '.join(FORMATS)}.")
    check_name(path, "plot file")
    if not is_folder(path.parent):
        raise BadValue(f"plot file {path} cannot be written: the folder {path.parent} does not exist.")
    load_pyplot()


def load_pyplot() -> Any:
    """Matplotlib's pyplot, set up for files."""
    try:
        import matplotlib as mpl
    except ImportError:
        raise MissingExtra("a plot", "matplotlib") from None
    mpl.use("Agg")
    mpl.rcParams.update({"svg.hashsalt": "kibitz", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False})
    from matplotlib import pyplot

    return pyplot


def save_figure(figure: Any, path: Path) -> None:
    """Write a figure, the same bytes for the same figure, and let go of it."""
    figure.savefig(path, bbox_inches="tight", dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    load_pyplot().close(figure)


def legend_below(axis: Any, columns: int = 2) -> None:
    """A legend under the axis, where no line can lie."""
    axis.legend(loc="upper center", bbox_to_anchor=(0.5, -0.17), ncols=columns, frameon=False)


def draw(study: Study, path: Path) -> None:
    """Draw a study into a file."""
    pyplot = load_pyplot()
    figure = _draw_rules(pyplot, study) if study.name == "rules" else _draw_contests(pyplot, study)
    save_figure(figure, path)


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


def _points(axis: Any, values: list[Figure], rows: list[int], colour: str, label: str) -> None:
    errors = [2 * figure.error for figure in values]
    axis.errorbar([figure.value for figure in values], rows, xerr=errors, fmt="o", markersize=3.5, color=colour, label=label, linewidth=1)


def _draw_contests(pyplot: Any, study: Study) -> Any:
    """How the share of contests won grows with their length, and how it shrinks with the number of players."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    targets: dict[tuple[str, ...], list[tuple[str, Figure]]] = {}
    for experiment, result in study.about("target"):
        targets.setdefault(experiment.bots, []).append((experiment.to or "one deal", win_rate(result.rows[0])))
    for place, (bots, found) in enumerate(targets.items()):
        _line(left, [name for name, _ in found], [value for _, value in found], COLOURS[place], " v ".join(bots))
    left.axhline(50, color="#444444", linewidth=0.6)
    left.set_xlabel("contest to so many points")
    left.set_ylabel("won by defensive, in % (bars: two standard errors)")
    left.set_title("two players: the longer, the clearer")
    left.legend(frameon=False)
    shares: dict[str, list[tuple[str, Figure]]] = {}
    for experiment, result in study.about("players"):
        players = len(experiment.bots)
        share = win_rate(result.rows[0])
        relative = Figure(share.value * players / 100, share.error * players / 100)
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


def _line(axis: Any, names: list[str], values: list[Figure], colour: str, label: str) -> None:
    errors = [2 * figure.error for figure in values]
    axis.errorbar(
        names, [figure.value for figure in values], yerr=errors, marker="o", markersize=4, color=colour, label=label, linewidth=1.2
    )
