"""Checkpoints of trainings: archives of plain arrays, beside the weights that a training makes.

No object is ever unpickled, a crash while one is written leaves the one before, and whatever is wrong with a file is said in one sentence.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.reading import DAMAGED, check_whole, is_file
from kibitz.policies.weight_files import DAMAGE, check_weights, read_arrays, written_whole

Array = np.ndarray[Any, Any]

CHECKPOINT = "checkpoint"
RESULTS_VERSION = "results_version"  # of the game when the file was written; files of before version 2 may not say
MOST_BYTES = 2**30


def checkpoint_of(out: Path) -> Path:
    """Where the checkpoint of a training lies, beside the weights that it makes."""
    return out.with_name(f"{out.name}.{CHECKPOINT}")


def write_archive(path: Path, what: str = CHECKPOINT, /, **arrays: Any) -> None:
    """Write arrays by name, durably: whoever reads meanwhile, or after a crash, finds the old file or the new one, never a part."""
    with written_whole(path, what) as file:
        kept = {**arrays, RESULTS_VERSION: registry.game().results_version}
        np.savez(file, **{name: np.asarray(array) for name, array in kept.items()})  # type: ignore[arg-type]  # names are names


def read_archive(path: Path, what: str = CHECKPOINT) -> dict[str, Array]:
    """All arrays of an archive by name. Nothing in it is packed, so the arrays are no larger than the file.

    A training would not go on as it began where equal seeds give other games, so that is refused.
    """
    size = os.path.getsize(path) if is_file(path) else 0
    arrays = read_arrays(path, what, min(size, MOST_BYTES), "; start without --resume" if what == CHECKPOINT else "", packed=False)
    with damage_told(path, what):
        version, now = int(arrays.pop(RESULTS_VERSION, np.int64(1))), registry.game().results_version
    if version != now:
        raise BadValue(
            f"{what} {path} was made with version {version} of the results of {registry.game().name}, and this kibitz has {now}; train again."
        )
    return arrays


@contextmanager
def damage_told(path: Path, what: str = CHECKPOINT) -> Iterator[None]:
    """One clear sentence for whatever goes wrong in the block because a file is damaged or of another kind."""
    try:
        with np.errstate(all="ignore"):  # infinite numbers are refused afterwards
            yield
    except BadValue:
        raise
    except DAMAGE:
        raise BadValue(f"{what} {path} cannot be read: {DAMAGED}.") from None


@dataclass(frozen=True)
class Checkpoint:
    """The arrays of a checkpoint, which are looked at before a training goes on with them."""

    path: Path
    arrays: Mapping[str, Array]

    def array(self, name: str, like: Array, are_weights: bool = False) -> Array:
        """An array with the shape and kind of `like`; its numbers are finite, and those of weights no larger than a bot accepts."""
        found = np.asarray(self.arrays[name]).astype(like.dtype)
        if found.shape != like.shape:
            raise self.of_other_features()
        if are_weights:
            check_weights(found, CHECKPOINT, self.path)
        elif not np.isfinite(found).all():
            raise BadValue(f"checkpoint {self.path} has numbers that are not finite; train again.")
        return found

    def step(self, steps: int) -> int:
        """How many of so many steps are done."""
        return check_whole(int(self.arrays["step"]), f"checkpoint {self.path}: step", 0, steps)

    def of_other_features(self) -> BadValue:
        """The error for arrays that no weights of this version have."""
        return BadValue(f"checkpoint {self.path} was made for other features than those of this version; train again.")
