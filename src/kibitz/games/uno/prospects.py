"""What a drawn card is worth: a position just after a draw as numbers, and the chance to win that follows from them.

Only the measurement of luck (`kibitz.games.uno.luck`) looks at positions this way: all hands are open. Features are the hands of
the seat that draws and of the next one, and three quick looks ahead in which everybody plays by a simple rule and cards that
would have to be drawn stay blank. A small network, fitted by `tools/fit_luck.py`, turns them into a chance to win.
"""

from __future__ import annotations

from math import exp
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from kibitz.core.jit import Word, lowest, number, popcount, select, word
from kibitz.core.layouts import Byte
from kibitz.games.uno.cards import (
    ALL_CARDS,
    COLOUR_MASKS,
    COLOURED_MASK,
    COLOURED_TYPES,
    DRAW_TWO,
    MATCH_MASKS,
    MAX_PLAYERS,
    NO_CARD,
    NO_COLOUR,
    REVERSE,
    SKIP,
    VALUE_MASKS,
    WILD_DRAW_FOUR,
    WILD_MASK,
    bit,
)
from kibitz.games.uno.counts import add_to_planes, size_within, take_from_planes
from kibitz.games.uno.state import State, seat_from

_ZERO = Word(0)
_DRAW_TWOS = Word(int(VALUE_MASKS[DRAW_TWO]))
_SKIPS = Word(int(VALUE_MASKS[SKIP]))
_REVERSES = Word(int(VALUE_MASKS[REVERSE]))
_TURNS = Word(int(_SKIPS) | int(_REVERSES))
_ACTIONS = Word(int(_TURNS) | int(_DRAW_TWOS))
_DRAW_FOUR = Word(1 << WILD_DRAW_FOUR)
_OTHER_WILDS = Word(int(WILD_MASK) & ~int(_DRAW_FOUR))
_ONE_COLOUR = Word(0x1FFF)
_THIRTEEN = Word(13)

# Places of features: two hands, the table, and each look ahead.
HAND, TABLE, LOOK, LOOKS = 24, 16, 14, 3
FEATURES = 2 * HAND + TABLE + LOOKS * LOOK
HIDDEN = 64
MOST_PLIES = 24  # of a look ahead
MOST_STOPS = 4  # blank draws in a look ahead
NEAR = 5  # nobody looks ahead while all hands are larger than this


class Prospects(State):
    """A state with room to look ahead in."""

    features: Annotated[list[float], "f8", FEATURES]
    weighed: Annotated[list[float], "f8", FEATURES]  # the features that `hidden` was made from
    hidden: Annotated[list[float], "f8", HIDDEN]
    ahead0: Annotated[list[int], "u8", MAX_PLAYERS]  # hands in a look ahead, as bit planes
    ahead1: Annotated[list[int], "u8", MAX_PLAYERS]
    ahead2: Annotated[list[int], "u8", MAX_PLAYERS]
    ahead_sizes: Annotated[list[int], "i4", MAX_PLAYERS]
    blank_looks: Annotated[list[float], "f8", LOOKS * LOOK]  # looks ahead with a blank card in place of the one drawn
    used_by: Annotated[list[int], "u8", LOOKS]  # the cards that could have made a difference to them
    is_near: Byte


def load_weights(path: Path) -> tuple[np.ndarray[Any, Any], ...]:
    """First layer, its bias, second layer, its bias: for two players and for more, stacked."""
    with np.load(path) as kept:
        return tuple(np.ascontiguousarray(kept[name], dtype=np.float64) for name in ("first", "first_bias", "second", "second_bias"))


WEIGHTS = Path(__file__).with_name("prospects.npz")
FIRST, FIRST_BIAS, SECOND, SECOND_BIAS = load_weights(WEIGHTS)


def prepare(state: Prospects, seat: int, owed: int, size: int) -> None:
    """Describe what does not depend on the card that a seat draws out of `size`, having to draw `owed` more after it."""
    place = 2 * HAND
    state.features[place + 4] = size / 50.0
    describe_others(state, seat, place + 11)
    state.is_near = 1 if min(state.features[place + 12], 1.0 * number(state.sizes[seat])) <= NEAR else 0
    for look in range(LOOKS):
        first = place + TABLE + look * LOOK
        if state.is_near:
            state.used_by[look] = look_ahead(state, seat, owed, NO_CARD, look, first)
        for feature in range(LOOK):
            state.blank_looks[look * LOOK + feature] = state.features[first + feature] if state.is_near else 0.0


