"""The published mean scores of Hanabi bots, reproduced for two to five players (`make verify`).

Rule agents: 20,000 games a row, a standard error of 0.02 or less against a tolerance of 0.3. None of them risks its last life, so no game
is lost and the score is the same both ways. Smart: 100,000 games a row, within three standard errors of as many games of the original.
Information: the same, and what its improved form has to reach.
"""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import kibitz
from kibitz import registry
from kibitz.experiments.result_tables import score_table
from kibitz.report.formatting import marks_for, text_between_marks
from kibitz.report.hanabi.published_scores import FIGURES

GAMES = 20_000
TOLERANCE = 0.3
UPPER_BOUND = 24.9  # what `cheater` reaches, for any number of players
# What the original of smart reaches over 100,000 games: without gambles on the last life; and as it is, points kept and lost games in per cent.
SMART_GAMES = 100_000
SMART_SE = (0.006, 0.004, 0.004, 0.005)
CAREFUL_SCORES = (23.094, 23.290, 22.418, 20.655)
ORIGINAL_KEPT = (23.099, 23.301, 22.438, 20.676)
ORIGINAL_LOST = (0.52, 1.79, 2.72, 8.66)
# What the moves of the original of information reach over 100,000 games, with standard errors; and what `best` must reach: score, perfect games in per cent.
INFORMATION_SCORES = ((22.521, 0.006), (24.793, 0.002), (24.930, 0.001), (24.920, 0.001))
BEST_AT_LEAST = ((22.85, 20), (24.86, 90), (24.94, 95), (24.93, 94))
CASES = [(bot, players, FIGURES[players][bot]) for bot in ("iggi", "piers", "outer", "van_den_bergh") for players in FIGURES]
README = Path(__file__).parents[2] / "README.md"


@pytest.mark.verify
@pytest.mark.parametrize(("bot", "players", "score"), CASES)
def test_an_agent_reaches_its_published_score(bot: str, players: int, score: float) -> None:
    row = kibitz.evaluate(bot, game="hanabi", players=players, games=GAMES, seed=1)[0]
    assert abs(row.score - score) <= TOLERANCE
    assert row.lost == 0
    assert row.score_kept == row.score


@pytest.mark.verify
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_seeing_everything_is_an_upper_bound_close_to_perfect(players: int) -> None:
    row = kibitz.evaluate("cheater", game="hanabi", players=players, games=GAMES, seed=1)[0]
    assert row.score > UPPER_BOUND
    assert row.lost == 0


@pytest.mark.verify
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_smart_scores_as_its_original_does(players: int) -> None:
    place = players - 2
    result = kibitz.evaluate(["smart", "smart:original"], game="hanabi", players=players, games=SMART_GAMES, seed=1)
    careful, original = result["smart"], result["smart:original"]
    assert careful.lost == 0
    assert abs(careful.score - CAREFUL_SCORES[place]) < 3 * math.hypot(careful.score_se, SMART_SE[place])
    assert abs(original.score_kept - ORIGINAL_KEPT[place]) < 3 * math.hypot(original.score_kept_se, SMART_SE[place])
    lost = ORIGINAL_LOST[place] / 100
    assert abs(original.lost - lost) < 3 * math.sqrt(2 * lost * (1 - lost) / SMART_GAMES)


@pytest.mark.verify
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_information_scores_as_its_original_does_and_best_more(players: int) -> None:
    result = kibitz.evaluate(["information", "information:best"], game="hanabi", players=players, games=100_000, seed=1)
    plain, best = result["information"], result["information:best"]
    score, error = INFORMATION_SCORES[players - 2]
    assert abs(plain.score - score) < 3 * math.hypot(plain.score_se, error)
    least, perfect = BEST_AT_LEAST[players - 2]
    assert best.score >= least
    assert best.perfect >= perfect / 100
    assert plain.lost == best.lost == 0


@pytest.mark.verify
def test_the_table_of_the_readme_comes_out_to_the_last_digit() -> None:
    bots = [bot for bot in FIGURES[2] if not registry.is_slow(bot, "hanabi")]
    results = [kibitz.evaluate(bots, game="hanabi", players=players, games=100_000, seed=1) for players in FIGURES]
    text = text_between_marks(README, *marks_for("Hanabi"))
    assert f"\n{score_table(results, text)}\n" == text
