"""Sets of card types as masks of 25 bits, bit `colour * 5 + rank`: which types are left, playable, dead, or down to their last copy.

`CardSets` holds what the table alone says about all types. Bots that follow a game keep it in their memory, search keeps it beside a
world: `begin_sets` takes it from a view, and `remove_card` brings it up to date after each card that is played, misplayed or discarded.
"""

from __future__ import annotations

from kibitz.core.jit import ONE, Word, Words, inline, number, popcount, word
from kibitz.core.layouts import Word64
from kibitz.games.hanabi.cards import CARD_TYPES, COLOUR_OF, MAX_COLOURS, MAX_RANKS, RANK_OF
from kibitz.games.hanabi.view import View

_ZERO = Word(0)
EVERY_TYPE = Word((1 << CARD_TYPES) - 1)
FIRST_RANKS = Word(sum(1 << card for card in range(CARD_TYPES) if RANK_OF[card] == 0))

# The card types of a mask of colours, and of a mask of ranks.
TYPES_OF_COLOURS = Words([sum(1 << card for card in range(CARD_TYPES) if mask >> COLOUR_OF[card] & 1) for mask in range(1 << MAX_COLOURS)])
TYPES_OF_RANKS = Words([sum(1 << card for card in range(CARD_TYPES) if mask >> RANK_OF[card] & 1) for mask in range(1 << MAX_RANKS)])


class CardSets:
    """Sets of card types that everybody at the table can work out.

    A type has as many copies left, in hands and in the deck, as its bits in `ones` and, counting twice, in `twos` say.
    """

    ones: Word64
    twos: Word64
    played: Word64  # those on the piles
    playable: Word64  # those that fit a pile now and have copies left
    dead: Word64  # those that can never be played any more, as `View.is_dead` says
    last: Word64  # those that are not dead and have one copy left


# -- the sets --


def begin_sets(view: View, sets: CardSets) -> None:
    """Work out the sets at any position."""
    ones, twos, played = word(0), word(0), word(0)
    for card in range(CARD_TYPES):
        left = number(view.deck[card]) - number(view.discards[card])
        if RANK_OF[card] < number(view.fireworks[COLOUR_OF[card]]):
            left -= 1
            played |= ONE << word(card)
        ones |= word(left & 1) << word(card)
        twos |= word(left >> 1) << word(card)
    sets.ones, sets.twos, sets.played = ones, twos, played
    find_sets(sets)


def remove_card(sets: CardSets, card: int, fits: bool) -> None:
    """A card has left a hand: onto its pile if it fits, else for good."""
    sets.ones, sets.twos = one_fewer(sets.ones, sets.twos, type_bit(card))
    if fits:
        sets.played |= type_bit(card)
    find_sets(sets)


@inline
def find_sets(sets: CardSets) -> None:
    """Work out the sets that follow from the copies left and the piles."""
    playable, alive = playable_and_alive(sets.played, sets.ones | sets.twos)
    sets.playable = playable
    sets.dead = EVERY_TYPE & ~alive
    sets.last = alive & sets.ones & ~sets.twos


@inline
def playable_and_alive(played: int, left: int) -> tuple[int, int]:
    """The types that fit now, and those that fit now or later, with these on the piles and copies left of those."""
    playable = (ranks_above(played) | FIRST_RANKS) & ~played & left
    alive = playable
    for _ in range(MAX_RANKS - 1):
        alive |= ranks_above(alive) & left
    return playable, alive


@inline
def ranks_above(types: int) -> int:
    """The types one rank above these, colour by colour."""
    return (types << ONE) & ~FIRST_RANKS & EVERY_TYPE


# -- single types --


@inline
def type_bit(card: int) -> int:
    """The set of one type."""
    return ONE << word(card)


@inline
def is_single(types: int) -> bool:
    """Whether a set has exactly one type."""
    return types != _ZERO and types & (types - ONE) == _ZERO


@inline
def are_all(types: int, within: int) -> bool:
    """Whether there are some types, all of them within others."""
    return types != _ZERO and types & ~within == _ZERO


@inline
def is_sure(types: int, within: int) -> bool:
    """Whether a card that has one of these types is one of others for certain."""
    return types & ~within == _ZERO


@inline
def is_open(types: int, within: int) -> bool:
    """Whether a card that has one of these types may be one of others, and may not."""
    return types & within != _ZERO and types & ~within != _ZERO


@inline
def types_of_rank(rank: int) -> int:
    """All types of a rank."""
    return FIRST_RANKS << word(rank)


# -- copies --


@inline
def copies_left(sets: CardSets, types: int) -> int:
    """How many copies some types have left together: their weight."""
    return popcount(sets.ones & types) + 2 * popcount(sets.twos & types)


@inline
def one_fewer(ones: int, twos: int, types: int) -> tuple[int, int]:
    """Counts as in `CardSets` with a copy less of some types, as far as there are any."""
    counted = types & (ones | twos)
    ones ^= counted
    return ones, twos ^ (ones & counted)
