"""Who sees all hands in UNO: bots that say so in their name, and nobody else, whoever was shown the table before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import kibitz
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.jit import number
from kibitz.core.layouts import Long
from kibitz.games.contract import OPEN_HAND
from kibitz.games.uno import engine
from kibitz.games.uno.counts import size_of
from kibitz.games.uno.engine import TALLY_ENTRIES
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import View
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.runs.units import Unit

# -- what it is shown --


def known_cards(view: View) -> int:
    """How many cards of others the viewer knows; -1 if it is told of its own."""
    if size_of(view.known(number(view.seat))) > 0:
        return -1
    known = number(0)
    for seat in range(number(view.players)):
        known += size_of(view.known(seat))
    return known


def cards_of_others(view: View) -> int:
    held = number(0)
    for seat in range(number(view.players)):
        if seat != number(view.seat):
            held += number(view.sizes[seat])
    return held


def any_action(view: View) -> int:
    if view.playable() == 0:
        return view.decline()
    return view.play(view.pick(view.playable()), 0)


class Sight:
    wrong: Long


def notice_less_than_all(view: View, event: Any, memory: Any) -> None:
    if view.status == 0 and known_cards(view) != cards_of_others(view):
        memory.wrong += 1


def notice_anything(view: View, event: Any, memory: Any) -> None:
    if known_cards(view) != 0:
        memory.wrong += 1


@kibitz.bot(sees_everything=True, memory=Sight, observe=notice_less_than_all)
def cheater_that_looks(view: View, memory: Sight) -> int:
    return any_action(view) if known_cards(view) == cards_of_others(view) and memory.wrong == 0 else -1


@kibitz.bot(memory=Sight, observe=notice_anything)
def honest(view: View, memory: Sight) -> int:
    return any_action(view) if known_cards(view) == 0 and memory.wrong == 0 else -1


@pytest.mark.parametrize("way", [play_compiled, play_plain])
@pytest.mark.parametrize("seating", ["random", "fixed"])
def test_a_cheater_is_shown_all_hands_and_nobody_else(way: Callable[..., Any], seating: str) -> None:
    """Both give an answer that stops the games if they see anything else."""
    lineup = make_lineup([cheater_that_looks, honest, cheater_that_looks, honest], seating=seating)
    assert way(lineup, 3, Unit(0, 20))[0] == 20


def dealt(players: int) -> State:
    """A game in which seat 0 cheats."""
    state: State = new_state(parse_rules("official"), players)
    engine.deal(state, 9)
    state.ordered[0] = state.any_ordered = OPEN_HAND
    return state


def test_the_state_shows_each_seat_its_own_knowledge() -> None:
    state = dealt(3)
    for seat in (0, 1, 0, 2):
        engine.show(state, seat)
        view = engine.as_view(state)
        for other in range(3):
            hand = (state.hands0[other], state.hands1[other], state.hands2[other])
            assert view.known(other) == (hand if seat == 0 and other != 0 else (0, 0, 0))


def test_what_others_learned_by_the_rules_stays_theirs() -> None:
    """Seat 1 has seen a card of seat 2, say after a challenge."""
    state = dealt(3)
    card = state.hands0[2] & -state.hands0[2]
    state.knowledge0[1 * 10 + 2] = card
    state.any_known = 1
    for seat, expected in ((1, card), (0, state.hands0[2]), (1, card), (2, 0), (1, card)):
        engine.show(state, seat)
        assert state.known0[2] == expected


def test_an_open_table_is_covered_before_the_next_deal() -> None:
    """The cheater has moved to another seat meanwhile."""
    state = dealt(2)
    engine.show(state, 0)
    state.ordered[:2] = [0, OPEN_HAND]
    engine.deal(state, 10)
    engine.show(state, 0)
    assert state.known0[:2] == [0, 0]
    engine.show(state, 1)
    assert state.known0[:2] == [state.hands0[0], 0]


# -- its name --


def test_who_sees_everything_says_so_in_the_name() -> None:
    with pytest.raises(BadBot, match="bot 'honest_looking' sees everything, so its name must begin with cheater"):
        kibitz.bot(name="honest_looking", sees_everything=True)(any_action)


def test_a_cheater_plays_its_own_game_alone() -> None:
    with pytest.raises(BadValue, match="bot cheater_that_looks plays uno, not hanabi"):
        make_lineup([cheater_that_looks, "random"], game="hanabi")


# -- strength --


def test_open_hands_are_worth_a_lot() -> None:
    """It wins 64.5 % (± 0.8, 4,000 games) against the same search without. Of 600 games fewer than 344 would come with chance 1e-4, and
    as many by luck alone with the same.
    """
    tally = play_compiled(make_lineup(["cheater:rollouts=60", "champion:rollouts=60"]), 2, Unit(0, 600)).tolist()
    assert tally[TALLY_ENTRIES] >= 344
