"""The state of a deal: the view's fields first, then what is hidden from everybody or from some.

Also the events that an action causes, for the bots that follow the game.
"""

from __future__ import annotations

from typing import Annotated

from kibitz.games.uno.cards import CARD_TYPES, MAX_CARDS, MAX_PLAYERS, NO_CARD, NO_COLOUR
from kibitz.games.uno.counts import planes_from
from kibitz.games.uno.rules import Rules
from kibitz.games.uno.view import View
from kibitz.records import Byte, Int, Word64, blank, fields_of

SeatWords = Annotated[list[int], "u8", MAX_PLAYERS]

# Kinds of event.
PLAY, DREW, KEPT, FORCED = 0, 1, 2, 3
EVENT_NAMES = ("play", "drew", "kept", "forced")
EVENT_SIZE = 8
MAX_EVENTS = 16


class Event:
    """Something everybody at the table saw.

    PLAY: `seat` played `card` (from the draw pile if `drawn`), `colour` is current now. DREW: `seat` drew `count` cards
    of its own will. KEPT: its turn ended without a play, `count` cards drawn in it. FORCED: `seat` was made to draw
    `count`. `top` and `top_colour` are the card that was on top before the action.
    """

    kind: Byte  # PLAY, DREW, KEPT or FORCED
    seat: Byte
    card: Byte
    colour: Byte
    count: Byte
    drawn: Byte
    top: Byte
    top_colour: Byte

    def __repr__(self) -> str:
        fields = ", ".join(f"{field.name}={getattr(self, field.name)}" for field in fields_of(Event) if field.name != "kind")
        return f"<{EVENT_NAMES[self.kind]} {fields}>"


class State(View):
    """A whole deal. Hands are bit planes by seat; a draw takes a random card of `pile`, whose order means nothing."""

    hands0: SeatWords
    hands1: SeatWords
    hands2: SeatWords
    seat_streams: SeatWords
    deal_stream: Word64
    orders: Annotated[list[int], "u1", MAX_PLAYERS * MAX_CARDS]  # arrival order, by seat, for those who declare it
    full_deck: Annotated[list[int], "u1", MAX_CARDS]
    pile: Annotated[list[int], "u1", MAX_CARDS]
    ordered: Annotated[list[int], "u1", MAX_PLAYERS]  # 1 for seats whose order is kept
    wrap: Annotated[list[int], "u1", MAX_PLAYERS + 4]  # the seat behind a place from -2 on
    any_ordered: Byte
    order_filled: Byte  # how much of the view's `order` is in use
    events: Annotated[list[int], "u1", MAX_EVENTS * EVENT_SIZE]
    max_turns: Int
    initial_hand: Byte
    hidden_drawn: Byte  # in the phase DRAWN: the card
    idle_players: Byte  # players in a row who could neither play nor draw
    observed: Byte  # 1 if events are wanted
    event_count: Byte


def new_state(rules: Rules, players: int) -> State:
    """A plain state with everything that does not change from deal to deal filled in."""
    rules.check_players(players)
    state = blank(State)
    state.players = players
    state.deck0, state.deck1, state.deck2 = planes_from(rules.deck)
    cards = [card for card in range(CARD_TYPES) for _ in range(rules.deck[card])]
    state.deck_size = len(cards)
    state.full_deck = cards + [0] * (MAX_CARDS - len(cards))
    state.wrap = [(place - 2) % players for place in range(MAX_PLAYERS + 4)]
    state.max_turns = rules.max_turns
    state.initial_hand = rules.hand_size
    state.reverse_skips = int(players == 2)
    state.drawn = state.hidden_drawn = NO_CARD
    state.colour = NO_COLOUR
    state.order = [NO_CARD] * MAX_CARDS
    return state
