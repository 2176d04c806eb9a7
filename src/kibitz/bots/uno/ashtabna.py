"""AshtabnaBot: a tournament player of 2016 that sheds action cards, then high numbers, and wilds last."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz.bots.fired_rule import FiredRule
from kibitz.bots.uno.by_order import oldest
from kibitz.core.jit import Numbers, Word, number, word
from kibitz.games.uno.cards import (
    BLUE,
    COLOUR_MASKS,
    DRAW_TWO,
    GREEN,
    KIND_MASKS,
    NO_COLOUR,
    NUMBER_KIND,
    RED,
    REVERSE,
    SKIP,
    VALUE_MASKS,
    VALUES,
    WILD,
    WILD_DRAW_FOUR,
    YELLOW,
    bit,
)
from kibitz.games.uno.counts import Planes, add_to_planes, size_within
from kibitz.games.uno.view import View

_ZERO = Word(0)
_NUMBERS = Word(KIND_MASKS[NUMBER_KIND])
_ACTIONS = Word(VALUE_MASKS[SKIP] | VALUE_MASKS[REVERSE] | VALUE_MASKS[DRAW_TWO])

# Which of equally large colour groups comes first: to play from, and to call.
_PLAYING_ORDER = Numbers([GREEN, RED, BLUE, YELLOW])
_CALLING_ORDER = Numbers([RED, BLUE, YELLOW, GREEN])


FEWER_THAN_BEFORE, FEWER_THAN_AFTER, MAKE_DRAW, OLDEST_ACTION, HIGHEST_NUMBER, ONLY_WILDS = range(6)  # the rules


@bot(
    hand_order="oldest",
    rules=(
        "plays {card}: the next player holds fewer cards than the previous one",
        "plays {card}: the next player holds fewer cards than the one after",
        "plays {card}, which makes the next player draw",
        "plays {card}, its oldest action card that fits",
        "plays {card}, its highest number that fits",
        "plays {card}: only wilds fit",
    ),
    trusted=True,
)
def ashtabna(view: View, scratch: FiredRule) -> int:
    """Plays action cards first, then its highest number, and wilds last; plays every drawn card it can.

    Of several action cards it plays a Reverse if the next player holds fewer cards than the previous one, else a Skip if
    the next player holds fewer than the one after, else a Draw Two, else the oldest. Equal numbers go by the larger colour
    group of numbers in hand. A Wild Draw Four goes before a Wild; both call the largest group of numbers in hand, or in
    the discard pile if there is none in hand, or red.
    """
    playable = view.playable()
    if playable & _ACTIONS != _ZERO:
        return best_action_card(view, playable & _ACTIONS, scratch)
    if playable & _NUMBERS != _ZERO:
        scratch.rule = HIGHEST_NUMBER
        return best_number(view, playable & _NUMBERS)
    scratch.rule = ONLY_WILDS
    return view.play(best_wild(view, playable), called_colour(view))


def best_action_card(view: View, candidates: int, scratch: FiredRule) -> int:
    """The action card that suits the numbers of cards around the table, the oldest of its kind; notes the rule."""
    following = view.next_size()
    reverses, skips, draw_twos = candidates & VALUE_MASKS[REVERSE], candidates & VALUE_MASKS[SKIP], candidates & VALUE_MASKS[DRAW_TWO]
    if reverses != _ZERO and following < view.sizes[view.seat_after(-1)]:
        scratch.rule = FEWER_THAN_BEFORE
        return oldest(view, reverses)
    if skips != _ZERO and following < view.sizes[view.seat_after(2)]:
        scratch.rule = FEWER_THAN_AFTER
        return oldest(view, skips)
    if draw_twos != _ZERO:
        scratch.rule = MAKE_DRAW
        return oldest(view, draw_twos)
    scratch.rule = OLDEST_ACTION
    return oldest(view, candidates)


def best_number(view: View, candidates: int) -> int:
    """The highest of these number cards, out of the largest colour group if several are equal.

    In the group of the top card's colour every number is playable, in another only the top card's number: the highest
    playable card of a group is its candidate. On an opening wild without a colour all groups are as the first.
    """
    value = 9
    while candidates & VALUE_MASKS[value] == _ZERO:
        value -= 1
    return largest_group(view.hand(), candidates & VALUE_MASKS[value], _PLAYING_ORDER) * VALUES + value


def best_wild(view: View, candidates: int) -> int:
    """A Wild Draw Four, else a Wild, else the oldest wild of another kind."""
    if candidates & bit(WILD_DRAW_FOUR) != _ZERO:
        return number(WILD_DRAW_FOUR)
    if candidates & bit(WILD) != _ZERO:
        return number(WILD)
    return oldest(view, candidates)


def called_colour(view: View) -> int:
    """The colour of the largest group of numbers in hand, else in the discard pile, else red."""
    colour = largest_group(view.hand(), _NUMBERS, _CALLING_ORDER)
    if colour == NO_COLOUR:
        colour = largest_group(discarded(view), _NUMBERS, _CALLING_ORDER)
    return colour if colour != NO_COLOUR else number(RED)


def largest_group(cards: Planes, among: int, order: Numbers) -> int:
    """The colour with the most number cards, of those that `among` contains; ties by `order`; NO_COLOUR if there is no number."""
    best = number(0)
    chosen = number(NO_COLOUR)
    for colour in order:
        size = size_within(cards, COLOUR_MASKS[colour] & _NUMBERS)
        if among & COLOUR_MASKS[colour] != _ZERO and size > best:
            best = size
            chosen = colour
    return chosen


def discarded(view: View) -> Planes:
    """The discard pile as bit planes, top card included."""
    cards = add_to_planes(word(0), word(0), word(0), bit(view.top))
    for place in range(number(view.discard_size)):
        cards = add_to_planes(cards[0], cards[1], cards[2], bit(view.discard[place]))
    return cards
