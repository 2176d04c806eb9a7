"""Games of UNO at random, under classic and under any house rules."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from kibitz.core.layouts import copy_record
from kibitz.core.seeds import game_key
from kibitz.games.uno import engine
from kibitz.games.uno.cards import CARD_TYPES, MAX_CARDS, MAX_PLAYERS
from kibitz.games.uno.counts import cards_from, planes_from
from kibitz.games.uno.hands import learn_hand
from kibitz.games.uno.rules import Rules, parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import DRAWN, JUMPING_IN
from tests.games.uno.test_house_rules_against_reference import random_players, random_rules

TABLES = [
    ("classic", 10),
    ("classic,max_turns=30", 10),
    ("classic,hand_size=2", 10),
    ("classic,hand_size=15", 7),
    ("classic,deck=r1*2/r2*2/g1*2/g3*2/b1/b4/wild/wild+4,hand_size=2,max_turns=60", 5),
    ("classic,deck=r+2*3/g+2*2/wild+4*3/r1/g2/b+2,hand_size=2,max_turns=60", 4),
    ("classic,deck=rrev*3/grev*3/rskip*2/gskip*2/b1/y1,hand_size=2,max_turns=60", 5),
    ("classic,deck=r1/g2/b3/y4/r5,hand_size=1", 4),
]


class Setup(NamedTuple):
    """A game to be played at random for a number of actions."""

    rules: Rules
    players: int
    seed: int
    steps: int
    ordered: list[int]  # how the order of each hand is kept

    def __repr__(self) -> str:
        return f"<{self.rules.to_text()}, {self.players} players, seed {self.seed}, {self.steps} actions, ordered {self.ordered}>"


@st.composite
def classic_setups(draw: st.DrawFn) -> Setup:
    rules, most = draw(st.sampled_from(TABLES))
    ordered = draw(st.lists(st.integers(0, 1), min_size=MAX_PLAYERS, max_size=MAX_PLAYERS))
    return Setup(parse_rules(rules), draw(st.integers(2, most)), draw(st.integers(0, 2**64 - 1)), draw(st.integers(0, 120)), ordered)


def random_setup(random: Random, steps: int) -> Setup:
    rules = random_rules(random)
    ordered = [random.randrange(3) for _ in range(MAX_PLAYERS)]
    return Setup(rules, random_players(random, rules), random.getrandbits(64), steps, ordered)


@st.composite
def house_setups(draw: st.DrawFn) -> Setup:
    return random_setup(Random(draw(st.integers(0, 2**32 - 1))), draw(st.integers(0, 80)))


def dealt(setup: Setup) -> State:
    state = new_state(setup.rules, setup.players)
    state.ordered = setup.ordered[:]
    state.any_ordered = max(setup.ordered[: setup.players])
    engine.deal(state, game_key(setup.seed, 0))
    return state


def hand_cards(state: State, seat: int) -> list[int]:
    return cards_from((state.hands0[seat], state.hands1[seat], state.hands2[seat]))


def known_cards(state: State, viewer: int, seat: int) -> list[int]:
    place = viewer * MAX_PLAYERS + seat
    return cards_from((state.knowledge0[place], state.knowledge1[place], state.knowledge2[place]))


def all_cards(state: State) -> list[int]:
    held = [card for seat in range(state.players) for card in hand_cards(state, seat)]
    return [*held, *state.pile[: state.pile_size], *state.discard[: state.discard_size], state.top]


def with_other_hidden_cards(state: State, viewer: int, random: Random) -> State:
    """The same position to the viewer's eyes: what it cannot see is dealt out again.

    Cards that it knows a player to hold stay there. What others know, who was asked to jump in, whether a Wild Draw Four
    was honest, and all random streams but its own are made up again.
    """
    twin = copy_record(state)
    seats = [seat for seat in range(state.players) if seat != viewer]
    known = {seat: known_cards(state, viewer, seat) for seat in seats}
    pool = [*state.pile[: state.pile_size]]
    for seat in seats:
        pool += (Counter(hand_cards(state, seat)) - Counter(known[seat])).elements()
    random.shuffle(pool)
    for seat in seats:
        cards = known[seat] + [pool.pop() for _ in range(state.sizes[seat] - len(known[seat]))]
        random.shuffle(cards)
        twin.hands0[seat], twin.hands1[seat], twin.hands2[seat] = planes_from([cards.count(card) for card in range(CARD_TYPES)])
        if state.ordered[seat]:
            twin.orders[seat * MAX_CARDS : seat * MAX_CARDS + len(cards)] = cards
        twin.seat_streams[seat] = random.getrandbits(64)
        for other in range(state.players):
            if other != seat and random.random() < 0.5:
                learn_hand(twin, seat, other)
    twin.pile[: len(pool)] = pool
    assert len(pool) == twin.pile_size
    twin.deal_stream = random.getrandbits(64)
    twin.guilty = random.randrange(2)
    if state.current != viewer and not engine.is_over(state):
        if state.phase == DRAWN:
            twin.hidden_drawn = random.choice(hand_cards(twin, state.current))
        if state.phase == JUMPING_IN:
            twin.current = twin.jumper = random.choice([seat for seat in seats if seat != state.player] or [state.current])
    return twin
