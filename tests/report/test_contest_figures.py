"""The reference figures of contests under `hearn`: shares of contests to more than 500 points, seats fixed."""

from __future__ import annotations

import math

import pytest

import kibitz
from kibitz.report.published import CONTEST_FIGURES, CONTEST_REFERENCE_SE

CONTESTS = 20_000


# Three joint standard errors, 11 figures: a fresh seed would raise a false alarm in 3 of 100 runs; the seed is fixed.
@pytest.mark.parametrize("line", CONTEST_FIGURES)
def test_share_of_contests_is_within_three_joint_standard_errors(line: tuple[str, ...]) -> None:
    result = kibitz.match(line, rules="hearn", seating="fixed", to="500+", games=CONTESTS, seed=1)
    for row, reference in zip(result.rows, CONTEST_FIGURES[line], strict=False):
        assert row.win_rate_se is not None
        joint = math.hypot(100 * row.win_rate_se, CONTEST_REFERENCE_SE)
        assert abs(100 * row.win_rate - reference) < 3 * joint


def test_defensive_wins_half_its_deals_and_two_thirds_of_its_contests() -> None:
    """What docs/findings/defensive-play.md is about. 20,000 games each: standard errors of 0.4; margins of more than five."""
    pair = ("defensive", "first_playable")
    deals = kibitz.match(pair, rules="hearn", games=CONTESTS)
    contests = kibitz.match(pair, rules="hearn", games=CONTESTS, to="500+")
    assert abs(deals["defensive"].win_rate - 0.5) < 0.02
    assert 0.63 < contests["defensive"].win_rate < 0.67
    assert contests["defensive"].points - contests["first_playable"].points > 5
