"""Control variates: figures whose mean is known to be zero take noise out of values, and leave their mean as it is.

A value less a multiple of a control has the same mean, whatever the multiple, as long as that was chosen without looking at the
value itself. So multiples are fitted to other data: here always to earlier blocks, which suits tests that may stop at any time
as well.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]

RIDGE = 1e-9  # against controls that are nearly copies of each other, relative to their size


class ControlVariates:
    """Values corrected block by block, each with multiples fitted to all blocks before it.

    Values of the first block are corrected with `prior`, which may not come from these data; nothing if it is not given. Sums
    alone are kept, so any number of blocks takes no more memory than one.
    """

    def __init__(self, controls: int, prior: Array | None = None, least: int = 100) -> None:
        self.multiples: Array = np.zeros(controls) if prior is None else np.asarray(prior, dtype=np.float64).copy()
        self.count = 0
        self._least = max(least, controls + 2)  # values that a fit needs at least
        self._sum: Array = np.zeros(controls + 1)
        self._products: Array = np.zeros((controls + 1, controls + 1))
        self._corrected_sum = 0.0
        self._corrected_squares = 0.0

    def add_block(self, values: Array, controls: Array) -> Array:
        """Corrected values of a block, one row of controls a value; then learn from the block."""
        values = np.asarray(values, dtype=np.float64)
        controls = np.asarray(controls, dtype=np.float64).reshape(len(values), -1)
        corrected: Array = values - controls @ self.multiples
        rows = np.column_stack([values, controls])
        self.count += len(values)
        self._sum += rows.sum(0)
        self._products += rows.T @ rows
        self._corrected_sum += float(corrected.sum())
        self._corrected_squares += float(corrected @ corrected)
        if self.count >= self._least:
            self.multiples = self._fit()
        return corrected

    def _fit(self) -> Array:
        means = self._sum / self.count
        covariances = self._products / self.count - np.outer(means, means)
        among = covariances[1:, 1:]
        scale = float(np.trace(among))
        if scale <= 0:
            return np.zeros(len(among))
        return np.asarray(np.linalg.solve(among + RIDGE * scale * np.eye(len(among)), covariances[1:, 0]), dtype=np.float64)

    @property
    def raw_variance(self) -> float:
        """The variance of all values so far."""
        return float(self._products[0, 0] / self.count - (self._sum[0] / self.count) ** 2) if self.count else 0.0

    @property
    def corrected_variance(self) -> float:
        """The variance of all corrected values so far, the first block's included."""
        return self._corrected_squares / self.count - (self._corrected_sum / self.count) ** 2 if self.count else 0.0

    @property
    def saved(self) -> float:
        """How many times as many values would be needed without correction: the ratio of the variances; 1 if there is nothing to save."""
        if self.corrected_variance <= 0 or self.raw_variance <= 0:
            return 1.0
        return self.raw_variance / self.corrected_variance


def corrected(values: Array, controls: Array, folds: int = 2) -> tuple[Array, float]:
    """Values of a finished sample, corrected, and the ratio of the variances before and after.

    Each of the folds is corrected with multiples fitted to the others: no value has a part in its own correction.
    """
    values = np.asarray(values, dtype=np.float64)
    controls = np.asarray(controls, dtype=np.float64).reshape(len(values), -1)
    result = values.copy()
    if len(values) >= folds * (controls.shape[1] + 2):
        fold = np.arange(len(values)) % folds
        for left_out in range(folds):
            fitting = ControlVariates(controls.shape[1], least=0)
            fitting.add_block(values[fold != left_out], controls[fold != left_out])
            result[fold == left_out] -= controls[fold == left_out] @ fitting.multiples
    before, after = float(values.var()), float(result.var())
    return result, before / after if after > 0 and before > 0 else 1.0
