"""Importance: what changes cost, found back from made-up trials."""

from __future__ import annotations

import numpy as np
import optuna
import pytest

from kibitz.experiments.tune.importance import BEST_TENTH, CHANGES, cost_of_changes, importance_of
from kibitz.experiments.tune.trials import Trial

NAMES = ["much", "little", "nothing"]


def made_up_trials(count: int, noise: float = 0.0) -> list[Trial]:
    """The best is at 0; a change to `much` costs 3, to `little` 1, to `nothing` nothing. Trials change one or two of them."""
    rng = np.random.default_rng(4)
    trials = [Trial(0, "best", 50.0, 1.0, 1_000, False, True, True, None, dict.fromkeys(NAMES, 0))]
    for number in range(1, count):
        changed = rng.choice(3, size=int(rng.integers(1, 3)), replace=False)
        point = {name: int(place in changed) * number for place, name in enumerate(NAMES)}
        loss = 3.0 * (0 in changed) + 1.0 * (1 in changed) + rng.normal(0.0, noise)
        trials.append(Trial(number, f"t{number}", 50.0 - loss, 1.0, 1_000, True, False, False, 0, point))
    return trials


def test_costs_are_found_back() -> None:
    costs = cost_of_changes(made_up_trials(100), NAMES)
    assert costs == pytest.approx({"much": 3.0, "little": 1.0, "nothing": 0.0}, abs=1e-9)


def test_noise_does_not_hide_them() -> None:
    """A loss has a standard deviation of 1 and each cost rests on about 100 trials: a standard error of about 0.12, so that 0.6 is five."""
    costs = cost_of_changes(made_up_trials(400, noise=1.0), NAMES)
    assert costs == pytest.approx({"much": 3.0, "little": 1.0, "nothing": 0.0}, abs=0.6)


def test_shares_add_up_and_come_in_order() -> None:
    shares, what = importance_of(made_up_trials(100), NAMES, None)
    assert what == CHANGES
    assert list(shares) == NAMES
    assert shares == pytest.approx({"much": 0.75, "little": 0.25, "nothing": 0.0}, abs=1e-9)


def test_few_trials_tell_nothing() -> None:
    assert importance_of(made_up_trials(19), NAMES, None) == ({}, "")
    assert cost_of_changes(made_up_trials(8), NAMES) == {}


def test_without_small_changes_optuna_is_asked() -> None:
    study = optuna.create_study(direction="maximize")
    names = [f"x{place}" for place in range(9)]
    ranges = dict.fromkeys(names, optuna.distributions.FloatDistribution(0.0, 1.0))
    rng = np.random.default_rng(8)
    trials = []
    for number in range(60):
        point = {name: float(rng.random()) for name in names}
        value = -abs(point["x3"] - 0.5)
        study.add_trial(optuna.trial.create_trial(params=dict(point), distributions=dict(ranges), value=value))
        trials.append(Trial(number, "t", value, 1.0, 10, False, False, number == 0, None, point))
    shares, what = importance_of(trials, names, study)
    assert what == BEST_TENTH
    assert next(iter(shares)) == "x3"
    assert sum(shares.values()) == pytest.approx(1)
