"""Steps that several UNO bots share: narrowing a set of candidate types down to the best ones."""

from __future__ import annotations

from typing import Any

from kibitz.bots.fired_rule import FiredRule
from kibitz.bots.parameters import SWITCH, WHOLE, Parameter, Value
from kibitz.core.jit import ONE, Word, lowest, number, popcount, word
from kibitz.games.uno.cards import COLOUR_MASKS, COLOURED_MASK, COLOURED_TYPES, KEEP, MATCH_MASKS, bit
from kibitz.games.uno.counts import size_within
from kibitz.games.uno.view import View

_ZERO = Word(0)

RANKS = Parameter(
    "ranks", WHOLE, "preference by kind: number, reverse, skip, draw two, wild, wild draw four; higher is played first", 1, 6, 6
)
END_GAME_RANKS = Parameter("end_game_ranks", WHOLE, "the same while the next player holds one card", 1, 6, 6)
LIMITS = Parameter("limits", WHOLE, "by kind: play it only with at most so many cards of unlimited kinds in hand; -1 is free", -1, 10, 6)
PLAY_DRAWN_THRESHOLDS = Parameter(
    "play_drawn_thresholds",
    WHOLE,
    "by kind: play it from the draw only with at most so many cards in hand, itself included; -1 is always",
    -1,
    10,
    6,
)
PREFER_COMMON_COLOUR = Parameter("prefer_common_colour", SWITCH, "prefer cards of the most common colours in hand")
END_GAME = Parameter("end_game", SWITCH, "play differently while the next player holds one card")
WILD_MOST_COMMON = Parameter("wild_most_common", SWITCH, "call the most common colour in hand for a wild, else a random one")

WIN_RATE_RANKS = (4, 3, 5, 6, 1, 2)
POINTS_RANKS = (5, 3, 6, 4, 2, 1)
WIN_RATE_LIMITS = (-1, -1, -1, -1, 2, 4)
POINTS_LIMITS = (-1, -1, -1, -1, 5, 3)
MIXED: dict[str, Value] = {  # what all presets of the mixed bots have
    "end_game_ranks": (2, 3, 4, 6, 1, 5),
    "play_drawn_thresholds": (-1, -1, -1, -1, 2, 2),
    "prefer_common_colour": True,
    "end_game": True,
    "wild_most_common": True,
}


# The first rules of the mixed bots, and their sentences.
PLAY_DRAWN, KEEP_DRAWN, HOLD_BACK = range(3)
DRAWN_RULES = (
    "plays the {card} that it drew",
    "keeps the {drawn} that it drew until it holds fewer cards",
    "doesn't play: it holds back every card that fits until it holds fewer others",
)


def highest_ranked(view: View, candidates: int, ranks: Any) -> int:
    """The candidates whose kind has the highest rank."""
    best = number(0)
    chosen = word(0)
    for kind in range(6):
        cards = candidates & view.kind_mask(kind)
        if cards != _ZERO:
            if ranks[kind] > best:
                best = number(ranks[kind])
                chosen = cards
            elif ranks[kind] == best:
                chosen |= cards
    return chosen


def most_diverse(view: View, candidates: int) -> int:
    """The candidates that match the most different coloured cards in hand; a wild counts as matching none."""
    coloured = view.types() & COLOURED_MASK
    best = number(-1)
    chosen = word(0)
    while candidates != _ZERO:
        card = lowest(candidates)
        candidates &= candidates - ONE
        score = popcount(coloured & MATCH_MASKS[card]) if card < COLOURED_TYPES else number(0)
        if score > best:
            best = score
            chosen = word(0)
        if score == best:
            chosen |= bit(card)
    return chosen


def within_limits(view: View, candidates: int, limits: Any) -> int:
    """The candidates whose kind is free, or whose limit the cards of free kinds in hand do not exceed."""
    free = word(0)
    for kind in range(6):
        if limits[kind] < 0:
            free |= view.kind_mask(kind)
    count = size_within(view.hand(), free)
    allowed = free
    for kind in range(6):
        if count <= limits[kind]:
            allowed |= view.kind_mask(kind)
    return candidates & allowed


def willing_to_play(view: View, limits: Any) -> int:
    """The playable types within limits; all of them where the rules leave no other choice than to play."""
    cards = within_limits(view, view.playable(), limits)
    if cards == _ZERO and not view.may_decline():
        return view.playable()
    return cards


def of_colours(colours: int) -> int:
    """The coloured types of a mask of four colour bits."""
    cards = word(0)
    for colour in range(4):
        if (colours >> word(colour)) & ONE != _ZERO:
            cards |= COLOUR_MASKS[colour]
    return cards


def is_end_game(view: View, enabled: int) -> bool:
    """Whether the next player holds exactly one card and the bot cares."""
    return enabled != 0 and view.next_size() == 1


def wild_colour(view: View, most_common: int) -> int:
    """The colour to call: the most common in hand, or any."""
    if most_common:
        return view.common_colour()
    return view.randbelow(4)


def play_with_colour(view: View, card: int, most_common: int) -> int:
    """The action that plays a card, with a colour if it needs one."""
    if card < COLOURED_TYPES:
        return card
    return view.play(card, wild_colour(view, most_common))


def play_drawn_or_keep(view: View, thresholds: Any, most_common: int, scratch: FiredRule) -> int:
    """Play the card just drawn if its kind's threshold allows it; notes the rule."""
    threshold = thresholds[view.kind_of(view.drawn)]
    if threshold < 0 or view.hand_size() <= threshold or not view.may_decline():
        scratch.rule = PLAY_DRAWN
        return play_with_colour(view, number(view.drawn), most_common)
    scratch.rule = KEEP_DRAWN
    return KEEP
