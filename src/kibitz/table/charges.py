"""What outside bots at a table did wrong, and who moves in their place. It is kept with the table, and becomes part of its records.

The rules are those of a tournament (`kibitz.outside.referee`), but nobody forfeits: a bot whose process is gone, or that has committed too many
faults, is out, and a substitute plays on in its seat until the end of the game.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.outside.limits import BotLimits, OutsideFault
from kibitz.play.record_faults import RecordedFault

MOST_FAULTS = 3  # of a bot in a game, after which it is out

# What visitors are told of a fault, by its kind: nothing that the bot wrote itself, which may name anything on this machine.
_WORDS = {
    "start": "could not be started",
    "crash": "crashed",
    "time": "did not answer within {seconds:g} s",
    "flood": "wrote more than it may",
    "garbage": "answered with something that cannot be read",
    "protocol": "did not keep to the protocol",
    "illegal": "answered with an action that is not legal",
}


class Charges:
    """The faults of a game, each with the number of its deal. A fault that `forfeits` is the one by which the bot is out."""

    def __init__(self, noted: Iterable[tuple[int, RecordedFault]] = ()) -> None:
        self.noted = list(noted)

    def is_out(self, seat: int) -> bool:
        """Whether a substitute plays on in a seat."""
        return any(fault.seat == seat and fault.forfeits for _, fault in self.noted)

    def add(self, deal: int, action: int, seat: int, fault: OutsideFault, limits: BotLimits, withdrawn: str = "") -> RecordedFault:
        """Charge a bot with a fault at an action, counted from 1, in the words that everybody may read."""
        before = sum(noted.seat == seat for _, noted in self.noted)
        what = withdrawn or _WORDS.get(fault.kind, "failed").format(seconds=limits.decision_seconds)
        noted = RecordedFault(action, seat, fault.kind, what, fault.fatal or before + 1 >= MOST_FAULTS)
        self.noted.append((deal, noted))
        return noted

    def at(self, deal: int, action: int, seat: int) -> list[RecordedFault]:
        """What a seat did wrong when an action of its own was due."""
        return [fault for where, fault in self.noted if (where, fault.action, fault.seat) == (deal, action, seat)]

    def in_record(self, deal: int, movers: Sequence[int]) -> tuple[RecordedFault, ...]:
        """The faults of a deal as its record has them, one for each move by a substitute; `movers` is the seat of each action."""
        found: list[RecordedFault] = []
        for action, seat in enumerate(movers, 1):
            here = self.at(deal, action, seat)
            out = next(
                (fault for where, fault in self.noted if fault.seat == seat and fault.forfeits and (where, fault.action) < (deal, action)),
                None,
            )
            if here:
                found += [replace(fault, forfeits=False) for fault in here]
            elif out is not None:
                found.append(RecordedFault(action, seat, out.kind, "no longer plays"))
        return tuple(found)

    def to_json(self) -> list[Any]:
        """The faults as they are kept."""
        return [[deal, fault.to_json()] for deal, fault in self.noted]

    @classmethod
    def from_json(cls, value: Any) -> Charges:
        """The faults that were kept."""
        if not isinstance(value, list) or not all(isinstance(item, list) and len(item) == 2 and isinstance(item[0], int) for item in value):
            raise BadValue("faults is not a list of deals and faults.")
        return cls((deal, RecordedFault.from_json(fault)) for deal, fault in value)
