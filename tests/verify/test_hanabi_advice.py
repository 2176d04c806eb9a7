"""Advice in Hanabi put to the test (`make verify`): what it expects comes true, and what it prefers is no worse than the convention.

Each case takes one position of each of so many games between bots that follow a convention. The adviser sees what the player to act saw,
with the budget of first advice (8,000 games). From the true hands the game is then played on 100 times with the cards to draw shuffled, after
the bot's own move and after the one advised.

Two players: 500 games; the mean difference between expected and real score has a standard error of 0.013, so a calibrated adviser is more
than 0.1 off once in 10^13 times. The advice gains 0.08 ± 0.01 points per decision, and fails only if its lower bound of 95 per cent is
below -0.05. More players: 150 games, errors of 0.02 (smart) and 0.005 (information). Seeds are fixed, so there are no false alarms.
"""

from __future__ import annotations

import pytest

from kibitz import registry
from kibitz.play.hanabi.advice import GAMES
from tests.search.hanabi.calibration import check_advice, mean_and_error

PLAYS = 100
ONE_SIDED_95 = 1.645
CASES = [
    ("smart", 2, 500),
    ("smart", 3, 150),
    ("smart", 5, 150),
    ("information", 4, 150),
    ("information:best", 3, 150),
    ("information:best", 5, 150),
]


@pytest.mark.verify
@pytest.mark.parametrize(("bot", "players", "games"), CASES)
def test_advice_is_calibrated_and_no_worse_than_the_bot(bot: str, players: int, games: int) -> None:
    found = check_advice(bot, players, games, PLAYS, registry.game("hanabi").face.budget.first // GAMES, seed=7)
    off, error = mean_and_error(each.usual_came - each.usual_expected for each in found)
    best_off, _ = mean_and_error(each.best_came - each.best_expected for each in found)
    gain, doubt = mean_and_error(each.best_came - each.usual_came for each in found)
    changed = sum(each.differs for each in found)
    print(
        f"{bot}, {players} players: {off:+.3f} ± {error:.3f} off, {best_off:+.3f} for the advice; gains {gain:+.3f} ± {doubt:.3f} ({changed})"
    )
    assert len(found) == games
    assert abs(off) < 0.1 and abs(best_off) < 0.1
    assert gain - ONE_SIDED_95 * doubt > -0.05
