"""Checkpoints of trainings: archives of plain arrays, beside the weights that a training makes.

No object is ever unpickled, a crash while one is written leaves the one before, and whatever is wrong with a file is said in one sentence.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots.weight_files import DAMAGE, written_whole
from kibitz.errors import BadValue

Array = np.ndarray[Any, Any]

CHECKPOINT = "checkpoint"
RESULTS_VERSION = "results_version"  # of the game when the file was written; files of before version 2 may not say


def checkpoint_of(out: Path) -> Path:
    """Where the checkpoint of a training lies, beside the weights that it makes."""
    return out.with_name(f"{out.name}.{CHECKPOINT}")


def write_archive(path: Path, what: str = CHECKPOINT, /, **arrays: Any) -> None:
    """Write arrays by name, durably: whoever reads meanwhile, or after a crash, finds the old file or the new one, never a part."""
    with written_whole(path, what) as file:
        kept = {**arrays, RESULTS_VERSION: registry.game().results_version}
        np.savez(file, **{name: np.asarray(array) for name, array in kept.items()})  # type: ignore[arg-type]  # names are names


def read_archive(path: Path, what: str = CHECKPOINT) -> dict[str, Array]:
    """All arrays of an archive by name; a file of objects to unpickle counts as damaged.

    A training would not go on as it began where equal seeds give other games, so that is refused.
    """
    with damage_told(path, what), path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
        arrays = {name: kept[name] for name in kept.files}
        version, now = int(arrays.pop(RESULTS_VERSION, 1)), registry.game().results_version
        if version != now:
            raise BadValue(f"{what} {path} was made with version {version} of the results of uno, and this kibitz has {now}; train again.")
        return arrays


@contextmanager
def damage_told(path: Path, what: str = CHECKPOINT) -> Iterator[None]:
    """One clear sentence for whatever goes wrong in the block because a file is missing, damaged or of another kind."""
    try:
        yield
    except BadValue:
        raise
    except FileNotFoundError:
        hint = "; start without --resume" if what == CHECKPOINT else ""
        raise BadValue(f"{what} {path} does not exist{hint}.") from None
    except OSError as error:
        raise BadValue(f"{what} {path} cannot be read: {error.strerror or 'it is damaged or of another kind'}.") from None
    except DAMAGE:
        raise BadValue(f"{what} {path} cannot be read: it is damaged or of another kind.") from None
