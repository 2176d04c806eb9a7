"""The rules at work: kernels that deal, tell what is legal, and apply an action.

Everything that plays UNO goes through these functions, compiled or not. They take a state and change it in place.
Randomness comes from the stream the state was dealt with, and from nowhere else.
"""

from __future__ import annotations

from kibitz.games.uno.cards import (
    ACTION_CARDS,
    ACTION_COLOURS,
    ACTION_MATCHES,
    ACTIONS,
    COLOUR_OF,
    DRAW,
    DRAW_TWO,
    KEEP,
    MAX_CARDS,
    MAX_PLAYERS,
    NO_CARD,
    NO_COLOUR,
    REVERSE,
    SKIP,
    VALUE_MASKS,
    VALUE_OF,
    WILD_DRAW_FOUR,
    action_card,
    bit,
    match_mask,
)
from kibitz.games.uno.counts import add_to_planes, take_from_planes
from kibitz.games.uno.state import DREW, EVENT_SIZE, FORCED, KEPT, PLAY, Event, State
from kibitz.games.uno.view import CUT_OFF, DRAWN, PLAYING, STUCK, TURN, WON, View
from kibitz.jit import ONE, Word, as_base, element_of, inline, number, popcount, word
from kibitz.seeds import DEAL, FIRST_SEAT, below, stream

_ZERO = Word(0)
_SIZE_BITS = 127
_SEAT_BITS = 15  # tells the compiler that a seat is not negative, which spares a check in every table look-up

# Places in a tally; each line-up entry has wins, points and squared points from TALLY_ENTRIES on.
TALLY_DEALS, TALLY_UNFINISHED, TALLY_TURNS, TALLY_TURNS_SQUARED, TALLY_ENTRIES = 0, 1, 2, 3, 4
TALLY_SIZE = TALLY_ENTRIES + 3 * MAX_PLAYERS

_FORTY_POINT_CARDS = Word(3 << 54)
_FIFTY_POINT_CARDS = Word(3 << 52)
_TWENTY_POINT_CARDS = Word(int(VALUE_MASKS[SKIP]) | int(VALUE_MASKS[REVERSE]) | int(VALUE_MASKS[DRAW_TWO]))
_ODD_NUMBERS = Word(sum(int(VALUE_MASKS[value]) for value in range(10) if value & 1))
_TWO_NUMBERS = Word(sum(int(VALUE_MASKS[value]) for value in range(10) if value & 2))
_FOUR_NUMBERS = Word(sum(int(VALUE_MASKS[value]) for value in range(10) if value & 4))
_EIGHT_NUMBERS = Word(sum(int(VALUE_MASKS[value]) for value in range(10) if value & 8))


# -- small steps --


@inline
def seat_from(state: State, seat: int, places: int) -> int:
    """The seat `places` on; -2 to 2, negative against the clock. A table spares the division."""
    return number(state.wrap[word(number(seat) + places + 2)])


def record_event(state: State, kind: int, seat: int, card: int, colour: int, count: int, drawn: int, top: int, top_colour: int) -> None:
    """Note an event for those who follow the game."""
    place = number(state.event_count) * EVENT_SIZE
    state.events[place] = kind
    state.events[place + 1] = seat
    state.events[place + 2] = card
    state.events[place + 3] = colour
    state.events[place + 4] = count
    state.events[place + 5] = drawn
    state.events[place + 6] = top
    state.events[place + 7] = top_colour
    state.event_count += 1


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
    """Take a card out of a hand, of several copies the newest; how many are left."""
    low, middle, high = take_from_planes(state.hands0[seat], state.hands1[seat], state.hands2[seat], bit(card))
    state.hands0[seat] = low
    state.hands1[seat] = middle
    state.hands2[seat] = high
    left = number(state.sizes[seat]) - 1
    state.sizes[seat] = left
    if state.ordered[seat]:
        start = seat * MAX_CARDS
        place = start + left
        while state.orders[place] != card:
            place -= 1
        while place < start + left:
            state.orders[place] = state.orders[place + 1]
            place += 1
    return left


def refill(state: State) -> None:
    """Turn the discard pile, but for its top card, into the draw pile. A draw picks at random, so this is the shuffle."""
    size = number(state.discard_size)
    for place in range(size):
        state.pile[place] = state.discard[place]
    state.pile_size = size
    state.discard_size = 0


@inline
def draw_card(state: State) -> int:
    """Take a random card from the draw pile, refilled at once when it runs out; -1 if there is none at all."""
    size = number(state.pile_size) & _SIZE_BITS
    if size == 0:
        refill(state)
        size = number(state.pile_size) & _SIZE_BITS
        if size == 0:
            return -1
    position, place = below(state.deal_stream, size)
    state.deal_stream = position
    card = number(state.pile[place])
    size -= 1
    state.pile[place] = state.pile[size]
    state.pile_size = size
    if size == 0:
        refill(state)
    return card


