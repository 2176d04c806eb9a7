"""Faults and forfeits of outside bots in words: what a bot did wrong, who moved in its place, and that its game was forfeited.

Transcripts and films of a game tell them alike. How a forfeited game counted is said with the end of each game.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kibitz.play.game import PlayedGame
from kibitz.play.record_faults import RecordedFault

Named = Callable[[int], str]  # what a seat is called
UNKNOWN = "A player forfeited this game; the record doesn't say who, or where a substitute moved."


def seat_and_name(played: PlayedGame) -> Named:
    """Seats as a transcript calls them at the beginning of a sentence: `Seat 0 mix2`."""
    return lambda seat: f"Seat {seat} {played.seats[seat]}"


def seat_alone(seat: int) -> str:
    """A seat inside a sentence of a transcript."""
    return f"seat {seat}"


def faults_at(faults: Sequence[RecordedFault], first: int, last: int) -> list[RecordedFault]:
    """The faults that were committed when these actions were due."""
    return [fault for fault in faults if first <= fault.action <= last]


def fault_sentence(fault: RecordedFault, name: str, goes_on: bool) -> str:
    """A fault and what it cost; `goes_on` says whether anything was played after it."""
    if not fault.forfeits:
        return f"{name} {_told(fault)}; a substitute moves for it."
    return f"{name} {_told(fault)}; it forfeits{', and a substitute plays on for it' if goes_on else ''}."


def substitute_sentence(fault: RecordedFault, name: str, in_team: bool, what: str = "") -> str:
    """A fault at a table where nobody forfeits, and what the substitute does; `what` is said instead of the fault's own words."""
    told = what.removesuffix(".") or _told(fault)
    if not fault.forfeits:
        return f"{name} {told}; a substitute makes the default move for it."
    return f"{name} {told}; a substitute plays on for it, with the {'default' if in_team else 'first legal'} move each time."


def _told(fault: RecordedFault) -> str:
    """What a bot did, for the middle of a sentence."""
    return fault.what.removesuffix(".")


def forfeit_sentences(played: PlayedGame, named: Named) -> list[str]:
    """Who forfeited, where and why; one sentence for each."""
    if not played.faults:
        return [UNKNOWN]
    return [_forfeit(played, fault, named) for fault in played.faults if fault.forfeits]


def _forfeit(played: PlayedGame, fault: RecordedFault, named: Named) -> str:
    before = sum(other.seat == fault.seat and other.action < fault.action for other in played.faults)
    where = f"at turn {turn_of(played, fault)}" if fault.action else "before the deal"
    where += f", after {before + 1} faults" if before else ""
    return f"{named(fault.seat)} forfeited {where}: it {_told(fault)}."


def turn_of(played: PlayedGame, fault: RecordedFault) -> int:
    """The turn in which a fault was committed."""
    before = played.steps[fault.action - 2] if fault.action > 1 else played.opening
    return int(before.state.turn)
