"""`kibitz runs`: what the store keeps: a list, one run with its figures, and what is to be forgotten."""

from __future__ import annotations

import json as json_text
import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import JsonFile, StoreFile, check_json_path, console, tell, write_json
from kibitz.core.errors import BadValue
from kibitz.core.printable import printable
from kibitz.core.public import public, public_config

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.experiments.experiment import Experiment
    from kibitz.runs.database import Store
    from kibitz.runs.store import Run

app = typer.Typer(
    help="Runs that were kept: a list, newest first; `show ID`, `delete ID`.",
    rich_markup_mode=None,
    invoke_without_command=True,
)

DATED = "%Y-%m-%d %H:%M"


@app.callback()
def list_command(
    context: typer.Context,
    limit: Annotated[int, typer.Option("--limit", "-n", help="How many to show, newest first.")] = 20,
    json: JsonFile = None,
    store: StoreFile = None,
) -> None:
    """Runs that were kept, newest first."""
    if context.invoked_subcommand is not None:
        if context.get_parameter_source("store") == context.get_parameter_source("limit") == context.get_parameter_source("json"):
            return  # nothing was given before the subcommand
        raise BadValue(f"options stand after the word: kibitz runs {context.invoked_subcommand} … --store PATH.")
    from kibitz.runs.database import open_for_reading, store_path
    from kibitz.runs.store import condition, list_runs

    check_json_path(json)
    if limit < 1:
        raise BadValue(f"limit={limit} is out of range: at least 1 run is shown.")
    path = store_path(store)
    if not path.exists():
        write_json(json, {"command": "runs", "store": str(path), "runs": []})
        if json != "-":
            console().print(f"no run is kept yet in {path}", markup=False, soft_wrap=True)
        return
    with open_for_reading(path) as opened:
        found = list_runs(opened, limit)
        told = [{**shown_run(run), "status": condition(opened, run)} for run in found]
        write_json(json, {"command": "runs", "store": str(path), "runs": told})
        if json != "-":
            print_runs(opened, found, console())


@app.command("show")
def show_command(
    number: Annotated[int, typer.Argument(metavar="ID", help="Which run.")],
    json: JsonFile = None,
    store: StoreFile = None,
) -> None:
    """One run: its settings, the command that made it, its figures so far, and the faults of bots."""
    from dataclasses import asdict

    from kibitz.runs.database import open_for_reading, store_path
    from kibitz.runs.store import condition, faults_of, read_run, understood

    check_json_path(json)
    with open_for_reading(store_path(store)) as opened:
        run = read_run(opened, number)
        faults = faults_of(opened, number)
        if json is not None:
            with understood(run):
                figures = figures_of(opened, run)
            told = {**shown_run(run), "status": condition(opened, run), "figures": figures}
            write_json(json, {**told, "faults": [{"part": part, **asdict(fault)} for part, fault in faults]})
        if json == "-":
            return
        terminal = console()
        print_settings(opened, run, terminal)
        with understood(run):
            print_figures(opened, run, terminal)
        for part, fault in faults:
            seat = f" in seat {fault.seat}" if fault.seat >= 0 else ", before it began,"
            where = f"part {part}, game {fault.game}: {fault.bot}{seat} {fault.what}"
            terminal.print(f"{fault.kind}: {where}", style="red", markup=False, soft_wrap=True)
            if fault.reproduce:
                terminal.print(f"  {fault.reproduce}", markup=False, soft_wrap=True)


