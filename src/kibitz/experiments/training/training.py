"""What all trainings do alike while they learn: one step after the other on threads or a cluster, and checkpoints from which they go on.

The state of a training is a function of its plan and of how many steps are done, whatever the threads. A checkpoint holds all of it, so
that a training that was interrupted ends with the same weights as one that was not.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

from kibitz.core.errors import BadValue
from kibitz.experiments.training.checkpoint import Checkpoint, damage_told, read_archive, write_archive
from kibitz.experiments.training.plan import TrainingPlan
from kibitz.runs.executors import open_executor

P = TypeVar("P", bound=TrainingPlan)


class Training(ABC, Generic[P]):
    """A training as it stands after so many steps."""

    plan_class: ClassVar[type[TrainingPlan]]
    version: ClassVar[str] = ""  # of checkpoints; raised when the same plan would lead to other weights
    step_name: ClassVar[str] = "steps"
    measured: ClassVar[str] = "games won in %"

    def __init__(self, plan: P) -> None:
        plan.check_plan()
        self.plan = plan
        self.step = 0

    @property
    def steps(self) -> int:
        """How many steps there are in all."""
        return self.plan.steps

    @property
    def finished(self) -> bool:
        """Whether all steps are done."""
        return self.step >= self.steps

    @property
    def games(self) -> int:
        """How many games were played so far."""
        return self.step * self.plan.step_games

    @property
    def total_games(self) -> int:
        """How many games there are in all."""
        return self.steps * int(self.plan.step_games)

    # -- learning --

    def run(self, threads: int | None = None, progress: Callable[[Self], None] | None = None, jit: bool = True) -> None:
        """Take the steps that are left. `progress` is told after each; what it raises ends the run between two steps."""
        if self.finished:
            return
        self.warm_up(jit)
        with open_executor(threads) as pool:
            while not self.finished:
                self.take_step(pool, jit)
                if progress:
                    progress(self)

    @abstractmethod
    def warm_up(self, jit: bool) -> None:
        """Compile what is needed before threads ask for it at the same time."""

    @abstractmethod
    def take_step(self, pool: Executor, jit: bool) -> None:
        """Play the games of a step, and learn from them; what fails before they are played leaves everything as it was."""

    # -- what came of it --

    @abstractmethod
    def trained(self) -> Any:
        """What the training has come to."""

    @abstractmethod
    def measure(self) -> tuple[float, float | None] | None:
        """The share of games won lately, in %, with its error; None if nothing is known of it."""

    @abstractmethod
    def describe(self, won: float, error: float | None) -> str:
        """That share in a few words."""

    def standing(self) -> str:
        """How far it is, and how good, in a few words."""
        done, known = f"{self.step} of {self.steps} {self.step_name}", self.measure()
        return f"{done}, {self.describe(*known)}" if known else done

    @abstractmethod
    def write_weights(self, out: Path) -> str:
        """Write what was learned; a sentence that says so."""

    def write_log(self, out: Path) -> None:
        """Write a log beside the weights, after a step that has something new for it."""

    def draw_log(self, out: Path) -> Path | None:
        """Draw that log; the file of the drawing, if there is one."""
        return None

    # -- checkpoints --

    @classmethod
    def features(cls) -> str:
        """The features that the weights are for, if there are others that they could be for."""
        return ""

    @abstractmethod
    def kept(self) -> dict[str, Any]:
        """What a checkpoint holds besides the plan, by name."""

    @classmethod
    @abstractmethod
    def restored(cls, plan: Any, kept: Checkpoint) -> Self:
        """The training that a checkpoint is of."""

    def save(self, path: Path) -> None:
        """Write a checkpoint; a crash meanwhile leaves the one before."""
        marks = {name: mark for name, mark in (("version", self.version), ("features", self.features())) if mark}
        write_archive(path, plan=self.plan.to_text(), **marks, **self.kept())

    @classmethod
    def load(cls, path: Path) -> Self:
        """A training from its checkpoint."""
        kept = read_archive(path)
        with damage_told(path):
            if str(kept.get("version", cls.version)) != cls.version:  # version 0.1 of kibitz did not always say
                raise BadValue(f"checkpoint {path} was made by another version of this training; train again.")
            checkpoint = Checkpoint(path, kept)
            if cls.features() and str(kept["features"]) != cls.features():
                raise checkpoint.of_other_features()
            return cls.restored(cls.plan_class.from_text(str(kept["plan"])), checkpoint)
