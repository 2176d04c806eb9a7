"""What the features of a candidate action stand for: `GROUPS` says it of every place, and tools/features.py prints it.

`features` finds them for a candidate; weights fit one list of them alone, which `labels` spells out.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

_KINDS = ("number", "reverse", "skip", "draw two", "wild", "wild draw four", "draw", "keep")
_OWN = ("1 card left", "2", "3", "4", "5–6", "7–9", "10 or more")
_OWN_SHORT = ("1 card left", "2", "3", "4–5", "6 or more")
_SIZES = ("1 card", "2", "3", "4", "5–6", "7 or more")
_SIZES_SHORT = ("1 card", "2", "3", "4 or more")
_KNOTS = ("0", "1/5", "2/5", "3/5", "4/5", "1")
_FINE_KNOTS = ("0", "1/10", "2/10", "3/10", "4/10", "5/10", "6/10", "7/10", "8/10", "9/10", "1")
_WHOSE = ("another's turn", "own turn again", "nothing played")
_COUNTS = ("0", "1", "2", "3", "4 or more")
_FEW = ("0", "1", "2 or more")


class Group(NamedTuple):
    """Features that belong together: one for each combination of the labels on its axes."""

    name: str
    meaning: str
    axes: tuple[tuple[str, ...], ...] = ()


GROUPS = (
    Group("wins", "the play empties the hand"),
    Group("runs out", "the play lets the same player act again and go out at once, whatever the others hold"),
    Group("kind", "kind of action × cards left in hand × cards of the next player", (_KINDS, _OWN, _SIZES)),
    Group("after next", "kind × cards of the player after the next (more than two players)", (_KINDS, _SIZES_SHORT)),
    Group("before", "kind × cards of the player before (more than two players)", (_KINDS, _SIZES_SHORT)),
    Group("least", "kind × smallest hand among the others (more than two players)", (_KINDS, _SIZES_SHORT)),
    Group(
        "same colour",
        "whose turn is next and how the colour came about × cards of the colour left in hand × cards left",
        (("card of the colour", "wild", "own turn again", "nothing played"), _COUNTS, _OWN_SHORT),
    ),
    Group(
        "same value",
        "cards of the same value left in hand × cards left × whether it is the own turn again",
        (_FEW, _OWN_SHORT, ("no", "yes")),
    ),
    Group(
        "follow",
        "cards left in hand that match, wilds included × whose turn is next × cards of the next player",
        (("0", "1", "2", "3 or more"), _WHOSE, _SIZES_SHORT),
    ),
    Group(
        "behind",
        "cards that the colour is behind the most common one left in hand × cards left",
        (("0", "1", "2", "3 or more"), _OWN_SHORT),
    ),
    Group("colours", "different colours left in hand × cards left", (("0", "1", "2", "3", "4"), _OWN_SHORT)),
    Group("wilds", "wilds left in hand × cards left × cards of the next player", (_FEW, _OWN_SHORT, _SIZES_SHORT)),
    Group("fours", "Wild Draw Fours left in hand × cards left", (_FEW, _OWN_SHORT)),
    Group("draw twos", "Draw Twos left in hand × cards left", (_FEW, _OWN_SHORT)),
    Group("turns", "Skips and Reverses left in hand × cards left", (_FEW, _OWN_SHORT)),
    Group(
        "alone",
        "cards left in hand that nothing else there matches by colour or value × cards left",
        (("0", "1", "2", "3 or more"), _OWN_SHORT),
    ),
    Group(
        "last card",
        "with one card left: what it does on the card played × cards of the next player",
        (("wild", "same colour", "same value", "does not match"), _SIZES_SHORT),
    ),
    Group(
        "stopped",
        "chance that the next to act has no coloured card to play, between two of eleven marks × cards it holds",
        (("played", "nothing played"), _FINE_KNOTS, _SIZES),
    ),
    Group(
        "stopped then", "the same chance, between two of six marks × whose turn it is then × own cards left", (_WHOSE, _KNOTS, _OWN_SHORT)
    ),
    Group("second stopped", "the same of the player after that, if it is another opponent", (_KNOTS, _SIZES_SHORT)),
    Group(
        "least stopped", "the same of the opponent with the smallest hand, if it holds at most three cards", (_KNOTS, ("1 card", "2", "3"))
    ),
    Group("lacks", "the next to act has shown it lacks the colour, and drawn so many cards since × cards it holds", (_FEW, _SIZES_SHORT)),
    Group("called", "the next to act called this colour with its last wild × cards it holds", (_SIZES_SHORT,)),
    Group("left", "the next to act turned away from this colour by value × cards it holds", (_SIZES_SHORT,)),
    Group("turned", "the next to act turned to this colour by value × cards it holds", (_SIZES_SHORT,)),
    Group("kept", "keeping what was drawn: kind of that card × cards left", (_KINDS[:6], _OWN_SHORT)),
    Group("declined", "drawing with so many coloured cards and so many wilds playable", (_FEW, _FEW)),
    Group("held back", "drawing with nothing but wilds playable × cards left × cards of the next player", (_OWN_SHORT, _SIZES_SHORT)),
    Group("own match", "share of the hidden cards that match, if nothing in hand does × cards left", (_OWN_SHORT,)),
    Group("points", "points of the card played, in fifties × smallest hand among the others", (_SIZES_SHORT,)),
)


def _sizes() -> dict[str, tuple[int, int]]:
    """First place and length of each group."""
    found, place = {}, 0
    for group in GROUPS:
        length = 1
        for axis in group.axes:
            length *= len(axis)
        found[group.name] = (place, length)
        place += length
    return found


RANGES = _sizes()
FEATURES = sum(length for _, length in RANGES.values())


def labels() -> list[str]:
    """What each place stands for, in words."""
    return [" × ".join([group.name, *combination]) for group in GROUPS for combination in product(*group.axes)]
