"""`kibitz report`: a run of the store as one page to read, send or print, and its plots as files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from kibitz.cli.options import StoreFile, check_output, tell, tell_written
from kibitz.core.errors import BadValue


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
    from kibitz.experiments.experiment import page_of, recalled
    from kibitz.report.plotting import check_plots, write_plots
    from kibitz.runs.database import open_for_reading, store_path
    from kibitz.runs.store import read_run

    check_output(out, "report file")
    check_plots(plots, plot_format)
    with open_for_reading(store_path(store)) as opened:
        run = read_run(opened, number)
        experiment, found = recalled(opened, run)
    if plots is not None:
        drawn = experiment.plots(found)
        write_plots(drawn, plots, plot_format)
        tell(f"wrote {len(drawn)} plots to {plots}: {', '.join(f'{plot.name}.{plot_format}' for plot in drawn)}")
    write_page(out, page_of(run, experiment, found))
    tell_written(out, f"the page of run {number}, {run.done:,} games")


def write_page(path: str, text: str) -> None:
    """Write a page to a file, or to standard output for -."""
    if path == "-":
        sys.stdout.write(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadValue(f"report file {path} cannot be written: {error.strerror}.") from error
