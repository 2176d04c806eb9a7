"""The command of any experiment: one way to run it, keep it and show what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from kibitz.cli.options import (
    ClusterAddress,
    DecisionSeconds,
    JsonFile,
    NoStore,
    StoreFile,
    announcing,
    check_json_path,
    console,
    storing,
    tell,
    write_json,
)
from kibitz.cli.settings_command import command_from
from kibitz.core.errors import BadValue

if TYPE_CHECKING:
    from kibitz.experiments.experiment import Experiment

# What every command of an experiment has besides its settings.
SHARED_OPTIONS = {
    "decision_seconds": (DecisionSeconds, None),
    "cluster": (ClusterAddress, None),
    "json": (JsonFile, None),
    "store": (StoreFile, None),
    "no_store": (NoStore, False),
}


def run(
    experiment: Experiment[Any],
    json: str | None,
    store: str | None,
    no_store: bool,
    decision_seconds: float | None = None,
    cluster: str | None = None,
) -> int:
    """Check an experiment, keep it in the store while it is played here or on a cluster, and show what came of it; the exit code.

    How long a decision may take is seen to where the option is read.
    """
    check_json_path(json)
    if json == "-" and experiment.prints_by:
        raise BadValue(f"{experiment.prints_by} and --json - both write to standard output; give --json a file.")
    experiment.check()
    for line in experiment.remarks():
        tell(line)
    with (
        joining(cluster, experiment),
        storing(experiment.kind, experiment.to_config(), experiment.total(), store, no_store) as ledger,
    ):
        return finish(experiment.going(ledger=ledger), json)


@contextmanager
def joining(address: str | None, experiment: Experiment[Any]) -> Iterator[None]:
    """In this block, an experiment is played on a cluster, if its address is given."""
    if address is None:
        yield
        return
    from kibitz.runs.cluster.dispatcher import joined

    with joined(address, experiment.named_files(), experiment.named_games(), experiment.threads, experiment.guards_needed()) as cluster:
        tell(f"on a Ray cluster at {cluster.address}: {cluster.shown()}")
        yield


def finish(experiment: Experiment[Any], json: str | None) -> int:
    """Play what the ledger does not have yet, and show what came of it; the exit code."""
    from kibitz.experiments.experiment import Interrupted
    from kibitz.runs.store import RunLedger

    ledger = experiment.ledger
    code = 0
    with announcing(), experiment.display() as progress:
        try:
            result = experiment.going(progress=progress).play()
        except Interrupted as stop:
            result, code = stop.result, 130
    figures = experiment.figures(result)
    if isinstance(ledger, RunLedger):
        ledger.interrupt() if code else ledger.finish(figures)
    write_json(json, figures)
    if json != "-":
        experiment.print(result, console())
    experiment.serve(result)
    return code


# -- the command --


def command_of(kind: str) -> type[TyperCommand]:
    """The command of an experiment, whose module is imported when the command is used."""

    class LazyCommand(TyperCommand):
        """Stands in the list of commands, and makes the real one of its experiment."""

        @cached_property
        def made(self) -> Any:
            """The command with its options."""
            from kibitz.experiments.experiment_kinds import find_kind

            app = typer.Typer(rich_markup_mode=None, add_completion=False, context_settings=dict(self.context_settings))
            app.command(self.name)(command_from(find_kind(kind), run, SHARED_OPTIONS))
            return typer.main.get_command(app)

        def make_context(self, *words: Any, **named: Any) -> Any:
            """Read the command line with the options of the experiment."""
            return self.made.make_context(*words, **named)

    return LazyCommand


class ExperimentGroup(TyperGroup):
    """Commands of several words, such as those below `kibitz study`; what games bring is looked up when it is asked for."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The last words of their names."""
        return list(self._listed())

    def get_command(self, ctx: Any, name: str) -> Any:
        """One of them."""
        return lazy_command(f"{self.name} {name}", self._listed()[name]) if name in self._listed() else None

    def _listed(self) -> dict[str, str]:
        from kibitz.experiments.experiment_kinds import experiment_kinds

        words = [(kind.partition(" "), about) for kind, (_, about) in experiment_kinds().items()]
        return {word: about for (group, _, word), about in words if group == self.name and word}


def lazy_command(kind: str, about: str) -> Any:
    """The command of an experiment, made when it is used."""
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command(kind.rpartition(" ")[2], cls=command_of(kind), help=about)(lambda: None)
    return typer.main.get_command(app)
