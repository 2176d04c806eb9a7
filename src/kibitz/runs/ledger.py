"""Where finished work is kept while a run goes on, so that it survives whatever happens to the run.

A run has parts (a row of an evaluation, a match of a tournament), a part has units. The store keeps them in a file; a run
without a store keeps nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from kibitz.core.errors import KibitzError
from kibitz.runs.units import Unit

FORFEIT = "forfeit"  # the kind of fault that says a game was forfeited, after the faults that led to it


@dataclass(frozen=True)
class Fault:
    """What a bot did wrong: in which game of its part, where, and the command that asks it again."""

    game: int
    bot: str
    seat: int
    kind: str
    what: str
    position: str = ""
    reproduce: str = ""


@dataclass(frozen=True)
class KeptGame:
    """A game of a part as one line of text."""

    game: int
    text: str


class DamagedUnit(KibitzError):
    """What a ledger has of some games cannot be what they brought."""

    def __init__(self, part: int, unit: Unit, why: str) -> None:
        last = unit.first + unit.count - 1
        super().__init__(
            f"the kept result of games {unit.first} to {last} of part {part} is damaged ({why}); delete the run and play it again."
        )


class Ledger(Protocol):
    """Keeps the units of a run. Only the thread that runs it may call."""

    def finished(self, part: int) -> dict[Unit, bytes]:
        """The units of a part that are done, with their results."""
        ...

    def keep(self, part: int, unit: Unit, payload: bytes, faults: Sequence[Fault] = (), games: Sequence[KeptGame] = ()) -> None:
        """Keep a finished unit. When this returns, a kill cannot undo it."""
        ...

    def faults(self, part: int) -> list[Fault]:
        """The faults kept with the units of a part, in the order of its games."""
        ...

    def games(self, part: int) -> list[KeptGame]:
        """The games kept with the units of a part, in order."""
        ...
