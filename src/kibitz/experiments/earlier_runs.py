"""Runs of the store that ask for what an experiment asks: figures are not made twice, and the same command goes on with its share.

What decides whether two configurations ask for the same is `Experiment.portable` alone.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from kibitz.core.errors import KibitzError
from kibitz.experiments.experiment import Experiment, kind_of
from kibitz.runs.database import Store
from kibitz.runs.shards import Shares
from kibitz.runs.store import COMPLETE, Run, list_runs, results_version, understood


def find_run(store: Store, kind: str, config: Mapping[str, Any]) -> Run | None:
    """The run that gives the figures of a configuration today, if there is one: complete if possible, else the newest that has its files.

    Where it was begun doesn't matter, unless it has to go on there.
    """
    whole = [run for run in _same_runs(store, kind, config) if not run.share]
    return next((run for run in whole if run.status == COMPLETE), None) or next((run for run in whole if _has_its_files(run)), None)


def earlier_share(store: Store, experiment: Experiment[Any], shares: Shares) -> Run | None:
    """The run of the same share that a store has: the same command goes on with it."""
    kept = ((run, run.shares) for run in shares_of(store, experiment))
    return next((run for run, its in kept if its and (its.shard, its.cut) == (shares.shard, shares.cut)), None)


def shares_of(store: Store, experiment: Experiment[Any]) -> Iterator[Run]:
    """The shares of an experiment that a store has, the newest first."""
    return (run for run in _same_runs(store, experiment.kind, experiment.to_config()) if run.share)


def _same_runs(store: Store, kind: str, config: Mapping[str, Any]) -> Iterator[Run]:
    """The runs that ask for the same games, the newest first."""
    kept, version = json.loads(json.dumps(config)), results_version(config)
    for run in list_runs(store):
        if (run.kind, run.results_version) == (kind, version) and _is_same(run, kept):
            yield run


def _is_same(run: Run, config: Mapping[str, Any]) -> bool:
    with understood(run):
        kind = kind_of(run)
        return kind.portable(run.config) == kind.portable(config)


def _has_its_files(run: Run) -> bool:
    try:
        with understood(run):
            kind_of(run).check_files(run.config)
    except KibitzError:
        return False
    return True