def force_draw(state: State, seat: int, count: int, top: int, top_colour: int) -> None:
    """Make a seat draw `count` cards, or as many as there are."""
    drawn = 0
    for _ in range(count):
        card = draw_card(state)
        if card < 0:
            break
        give_card(state, seat, card)
        drawn += 1
    if state.observed:
        record_event(state, FORCED, seat, NO_CARD, number(state.colour), drawn, 0, top, top_colour)


@inline
def start_turn(state: State, seat: int) -> None:
    """Hand the turn to a seat, unless the game has lasted too long."""
    state.current = seat
    state.phase = TURN
    show_actor(state)
    if state.turn >= state.max_turns:
        state.status = CUT_OFF
    else:
        state.turn += 1


@inline
def show_actor(state: State) -> None:
    """Show the state to the player to act. It stands so whenever a decision is open, except while others look on."""
    seat = number(state.current) & _SEAT_BITS
    low, middle, high = state.hands0[seat], state.hands1[seat], state.hands2[seat]
    state.seat = seat
    state.hand0 = low
    state.hand1 = middle
    state.hand2 = high
    state.random_stream = state.seat_streams[seat]
    if state.phase == DRAWN:
        state.drawn = state.hidden_drawn
        state.playable_types = bit(state.hidden_drawn)
    else:
        state.drawn = NO_CARD
        state.playable_types = (low | middle | high) & state.match
    if state.any_ordered:
        show_order(state, seat)


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


def finish(state: State, winner: int) -> None:
    """End the game: the winner gets the points of all other hands (its own is empty)."""
    state.status = WON
    state.winner = winner
    total = number(0)
    for seat in range(number(state.players)):
        total += hand_points(state.hands0[seat], state.hands1[seat], state.hands2[seat])
    state.points = total


# -- the verbs of the contract --


def deal(state: State, key: int) -> None:
    """Deal anew from the streams of a game key: hands, dealer, opening card and its effect."""
    players = number(state.players)
    position = stream(key, DEAL)
    size = number(state.deck_size)
    for place in range(MAX_CARDS):
        state.pile[place] = state.full_deck[place]
        state.discard[place] = 0
    for seat in range(players):
        low, middle, high = word(0), word(0), word(0)
        for dealt in range(number(state.initial_hand)):
            position, place = below(position, size)
            card = number(state.pile[word(place)])
            size -= 1
            state.pile[word(place)] = state.pile[word(size)]
            low, middle, high = add_to_planes(low, middle, high, bit(card))
            state.orders[seat * MAX_CARDS + dealt] = card
        state.hands0[seat] = low
        state.hands1[seat] = middle
        state.hands2[seat] = high
        state.sizes[seat] = state.initial_hand
        state.seat_streams[seat] = stream(key, FIRST_SEAT + seat)
    position, dealer = below(position, players)
    # The opening card: Wild Draw Fours go back, unless there is nothing else.
    position, place = below(position, size)
    while number(state.pile[place]) == WILD_DRAW_FOUR and has_other_card(state, size):
        position, place = below(position, size)
    top = number(state.pile[place])
    size -= 1
    state.pile[place] = state.pile[size]
    state.pile_size = size
    state.deal_stream = position
    state.dealer = dealer
    state.discard_size = 0
    state.top = top
    state.colour = COLOUR_OF[top]
    state.match = match_mask(top, NO_COLOUR)
    state.direction = 1
    state.turn = 0
    state.points = 0
    state.phase = TURN
    state.status = PLAYING
    state.winner = NO_CARD
    state.idle_players = 0
    state.event_count = 0
    open_game(state, dealer, VALUE_OF[top])


def has_other_card(state: State, size: int) -> bool:
    """Whether the pile holds anything but Wild Draw Fours."""
    for place in range(size):
        if state.pile[place] != WILD_DRAW_FOUR:
            return True
    return False


def open_game(state: State, dealer: int, value: int) -> None:
    """Apply the opening card: who begins, and who draws."""
    first = seat_from(state, dealer, number(state.direction))
    if value == REVERSE:
        state.direction = -1
        first = dealer
    elif value == SKIP:
        first = seat_from(state, first, number(state.direction))
    elif value == DRAW_TWO:
        force_draw(state, first, 2, number(state.top), number(state.colour))
        first = seat_from(state, first, number(state.direction))
    state.event_count = 0  # the opening is over before anybody looks
    start_turn(state, first)


@inline
def is_over(state: State) -> bool:
    """Whether the deal has ended, with a winner or without."""
    return state.status != PLAYING


@inline
def is_legal(state: State, action: int) -> bool:
    """Whether the player to act may take this action, while the game is on."""
    if action < 0 or action > KEEP:
        return False
    if action < DRAW:
        return (state.playable_types >> word(action_card(action))) & ONE != _ZERO
    return state.phase == (TURN if action == DRAW else DRAWN)


@inline
def forced_action(state: State) -> int:
    """The only legal action, or -1 if there is a choice: who has nothing to decide is not asked."""
    return DRAW if state.playable_types == _ZERO else -1


