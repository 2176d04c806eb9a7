"""The linear policy: every candidate action as features, one learned weight for each."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.bots.bot import bot
from kibitz.bots.parameters import Parameter, trained_weights
from kibitz.core.errors import BadValue
from kibitz.core.reading import MEGABYTE
from kibitz.games.uno.view import View
from kibitz.policies.uno.feature_groups import FEATURES, labels
from kibitz.policies.uno.features import best_candidate
from kibitz.policies.uno.preferences import Weighing, list_preferences
from kibitz.policies.uno.sightings import Sightings, begin_sightings, update_sightings
from kibitz.policies.weight_files import SHIPPED, check_weights, numbers_of, read_arrays, reading_once, written_whole

SHIPPED_FILE = Path(__file__).with_name("linear.npz")

# One set of weights for each class of tables.
TWO, FEW, MANY = 0, 1, 2
CLASSES = ("2 players", "3 or 4 players", "5 to 10 players")

WeightSets = np.ndarray[Any, np.dtype[np.float64]]


def class_of(players: int) -> int:
    """Which set of weights a table is played with."""
    return TWO if players == 2 else FEW if players <= 4 else MANY


def features_name() -> str:
    """A name for the list of features: weights fit one list alone."""
    return hashlib.sha256("\n".join(labels()).encode()).hexdigest()[:16]


def read_weights(path: str | Path) -> WeightSets:
    """The weights in a file, one row for each class of tables."""
    chosen = SHIPPED_FILE if path == SHIPPED else Path(path)
    what = "file of weights"
    kept = read_arrays(chosen, what, MEGABYTE, f"; `kibitz train linear --out {path}` makes one", ("features", "weights"))
    if set(kept) != {"features", "weights"}:
        raise BadValue(f"file {path} holds no weights of the linear policy; `kibitz train linear` makes such files.")
    fits, weights = str(kept["features"]), numbers_of(kept["weights"], np.float64, what, path)
    if fits != features_name() or weights.shape != (len(CLASSES), FEATURES):
        raise BadValue(f"file of weights {path} was made for other features than the {FEATURES} of this version; train it anew.")
    check_weights(weights, what, path)
    return weights


def write_weights(path: Path, weights: WeightSets) -> None:
    """Write a file of weights; whoever reads meanwhile sees the old one or the new one, never a part."""
    with written_whole(path, "file of weights") as file:
        np.savez_compressed(file, features=np.array(features_name()), weights=np.round(weights, 5))


# The weights in a file as one row of numbers.
weights_from = reading_once(lambda path: tuple(read_weights(path).ravel().tolist()), SHIPPED_FILE)


def linear_weights(about: str) -> Parameter:
    """The parameter of a bot that plays by the linear policy somewhere."""
    return trained_weights(about, len(CLASSES) * FEATURES, weights_from)


@bot(
    parameters=(linear_weights("weight of each feature, for 2, for 3 or 4 and for more players (`kibitz train linear`)"),),
    memory=Sightings,
    scratch=Weighing,
    begin=begin_sightings,
    observe=update_sightings,
    trusted=True,
)
def linear(view: View, memory: Sightings, params: Any, scratch: Weighing) -> int:
    """Weighs features of every action, drawing and keeping included, with learned weights, and takes the best.

    There is a set of weights for two players, one for three or four and one for more. Features are about kinds of card and
    hand sizes, what is left in hand, and what others have shown they lack.
    """
    chosen = best_candidate(view, memory, scratch, params.weights)
    if scratch.wanted:
        list_preferences(scratch)
    return chosen
