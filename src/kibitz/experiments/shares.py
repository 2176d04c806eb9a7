"""A share of an experiment: what can be divided, and how far a share in a store of its own is; merged runs have the figures."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.sentences import counted
from kibitz.experiments.experiment import Experiment
from kibitz.runs.shards import Shard, Shares, games_of, shown_path, sibling
from kibitz.runs.store import Run


def check_divisible(experiment: Experiment[Any]) -> None:
    """Refuse to divide what is found out on the way, or what is told while it is played."""
    if experiment.not_in_shards:
        raise BadValue(experiment.not_in_shards)
    if experiment.prints_by:
        raise BadValue(f"{experiment.prints_by} prints whole games in order, so it does not go with --shard.")


def merging(store: Path, shard: Shard, out: str = "OUT") -> str:
    """The command that merges all shares, if their stores have names like this one."""
    others = sibling(shown_path(store), shard, "*")
    is_plain = re.fullmatch(r"[-+\w./*]+", others)  # a quoted * would stand for itself
    return f"kibitz merge {out} {others if is_plain else 'part-*.sqlite'}"


@dataclass(frozen=True)
class ShareDone:
    """How far a share is."""

    store: Path
    run: Run

    @property
    def shares(self) -> Shares:
        """How the whole is cut."""
        assert self.run.shares is not None  # it is a share
        return self.run.shares

    @property
    def shard(self) -> Shard:
        """Which share it is."""
        assert self.shares.shard is not None  # it is one share
        return self.shares.shard

    @property
    def games(self) -> int:
        """The games of the share."""
        return games_of(self.shares.own)

    @property
    def complete(self) -> bool:
        """Whether all of them were played."""
        return self.run.done == self.games

    @property
    def merging(self) -> str:
        """The command that merges it with the others."""
        return merging(self.store, self.shard)

    def in_words(self) -> list[str]:
        """What was played, and what it takes to have figures."""
        parts = self.shares.parts
        own, whole = sum(map(len, self.shares.own.values())), sum(len(part.slices) for part in parts)
        state = "" if self.complete else f", INCOMPLETE: {self.run.done:,} games of it"
        return [
            f"{self.shard.in_words}: {own:,} of {counted(whole, 'unit')}, {self.games:,} of {sum(part.games for part in parts):,} games{state}",
            f"a share has no figures; when all are there: {self.merging}",
        ]

    def to_dict(self) -> dict[str, Any]:
        """It as it stands in JSON: no figures, and `complete` is false, since the whole is not."""
        return {
            "command": self.run.kind,
            "shard": str(self.shard),
            "complete": False,
            "share_complete": self.complete,
            "games": self.run.done,
            "share_games": self.games,
            "seconds": self.run.seconds,
            "merge": self.merging,
        }
