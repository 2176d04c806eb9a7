"""A ledger in memory, for tests of whatever keeps its units in one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from kibitz.runs.ledger import Fault, KeptGame
from kibitz.runs.units import Unit


class Notebook:
    """A ledger in memory, which notes in what order units were kept, and refuses one that is played again."""

    def __init__(self) -> None:
        self.units: defaultdict[int, dict[Unit, bytes]] = defaultdict(dict)
        self.kept: list[tuple[int, Unit]] = []
        self.charged: defaultdict[int, list[Fault]] = defaultdict(list)

    def finished(self, part: int) -> dict[Unit, bytes]:
        return dict(self.units[part])

    def keep(self, part: int, unit: Unit, payload: bytes, faults: Sequence[Fault] = (), games: Sequence[KeptGame] = ()) -> None:
        assert unit not in self.units[part], "a finished unit is not played again"
        self.units[part][unit] = payload
        self.kept.append((part, unit))
        self.charged[part] += faults

    def faults(self, part: int) -> list[Fault]:
        return sorted(self.charged[part], key=lambda fault: fault.game)

    def games(self, part: int) -> list[KeptGame]:
        return []