@app.command("delete")
def delete_command(
    numbers: Annotated[list[int], typer.Argument(metavar="ID...", help="Which runs.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
    store: StoreFile = None,
) -> int:
    """Forget runs, with all that was kept of them."""
    from kibitz.runs.database import StoreError, open_store, store_path
    from kibitz.runs.store import delete_runs, read_run

    with open_store(store_path(store), create=False) as opened:
        found = list(dict.fromkeys(numbers))
        for number in found:
            try:
                run = read_run(opened, number)
                told = f"{number}  {run.command}  ({run.done:,} games)"
            except StoreError:  # deleting it is the way out
                told = f"{number}  (damaged)"
            if not yes:
                tell(told, stderr=False)
        if not yes and not typer.confirm(f"Delete {'this run' if len(found) == 1 else f'these {len(found)} runs'}?"):
            typer.echo("nothing was deleted")
            return 1
        delete_runs(opened, found)
        typer.echo(f"deleted {', '.join(f'run {number}' for number in found)}")
    return 0


# -- printing --


def print_runs(store: Store, found: list[Run], terminal: Console) -> None:
    """A table of runs."""
    from rich import box
    from rich.table import Table

    from kibitz.runs.store import condition

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for heading in ("id", "when", "command", "status", "games", "seconds"):
        left = heading in ("when", "command", "status")
        table.add_column(heading, justify="left" if left else "right", no_wrap=heading != "command", overflow="fold")
    for run in found:
        games = f"{run.done:,}" if run.asked in (None, run.done) else f"{run.done:,} of {run.asked:,}"
        status = ", ".join(filter(None, [condition(store, run), run.share]))
        table.add_row(str(run.id), _date(run.started), _plain(run.command), status, games, f"{run.seconds:,.1f}", style=_style(run))
    terminal.print(table)


def _style(run: Run) -> str:
    return "" if run.status == "complete" else "yellow" if run.status != "failed" else "red"


def _plain(text: str) -> Any:
    from rich.text import Text

    return Text(printable(text))


def _date(moment: float) -> str:
    return time.strftime(DATED, time.localtime(moment))


def print_settings(store: Store, run: Run, terminal: Console) -> None:
    """What a run was asked for, when, and what became of it."""
    from kibitz.runs.store import COMPLETE, condition

    games = f"{run.done:,}" if run.asked is None else f"{run.done:,} of {run.asked:,}"
    facts = {
        "run": f"{run.id}, {condition(store, run)}, {games} games in {run.seconds:,.1f} s",
        "command": run.command,
        "version": run.version,
        "results version": "" if run.results_version is None else str(run.results_version),
        "begun": f"{_date(run.started)} on {run.host}",
        "ended": _date(run.ended) if run.ended else "",
        "reason": public(run.reason, run.config),
        "share": run.share,
        "merged": " ".join(run.shares.merged) if run.shares else "",
        **{key: _shown(value) for key, value in public_config(run.config).items() if key != "command"},
        "resume": f"kibitz resume {run.id}" if run.status != COMPLETE else "",
    }
    width = max(len(name) for name in facts)
    for name, value in facts.items():
        if value:
            terminal.print(f"{name:<{width}}  {value}", markup=False, soft_wrap=True)
    terminal.print()


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return " ".join(value)
    if isinstance(value, (list, dict)):
        return json_text.dumps(value, ensure_ascii=False) if value else ""
    return "" if value is None else str(value)


LINES = ("reproduce",)  # shown as they are, to be typed again on the same machine


def print_figures(store: Store, run: Run, terminal: Console) -> None:
    """The figures as the command printed them, or as far as they are known; of a share how far it is."""
    from kibitz.experiments.shares import ShareDone

    if run.share:
        for line in ShareDone(store.path, run).in_words():
            terminal.print(line, markup=False, soft_wrap=True)
    elif (found := _recalled(store, run)) is not None:
        experiment, result = found
        experiment.print(result, terminal)
    elif run.figures is not None:
        terminal.print(json_text.dumps(public(run.figures, run.config, LINES), indent=2, ensure_ascii=False), markup=False, soft_wrap=True)


def figures_of(store: Store, run: Run) -> Any:
    """The figures as JSON: those of a complete run as it wrote them, of another as far as they are known; a share has none."""
    if not run.share and run.figures is None and (found := _recalled(store, run)) is not None:
        experiment, result = found
        return public(experiment.figures(result), run.config, LINES)
    return public(run.figures, run.config, LINES)


def _recalled(store: Store, run: Run) -> tuple[Experiment[Any], Any] | None:
    """A run and its figures; None if nobody knows its kind any more, or its units may mean something else in this version."""
    from kibitz.experiments.experiment import recalled
    from kibitz.experiments.experiment_kinds import experiment_kinds
    from kibitz.runs.store import results_version

    return recalled(store, run) if run.kind in experiment_kinds() and run.results_version == results_version(run.config) else None


def shown_run(run: Run) -> dict[str, Any]:
    """A run as JSON: the command as typed, everything else without folders."""
    return {
        **run.to_dict(),
        "config": public_config(run.config),
        "figures": public(run.figures, run.config, LINES),
        "reason": public(run.reason, run.config),
    }
