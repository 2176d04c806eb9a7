"""`kibitz resume`: a run that was stopped, however, goes on where it was and ends in the same figures."""

from __future__ import annotations

from typing import Annotated

import typer

from kibitz.cli import runs
from kibitz.cli.experiment_command import go_on, show_share
from kibitz.cli.options import ClusterAddress, DecisionSeconds, JsonFile, StoreFile, Threads, check_json_path, console, write_json
from kibitz.core.errors import BadValue


def command(
    number: Annotated[int | None, typer.Argument(metavar="[ID]", help="Which run; without it, those that are not complete.")] = None,
    threads: Threads = None,
    decision_seconds: DecisionSeconds = None,
    cluster: ClusterAddress = None,
    json: JsonFile = None,
    store: StoreFile = None,
) -> int:
    """Go on with a run that was interrupted or killed: its finished games are kept, and the figures are those of a run in one go.

    The game's results version and bots in files must be what they were when the run began.
    """
    from kibitz.experiments.experiment import check_resumable, recalled
    from kibitz.experiments.shares import ShareDone
    from kibitz.runs.database import open_for_reading, open_store, store_path
    from kibitz.runs.store import COMPLETE, list_runs, read_run, understood

    check_json_path(json)
    if number is None:
        if json is not None:
            raise BadValue("--json needs the number of a run: kibitz resume ID --json FILE.")
        with open_for_reading(store_path(store)) as opened:
            unfinished = list_runs(opened, unfinished=True)
            if unfinished:
                runs.print_runs(opened, unfinished, console())
            else:
                console().print("every run is complete", markup=False)
        return 0
    with open_for_reading(store_path(store)) as opened:
        run = read_run(opened, number)
        if run.status == COMPLETE and run.share:
            return show_share(ShareDone(opened.path, run), json)
        if run.status == COMPLETE:
            write_json(json, runs.figures_of(opened, run))
            if json != "-":
                console().print(f"run {number} is complete\n", markup=False)
                with understood(run):
                    runs.print_figures(opened, run, console())
            if run.shares:  # what merges does not write the files that were asked for, such as --write and --plot
                experiment, found = recalled(opened, run)
                experiment.serve(found)
            return 0
    check_resumable(run)  # before a store is brought up to date for it
    with open_store(store_path(store), create=False) as opened:
        return go_on(opened, run, json, threads, cluster)
