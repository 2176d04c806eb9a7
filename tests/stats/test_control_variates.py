"""Control variates on made-up data."""

from __future__ import annotations

import numpy as np
import pytest

from kibitz.stats.control_variates import Array, ControlVariates, corrected


def noisy(count: int, seed: int, mean: float = 0.3, controls: int = 3) -> tuple[Array, Array]:
    """Values of a known mean whose noise is mostly told by the first two controls."""
    stream = np.random.default_rng(seed)
    known = stream.standard_normal((count, controls)) ** 3  # skewed tails, as sums over games may have
    own = 0.5 * stream.standard_normal(count)
    return mean + 0.4 * known[:, 0] - 0.2 * known[:, 1] + own, known


def test_noise_that_controls_explain_is_taken_out() -> None:
    values, controls = noisy(20_000, 1)
    less, ratio = corrected(values, controls)
    assert ratio == pytest.approx(values.var() / less.var())
    assert less.var() == pytest.approx(0.25, rel=0.05)  # what the controls do not know
    assert less.mean() == pytest.approx(0.3, abs=4 * less.std() / np.sqrt(len(less)))


def test_blocks_are_corrected_with_what_came_before_alone() -> None:
    values, controls = noisy(3_000, 2)
    whole = ControlVariates(3)
    first = whole.add_block(values[:1000], controls[:1000])
    assert np.array_equal(first, values[:1000])
    learned = whole.multiples.copy()
    second = whole.add_block(values[1000:], controls[1000:])
    assert np.allclose(second, values[1000:] - controls[1000:] @ learned)
    assert not np.allclose(whole.multiples, learned)
    changed = ControlVariates(3)
    changed.add_block(values[:1000], controls[:1000])
    other = changed.add_block(-values[1000:], controls[1000:])  # other values, the same correction
    assert np.allclose(other + values[1000:], second - values[1000:])


def test_no_value_has_a_part_in_its_own_correction() -> None:
    values, controls = noisy(60, 6)
    before = corrected(values, controls)[0] - values
    values[::2] += 100.0 * controls[::2, 0]  # one of the two folds
    after = corrected(values, controls)[0] - values
    assert np.allclose(after[::2], before[::2])
    assert not np.allclose(after[1::2], before[1::2])


def test_mean_is_kept_in_small_samples() -> None:
    """5,000 samples of 40 values in blocks of 10, from 8 on: four standard errors, a false alarm in 15,000.

    Multiples fitted to the very values they correct would show here: the last lines do that, and are off by many errors.
    """
    stream = np.random.default_rng(3)
    kept, fitted_to_itself = [], []
    for _ in range(5_000):
        controls = stream.exponential(size=(40, 2)) - 1.0
        values = 0.3 + controls[:, 0] ** 2 - 1.0 + controls[:, 0]  # not linear in the control: a fit to itself is biased
        correction = ControlVariates(2, least=8)
        kept.append(np.concatenate([correction.add_block(values[at : at + 10], controls[at : at + 10]) for at in range(0, 40, 10)]).mean())
        fitted_to_itself.append((values - controls @ correction.multiples).mean())
    assert np.mean(kept) == pytest.approx(0.3, abs=4 * np.std(kept) / np.sqrt(len(kept)))
    assert abs(np.mean(fitted_to_itself) - 0.3) > 8 * np.std(fitted_to_itself) / np.sqrt(len(kept))


def test_prior_corrects_the_first_block() -> None:
    values, controls = noisy(500, 4)
    correction = ControlVariates(3, np.array([0.4, -0.2, 0.0]))
    first = correction.add_block(values, controls)
    assert first.var() < values.var() / 3
    assert correction.saved == pytest.approx(values.var() / first.var())


def test_controls_that_say_nothing_or_the_same_do_no_harm() -> None:
    values, controls = noisy(5_000, 5)
    same = np.column_stack([controls[:, 0], controls[:, 0], np.zeros(len(values))])
    less, ratio = corrected(values, same)
    assert ratio > 1.5 and np.isfinite(less).all()
    assert corrected(values, np.zeros((len(values), 2)))[1] == 1.0
    assert corrected(np.ones(50), controls[:50])[1] == 1.0
    assert ControlVariates(2).saved == 1.0
