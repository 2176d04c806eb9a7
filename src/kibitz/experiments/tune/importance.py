"""Which parameters matter? By what it costs a good setting to change them, as far as the trials of a search tell.

A search that changes the best so far a little has, in each such trial, an experiment on paired deals: these coordinates were changed,
and so much was lost. Losses that add up are fitted to them. Where there are too few such trials, Optuna's PED-ANOVA is asked what sets
the best tenth apart; it takes for important whatever the best have in common, also what they share by descent alone.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from kibitz.experiments.tune.trials import Trial

MOST_CHANGED = 8  # coordinates in a small change
ROWS_EACH = 2  # small changes that are needed, for each coordinate
FEWEST_TRIALS = 20

CHANGES, BEST_TENTH = "what changes to the best cost", "what sets the best tenth apart"


def importance_of(trials: Sequence[Trial], names: Sequence[str], study: Any) -> tuple[dict[str, float], str]:
    """The share of each coordinate, the greatest first, adding up to 1, and what it is a share of; nothing where little can be told."""
    if len(trials) < FEWEST_TRIALS or len({trial.value for trial in trials}) < 2:
        return {}, ""
    shares, what = cost_of_changes(trials, names), CHANGES
    if not shares:
        shares, what = _best_tenth(study), BEST_TENTH
    total = sum(shares.values())
    if not total > 0:
        return {}, ""
    return {name: share / total for name, share in sorted(shares.items(), key=lambda item: -item[1])}, what


def cost_of_changes(trials: Sequence[Trial], names: Sequence[str]) -> dict[str, float]:
    """What a change to each coordinate cost on average, in the second half of the trials, where the best was good; empty if too few tell."""
    from scipy.optimize import nnls

    rows, losses = [], []
    for trial in trials[len(trials) // 2 :]:
        if trial.base is None:
            continue
        best = trials[trial.base]
        changed = np.array([trial.point[name] != best.point[name] for name in names], dtype=np.float64)
        if 1 <= changed.sum() <= MOST_CHANGED:
            weight = math.sqrt(trial.games)
            rows.append(changed * weight)
            losses.append((best.value - trial.value) * weight)
    if len(rows) < ROWS_EACH * len(names):
        return {}
    costs, _ = nnls(np.array(rows), np.array(losses))
    return {name: float(cost) for name, cost in zip(names, costs, strict=True)} if costs.any() else {}


def _best_tenth(study: Any) -> dict[str, float]:
    from optuna.importance import PedAnovaImportanceEvaluator, get_param_importances

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # some versions of Optuna call it experimental
        found = get_param_importances(study, evaluator=PedAnovaImportanceEvaluator())
    return {name: float(share) for name, share in found.items()}
