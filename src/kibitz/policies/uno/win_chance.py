"""How a position stands: each player's chance to win, guessed from all hands, so that a rollout need not be played to its end.

Every player gets a score, a sum of learned weights of what its hand is like; chances are proportional to exp(score). There are
weights for the searcher (`OWN`) and for the others, who play by other policies, and sets of both for 2, for 3 or 4 and for more
players. `tools/fit_standing.py` makes them.
"""

from __future__ import annotations

from math import exp
from pathlib import Path
from typing import Any

import numpy as np

from kibitz.core.jit import Numbers, Word, number, popcount, word
from kibitz.games.uno.cards import COLOUR_MASKS, DRAW_TWO, NO_COLOUR, REVERSE, SKIP, VALUE_MASKS, WILD_DRAW_FOUR, WILD_MASK
from kibitz.games.uno.counts import size_within
from kibitz.games.uno.state import State, seat_from

_ZERO = Word(0)
_TWOS = Word(int(VALUE_MASKS[DRAW_TWO]))
_TURNS = Word(int(VALUE_MASKS[SKIP]) | int(VALUE_MASKS[REVERSE]))
_FOUR = Word(1 << WILD_DRAW_FOUR)
_OTHER_WILDS = Word(int(WILD_MASK) & ~(1 << WILD_DRAW_FOUR))
_ONE_COLOUR = Word(0x1FFF)

# First place of each group of weights; see `places_of`.
_GROUPS = {"size": 56, "fit": 72, "wilds": 18, "fours": 18, "twos": 36, "turns": 24, "colours": 30, "most": 42}
_GROUPS |= {"values": 18, "alone": 24, "fitting actions": 24, "colour": 72}
_STARTS = dict(zip(_GROUPS, np.cumsum([0, *_GROUPS.values()]).tolist(), strict=False))
_SIZE, _FIT, _WILDS, _FOURS = (_STARTS[name] for name in ("size", "fit", "wilds", "fours"))
_TWOS_HELD, _TURNS_HELD, _COLOURS, _MOST = (_STARTS[name] for name in ("twos", "turns", "colours", "most"))
_VALUES, _ALONE, _ACTIONS, _COLOUR = (_STARTS[name] for name in ("values", "alone", "fitting actions", "colour"))

HAND = sum(_GROUPS.values())  # weights of one hand
PLACES = 12  # of them in use
PAIRS = 10 * 10 * 2  # own cards x fewest cards of another x whose turn
OWN, OTHERS = 0, HAND
PAIR = 2 * HAND
WEIGHTS = 2 * HAND + PAIRS  # of one set

SIZE_BUCKETS = Numbers([0, 0, 1, 2, 3, 4, 4, 5])
CLASSES = 3

STANDING_FILE = Path(__file__).with_name("win_chance.npz")


def read_standing() -> np.ndarray[Any, np.dtype[np.float64]]:
    """The shipped weights, one row for each class of tables."""
    if not STANDING_FILE.exists():
        return np.zeros((CLASSES, WEIGHTS))
    with np.load(STANDING_FILE, allow_pickle=False) as kept:
        return np.ascontiguousarray(kept["weights"], dtype=np.float64)


STANDING = read_standing().ravel()

Places = tuple[int, int, int, int, int, int, int, int, int, int, int, int]


def places_of(state: State, seat: int, offset: int) -> Places:
    """The weights that a hand is scored with; `offset` is how many turns its owner is away from acting."""
    hand = state.hands0[seat], state.hands1[seat], state.hands2[seat]
    types = hand[0] | hand[1] | hand[2]
    after = seat_from(state, seat, number(state.direction))
    others = state.hands0[after] | state.hands1[after] | state.hands2[after]
    held = number(state.sizes[seat])
    size = SIZE_BUCKETS[min(held, 7)]
    turn = min(offset, 2)
    colours, most, alone = 0, 0, 0
    for colour in range(4):
        count = size_within(hand, COLOUR_MASKS[colour])
        if count > 0:
            colours += 1
            most = max(most, count)
            if others & COLOUR_MASKS[colour] == _ZERO:
                alone += count
    current = number(state.colour)
    fitting_colour = size_within(hand, COLOUR_MASKS[current]) if current < NO_COLOUR else 0
    red, green = types & _ONE_COLOUR, (types >> word(13)) & _ONE_COLOUR
    blue, yellow = (types >> word(26)) & _ONE_COLOUR, (types >> word(39)) & _ONE_COLOUR
    twice = popcount((red & green) | ((red | green) & (blue | yellow)) | (blue & yellow))
    actions = 1 if types & state.match & (_TWOS | _TURNS) != _ZERO else 0
    return (
        _SIZE + (min(held, 14) - 1) * 4 + min(offset, 3),
        _FIT + (min(size_within(hand, state.match), 3) * 6 + size) * 3 + turn,
        _WILDS + min(size_within(hand, _OTHER_WILDS), 2) * 6 + size,
        _FOURS + min(size_within(hand, _FOUR), 2) * 6 + size,
        _TWOS_HELD + (min(size_within(hand, _TWOS), 2) * 6 + size) * 2 + min(offset, 1),
        _TURNS_HELD + min(size_within(hand, _TURNS), 3) * 6 + size,
        _COLOURS + colours * 6 + size,
        _MOST + min(most, 6) * 6 + size,
        _VALUES + min(twice, 2) * 6 + size,
        _ALONE + min(alone, 3) * 6 + size,
        _ACTIONS + (actions * 6 + size) * 2 + min(offset, 1),
        _COLOUR + (min(fitting_colour, 3) * 6 + size) * 3 + turn,
    )


def pair_of(state: State, me: int) -> int:
    """The weight for own cards, the fewest cards of another, and whose turn it is."""
    least = number(14)
    for seat in range(number(state.players)):
        if seat != me:
            least = min(least, number(state.sizes[seat]))
    turn = 1 if number(state.current) == me else 0
    return PAIR + ((min(number(state.sizes[me]), 10) - 1) * 10 + min(least, 10) - 1) * 2 + turn


def offset_of(state: State, seat: int) -> int:
    """How many turns a seat is away from acting, as things stand."""
    players = number(state.players)
    return ((seat - number(state.current)) * number(state.direction) + players) % players


def class_of_table(players: int) -> int:
    """Which set of weights a table has."""
    return 0 if players == 2 else 1 if players <= 4 else 2


def chance_of(state: State, me: int, weights: Any, first: int) -> float:
    """The chance that `me` wins, by the weights from `first` on."""
    own = weights[first + pair_of(state, me)]
    for place in places_of(state, me, offset_of(state, me)):
        own += weights[first + OWN + place]
    total = 1.0
    for seat in range(number(state.players)):
        if seat != me:
            score = 0.0
            for place in places_of(state, seat, offset_of(state, seat)):
                score += weights[first + OTHERS + place]
            total += exp(score - own)
    return 1.0 / total
