"""Standings of made-up games against sums and errors computed slowly, deal by deal."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, pairwise, product
from math import sqrt
from statistics import stdev
from typing import Any

import numpy as np
import pytest

from kibitz.experiments.tournament.standings import (
    LADDER_BLOCK,
    GameMean,
    Interval,
    PlayedMatch,
    Standing,
    match_points,
    matrix_of,
    order_of,
    progress_of,
    ratings_of,
    skills_of,
    standings_of,
)
from kibitz.games.hanabi.definition import GAME as HANABI
from kibitz.play.lineup import make_lineup
from kibitz.play.outcomes import FORFEITED, layout_for
from kibitz.runs.ledger import FORFEIT, Fault
from kibitz.stats.ladder import Ladder
from kibitz.stats.ratings import ELO, FEW_GROUPS, Observed, fit, rate

Result = tuple[int, int]  # who won (entry, -1 nobody), and how many points


def made(members: tuple[int, ...], results: list[Result], number: int = 0, round: int = 0, game: str = "uno") -> PlayedMatch:
    """A match whose games ended so; in Hanabi only the points count."""
    seating = "rotate" if len(set(members)) > 1 else "fixed"
    lineup = make_lineup(["random"] * len(members), seating=seating, game=game)
    outcomes = np.zeros(len(results), layout_for(lineup))
    outcomes["winner"] = [winner for winner, _ in results]
    outcomes["points"] = [points for _, points in results]
    return PlayedMatch(number, round, members, lineup, outcomes)


def drawn(members: tuple[int, ...], deals: int, seed: int, number: int = 0, round: int = 0) -> PlayedMatch:
    """A match of games drawn by lot, a few of which nobody won."""
    lot = random.Random(seed)
    size = len(members)
    results = [(lot.choice([*range(size), *range(size), -1]), lot.randrange(1, 100)) for _ in range(deals * size)]
    return made(members, [(winner, points if winner >= 0 else 0) for winner, points in results], number, round)


def by_deal(match: PlayedMatch, player: int, points: bool) -> list[int]:
    """What a player got in each deal, one game after the other."""
    size = len(match.members)
    sums = [0] * (len(match.outcomes) // size)
    for game, outcome in enumerate(match.outcomes):
        winner = int(outcome["winner"])
        if winner >= 0 and match.members[winner] == player:
            sums[game // size] += int(outcome["points"]) if points else 1
    return sums


def reference(matches: list[PlayedMatch], player: int, points: bool) -> GameMean:
    """Mean a game, and its error: deals are independent, the games of one are not."""
    total, variance, games = 0, 0.0, 0
    for match in matches:
        if player in match.members:
            sums = by_deal(match, player, points)
            total += sum(sums)
            games += len(match.outcomes)
            variance += len(sums) * stdev(sums) ** 2
    return GameMean(total / games, sqrt(variance) / games, games)


def agree(found: GameMean | None, expected: GameMean) -> None:
    assert found is not None
    assert found.games == expected.games
    assert found.value == pytest.approx(expected.value)
    assert found.error == (None if expected.error is None else pytest.approx(expected.error))


def standings(matches: list[PlayedMatch], players: int, cooperative: bool = False, **more: Any) -> list[Standing]:
    return standings_of(matches, [f"player {place}" for place in range(players)], ["random"] * players, cooperative, **more)


# -- standings --


def test_sums_of_a_match_by_hand() -> None:
    """Two deals: 0 wins 10 and 30; 1 wins 5, and one game nobody wins."""
    first, second = standings([made((0, 1), [(0, 10), (0, 30), (1, 5), (-1, 0)])], 2)
    assert (first.games, first.wins, first.points_total) == (4, 2, 40)
    assert (second.games, second.wins, second.points_total) == (4, 1, 5)
    # Wins by deal: 2, 0 and 0, 1. The total of two deals has the variance 2 x 2 and 2 x 1/2.
    assert first.win_rate == GameMean(0.5, 2 / 4, 4)
    assert second.win_rate == GameMean(0.25, 1 / 4, 4)
    # Points by deal: 40, 0 and 0, 5: variances 800 and 12.5.
    agree(first.points, GameMean(10.0, sqrt(1600) / 4, 4))
    agree(second.points, GameMean(1.25, sqrt(25) / 4, 4))


@pytest.mark.parametrize("size", [2, 3, 4])
def test_errors_over_deals_agree_with_a_plain_computation(size: int) -> None:
    players = 5
    tables = list(combinations(range(players), size))
    matches = [drawn(members, 7 + number, number, number) for number, members in enumerate(tables)]
    for player, found in enumerate(standings(matches, players)):
        agree(found.win_rate, reference(matches, player, False))
        agree(found.points, reference(matches, player, True))
        assert found.wins == sum(sum(by_deal(match, player, False)) for match in matches)
        assert found.points_total == sum(sum(by_deal(match, player, True)) for match in matches)


def test_games_of_a_deal_that_cancel_out_have_no_error() -> None:
    """Each deal is won once by each: that is certain, where four games by themselves would have an error."""
    first, second = standings([made((0, 1), [(0, 1), (1, 1)] * 2)], 2)
    assert first.win_rate == second.win_rate == GameMean(0.5, 0.0, 4)


def test_one_deal_has_no_known_error() -> None:
    one = made((0, 1), [(0, 10), (1, 20)])
    assert [found.win_rate for found in standings([one], 2)] == [GameMean(0.5, None, 2)] * 2
    many = drawn((0, 2), 10, 1, 1)
    first, second, third = standings([one, many], 3)
    assert first.win_rate.error is None  # a part of it is not known
    assert second.points.error is None
    assert third.win_rate.error is not None


def test_who_has_not_played_has_no_figures() -> None:
    found = standings([drawn((0, 1), 5, 1), made((1, 2), [], 1)], 3)[2]
    assert (found.games, found.wins, found.win_rate, found.points) == (0, 0, GameMean(0.0, None, 0), GameMean(0.0, None, 0))


def test_faults_and_forfeits_are_counted_apart() -> None:
    faults = [Fault(3, "player 1", 0, kind, "did it") for kind in ("illegal", "time", FORFEIT, "crash", FORFEIT)]
    first, second = standings([drawn((0, 1), 5, 1)], 2, faults=faults)
    assert (first.faults, first.forfeits) == (0, 0)
    assert (second.faults, second.forfeits) == (3, 2)


def test_a_player_in_several_seats_gets_what_a_seat_gets() -> None:
    """Hanabi: a team has one result, however many of its seats a bot has."""
    scores = [12, 3, 20, 8]
    alone = made((0, 0, 0), [(-1, score) for score in scores], game="hanabi")
    mixed = made((0, 1), [(-1, score) for score in scores], 1, game="hanabi")
    first, _ = standings([alone], 2, cooperative=True)
    agree(first.points, GameMean(sum(scores) / 4, stdev(scores) / 2, 4))
    assert (first.points_total, first.wins) == (sum(scores), 0)
    first, second = standings([alone, mixed], 2, cooperative=True)
    assert (first.games, second.games) == (8, 4)
    # Two deals of two games each in the mixed team.
    agree(second.points, GameMean(sum(scores) / 4, sqrt(2 * stdev([15, 28]) ** 2) / 4, 4))
    agree(first.points, GameMean(sum(scores) / 4, sqrt(4 * stdev(scores) ** 2 + 2 * stdev([15, 28]) ** 2) / 8, 8))


def test_lost_and_forfeited_games_of_a_team_count_nothing() -> None:
    match = made((0, 0), [(-1, 12), (-1, 15), (-1, 20)], game="hanabi")
    match.outcomes["status"] = [HANABI.lost[0], FORFEITED, 0]
    assert standings([match], 1, cooperative=True)[0].points_total == 20


# -- match points and order --


@pytest.mark.parametrize(
    ("results", "points"),
    [
        ([(0, 1), (0, 1)], (1.0, 0.0)),
        ([(1, 1), (-1, 0)], (0.0, 1.0)),
        ([(0, 10), (1, 20)], (0.0, 1.0)),
        ([(0, 10), (1, 10)], (0.5, 0.5)),
        ([(-1, 0), (-1, 0)], (0.5, 0.5)),
        ([(0, 1), (0, 1), (1, 500), (-1, 0)], (1.0, 0.0)),
    ],
)
def test_match_points(results: list[Result], points: tuple[float, float]) -> None:
    assert match_points(made((4, 7), results)) == points


def standing(rating: float | None, points: float, match_points: float | None = None) -> Standing:
    interval = None if rating is None else Interval(rating, rating, rating)
    return Standing("x", "x", 2, 1, 1, GameMean(0.5, None, 2), GameMean(points, None, 2), interval, match_points=match_points)


def test_order() -> None:
    """By Swiss points, then by points a game; of contests by those won, which are equal here."""
    assert order_of([standing(-5, 9), standing(30, 1), standing(0, 5)]) == [0, 2, 1]
    assert order_of([standing(0, 9), standing(0, 10), standing(0, 9)]) == [1, 0, 2]
    assert order_of([standing(90, 9, 1.0), standing(-90, 1, 2.5), standing(80, 5, 1.0)]) == [1, 0, 2]
    assert order_of([standing(90, 9), standing(-90, 10)], True) == [0, 1]
    assert order_of([standing(None, 9), standing(None, 10)], False) == [1, 0]


# -- the matrix --


def test_matrix_of_pairs() -> None:
    matches = [drawn(members, 12, number, number) for number, members in enumerate(combinations(range(4), 2))]
    order = [2, 0, 3, 1]
    matrix = matrix_of(matches, order, False)
    for row, column in product(range(4), repeat=2):
        found = matrix[row][column]
        if row == column:
            assert found is None
            continue
        other = matrix[column][row]
        assert found is not None
        assert other is not None
        assert found.value + other.value == pytest.approx(1.0)
        assert found.error == pytest.approx(other.error)
        one, two = order[row], order[column]
        match = next(match for match in matches if set(match.members) == {one, two})
        won, lost = by_deal(match, one, False), by_deal(match, two, False)
        share = Fraction(sum(won), sum(won) + sum(lost))
        residues = [float(mine - share * (mine + theirs)) for mine, theirs in zip(won, lost, strict=True)]
        error = sqrt(12 / 11 * sum(residue**2 for residue in residues)) / (sum(won) + sum(lost))
        agree(found, GameMean(float(share), error, 24))


def test_matrix_of_larger_tables_counts_every_common_table() -> None:
    matches = [drawn(members, 9, number, number) for number, members in enumerate(combinations(range(4), 3))]
    matrix = matrix_of(matches, range(4), False)
    for one, other in combinations(range(4), 2):
        common = [match for match in matches if {one, other} <= set(match.members)]
        won = sum(sum(by_deal(match, one, False)) for match in common)
        lost = sum(sum(by_deal(match, other, False)) for match in common)
        found = matrix[one][other]
        assert found is not None
        assert found.games == 2 * 27
        assert found.value == pytest.approx(won / (won + lost))
        back = matrix[other][one]
        assert back is not None
        assert back.value == pytest.approx(1 - found.value)


def test_matrix_has_nothing_where_nothing_was_won() -> None:
    matrix = matrix_of([made((0, 1), [(-1, 0)] * 4), made((1, 2), [], 1)], range(3), False)
    assert matrix == [[None] * 3] * 3
    (_, found), _ = matrix_of([made((0, 1), [(0, 5), (0, 5)])], range(2), False)
    assert found == GameMean(1.0, None, 2)


def test_matrix_of_teams_is_their_mean_score() -> None:
    alone = made((0, 0), [(-1, 10), (-1, 20)], game="hanabi")
    mixed = made((0, 1), [(-1, 4), (-1, 6), (-1, 8), (-1, 14)], 1, game="hanabi")
    matrix = matrix_of([alone, mixed], [1, 0], True)
    assert matrix[0][0] is None
    agree(matrix[1][1], GameMean(15.0, 5.0, 2))
    agree(matrix[0][1], GameMean(8.0, stdev([5, 11]) / sqrt(2), 4))
    assert matrix[0][1] == matrix[1][0]


# -- ratings --


def test_ratings_rise_with_wins_and_have_their_interval() -> None:
    results = [(0, 1), (0, 1), (0, 1), (1, 1)] * 50
    ratings = ratings_of([made((0, 1), results), made((1, 2), results, 1), made((0, 2), results, 2)], 3, False)
    assert ratings is not None
    assert ratings[0].rating > ratings[1].rating + 50 > ratings[2].rating + 100
    assert sum(found.rating for found in ratings) == pytest.approx(0.0, abs=1e-6)
    assert all(found.low < found.rating < found.high for found in ratings)


@pytest.mark.parametrize("size", [2, 3, 5])
def test_ratings_count_patterns_as_the_plain_way_does(size: int) -> None:
    matches = [drawn(members, 30, number, number) for number, members in enumerate(combinations(range(6), size))]
    wins = [
        [[*map(int, deal)] for deal in np.stack([by_deal(match, player, False) for player in match.members], axis=1)] for match in matches
    ]
    expected = rate([Observed.of(match.members, deals) for match, deals in zip(matches, wins, strict=True)], 6)
    found = ratings_of(matches, 6, False)
    assert found is not None
    assert [each.rating for each in found] == pytest.approx([each.rating for each in expected])
    assert [each.low for each in found] == pytest.approx([each.low for each in expected])


def team(player: int, scores: list[int]) -> PlayedMatch:
    return made((player, player), [(-1, score) for score in scores], player, game="hanabi")


def test_teams_are_rated_by_who_scored_more_on_a_deal() -> None:
    scores = [random.Random(3).randrange(5, 20) for _ in range(100)]
    better = [score + (deal % 4 > 0) for deal, score in enumerate(scores)]  # more on three deals of four, else as many
    ratings = ratings_of([team(0, scores), team(1, better)], 2, True)
    assert ratings is not None
    # 75 wins and 25 ties are 87.5 %: a win counts twice a tie, beside which the prior of half a win hardly counts.
    assert ratings[1].rating - ratings[0].rating == pytest.approx(400 * np.log10(175 / 25), rel=0.03)
    assert ratings[1].low < ratings[1].rating < ratings[1].high
    same = ratings_of([team(0, scores), team(1, list(scores))], 2, True)
    assert same is not None
    assert [found.rating for found in same] == pytest.approx([0.0, 0.0], abs=1e-6)


def test_mixed_teams_and_few_deals_have_no_ratings() -> None:
    scores = [5] * (FEW_GROUPS - 1)
    assert ratings_of([team(0, scores), team(1, scores)], 2, True) is None
    mixed = made((0, 1), [(-1, 5)] * 20, 2, game="hanabi")
    assert ratings_of([team(0, [5] * 20), team(1, [6] * 20), mixed], 2, True) is None
    assert ratings_of([], 2, False) is None


def test_intervals_of_teams_are_as_wide_as_ratings_spread_though_all_pairs_share_a_teams_scores() -> None:
    """6 teams of equal strength, 60 deals, 300 times: the spread of all ratings against the mean width of 5 x 6 intervals.

    The spread is known to 2 %, the mean width to about 3 %; a ratio off by 15 % has a chance below 1e-4. Were pairs drawn as if they were
    independent, intervals would be a third too narrow.
    """
    draw = np.random.default_rng(5)
    pairs = list(combinations(range(6), 2))

    def rating(scores: Any) -> Any:
        leads = [int(np.sign(scores[one] - scores[other]).sum()) for one, other in pairs]
        return ELO * fit(
            [Observed(pair, np.array([[60 + lead, 60 - lead]]), np.ones(1, int)) for pair, lead in zip(pairs, leads, strict=True)], 6
        )

    spread = np.std([rating(draw.integers(0, 26, (6, 60))) for _ in range(300)])
    widths = []
    for _ in range(5):
        ratings = ratings_of([team(player, draw.integers(0, 26, 60).tolist()) for player in range(6)], 6, True)
        assert ratings is not None
        widths += [found.high - found.low for found in ratings]
    assert np.mean(widths) / (2 * 1.96 * spread) == pytest.approx(1.0, abs=0.15)


# -- points as the games went by, and the ladder --


def test_progress_ends_in_the_totals() -> None:
    rounds = [[(0, 1), (2, 3)], [(0, 2), (1, 3)], [(0, 3), (1, 2)]]
    matches = [
        drawn(members, 5 + 40 * number, 10 * number + place, 2 * number + place, number)
        for number, tables in enumerate(rounds)
        for place, members in enumerate(tables)
    ]
    order = [3, 1, 0, 2]
    progress = progress_of(matches, order, 3)
    found = standings(matches, 4)
    assert progress[0] == (0, [0.0] * 4)
    assert progress[-1][0] == sum(len(match.outcomes) for match in matches)
    assert progress[-1][1] == [found[player].points_total for player in order]
    for (games, points), (later, more) in pairwise(progress):
        assert games <= later
        assert all(one <= other for one, other in zip(points, more, strict=True))
    first_round = sum(len(match.outcomes) for match in matches if match.round == 0)
    after = dict(progress)[first_round]
    assert after == [standings(matches[:2], 4)[player].points_total for player in order]


def test_progress_of_rounds_that_are_not_played_yet() -> None:
    assert progress_of([], [0, 1], 0) == [(0, [0.0, 0.0])]
    assert progress_of([made((0, 1), [])], [0, 1], 1) == [(0, [0.0, 0.0])]


def test_progress_of_teams() -> None:
    progress = progress_of([team(0, [10] * 3), team(1, [20] * 3)], [1, 0], 1)
    assert progress[-1] == (6, [60.0, 30.0])


def test_the_ladder_moves_once_a_block() -> None:
    matches = [drawn((0, 1), LADDER_BLOCK + 20, 1), drawn((1, 2), 30, 2, 1), drawn((0, 2), LADDER_BLOCK, 3, 2, 1)]
    ladder = Ladder(3)
    for match, deals in (
        (matches[0], slice(0, LADDER_BLOCK)),
        (matches[1], slice(None)),
        (matches[0], slice(LADDER_BLOCK, None)),
        (matches[2], slice(None)),
    ):
        ladder.update(match.members, [sum(by_deal(match, player, False)[deals]) for player in match.members])
    expected = {rung.player: (rung.mu, rung.sigma) for rung in ladder.table()}
    assert skills_of(matches, 3) == [expected[player] for player in range(3)]
