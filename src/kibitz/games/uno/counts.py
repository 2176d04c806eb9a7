"""Multisets of card types as three bit planes.

Bit t of plane 0, 1 and 2 holds the binary digits of how many copies of type t there are (0 to 7). A hand, a deck or a
table of upper bounds is then three words, and an operation on all 56 types is a handful of instructions.
"""

from __future__ import annotations

from kibitz.core.jit import inline, number, popcount, word
from kibitz.games.uno.cards import CARD_TYPES

Planes = tuple[int, int, int]


@inline
def add_to_planes(low: int, middle: int, high: int, mask: int) -> Planes:
    """One copy more of every type in `mask`."""
    carry = low & mask
    return low ^ mask, middle ^ carry, high ^ (middle & carry)


@inline
def take_from_planes(low: int, middle: int, high: int, mask: int) -> Planes:
    """One copy less of every type in `mask`, each of which is present."""
    borrow = mask & ~low
    return low ^ mask, middle ^ borrow, high ^ (borrow & ~middle)


def count_in(planes: Planes, card: int) -> int:
    """How many copies of a type there are."""
    shift = word(card)
    return number(
        ((planes[0] >> shift) & word(1)) + word(2) * ((planes[1] >> shift) & word(1)) + word(4) * ((planes[2] >> shift) & word(1))
    )


def size_of(planes: Planes) -> int:
    """How many cards there are."""
    return popcount(planes[0]) + 2 * popcount(planes[1]) + 4 * popcount(planes[2])


def size_within(planes: Planes, mask: int) -> int:
    """How many cards of the types in `mask` there are."""
    return popcount(planes[0] & mask) + 2 * popcount(planes[1] & mask) + 4 * popcount(planes[2] & mask)


def types_in(planes: Planes) -> int:
    """The types with at least one copy."""
    return planes[0] | planes[1] | planes[2]


def exceeds(first: Planes, second: Planes) -> int:
    """The types of which `first` has more copies than `second`."""
    low = first[0] & ~second[0]
    middle = (first[1] & ~second[1]) | (~(first[1] ^ second[1]) & low)
    return (first[2] & ~second[2]) | (~(first[2] ^ second[2]) & middle)


def smaller(first: Planes, second: Planes) -> Planes:
    """The smaller count of the two, type by type."""
    use = exceeds(first, second)
    return (
        (first[0] & ~use) | (second[0] & use),
        (first[1] & ~use) | (second[1] & use),
        (first[2] & ~use) | (second[2] & use),
    )


def difference(first: Planes, second: Planes) -> Planes:
    """`first` without `second`, which it contains."""
    borrow0 = second[0] & ~first[0]
    low = first[0] ^ second[0]
    borrow1 = (second[1] & ~first[1]) | (~(first[1] ^ second[1]) & borrow0)
    return low, first[1] ^ second[1] ^ borrow0, first[2] ^ second[2] ^ borrow1


def planes_from(counts: list[int] | tuple[int, ...]) -> Planes:
    """The planes of a list of counts by type."""
    low = middle = high = 0
    for card, count in enumerate(counts):
        low |= (count & 1) << card
        middle |= (count >> 1 & 1) << card
        high |= (count >> 2 & 1) << card
    return low, middle, high


def counts_from(planes: Planes) -> list[int]:
    """The counts by type of planes."""
    return [count_in(planes, card) for card in range(CARD_TYPES)]


def cards_from(planes: Planes) -> list[int]:
    """Every card of planes, in the order of the types."""
    cards = []
    left = planes[0] | planes[1] | planes[2]
    while left:
        mask = left & -left
        left ^= mask
        count = (planes[0] & mask != 0) + 2 * (planes[1] & mask != 0) + 4 * (planes[2] & mask != 0)
        cards += [mask.bit_length() - 1] * count
    return cards
