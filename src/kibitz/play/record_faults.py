"""Faults in the record of a game: what an outside bot did wrong at which action, and whether it forfeited the game by it.

From them follows who made each action: the player, or the referee's substitute. In a line of text a fault is written
`7:3:illegal:forfeit:answered 67, which is not legal there`: action, seat, kind, what it cost, and a sentence to follow the name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.printable import shortened
from kibitz.core.reading import check_whole, whole_number

FORFEITED = "forfeited"  # the end of a game in which an outside bot lost its right to go on: no replay can tell
COSTS = ("substitute", "forfeit")  # of a fault: a move by a substitute, or the right to go on
MOST_FAULTS = 10_000  # of a deal
MOST_SIGNS = 300  # of what is said of a fault
_KEYS = ("action", "seat", "kind", "forfeits", "what")


@dataclass(frozen=True)
class RecordedFault:
    """A fault of a seat. `action` is the number of the action that was due, the first being 1; 0 is before the deal.

    `what` is a sentence to follow the player's name: `did not answer within 0.2 s`. With `forfeits` the seat lost its right to go on
    there, and from this action on a substitute plays for it.
    """

    action: int
    seat: int
    kind: str
    what: str
    forfeits: bool = False

    def to_text(self) -> str:
        """The fault as it stands in a line, before its signs are escaped."""
        return f"{self.action}:{self.seat}:{self.kind}:{COSTS[self.forfeits]}:{self.what}"

    @classmethod
    def from_text(cls, text: str) -> RecordedFault:
        """The fault that a text describes."""
        parts = text.split(":", 4)
        if len(parts) < 5 or parts[3] not in COSTS:
            raise BadValue(f"fault '{shortened(text, 60)}' is not understood; one is written 7:3:illegal:forfeit:what it did.")
        return cls(
            whole_number(parts[0], "action of a fault"), whole_number(parts[1], "seat of a fault"), parts[2], parts[4], parts[3] == COSTS[1]
        )

    def to_json(self) -> dict[str, Any]:
        """The fault as it stands in JSON."""
        return {"action": self.action, "seat": self.seat, "kind": self.kind, "forfeits": self.forfeits, "what": self.what}

    @classmethod
    def from_json(cls, value: Any) -> RecordedFault:
        """The fault that a JSON object describes."""
        if not isinstance(value, dict) or sorted(value) != sorted(_KEYS):
            raise BadValue(f"a fault is an object with {', '.join(_KEYS)}.")
        if not isinstance(value["kind"], str) or not isinstance(value["what"], str) or not isinstance(value["forfeits"], bool):
            raise BadValue("a fault has a text as kind and what, and true or false as forfeits.")
        return cls(value["action"], value["seat"], value["kind"], value["what"], value["forfeits"])


def check_faults(faults: Sequence[RecordedFault], seats: int, actions: int, status: str, winner: int | None) -> None:
    """Refuse faults that no referee would have noted in such a game."""
    if len(faults) > MOST_FAULTS:
        raise BadValue(f"{len(faults):,} faults are not accepted; a record has at most {MOST_FAULTS:,}.")
    for fault in faults:
        check_whole(fault.action, "action of a fault", 0, actions + 1)
        check_whole(fault.seat, "seat of a fault", 0, seats - 1)
        if not fault.kind.isidentifier() or len(fault.what) > MOST_SIGNS:
            raise BadValue(f"a fault has one word as kind and at most {MOST_SIGNS} signs as what.")
    out = forfeited_by(faults)
    if out and status != FORFEITED:
        raise BadValue(f"seat {out[0]} forfeited, but the result is not {FORFEITED}.")
    if winner in out:
        raise BadValue(f"winner={winner} forfeited the game, so it can't have won it.")


def forfeited_by(faults: Iterable[RecordedFault]) -> list[int]:
    """The seats that forfeited, in the order in which they did."""
    return list(dict.fromkeys(fault.seat for fault in faults if fault.forfeits))


def is_substitute(faults: Iterable[RecordedFault], seat: int, action: int) -> bool:
    """Whether a substitute made this action of a seat: for a fault in it, or since the seat had forfeited."""
    return any(fault.seat == seat and (fault.action == action or (fault.forfeits and fault.action <= action)) for fault in faults)


def counted_outcome(outcome: dict[str, Any], status: str, winner: int | None, points: int) -> dict[str, Any]:
    """How a game ended as it counts: what its last position says, or where it was forfeited what is written of it."""
    if status != FORFEITED:
        return outcome
    ends: dict[str, Any] = {"score": 0} if "score" in outcome else {"winner": winner}
    return {**outcome, "status": FORFEITED, **ends, "points": points}