def legal_actions(state: State) -> list[int]:
    """Every legal action, in the order of the numbers."""
    return [] if is_over(state) else [action for action in range(ACTIONS) if is_legal(state, action)]


@inline
def apply(state: State, action: int) -> None:
    """Carry out a legal action with all its effects. Events are added to those not yet told."""
    if action < DRAW:
        play_card(state, action)
    elif action == DRAW:
        draw_for_turn(state)
    else:
        end_turn_without_play(state, 1)


@inline
def draw_for_turn(state: State) -> None:
    """Draw one card; a playable one may be played at once."""
    seat = number(state.current) & _SEAT_BITS
    card = draw_card(state)
    if card < 0:
        if state.playable_types == _ZERO:
            state.idle_players += 1
        else:
            state.idle_players = 0
        turn = state.turn
        end_turn_without_play(state, 0)
        if state.idle_players >= state.players:
            state.status = STUCK
            state.turn = turn  # the turn that has just been handed on is never taken
        return
    state.idle_players = 0
    give_card(state, seat, card)
    if state.observed:
        record_event(state, DREW, seat, NO_CARD, number(state.colour), 1, 0, number(state.top), number(state.colour))
    if bit(card) & state.match:
        state.phase = DRAWN
        state.hidden_drawn = card
        show_actor(state)
    else:
        end_turn_without_play(state, 1)


@inline
def end_turn_without_play(state: State, count: int) -> None:
    """Pass the turn on after drawing `count` cards and playing none."""
    seat = number(state.current) & _SEAT_BITS
    if state.observed:
        record_event(state, KEPT, seat, NO_CARD, number(state.colour), count, 0, number(state.top), number(state.colour))
    start_turn(state, seat_from(state, seat, number(state.direction)))


@inline
def play_card(state: State, action: int) -> None:
    """Put a card of the player to act on the pile, with its effect."""
    seat = number(state.current) & _SEAT_BITS
    card = ACTION_CARDS[word(action)]
    left = take_card(state, seat, card)
    old_top = number(state.top)
    old_colour = number(state.colour)
    state.discard[word(state.discard_size)] = old_top
    state.discard_size += 1
    state.top = card
    state.colour = ACTION_COLOURS[word(action)]
    state.match = ACTION_MATCHES[word(action)]
    state.idle_players = 0
    if state.observed:
        record_event(state, PLAY, seat, card, number(state.colour), 0, 1 if state.phase == DRAWN else 0, old_top, old_colour)
    # Branches here, tables above: the processor guesses ahead past a branch, but waits for a look-up on the way to the next seat.
    skipped = 0
    penalty = 0
    value = VALUE_OF[card]
    if value >= SKIP:
        if value == SKIP:
            skipped = 1
        elif value == REVERSE:
            if state.reverse_skips:
                skipped = 1
            else:
                state.direction = -state.direction
        elif value == DRAW_TWO:
            skipped = 1
            penalty = 2
        elif card == WILD_DRAW_FOUR:
            skipped = 1
            penalty = 4
    if penalty:
        force_draw(state, seat_from(state, seat, number(state.direction)), penalty, old_top, old_colour)
    if left == 0:
        finish(state, seat)
    else:
        start_turn(state, seat_from(state, seat, number(state.direction) << skipped))


def show(state: State, seat: int) -> None:
    """Show the state to any seat: what the others may not see is taken out, what is its own put in."""
    if seat == number(state.current):
        show_actor(state)
        return
    state.seat = seat
    state.hand0 = state.hands0[seat]
    state.hand1 = state.hands1[seat]
    state.hand2 = state.hands2[seat]
    state.random_stream = state.seat_streams[seat]
    state.drawn = NO_CARD
    state.playable_types = word(0)
    if state.any_ordered:
        show_order(state, seat)


def show_order(state: State, seat: int) -> None:
    """Show a hand in order of arrival, or clear what another seat was shown."""
    start = seat * MAX_CARDS
    kept = number(state.sizes[seat]) if state.ordered[seat] else 0
    for place in range(kept):
        state.order[place] = state.orders[start + place]
    for place in range(kept, number(state.order_filled)):
        state.order[place] = NO_CARD
    state.order_filled = kept


def tally_result(state: State, seating: list[int], tally: list[int]) -> None:
    """Add a finished deal to a tally: sums over deals, then three for each line-up entry."""
    turns = number(state.turn)
    tally[TALLY_DEALS] += 1
    tally[TALLY_TURNS] += turns
    tally[TALLY_TURNS_SQUARED] += turns * turns
    if state.status != WON:
        tally[TALLY_UNFINISHED] += 1
        return
    points = number(state.points)
    place = TALLY_ENTRIES + 3 * number(seating[state.winner])
    tally[place] += 1
    tally[place + 1] += points
    tally[place + 2] += points * points


as_view = as_base(View)
event_at = element_of(State, "events", Event)
