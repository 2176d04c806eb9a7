"""The last turns before the horizon where number cards alone are played, between two players, in closed form.

What may be played on what is symmetric among number cards, who can play must, and a draw ends the turn. Whether a card can be
answered is then all that the last turns depend on, and that is a question about masks. Values are those of the player who acts:
WIN for a hand emptied, -WIN if the other's is, else the other's cards minus its own. A hand is its types (a mask) and its size.
"""

from __future__ import annotations

from kibitz.core.jit import ONE, Word, inline, lowest, number, word
from kibitz.games.uno.cards import COLOUR_MASKS, MATCH_MASKS, SKIP, VALUE_MASKS, bit
from kibitz.games.uno.counts import Planes, take_from_planes
from kibitz.games.uno.view import DRAW_ONE, MAY_NOT_PLAY_DRAWN, TURN, View
from kibitz.search.uno.worlds import pick_card

WIN = 100.0

NUMBER_CARDS = Word(sum(int(VALUE_MASKS[value]) for value in range(SKIP)))

_ZERO = Word(0)
_ONE_COLOUR = Word(0x1FFF)
_IN_ALL_COLOURS = Word(1 | 1 << 13 | 1 << 26 | 1 << 39)
_RED, _GREEN, _BLUE, _YELLOW = (Word(mask) for mask in COLOUR_MASKS[:4])
_SECOND, _THIRD, _FOURTH = Word(13), Word(26), Word(39)


def is_plain_table(view: View, depth: int) -> bool:
    """Whether what lies before the horizon is covered here: the rules, and enough cards to draw from."""
    if view.players != 2 or view.phase != TURN or view.must_play == 0 or view.drawn_rule != MAY_NOT_PLAY_DRAWN:
        return False
    if view.draw_rule != DRAW_ONE or view.seven_zero or view.jump_in or view.uno_call:
        return False
    return (view.deck0 | view.deck1 | view.deck2) & ~NUMBER_CARDS == _ZERO and number(view.pile_size) > depth


@inline
def answered_by(types: int) -> int:
    """The cards on which a hand with these types can play something."""
    colours = word(0)
    if types & _RED != _ZERO:
        colours |= _RED
    if types & _GREEN != _ZERO:
        colours |= _GREEN
    if types & _BLUE != _ZERO:
        colours |= _BLUE
    if types & _YELLOW != _ZERO:
        colours |= _YELLOW
    values = (types | types >> _SECOND | types >> _THIRD | types >> _FOURTH) & _ONE_COLOUR
    return colours | values * _IN_ALL_COLOURS


@inline
def last_turn(own: int, own_size: int, other_size: int, match: int) -> float:
    """What the position is worth with one turn to go; `match` is what may be played now."""
    if own & match == _ZERO:
        return float(other_size - own_size - 1)
    if own_size == 1:
        return WIN
    return float(other_size - own_size + 1)


@inline
def last_two(own: int, own_size: int, other: int, other_size: int, match: int) -> float:
    """What the position is worth with two turns to go: is there a card that the other cannot answer?"""
    playable = own & match
    if playable == _ZERO:
        return -last_turn(other, other_size, own_size + 1, match)
    if own_size == 1:
        return WIN
    if playable & ~answered_by(other) != _ZERO:
        return float(other_size - own_size + 2)
    return -WIN if other_size == 1 else float(other_size - own_size)


def last_three(own: Planes, own_size: int, other: Planes, other_size: int, pile: Planes, match: int, draws: int, key: int) -> float:
    """What the position is worth with three turns to go; a draw is tried with up to `draws` cards of the pile."""
    own_types, other_types = own[0] | own[1] | own[2], other[0] | other[1] | other[2]
    left = own_types & match
    if left == _ZERO:
        return draw_of_three(own_types, own_size, other_types, other_size, pile, match, draws, key)
    if own_size == 1:
        return WIN
    several = own[1] | own[2]
    best = -2.0 * WIN
    while left != _ZERO:
        mask = left & (~left + ONE)
        left ^= mask
        kept = (own_types & ~mask) | (several & mask)
        value = -last_two(other_types, other_size, kept, own_size - 1, MATCH_MASKS[lowest(mask)])
        if value > best:
            best = value
            if best == WIN:
                break
    return best


def draw_of_three(own: int, own_size: int, other: int, other_size: int, pile: Planes, match: int, draws: int, key: int) -> float:
    """Three turns to go, and nothing to play: the mean over some cards drawn, all of them different cards of the pile.

    The card matters if the other has an answer to nothing but what is drawn, or must draw as well.
    """
    playable = other & match
    if playable != _ZERO and other_size == 1:
        return -WIN
    open_cards = playable & ~answered_by(own)
    if playable != _ZERO and open_cards == _ZERO:
        return float(other_size - own_size - 1)
    position, low, middle, high = key, pile[0], pile[1], pile[2]
    total, count = 0.0, number(0)
    while count < draws and low | middle | high != _ZERO:
        position, card = pick_card(low, middle, high, position)
        low, middle, high = take_from_planes(low, middle, high, bit(card))
        if playable == _ZERO:
            total += float(other_size - own_size + 1 if bit(card) & match != _ZERO else other_size - own_size - 1)
        elif open_cards & ~MATCH_MASKS[card] != _ZERO:
            total += float(other_size - own_size - 3)
        else:
            total += float(other_size - own_size - 1)
        count += 1
    return total / count