def describe(state: Prospects, seat: int, owed: int, card: int) -> None:
    """After `prepare`, fill in the features of the position in which the seat has just drawn `card`."""
    following = seat_from(state, seat, number(state.direction))
    low, middle, high = add_to_planes(state.hands0[seat], state.hands1[seat], state.hands2[seat], bit(card))
    others = state.hands0[following], state.hands1[following], state.hands2[following]
    describe_hand(state, 0, (low, middle, high), others[0] | others[1] | others[2])
    describe_hand(state, HAND, others, low | middle | high)
    own_will = owed < 0
    playable = bit(card) & state.match != _ZERO
    place = 2 * HAND
    for feature in range(11):
        if feature != 4:
            state.features[place + feature] = 0.0
    answers = (others[0] | others[1] | others[2]) & state.match
    if own_will:
        state.features[place] = 1.0
        if bit(card) & WILD_MASK != _ZERO:
            state.features[place + 6] = 1.0
        if playable:
            state.features[place + 1] = 1.0
            if bit(card) & (_ACTIONS | _DRAW_FOUR) != _ZERO:
                state.features[place + 5] = 1.0
            if card < COLOURED_TYPES:
                fitting = MATCH_MASKS[card] & COLOURED_MASK
                if (others[0] | others[1] | others[2]) & fitting != _ZERO:
                    state.features[place + 7] = 1.0
                state.features[place + 8] = size_within((low, middle, high), fitting) - 1.0
        elif answers != _ZERO:
            state.features[place + 9] = 1.0
            if answers & (_ACTIONS | _DRAW_FOUR) != _ZERO:
                state.features[place + 10] = 1.0
    elif owed == 0:
        state.features[place + 3] = 1.0
    else:
        state.features[place + 2] = 1.0 * owed
    for look in range(LOOKS):
        first = place + TABLE + look * LOOK
        if state.is_near and bit(card) & state.used_by[look] != _ZERO:
            look_ahead(state, seat, owed, card, look, first)
        else:
            for feature in range(LOOK):
                state.features[first + feature] = state.blank_looks[look * LOOK + feature]


def describe_others(state: Prospects, seat: int, place: int) -> None:
    """How many cards the others hold."""
    players = number(state.players)
    least, total, ones, twos = 100, 0, 0, 0
    for other in range(players):
        if other != seat:
            held = number(state.sizes[other])
            least = min(least, held)
            total += held
            ones += 1 if held == 1 else 0
            twos += 1 if held == 2 else 0
    state.features[place] = 1.0 * players
    state.features[place + 1] = 1.0 * least
    state.features[place + 2] = total / (players - 1.0)
    state.features[place + 3] = 1.0 * ones
    state.features[place + 4] = 1.0 * twos


def describe_hand(state: Prospects, place: int, hand: tuple[int, int, int], others: int) -> None:
    """The features of a hand; `others` are the types in the hand it is up against."""
    types = hand[0] | hand[1] | hand[2]
    held = size_within(hand, ALL_CARDS)
    fitting = state.match & COLOURED_MASK
    playable = size_within(hand, fitting)
    features = state.features
    features[place] = 1.0 * held
    for count in range(1, 5):
        features[place + count] = 1.0 if held == count else 0.0
    features[place + 5] = 1.0 * size_within(hand, _OTHER_WILDS)
    features[place + 6] = 1.0 * size_within(hand, _DRAW_FOUR)
    features[place + 7] = 1.0 * size_within(hand, _DRAW_TWOS)
    features[place + 8] = 1.0 * size_within(hand, _TURNS)
    features[place + 9] = 1.0 * playable
    features[place + 10] = 1.0 if playable > 0 else 0.0
    features[place + 11] = 1.0 if types & state.match != _ZERO else 0.0
    features[place + 12] = 1.0 if types & fitting & _ACTIONS != _ZERO else 0.0
    colours, most, second, alone, alone_colours, with_action = 0, 0, 0, 0, 0, 0
    for colour in range(4):
        count = size_within(hand, COLOUR_MASKS[colour])
        if count > 0:
            colours += 1
            if others & COLOUR_MASKS[colour] == _ZERO:
                alone += count
                alone_colours += 1
            if types & COLOUR_MASKS[colour] & _ACTIONS != _ZERO:
                with_action += 1
        if count > most:
            second = most
            most = count
        elif count > second:
            second = count
    features[place + 13] = 1.0 * colours
    features[place + 14] = 1.0 * most
    features[place + 15] = 1.0 * alone
    features[place + 16] = 1.0 * alone_colours
    red, green = types & _ONE_COLOUR, (types >> _THIRTEEN) & _ONE_COLOUR
    blue, yellow = (types >> word(26)) & _ONE_COLOUR, (types >> word(39)) & _ONE_COLOUR
    twice = (red & green) | ((red | green) & (blue | yellow)) | (blue & yellow)
    values = red | green | blue | yellow
    features[place + 17] = 1.0 * popcount(twice)
    current = number(state.colour)
    features[place + 18] = 1.0 * (size_within(hand, COLOUR_MASKS[current]) if current < NO_COLOUR else held)
    features[place + 19] = 1.0 * with_action
    features[place + 20] = 1.0 * second
    features[place + 21] = 1.0 * popcount(values)
    features[place + 22] = 1.0 * popcount(values & values_in(others))
    features[place + 23] = 1.0 if colours <= 1 else 0.0


