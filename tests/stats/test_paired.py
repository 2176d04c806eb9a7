"""Sums of per-deal values against the textbook, and what pairing saves where it can be calculated."""

from __future__ import annotations

import math
import statistics
from random import Random

import numpy as np
import pytest

from kibitz.core.errors import BadValue
from kibitz.stats.paired import FEW, Sums, pairing_gain, quantile


def test_mean_and_error_are_the_textbooks() -> None:
    values = [3, 0, -12, 250, 7, 7]
    sums = Sums.of(values)
    assert sums == Sums(6, 255, 62_751)
    assert sums.mean == pytest.approx(statistics.mean(values))
    assert sums.variance == pytest.approx(statistics.variance(values))
    assert sums.standard_error == pytest.approx(statistics.stdev(values) / math.sqrt(6))


def test_few_values_have_students_interval() -> None:
    """The printed table: t of 4 degrees of freedom at 97.5 % is 2.776."""
    low, high = Sums.of([1.0, 2.0, 3.0, 4.0, 5.0]).interval() or (0.0, 0.0)
    reach = 2.7764 * math.sqrt(2.5 / 5)
    assert low == pytest.approx(3 - reach, abs=1e-4)
    assert high == pytest.approx(3 + reach, abs=1e-4)


def test_many_values_have_the_normal_interval() -> None:
    sums = Sums.of(np.arange(5_000) % 7)
    low, high = sums.interval(0.99) or (0.0, 0.0)
    assert (high - low) / 2 == pytest.approx(2.5758 * (sums.standard_error or 0.0), rel=1e-4)


def test_interval_does_not_jump_where_students_distribution_is_left() -> None:
    assert quantile(0.975, FEW - 1) == pytest.approx(quantile(0.975, FEW), rel=2e-3)
    assert quantile(0.975, FEW - 1) > quantile(0.975, FEW)


def test_one_value_tells_no_error_and_none_no_mean() -> None:
    assert (Sums.of([5]).variance, Sums.of([5]).standard_error, Sums.of([5]).interval()) == (None, None, None)
    assert Sums().mean == 0.0


def test_constant_values_have_no_error_however_large() -> None:
    sums = Sums.of(np.full(1_000, 987_654_321))
    assert sums.variance == 0
    assert sums.interval() == (987_654_321, 987_654_321)


def test_rounding_never_gives_a_negative_variance() -> None:
    assert (Sums.of(np.full(1_000, 0.1)).variance or 0.0) >= 0.0


@pytest.mark.parametrize("seed", range(5))
def test_merging_whole_numbers_is_exact_in_any_order(seed: int) -> None:
    random = Random(seed)
    values = [random.randrange(-(10**6), 10**6) for _ in range(500)]
    pieces = [Sums.of(values[start : start + 37]) for start in range(0, 500, 37)]
    random.shuffle(pieces)
    assert sum(pieces, Sums()) == Sums.of(values)


def test_another_unit_scales_mean_and_error() -> None:
    sums = Sums.of([1, 5, 0, 2])
    percent = sums.scaled(50)
    assert percent.mean == pytest.approx(50 * sums.mean)
    assert percent.standard_error == pytest.approx(50 * (sums.standard_error or 0.0))


@pytest.mark.parametrize("confidence", [0.0, 1.0, -3.0, 95.0])
def test_confidence_outside_its_range_is_refused(confidence: float) -> None:
    with pytest.raises(BadValue, match="confidence="):
        Sums.of([1, 2]).interval(confidence)


def test_pairing_saves_what_the_common_luck_of_a_deal_costs() -> None:
    """100,000 deals of two games whose luck is of opposite sign: without pairing (1 + 4) / 2 a deal, with it 1 / 2, that is 5 times.

    The estimate has a standard error of some 0.5 %: 3 % is out of reach of chance (six standard errors).
    """
    random = np.random.default_rng(5)
    luck = 2 * random.standard_normal(100_000)
    games = random.standard_normal((100_000, 2)) + np.stack([luck, -luck], axis=1) + 0.3
    gain = pairing_gain(Sums.of(games.mean(axis=1)), Sums.of(games))
    assert gain == pytest.approx(5.0, rel=0.03)


def test_pairing_of_two_tables_saves_their_common_luck() -> None:
    """As above, but each side plays at its own table with the same luck: (5 + 5) / 2 = 5 times."""
    random = np.random.default_rng(6)
    luck = 2 * random.standard_normal(100_000)
    first, second = random.standard_normal((2, 100_000)) + luck
    assert pairing_gain(Sums.of(first - second), Sums.of(first), Sums.of(second)) == pytest.approx(5.0, rel=0.03)


def test_pairing_of_unrelated_games_saves_nothing() -> None:
    random = np.random.default_rng(7)
    games = random.standard_normal((100_000, 4))
    assert pairing_gain(Sums.of(games.mean(axis=1)), Sums.of(games)) == pytest.approx(1.0, rel=0.03)


def test_gain_is_unknown_without_spread_or_with_one_deal() -> None:
    assert pairing_gain(Sums.of([0, 0, 0]), Sums.of([1, -1, 1, -1, 1, -1])) is None
    assert pairing_gain(Sums.of([1]), Sums.of([1, 1])) is None


def test_interval_covers_as_often_as_it_says() -> None:
    """4,000 samples of 12 normal values: 95 % of the intervals hold the mean. Bounds of four standard errors (0.0034 each):
    with fresh seeds less than once in 10,000 runs outside. With normal instead of Student's quantiles it would be 92.4 %."""
    random = np.random.default_rng(8)
    covered = 0
    for sample in random.normal(3.0, 2.0, (4_000, 12)):
        low, high = Sums.of(sample).interval() or (0.0, 0.0)
        covered += low <= 3.0 <= high
    assert abs(covered / 4_000 - 0.95) < 0.0138
