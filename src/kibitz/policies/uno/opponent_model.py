"""How likely a player does what it did, if it plays much as Mix2: what `history` weighs sampled worlds by.

Mix2 (preset win_rate) plays the kind of the highest rank, of that the colour most common in hand, holds wilds back while it has
more coloured cards than a limit, and calls a colour of which it has about the most; while the next player holds one card it
has other ranks and no limits. Ties count as shared evenly: Mix2 itself counts cards there.

Each function gives two chances: that Mix2 does it, and that somebody does who takes any legal action. A player who slips now and
then is a mixture of both, so nothing is ever impossible. Hands are three words, the bit planes of `kibitz.games.uno.counts`.
"""

from __future__ import annotations

from kibitz.core.jit import ONE, Word, Words, inline, number, popcount, word
from kibitz.games.uno.cards import (
    COLOUR_MASKS,
    COLOURED_MASK,
    COLOURED_TYPES,
    DRAW_TWO_KIND,
    KIND_MASKS,
    NUMBER_KIND,
    REVERSE_KIND,
    SKIP_KIND,
    WILD_DRAW_FOUR,
    WILD_DRAW_FOUR_KIND,
    WILD_KIND,
    WILD_MASK,
    bit,
)
from kibitz.games.uno.counts import size_within
from kibitz.games.uno.view import HONEST_ONLY, LAST_RESORT, View

# Kinds from the highest rank on, and as many cards of other kinds as one may hold to play a wild.
KINDS_IN_ORDER = (DRAW_TWO_KIND, SKIP_KIND, NUMBER_KIND, REVERSE_KIND, WILD_DRAW_FOUR_KIND, WILD_KIND)
CLOSING_KINDS_IN_ORDER = (DRAW_TWO_KIND, WILD_DRAW_FOUR_KIND, SKIP_KIND, REVERSE_KIND, NUMBER_KIND, WILD_KIND)
WILD_LIMIT, WILD_DRAW_FOUR_LIMIT = 2, 4
DRAWN_WILD_LIMIT = 2  # cards in hand, itself included, with which a wild just drawn is played
UNLAWFUL = 0.01
COLOUR_SLACK = 1  # a wild may call any colour that is at most so many cards behind

_ZERO = Word(0)
_FOUR = Word(1 << WILD_DRAW_FOUR)
_PLAIN_WILDS = Word(int(KIND_MASKS[WILD_KIND]))


def _in_order(kinds: tuple[int, ...], reverse_skips: bool) -> list[int]:
    """The masks of kinds in order; a Reverse is a skip where it acts as one."""
    masks = {kind: int(KIND_MASKS[kind]) for kind in kinds}
    if reverse_skips:
        masks[SKIP_KIND] |= masks[REVERSE_KIND]
        masks[REVERSE_KIND] = 0
    return [masks[kind] for kind in kinds]


# Four times six masks: by whether the next player is about to win, then by whether a Reverse skips.
_RANKED = Words([mask for kinds in (KINDS_IN_ORDER, CLOSING_KINDS_IN_ORDER) for skips in (False, True) for mask in _in_order(kinds, skips)])


@inline
def playable_types(view: View, types: int, matching: int, colour: int) -> int:
    """The types of a hand that may be played where `matching` fit and `colour` is current."""
    fitting = types & matching
    if view.four_rule == HONEST_ONLY and types & COLOUR_MASKS[colour] != _ZERO:
        return fitting & ~_FOUR
    if view.four_rule == LAST_RESORT and fitting & ~_FOUR != _ZERO:
        return fitting & ~_FOUR
    return fitting


@inline
def actions_of(playable: int) -> int:
    """How many actions play one of these types: a wild counts once for each colour."""
    return popcount(playable) + 3 * popcount(playable & WILD_MASK)


@inline
def willing_types(low: int, middle: int, high: int, playable: int, closing: int) -> int:
    """The playable types that are not held back."""
    if closing or playable & WILD_MASK == _ZERO:
        return playable
    coloured = size_within((low, middle, high), COLOURED_MASK)
    if coloured > WILD_DRAW_FOUR_LIMIT:
        return playable & COLOURED_MASK
    if coloured > WILD_LIMIT:
        return playable & ~_PLAIN_WILDS
    return playable