def values_in(types: int) -> int:
    """The values of the coloured types in a mask, as 13 bits."""
    return (types | (types >> _THIRTEEN) | (types >> word(26)) | (types >> word(39))) & _ONE_COLOUR


def look_ahead(state: Prospects, seat: int, owed: int, card: int, look: int, place: int) -> int:
    """Play on by a simple rule, whoever cannot play drawing a blank card, and note how it goes for the seat that drew `card`.

    That card is blank as well if it is NO_CARD. The types that the seat could have played in any of its turns.
    """
    players = number(state.players)
    direction = number(state.direction)
    for other in range(players):
        state.ahead0[other] = state.hands0[other]
        state.ahead1[other] = state.hands1[other]
        state.ahead2[other] = state.hands2[other]
        state.ahead_sizes[other] = number(state.sizes[other])
    if card != NO_CARD:
        low, middle, high = add_to_planes(state.hands0[seat], state.hands1[seat], state.hands2[seat], bit(card))
        state.ahead0[seat], state.ahead1[seat], state.ahead2[seat] = low, middle, high
    state.ahead_sizes[seat] += 1 + max(owed, 0)
    match = word(state.match)
    allowed = word(ALL_CARDS)
    actor = seat_from(state, seat, direction)
    used = match if owed < 0 else word(0)
    if owed < 0 and card != NO_CARD and bit(card) & match != _ZERO:
        actor = seat
        allowed = bit(card)
    own_stops, stops, plies = 0, 0, 0
    first_stop, winner = -1, -1
    own_then, least_then = 0, 0
    while plies < MOST_PLIES:
        plies += 1
        if actor == seat:
            used |= match
        hand = state.ahead0[actor], state.ahead1[actor], state.ahead2[actor]
        playable = (hand[0] | hand[1] | hand[2]) & match & allowed
        allowed = word(ALL_CARDS)
        played = choose_ahead(hand, playable, look) if playable != _ZERO else NO_CARD
        if played == NO_CARD:
            if first_stop < 0:
                first_stop = actor
                own_then, least_then = number(state.ahead_sizes[seat]), least_other(state, seat)
            state.ahead_sizes[actor] += 1
            stops += 1
            own_stops += 1 if actor == seat else 0
            if stops >= MOST_STOPS:
                break
            actor = seat_from(state, actor, direction)
            continue
        match = word(MATCH_MASKS[played]) if played < COLOURED_TYPES else COLOUR_MASKS[common_colour(hand)] | WILD_MASK
        low, middle, high = take_from_planes(hand[0], hand[1], hand[2], bit(played))
        state.ahead0[actor], state.ahead1[actor], state.ahead2[actor] = low, middle, high
        state.ahead_sizes[actor] -= 1
        if state.ahead_sizes[actor] == 0:
            winner = actor
            break
        following = seat_from(state, actor, direction)
        if bit(played) & _REVERSES != _ZERO and not state.reverse_skips:
            direction = -direction
            following = seat_from(state, actor, direction)
        elif bit(played) & _TURNS != _ZERO:
            following = seat_from(state, following, direction)
        elif bit(played) & (_DRAW_TWOS | _DRAW_FOUR) != _ZERO:
            state.ahead_sizes[following] += 4 if played == WILD_DRAW_FOUR else 2
            following = seat_from(state, following, direction)
        actor = following
    own_left, least_left = number(state.ahead_sizes[seat]), least_other(state, seat)
    if first_stop < 0:
        own_then, least_then = own_left, least_left
    features = state.features
    features[place] = 1.0 if winner == seat and first_stop < 0 else 0.0
    features[place + 1] = 1.0 if winner >= 0 and winner != seat and first_stop < 0 else 0.0
    features[place + 2] = 1.0 if winner == seat else 0.0
    features[place + 3] = 1.0 if winner >= 0 and winner != seat else 0.0
    features[place + 4] = 1.0 if first_stop == seat else 0.0
    features[place + 5] = 1.0 if first_stop >= 0 and first_stop != seat else 0.0
    features[place + 6] = 1.0 * own_then
    features[place + 7] = 1.0 * least_then
    features[place + 8] = 1.0 * own_stops
    features[place + 9] = 1.0 * (stops - own_stops)
    features[place + 10] = 1.0 * own_left
    features[place + 11] = 1.0 * least_left
    features[place + 12] = 1.0 * plies
    features[place + 13] = 1.0 if min(own_then, least_then) <= 1 else 0.0
    return used


