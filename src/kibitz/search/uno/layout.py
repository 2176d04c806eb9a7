"""A world laid out as a state, from which the engine plays on, and cheap copies of states: the ground a search moves on.

    lay_out(view, world, key, state)     # everything: the table as the view shows it, then the world's cards
    put_world(view, world, key, state)   # only the world's cards, on a table that is laid out already
    copy_state(state, another)

`state` is a record in the bot's scratch memory, or a plain State. Its random streams come from `key`, a word of the search's own
stream, never from the table's. What no view tells is as in `classic`: `refill_late`, but where an empty draw pile shows it, and
`max_turns`, unless the state has one. Nobody but the viewer knows of other hands. The state then stands as whenever a decision is
open: shown to the player to act.
"""

from __future__ import annotations

from kibitz.core.jit import ONE, Word, lowest, number, word
from kibitz.core.layouts import dtype_of
from kibitz.core.seeds import DEAL, FIRST_SEAT, SEARCH, below, stream
from kibitz.core.twins import numbers_copier
from kibitz.games.uno.cards import (
    CARD_TYPES,
    COLOUR_MASKS,
    DRAW_TWO,
    MAX_CARDS,
    MAX_PLAYERS,
    NO_CARD,
    NO_COLOUR,
    REVERSE,
    SKIP,
    VALUE_OF,
    WILD_DRAW_FOUR,
)
from kibitz.games.uno.counts import count_in, size_of, size_within
from kibitz.games.uno.state import EVENT_SIZE, State, seat_from
from kibitz.games.uno.turns import show_actor
from kibitz.games.uno.view import CHALLENGING, COLOUR, DRAWN, HONEST_ONLY, JUMPING_IN, LAST_RESORT, NO_SEAT, View
from kibitz.search.uno.belief import UNKNOWN_COLOUR
from kibitz.search.uno.worlds import World

USUAL_TURNS = 1000

_ZERO = Word(0)


def lay_out(view: View, world: World, key: int, state: State) -> None:
    """Fill in a state: the view's position with the cards of a world."""
    lay_table(view, state)
    put_world(view, world, key, state)


def lay_table(view: View, state: State) -> None:
    """Fill in what the view shows, and all that follows from it whatever the hidden cards are."""
    copy_view(view, state)
    for place in range(MAX_CARDS):
        state.discard[place] = view.discard[place]
    if state.max_turns == 0:
        state.max_turns = USUAL_TURNS
    state.refill_late = 1 if number(view.pile_size) == 0 and number(view.discard_size) > 0 else 0
    players = number(view.players)
    for place in range(MAX_PLAYERS + 4):
        state.wrap[place] = (place - 2 + players) % players
    place = number(0)
    for card in range(CARD_TYPES):
        for _ in range(count_in(view.deck(), card)):
            state.full_deck[place] = card
            place += 1
    for rest in range(place, MAX_CARDS):
        state.full_deck[rest] = 0
    for other in range(MAX_CARDS):
        state.order[other] = NO_CARD
    for pair in range(MAX_PLAYERS * MAX_PLAYERS):
        state.knowledge0[pair], state.knowledge1[pair], state.knowledge2[pair] = word(0), word(0), word(0)
    state.any_known = 0
    for seat in range(players):
        state.ordered[seat] = 0
        if view.known0[seat] | view.known1[seat] | view.known2[seat] != _ZERO:
            pair = number(view.seat) * MAX_PLAYERS + seat
            state.knowledge0[pair], state.knowledge1[pair], state.knowledge2[pair] = view.known(seat)
            state.any_known = 1
    state.any_ordered = 0
    state.order_filled = 0
    state.opened = 0
    state.observed = 0
    state.event_count = 0
    state.set_dealer = NO_SEAT
    state.restricts_four = 1 if view.four_rule == HONEST_ONLY or view.four_rule == LAST_RESORT else 0
    state.masked = 0
    state.emptied = 1 if view.phase == CHALLENGING and number(view.sizes[number(view.player)]) == 0 else 0
    state.next_seat = state.jumper = state.jumped_on = NO_SEAT
    if view.phase == JUMPING_IN:
        state.jumper = view.current
        state.jumped_on = view.player
        state.next_seat = seat_after_play(state)


def seat_after_play(state: State) -> int:
    """Who has the turn after the card on top, unless somebody jumps in."""
    value = VALUE_OF[number(state.top)]
    skips = value == SKIP or value == DRAW_TWO or (value == REVERSE and state.reverse_skips != 0)
    return seat_from(state, number(state.player), number(state.direction) * (2 if skips else 1))


