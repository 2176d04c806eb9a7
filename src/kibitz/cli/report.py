"""`kibitz report`: a run of the store as one page to read, send or print, and its plots as files."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import compare, runs
from kibitz.cli.options import StoreFile, check_output
from kibitz.errors import BadValue

if TYPE_CHECKING:
    from kibitz.arena.results import Result
    from kibitz.arena.tournament.results import TournamentResult
    from kibitz.arena.verdict import Comparison
    from kibitz.report.drawing import Plot
    from kibitz.store.database import Store
    from kibitz.store.runs import Run

    Found = TournamentResult | Comparison | list[Result]

DATED = "%Y-%m-%d %H:%M UTC"


def command(
    number: Annotated[int, typer.Argument(metavar="ID", help="Which run (see `kibitz runs`).")],
    out: Annotated[str, typer.Option("--out", "-o", help="The HTML file to write, or - for standard output.")] = "report.html",
    plots: Annotated[
        Path | None, typer.Option("--plots", metavar="FOLDER", help="Also write each plot as a file into this folder.")
    ] = None,
    plot_format: Annotated[str, typer.Option("--plot-format", help="svg or png.")] = "svg",
    store: StoreFile = None,
) -> None:
    """A run as one HTML page that needs no network: standings, ratings, who beats whom, faults, settings, and the command that made it.

    Needs the extra 'report', which brings matplotlib.
    """
    from kibitz.report.drawing import check_plots, write_plots
    from kibitz.store.database import open_store, store_path
    from kibitz.store.runs import read_run

    check_output(out, "report file")
    check_plots(plots, plot_format)
    with open_store(store_path(store), create=False) as opened:
        run = read_run(opened, number)
        found = loaded(opened, run)
    if plots is not None:
        write_plots(plots_of(found), plots, plot_format)
    write_page(out, page_of(run, found))


def write_page(path: str, text: str) -> None:
    """Write a page to a file, or to standard output for -."""
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadValue(f"report file {path} cannot be written: {error.strerror}.") from error


def page_of(run: Run, found: Found) -> str:
    """The page of a run."""
    from kibitz.arena.tournament.results import TournamentResult
    from kibitz.report.page import PageSettings, comparison_page, result_page, tournament_page

    settings = PageSettings(run.command, run.version, time.strftime(DATED, time.gmtime(run.started)), run.id)
    if isinstance(found, list):
        return result_page(found[0], settings, *found[1:])
    return tournament_page(found, settings) if isinstance(found, TournamentResult) else comparison_page(found, settings)


def plots_of(found: Found) -> list[Plot]:
    """The plots of a run."""
    from kibitz.arena.tournament.results import TournamentResult
    from kibitz.report.run_plots import comparison_plots, result_plots
    from kibitz.report.tournament_plots import tournament_plots

    if isinstance(found, list):
        return [plot for place, result in enumerate(found, 1) for plot in result_plots(result, place)]
    return tournament_plots(found) if isinstance(found, TournamentResult) else comparison_plots(found)


def loaded(store: Store, run: Run) -> Found:
    """The figures of a run as they were, or as far as they are known."""
    if run.kind in ("evaluate", "match"):
        return runs.results_of(store, run)
    if run.kind == "tournament":
        return tournament_from(run.figures) if run.figures is not None else runs.tournament_of(store, run)
    if run.kind == "compare":
        return compare.kept_result(store, run)
    raise BadValue(f"run {run.id} is of kind '{run.kind}', which has no page; tournament, compare, evaluate and match have one.")


def tournament_from(kept: dict[str, Any]) -> TournamentResult:
    """A tournament's result from its JSON."""
    from dataclasses import fields

    from kibitz.arena.tournament.results import Figure, Interval, Standing, TournamentResult
    from kibitz.runner.ledger import Fault

    standings = [
        Standing(
            **{
                **player,
                "win_rate": Figure(**player["win_rate"]),
                "points": Figure(**player["points"]),
                "rating": Interval(**player["rating"]) if player["rating"] else None,
                "skill": tuple(player["skill"]) if player["skill"] else None,
            }
        )
        for player in kept["standings"]
    ]
    known = {item.name: kept[item.name] for item in fields(TournamentResult)}
    return TournamentResult(
        **{
            **known,
            "standings": standings,
            "matrix": [[None if cell is None else Figure(**cell) for cell in row] for row in kept["matrix"]],
            "progress": [(games, list(points)) for games, points in kept["progress"]],
            "faults": [
                (fault["index"], Fault(**{name: value for name, value in fault.items() if name != "index"})) for fault in kept["faults"]
            ],
        }
    )
