"""What must hold at every position of every game, tried at many of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz import registry
from kibitz.core.layouts import blank, copy_record, equal
from kibitz.core.seeds import game_key
from kibitz.games.uno import engine
from kibitz.games.uno.cards import ACTIONS, CARD_TYPES, DRAW, MAX_CARDS, MAX_PLAYERS, NO_CARD, action_card
from kibitz.games.uno.counts import cards_from, planes_from
from kibitz.games.uno.notation import hand_in_order
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import DRAWN, View
from kibitz.play.lineup import make_lineup, plain_table
from kibitz.play.loop import OVER, kernels_for
from tests.bots.cheap import searchers

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

    rules: str
    players: int
    seed: int
    steps: int
    ordered: list[int]  # 1 for seats whose hand order is kept


@st.composite
def setups(draw: st.DrawFn) -> Setup:
    rules, most = draw(st.sampled_from(TABLES))
    ordered = draw(st.lists(st.integers(0, 1), min_size=MAX_PLAYERS, max_size=MAX_PLAYERS))
    return Setup(rules, draw(st.integers(2, most)), draw(st.integers(0, 2**64 - 1)), draw(st.integers(0, 120)), ordered)


def dealt(setup: Setup) -> State:
    state = new_state(parse_rules(setup.rules), setup.players)
    state.ordered = setup.ordered[:]
    state.any_ordered = max(setup.ordered[: setup.players])
    engine.deal(state, game_key(setup.seed, 0))
    return state


def positions(setup: Setup, steps: int | None = None) -> Iterator[State]:
    """The state at every decision and at the end, the same object each time."""
    state = dealt(setup)
    random = Random(setup.seed)
    yield state
    for _ in range(setup.steps if steps is None else steps):
        if engine.is_over(state):
            return
        engine.apply(state, random.choice(engine.legal_actions(state)))
        yield state


def some_position(setup: Setup) -> State:
    state = dealt(setup)
    for position in positions(setup):
        state = position
    return state


def view_of(state: State, seat: int) -> View:
    engine.show(state, seat)
    view: View = engine.as_view(state)
    return view


def hand_cards(state: State, seat: int) -> list[int]:
    return cards_from((state.hands0[seat], state.hands1[seat], state.hands2[seat]))


# -- cards --


@given(setups())
@settings(max_examples=40)
def test_cards_are_conserved_at_every_step(setup: Setup) -> None:
    deck = Counter({card: count for card, count in enumerate(parse_rules(setup.rules).deck) if count})
    for state in positions(setup):
        cards = [card for seat in range(setup.players) for card in hand_cards(state, seat)]
        cards += [*state.pile[: state.pile_size], *state.discard[: state.discard_size], state.top]
        assert Counter(cards) == deck


@given(setups())
@settings(max_examples=40)
def test_hands_are_the_same_in_every_form(setup: Setup) -> None:
    for state in positions(setup):
        for seat in range(setup.players):
            assert state.sizes[seat] == len(hand_cards(state, seat))
            assert sorted(hand_in_order(state, seat)) == hand_cards(state, seat)


# -- actions --


@given(setups())
@settings(max_examples=40)
def test_there_is_a_legal_action_while_a_game_is_on_and_none_after(setup: Setup) -> None:
    for state in positions(setup):
        assert bool(engine.legal_actions(state)) != engine.is_over(state)


@given(setups())
@settings(max_examples=30)
def test_view_and_engine_agree_on_what_is_legal(setup: Setup) -> None:
    for state in positions(setup):
        if not engine.is_over(state):
            view = view_of(copy_record(state), state.current)
            for action in range(-2, ACTIONS + 3):
                assert view.is_legal(action) == engine.is_legal(state, action)
            assert view.is_legal(view.decline())


@given(setups())
@settings(max_examples=40)
def test_forced_action_is_the_only_legal_one(setup: Setup) -> None:
    for state in positions(setup):
        if not engine.is_over(state):
            forced, legal = engine.forced_action(state), engine.legal_actions(state)
            if forced >= 0:
                assert legal == [forced]
            else:
                assert len(legal) > 1


@given(setups())
@settings(max_examples=30)
def test_view_foretells_who_acts_after_a_card(setup: Setup) -> None:
    state = some_position(setup)
    for action in engine.legal_actions(state):
        twin = copy_record(state)
        expected = engine.as_view(twin).actor_after(action_card(action)) if action < DRAW else -1
        engine.apply(twin, action)
        if action < DRAW and not engine.is_over(twin):
            assert twin.current == expected


@given(setups())
@settings(max_examples=40)
def test_view_counts_the_own_cards(setup: Setup) -> None:
    state = some_position(setup)
    for seat in range(setup.players):
        view, cards = view_of(state, seat), hand_cards(state, seat)
        assert view.seat == seat
        assert view.cards() == cards
        assert view.hand_size() == len(cards)
        assert [view.count(card) for card in range(CARD_TYPES)] == [cards.count(card) for card in range(CARD_TYPES)]
        assert [view.colour_count(colour) for colour in range(4)] == [sum(card // 13 == colour for card in cards) for colour in range(4)]
        assert view.has_colour() == any(card < 52 for card in cards)


# -- what a seat sees --


def with_other_hidden_cards(state: State, viewer: int, random: Random) -> State:
    """The same position to the viewer's eyes: what it cannot see is dealt out again."""
    twin = copy_record(state)
    seats = [seat for seat in range(state.players) if seat != viewer]
    pool = [*state.pile[: state.pile_size], *[card for seat in seats for card in hand_cards(state, seat)]]
    random.shuffle(pool)
    drawn = state.phase == DRAWN and state.current != viewer and not engine.is_over(state)
    if drawn:  # everybody knows that the drawn card matches
        twin.hidden_drawn = next(card for card in pool if state.match >> card & 1)
        pool.remove(twin.hidden_drawn)
    for seat in seats:
        cards = [twin.hidden_drawn] if drawn and seat == state.current else []
        while len(cards) < state.sizes[seat]:
            cards.insert(0, pool.pop())
        twin.hands0[seat], twin.hands1[seat], twin.hands2[seat] = planes_from([cards.count(card) for card in range(CARD_TYPES)])
        if state.ordered[seat]:
            twin.orders[seat * MAX_CARDS : seat * MAX_CARDS + len(cards)] = cards
        twin.seat_streams[seat] = random.getrandbits(64)
    twin.pile[: len(pool)] = pool
    assert len(pool) == twin.pile_size
    twin.deal_stream = random.getrandbits(64)
    return twin


