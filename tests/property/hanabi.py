"""Games of Hanabi at random, some of them without a move that costs a life."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from kibitz.core.layouts import copy_record
from kibitz.core.seeds import game_key
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.cards import COLOUR_OF, HIDDEN, MAX_HAND, MAX_RANKS, PLAY, RANK_OF
from kibitz.games.hanabi.rules import Rules, parse_rules
from kibitz.games.hanabi.state import State, new_state

TABLES = [
    ("standard", 5),
    ("autohanabi", 5),
    ("standard,discard_when_full=on", 5),
    ("standard,lives=1,tokens=3", 5),
    ("standard,colours=3,ranks=3,hand_size=3", 5),
    ("standard,colours=2,ranks=3,hand_size=2,tokens=2", 5),
    ("standard,colours=1,ranks=5,hand_size=2", 4),
]


class Setup(NamedTuple):
    """A game to be played for a number of moves: any legal ones, or none that costs a life."""

    rules: Rules
    players: int
    seed: int
    steps: int
    careful: bool


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    rules, most = draw(st.sampled_from(TABLES))
    return Setup(
        parse_rules(rules), draw(st.integers(2, most)), draw(st.integers(0, 2**64 - 1)), draw(st.integers(0, 100)), draw(st.booleans())
    )


def dealt(setup: Setup) -> State:
    state = new_state(setup.rules, setup.players)
    engine.deal(state, game_key(setup.seed, 0))
    return state


def costs_a_life(state: State, move: int) -> bool:
    card = state.hands[state.current * MAX_HAND + move % state.hand_size]
    return state.move_kind(move) == PLAY and not state.is_playable(card)


def allowed_moves(setup: Setup, state: State) -> list[int]:
    legal = engine.legal_actions(state)
    return [move for move in legal if not (setup.careful and costs_a_life(state, move))] or legal


def hand_cards(state: State, seat: int) -> list[int]:
    return state.hands[seat * MAX_HAND : seat * MAX_HAND + state.sizes[seat]]


def played_cards(state: State) -> list[int]:
    return [colour * MAX_RANKS + rank for colour in range(state.colours) for rank in range(state.fireworks[colour])]


def all_cards(state: State) -> list[int]:
    cards = [card for seat in range(state.players) for card in hand_cards(state, seat)]
    cards += [card for card, count in enumerate(state.discards) for _ in range(count)]
    return cards + state.deck_order[state.drawn : state.deck_total] + played_cards(state)


def with_other_hidden_cards(state: State, viewer: int, random: Random) -> State:
    """The same position to the viewer's eyes: its own cards and the deck are dealt again, as the hints allow."""
    twin = copy_record(state)
    slots = range(viewer * MAX_HAND, viewer * MAX_HAND + state.sizes[viewer])
    for _ in range(20):
        pool = hand_cards(state, viewer) + state.deck_order[state.drawn : state.deck_total]
        random.shuffle(pool)
        cards = []
        for where in slots:
            fitting = [c for c in pool if state.colour_masks[where] >> COLOUR_OF[c] & 1 and state.rank_masks[where] >> RANK_OF[c] & 1]
            if fitting:
                pool.remove(fitting[0])
                cards.append(fitting[0])
        if len(cards) == len(slots):
            break
    else:
        return twin
    for where, card in zip(slots, cards, strict=True):
        twin.hands[where] = twin.deck_order[state.places[where]] = card
        if twin.cards[where] != HIDDEN:
            twin.cards[where] = card
    twin.deck_order[state.drawn : state.deck_total] = pool
    for seat in range(state.players):
        if seat != viewer:
            twin.seat_streams[seat] = random.getrandbits(64)
    twin.deal_stream = random.getrandbits(64)
    return twin
