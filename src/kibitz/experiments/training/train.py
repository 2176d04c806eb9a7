"""What every `kibitz train …` does alike: checks before it begins, checkpoints now and then, an end at Ctrl-C, a curve."""

from __future__ import annotations

import json
import math
import os
import shlex
import signal
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from kibitz import __version__, registry
from kibitz.core.errors import BadValue, ClusterFailure
from kibitz.core.public import public
from kibitz.core.reading import check_name, is_folder
from kibitz.experiments.experiment import Experiment, Interrupted
from kibitz.experiments.settings import INTERNAL, Setting, settings_of
from kibitz.experiments.training.checkpoint import checkpoint_of
from kibitz.experiments.training.plan import SELF, split_names
from kibitz.experiments.training.training import Training
from kibitz.policies.weight_files import draft_of
from kibitz.report.console import tell
from kibitz.runs.store import Run
from kibitz.runs.units import Unit
from kibitz.runs.watchdog import watchdog

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.report.html_page import PageSettings
    from kibitz.report.plotting import Plot

BESIDE = (".csv", ".svg")  # what a training may leave beside its weights


@dataclass
class Trained:
    """How a training stands: games learned from, of how many, and its curve: games, share of wins in %, its error."""

    kind: str
    out: str
    games: int
    wanted: int
    standing: str = ""
    curve: list[tuple[int, float, float | None]] = field(default_factory=list)
    seconds: float = 0.0
    complete: bool = True

    def to_dict(self) -> dict[str, Any]:
        """As it stands in JSON."""
        facts = {"command": self.kind, **{name: value for name, value in vars(self).items() if name != "kind"}}
        return {**facts, "version": __version__, "results_version": registry.game().results_version}


