"""What must hold at every position of every game, tried at many of them."""

from __future__ import annotations

from collections import Counter
from copy import deepcopy
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz import registry
from kibitz.core.layouts import blank, copy_record, equal
from kibitz.core.seeds import game_key
from kibitz.play.lineup import make_lineup, plain_table
from kibitz.play.loop import OVER, kernels_for
from tests.bots.cheap import searchers

from .subjects import CLASSIC, HANABI, Subject, holds


@holds(classic=40, house=500, hanabi=60)
def test_cards_are_conserved_at_every_step(subject: Subject, setup: Any) -> None:
    deck = Counter({card: count for card, count in enumerate(setup.rules.deck) if count})
    for state in subject.positions(setup):
        assert Counter(subject.all_cards(state)) == deck


# -- actions --


@holds(classic=40, house=200, hanabi=60)
def test_view_and_engine_agree_on_what_is_legal(subject: Subject, setup: Any) -> None:
    """There is a legal action while a game is on and none after."""
    for state in subject.positions(setup):
        legal = subject.engine.legal_actions(state)
        assert bool(legal) != subject.engine.is_over(state)
        if legal:
            shown = subject.view(copy_record(state), state.current)
            numbers = range(-3, subject.numbers)
            assert [action for action in numbers if shown.is_legal(action)] == legal
            assert [action for action in numbers if subject.engine.is_legal(state, action)] == legal


@holds(classic=40, house=500, hanabi=60)
def test_forced_action_is_the_only_legal_one(subject: Subject, setup: Any) -> None:
    for state in subject.positions(setup):
        if not subject.engine.is_over(state):
            forced, legal = subject.engine.forced_action(state), subject.engine.legal_actions(state)
            assert legal == [forced] if forced >= 0 else len(legal) > 1


# -- what a seat sees --


@holds(classic=400, house=800, hanabi=200)
def test_view_does_not_depend_on_hidden_cards(subject: Subject, setup: Any) -> None:
    """Nor on whoever the state was shown to before."""
    state = subject.some_position(setup)
    random = Random(setup.seed)
    for viewer in range(setup.players):
        first, second = copy_record(state), subject.hidden(state, viewer, random)
        subject.engine.show(first, random.randrange(setup.players))
        subject.engine.show(second, random.choice([second.current, random.randrange(setup.players)]))
        view = subject.view(first, viewer)
        assert equal(view, subject.view(second, viewer))
        assert (view.seat, view.random_stream) == (viewer, state.seat_streams[viewer])


@holds(classic=40, house=200, hanabi=40)
def test_looking_changes_nothing(subject: Subject, setup: Any) -> None:
    for state in subject.positions(setup):
        subject.engine.show_actor(state)
        before = copy_record(state)
        for seat in [*range(setup.players), 0]:
            subject.engine.show(state, seat)
        subject.engine.show_actor(state)
        assert equal(state, before)


@holds(classic=60, house=300, hanabi=60)
def test_view_does_not_depend_on_deals_played_before(subject: Subject, setup: Any) -> None:
    """Compiled code plays one deal after another on one state; plain Python takes a new one each time."""
    fresh, used = subject.dealt(setup), subject.some_position(setup._replace(seed=setup.seed ^ 1))
    subject.engine.deal(used, game_key(setup.seed, 0))
    for seat in range(setup.players):
        assert equal(subject.view(fresh, seat), subject.view(used, seat))


# -- bots --

# Those that play by what they see; Hanabi's searches take too long without compilation.
BOTS = [("uno", name) for name in [*registry.quick_names(), *(name for name in searchers() if not name.startswith("cheater"))]]
BOTS += [("hanabi", name) for name in registry.quick_names("hanabi") if ":" not in name]


@pytest.mark.parametrize(("game", "name"), BOTS)
@given(players=st.integers(2, 6), seed=st.integers(0, 2**64 - 1), index=st.integers(0, 1000))
@settings(max_examples=3)
def test_choice_is_a_function_of_view_memory_and_own_stream(game: str, name: str, players: int, seed: int, index: int) -> None:
    """Whenever the bot is asked, it is asked again with other cards hidden from it, and must answer, remember and roll alike.

    Working space is empty the second time: what was searched before must leave no trace.
    """
    subject, players = (CLASSIC, players) if game == "uno" else (HANABI, min(players, 5))
    lineup = make_lineup([registry.entrant(name, game)] * players, game=game)
    table, state = plain_table(lineup), lineup.new_state()
    kernels = kernels_for(lineup.game)
    random = Random(seed)
    asked = 0

    def asked_twice(choose: Any) -> Any:
        def ask(view: Any, memory: Any, params: Any, scratch: Any) -> int:
            nonlocal asked
            asked += 1
            twin = subject.hidden(state, view.seat, random)
            subject.engine.show(twin, (view.seat + 1) % players)
            other_view = subject.view(twin, view.seat)
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