def least_other(state: Prospects, seat: int) -> int:
    """The fewest cards that anybody but a seat holds in a look ahead."""
    least = 200
    for other in range(number(state.players)):
        if other != seat:
            least = min(least, number(state.ahead_sizes[other]))
    return least


def choose_ahead(hand: tuple[int, int, int], playable: int, look: int) -> int:
    """The card that a simple rule plays: 0 what hurts first, 1 draw cards last and wilds held back, 2 by points; or NO_CARD."""
    if look == 2:
        if playable & WILD_MASK != _ZERO:
            return lowest(playable & WILD_MASK)
        candidates = playable & _ACTIONS
        value = 9
        while candidates == _ZERO:
            candidates = playable & VALUE_MASKS[value]
            value -= 1
        return lowest(candidates)
    if look == 0:
        candidates = playable & _DRAW_TWOS
        if candidates == _ZERO:
            candidates = playable & _TURNS
    else:
        candidates = playable & _TURNS
        if candidates == _ZERO:
            candidates = playable & COLOURED_MASK & ~_ACTIONS
    if candidates == _ZERO:
        candidates = playable & COLOURED_MASK
    if candidates == _ZERO:
        if look == 0:
            wilds = playable & _OTHER_WILDS
            return lowest(wilds if wilds != _ZERO else playable)
        coloured = size_within(hand, COLOURED_MASK)
        if coloured <= 4 and playable & _DRAW_FOUR != _ZERO:
            return WILD_DRAW_FOUR
        return lowest(playable) if coloured <= 2 else NO_CARD
    best, chosen = -1, word(0)
    for colour in range(4):
        cards = candidates & COLOUR_MASKS[colour]
        if cards != _ZERO:
            count = size_within(hand, COLOUR_MASKS[colour])
            if count > best:
                best = count
                chosen = cards
    return lowest(chosen) if look == 0 else select(chosen, popcount(chosen) - 1)


def common_colour(hand: tuple[int, int, int]) -> int:
    """The most common colour of a hand, the first of several."""
    best, chosen = -1, 0
    for colour in range(4):
        count = size_within(hand, COLOUR_MASKS[colour])
        if count > best:
            best = count
            chosen = colour
    return chosen


def forget_weighed(state: Prospects, kind: int) -> None:
    """Start with an empty description."""
    for feature in range(FEATURES):
        state.weighed[feature] = 0.0
    for unit in range(HIDDEN):
        state.hidden[unit] = FIRST_BIAS[kind, unit]


def chance_to_win(state: Prospects, kind: int) -> float:
    """The chance that the seat described wins. Only features that differ from those of the last time are worked in."""
    for feature in range(FEATURES):
        change = state.features[feature] - state.weighed[feature]
        if change != 0.0:
            state.weighed[feature] = state.features[feature]
            for unit in range(HIDDEN):
                state.hidden[unit] += change * FIRST[kind, feature, unit]
    even, odd = 0.0, 0.0  # two sums, so that one need not wait for the other
    for unit in range(0, HIDDEN, 2):
        even += max(state.hidden[unit], 0.0) * SECOND[kind, unit]
        odd += max(state.hidden[unit + 1], 0.0) * SECOND[kind, unit + 1]
    return 1.0 / (1.0 + exp(-(even + odd + SECOND_BIAS[kind])))