@given(setups())
@settings(max_examples=300)
def test_view_does_not_depend_on_hidden_cards(setup: Setup) -> None:
    state = some_position(setup)
    random = Random(setup.seed)
    for viewer in range(setup.players):
        twin = with_other_hidden_cards(state, viewer, random)
        engine.show(twin, state.current)
        assert equal(view_of(copy_record(state), viewer), view_of(twin, viewer))


@given(setups())
@settings(max_examples=120)
def test_nothing_of_another_seat_remains_in_a_view(setup: Setup) -> None:
    state = some_position(setup)
    random = Random(setup.seed)
    for viewer in range(setup.players):
        for other in range(setup.players):
            first, second = copy_record(state), with_other_hidden_cards(state, viewer, random)
            engine.show(first, other)
            engine.show(second, other)
            view = view_of(first, viewer)
            assert equal(view, view_of(second, viewer))
            assert view.drawn == (state.hidden_drawn if viewer == state.current and state.phase == DRAWN else NO_CARD)
            assert view.random_stream == state.seat_streams[viewer]
            own_order = hand_in_order(state, viewer) if state.ordered[viewer] else []
            assert view.order == own_order + [NO_CARD] * (MAX_CARDS - len(own_order))


@given(setups())
@settings(max_examples=40)
def test_looking_changes_nothing(setup: Setup) -> None:
    state = some_position(setup)
    engine.show(state, state.current)
    before = copy_record(state)
    for seat in range(setup.players):
        engine.show(state, seat)
    engine.show(state, state.current)
    assert equal(state, before)


@given(setups(), setups())
@settings(max_examples=60)
def test_view_does_not_depend_on_deals_played_before(setup: Setup, earlier: Setup) -> None:
    """Compiled code plays one deal after another on one state; plain Python takes a new one each time."""
    fresh = dealt(setup)
    earlier = Setup(setup.rules, setup.players, earlier.seed, earlier.steps, setup.ordered)
    used = some_position(earlier)
    engine.deal(used, game_key(setup.seed, 0))
    for seat in range(setup.players):
        assert equal(view_of(fresh, seat), view_of(used, seat))


# -- bots --


@pytest.mark.parametrize("name", [*registry.quick_names(), *(name for name in searchers() if not name.startswith("cheater"))])
@given(players=st.integers(2, 6), seed=st.integers(0, 2**64 - 1), index=st.integers(0, 1000))
@settings(max_examples=5)
def test_choice_is_a_function_of_view_memory_and_own_stream(name: str, players: int, seed: int, index: int) -> None:
    """Whenever the bot is asked, it is asked again with other cards hidden from it, and must answer, remember and roll alike.

    Working space is empty the second time: what was searched before must leave no trace.
    """
    lineup = make_lineup([name] * players)
    table, state = plain_table(lineup), lineup.new_state()
    kernels = kernels_for(lineup.game)
    random = Random(seed)
    asked = 0

    def asked_twice(choose: Any) -> Any:
        def ask(view: View, memory: Any, params: Any, scratch: Any) -> int:
            nonlocal asked
            asked += 1
            twin = with_other_hidden_cards(state, view.seat, random)
            engine.show(twin, (view.seat + 1) % players)
            other_view = view_of(twin, view.seat)
            other_memory = deepcopy(memory)  # with the records inside it
            other_scratch = blank(type(scratch)) if scratch is not None else None
            answer: int = choose(view, memory, params, scratch)
            assert choose(other_view, other_memory, params, other_scratch) == answer
            assert other_view.random_stream == view.random_stream
            assert memory is None or equal(memory, other_memory)
            return answer

        return ask

    choosing: Any = table.choose
    choosing[:players] = [asked_twice(choose) for choose in choosing[:players]]
    kernels.start_game(table, state, seed, index)
    assert kernels.play_on(table, state) == OVER
    assert asked > 0
