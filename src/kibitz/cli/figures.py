"""`kibitz figures`: every table and plot of the pages made again from a list, or checked in little."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

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

# Options of experiments that mean the same to a list of them; the rest says how one is kept and shown.
RUNNING_OPTIONS = {name: option for name, option in experiment_command.SHARED_OPTIONS.items() if name not in ("json", "no_store")}
STORE_NAME = "figures.db"  # beside the usual store
WRONG = 1  # exit code of a check that found something


@dataclass(frozen=True)
class FiguresAsked:
    """Make every table and plot of a list of figures again: experiments are run or resumed, and the pages rewritten.

    Finished experiments are found again in the store, by their settings and the game's results version. After an interruption the same
    command goes on where it stopped. With --check, a small version of each is played and compared with the page.
    """

    file: Annotated[Path, Setting("The list of figures, such as docs/figures.toml.", metavar="FILE", is_argument=True)]
    only: Annotated[tuple[str, ...], Setting("Only this figure; may be given several times.", metavar="NAME", given_as=list[str] | None)] = ()
    check: Annotated[bool, Setting("Play a small version of each instead, and compare it with the page within a stated rate of false alarms.")] = False
    threads: Threads = None


def run(asked: FiguresAsked, store: str | None, **running: Any) -> int:
    """Make the figures again, or check them; the exit code. `running` are the other options of experiments."""
    from kibitz.experiments.figure_list import read_figures

    found = read_figures(asked.file, experiment_command.experiment_from)
    chosen = found.picked(asked.only)
    for entry in chosen:
        entry.check()
    if asked.check:
        if store is not None or _is_share(running):
            raise BadValue("--check plays everything itself and keeps nothing; leave out --store and --shard.")
        return check_all(chosen, asked.threads, running)
    code = make_all(chosen, store, asked.threads, running)
    if code == 0 and not asked.only:
        _name_others(found)
    return code


command = command_from(FiguresAsked, run, RUNNING_OPTIONS)


def _is_share(running: dict[str, Any]) -> bool:
    """Whether only a share of each experiment is played here, so that no page can be written."""
    return running.get("shard") is not None


def _name_others(found: FigureList) -> None:
    for other in found.others:
        tell(f"not made here: {other.name} ({other.why}): {other.command}")


# -- making them again --


def make_all(chosen: Sequence[FigureEntry], store: str | None, threads: int | None, running: dict[str, Any]) -> int:
    """Play what no store has yet, and write the pages; the exit code."""
    from kibitz.runs.database import store_path

    path = store_path(store) if store is not None else store_path().with_name(STORE_NAME)
    for place, entry in enumerate(chosen, 1):
        tell(f"{place} of {len(chosen)}  {entry.name} …")
        start = time.perf_counter()
        replayed = 0
        for number, experiment in enumerate(entry.experiments, 1):
            if len(entry.experiments) > 1:
                tell(f"   {number} of {len(entry.experiments)}: {experiment.kind} {experiment.title()}")
            code, was_played = _play_kept(experiment, path, threads, running)
            replayed += was_played
            if code:
                tell(f"kibitz figures: stopped at {entry.name}, {place} of {len(chosen)}; the same command goes on from there.")
                return code
        done = f"played in {time.perf_counter() - start:.0f} s" if replayed else "found finished"
        if _is_share(running):
            tell(f"{place} of {len(chosen)}  {entry.name}: this share {done}")
            continue
        entry.write(_recalled(entry.experiments, path))
        tell(f"{place} of {len(chosen)}  {entry.name}: {done}, {entry.page} is up to date")
    if _is_share(running):
        tell(f"No page is written for a share. When all are played: kibitz merge all.db {path} …, then kibitz figures … --store all.db")
    return 0


def _play_kept(experiment: Experiment[Any], path: Path, threads: int | None, running: dict[str, Any]) -> tuple[int, bool]:
    """Play an experiment, or the rest of it, unless the store has all of it; the exit code, and whether anything was left to play."""
    from kibitz.runs.database import open_store
    from kibitz.runs.store import COMPLETE, find_run

    with open_store(path) as opened:
        kept = find_run(opened, experiment.kind, experiment.to_config())
        if kept is not None and kept.status == COMPLETE:
            return 0, False
        if kept is not None:
            return experiment_command.go_on(opened, kept, threads=threads, show=_show_nothing), True
    with _typed(experiment):
        code = experiment_command.run(experiment.going(threads=threads), None, str(path), False, show=_show_nothing, **running)
    return code, True


def _recalled(experiments: Sequence[Experiment[Any]], path: Path) -> Played:
    """Finished experiments with what the store has of them."""
    from kibitz.runs.database import open_for_reading

    with open_for_reading(path) as opened:
        return [_recall(experiment, opened) for experiment in experiments]


def _recall(experiment: Experiment[Any], store: Store) -> tuple[Experiment[Any], Any]:
    from kibitz.runs.store import RunLedger, find_run

    kept = find_run(store, experiment.kind, experiment.to_config())
    assert kept is not None  # it was played
    known = experiment.going(ledger=RunLedger(store, kept))
    result = known.recall(kept)
    if not result.complete:
        raise BadValue(f"run {kept.id} of {store.path} is only a share of its experiment; merge the stores of all shares first: kibitz merge.")
    return known, result


def _show_nothing(experiment: Experiment[Any], result: Any) -> None:
    """Pages are written from what the store has."""


@contextmanager
def _typed(experiment: Experiment[Any]) -> Iterator[None]:
    """While an experiment is played, its own command is what its run is listed with."""
    from kibitz.experiments.settings import settings_of, words_for

    before = list(options.typed)
    kept = {field.name for field in settings_of(type(experiment)) if field.setting.is_option and getattr(experiment, field.name) != field.default}
    options.typed[:] = [*experiment.kind.split(), *words_for(experiment, kept)]
    try:
        yield
    finally:
        options.typed[:] = before


# -- checking them in little --


def check_all(chosen: Sequence[FigureEntry], threads: int | None, running: dict[str, Any]) -> int:
    """Play small versions and compare them with the pages; the exit code."""
    from kibitz.experiments.figure_check import FALSE_ALARMS, FOUND, TableCheck, check_page, growth_of, verdict_of

    found = TableCheck()
    for place, entry in enumerate(chosen, 1):
        start = time.perf_counter()
        played: Played = []
        for experiment in entry.small:
            code = experiment_command.run(
                experiment.going(threads=threads), None, None, True, show=lambda *both: played.append(both), **running
            )
            if code:
                return code
        _draw(entry, played)
        one = check_page(entry.before(), entry.markdown(played), entry.loose, growth_of(entry.experiments, entry.small), entry.name)
        found.add(one)
        compared = f"{counted(len(one.figures), 'figure')} and {counted(one.equal, 'cell')} without an error compared, {one.left_out} left out"
        tell(f"{place} of {len(chosen)}  {entry.name}: {compared}; {time.perf_counter() - start:.0f} s", stderr=False)
    verdict = verdict_of(found)
    tell("", stderr=False)
    for sentence in verdict.wrong:
        tell(f"! {sentence}", stderr=False)
    tell(
        f"{counted(len(found.figures), 'figure')} compared within the standard errors of page and small version, {counted(found.equal, 'cell')} "
        f"exactly, {found.left_out} left out: {counted(len(verdict.wrong), 'cell')} wrong.\n"
        f"If every page is right, a check finds something wrong at most {100 * FALSE_ALARMS:g} % of the time: a figure is wrong beyond "
        f"{verdict.limit:.2f} standard errors. One that is {verdict.noticed:.1f} off is found {100 * FOUND:g} % of the time.",
        stderr=False,
    )
    return WRONG if verdict.wrong else 0


def _draw(entry: FigureEntry, played: Played) -> None:
    """Draw the plot of a small version, which shows that it can be drawn."""
    if entry.plot is None:
        return
    with tempfile.TemporaryDirectory() as folder:
        for experiment, result in played:
            experiment.going(plot=Path(folder) / entry.plot.name).serve(result)
