"""What the network sees, place by place: `VIEW_GROUPS` of the table, once a decision, `CANDIDATE_GROUPS` of each action it weighs, and
`EVENT_GROUPS` of whatever happens, if it has a memory that listens.

Colours stand in an order of their own, so that the network need not learn four times what is true of any colour: the colour on top
first, then the others by how many cards of them one holds, by how many are hidden, and as they are numbered. tools/features.py
prints all places. Weights fit one list of places alone, which `features_name` stands for.
"""

from __future__ import annotations

import hashlib
from itertools import product

from kibitz.games.uno.cards import KIND_NAMES, VALUE_NAMES, WILD_NAMES
from kibitz.policies.uno.feature_groups import FEATURES, Group, labels

_COLOURS = ("1st colour", "2nd", "3rd", "4th")
_WHO = ("next player", "player after the next", "player before")
_OWN = ("1 card", "2", "3", "4", "5–6", "7–9", "10 or more")
_SIZES = ("1 card", "2", "3", "4", "5–6", "7 or more")

MEMORY_UNITS = 16  # what the memory keeps for each colour

RULE_LABELS = (
    "draw until something is playable",
    "a drawn card that fits must be played",
    "a drawn card may not be played",
    "any card may be played after drawing",
    "who can play may not draw",
    "Wild Draw Four only without the colour",
    "Wild Draw Four may be challenged",
    "Wild Draw Four as a last resort",
    "stacking of the same card",
    "stacking, progressive",
    "sevens and zeros move hands",
    "jumping in",
    "UNO is called",
    "a last card makes draw",
    "Reverse is a Skip",
)

VIEW_GROUPS = (
    Group("own cards", "copies of a card in hand, in twos", (_COLOURS, VALUE_NAMES)),
    Group("own wilds", "copies of a wild in hand, in twos", (WILD_NAMES,)),
    Group("own colours", "cards of a colour in hand, in fives", (_COLOURS,)),
    Group("own kinds", "cards of a kind in hand, in fives", (KIND_NAMES,)),
    Group("own hand", "cards in hand", (_OWN,)),
    Group("playable colours", "cards of a colour that may be played now, in threes", (_COLOURS,)),
    Group("playable kinds", "cards of a kind that may be played now, in threes", (KIND_NAMES,)),
    Group("drawn", "the question is what to do with a card just drawn"),
    Group("top", "value of the card on top", ((*VALUE_NAMES, "a wild"),)),
    Group("no colour", "no colour is called yet"),
    Group(
        "hand sizes",
        "cards of the others in turn order, in tens",
        (("next", "2nd", "3rd", "4th", "5th", "6th", "7th", "8th", "9th"),),
    ),
    Group("hands", "cards of the others (more than two players: of three of them)", (_WHO, _SIZES)),
    Group("hidden cards", "copies of a card that are in the draw pile or in others' hands, in twos", (_COLOURS, VALUE_NAMES)),
    Group("hidden wilds", "copies of a wild there, in fours", (WILD_NAMES,)),
    Group("hidden colours", "share of a colour among the hidden cards", (_COLOURS,)),
    Group("open colours", "share of a hand that may be of a colour, after what its player did not play", (_WHO, _COLOURS)),
    Group("open values", "share of a hand that may be of a value, after what its player did not play", (_WHO, VALUE_NAMES)),
    Group("called", "colour that a player called with its last wild", (_WHO, _COLOURS)),
    Group("left", "colour that a player turned away from by value", (_WHO, _COLOURS)),
    Group("turned", "colour that a player turned to by value", (_WHO, _COLOURS)),
    Group("pile", "cards in the draw pile, in hundreds"),
    Group("direction", "play goes by the clock"),
    Group("players", "players at the table", (("2", "3", "4", "5", "6", "7", "8", "9", "10"),)),
    Group("rules", "switches of the rules", (RULE_LABELS,)),
    Group(
        "memory",
        "what the memory of events holds, nothing if there is none",
        (_COLOURS, tuple(f"unit {unit + 1}" for unit in range(MEMORY_UNITS))),
    ),
)

# What is known of a candidate besides the features of the linear policy, which stand before these.
CANDIDATE_GROUPS = (
    Group("to colour", "colour that is current after the play", (_COLOURS,)),
    Group("card", "value of the card played, or which wild", ((*VALUE_NAMES, *WILD_NAMES),)),
)

# An event as the memory of one colour hears it: "this colour" is the one whose memory it is.
_DEEDS = (
    "follows this colour",
    "turns to this colour by value",
    "turns away from this colour by value",
    "plays another colour",
    "calls this colour",
    "calls another when this is on top",
    "calls another",
    "does not follow this colour",
    "does not follow another",
    "is made to draw",
    "does anything else",
)
_ACTORS = ("oneself", "neighbour by the clock", "neighbour against the clock", "any other")
_WHICH = ("this colour", "another")

EVENT_GROUPS = (
    Group("deed", "what somebody does", (_ACTORS, _DEEDS)),
    Group("drawn and played", "a card just drawn is played on this colour or on another", (_ACTORS, _WHICH)),
    Group("card played", "value of the card × its colour", (VALUE_NAMES, _WHICH)),
    Group("wild played", "which wild", (WILD_NAMES,)),
    Group("not followed", "value on top that somebody does not follow", ((*VALUE_NAMES, "a wild"),)),
    Group("draws", "cards drawn, in fours", (_ACTORS,)),
)


def _places(groups: tuple[Group, ...], first: int) -> dict[str, tuple[int, int]]:
    """First place and length of each group."""
    found = {}
    for group in groups:
        length = 1
        for axis in group.axes:
            length *= len(axis)
        found[group.name] = (first, length)
        first += length
    return found


VIEW_RANGES = _places(VIEW_GROUPS, 0)
CANDIDATE_RANGES = _places(CANDIDATE_GROUPS, FEATURES)
EVENT_RANGES = _places(EVENT_GROUPS, 0)
INPUTS = sum(length for _, length in VIEW_RANGES.values())
EVENT_ROWS = sum(length for _, length in EVENT_RANGES.values())
ROWS = FEATURES + sum(length for _, length in CANDIDATE_RANGES.values())


def group_labels(groups: tuple[Group, ...]) -> list[str]:
    """What each place of some groups stands for, in words."""
    return [" × ".join([group.name, *combination]) for group in groups for combination in product(*group.axes)]


def features_name() -> str:
    """A name for the lists of features: weights fit one alone."""
    listed = [*group_labels(VIEW_GROUPS), "candidates", *labels(), *group_labels(CANDIDATE_GROUPS), "events", *group_labels(EVENT_GROUPS)]
    return hashlib.sha256("\n".join(listed).encode()).hexdigest()[:16]