def put_world(view: View, world: World, key: int, state: State) -> None:
    """Fill in the hidden cards, what depends on them, and random streams of its own, on a table that is laid out."""
    for seat in range(number(view.players)):
        state.hands0[seat] = world.hands0[seat]
        state.hands1[seat] = world.hands1[seat]
        state.hands2[seat] = world.hands2[seat]
        state.seat_streams[seat] = stream(key, FIRST_SEAT + seat)
    state.deal_stream = stream(key, DEAL)
    fill_pile(world, state)
    state.turn_draws = world.turn_draws
    state.hidden_drawn = NO_CARD
    if view.phase == DRAWN:
        state.hidden_drawn = view.drawn if number(view.current) == number(view.seat) else world.drawn
        state.turn_draws = max(number(world.turn_draws), 1)
    state.before_top = world.before_top if world.before_top != NO_CARD else view.top
    state.before_colour = world.before_colour
    if world.before_colour == UNKNOWN_COLOUR:
        _, colour = below(stream(key, SEARCH), NO_COLOUR)
        state.before_colour = colour
    state.guilty = 0
    if view.phase > COLOUR and view.top == WILD_DRAW_FOUR:
        seat = number(view.player)
        hand = (world.hands0[seat], world.hands1[seat], world.hands2[seat])
        coloured = size_within(hand, COLOUR_MASKS[number(state.before_colour)])
        if world.grown and coloured > 0:  # caught without a call: only the card it had left decides, and that is any of its cards
            _, place = below(stream(key, SEARCH), size_of(hand))
            coloured = 1 if place < coloured else 0
        state.guilty = 1 if coloured > 0 else 0
    state.idle_players = 0
    seat = seat_from(state, number(view.current), -number(view.direction))
    while state.idle_players < world.idle:  # those before who could not play; any other would have ended the row
        if (world.hands0[seat] | world.hands1[seat] | world.hands2[seat]) & view.match != _ZERO:
            break
        state.idle_players += 1
        seat = seat_from(state, seat, -number(view.direction))
    show_actor(state)


def fill_pile(world: World, state: State) -> None:
    """Put the cards of the draw pile into the state; a draw picks at random, so their order means nothing."""
    place = number(0)
    left = world.pile0
    while left != _ZERO:
        state.pile[place] = lowest(left)
        place += 1
        left &= left - ONE
    left = world.pile1
    while left != _ZERO:
        state.pile[place] = lowest(left)
        state.pile[place + 1] = lowest(left)
        place += 2
        left &= left - ONE
    left = world.pile2
    while left != _ZERO:
        for _ in range(4):
            state.pile[place] = lowest(left)
            place += 1
        left &= left - ONE


# -- copies --

copy_shown_numbers = numbers_copier(View)
copy_hidden_numbers = numbers_copier(State, without=dtype_of(View).names or ())


def copy_view(source: View, target: View) -> None:
    """Copy all that a view shows; of the discard pile what there is."""
    copy_shown_numbers(source, target)
    for seat in range(number(source.players)):
        target.known0[seat] = source.known0[seat]
        target.known1[seat] = source.known1[seat]
        target.known2[seat] = source.known2[seat]
        target.scores[seat] = source.scores[seat]
        target.sizes[seat] = source.sizes[seat]
    for place in range(number(source.discard_size)):
        target.discard[place] = source.discard[place]


def copy_state(source: State, target: State) -> None:
    """Copy a state; of piles and orders what is in use, so that it takes a fraction of a microsecond."""
    other_table = target.deck0 != source.deck0 or target.deck1 != source.deck1 or target.deck2 != source.deck2
    other_table = other_table or target.players != source.players
    knows = source.any_known != 0 or target.any_known != 0  # where nobody knows anything, there is nothing in these planes
    copy_view(source, target)
    copy_hidden_numbers(source, target)
    players = number(source.players)
    for seat in range(players):
        target.hands0[seat] = source.hands0[seat]
        target.hands1[seat] = source.hands1[seat]
        target.hands2[seat] = source.hands2[seat]
        target.seat_streams[seat] = source.seat_streams[seat]
        target.ordered[seat] = source.ordered[seat]
        if source.ordered[seat]:
            for place in range(seat * MAX_CARDS, seat * MAX_CARDS + number(source.sizes[seat])):
                target.orders[place] = source.orders[place]
        if knows:
            for place in range(seat * MAX_PLAYERS, seat * MAX_PLAYERS + players):
                target.knowledge0[place] = source.knowledge0[place]
                target.knowledge1[place] = source.knowledge1[place]
                target.knowledge2[place] = source.knowledge2[place]
    for place in range(number(source.pile_size)):
        target.pile[place] = source.pile[place]
    for place in range(number(source.event_count) * EVENT_SIZE):
        target.events[place] = source.events[place]
    if source.any_ordered or target.order[0] != source.order[0]:
        for place in range(MAX_CARDS):
            target.order[place] = source.order[place]
    if other_table:
        for seat in range(players, MAX_PLAYERS):
            target.known0[seat], target.known1[seat], target.known2[seat] = word(0), word(0), word(0)
        for place in range(MAX_PLAYERS * MAX_PLAYERS):
            target.knowledge0[place] = source.knowledge0[place]
            target.knowledge1[place] = source.knowledge1[place]
            target.knowledge2[place] = source.knowledge2[place]
        for place in range(MAX_CARDS):
            target.full_deck[place] = source.full_deck[place]
        for place in range(MAX_PLAYERS + 4):
            target.wrap[place] = source.wrap[place]
