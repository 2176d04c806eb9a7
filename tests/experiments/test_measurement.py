"""Evaluations and matches through the Python interface."""

from __future__ import annotations

import math

import pytest

import kibitz
from kibitz.core.errors import BadValue, UnknownName
from kibitz.stats.summary import Row, standard_error

pytestmark = pytest.mark.usefixtures("both_ways")


def test_evaluate_gives_a_row_for_each_bot() -> None:
    """600 games, of which mix2 wins 69 %: 60 % is 4.8 standard errors below."""
    result = kibitz.evaluate(["mix2", "greedy"], games=600, seed=4, threads=1)
    assert [row.bot for row in result.rows] == ["mix2:win_rate", "greedy"]
    assert result["mix2"].games == 600
    assert result["mix2"].win_rate > 0.6
    assert result.complete
    assert "mix2:win_rate" in repr(result)


def test_without_names_every_bot_and_preset_that_plays_quickly_is_evaluated() -> None:
    result = kibitz.evaluate(games=2, threads=1)
    assert len(result.rows) == 21
    assert [row.bot for row in result.rows][:4] == ["random", "greedy", "diversity", "card_ranking:win_rate"]
    assert [row.bot for row in result.rows][-3:] == ["ashtabna", "linear", "net"]


def test_the_dictionary_has_the_documented_keys() -> None:
    value = kibitz.evaluate("mix2:points", players=3, against="greedy", games=50, seed=4).to_dict()
    keys = "command game rules players against games seed seating rows seconds games_per_second complete version results_version"
    assert list(value) == keys.split()
    assert (value["command"], value["players"], value["against"], value["seating"]) == ("evaluate", 3, "greedy", "random")
    assert list(value["rows"][0]) == ["bot", "games", "win_rate", "win_rate_se", "points", "points_se", "unfinished", "turns"]


def test_wins_of_a_match_add_up() -> None:
    result = kibitz.match(["mix2", "random", "score"], games=1000, seed=4)
    assert [row.bot for row in result.rows] == ["mix2:win_rate", "random", "score:win_rate"]
    assert sum(row.wins for row in result.rows) == 1000
    assert result[0].win_rate > result[1].win_rate


def test_bots_of_a_kind_get_a_row_each() -> None:
    result = kibitz.match(["random", "random"], games=100)
    assert result[0].wins + result[1].wins == 100


def test_standard_errors_are_those_of_the_sample() -> None:
    points = [0, 0, 31, 12, 0, 250]
    row = Row("x", 6, 3, sum(points), sum(value * value for value in points), 0, 100)
    mean = sum(points) / 6
    deviation = math.sqrt(sum((value - mean) ** 2 for value in points) / 5)
    assert row.points_se == pytest.approx(deviation / math.sqrt(6))
    assert row.win_rate_se == pytest.approx(math.sqrt(0.5 * 0.5 * 6 / 5 / 6))


def test_one_game_has_no_standard_error() -> None:
    assert standard_error(5, 25, 1) is None
    assert kibitz.match(["random", "random"], games=1).to_dict()["rows"][0]["points_se"] is None


def test_bad_requests_are_refused() -> None:
    with pytest.raises(BadValue, match="2 to 10"):
        kibitz.evaluate("mix2", players=11)
    with pytest.raises(BadValue, match="line-up of 1 bot"):
        kibitz.match(["mix2"])
    with pytest.raises(UnknownName, match="did you mean mix or mix2"):
        kibitz.match(["mixx", "random"])
    with pytest.raises(BadValue, match="seating 'left'"):
        kibitz.match(["mix2", "random"], seating="left")
    with pytest.raises(BadValue, match="201 cards"):
        kibitz.evaluate("mix2", players=10, rules="classic,hand_size=20")


def test_a_result_is_found_by_name() -> None:
    result = kibitz.match(["mix2", "random"], games=10)
    with pytest.raises(KeyError, match="no row for 'greedy'"):
        result["greedy"]
