"""The live ladder: it climbs with wins, treats equals alike, and says what to install where openskill is missing."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from kibitz.core.errors import KibitzError
from kibitz.stats.ladder import Ladder


@pytest.fixture
def ladder() -> Ladder:
    return Ladder(4)


def test_everybody_begins_alike(ladder: Ladder) -> None:
    assert [rung.player for rung in ladder.table()] == [0, 1, 2, 3]
    assert len({(rung.ordinal, rung.mu, rung.sigma) for rung in ladder.table()}) == 1
    assert ladder.table()[0].ordinal == pytest.approx(ladder.table()[0].mu - 3 * ladder.table()[0].sigma)


def test_winner_climbs_and_uncertainty_falls(ladder: Ladder) -> None:
    before = ladder.table()[0]
    ladder.update((2, 1), (60, 40))
    rungs = {rung.player: rung for rung in ladder.table()}
    assert ladder.table()[0].player == 2
    assert rungs[2].mu > before.mu > rungs[1].mu
    assert rungs[2].sigma < before.sigma
    assert (rungs[0].mu, rungs[0].updates, rungs[2].updates) == (before.mu, 0, 1)


def test_equal_wins_are_a_draw(ladder: Ladder) -> None:
    ladder.update((0, 1, 2, 3), (25, 30, 25, 20))
    rungs = {rung.player: rung for rung in ladder.table()}
    assert rungs[0].mu == pytest.approx(rungs[2].mu)
    assert rungs[1].mu > rungs[0].mu > rungs[3].mu


def test_order_of_strength_is_found(ladder: Ladder) -> None:
    """200 units of 100 games at tables of four with chances 40, 30, 20 and 10 %: neighbours of a unit are ten games apart, that is
    two standard errors or more, so that after 200 units the order is beyond doubt."""
    random = np.random.default_rng(1)
    for _ in range(200):
        ladder.update((3, 1, 0, 2), random.multinomial(100, [0.4, 0.3, 0.2, 0.1]).tolist())
    assert [rung.player for rung in ladder.table()] == [3, 1, 0, 2]


@pytest.mark.parametrize(("members", "wins"), [((0,), (1,)), ((0, 0), (1, 1)), ((0, 4), (1, 1)), ((-1, 0), (1, 1)), ((0, 1), (1,))])
def test_results_that_make_no_sense_are_refused(ladder: Ladder, members: tuple[int, ...], wins: tuple[int, ...]) -> None:
    with pytest.raises(KibitzError, match="not accepted"):
        ladder.update(members, wins)


def test_missing_package_is_named_with_the_extra_that_brings_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openskill", None)
    monkeypatch.setitem(sys.modules, "openskill.models", None)
    with pytest.raises(
        KibitzError, match=r"a live ladder needs openskill; .*install the extra 'ratings' \(about 3 MB\) with: .*\[ratings\]"
    ):
        Ladder(2)
