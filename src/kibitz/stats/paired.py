"""Paired deals: the mean of one value a deal with its error, and what pairing saved.

Games of one deal start from the same cards, so that their values are added up first and a deal is one observation. Sums are kept of
whole numbers where values are whole numbers, so that merging is exact in any order.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from kibitz.core.errors import BadValue

FEW = 1_000  # from so many values on, Student's t and the normal distribution differ by less than 0.2 % at 95 %


@dataclass(frozen=True)
class Sums:
    """How many values there were, their sum and the sum of their squares; `+` merges."""

    count: int = 0
    total: float = 0
    squares: float = 0

    @classmethod
    def of(cls, values: Any) -> Sums:
        """The sums of an array of values, exact if they are whole numbers."""
        array = np.asarray(values)
        if array.dtype.kind in "biu":
            whole = array.astype(np.int64)
            return cls(int(whole.size), int(whole.sum()), int((whole * whole).sum()))
        real = array.astype(np.float64)
        return cls(int(real.size), float(real.sum()), float((real * real).sum()))

    def __add__(self, other: Sums) -> Sums:
        return Sums(self.count + other.count, self.total + other.total, self.squares + other.squares)

    def scaled(self, factor: float) -> Sums:
        """The sums of the same values in another unit."""
        return Sums(self.count, self.total * factor, self.squares * factor * factor)

    @property
    def mean(self) -> float:
        """The mean; 0 of no values."""
        return self.total / self.count if self.count else 0.0

    @property
    def variance(self) -> float | None:
        """The variance of a value, estimated without bias; None where one value tells nothing."""
        if self.count < 2:
            return None
        # Whole numbers stay exact until the division; with others rounding may leave less than nothing.
        return max(self.count * self.squares - self.total * self.total, 0) / (self.count * (self.count - 1))

    @property
    def standard_error(self) -> float | None:
        """The standard error of the mean."""
        variance = self.variance
        return None if variance is None else math.sqrt(variance / self.count)

    def interval(self, confidence: float = 0.95) -> tuple[float, float] | None:
        """Low and high end of the confidence interval of the mean: Student's for few values, else normal."""
        check_confidence(confidence)
        error = self.standard_error
        if error is None:
            return None
        reach = quantile(0.5 + confidence / 2, self.count - 1) * error
        return self.mean - reach, self.mean + reach


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that is no probability between the ends."""
    if not 0.0 < confidence < 1.0:
        raise BadValue(f"confidence={confidence} is out of range: it lies between 0 and 1, such as 0.95.")


def quantile(probability: float, freedom: int) -> float:
    """The quantile of Student's distribution, of the normal one where there is no difference to speak of."""
    if freedom >= FEW:
        return NormalDist().inv_cdf(probability)
    from scipy.special import stdtrit

    return float(stdtrit(freedom, probability))


def pairing_gain(paired: Sums, *unpaired: Sums) -> float | None:
    """How many times more games the same certainty takes without pairing; None where it cannot be told.

    `paired` are the values of the deals. `unpaired` are the values of single games, taken as if each had cards of its own: one sum if a
    game tells the difference by itself (both sides at one table), or one for each side. All are in the same unit.
    """
    variances = [sums.variance for sums in (paired, *unpaired)]
    if any(variance is None for variance in variances) or not variances[0]:
        return None
    spread, *single = [(variance or 0.0) / sums.count for variance, sums in zip(variances, (paired, *unpaired), strict=True)]
    return sum(single) / spread
