"""Playouts in Hanabi: right where the truth is known, alike compiled and plain, and blind to what is hidden."""

from __future__ import annotations

from itertools import islice
from math import sqrt
from random import Random
from typing import Any

import numpy as np
import pytest

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.names import move_from_name, move_name
from kibitz.games.hanabi.state import State
from kibitz.games.hanabi.view import LOST
from kibitz.play.advice import Trials
from kibitz.play.hanabi.advice import HanabiAnalyst, _PlainPlayouts
from kibitz.search.hanabi.playouts import CONTRADICTION, FAULT
from tests.bots.hanabi.positions import everything_but, known
from tests.games.hanabi.positions import position
from tests.search.hanabi.games import TABLES, TINY, new_game, random_games, view_of_actor, with_other_hidden_cards


def tried(state: State, batches: int = 2, games: int = 60, compiled: bool = False, bot: str = "piers", analyst: Any = None) -> Trials:
    """The trials of the decision that is open."""
    analyst = analyst or HanabiAnalyst(compiled, games, bot)
    trials: Trials = analyst.open(view_of_actor(state))
    for batch in range(batches):
        analyst.add_batch(trials, batch)
    return trials


def values(state: State, trials: Trials) -> dict[str, tuple[float, float]]:
    return {move_name(state, move): trials.value(move) for move in trials.actions}


def test_the_last_turn_is_valued_exactly() -> None:
    """One turn is left, and of two known cards one fits."""
    hands = f"{known('R2')}.{known('R5')}|Y1.Y1"
    gone = everything_but("R2 R5 Y1 Y1 R1")
    rules = "standard,hand_size=2"
    state = position(hands, rules=rules, fireworks="R1.Y0.G0.W0.B0", discard=gone, tokens=3, lives=2, turns_left="1")
    found = values(state, tried(state))
    assert found["play:0"] == (2.0, 0.0)
    assert {found[name] for name in found if name != "play:0"} == {(1.0, 0.0)}


def test_the_last_life_counts() -> None:
    """To play a card that does not fit with the last life leaves nothing."""
    state = position(f"{known('R5')}.R1|Y1.Y1", rules="standard,hand_size=2", lives=1, tokens=3)
    found = values(state, tried(state))
    assert found["play:0"] == (0.0, 0.0)
    assert found["discard:0"][0] > 0


def test_a_card_that_may_fit_is_worth_its_chance() -> None:
    """One turn is left, and either card is R2 or R3: a point in every other world. 1,500 worlds, wrong by 4.5 errors 1 in 10^5."""
    gone = everything_but("R1 R2 R3 Y1 Y1")
    hands, rules = "R2:R!:23.R3:R!:23|Y1.Y1", "standard,hand_size=2"
    state = position(hands, rules=rules, fireworks="R1.Y0.G0.W0.B0", discard=gone, tokens=3, lives=2, turns_left="1")
    trials = tried(state, 15, 600)
    first, second = (move_from_name(state, f"play:{slot}") for slot in (0, 1))
    assert trials.rows == 15 * (600 // len(trials.actions)) >= 1_000
    value, error = trials.value(first)
    assert abs(value - 1.5) <= 4.5 * error < 0.1
    assert value + trials.value(second)[0] == pytest.approx(3.0)  # where one fits the other does not
    assert trials.lead(first, second)[1] == pytest.approx(2 * error)


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_compiled_and_plain_trials_are_the_same(rules: str, players: int) -> None:
    compiled, plain = HanabiAnalyst(True, 20), HanabiAnalyst(False, 20)
    for state in islice(random_games(rules, players, 3), 0, 60, 20):
        one, two = tried(state, analyst=compiled), tried(state, analyst=plain)
        assert one.actions == two.actions == tuple(engine.legal_actions(state))
        assert values(state, one) == values(state, two)


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_hidden_cards_and_streams_change_nothing(rules: str, players: int) -> None:
    random, analyst, changed = Random(4), HanabiAnalyst(), 0
    for state in islice(random_games(rules, players, 9), 0, 150, 10):
        twin = with_other_hidden_cards(state, random)
        changed += twin.hands != state.hands
        assert values(state, tried(state, analyst=analyst)) == values(twin, tried(twin, analyst=analyst))
    assert changed > 5


def test_a_world_does_not_depend_on_how_many_are_tried_at_a_time() -> None:
    view = view_of_actor(next(islice(random_games("standard", 2, 2), 10, None)))
    playouts = _PlainPlayouts(registry.entrant("piers", "hanabi"))
    moves = len(engine.legal_actions(next(islice(random_games("standard", 2, 2), 10, None))))
    whole, parts = np.zeros(6 * moves, dtype=np.int64), [np.zeros(3 * moves, dtype=np.int64) for _ in range(2)]
    assert playouts(view, 5, 0, 6, whole) == 6
    assert [playouts(view, 5, 3 * part, 3, parts[part]) for part in range(2)] == [3, 3]
    assert whole.tolist() == [*parts[0].tolist(), *parts[1].tolist()]
    assert len(set(whole.tolist())) > 1


def test_values_are_right_on_average_if_nobody_means_anything() -> None:
    """Random players tell nothing by what they do, so the value of a move is what it brings: 300 games, wrong by 4.5 errors 1 in 10^5."""
    random, analyst = Random(8), HanabiAnalyst(True, 120, "random")
    differences = []
    games = random_games(TINY, 2, 21)
    for _ in range(300):
        state = next(islice(games, random.randrange(3, 9), None))
        trials = tried(state, analyst=analyst)
        move = random.choice(trials.actions)
        expected = trials.value(move)[0]
        after = play_at_random(state, move, random)
        differences.append(after - expected)
    mean = sum(differences) / 300
    error = sqrt(sum((difference - mean) ** 2 for difference in differences) / 300 / 299)
    assert abs(mean) <= 4.5 * error
    assert error < 0.12


def play_at_random(state: State, move: int, random: Random) -> int:
    """The score of a game that goes on with a move and is then played as the bot `random` plays it."""
    state = copy_record(state)
    while True:
        engine.apply(state, move)
        if engine.is_over(state):
            return 0 if state.status == LOST else state.score
        move = random.choice(engine.legal_actions(state))


def test_what_cannot_be_played_on_is_refused() -> None:
    with pytest.raises(BadValue, match="bot cheater cannot play on in every seat"):
        HanabiAnalyst(False, plays_on="cheater")
    view = view_of_actor(new_game("standard", 2, 1))
    view.discards[0] += 1
    analyst = HanabiAnalyst(False)
    with pytest.raises(BadValue, match="seat 0 cannot be advised at turn 1: the cards of the view do not add up"):
        analyst.add_batch(analyst.open(view), 0)
    playouts = _PlainPlayouts(registry.entrant("piers", "hanabi"))
    assert playouts(view, 1, 0, 1, np.zeros(64, dtype=np.int64)) == CONTRADICTION
    playouts._team.choose = lambda *args: 63
    assert playouts(view_of_actor(new_game("standard", 2, 1)), 1, 0, 1, np.zeros(64, dtype=np.int64)) == FAULT
