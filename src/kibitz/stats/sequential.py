"""A sequential test of two hypotheses about a mean: it looks at values block by block and stops when it knows.

The generalised sequential probability ratio test of engine testing: the log-likelihood ratio of two normal means, with the variance
estimated from the values so far, walks between two bounds that Wald's error rates set. It needs about half the values of a test of fixed
size with the same error rates. The verdict depends on the sequence of blocks alone.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from kibitz.core.errors import BadValue

# No verdict before the variance is known. 500 values meet rare large ones; and the variance must be known as well as 50 values of equal
# size would tell it: where nearly all values are 0, a few others are all that there is to learn from.
MINIMUM = 500
MINIMUM_EFFECTIVE = 50


@dataclass
class Sprt:
    """Is the mean `h0` or `h1`? `alpha` is the chance to say h1 where h0 holds, `beta` to say h0 where h1 holds.

    For "which of two is better?" the hypotheses are symmetric, see `symmetric`: the mean difference is at most -margin or at least +margin.
    """

    h0: float
    h1: float
    alpha: float = 0.05
    beta: float = 0.05
    minimum: int = MINIMUM
    count: int = field(default=0, init=False)
    verdict: str | None = field(default=None, init=False)
    _powers: tuple[float, float, float, float] = field(default=(0.0, 0.0, 0.0, 0.0), init=False)  # sums of powers around the middle

    def __post_init__(self) -> None:
        if not (math.isfinite(self.h0) and math.isfinite(self.h1) and self.h0 < self.h1):
            raise BadValue(f"hypotheses h0={self.h0} and h1={self.h1} are not accepted: h0 is less than h1.")
        for name in ("alpha", "beta"):
            if not 0.0 < getattr(self, name) < 0.5:
                raise BadValue(f"{name}={getattr(self, name)} is out of range: an error rate lies between 0 and 0.5, such as 0.05.")
        if self.minimum < 2:
            raise BadValue(f"minimum={self.minimum} is out of range: a variance takes at least 2 values.")

    @classmethod
    def symmetric(cls, margin: float, alpha: float = 0.05, beta: float = 0.05, minimum: int = MINIMUM) -> Sprt:
        """The test of -margin v +margin: which side of nought is the mean on?"""
        if not (math.isfinite(margin) and margin > 0.0):
            raise BadValue(f"margin={margin} is out of range: it is more than 0.")
        return cls(-margin, margin, alpha, beta, minimum)

    @property
    def lower(self) -> float:
        """The log-likelihood ratio at which h0 is accepted."""
        return math.log(self.beta / (1.0 - self.alpha))

    @property
    def upper(self) -> float:
        """The log-likelihood ratio at which h1 is accepted."""
        return math.log((1.0 - self.beta) / self.alpha)

    @property
    def llr(self) -> float:
        """The log-likelihood ratio of h1 to h0 so far: count x (h1 - h0) x (mean - middle) / variance.

        The variance is that around the middle of the hypotheses, so that equal values do not make the ratio infinite. Where values are
        skewed, a sample mean that strays comes with a variance that is too small (rare large values are missing); the variance that
        the same values would have with their mean at the middle, to first order by the third moment, stands in where it is larger.
        """
        if self.count == 0:
            return 0.0
        mean, second, third, _ = (power / self.count for power in self._powers)
        central = second - mean * mean
        tilt = -mean * (third - 3.0 * mean * second + 2.0 * mean**3) / central if central > 1e-12 * second else 0.0
        variance = second + max(tilt, 0.0)
        return self.count * (self.h1 - self.h0) * mean / variance if variance > 0.0 else 0.0

    @property
    def effective(self) -> float:
        """How many values of equal size would tell the variance as well as those so far."""
        _, second, _, fourth = self._powers
        return second * second / fourth if fourth > 0.0 else 0.0

    @property
    def ready(self) -> bool:
        """Whether the variance is known well enough for a verdict."""
        return self.count >= self.minimum and self.effective >= min(MINIMUM_EFFECTIVE, self.minimum)

    def feed(self, values: Any) -> str | None:
        """Look at the next block: the verdict "h1" or "h0", or None to go on. What comes after a verdict is not counted."""
        if self.verdict is not None:
            return self.verdict
        shifted = np.asarray(values, dtype=np.float64).ravel() - (self.h0 + self.h1) / 2.0
        squares = shifted * shifted
        block = (shifted.sum(), squares.sum(), (squares * shifted).sum(), (squares * squares).sum())
        if not math.isfinite(block[3]):
            raise BadValue("values fed to a sequential test are not accepted: all of them are finite numbers.")
        first, second, third, fourth = (kept + float(new) for kept, new in zip(self._powers, block, strict=True))
        self._powers = (first, second, third, fourth)
        self.count += shifted.size
        if self.ready:
            ratio = self.llr
            self.verdict = "h1" if ratio >= self.upper else "h0" if ratio <= self.lower else None
        return self.verdict

    def expected(self, mean: float, variance: float) -> float:
        """About how many values it takes if the mean and the variance are these (Wald's approximation, no less than the minimum)."""
        drift = (self.h1 - self.h0) * (mean - (self.h0 + self.h1) / 2.0) / variance
        step = (self.h1 - self.h0) ** 2 / variance  # the variance of the ratio's step
        if abs(drift) < 1e-9 * step:
            return max(float(self.minimum), -self.lower * self.upper / step)
        power = -2.0 * drift / step  # exp(power x ratio) is a martingale
        if abs(power) * max(self.upper, -self.lower) > 500.0:
            return max(float(self.minimum), (self.upper if drift > 0 else self.lower) / drift)
        reach = (1.0 - math.exp(power * self.lower)) / (math.exp(power * self.upper) - math.exp(power * self.lower))
        return max(float(self.minimum), (reach * self.upper + (1.0 - reach) * self.lower) / drift)
