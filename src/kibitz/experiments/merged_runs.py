"""Shares merged into whole runs: their configurations, results versions and cuts compared, their units merged, what is missing found.

A merged run is a run like any other in the store it was merged into. What it is depends on the shares, not on their order, and
merging them again changes nothing. A store of shares may hold several experiments, which are merged each by itself.
"""

from __future__ import annotations

import json
import math
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kibitz.core.errors import BadValue, KibitzError
from kibitz.experiments.experiment import kind_of, recalled
from kibitz.runs import locks, private
from kibitz.runs.database import Store, StoreError, open_for_reading, open_store
from kibitz.runs.merging import UnitMerge, missing_units
from kibitz.runs.shards import HERE, Shard, Shares, dealt, sibling
from kibitz.runs.store import (
    COMPLETE,
    INTERRUPTED,
    RUNNING,
    Run,
    condition,
    insert_run,
    list_runs,
    read_run,
    results_version,
    take,
    understood,
    write_row,
)
from kibitz.runs.units import Unit

HINT = re.compile(r"[;,] (name (a|another) file|play) with --.*$")  # of a store's error: here it is about files that are named already
LONGEST = 60  # characters of a setting in a sentence


@dataclass(frozen=True)
class Source:
    """A run in a store of shares: a share, or merged from some."""

    name: str  # of the store, as it was given
    run: Run

    @property
    def shares(self) -> Shares:
        """How it is cut."""
        assert self.run.shares is not None  # others are no sources
        return self.run.shares

    @cached_property
    def identity(self) -> tuple[str, str]:
        """What it asks for, wherever it was played."""
        with understood(self.run):
            return self.run.kind, json.dumps(kind_of(self.run).portable(self.run.config), sort_keys=True)

    @property
    def seconds(self) -> dict[str, float]:
        """How long each share was played for."""
        return {str(self.shares.shard): self.run.seconds} if self.shares.shard else seconds_of(self.run)


@dataclass(frozen=True)
class MissingShare:
    """The slices of a share that nobody has played to the end, by part, and the command that plays them."""

    shard: Shard
    units: Mapping[int, Sequence[Unit]]
    command: str

    @property
    def games(self) -> int:
        """How many games those are."""
        return sum(unit.count for units in self.units.values() for unit in units)


@dataclass
class MergedRun:
    """What came of merging the shares of one run."""

    run: Run
    missing: list[MissingShare] = field(default_factory=list)

    @property
    def merged(self) -> list[str]:
        """Which shares it was merged from."""
        assert self.run.shares is not None  # it was merged
        return [share for share in self.run.shares.merged if share != HERE]


def seconds_of(run: Run) -> dict[str, float]:
    """The seconds of each share of a merged run, and those for which it was played where it is."""
    assert run.shares is not None  # it was merged
    known = dict(run.shares.merged)
    if run.seconds > (counted := math.fsum(known.values())):
        known[HERE] = known.get(HERE, 0.0) + run.seconds - counted
    return known


# -- what is merged --


@contextmanager
def about_files() -> Iterator[None]:
    """A block in which a store that can't be used is one of those named: there is no other option to name."""
    try:
        yield
    except StoreError as error:
        raise StoreError(f"{HINT.sub('', str(error)).rstrip('.')}.") from error


def sources_in(names: Sequence[str], out: Path) -> list[Source]:
    """The shares in some stores, each store once; refused if one of them has none, or one that is being played."""
    found: list[Source] = []
    seen = {os.path.realpath(out)}
    for name in names:
        path = Path(name).expanduser().absolute()
        if os.path.realpath(path) not in seen:
            seen.add(os.path.realpath(path))
            with about_files(), open_for_reading(path) as store:
                found += _shares_in(name, store)
    if not found:
        raise BadValue("nothing to merge: name the stores of shares after the store that they are merged into.")
    return sorted(found, key=lambda source: (source.run.started, source.name))


def _shares_in(name: str, store: Store) -> list[Source]:
    found = [Source(name, run) for run in list_runs(store) if run.shares]
    if not found:
        raise BadValue(f"{name} holds no share of a run; a share is played with --shard I/N --store {name}")
    for source in found:
        run = source.run
        if condition(store, run) == RUNNING:
            raise BadValue(f"{name}: run {run.id} is being played by process {run.pid} on {run.host}; wait for it, or stop it first.")
        check_source(source)
    return found


def check_source(source: Source) -> None:
    """Refuse a command that nobody can have typed, and units that would mean something else in this version."""
    run = source.run
    try:
        whole_command(run.command)
    except ValueError as error:
        raise StoreError(
            f"{source.name} is damaged: the command of run {run.id} can't be read ({error}); play that share again, or restore the file from a copy."
        ) from error
    kind_of(run)  # says that nobody knows it
    with understood(run):
        now = results_version(run.config)
    if run.results_version != now:
        raise BadValue(
            f"{source.name} was played with version {run.results_version} of the results of {run.config.get('game')}, and this kibitz has "
            f"version {now}; merge it with kibitz {run.version}, or play that share again."
        )


