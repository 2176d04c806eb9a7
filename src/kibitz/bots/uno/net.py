"""The network as a bot: trained by `kibitz train net`, played from a plain file of weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from kibitz.bots.bot import bot
from kibitz.bots.parameters import trained_weights
from kibitz.bots.uno.linear import CLASSES
from kibitz.core.errors import BadValue
from kibitz.core.jit import number
from kibitz.core.reading import MEGABYTE
from kibitz.games.uno.state import Event
from kibitz.games.uno.view import View
from kibitz.policies.uno.net.forward import PARTS, WEIGHTS, NetWorkspace, first_weight, judges, value_of
from kibitz.policies.uno.net.groups import features_name
from kibitz.policies.uno.net.recurrent import Recollection, begin_recollection, best_remembered, hear
from kibitz.policies.uno.preferences import Weighing, list_preferences
from kibitz.policies.weight_files import SHIPPED, check_weights, numbers_of, read_arrays, reading_once, written_whole

VERSION = 2  # of the files
SHIPPED_FILE = Path(__file__).with_name("net.npz")

NetSets = np.ndarray[Any, np.dtype[np.float32]]  # one row of all weights for each class of tables


def read_net(path: str | Path) -> NetSets:
    """The weights in a file, one row for each class of tables."""
    chosen = SHIPPED_FILE if path == SHIPPED else Path(path)
    limit = MEGABYTE + 8 * len(CLASSES) * WEIGHTS
    kept = read_arrays(chosen, "network", limit, f"; `kibitz train net --out {path}` makes one", ("version", "features", *PARTS))
    version, fits = str(kept.get("version", "")), str(kept.get("features", ""))
    if not version or not fits or (version == str(VERSION) and not kept.keys() >= PARTS.keys()):
        raise BadValue(f"file {path} holds no network; `kibitz train net` makes such files.")
    if version != str(VERSION):
        raise BadValue(f"network {path} is of version {version}; this is version {VERSION}: train it again.")
    parts = {name: numbers_of(kept[name], np.float32, "network", path) for name in PARTS}
    if fits != features_name() or any(parts[name].shape != (len(CLASSES), *shape) for name, shape in PARTS.items()):
        raise BadValue(f"network {path} was made for other features or another size than those of this version; train it anew.")
    sets = np.concatenate([parts[name].reshape(len(CLASSES), -1) for name in PARTS], axis=1)
    check_weights(sets, "network", path)
    return sets


def split_set(weights: np.ndarray[Any, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """One row of all weights (or several) as its parts, by name."""
    ends = np.cumsum([int(np.prod(shape)) for shape in PARTS.values()])
    pieces = np.split(weights, ends[:-1], axis=-1)
    return {name: piece.reshape(*piece.shape[:-1], *shape) for (name, shape), piece in zip(PARTS.items(), pieces, strict=True)}


def write_net(path: Path, sets: NetSets) -> None:
    """Write a file of weights; whoever reads meanwhile sees the old one or the new one, never a part."""
    parts: dict[str, Any] = split_set(np.asarray(sets, dtype=np.float32))
    with written_whole(path, "network") as file:
        np.savez_compressed(file, version=np.array(VERSION), features=np.array(features_name()), **parts)


def read_net_for_search(path: str | Path) -> NetSets:
    """The same for a search, which keeps sightings for all players and lets nobody listen to events."""
    sets = read_net(path)
    if (split_set(sets)["remembers"] != (1, 0)).any():
        raise BadValue(f"network {path} was not trained with --memory sightings, and a search remembers nothing else.")
    return sets


# The weights in a file as one row of numbers.
net_from = reading_once(lambda path: tuple(read_net(path).ravel().tolist()), SHIPPED_FILE)
net_for_search_from = reading_once(lambda path: tuple(read_net_for_search(path).ravel().tolist()), SHIPPED_FILE)


def observe(view: View, event: Event, memory: Recollection, params: Any) -> None:
    """Remember what happens, as far as the network does."""
    hear(view, event, memory, params.weights, first_weight(number(view.players)))


class NetWeighing(NetWorkspace, Weighing):
    """What the network works with, and what it prefers."""


@bot(
    parameters=(
        trained_weights(
            "weights of the network, for 2, for 3 or 4 and for more players (`kibitz train net`)", len(CLASSES) * WEIGHTS, net_from
        ),
    ),
    memory=Recollection,
    scratch=NetWeighing,
    begin=begin_recollection,
    observe=observe,
    trusted=True,
    vectorise=True,
)
def net(view: View, memory: Recollection, params: Any, scratch: NetWeighing) -> int:
    """Weighs every action with a small neural network that looks at the action and at the table, and takes the best.

    The network has learned by playing against past selves and against other bots. There are weights for two players, for three or
    four and for more.
    """
    first = first_weight(number(view.players))
    chosen = best_remembered(view, memory, scratch, params.weights, first)
    if scratch.wanted and list_preferences(scratch) and judges(params.weights, first):
        scratch.win_chance = value_of(scratch, params.weights, first)
    return chosen
