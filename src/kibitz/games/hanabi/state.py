"""The state of a game of Hanabi: the view's fields first, then what is hidden from everybody or from some; and events."""

from __future__ import annotations

from typing import Annotated

from kibitz.core.layouts import Byte, Word64, blank, fields_of
from kibitz.games.hanabi.cards import CARD_TYPES, HAND_CARDS, MAX_CARDS, MAX_PLAYERS, NO_CARD
from kibitz.games.hanabi.rules import Rules
from kibitz.games.hanabi.view import View

EVENT_SIZE = 8
MAX_EVENTS = 2


class Event:
    """A move, as everybody saw it. Also the kind numbers of moves: DISCARD, PLAY, HINT_COLOUR, HINT_RANK."""

    kind: Byte
    seat: Byte
    slot: Byte  # the slot played or discarded, else NO_CARD
    card: Byte  # the card that was played or discarded, else NO_CARD
    target: Byte  # the seat that was told, else NO_CARD
    value: Byte  # the colour or rank that was told, else NO_CARD
    touched: Byte  # the slots it touched, a bit for each
    outcome: Byte  # 1 if a play succeeded, 2 if it also gained a token, 0 otherwise

    def __repr__(self) -> str:
        return f"<{', '.join(f'{field.name}={getattr(self, field.name)}' for field in fields_of(Event))}>"


class State(View):
    """A whole game. The deck is shuffled when it is dealt; `drawn` cards of it have left."""

    seat_streams: Annotated[list[int], "u8", MAX_PLAYERS]
    deal_stream: Word64
    hands: Annotated[list[int], "i1", HAND_CARDS]  # the true cards, by seat and slot
    deck_order: Annotated[list[int], "i1", MAX_CARDS]
    full_deck: Annotated[list[int], "i1", MAX_CARDS]
    events: Annotated[list[int], "u1", MAX_EVENTS * EVENT_SIZE]
    ordered: Annotated[
        list[int], "u1", MAX_PLAYERS
    ]  # OPEN_HAND for a seat that sees its own cards, else anything: hands always have an order
    any_ordered: Byte
    deck_total: Byte
    drawn: Byte
    observed: Byte
    event_count: Byte


def new_state(rules: Rules, players: int) -> State:
    """A plain state with everything that does not change from game to game filled in."""
    rules.check_players(players)
    state = blank(State)
    state.players = players
    state.hand_size = rules.cards_in_hand(players)
    state.colours, state.ranks = rules.colours, rules.ranks
    state.max_tokens, state.max_lives = rules.tokens, rules.lives
    state.discard_when_full = int(rules.discard_when_full)
    state.deck = list(rules.deck)
    cards = [card for card in range(CARD_TYPES) for _ in range(rules.deck[card])]
    state.full_deck = cards + [NO_CARD] * (MAX_CARDS - len(cards))
    state.deck_total = len(cards)
    return state
