"""Steps of the bots that go by the order of their hand, oldest card first."""

from __future__ import annotations

from kibitz.bots.parameters import CHOICE, Parameter
from kibitz.core.jit import Word, lowest, number
from kibitz.games.uno.cards import COLOURED_TYPES, bit
from kibitz.games.uno.view import View

_ZERO = Word(0)

WILD_COLOUR = Parameter(
    "wild_colour",
    CHOICE,
    "the colour to call for a wild: the most common in hand (ties: red, green, blue, yellow), or a random one",
    default="common",
    choices=("common", "random"),
)
RANDOM_COLOUR = WILD_COLOUR.choices.index("random")


def oldest(view: View, candidates: int) -> int:
    """The card among these types that has been in hand longest; -1 if there is none."""
    for place in range(view.hand_size()):
        card = number(view.order[place])
        if bit(card) & candidates != _ZERO:
            return card
    return number(-1)


def dearest(view: View, candidates: int) -> int:
    """The card among these types that counts most points, the oldest of equal ones."""
    return _first_by_points(view, candidates, 1)


def cheapest(view: View, candidates: int) -> int:
    """The card among these types that counts fewest points, the oldest of equal ones."""
    return _first_by_points(view, candidates, -1)


def _first_by_points(view: View, candidates: int, sign: int) -> int:
    chosen = number(-1)
    best = number(0)
    for place in range(view.hand_size()):
        card = number(view.order[place])
        value = sign * view.points_of(card)
        if bit(card) & candidates != _ZERO and (chosen < 0 or value > best):
            chosen = card
            best = value
    return chosen


def play_calling(view: View, card: int, wild_colour: int) -> int:
    """The action that plays a card, a wild with a colour as WILD_COLOUR says."""
    if card < COLOURED_TYPES:
        return card
    if wild_colour == RANDOM_COLOUR:
        return view.play(card, view.randbelow(4))
    return view.play(card, lowest(view.common_colours()))
