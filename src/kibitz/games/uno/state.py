"""The state of a deal: the view's fields first, then what is hidden from everybody or from some.

Also the events that an action causes, for the bots that follow the game.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.core.jit import inline, number, word
from kibitz.core.layouts import Byte, Int, Word64, blank, fields_of
from kibitz.games.uno.cards import CARD_TYPES, MAX_CARDS, MAX_PLAYERS, NO_CARD, NO_COLOUR
from kibitz.games.uno.counts import planes_from
from kibitz.games.uno.rules import Rules
from kibitz.games.uno.view import HONEST_ONLY, LAST_RESORT, NO_SEAT, SeatWords, View

PairWords = Annotated[list[int], "u8", MAX_PLAYERS * MAX_PLAYERS]

HOUSE = True  # house rules are part of the engine; `definition` makes it once more without them, for classic games
SEAT_BITS = 15  # tells the compiler that a seat is not negative, which spares a check in every table look-up

# Kinds of event.
PLAY, DREW, KEPT, FORCED, NAMED, CHALLENGED, SWAPPED, PASSED_HANDS, SHUFFLED, SAID_UNO, MISSED_UNO, CAUGHT, JUMPED_IN = range(13)
EVENT_NAMES = (
    "play",
    "drew",
    "kept",
    "forced",
    "named",
    "challenged",
    "swapped",
    "passed hands",
    "shuffled",
    "said uno",
    "missed uno",
    "caught",
    "jumped in",
)
EVENT_SIZE = 9
MAX_EVENTS = 16

# How a bot reads the order of its hand, which decides which of two copies it plays.
NO_ORDER, NEWEST_FIRST, OLDEST_FIRST = range(3)

# Who begins, and what the opening card does.
AFTER_DEALER, SEAT_0, RANDOM_SEAT = range(3)
OPENING_EFFECTS, OPENING_NAME_COLOUR, OPENING_NONE, OPENING_REDRAW = range(4)


class Event:
    """Something everybody at the table saw.

    PLAY: `seat` played `card` (which it had just drawn if `drawn`), after drawing `count` cards in the same turn; `colour`
    is current now. DREW: `seat` drew `count` cards of its own will. KEPT: its turn ended without a play, `count` cards
    drawn in it. FORCED: `seat` was made to draw `count`. NAMED: `seat` named the colour of the opening wild. CHALLENGED:
    `seat` challenged `other`, `count` is 1 if rightly. SWAPPED: `seat` swapped hands with `other`. PASSED_HANDS: all hands
    went one place on. SHUFFLED: all hands were shuffled and dealt anew. SAID_UNO, MISSED_UNO: `seat`, with one card left.
    CAUGHT: `seat` caught `other`, who had not said it. JUMPED_IN: `seat` did; its PLAY follows. `top` and `top_colour` are
    the card that was on top before the play that caused this.
    """

    kind: Byte  # PLAY, DREW, …
    seat: Byte
    card: Byte
    colour: Byte
    count: Byte
    drawn: Byte
    top: Byte
    top_colour: Byte
    other: Byte  # another seat, or NO_SEAT

    def __repr__(self) -> str:
        fields = ", ".join(f"{field.name}={getattr(self, field.name)}" for field in fields_of(Event) if field.name != "kind")
        return f"<{EVENT_NAMES[self.kind]} {fields}>"


class State(View):
    """A whole deal. Hands are bit planes by seat; a draw takes a random card of `pile`, whose order means nothing."""

    hands0: SeatWords
    hands1: SeatWords
    hands2: SeatWords
    seat_streams: SeatWords
    knowledge0: PairWords  # what viewer v knows seat s to hold, at place v x MAX_PLAYERS + s, as bit planes
    knowledge1: PairWords
    knowledge2: PairWords
    deal_stream: Word64
    orders: Annotated[list[int], "u1", MAX_PLAYERS * MAX_CARDS]  # arrival order, by seat, for those who declare it
    full_deck: Annotated[list[int], "u1", MAX_CARDS]
    pile: Annotated[list[int], "u1", MAX_CARDS]
    shuffled: Annotated[list[int], "u1", MAX_CARDS]  # where hands are collected to be shuffled
    ordered: Annotated[
        list[int], "u1", MAX_PLAYERS
    ]  # how the order of each hand is kept: NO_ORDER, NEWEST_FIRST, OLDEST_FIRST, or OPEN_HAND of the contract
    wrap: Annotated[list[int], "u1", MAX_PLAYERS + 4]  # the seat behind a place from -2 on
    any_ordered: Byte
    order_filled: Byte  # how much of the view's `order` is in use
    opened: Byte  # 1 while the state is shown to somebody who sees all hands
    events: Annotated[list[int], "u1", MAX_EVENTS * EVENT_SIZE]
    max_turns: Int
    initial_hand: Byte
    hidden_drawn: Byte  # in the phase DRAWN: the card
    idle_players: Byte  # players in a row who could neither play nor draw
    observed: Byte  # 1 if events are wanted
    event_count: Byte
    set_dealer: Byte  # the dealer, if an earlier deal of the contest decides; else NO_SEAT
    # House rules.
    starter: Byte  # AFTER_DEALER …
    opening: Byte  # OPENING_EFFECTS …
    refill_late: Byte  # 1 if the pile is refilled only when a card is needed
    restricts_four: Byte  # 1 if a Wild Draw Four may not always be played
    any_known: Byte  # 1 if somebody knows something of another hand
    turn_draws: Byte  # cards drawn in the present turn
    before_top: Byte  # the top card and colour before the last play
    before_colour: Byte
    emptied: Byte  # 1 if that play emptied the hand
    guilty: Byte  # 1 if that play was a Wild Draw Four with the current colour in hand
    next_seat: Byte  # who has the turn once nobody jumps in
    jumper: Byte  # in the phase JUMPING_IN: the seat that is asked, and whose play is settled
    jumped_on: Byte
    masked: Byte  # 1 while that phase is hidden from whom the state is shown to


def new_state(rules: Rules, players: int, kind: type[State] = State) -> State:
    """A plain state with everything that does not change from deal to deal filled in."""
    rules.check_players(players)
    state = blank(kind)
    state.players = players
    state.deck0, state.deck1, state.deck2 = planes_from(rules.deck)
    cards = [card for card in range(CARD_TYPES) for _ in range(rules.deck[card])]
    state.deck_size = len(cards)
    state.full_deck = cards + [0] * (MAX_CARDS - len(cards))
    state.wrap = [(place - 2) % players for place in range(MAX_PLAYERS + 4)]
    state.max_turns = rules.max_turns
    state.initial_hand = rules.hand_size
    state.reverse_skips = int(players == 2 and rules.reverse_is_skip)
    state.draw_rule = rules.code("draw")
    state.drawn_rule = rules.code("drawn_card")
    state.must_play = int(rules.must_play)
    state.four_rule = rules.code("wild_draw_four")
    state.restricts_four = int(state.four_rule in (HONEST_ONLY, LAST_RESORT))
    state.stacking = rules.code("stacking")
    state.seven_zero = int(rules.seven_zero)
    state.jump_in = int(rules.jump_in)
    state.uno_call = int(rules.uno_call)
    state.last_card_draws = int(rules.last_card_draws)
    state.starter = rules.code("starter")
    state.opening = rules.code("opening")
    state.refill_late = rules.code("refill")
    state.drawn = state.hidden_drawn = NO_CARD
    state.player = state.set_dealer = state.next_seat = state.jumper = state.jumped_on = NO_SEAT
    state.colour = NO_COLOUR
    state.order = [NO_CARD] * MAX_CARDS
    return state


@inline
def seat_from(state: State, seat: int, places: int) -> int:
    """The seat `places` on; -2 to 2, negative against the clock. A table spares the division."""
    return number(state.wrap[word(number(seat) + places + 2)])


def record_event(
    state: State, kind: int, seat: int, card: int, colour: int, count: int, drawn: int, top: int, top_colour: int, other: int
) -> None:
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
    state.events[place + 8] = other
    state.event_count += 1


def record_said(state: State, kind: int, seat: int, count: int, other: int) -> None:
    """Note what somebody said or did in a window."""
    if state.observed:
        record_event(
            state, kind, seat, NO_CARD, number(state.colour), count, 0, number(state.before_top), number(state.before_colour), other
        )