def grouped(sources: Sequence[Source]) -> dict[tuple[str, str], list[Source]]:
    """The sources of each run; refused if some aren't of the runs that the others are of, or are cut otherwise."""
    groups: dict[tuple[str, str], list[Source]] = {}
    runs_in: dict[str, set[tuple[str, str]]] = {}
    for source in sources:
        groups.setdefault(source.identity, []).append(source)
        runs_in.setdefault(source.name, set()).add(source.identity)
    fullest = max(runs_in, key=lambda name: len(runs_in[name]))
    for name, identities in runs_in.items():
        if not identities <= runs_in[fullest]:
            raise BadValue(_how_they_differ(name, identities, fullest, runs_in[fullest]))
    for each in groups.values():
        for source in each:
            if source.shares.cut != each[0].shares.cut:
                raise BadValue(f"{source.name} is cut otherwise than {each[0].name}, by another version; play one of them again.")
    return groups


def _how_they_differ(name: str, identities: set[tuple[str, str]], other: str, others: set[tuple[str, str]]) -> str:
    """A sentence about two stores of different runs."""
    kind, text = min(identities - others)
    for other_kind, other_text in sorted(others):
        if other_kind == kind:
            mine, theirs = json.loads(text), json.loads(other_text)
            keys = [key for key in {**mine, **theirs} if mine.get(key) != theirs.get(key)]
            values = " and ".join(_shortened(json.dumps(each.get(keys[0]), ensure_ascii=False)) for each in (mine, theirs))
            return f"{name} and {other} are of different runs, so they can't be merged: {keys[0]} is {values}."
    return f"{name} and {other} are of different runs, so they can't be merged: there is no `{kind}` in {other}."


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


# -- merging --


def merge_runs(out: Path, names: Sequence[str]) -> list[MergedRun]:
    """Merge the shares in some stores into one store, all of them or, if any is refused, none."""
    sources = sources_in(names, out)
    grouped(sources)  # says what is wrong before anything is made
    numbers = None if out.exists() else _merge_new(out, sources)
    with about_files(), open_store(out) as store, _runs_taken(store) as taken:
        if numbers is None:
            numbers = _merge_into(store, str(out), sources, taken)
        else:
            _take_all(store, numbers, taken)
        return [_finished(store, read_run(store, number), sources) for number in numbers]


def _merge_new(out: Path, sources: Sequence[Source]) -> list[int] | None:
    """Merge into a store that doesn't exist yet: the numbers of its runs. It gets its name when it is whole.

    None if that can't be done here, or if another process has made a store of that name meanwhile: then there is one to merge into.
    """
    with suppress(OSError):
        private.make_folder(out.parent)
        with TemporaryDirectory(dir=out.parent, prefix=f"{out.name}-") as folder:
            draft = Path(folder) / out.name
            with about_files(), open_store(draft) as store, _runs_taken(store) as taken:
                numbers = _merge_into(store, str(out), sources, taken)
            os.link(draft, out)  # never over another file
            return numbers
    return None


@contextmanager
def _runs_taken(store: Store) -> Iterator[list[int]]:
    """A block that takes runs, so that nobody else plays or merges them; what it enters into the list is given back."""
    taken: list[int] = []
    try:
        yield taken
    finally:
        for number in taken:
            locks.release(store.path, number)


def _take_all(store: Store, numbers: Sequence[int], taken: list[int]) -> None:
    for number in numbers:
        if not take(store, number):
            raise BadValue(f"run {number} of {store.path} is being played; wait for it, or stop it first.")
        taken.append(number)


def _merge_into(store: Store, name: str, sources: Sequence[Source], taken: list[int]) -> list[int]:
    """Merge shares into a store, in one transaction: the numbers of their runs, which stay taken."""
    there = [Source(name, run) for run in list_runs(store) if run.shares]
    for source in there:
        if source.run.share:
            raise BadValue(f"{name} holds {source.run.share}; name another file to merge into.")
        check_source(source)
    groups = grouped([*there, *sources])
    known = {source.identity: source.run for source in there}
    numbers = []
    with store.writing() as connection:
        for identity, group in groups.items():
            new = [source for source in group if source.name != name]
            if new:
                numbers.append(_merge_group(connection, store, known.get(identity), new, taken))
    return numbers


def _merge_group(connection: Any, store: Store, run: Run | None, sources: Sequence[Source], taken: list[int]) -> int:
    """Merge the shares of one run, in a transaction: its number."""
    number = run.id if run else insert_run(connection, _new_row(sources))
    _take_all(store, [number], taken)
    before = read_run(store, number)
    units = UnitMerge(connection, store, before)
    for source in sources:
        with open_for_reading(Path(source.name).expanduser().absolute()) as opened:
            units.add(source.name, opened, read_run(opened, source.run.id))
    row = dict(before.row)
    changes = {**_changes(before, sources), **units.row}
    if units.changed or any(row[name] != value for name, value in changes.items()):
        changes |= {"status": INTERRUPTED, "figures": None, "reason": ""}
        write_row(connection, {**row, **changes}, changes)
    return number


