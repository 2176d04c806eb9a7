"""Hanabi games played at random, and the same tables with other cards where a player cannot see them."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from kibitz.core.layouts import copy_record
from kibitz.core.seeds import game_key
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import COLOUR_OF, MAX_HAND, RANK_OF
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import State, new_state
from kibitz.games.hanabi.view import View

TINY = "standard,colours=2,ranks=3,hand_size=3,tokens=4"
TABLES = [
    ("standard", 2),
    ("standard", 3),
    ("autohanabi", 4),
    ("standard,lives=1,tokens=3", 5),
    (f"{TINY},discard_when_full=on", 2),
    ("standard,colours=3,ranks=4,hand_size=2", 5),
]


def new_game(rules: str, players: int, seed: int) -> State:
    """A deal."""
    state = new_state(parse_rules(rules), players)
    engine.deal(state, game_key(seed, 0))
    return state


def random_games(rules: str, players: int, seed: int, hints: float = 0.6) -> Iterator[State]:
    """Positions of games played at random, hints being more likely than their number, one game after the other; always the same state."""
    random = Random(seed)
    while True:
        state = new_game(rules, players, random.getrandbits(30))
        while not engine.is_over(state):
            yield state
            legal = engine.legal_actions(state)
            told = [move for move in legal if move >= 2 * state.hand_size]
            engine.apply(state, random.choice(told if told and random.random() < hints else legal))


def view_of_actor(state: State) -> View:
    """What the player to act sees: a copy."""
    engine.show_actor(state)
    view: View = engine.as_view(state)
    return view


def with_other_hidden_cards(state: State, random: Random) -> State:
    """The same table with other cards in the deck and, where hints allow it, in the hand of the player to act."""
    twin = copy_record(state)
    seat = state.current
    deck = range(state.drawn, state.deck_total)
    for slot in range(state.sizes[seat]):
        where = seat * MAX_HAND + slot
        fitting = [
            place
            for place in deck
            if state.colour_masks[where] >> COLOUR_OF[twin.deck_order[place]] & 1
            and state.rank_masks[where] >> RANK_OF[twin.deck_order[place]] & 1
        ]
        if fitting:
            place = random.choice(fitting)
            twin.hands[where], twin.deck_order[place] = twin.deck_order[place], twin.hands[where]
    left = twin.deck_order[state.drawn : state.deck_total]
    random.shuffle(left)
    twin.deck_order[state.drawn : state.deck_total] = left
    twin.seat_streams = [random.getrandbits(64) for _ in twin.seat_streams]
    engine.show_actor(twin)
    return twin
