"""The command of any experiment: one way to run it, keep it and show what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperCommand, TyperGroup

from kibitz.cli.options import (
    ClusterAddress,
    DecisionSeconds,
    JsonFile,
    NoStore,
    Share,
    StoreFile,
    UsageError,
    announcing,
    check_json_path,
    check_store,
    console,
    settling,
    storing,
    tell,
    typed_command,
    write_json,
)
from kibitz.cli.settings_command import command_from
from kibitz.core.errors import BadValue

if TYPE_CHECKING:
    from kibitz.experiments.experiment import Experiment
    from kibitz.experiments.shares import ShareDone
    from kibitz.runs.database import Store
    from kibitz.runs.store import Run, RunLedger

    Show = Callable[[Experiment[Any], Any], None]

# What every command of an experiment has besides its settings.
SHARED_OPTIONS: dict[str, tuple[Any, Any]] = {
    "shard": (Share, None),
    "cluster": (ClusterAddress, None),
    "decision_seconds": (DecisionSeconds, None),
    "json": (JsonFile, None),
    "store": (StoreFile, None),
    "no_store": (NoStore, False),
}


def print_and_serve(experiment: Experiment[Any], result: Any) -> None:
    """What came of it: on the terminal, and in the files that were asked for."""
    experiment.print(result, console())
    experiment.serve(result)


def run(
    experiment: Experiment[Any],
    json: str | None,
    store: str | None,
    no_store: bool,
    decision_seconds: float | None = None,
    shard: str | None = None,
    cluster: str | None = None,
    show: Show = print_and_serve,
) -> int:
    """Check an experiment, keep it in the store while it is played here or on a cluster, and show what came of it; the exit code.

    With `shard` only that share of it is played. How long a decision may take is seen to where the option is read.
    """
    check_json_path(json)
    if shard is not None:
        check_one_way(f"--shard {shard}", cluster)
        return play_shard(experiment, shard, json, store, no_store)
    if json == "-" and experiment.prints_by:
        raise BadValue(f"{experiment.prints_by} and --json - both write to standard output; give --json a file.")
    experiment.check()
    for line in experiment.remarks():
        tell(line)
    with (
        joining(cluster, experiment),
        storing(experiment.kind, experiment.to_config(), experiment.total(), store, no_store) as ledger,
    ):
        return finish(experiment.going(ledger=ledger), json, show)


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


def go_on(
    store: Store, run: Run, json: str | None = None, threads: int | None = None, cluster: str | None = None, show: Show = print_and_serve
) -> int:
    """Go on with a run of the store that may be resumed, here or on a cluster, and show what came of it; the exit code."""
    from kibitz.experiments.experiment import in_its_folder, kind_of
    from kibitz.runs.store import reopen

    if run.share:
        check_one_way(run.share, cluster)
    target = json if json in (None, "-") else str(Path(json).absolute())
    with in_its_folder(run):
        experiment = kind_of(run).from_config(run.config).going(threads=threads)
        with joining(cluster, experiment), reopen(store, run.id) as ledger, settling(ledger):
            experiment = experiment.going(ledger=ledger)
            return finish_share(experiment, ledger, target) if run.share else finish(experiment, target, show)


def finish(experiment: Experiment[Any], json: str | None, show: Show = print_and_serve) -> int:
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
    if json == "-":
        experiment.serve(result)
    else:
        show(experiment, result)
    return code


# -- a share --


def check_one_way(share: str, cluster: str | None) -> None:
    """Refuse a share on a cluster."""
    if cluster is not None:
        raise BadValue(f"{share} and --cluster are two ways to use many machines; choose one of them.")


def play_shard(experiment: Experiment[Any], text: str, json: str | None, store: str | None, no_store: bool) -> int:
    """Play a share of an experiment into a store, or go on with it if the store has it; the exit code."""
    from kibitz.experiments.earlier_runs import earlier_share
    from kibitz.experiments.shares import ShareDone, check_divisible
    from kibitz.runs.database import open_store, store_path
    from kibitz.runs.shards import Shard, Shares, games_of
    from kibitz.runs.store import COMPLETE, begin, reopen

    shard = Shard.parse(text)
    check_divisible(experiment)
    check_store(store, no_store)
    if store is None:
        raise BadValue(f"--shard {shard} needs a store of its own: --store part-{shard.index}.sqlite")
    experiment.check()
    shares = Shares.of(experiment.ledger_parts(), shard)
    for line in experiment.remarks():
        tell(line)
    with open_store(store_path(store)) as opened:
        earlier = earlier_share(opened, experiment, shares)
        if earlier and earlier.status == COMPLETE:
            return show_share(ShareDone(opened.path, earlier), json)
        if earlier:
            tell(f"kibitz: {store} has begun {shard.in_words} as run {earlier.id}, which goes on")
            ledger = reopen(opened, earlier.id)
        else:
            games = games_of(shares.own)
            ledger = begin(opened, experiment.kind, experiment.to_config(), typed_command(), games, shares)
        with ledger, settling(ledger):
            return finish_share(experiment.going(ledger=ledger), ledger, json)


def finish_share(experiment: Experiment[Any], ledger: RunLedger, json: str | None) -> int:
    """Play what the ledger does not have yet of its share, and say how far it is; the exit code."""
    from kibitz.experiments.experiment import Interrupted
    from kibitz.experiments.shares import ShareDone
    from kibitz.report.progress import Bar
    from kibitz.runs.store import read_run

    code = 0
    done = ShareDone(ledger.store.path, read_run(ledger.store, ledger.id))
    with announcing(), Bar(done.games or 1) as progress:
        try:
            experiment.going(progress=progress).play_share(done.shares.own)
        except (Interrupted, KeyboardInterrupt):
            code = 130
    done = ShareDone(ledger.store.path, read_run(ledger.store, ledger.id))
    if not code and not done.complete:
        raise BadValue(
            f"`kibitz {experiment.kind}` kept {done.run.done:,} games of a share of {done.games:,}: its `part_of` is not what it plays."
        )
    ledger.interrupt() if code else ledger.finish(None)
    return show_share(done, json) or code


def show_share(done: ShareDone, json: str | None) -> int:
    """Say how far a share is; the exit code."""
    write_json(json, done.to_dict())
    if json != "-":
        for line in done.in_words():
            console().print(line, markup=False, soft_wrap=True)
    return 0


# -- the command --


def experiment_from(words: Sequence[str]) -> Experiment[Any]:
    """The experiment that a command line asks for: `kibitz study rules --games 2000` without the program's name. Nothing is played."""
    from kibitz.experiments.experiment_kinds import experiment_kinds, find_kind

    known = experiment_kinds()
    kind = next((kind for kind in (" ".join(words[:2]), " ".join(words[:1])) if kind in known), None)
    if kind is None:
        raise BadValue(f"'{' '.join(words[:2])}' is no experiment; these are {', '.join(known)}.")
    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command()(command_from(find_kind(kind), lambda experiment: experiment))
    try:
        found: Experiment[Any] | int = app(list(words[len(kind.split()) :]), standalone_mode=False, prog_name=kind)
    except UsageError as error:
        raise BadValue(" ".join(error.format_message().split())) from None
    if isinstance(found, int):
        raise BadValue("a command that only prints its help is no experiment.")
    return found


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
