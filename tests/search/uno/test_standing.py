"""How a position stands: chances that add up, weights that are sound, and guesses better than none."""

from __future__ import annotations

from math import log, sqrt

import numpy as np
import pytest

from kibitz.bots.uno.linear import class_of, weights_from
from kibitz.core.layouts import blank, copy_record
from kibitz.core.seeds import game_key
from kibitz.games.uno import engine
from kibitz.games.uno.counts import planes_from
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import TURN
from kibitz.policies.uno.features import Description
from kibitz.policies.uno.rollout_policies import LINEAR, MIX2, choose_by
from kibitz.policies.uno.sightings import Sightings, begin_sightings
from kibitz.policies.uno.win_chance import (
    CLASSES,
    HAND,
    OTHERS,
    PAIR,
    PLACES,
    STANDING,
    WEIGHTS,
    chance_of,
    class_of_table,
    offset_of,
    pair_of,
    places_of,
    read_standing,
)
from kibitz.policies.weight_files import SHIPPED
from kibitz.search.uno.rollouts import QUIET, follow, is_quiet
from tests.search.uno.positions import WINDOWS_OPEN, decisions

UNSEEN = 987_654  # a seed of games that no weights were fitted to
TABLES = [("classic", 2), ("classic", 4), ("modern", 6), (WINDOWS_OPEN, 3)]


def chance(state: State, seat: int) -> float:
    """The chance by the shipped weights."""
    return chance_of(state, seat, STANDING, class_of_table(state.players) * WEIGHTS)


# -- weights --


def test_the_shipped_weights_fit() -> None:
    weights = read_standing()
    assert weights.shape == (CLASSES, WEIGHTS)
    assert np.isfinite(weights).all()
    assert np.abs(weights).max() < 20
    for row in weights:
        assert row[:OTHERS].any()
        assert row[OTHERS:PAIR].any()
        assert row[PAIR:].any()


def test_tables_are_in_the_same_classes_as_for_the_policy() -> None:
    assert [class_of_table(players) for players in range(2, 11)] == [class_of(players) for players in range(2, 11)]


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_every_hand_has_places_of_its_own_groups(rules: str, players: int) -> None:
    for state, _ in decisions(rules, players, 41, 40):
        for seat in range(players):
            if state.sizes[seat] == 0:
                continue
            places = places_of(state, seat, offset_of(state, seat))
            assert len(places) == len(set(places)) == PLACES
            assert 0 <= min(places) <= max(places) < HAND
            assert PAIR <= pair_of(state, seat) < WEIGHTS


# -- chances --


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_chances_of_all_players_add_up_if_all_are_alike(rules: str, players: int) -> None:
    """The shipped weights tell the searcher from the others, so their guesses from different seats do not; these weights do not."""
    random = np.random.default_rng(5)
    weights = np.zeros(WEIGHTS)
    weights[:HAND] = random.normal(size=HAND)
    weights[OTHERS:PAIR] = weights[:HAND]
    for state, _ in decisions(rules, players, 42, 20):
        if min(state.sizes[:players]) > 0:
            assert sum(chance_of(state, seat, weights, 0) for seat in range(players)) == pytest.approx(1)


@pytest.mark.parametrize("players", [2, 4, 6])
def test_who_holds_less_stands_better(players: int) -> None:
    """The same hand with more and more cards, everybody else with five."""
    state = copy_record(decisions("classic", players, 43, 1)[0][0])
    state.phase, state.direction = TURN, 1
    state.top, state.colour, state.match = 3, 0, sum(1 << card for card in [*range(13), 16, 29, 42, 52, 53])
    hands = [[17, 18, 30, 43, 20], *[[5, 18, 31, 44, 45]] * (players - 1)]
    for me in range(players):
        chances = []
        for size in range(2, 6):
            for seat in range(players):
                cards = hands[0][:size] if seat == me else hands[1]
                state.hands0[seat], state.hands1[seat], state.hands2[seat] = planes_from([cards.count(card) for card in range(56)])
                state.sizes[seat] = len(cards)
            chances.append(chance(state, me))
        assert chances == sorted(chances, reverse=True)
        assert 0 < chances[-1] < chances[0] - 0.05
        assert chances[0] > 1 / players


def test_offsets_count_turns() -> None:
    state = copy_record(decisions("classic", 4, 44, 1)[0][0])
    state.current, state.direction = 3, 1
    assert [offset_of(state, seat) for seat in range(4)] == [1, 2, 3, 0]
    state.direction = -1
    assert [offset_of(state, seat) for seat in range(4)] == [3, 2, 1, 0]


def test_a_position_is_quiet_while_nobody_is_about_to_win() -> None:
    state = copy_record(decisions("classic", 3, 45, 1)[0][0])
    state.phase = TURN
    state.sizes[:3] = [QUIET, 7, 7]
    assert is_quiet(state)
    state.sizes[1] = QUIET - 1
    assert not is_quiet(state)
    state.sizes[1], state.phase = 7, TURN + 1
    assert not is_quiet(state)


# -- games never seen --


def positions_with_results(players: int, games: int) -> list[list[tuple[float, bool]]]:
    """By game: what was thought of the searcher's chance in quiet positions, and whether it won."""
    found = []
    weights = weights_from(SHIPPED)
    for index in range(games):
        state: State = new_state(parse_rules("classic"), players)
        state.observed = 1
        engine.deal(state, game_key(UNSEEN, index))
        state.event_count = 0
        seen, described, me = blank(Sightings), blank(Description), index % players
        begin_sightings(state, seen)
        thought, turn = [], 0
        while not engine.is_over(state):
            if state.turn >= turn + 3 and is_quiet(state):
                turn = state.turn
                thought.append(chance(state, me))
            action = engine.forced_action(state)
            if action < 0:
                seat, view = state.current, engine.as_view(state)
                action = choose_by(LINEAR if seat == me else MIX2, view, seen, described, weights)
                state.seat_streams[seat] = view.random_stream
            engine.apply(state, action)
            follow(state, seen)
        found.append([(guess, state.winner == me) for guess in thought])
    return found


def loss(guess: float, won: bool) -> float:
    """Minus the logarithm of the chance that was given to what happened."""
    return -log(guess if won else 1 - guess)


@pytest.mark.parametrize(("players", "games"), [(2, 150), (4, 80)])
def test_guesses_are_better_than_knowing_nothing_of_the_position(players: int, games: int) -> None:
    """Against the share of games that were won, known afterwards.

    The gain of a game is the mean over its positions; games are independent. If guesses were worth nothing, a mean three standard
    errors above 0 would come up with other seeds about once in 700.
    """
    found = [game for game in positions_with_results(players, games) if game]
    share = sum(game[0][1] for game in found) / len(found)
    gains = [sum(loss(share, won) - loss(guess, won) for guess, won in game) / len(game) for game in found]
    mean = sum(gains) / len(gains)
    error = sqrt(sum((gain - mean) ** 2 for gain in gains) / len(gains) / (len(gains) - 1))
    assert mean > 3 * error