def _new_row(sources: Sequence[Source]) -> dict[str, Any]:
    """A merged run without any unit."""
    first = sources[0]
    shares = Shares(first.shares.cut)
    row = dict(first.run.row) | {"pid": 0, "ended": None, "status": INTERRUPTED, "figures": None, "reason": "", "seconds": 0.0}
    row |= {"asked": sum(part.games for part in shares.parts), "done": 0, "faults": 0, "kept": 0, "shares": shares.to_text()}
    row |= {"command": whole_command(first.run.command), "config": json.dumps(first.run.config)}
    del row["id"]
    return row


def _changes(run: Run, sources: Sequence[Source]) -> dict[str, Any]:
    """What a merged run says of itself once these shares are in it: the same in whatever order they come."""
    runs = [run, *(source.run for source in sources)]
    seconds = seconds_of(run)
    for source in sources:
        seconds |= {share: max(spent, seconds.get(share, 0.0)) for share, spent in source.seconds.items()}
    in_order = dict(sorted(seconds.items(), key=lambda entry: (entry[0] == HERE, entry[0] != HERE and Shard.parse(entry[0]))))
    assert run.shares is not None  # it was merged
    return {
        "config": json.dumps(chosen_config(runs)),
        "command": min(whole_command(each.command) for each in runs),
        "version": max(each.version for each in runs),
        "started": min(each.started for each in runs),
        "ended": max((each.ended for each in runs if each.ended is not None), default=None),
        "host": ", ".join(sorted({host for each in runs for host in each.host.split(", ")})),
        "seconds": math.fsum(in_order.values()),
        "shares": replace(run.shares, merged=in_order).to_text(),
    }


def chosen_config(runs: Sequence[Run]) -> dict[str, Any]:
    """Of equal configurations from several folders, one whose files of bots are here, if there is any."""
    kind = kind_of(runs[0])
    configs = [run.config for run in runs]
    if configs[0].get("files"):
        configs += [{**config, "folder": str(Path.cwd())} for config in configs]

    def preference(config: dict[str, Any]) -> tuple[bool, str]:
        try:
            kind.check_files(config)
        except KibitzError:
            return True, json.dumps(config)
        return False, json.dumps(config)

    return min(configs, key=preference)


def _finished(store: Store, run: Run, sources: Sequence[Source]) -> MergedRun:
    """Keep the figures of a run that is whole; or say what is missing."""
    if run.done < (run.asked or 0):
        return MergedRun(run, _missing(store, run, sources))
    if run.status != COMPLETE:
        experiment, result = recalled(store, run)
        with store.writing() as connection:
            changes = {"status": COMPLETE, "figures": json.dumps(experiment.figures(result), allow_nan=False)}
            write_row(connection, {**run.row, **changes}, changes)
        run = read_run(store, run.id)
    return MergedRun(run)


# -- what is missing --


def _missing(store: Store, run: Run, sources: Sequence[Source]) -> list[MissingShare]:
    """What nobody has played yet, by shares of the greatest number that was merged."""
    assert run.shares is not None  # it was merged
    units = missing_units(store, run)
    count = max(Shard.parse(share).count for share in run.shares.merged if share != HERE)
    left = {(part, unit) for part, found in units.items() for unit in found}
    found: dict[int, dict[int, list[Unit]]] = {}
    for index, part, piece in dealt(run.shares.parts, count):
        if (part, piece) in left:
            found.setdefault(index, {}).setdefault(part, []).append(piece)
    return [MissingShare(shard := Shard(index, count), found[index], _command_for(run, shard, sources)) for index in sorted(found)]


def _command_for(run: Run, shard: Shard, sources: Sequence[Source]) -> str:
    """The command that plays what is missing of a share: where it was begun, or into a store beside those of the others."""
    identity = Source("", run).identity
    mine = {source.shares.shard: source for source in sources if source.shares.shard and source.identity == identity}
    if shard in mine:
        return shlex.join(["kibitz", "resume", str(mine[shard].run.id), "--store", mine[shard].name])
    path = next((sibling(source.name, other, str(shard.index)) for other, source in mine.items()), f"part-{shard.index}.sqlite")
    return f"{whole_command(run.command)} {shlex.join(['--shard', str(shard), '--store', path])}"


def whole_command(command: str) -> str:
    """A command without its share and its files."""
    words = shlex.split(command)
    dropped = ("--shard", "--store", "--json")
    kept = [
        word
        for place, word in enumerate(words)
        if word.partition("=")[0] not in dropped and (place == 0 or words[place - 1] not in dropped)
    ]
    return shlex.join(kept)
