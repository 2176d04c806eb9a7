"""Luck in UNO: games are the same with it, it is zero on average under any rules, and it explains most of who wins.

Means are compared to zero at four standard errors of the sample: a false alarm in 15,000 for each.
"""

from __future__ import annotations

import numpy as np
import pytest

from kibitz.core.errors import BadValue
from kibitz.experiments.batch import Batch, open_workers
from kibitz.experiments.comparison import Compare
from kibitz.experiments.luck_correction import LuckCorrection, luck_correction
from kibitz.experiments.sides import Stretch
from kibitz.play.lineup import make_lineup
from kibitz.play.outcomes import Outcomes, wins_by_entry
from kibitz.stats.control_variates import Array


def noted(bots: list[str], games: int, rules: str = "classic", luck: bool = True, seed: int = 11, jit: bool = True) -> Outcomes:
    batch = Batch(make_lineup(bots, rules, "rotate"), games, seed, jit, noted=True, luck=luck)
    with open_workers() as workers:
        batch.run(workers)
    return batch.outcomes()


def standard_errors(samples: Array) -> Array:
    """How many standard errors each column's mean is away from zero."""
    result: Array = samples.mean(0) / np.maximum(samples.std(0) / np.sqrt(len(samples)), 1e-12)
    return result


RULES = [
    ("classic", 2, 3000),
    ("classic", 3, 1800),
    ("classic", 6, 900),
    ("official", 2, 1200),
    ("davies", 2, 1200),
    ("modern", 4, 800),
    ("classic,draw=until_playable", 2, 1200),
    ("classic,stacking=progressive,seven_zero=on,jump_in=on", 3, 900),
    ("hearn,deck=modern,wild_draw_four=challenge,uno_call=on", 2, 1200),
]


@pytest.mark.parametrize(("rules", "players", "games"), RULES)
def test_luck_is_zero_on_average_and_changes_no_game(rules: str, players: int, games: int) -> None:
    """Means over deals, whose rotations start from the same cards: own draws, others', and cards dealt, of each entry."""
    bots = ["mix2", "random", "greedy", "score", "mix2:points", "diversity"][:players]
    with_luck, without = noted(bots, games, rules), noted(bots, games, rules, luck=False)
    for field in without.dtype.names or ():
        assert np.array_equal(with_luck[field], without[field])
    luck = with_luck["luck"].reshape(-1, players, players * 7).mean(axis=1)
    assert (np.abs(standard_errors(luck)) < 4).all()
    assert (luck.std(0) > 0.01).all()
    # What one gains by a draw the others lose.
    assert np.allclose(with_luck["luck"][:, :, :2].sum(axis=(1, 2)), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("bots", "least"),
    [(["mix2", "greedy"], 1.9), (["mix2", "random"], 1.5), (["mix2", "mix2:points"], 1.75)],
    ids=str,
)
def test_correction_keeps_the_mean_and_saves_deals(bots: list[str], least: float) -> None:
    """2,500 deals from both seats. The corrected mean differs from the raw one by what was taken out: within four errors of that."""
    outcomes = noted(bots, 5_000, seed=12).reshape(-1, 2)
    lineup = make_lineup(bots, "classic", "rotate")
    values = wins_by_entry(lineup, outcomes.reshape(-1))[:, 0].reshape(-1, 2).mean(axis=1)
    correction = LuckCorrection(lineup)
    parts = [correction.add_block(values[at : at + 500], outcomes[at : at + 500]) for at in range(0, len(values), 500)]
    corrected = np.concatenate(parts)
    removed = values - corrected
    print(
        f"{bots[0]} v {bots[1]}: variance {2 * values.var():.4f} a game, corrected {2 * corrected.var():.4f}: {correction.saved:.2f} times"
    )
    assert abs(removed.mean()) < 4 * removed.std() / np.sqrt(len(removed))
    assert correction.saved == pytest.approx(values.var() / corrected.var())
    assert correction.saved > least


@pytest.mark.parametrize("others", [[], ["random"]])
def test_stretches_of_a_comparison_are_corrected(others: list[str]) -> None:
    """1,200 deals in blocks of 100; what is taken out is within four of its errors of zero."""
    sides = Compare("mix2", "greedy", others=others, seed=14).sides
    corrected, plain = [], []
    played = []
    for lineup in sides.lineups:
        batch = Batch(lineup, 1_200 * sides.group, 14, noted=True, luck=True)
        with open_workers() as workers:
            batch.run(workers)
        played.append(batch.outcomes().reshape(-1, sides.group))
    correction = luck_correction(sides)
    for at in range(0, 1_200, 100):
        stretch = Stretch(sides, at, tuple(outcomes[at : at + 100] for outcomes in played))
        plain.append(stretch.values())
        corrected.append(correction(stretch))
    removed = np.concatenate(plain) - np.concatenate(corrected)
    assert corrected[0].var() < plain[0].var()  # the first block too
    assert abs(removed.mean()) < 4 * removed.std() / np.sqrt(len(removed))
    assert correction.saved > (1.05 if others else 1.8)


def test_four_players() -> None:
    outcomes = noted(["mix2", "random", "random", "random"], 4_000, seed=13).reshape(-1, 4)
    lineup = make_lineup(["mix2", "random", "random", "random"], "classic", "rotate")
    values = wins_by_entry(lineup, outcomes.reshape(-1))[:, 0].reshape(-1, 4).mean(axis=1)
    correction = LuckCorrection(lineup)
    corrected = np.concatenate([correction.add_block(values[at : at + 250], outcomes[at : at + 250]) for at in range(0, len(values), 250)])
    print(f"four players: {correction.saved:.2f} times")
    assert abs((values - corrected).mean()) < 4 * (values - corrected).std() / np.sqrt(len(values))
    assert correction.saved > 1.05


def test_plain_python_measures_the_same_luck() -> None:
    compiled = noted(["mix2", "greedy"], 4)
    plain = noted(["mix2", "greedy"], 4, jit=False)
    assert np.array_equal(compiled["winner"], plain["winner"])
    assert np.allclose(compiled["luck"], plain["luck"], atol=1e-9)
    house = noted(["mix2", "greedy"], 2, "official,stacking=same")
    assert np.allclose(house["luck"], noted(["mix2", "greedy"], 2, "official,stacking=same", jit=False)["luck"], atol=1e-9)


def test_python_bots_are_measured_as_well() -> None:
    def first(view: object) -> int:
        return next(action for action in range(250) if view.is_legal(action))  # type: ignore[attr-defined]  # a view

    lineup = make_lineup([first, "random"], "classic", "rotate")
    found = []
    for jit in (True, False):
        batch = Batch(lineup, 4, 3, jit, noted=True, luck=True)
        with open_workers(1) as workers:
            batch.run(workers)
        found.append(batch.outcomes()["luck"])
    assert np.abs(found[0]).max() > 0.01
    assert np.allclose(found[0], found[1], atol=1e-9)


def test_contests_are_refused_with_a_sentence() -> None:
    with pytest.raises(BadValue, match="luck is measured in single deals"):
        Batch(make_lineup(["mix2", "greedy"], to=100), 10, 1, luck=True)