@dataclass(frozen=True, eq=False, kw_only=True)
class Train(Experiment[Trained]):
    """A training: it keeps a checkpoint beside its weights, and in a ledger how far it is."""

    out: Annotated[Path, Setting("The file of weights to write; a checkpoint lies beside it meanwhile.", "-o")]
    resume: Annotated[bool, Setting("Go on from the checkpoint beside --out; its own options apply.")] = False
    every: Annotated[float, Setting("Seconds from one checkpoint to the next.", "--checkpoint")] = 20.0
    goes_on: Annotated[bool, INTERNAL] = False  # whether it is a stored run, which has a checkpoint if it came so far

    training_class: ClassVar[type[Training[Any]]]

    # -- learning --

    @property
    def plan(self) -> Any:
        """The settings that decide the weights, by themselves."""
        kind = self.training_class.plan_class
        return kind(**{field.name: getattr(self, field.name) for field in fields(kind)})

    @cached_property
    def training(self) -> Training[Any]:
        """The training of the checkpoint, or a new one; a checkpoint is never overwritten by accident."""
        out = Path(self.out)
        check_out(out)
        checkpoint = checkpoint_of(out)
        if self.resume or (self.goes_on and os.path.exists(checkpoint)):
            return self.training_class.load(checkpoint)
        if self.goes_on and self._kept():
            raise BadValue(f"checkpoint {checkpoint} of the training is gone, so it cannot go on; start it again.")
        training = self.training_class(self.plan)
        if os.path.exists(checkpoint):
            raise BadValue(f"checkpoint {checkpoint} of an earlier training is there; go on with --resume, or delete it.")
        return training

    def check(self) -> None:
        """Refuse what cannot be learned or written."""
        super().check()
        if self.absent:
            return
        assert self.training  # says what is wrong with files and numbers
        if not 0 <= self.every < math.inf:
            raise BadValue(f"--checkpoint {self.every:g} is out of range: 0 seconds or more.")

    def total(self) -> int:
        """Games of all steps."""
        return self.training.total_games

    def play(self) -> Trained:
        """Learn to the end or to Ctrl-C, with a checkpoint every so many seconds and one at Ctrl-C.

        A second Ctrl-C ends it in the middle of a step, of which nothing can be kept: it goes on from the checkpoint before.
        """
        training, out = self.training, Path(self.out)
        checkpoint = checkpoint_of(out)
        games = training.plan.step_games
        found = self._found(training)
        asked: list[int] = []
        saved = start = time.monotonic()
        self._tell(training, training.games)

        def keep(now: Any) -> None:
            nonlocal saved
            now.save(checkpoint)
            saved = time.monotonic()
            self._keep(now, found)

        def progress(now: Any) -> None:
            now.write_log(out)
            self._tell(now, games)
            if asked and not now.finished:
                keep(now)
                raise KeyboardInterrupt
            if time.monotonic() - saved >= self.every:
                keep(now)

        with interrupts_between_steps(asked), suppress(KeyboardInterrupt):
            try:
                training.run(self.threads, progress, getattr(self, "jit", True))
            except ClusterFailure:  # it stands at the end of a step, and goes on from there
                if training.games > found.games:
                    keep(training)
                raise
        if training.finished:
            self._keep(training, found)
        found.games, found.complete, found.standing = training.games, training.finished, training.standing()
        found.seconds = self.earlier + time.monotonic() - start
        if not training.finished:
            training.draw_log(out)
            self.tell_interrupted()
            raise Interrupted(found)
        found.standing = training.write_weights(out)
        checkpoint.unlink(missing_ok=True)
        return found

    def _tell(self, training: Training[Any], games: int) -> None:
        if self.progress:
            self.progress(training.standing(), games)

    def _found(self, training: Training[Any] | None = None) -> Trained:
        """How it stands by the ledger."""
        found = Trained(self.kind, str(self.out), 0, training.total_games if training else 0)
        for unit, kept in self._kept().items():
            found.games = unit.first + unit.count
            facts = json.loads(kept)
            found.standing, found.wanted = facts["standing"], facts["wanted"]
            if facts["measured"]:
                found.curve.append((found.games, *facts["measured"]))
        return found

    def _kept(self) -> Mapping[Unit, bytes]:
        return self.ledger.finished(0) if self.ledger else {}

    def _keep(self, training: Training[Any], found: Trained) -> None:
        """Let the ledger know how far it is; the checkpoint is written by then."""
        games, measured = training.games, training.measure()
        if games <= found.games:
            return
        if self.ledger:
            facts = {"standing": training.standing(), "wanted": found.wanted, "measured": measured}
            self.ledger.keep(0, Unit(found.games, games - found.games), json.dumps(facts).encode())
        found.games = games
        if measured:
            found.curve.append((games, *measured))

    def tell_interrupted(self) -> None:
        """Say how it goes on without a store."""
        goes_on = shlex.join(["kibitz", *self.kind.split(), "--out", str(self.out), "--resume"])
        kept = os.path.exists(checkpoint_of(Path(self.out)))
        tell(f"kibitz: interrupted; go on with: {goes_on}" if kept else "kibitz: interrupted before anything could be kept.")

    def recall(self, run: Run | None = None) -> Trained:
        """How far it is."""
        found = self._found()
        if run and run.figures is not None:
            facts = {name: run.figures[name] for name in ("games", "wanted", "seconds", "complete")}
            facts["standing"] = public(run.figures["standing"], run.config)
            return Trained(self.kind, str(self.out), **facts, curve=[(at, value, error) for at, value, error in run.figures["curve"]])
        found.complete, found.seconds = False, run.seconds if run else 0.0
        return found

    # -- in the store --

    def kept(self) -> dict[str, Any]:
        """The settings, with the game for its version of results."""
        return {**super().kept(), "game": registry.game().name}

    @classmethod
    def bots_of(cls, config: Mapping[str, Any]) -> list[str]:
        """The opponents."""
        return [name for name in split_names(str(config.get("against", ""))) if name != SELF]

    @classmethod
    def from_config(cls, config: Mapping[str, Any], absent: bool = False) -> Self:
        """The training of a stored run."""
        return cls(**cls.values_in(config), goes_on=True, absent=absent)

    # -- showing --

    def print(self, result: Trained, console: Console) -> None:
        """How it stands."""
        text = result.standing if result.complete else f"INCOMPLETE: {result.games:,} of {result.wanted:,} games; {result.standing}"
        console.print(text, markup=False, soft_wrap=True)

    def plots(self, result: Trained) -> list[Plot]:
        """The curve."""
        from kibitz.report.plotting import ACCENT, Plot, dressed, new_drawing

        if not result.curve:
            return []
        with dressed():
            drawing, axes = new_drawing(4.6, 3.0)
            games, values, errors = zip(*result.curve, strict=True)
            axes.errorbar(games, values, yerr=[error or 0.0 for error in errors], color=ACCENT, marker="o", markersize=3, linewidth=1)
            axes.set_xlabel("games learned from")
            axes.set_ylabel(self.training_class.measured)
        last = f"{values[-1]:.1f} after {games[-1]:,} games"
        return [Plot("curve", "Learning", "Bars are one standard error.", f"Learning: {self.training_class.measured}, {last}", drawing)]

    def page(self, result: Trained, settings: PageSettings) -> str:
        """How it stands, and the curve."""
        from kibitz.report.html_page import drawn, duration, listed, page, section, warning_of

        shown = [each for each in settings_of(type(self)) if each.setting.is_kept and getattr(self, each.name) not in (None, False)]
        facts = [(each.name, Path(self.out).name if each.name == "out" else str(getattr(self, each.name))) for each in shown]
        return page(
            f"Training of {self.kind.split()[-1]}",
            "Training",
            result.standing.replace(str(self.out), Path(self.out).name),
            warning_of(result.complete, result.games, None),
            [("Games", f"{result.games:,}"), ("Time", duration(result.seconds))],
            [drawn(self.plots(result), {}), section("Settings", listed(facts, settings, games=False))],
            settings,
        )


def check_out(out: Path) -> None:
    """Refuse a file that cannot be written, or that pictures and logs would overwrite, before hours of games are played for it."""
    if out.suffix in BESIDE:
        raise BadValue(
            f"--out {out} is a name for a log or a picture, which lie beside the weights; name a file that does not end in {out.suffix}."
        )
    check_name(draft_of(checkpoint_of(out)) if out.name else out, "--out")  # the longest of the names
    if is_folder(out):
        raise BadValue(f"--out {out} is a folder; name a file.")
    if not is_folder(out.parent):
        raise BadValue(f"--out {out}: there is no folder {out.parent}.")


@contextmanager
def interrupts_between_steps(asked: list[int]) -> Iterator[None]:
    """Note Ctrl-C for the end of the step, which comes within a second or so; after the second one nothing waits."""

    def note(number: int, frame: object) -> None:
        asked.append(number)
        signal.signal(signal.SIGINT, previous)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, note)
    try:
        with watchdog.holding():
            yield
    finally:
        signal.signal(signal.SIGINT, previous)
