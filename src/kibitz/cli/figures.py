"""`kibitz figures`: every table and plot of the pages made again from a list, or checked in little."""

from __future__ import annotations

import shlex
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kibitz.cli import experiment_command, options
from kibitz.cli.options import tell
from kibitz.cli.settings_command import command_from
from kibitz.core.errors import BadValue
from kibitz.core.sentences import counted
from kibitz.experiments.settings import Setting, Threads

if TYPE_CHECKING:
    from kibitz.experiments.experiment import Experiment
    from kibitz.experiments.figure_list import FigureEntry, FigureList
    from kibitz.runs.database import Store

Played = list[tuple["Experiment[Any]", Any]]  # experiments with their results

STORE_NAME = "figures.db"  # beside the usual store
FiguresStore = Annotated[
    str | None,
    typer.Option("--store", metavar="PATH", help=f"The file that keeps the runs; by default {STORE_NAME}, beside the usual store."),
]
# Options of experiments that mean the same to a list of them; the others say how one is kept and shown.
RUNNING_OPTIONS = {name: option for name, option in experiment_command.SHARED_OPTIONS.items() if name not in ("json", "no_store")}
RUNNING_OPTIONS["store"] = (FiguresStore, None)
MERGED = "all.sqlite"  # the store that shares are merged into, in what is said
SHARD = "shard"  # the option by which only a share of each experiment is played
WRONG = 1  # exit code of a check that found something


@dataclass(frozen=True)
class FiguresAsked:
    """Make every table and plot of a list of figures again: experiments are run or resumed, and the pages rewritten.

    Finished experiments are found again in the store, by their settings and the game's results version. After an interruption the same
    command goes on where it stopped. With --check, a small version of each is played and compared with the page.
    """

    file: Annotated[Path, Setting("The list of figures, such as docs/figures.toml.", metavar="FILE", is_argument=True)]
    only: Annotated[
        tuple[str, ...], Setting("Only this figure; may be given several times.", metavar="NAME", given_as=list[str] | None)
    ] = ()
    check: Annotated[
        bool, Setting("Play a small version of each instead, and compare it with the page within a stated rate of false alarms.")
    ] = False
    threads: Threads = None


def run(asked: FiguresAsked, store: str | None, **running: Any) -> int:
    """Make the figures again, or check them; the exit code. `running` are the other options of experiments."""
    from kibitz.experiments.figure_list import read_figures

    found = read_figures(asked.file, experiment_command.experiment_from)
    chosen = found.picked(asked.only)
    for entry in chosen:
        entry.check()
    if asked.check:
        if store is not None or running.get(SHARD) is not None:
            raise BadValue("--check plays everything itself and keeps nothing; leave out --store and --shard.")
        return check_all(chosen, asked.threads, running)
    if running.get(SHARD) is not None:
        code = make_share(chosen, store, asked.threads, running)
        if code == 0:
            _tell_how_to_merge(asked, store, running[SHARD])
        return code
    code = make_all(chosen, store, asked.threads, running)
    if code == 0 and not asked.only:
        _name_others(found)
    return code


command = command_from(FiguresAsked, run, RUNNING_OPTIONS)


def _name_others(found: FigureList) -> None:
    for other in found.others:
        tell(f"not made here: {other.name} ({other.why}): {other.command}")


# -- making them again --


def make_all(chosen: Sequence[FigureEntry], store: str | None, threads: int | None, running: dict[str, Any]) -> int:
    """Play what the store does not have yet, and write the pages; the exit code."""
    from kibitz.runs.database import open_for_reading, store_path

    path = store_path(store) if store is not None else store_path().with_name(STORE_NAME)
    for place, entry in enumerate(chosen, 1):
        title = f"{place} of {len(chosen)}  {entry.name}"
        tell(f"{title} …")
        start, played = time.perf_counter(), False
        for number, (typed, experiment) in enumerate(zip(entry.commands, entry.experiments, strict=True), 1):
            if len(entry.experiments) > 1:
                tell(f"  {number} of {len(entry.experiments)}: {typed}")
            code, has_played = _play_kept(typed, experiment.going(threads=threads), path, running)
            played |= has_played
            if code:
                tell(f"kibitz: stopped at {entry.name}, {place} of {len(chosen)}; the same command goes on from there.")
                return code
        with open_for_reading(path) as opened:
            entry.write([_recall(experiment, opened) for experiment in entry.experiments])
        tell(f"{title}: {f'{time.perf_counter() - start:.0f} s' if played else 'found finished'}; {entry.page} is up to date")
    return 0


def _play_kept(typed: str, experiment: Experiment[Any], path: Path, running: dict[str, Any]) -> tuple[int, bool]:
    """Play an experiment, or the rest of it, unless the store has all of it; the exit code, and whether anything was left to play."""
    from kibitz.experiments.earlier_runs import find_run, shares_of
    from kibitz.experiments.shares import ShareDone
    from kibitz.runs.database import open_store
    from kibitz.runs.store import COMPLETE

    with open_store(path) as opened:
        kept = find_run(opened, experiment.kind, experiment.to_config())
        if kept is not None and kept.status == COMPLETE:
            return 0, False
        if kept is not None:
            where = {name: value for name, value in running.items() if name not in ("decision_seconds", SHARD)}
            return experiment_command.go_on(opened, kept, threads=experiment.threads, show=_show_nothing, **where), True
        for share in shares_of(opened, experiment):
            raise BadValue(
                f"run {share.id} of {path} is only {share.share} of `{typed}`; put all shares together first: {ShareDone(path, share).merging}"
            )
    with _typing(typed, running.get("cluster")):
        return experiment_command.run(experiment, None, str(path), False, show=_show_nothing, **running), True


