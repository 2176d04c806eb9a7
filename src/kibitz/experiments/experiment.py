"""An experiment: one dataclass of settings that can be played, kept, recalled and shown.

Whatever is an experiment has a command, a function in Python and a place in the store without a line of its own for that:
`kibitz.cli.experiment_command` runs any of them, and `kibitz resume`, `kibitz runs` and `kibitz report` find them by their kind.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, chdir, nullcontext
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    Generic,
    NamedTuple,
    ParamSpec,
    Protocol,
    Self,
    TypeVar,
    get_args,
    get_type_hints,
)

from kibitz import __version__, registry
from kibitz.bots.object_bot import ObjectBot
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.public import public_command, public_names
from kibitz.core.reading import LARGE_FILE, is_file, read_bytes
from kibitz.experiments.experiment_kinds import experiment_kinds, find_kind
from kibitz.experiments.settings import INTERNAL, PYTHON_ONLY, SettingField, Threads, bots_in, check_settings, plain, settings_of
from kibitz.report.formatting import BEGIN_MARK, END_MARK
from kibitz.report.progress import Bar
from kibitz.runs.ledger import Ledger
from kibitz.runs.shards import LedgerPart, Share
from kibitz.runs.store import Run, RunLedger, results_version, understood

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.experiments.stored_games import Part
    from kibitz.report.html_page import PageSettings
    from kibitz.report.plotting import Plot
    from kibitz.runs.database import Store

DATED = "%Y-%m-%d %H:%M UTC"


class ExperimentResult(Protocol):
    """What an experiment gives back."""

    seconds: float

    @property
    def complete(self) -> bool:
        """Whether everything was played."""

    def to_dict(self) -> dict[str, Any]:
        """The figures as they stand in JSON."""


R = TypeVar("R", bound=ExperimentResult)
P = ParamSpec("P")


class Interrupted(Exception):
    """Ctrl-C in a long experiment: `result` holds what was done."""

    def __init__(self, result: Any) -> None:
        super().__init__("interrupted")
        self.result = result


class LiveRow(NamedTuple):
    """How one bot fares, for the page of a run while it is played."""

    bot: str
    games: int
    wins: int | None
    win_rate: float | None
    points: int
    mean: float
    error: float | None


@dataclass(frozen=True, eq=False, kw_only=True)
class Experiment(ABC, Generic[R]):
    """What all experiments have in common. With a ledger, what it has is not played again, and finished work is kept there."""

    threads: Threads = None
    progress: Annotated[Any, PYTHON_ONLY] = None  # told what was done
    ledger: Annotated[Ledger | None, PYTHON_ONLY] = None
    absent: Annotated[bool, INTERNAL] = False  # whether only what the ledger has is wanted, and no file of a bot may be loaded

    kind: ClassVar[str]
    has_stand_ins: ClassVar[bool] = False  # whether bots that are absent are replaced by their names
    keeps_outcomes: ClassVar[bool] = False  # whether the store has how every game ended, so that no bot is needed to list them

    # -- playing --

    def check(self) -> None:
        """Refuse what cannot be played or written, before anything is."""
        check_settings(self)

    def remarks(self) -> list[str]:
        """What to say before it begins."""
        return []

    @property
    def prints_by(self) -> str:
        """The option by which it prints while it is played."""
        return ""

    @abstractmethod
    def total(self) -> int | None:
        """How many games it will take; None if that is found out on the way."""

    def display(self) -> AbstractContextManager[Any]:
        """Shows progress on the terminal; what it gives is told."""
        return Bar(self.total() or 1)

    @abstractmethod
    def play(self) -> R:
        """Play what is not in the ledger yet. Ctrl-C raises `Interrupted`."""

    @abstractmethod
    def recall(self, run: Run | None = None) -> R:
        """What the ledger has, without playing or loading a bot; of a stored run with the time that it took."""

    # -- in shares --

    @property
    def not_in_shards(self) -> str:
        """Why it can't be played in shares, as a sentence; empty if it can."""
        return f"--shard can't divide `kibitz {self.kind}`, whose games aren't known beforehand; --cluster plays it on many machines."

    def ledger_parts(self) -> list[LedgerPart]:
        """The parts of its ledger, numbered from 0, and how each is cut for shares."""
        raise NotImplementedError

    def play_share(self, share: Share) -> None:
        """Play what is not in the ledger yet of some slices, by part; no figures come of it. Ctrl-C ends it."""
        raise NotImplementedError

    # -- playing it elsewhere --

    def going(self, **how: Any) -> Self:
        """The same experiment with another ledger, progress or number of threads."""
        other = copy(self)
        other.__dict__.update(how)
        return other

    @property
    def earlier(self) -> float:
        """The seconds that a stored run was played for before it went on."""
        return float(getattr(self.ledger, "earlier", 0.0))

    # -- on a cluster --

    def named_files(self) -> list[str]:
        """The files of bots and of weights that its bots name; they travel to a cluster."""
        return [file for name in self.bots_of(self.kept()) for file in registry.files_of(name)]

    def named_games(self) -> list[str]:
        """The games that it plays; those of other packages travel to a cluster."""
        return [game] if isinstance(game := self.kept().get("game"), str) else []

    def guards_needed(self) -> str:
        """Who knows which guards of outside bots a machine has, as `module:name`, if such bots play; else nothing."""
        return ""

    # -- showing --

    def figures(self, result: R) -> dict[str, Any]:
        """The figures as JSON."""
        return result.to_dict()

    @abstractmethod
    def print(self, result: R, console: Console) -> None:
        """The figures on the terminal."""

    def serve(self, result: R) -> None:
        """Write the files that were asked for, as far as the result allows."""

    def markdown(self, result: R, before: str = "") -> str:
        """The tables for a page of Markdown; parts of what stands there `before` may stay."""
        raise BadValue(f"the figures of `kibitz {self.kind}` have no place on a page of Markdown.")

    def marks(self) -> tuple[str, str]:
        """The markers around them on that page."""
        return BEGIN_MARK, END_MARK

    def made(self) -> tuple[str, str]:
        """The version of Kibitz that played it, and the day: of a stored run, whenever its figures are shown."""
        known = isinstance(self.ledger, RunLedger) and self.ledger.ended is not None
        version, ended = (self.ledger.version, self.ledger.ended) if known else (__version__, time.time())  # type: ignore[union-attr]  # it is known
        return version, time.strftime("%Y-%m-%d", time.localtime(ended))

    @abstractmethod
    def page(self, result: R, settings: PageSettings) -> str:
        """The page of a run."""

    @abstractmethod
    def plots(self, result: R) -> list[Plot]:
        """The plots of that page."""

    def rows(self, result: R) -> list[LiveRow]:
        """How everybody fares so far."""
        return []

    def title(self) -> str:
        """What is played, in a few words."""
        return self.kind

    # -- in the store --

    def settled(self) -> dict[str, Any]:
        """Values of settings as they were understood, such as full names, where that is more than what was given."""
        return {}

    def kept(self) -> dict[str, Any]:
        """The settings that decide the figures, as JSON."""
        settled = self.settled()
        return {field.key: plain(settled.get(field.name, getattr(self, field.name))) for field in _kept(type(self))}

    def to_config(self) -> dict[str, Any]:
        """All that decides the figures, with a fingerprint of each file of a bot or of weights: what a stored run keeps."""
        kept = self.kept()
        return {"command": self.kind, **kept, "folder": str(Path.cwd()), "files": fingerprints(self.bots_of(kept))}

    @classmethod
    def from_config(cls, config: Mapping[str, Any], absent: bool = False) -> Self:
        """The experiment of a stored run; with `absent`, enough of it to read what is there."""
        values = cls.values_in(config)
        if absent and cls.has_stand_ins:
            shown = public_names(cls.bots_of(config))
            for field in _kept(cls):
                if field.setting.names_bots:
                    values[field.name] = _absent(values[field.name], shown)
        return cls(**values, absent=absent)

    @classmethod
    def values_in(cls, config: Mapping[str, Any]) -> dict[str, Any]:
        """The values of the settings in a configuration."""
        return {field.name: config[field.key] for field in _kept(cls) if field.key in config or not field.setting.is_newer}

    @classmethod
    def bots_of(cls, config: Mapping[str, Any]) -> list[str]:
        """The bots that a configuration names."""
        return [name for field in _kept(cls) if field.setting.names_bots for name in bots_in(config.get(field.key))]

    @classmethod
    def check_files(cls, config: Mapping[str, Any], trusted: bool = False) -> None:
        """Refuse a config whose bot files are not what they were, or that names one it has no fingerprint of; none of them is loaded.

        With `trusted`, only files that are loaded into this process matter.
        """
        folder, known = Path(config.get("folder", ".")), config.get("files", {})
        for file in _files_of(cls.bots_of(config), folder):
            if str(file) not in known:
                raise BadBot(f"bot file {file} has no fingerprint in the run, so nobody knows whether it is the same; start a new run.")
        for name, fingerprint in known.items():
            path = folder / name
            if not is_file(path):
                raise BadBot(f"bot file {path} does not exist any more; the run needs it as it was when it began.")
            if _fingerprint(path) != fingerprint:
                raise BadBot(f"bot file {path} has changed since the run began; start a new run with the bot as it is now.")

    @classmethod
    def loads_files(cls, config: Mapping[str, Any], or_starts: bool = False) -> bool:
        """Whether bots in files are loaded to play it, or with `or_starts` programs of others started; weights are numbers."""
        return any(map(registry.is_file_name, config.get("files") or ()))

    @classmethod
    def portable(cls, config: Mapping[str, Any]) -> dict[str, Any]:
        """A configuration without folders of a machine and what is written where: equal ones ask for the same games."""
        paths = {field.key for field in _kept(cls) if Path in (field.type, *get_args(field.type))}
        outputs = {field.key for field in _kept(cls) if field.setting.is_output}
        decisive = {key: value for key, value in config.items() if key != "folder" and key not in outputs}
        return {key: Path(value).name if key in paths and value else value for key, value in decisive.items()}

    def parts(self, run: Run) -> list[Part]:
        """The games of a stored run, by line-up."""
        raise BadValue(f"run {run.id} is of kind '{run.kind}', which has no games to show.")


