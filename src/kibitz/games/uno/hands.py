"""Hands in a state: cards that come and go, hands that change their owner, and what is known of them."""

from __future__ import annotations

from kibitz.core.jit import Word, inline, number, popcount, word
from kibitz.core.seeds import below
from kibitz.games.contract import OPEN_HAND
from kibitz.games.uno.cards import CARD_TYPES, DRAW_TWO, MAX_CARDS, MAX_PLAYERS, NO_CARD, REVERSE, SKIP, VALUE_MASKS, bit
from kibitz.games.uno.counts import add_to_planes, count_in, take_from_planes
from kibitz.games.uno.state import OLDEST_FIRST, PASSED_HANDS, SHUFFLED, SWAPPED, State, record_said, seat_from
from kibitz.games.uno.view import NO_SEAT

_ZERO = Word(0)
_FORTY_POINT_CARDS = Word(3 << 54)
_FIFTY_POINT_CARDS = Word(3 << 52)
_TWENTY_POINT_CARDS = Word(int(VALUE_MASKS[SKIP]) | int(VALUE_MASKS[REVERSE]) | int(VALUE_MASKS[DRAW_TWO]))
_ODD_NUMBERS = Word(sum(int(VALUE_MASKS[value]) for value in range(10) if value & 1))
_TWO_NUMBERS = Word(sum(int(VALUE_MASKS[value]) for value in range(10) if value & 2))
_FOUR_NUMBERS = Word(sum(int(VALUE_MASKS[value]) for value in range(10) if value & 4))
_EIGHT_NUMBERS = Word(sum(int(VALUE_MASKS[value]) for value in range(10) if value & 8))


@inline
def give_card(state: State, seat: int, card: int) -> None:
    """Put a card into a hand."""
    low, middle, high = add_to_planes(state.hands0[seat], state.hands1[seat], state.hands2[seat], bit(card))
    state.hands0[seat] = low
    state.hands1[seat] = middle
    state.hands2[seat] = high
    if state.ordered[seat]:
        state.orders[seat * MAX_CARDS + number(state.sizes[seat])] = card
    state.sizes[seat] += 1


@inline
def take_card(state: State, seat: int, card: int) -> int:
    """Take a card out of a hand, of several copies the newest, or the oldest if its order is read that way; how many are left."""
    low, middle, high = take_from_planes(state.hands0[seat], state.hands1[seat], state.hands2[seat], bit(card))
    state.hands0[seat] = low
    state.hands1[seat] = middle
    state.hands2[seat] = high
    left = number(state.sizes[seat]) - 1
    state.sizes[seat] = left
    if state.ordered[seat]:
        start = seat * MAX_CARDS
        place = start + left
        if state.ordered[seat] == OLDEST_FIRST:
            place = start
            while state.orders[place] != card:
                place += 1
        else:
            while state.orders[place] != card:
                place -= 1
        while place < start + left:
            state.orders[place] = state.orders[place + 1]
            place += 1
    return left


def hand_points(low: int, middle: int, high: int) -> int:
    """The points of a hand."""
    points = plane_points(low) + 2 * plane_points(middle)
    if high:  # four copies or more: rare
        points += 4 * plane_points(high)
    return points


def plane_points(plane: int) -> int:
    """The points of one copy of each type in a plane."""
    return (
        popcount(plane & _ODD_NUMBERS)
        + 2 * popcount(plane & _TWO_NUMBERS)
        + 4 * popcount(plane & _FOUR_NUMBERS)
        + 8 * popcount(plane & _EIGHT_NUMBERS)
        + 20 * popcount(plane & _TWENTY_POINT_CARDS)
        + 50 * popcount(plane & _FIFTY_POINT_CARDS)
        + 40 * popcount(plane & _FORTY_POINT_CARDS)
    )


def sort_hand(state: State, seat: int) -> None:
    """Order a hand that has changed its owner by card types."""
    if not state.ordered[seat]:
        return
    place = seat * MAX_CARDS
    for card in range(CARD_TYPES):
        for _ in range(count_in((state.hands0[seat], state.hands1[seat], state.hands2[seat]), card)):
            state.orders[place] = card
            place += 1


def show_order(state: State, seat: int) -> None:
    """Show a hand in order of arrival, or clear what another seat was shown."""
    start = seat * MAX_CARDS
    kept = number(state.sizes[seat]) if state.ordered[seat] else 0
    for place in range(kept):
        state.order[place] = state.orders[start + place]
    for place in range(kept, number(state.order_filled)):
        state.order[place] = NO_CARD
    state.order_filled = kept
    if state.ordered[seat] == OPEN_HAND:
        show_open_hands(state, seat)
    elif state.opened:
        state.opened = 0
        show_knowledge(state, seat)


def show_open_hands(state: State, seat: int) -> None:
    """Show all hands, to a bot that sees everything: it knows what the others hold."""
    state.opened = 1
    for other in range(number(state.players)):
        open_hand = other != seat
        state.known0[other] = state.hands0[other] if open_hand else word(0)
        state.known1[other] = state.hands1[other] if open_hand else word(0)
        state.known2[other] = state.hands2[other] if open_hand else word(0)