def _recall(experiment: Experiment[Any], store: Store) -> tuple[Experiment[Any], Any]:
    """A finished experiment with what the store has of it."""
    from kibitz.experiments.earlier_runs import find_run
    from kibitz.runs.store import RunLedger

    kept = find_run(store, experiment.kind, experiment.to_config())
    assert kept is not None  # it was played
    known = experiment.going(ledger=RunLedger(store, kept))
    return known, known.recall(kept)


def _show_nothing(experiment: Experiment[Any], result: Any) -> None:
    """Pages are written from what the store has."""


@contextmanager
def _typing(command: str, cluster: str | None = None) -> Iterator[None]:
    """While an experiment is played, its own command is what its run is listed with, and the cluster that plays it."""
    before = list(options.typed)
    options.typed[:] = [*shlex.split(command)[1:], *([] if cluster is None else ["--cluster", cluster])]
    try:
        yield
    finally:
        options.typed[:] = before


# -- a share of them --


def make_share(chosen: Sequence[FigureEntry], store: str | None, threads: int | None, running: dict[str, Any]) -> int:
    """Play this share of each experiment that can be divided; no page is written. The exit code."""
    from kibitz.runs.shards import Shard

    experiment_command.check_one_way(f"--shard {Shard.parse(running[SHARD])}", running.get("cluster"))
    left_out = []
    for place, entry in enumerate(chosen, 1):
        tell(f"{place} of {len(chosen)}  {entry.name} …")
        for typed, experiment in zip(entry.commands, entry.experiments, strict=True):
            if experiment.not_in_shards:
                left_out.append(typed)
                continue
            with _typing(typed):
                code = experiment_command.run(experiment.going(threads=threads), None, store, False, show=_show_nothing, **running)
            if code:
                tell(f"kibitz: stopped at {entry.name}, {place} of {len(chosen)}; the same command goes on from there.")
                return code
    for typed in left_out:
        tell(f"left out, since it can't be divided; it is played after the shares were merged: {typed}")
    return 0


def _tell_how_to_merge(asked: FiguresAsked, store: str | None, shard: str) -> None:
    from kibitz.experiments.shares import merging
    from kibitz.runs.database import store_path
    from kibitz.runs.shards import Shard

    only = [word for name in asked.only for word in ("--only", name)]
    tell("when all shares are played, put them together, then write the pages:")
    tell(f"  {merging(store_path(store), Shard.parse(shard), MERGED)}")
    tell(f"  {shlex.join(['kibitz', 'figures', str(asked.file), *only, '--store', MERGED])}")


# -- checking them in little --


def check_all(chosen: Sequence[FigureEntry], threads: int | None, running: dict[str, Any]) -> int:
    """Play small versions and compare them with the pages; the exit code."""
    from kibitz.experiments.figure_check import FALSE_ALARMS, FOUND, TableCheck, check_page, growth_in, verdict_of

    found = TableCheck()
    for place, entry in enumerate(chosen, 1):
        start = time.perf_counter()
        played, code = _play_small(entry, threads, running)
        if code:
            return code
        _draw(entry, played)
        one = check_page(entry.before(), entry.markdown(played), entry.loose, growth_in(entry), entry.name)
        found.add(one)
        compared = (
            f"{counted(len(one.figures), 'figure')} and {counted(one.equal, 'cell')} without an error compared, {one.left_out} left out"
        )
        tell(f"{place} of {len(chosen)}  {entry.name}: {compared}; {time.perf_counter() - start:.0f} s", stderr=False)
    verdict = verdict_of(found)
    tell("", stderr=False)
    for sentence in verdict.wrong:
        tell(f"! {sentence}", stderr=False)
    tell(
        f"{counted(len(found.figures), 'figure')} compared within the standard errors of page and small version, {counted(found.equal, 'cell')} "
        f"exactly, {found.left_out} left out: {counted(len(verdict.wrong), 'cell')} wrong.",
        stderr=False,
    )
    tell(
        f"If every page is right, a check finds something wrong at most {100 * FALSE_ALARMS:g} % of the time: a figure is wrong beyond "
        f"{verdict.limit:.2f} standard errors. One that is {verdict.noticed:.1f} off is found {100 * FOUND:g} % of the time.",
        stderr=False,
    )
    return WRONG if verdict.wrong else 0


def _play_small(entry: FigureEntry, threads: int | None, running: dict[str, Any]) -> tuple[Played, int]:
    """Small versions with their results, kept nowhere; and the exit code."""
    played: Played = []
    for experiment in entry.small:
        code = experiment_command.run(
            experiment.going(threads=threads), None, None, True, show=lambda *both: played.append(both), **running
        )
        if code:
            return played, code
    return played, 0


def _draw(entry: FigureEntry, played: Played) -> None:
    """Draw the plot of a small version, which shows that it can be drawn."""
    if entry.plot is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        for experiment, result in played:
            experiment.going(plot=Path(folder) / entry.plot.name).serve(result)