def _kept(experiment: type) -> Iterator[SettingField]:
    return (field for field in settings_of(experiment) if field.setting.is_kept)


def _absent(value: Any, shown: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        return stand_in(value, shown[value])
    return [_absent(name, shown) for name in value] if isinstance(value, Sequence) else value


def stand_in(name: str, shown: str | None = None) -> registry.Entrant:
    """A bot that is only a name."""
    return registry.Entrant(shown or public_names([name])[name], ObjectBot(name, _nobody, name))


def _nobody() -> Any:
    raise AssertionError("an absent bot is a name and nothing else")


def fingerprints(names: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of each file that holds one of these bots, or the weights of one."""
    chosen = list(names)
    weights = [Path(file) for name in chosen for file in registry.weights_of(name)]
    return bot_fingerprints(chosen) | {str(path): _fingerprint(path) for path in weights if is_file(path)}


def bot_fingerprints(names: Iterable[str]) -> dict[str, str]:
    """The SHA-256 of each file that holds one of these bots."""
    return {str(path): _fingerprint(path) for path in _files_of(names, Path()) if path.is_file()}


def _files_of(names: Iterable[str], folder: Path) -> list[Path]:
    """The files that the names of bots begin with, seen from a folder; built-in bots have none."""
    return list(dict.fromkeys(Path(registry.split_file(name, folder)[0]) for name in names if registry.is_file_name(name)))


def _fingerprint(path: Path) -> str:
    return hashlib.sha256(read_bytes(path, "bot file", LARGE_FILE)).hexdigest()


# -- by kind --


def kind_of(run: Run) -> type[Experiment[Any]]:
    """The experiment that a stored run is of."""
    known = experiment_kinds()
    if run.kind not in known:
        raise BadValue(f"run {run.id} is of kind '{run.kind}', which this kibitz does not know; it is {', '.join(known)}.")
    return find_kind(run.kind)


def check_whole(run: Run) -> None:
    """Refuse a run that is a share: it has no figures, and its games lie among those of the other shares."""
    if run.share:
        raise BadValue(f"run {run.id} is {run.share}; merge it with the others first: kibitz merge OUT part-*.sqlite")


def recalled(store: Store, run: Run) -> tuple[Experiment[Any], Any]:
    """A stored run as an experiment without bots, and its figures as far as they are known."""
    check_whole(run)
    with understood(run):
        experiment = kind_of(run).from_config(run.config, absent=True).going(ledger=RunLedger(store, run))
        return experiment, experiment.recall(run)


def page_of(run: Run, experiment: Experiment[Any], found: Any) -> str:
    """The page of a run, without the folders of this machine."""
    from kibitz.report.html_page import PageSettings

    settings = PageSettings(public_command(run.command), run.version, time.strftime(DATED, time.gmtime(run.started)), run.id)
    with understood(run):
        return experiment.page(found, settings)


def in_its_folder(run: Run) -> AbstractContextManager[None]:
    """A block in which the files of a run have the names by which it knows them."""
    return chdir(run.config["folder"]) if is_elsewhere(run.config) else nullcontext()


def is_elsewhere(config: Mapping[str, Any]) -> bool:
    """Whether a run knows its files by names that hold in another folder, where it was begun."""
    anywhere = all(Path(file).is_absolute() and not registry.is_file_name(file) for file in config.get("files") or ())
    return not anywhere and Path(config.get("folder", Path.cwd())) != Path.cwd()


def check_resumable(run: Run, files: bool = True, trusted: bool = False) -> None:
    """Refuse a run that would not end in the figures it was begun for, before any bot is loaded; without `files`, none is looked at."""
    with understood(run):
        kind_of(run).from_config(run.config, absent=True).check()
        now = results_version(run.config)
    if run.results_version != now:
        raise BadValue(
            f"run {run.id} was begun with version {run.results_version} of the results of {run.config.get('game')}, and this kibitz has "
            f"version {now}, so equal seeds may give other games; resume it with kibitz {run.version}, or start again: {run.command}"
        )
    if run.config.get("jit") and os.environ.get("KIBITZ_JIT") == "0":
        raise BadValue(f"run {run.id} was begun compiled, but KIBITZ_JIT is 0; unset it to resume the run.")
    if files:
        with understood(run):
            kind_of(run).check_files(run.config, trusted)


def function_of(experiment: Callable[P, Experiment[R]], name: str) -> Callable[P, R]:
    """An experiment as a function: its settings are the parameters, and it gives back what was found."""

    def function(*arguments: P.args, **named: P.kwargs) -> R:
        made = experiment(*arguments, **named)
        made.check()
        return made.play()

    assert isinstance(experiment, type) and issubclass(experiment, Experiment)
    parameters = inspect.signature(experiment).parameters
    shown = [field for field in settings_of(experiment) if field.setting is not INTERNAL]
    found = get_type_hints(experiment.play)["return"]
    function.__name__ = function.__qualname__ = name
    function.__doc__ = experiment.__doc__
    function.__module__ = experiment.__module__
    function.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # what inspect.signature looks for
        [parameters[field.name].replace(annotation=field.type) for field in shown], return_annotation=found
    )
    return function