def exchange(state: State, first: int, second: int) -> None:
    """Let two seats exchange hands, and whatever anybody knows of them."""
    state.hands0[first], state.hands0[second] = state.hands0[second], state.hands0[first]
    state.hands1[first], state.hands1[second] = state.hands1[second], state.hands1[first]
    state.hands2[first], state.hands2[second] = state.hands2[second], state.hands2[first]
    state.sizes[first], state.sizes[second] = state.sizes[second], state.sizes[first]
    for viewer in range(number(state.players)):
        one, other = viewer * MAX_PLAYERS + first, viewer * MAX_PLAYERS + second
        state.knowledge0[one], state.knowledge0[other] = state.knowledge0[other], state.knowledge0[one]
        state.knowledge1[one], state.knowledge1[other] = state.knowledge1[other], state.knowledge1[one]
        state.knowledge2[one], state.knowledge2[other] = state.knowledge2[other], state.knowledge2[one]


def remember_own_hands(state: State) -> None:
    """Before hands move: everybody knows the own one, wherever it goes."""
    state.any_known = 1
    for seat in range(number(state.players)):
        learn_hand(state, seat, seat)


def forget_own_hands(state: State) -> None:
    """After hands moved: nobody needs to be told the own one."""
    for seat in range(number(state.players)):
        place = seat * MAX_PLAYERS + seat
        state.knowledge0[place], state.knowledge1[place], state.knowledge2[place] = word(0), word(0), word(0)


def swap_hands(state: State, seat: int, other: int) -> None:
    """Two players exchange their hands."""
    remember_own_hands(state)
    exchange(state, seat, other)
    forget_own_hands(state)
    sort_hand(state, seat)
    sort_hand(state, other)
    record_said(state, SWAPPED, seat, 0, other)


def pass_hands(state: State, seat: int) -> None:
    """Every hand goes one place on in the direction of play."""
    remember_own_hands(state)
    last = number(state.players) - 1
    for step in range(last):
        place = last - step if state.direction > 0 else step + 1
        exchange(state, place, place - 1)
    forget_own_hands(state)
    for holder in range(number(state.players)):
        sort_hand(state, holder)
    record_said(state, PASSED_HANDS, seat, 0, NO_SEAT)


def shuffle_hands(state: State, seat: int) -> None:
    """Collect all hands, shuffle them, and deal them out one by one from the next player on."""
    size = 0
    for holder in range(number(state.players)):
        for card in range(CARD_TYPES):
            for _ in range(count_in((state.hands0[holder], state.hands1[holder], state.hands2[holder]), card)):
                state.shuffled[size] = card
                size += 1
        state.hands0[holder], state.hands1[holder], state.hands2[holder] = word(0), word(0), word(0)
        state.sizes[holder] = 0
    position = state.deal_stream
    while size > 0:
        seat = seat_from(state, seat, number(state.direction))
        position, place = below(position, size)
        give_card(state, seat, number(state.shuffled[place]))
        size -= 1
        state.shuffled[place] = state.shuffled[size]
    state.deal_stream = position
    forget_all(state)
    for holder in range(number(state.players)):
        sort_hand(state, holder)
    record_said(state, SHUFFLED, number(state.player), 0, NO_SEAT)


def learn_hand(state: State, viewer: int, seat: int) -> None:
    """Let a viewer know all cards a seat holds."""
    place = viewer * MAX_PLAYERS + seat
    state.knowledge0[place] = state.hands0[seat]
    state.knowledge1[place] = state.hands1[seat]
    state.knowledge2[place] = state.hands2[seat]
    state.any_known = 1


def forget_played(state: State, seat: int, card: int) -> None:
    """A card was played: who knew of it knows of one less."""
    for viewer in range(number(state.players)):
        place = viewer * MAX_PLAYERS + seat
        low, middle, high = state.knowledge0[place], state.knowledge1[place], state.knowledge2[place]
        if (low | middle | high) & bit(card) != _ZERO:
            low, middle, high = take_from_planes(low, middle, high, bit(card))
            state.knowledge0[place], state.knowledge1[place], state.knowledge2[place] = low, middle, high


def forget_all(state: State) -> None:
    """Nobody knows anything of another hand."""
    for place in range(MAX_PLAYERS * MAX_PLAYERS):
        state.knowledge0[place], state.knowledge1[place], state.knowledge2[place] = word(0), word(0), word(0)
    for seat in range(MAX_PLAYERS):
        state.known0[seat], state.known1[seat], state.known2[seat] = word(0), word(0), word(0)
    state.any_known = 0


def show_knowledge(state: State, viewer: int) -> None:
    """Show what a viewer knows of other hands."""
    for seat in range(number(state.players)):
        place = viewer * MAX_PLAYERS + seat
        state.known0[seat] = state.knowledge0[place]
        state.known1[seat] = state.knowledge1[place]
        state.known2[seat] = state.knowledge2[place]
