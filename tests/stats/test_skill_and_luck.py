"""What a win rate means, against chances worked out by hand and against series of games counted one by one."""

from __future__ import annotations

import math
from itertools import product

import pytest

from kibitz.core.errors import BadValue
from kibitz.stats.skill_and_luck import explained, explained_error, games_to_lead, lead_chance


def counted(games: int, win_rate: float, players: int) -> float:
    """The chance to lead, from every series of games there is."""
    other = (1 - win_rate) / (players - 1)
    total = 0.0
    for winners in product(range(players), repeat=games):
        wins = [winners.count(player) for player in range(players)]
        if wins[0] > max(wins[1:]):
            total += math.prod(win_rate if winner == 0 else other for winner in winners)
    return total


@pytest.mark.parametrize(("players", "games"), [(2, 0), (2, 1), (2, 7), (2, 8), (3, 6), (3, 8), (4, 6), (5, 5)])
@pytest.mark.parametrize("win_rate", [0.1, 0.5, 0.8])
def test_the_chance_to_lead_is_that_of_all_series(players: int, games: int, win_rate: float) -> None:
    assert lead_chance(games, win_rate, players) == pytest.approx(counted(games, win_rate, players), abs=1e-9)


def test_equals_lead_equally_often_in_long_series() -> None:
    # Level series are the rest; with 10 players after 1,000 games somebody leads alone in most series.
    assert lead_chance(1001, 0.5, 2) == pytest.approx(0.5)
    assert 0.07 < lead_chance(1000, 0.1, 10) < 0.1


def test_who_never_or_always_wins() -> None:
    assert lead_chance(10, 0.0, 3) == 0.0
    assert lead_chance(10, 1.0, 3) == 1.0 and lead_chance(0, 1.0, 3) == 0.0
    assert games_to_lead(1.0, 4) == 1


@pytest.mark.parametrize(("win_rate", "players"), [(0.95, 2), (0.8, 2), (0.65, 2), (0.52, 2), (0.4, 4), (0.15, 10)])
def test_games_to_lead_are_the_fewest_odd_ones_that_do(win_rate: float, players: int) -> None:
    games = games_to_lead(win_rate, players)
    assert games is not None and games % 2 == 1
    assert lead_chance(games, win_rate, players) >= 0.95
    assert games == 1 or lead_chance(games - 2, win_rate, players) < 0.95


def test_eight_of_ten_lead_after_seven() -> None:
    # At least 4 of 7: 0.967; at least 3 of 5: 0.942.
    assert games_to_lead(0.8, 2) == 7


def test_no_lead_without_an_edge() -> None:
    assert games_to_lead(0.5, 2) is None and games_to_lead(0.2, 4) is None
    assert games_to_lead(0.5001, 2) is None  # in some 70 million games


def test_what_is_explained() -> None:
    assert explained(0.5, 2) == 0.0 and explained(1.0, 2) == 1.0 and explained(1.0, 7) == pytest.approx(1.0)
    assert explained(0.8, 2) == pytest.approx(0.36)
    # Four players by hand: variance between (0.4, 0.2, 0.2, 0.2) over 1/4 x 3/4.
    between = ((0.4 - 0.25) ** 2 + 3 * (0.2 - 0.25) ** 2) / 4
    assert explained(0.4, 4) == pytest.approx(between / (0.25 * 0.75))
    slope = (explained(0.4001, 4) - explained(0.3999, 4)) / 0.0002
    assert explained_error(0.4, 0.01, 4) == pytest.approx(0.01 * slope)


@pytest.mark.parametrize(("games", "win_rate", "players"), [(-1, 0.5, 2), (5, 1.5, 2), (5, 0.5, 1)])
def test_what_cannot_be_a_series_is_refused(games: int, win_rate: float, players: int) -> None:
    with pytest.raises(BadValue, match="cannot be a series"):
        lead_chance(games, win_rate, players)
