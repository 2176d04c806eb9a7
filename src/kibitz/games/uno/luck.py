"""How lucky each seat was with the cards it drew: an engine that adds this up while a game is played.

The card drawn is a uniformly random one of the pile. Whatever a value function says of positions, its value after the card that
came, less its mean over all cards that could have come, is zero on average, given all that happened before; so is the sum
over a game. The better the value function predicts who wins, the more of the outcome this sum explains. Games are the same
as without it: nothing here touches the deal or its streams.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import Word, lowest, number, word
from kibitz.games.uno.cards import (
    ALL_CARDS,
    COLOUR_MASKS,
    COLOURED_MASK,
    COLOURED_TYPES,
    KIND_OF,
    MAX_CARDS,
    MAX_PLAYERS,
    NUMBER_KIND,
    REVERSE_KIND,
    SKIP,
    VALUE_MASKS,
    VALUES,
    WILD_DRAW_FOUR_KIND,
    bit,
)
from kibitz.games.uno.counts import add_to_planes, size_within
from kibitz.games.uno.dealing import deal
from kibitz.games.uno.prospects import Prospects, chance_to_win, describe, forget_weighed, prepare, values_in

_ZERO = Word(0)
_NUMBERS = Word(sum(int(VALUE_MASKS[value]) for value in range(SKIP)))

# For each seat: the luck of its own draws, of the draws of others, and how many more cards of each kind but numbers it was dealt
# than it had to expect.
OWN, OTHERS, DEALT = 0, 1, 2
COMPONENTS = DEALT + WILD_DRAW_FOUR_KIND
SCALE = 2.0**40  # luck is noted in whole numbers


class LuckState(Prospects):
    """A state that knows how lucky everybody was."""

    luck: Annotated[list[float], "f8", MAX_PLAYERS * COMPONENTS]


def begin_deal(state: LuckState, key: int) -> None:
    """Deal, with nobody lucky yet but in the cards dealt. An opening card that makes one draw is a matter of `weigh_draw`."""
    for place in range(MAX_PLAYERS * COMPONENTS):
        state.luck[place] = 0.0
    deal(state, key)
    held = number(state.initial_hand)
    for seat in range(number(state.players)):
        place = seat * COMPONENTS + DEALT - REVERSE_KIND
        for dealt in range(held):
            kind = KIND_OF[word(state.orders[seat * MAX_CARDS + dealt])]
            if kind != NUMBER_KIND:
                state.luck[place + kind] += 1.0
        for card in range(number(state.deck_size)):
            kind = KIND_OF[word(state.full_deck[card])]
            if kind != NUMBER_KIND:
                state.luck[place + kind] -= held / number(state.deck_size)


def luck_of(state: LuckState, seat: int, component: int) -> int:
    """How lucky a seat was, in wins, times SCALE."""
    return int(state.luck[seat * COMPONENTS + component] * SCALE)


def weigh_draw(state: LuckState, seat: int, owed: int, size: int, card: int) -> None:
    """A seat draws `card` out of `size` in the pile: add what that is worth against the mean of all of them."""
    for other in range(number(state.players)):
        if state.sizes[other] == 0:
            return  # somebody has won: nothing that is drawn changes that
    if size < 2:
        return
    kind = 0 if state.players == 2 else 1
    low, middle, high = word(0), word(0), word(0)
    for place in range(size):
        low, middle, high = add_to_planes(low, middle, high, bit(number(state.pile[place])))
    # Numbers with a value that nobody holds and that is not on top are as good as each other within a colour.
    held = word(0)
    for other in range(number(state.players)):
        held |= state.hands0[other] | state.hands1[other] | state.hands2[other]
    held = values_in((held | (bit(number(state.top)) if state.top < COLOURED_TYPES else word(0))) & COLOURED_MASK)
    alike = _NUMBERS & ~(held | (held << word(13)) | (held << word(26)) | (held << word(39)))
    left = (low | middle | high) & ALL_CARDS
    total, actual = 0.0, 0.0
    prepare(state, seat, owed, size)
    forget_weighed(state, kind)
    while left != _ZERO:
        drawn = lowest(left)
        group = bit(drawn)
        if group & alike != _ZERO:
            group = left & alike & COLOUR_MASKS[drawn // VALUES]
        left &= ~group
        describe(state, seat, owed, drawn)
        chance = chance_to_win(state, kind)
        total += chance * size_within((low, middle, high), group)
        if group & bit(card) != _ZERO:
            actual = chance
    add_luck(state, seat, actual - total / size)


def add_luck(state: LuckState, seat: int, luck: float) -> None:
    """Credit a seat with the luck of its draw; the others bear it, those with few cards most."""
    state.luck[seat * COMPONENTS + OWN] += luck
    shares = 0.0
    for other in range(number(state.players)):
        if other != seat:
            shares += 1.0 / number(state.sizes[other])
    for other in range(number(state.players)):
        if other != seat:
            state.luck[other * COMPONENTS + OTHERS] -= luck / (number(state.sizes[other]) * shares)
