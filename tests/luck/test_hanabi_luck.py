"""Luck of the deck in Hanabi: figures with a mean of zero, and what they save."""

from __future__ import annotations

import numpy as np
import pytest

from kibitz.experiments.batch import Batch, open_workers
from kibitz.experiments.luck_correction import LuckCorrection
from kibitz.games.hanabi.luck import COMPONENTS
from kibitz.play.lineup import make_lineup
from kibitz.play.outcomes import Outcomes, points_by_entry


def noted(bots: list[str], games: int, rules: str = "standard", luck: bool = True, jit: bool = True) -> Outcomes:
    batch = Batch(make_lineup(bots, rules, "fixed", "hanabi"), games, 21, jit, noted=True, luck=luck)
    with open_workers() as workers:
        batch.run(workers)
    return batch.outcomes()


@pytest.mark.parametrize(("rules", "players"), [("standard", 2), ("standard", 4), ("standard,colours=3,ranks=4", 3)])
def test_luck_is_zero_on_average_and_changes_no_game(rules: str, players: int) -> None:
    """20,000 games; four standard errors for each of nine figures, a false alarm in 1,600."""
    with_luck, without = noted(["random"] * players, 20_000, rules), noted(["random"] * players, 20_000, rules, luck=False)
    assert np.array_equal(with_luck["points"], without["points"])
    luck = with_luck["luck"]
    assert luck.shape == (20_000, players, COMPONENTS)
    assert np.array_equal(luck[:, 0], luck[:, -1])
    errors = luck[:, 0].std(0) / np.sqrt(len(luck))
    assert (np.abs(luck[:, 0].mean(0)) <= 4 * errors).all()
    assert (errors > 0).sum() >= 6


def test_plain_python_measures_the_same_luck() -> None:
    bots = ["iggi", "iggi"]
    assert np.allclose(noted(bots, 5)["luck"], noted(bots, 5, jit=False)["luck"])


def test_correction_keeps_the_mean_of_a_score() -> None:
    """4,000 games: the mean of what is taken out is within four errors of zero."""
    bots = ["iggi", "iggi"]
    outcomes = noted(bots, 4_000)
    lineup = make_lineup(bots, "standard", "fixed", "hanabi")
    values = points_by_entry(lineup, outcomes)[:, 0].astype(float)
    correction = LuckCorrection(lineup, wins=False)
    corrected = np.concatenate([correction.add_block(values[at : at + 500], outcomes[at : at + 500]) for at in range(0, 4_000, 500)])
    removed = values - corrected
    print(f"iggi: {correction.saved:.2f} times")
    assert abs(removed.mean()) < 4 * removed.std() / np.sqrt(len(removed))
    assert correction.saved > 1.02