@inline
def colour_counts(low: int, middle: int, high: int) -> tuple[int, int, int, int]:
    """How many cards of each colour a hand has."""
    planes = (low, middle, high)
    return (
        size_within(planes, COLOUR_MASKS[0]),
        size_within(planes, COLOUR_MASKS[1]),
        size_within(planes, COLOUR_MASKS[2]),
        size_within(planes, COLOUR_MASKS[3]),
    )


@inline
def colours_called(low: int, middle: int, high: int, slack: int) -> int:
    """The colours a wild may call in good order, as four bits; all if the hand has no coloured card."""
    red, green, blue, yellow = colour_counts(low, middle, high)
    least = max(red, green, blue, yellow) - slack
    if least + slack == 0:
        return word(15)
    least = max(least, 1)
    return word((1 if red >= least else 0) + (2 if green >= least else 0) + (4 if blue >= least else 0) + (8 if yellow >= least else 0))


def play_chances(
    view: View, low: int, middle: int, high: int, matching: int, current: int, closing: int, card: int, colour: int
) -> tuple[float, float]:
    """Of a player with this hand who plays `card` and calls `colour`, where `matching` fit and `current` is the colour.

    `closing` is 1 if the next player holds one card.
    """
    playable = playable_types(view, low | middle | high, matching, current)
    if playable & bit(card) == _ZERO:  # the hand is not what it was
        return 0.0, 1.0
    actions = actions_of(playable)
    if view.must_play == 0:
        actions += 1
    by_chance = 1.0 / actions
    willing = willing_types(low, middle, high, playable, closing)
    if willing == _ZERO:
        if view.must_play == 0:
            return 0.0, by_chance
        willing = playable
    place = (12 if closing else 0) + (6 if view.reverse_skips else 0)
    chosen = willing & _RANKED[place]
    while chosen == _ZERO:
        place += 1
        chosen = willing & _RANKED[place]
    if chosen & bit(card) == _ZERO:
        return 0.0, by_chance
    if card >= COLOURED_TYPES:
        called = colours_called(low, middle, high, COLOUR_SLACK)
        if (called >> word(colour)) & ONE == _ZERO:
            return 0.0, by_chance
        return 1.0 / (popcount(called) * popcount(chosen)), by_chance
    if chosen != bit(card):
        red, green, blue, yellow = colour_counts(low, middle, high)
        most = max(red, green, blue, yellow)
        preferred = word(0)
        if red == most:
            preferred |= COLOUR_MASKS[0]
        if green == most:
            preferred |= COLOUR_MASKS[1]
        if blue == most:
            preferred |= COLOUR_MASKS[2]
        if yellow == most:
            preferred |= COLOUR_MASKS[3]
        preferred &= chosen
        if preferred != _ZERO:
            if preferred & bit(card) == _ZERO:
                return 0.0, by_chance
            chosen = preferred
    return 1.0 / popcount(chosen), by_chance


def draw_chances(view: View, low: int, middle: int, high: int, matching: int, current: int, closing: int) -> tuple[float, float]:
    """Of a player with this hand who draws; a draw against the rules counts as one that nobody would choose."""
    playable = playable_types(view, low | middle | high, matching, current)
    if playable == _ZERO:
        return 1.0, 1.0
    if view.must_play != 0:
        return 0.0, UNLAWFUL
    by_chance = 1.0 / (actions_of(playable) + 1)
    if willing_types(low, middle, high, playable, closing) != _ZERO:
        return 0.0, by_chance
    return 1.0, by_chance


@inline
def keep_chances(wild: bool, size: int) -> tuple[float, float]:
    """Of a player who may play the card it has just drawn and keeps it; `size` counts that card."""
    if wild:
        return 1.0 if size > DRAWN_WILD_LIMIT else 0.0, 0.2
    return 0.0, 0.5


def call_chances(low: int, middle: int, high: int, colour: int) -> tuple[float, float]:
    """Of a player who plays a wild it has just drawn and calls this colour."""
    called = colours_called(low, middle, high, number(0))
    if (called >> word(colour)) & ONE == _ZERO:
        return 0.0, 0.25
    return 1.0 / popcount(called), 0.25
