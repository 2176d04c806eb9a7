"""`kibitz merge`: shares of a run that were played with `--shard`, put together in one store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli.options import JsonFile, check_json_path, console, write_json
from kibitz.core.sentences import counted, listed

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.experiments.merged_runs import MergedRun, MissingShare
    from kibitz.runs.database import Store

SHOWN = 5  # stretches of missing games that are named, of each part


def command(
    out: Annotated[str, typer.Argument(metavar="OUT", help="The store to merge into; it may have been merged into before.")],
    parts: Annotated[list[str], typer.Argument(metavar="PART...", help="Stores of shares: part-*.sqlite")],
    json: JsonFile = None,
) -> int:
    """Put together the shares of a run that `--shard I/N --store part-I.sqlite` played: the figures are those of one machine.

    Says what is missing and which commands play it; the exit code is 1 until nothing is. Merging again changes nothing.
    """
    from kibitz.cli.runs import print_figures
    from kibitz.experiments.merged_runs import merge_runs
    from kibitz.runs.database import open_for_reading

    check_json_path(json)
    path = Path(out).expanduser().absolute()
    found = merge_runs(path, parts)
    with open_for_reading(path) as store:
        write_json(json, {"command": "merge", "store": str(path), "runs": [as_dict(store, each) for each in found]})
        if json != "-":
            for each in found:
                print_merged(out, each, console())
                if not each.missing:
                    print_figures(store, each.run, console())
    return 1 if any(each.missing for each in found) else 0


def print_merged(out: str, merged: MergedRun, terminal: Console) -> None:
    """How far a merged run is, and what plays the rest."""
    run = merged.run
    state = f"INCOMPLETE, {run.done:,} of {run.asked or 0:,} games" if merged.missing else f"complete, {run.done:,} games"
    lines = [f"run {run.id} of {out}: {state}, merged from {counted(len(merged.merged), 'share')}"]
    for each in merged.missing:
        units = sum(map(len, each.units.values()))
        lines += [f"missing of {each.shard.in_words}: {counted(units, 'unit')}, {counted(each.games, 'game')}", *stretches(each)]
        lines += [f"  play them with: {each.command}"]
    if merged.missing:
        lines += [f"then merge again, or play them here: kibitz resume {run.id} --store {out}"]
    elif run.config.get("write") or run.config.get("plot"):
        lines += [f"write the files of --write and --plot with: kibitz resume {run.id} --store {out}"]
    for line in lines:
        terminal.print(line, markup=False, soft_wrap=True)


def stretches(missing: MissingShare) -> list[str]:
    """The games that are missing, a line for each part."""
    lines = []
    for part, units in missing.units.items():
        named = [f"{unit.first}–{unit.first + unit.count - 1}" for unit in units[:SHOWN]]
        more = [f"{len(units) - SHOWN:,} more units"] if len(units) > SHOWN else []
        lines.append(f"  part {part}: games {listed([*named, *more])}")
    left = len(lines) - SHOWN
    return lines if left <= 0 else [*lines[:SHOWN], f"  and {counted(left, 'more part')}"]


def as_dict(store: Store, merged: MergedRun) -> dict[str, Any]:
    """A merged run as JSON, with its figures, or all that is missing."""
    from kibitz.cli.runs import figures_of

    run = merged.run
    missing = [
        {
            "shard": str(each.shard),
            "games": each.games,
            "units": [{"part": part, "first": unit.first, "count": unit.count} for part, units in each.units.items() for unit in units],
            "command": each.command,
        }
        for each in merged.missing
    ]
    facts = {"run": run.id, "kind": run.kind, "complete": not missing, "done": run.done, "asked": run.asked, "shares": merged.merged}
    return {**facts, "missing": missing, "figures": None if missing else figures_of(store, run)}
