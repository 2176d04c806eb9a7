"""Summaries of many deals against the textbook: means, standard errors, and ratios of sums."""

from __future__ import annotations

import math
import statistics
from random import Random

import pytest

from kibitz.stats.summary import ContestRow, ratio_error, standard_error


def sums(over: list[int], under: list[int]) -> tuple[tuple[int, int], tuple[int, int], int, int]:
    """What `ratio_error` is told of pairs."""
    pairs = list(zip(over, under, strict=True))
    squares = sum(value * value for value in over), sum(value * value for value in under)
    return (sum(over), sum(under)), squares, sum(first * second for first, second in pairs), len(pairs)


def direct(over: list[int], under: list[int]) -> float:
    """The standard error of a ratio by its residuals: the root of n / (n - 1) times their squares, over the total below."""
    ratio, count = sum(over) / sum(under), len(over)
    residuals = [first - ratio * second for first, second in zip(over, under, strict=True)]
    return math.sqrt(count / (count - 1) * sum(value * value for value in residuals)) / sum(under)


@pytest.mark.parametrize("seed", range(20))
def test_error_of_a_ratio_is_that_of_its_residuals(seed: int) -> None:
    random = Random(seed)
    count = random.randrange(2, 60)
    under = [random.randrange(1, 30) for _ in range(count)]
    over = [random.randrange(0, 600) for _ in range(count)]
    assert ratio_error(*sums(over, under)) == pytest.approx(direct(over, under), rel=1e-9)


def test_error_of_a_ratio_over_ones_is_that_of_a_mean() -> None:
    values = [3, 0, 12, 250, 7, 7]
    error = ratio_error(*sums(values, [1] * 6))
    assert error == pytest.approx(statistics.stdev(values) / math.sqrt(6))
    assert error == pytest.approx(standard_error(sum(values), sum(value * value for value in values), 6) or 0.0)


def test_ratio_that_is_always_the_same_has_no_error() -> None:
    assert ratio_error(*sums([10, 20, 70], [1, 2, 7])) == pytest.approx(0.0, abs=1e-9)


def test_ratio_of_one_piece_or_over_nothing_has_no_known_error() -> None:
    assert ratio_error(*sums([5], [2])) is None
    assert ratio_error((0, 0), (0, 0), 0, 3) is None
    assert ratio_error((0, 0), (0, 0), 0, 0) is None


def test_error_of_a_ratio_tells_how_far_it_strays() -> None:
    """1,000 samples of 200 contests each: the spread of the ratio itself, estimated to 2.2 %, v the mean of the stated errors.

    A deviation of 11 % is five standard errors of that estimate: with fresh seeds less than once in a million runs.
    """
    random = Random(7)
    ratios, errors = [], []
    for _ in range(1000):
        under = [random.randrange(1, 12) for _ in range(200)]
        over = [sum(random.choice((0, 0, 40, 90)) for _ in range(3)) + 20 * deals for deals in under]
        ratios.append(sum(over) / sum(under))
        errors.append(ratio_error(*sums(over, under)) or 0.0)
    assert statistics.mean(errors) == pytest.approx(statistics.stdev(ratios), rel=0.11)


CONTESTS = [(510, 9), (120, 6), (0, 4), (333, 12)]  # points and deals of one bot


def contest_row() -> ContestRow:
    points, deals = [pair[0] for pair in CONTESTS], [pair[1] for pair in CONTESTS]
    return ContestRow(
        bot="x",
        games=4,
        wins=1,
        points_total=sum(points),
        points_squares=sum(value * value for value in points),
        unfinished=1,
        turns_total=930,
        deals_total=sum(deals),
        deals_squares=sum(value * value for value in deals),
        points_by_deals=sum(first * second for first, second in CONTESTS),
        unfinished_deals=2,
    )


def test_row_of_contests_counts_points_and_turns_by_the_deal() -> None:
    row = contest_row()
    points, deals = [pair[0] for pair in CONTESTS], [pair[1] for pair in CONTESTS]
    assert row.win_rate == 0.25
    assert row.win_rate_se == pytest.approx(math.sqrt(0.25 * 0.75 / 3))
    assert row.points == pytest.approx(963 / 31)
    assert row.points_se == pytest.approx(direct(points, deals))
    assert row.deals == pytest.approx(31 / 4)
    assert row.deals_se == pytest.approx(statistics.stdev(deals) / 2)
    assert row.turns == pytest.approx(30.0)


def test_row_of_contests_as_json() -> None:
    value = contest_row().to_dict()
    keys = "bot games win_rate win_rate_se points points_se unfinished turns deals deals_se unfinished_deals"
    assert list(value) == keys.split()
    assert (value["games"], value["unfinished"], value["unfinished_deals"], value["deals"]) == (4, 1, 2, 7.75)


def test_row_of_no_contests_has_no_figures_but_zeros() -> None:
    row = ContestRow("x", 0, 0, 0, 0, 0, 0)
    assert (row.win_rate, row.points, row.deals, row.turns) == (0.0, 0.0, 0.0, 0.0)
    assert (row.win_rate_se, row.points_se, row.deals_se) == (None, None, None)
