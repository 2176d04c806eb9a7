"""Playouts in Hanabi: right where the truth is known, alike compiled and plain, blind to what is hidden, and true on average."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import Any

import numpy as np
import pytest

import kibitz
from kibitz.core.errors import BadValue
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.names import move_from_name, move_name
from kibitz.games.hanabi.state import State
from kibitz.play.advice import Trials
from kibitz.play.hanabi.advice import CONVENTIONS, HanabiAnalyst, _PlainPlayouts, convention_of
from kibitz.play.hearing import heard_now
from kibitz.search.hanabi.blueprint.playouts import BROKEN
from kibitz.search.hanabi.worlds import FINE
from tests.bots.hanabi.positions import everything_but, known
from tests.games.hanabi.positions import position
from tests.search.hanabi.calibration import check_advice, mean_and_error
from tests.search.hanabi.games import TABLES, new_game, random_games, view_of_actor, with_other_hidden_cards

HANABI = kibitz.Game(2, game="hanabi").definition


def tried(state: State, batches: int = 2, analyst: Any = None, begins: bool = True) -> Trials:
    """The trials of the decision that is open, of an analyst who knows nothing of the game before unless it has followed it."""
    analyst = analyst or HanabiAnalyst(False, games=60, hands=40)
    if begins:
        analyst.begin(view_of_actor(state))
    trials: Trials = analyst.open(view_of_actor(state))
    for batch in range(batches):
        analyst.add_batch(trials, batch)
    return trials


def values(state: State, trials: Trials) -> dict[str, tuple[float, float]]:
    return {move_name(state, move): trials.value(move) for move in trials.actions}


# -- values --


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_the_last_turn_is_valued_exactly(convention: str) -> None:
    """One turn is left, and of two known cards one fits."""
    hands = f"{known('R2')}.{known('R5')}|Y1.Y1"
    gone = everything_but("R2 R5 Y1 Y1 R1")
    rules = "standard,hand_size=2"
    state = position(hands, rules=rules, fireworks="R1.Y0.G0.W0.B0", discard=gone, tokens=3, lives=2, turns_left="1")
    trials = tried(state, analyst=HanabiAnalyst(False, games=60, hands=40, convention=convention))
    found = values(state, trials)
    assert found["play:0"] == (2.0, 0.0)
    assert {found[name] for name in found if name != "play:0"} == {(1.0, 0.0)}
    assert move_name(state, trials.best()) == "play:0"


def test_the_last_life_counts() -> None:
    """To play a card that does not fit with the last life leaves nothing, not even the point on the table."""
    state = position(f"{known('R5')}.R1|Y1.Y1", rules="standard,hand_size=2", fireworks="R1.Y0.G0.W0.B0", lives=1, tokens=3)
    found = values(state, tried(state))
    assert found["play:0"] == (0.0, 0.0)
    assert found["discard:0"][0] > 0


def test_a_card_that_may_fit_is_worth_its_chance() -> None:
    """One turn is left, and either card is R2 or R3: a point in every other world. 1,500 worlds, wrong by 4.5 errors 1 in 10^5."""
    gone = everything_but("R1 R2 R3 Y1 Y1")
    hands, rules = "R2:R!:23.R3:R!:23|Y1.Y1", "standard,hand_size=2"
    state = position(hands, rules=rules, fireworks="R1.Y0.G0.W0.B0", discard=gone, tokens=3, lives=2, turns_left="1")
    trials = tried(state, 15, HanabiAnalyst(games=600))
    first, second = (move_from_name(state, f"play:{slot}") for slot in (0, 1))
    assert trials.rows == 15 * (600 // len(trials.actions)) >= 1_000
    value, error = trials.value(first)
    assert abs(value - 1.5) <= 4.5 * error < 0.1
    assert value + trials.value(second)[0] == pytest.approx(3.0)  # where one fits the other does not
    assert trials.lead(first, second)[1] == pytest.approx(2 * error)


def test_another_move_is_best_only_if_it_leads_beyond_doubt() -> None:
    for lead, best in ((0.0, 4), (0.3, 4), (1.0, 7)):  # of the usual action 4, by 7, with an error of about 0.2
        trials = Trials((4, 7), usual=4, margin=0.05)
        trials.add(np.array([[20.0, 20.0 + lead + away] for away in (-1.0, 1.0) * 13]), 26, 26)
        assert trials.lead(7, 4) == pytest.approx((lead, 0.2))
        assert trials.best() == best
    assert trials.ranked() == [7, 4]


@pytest.mark.parametrize(("bot", "players", "games"), [("smart", 2, 40), ("information", 3, 15), ("information:best", 5, 15)])
def test_what_is_expected_comes_true(bot: str, players: int, games: int) -> None:
    """Fixed deals, so there is no false alarm; 500 games are compared in tests/verify."""
    found = check_advice(bot, players, games, plays=20, batches=4, seed=5)
    off, error = mean_and_error(each.usual_came - each.usual_expected for each in found)
    gain, doubt = mean_and_error(each.best_came - each.usual_came for each in found)
    assert abs(off) < 3 * error and error < 0.1
    assert gain > -0.05 and doubt < 0.1


# -- following a game --


def followed(rules: str, players: int, seed: int, analysts: list[HanabiAnalyst]) -> Iterator[State]:
    """Decisions of seat 0 in games whose players move at random, with analysts who have followed the game from its start."""
    random, start = Random(seed), seed
    while True:
        state, start = new_game(rules, players, start), start + 1
        state.observed = 1
        for analyst in analysts:
            analyst.begin(heard_now(HANABI, state, 0)[0][0])
        while not engine.is_over(state):
            if state.current == 0:
                yield state
            state.event_count = 0
            engine.apply(state, random.choice(engine.legal_actions(state)))
            for analyst in analysts:
                for view, event in heard_now(HANABI, state, 0):
                    analyst.observe(view, event)


@pytest.mark.parametrize(("rules", "players"), TABLES)
@pytest.mark.parametrize("convention", ["smart", "information"])
def test_compiled_and_plain_trials_are_the_same(rules: str, players: int, convention: str) -> None:
    analysts = [HanabiAnalyst(compiled, games=12, hands=12, convention=convention) for compiled in (True, False)]
    for state in islice(followed(rules, players, 3, analysts), 0, 12, 5):
        one, two = (tried(state, analyst=analyst, begins=False) for analyst in analysts)
        assert one.actions == two.actions == tuple(engine.legal_actions(state))
        assert (values(state, one), one.usual) == (values(state, two), two.usual)
        assert analysts[0].is_broken == analysts[1].is_broken


@pytest.mark.parametrize(("rules", "players"), TABLES)
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_players_who_follow_no_convention_are_survived_and_found_out(rules: str, players: int, convention: str) -> None:
    analyst, broken = HanabiAnalyst(games=100, hands=200, convention=convention), 0
    for state in islice(followed(rules, players, 8, [analyst]), 0, 60):
        trials = tried(state, 1, analyst, begins=False)
        assert trials.usual in trials.actions
        broken += analyst.is_broken
    assert broken > 20


def test_what_a_partner_did_counts_and_is_forgotten_when_a_game_begins_again() -> None:
    analyst = HanabiAnalyst(games=200)
    states = followed("standard", 2, 4, [analyst])
    state = next(islice(states, 6, None))
    with_history = values(state, tried(state, analyst=analyst, begins=False))
    assert values(state, tried(state, analyst=analyst, begins=False)) == with_history
    assert values(state, tried(state, analyst=analyst)) != with_history


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_hidden_cards_and_streams_change_nothing(rules: str, players: int) -> None:
    random, analyst, changed = Random(4), HanabiAnalyst(games=60, hands=100), 0
    for state in islice(random_games(rules, players, 9), 0, 150, 10):
        twin = with_other_hidden_cards(state, random)
        changed += twin.hands != state.hands
        assert values(state, tried(state, analyst=analyst)) == values(twin, tried(twin, analyst=analyst))
    assert changed > 5


def test_a_world_does_not_depend_on_how_many_are_tried_at_a_time() -> None:
    state = next(islice(random_games("standard", 2, 2), 10, None))
    view, moves, playouts = view_of_actor(state), len(engine.legal_actions(state)), _PlainPlayouts()
    playouts.begin(view, CONVENTIONS["smart"])
    assert playouts.open(view, 5, 0, 20) in (FINE, BROKEN)
    whole, parts = np.zeros(6 * moves, dtype=np.int64), [np.zeros(3 * moves, dtype=np.int64) for _ in range(2)]
    playouts.try_worlds(view, 5, 0, 6, whole)
    for part in range(2):
        playouts.try_worlds(view, 5, 3 * part, 3, parts[part])
    assert whole.tolist() == [*parts[0].tolist(), *parts[1].tolist()]
    assert len(set(whole.tolist())) > 1


def test_cards_that_do_not_add_up_are_refused() -> None:
    view = view_of_actor(new_game("standard", 2, 1))
    view.discards[0] += 1
    analyst = HanabiAnalyst(False)
    analyst.begin(view)
    with pytest.raises(BadValue, match="seat 0 cannot be advised at turn 1: the cards of the view do not add up"):
        analyst.open(view)


# -- which convention --


@pytest.mark.parametrize(
    ("names", "convention"),
    [
        ((), "smart"),
        (("", "smart"), "smart"),
        (("", "piers", "Ann"), "smart"),
        (("information", "smart"), "smart"),  # one's own name does not count
        (("", "information"), "information"),
        (("", "smart", "information:best"), "information:best"),
        (("", "blueprint"), "smart"),
        (("", "blueprint", "blueprint"), "information:best"),
        (("", "blueprint:base=smart", "piers"), "smart"),
    ],
)
def test_the_convention_is_that_of_the_partners(names: tuple[str, ...], convention: str) -> None:
    assert convention_of(names, 0) == convention
    analyst = HanabiAnalyst(False, names)
    analyst.begin(view_of_actor(new_game("standard", max(2, len(names)), 1)))
    assert analyst.assumes == convention
