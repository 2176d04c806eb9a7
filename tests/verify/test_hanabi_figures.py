"""The published mean scores of the Hanabi rule agents, reproduced for two to five players (`make verify`).

20,000 games a row: a standard error of 0.02 or less against a tolerance of 0.3. None of these agents risks its last life,
so no game is lost and the score is the same both ways.
"""

from __future__ import annotations

import pytest

import kibitz

GAMES = 20_000
TOLERANCE = 0.3
SCORES = {
    "iggi": (17.0, 16.8, 16.2, 15.1),
    "piers": (17.2, 17.5, 17.1, 16.2),
    "outer": (14.5, 14.4, 13.0, 12.7),
    "van_den_bergh": (13.8, 17.7, 17.3, 16.2),
}
UPPER_BOUND = 24.9  # what `cheater` reaches, for any number of players
CASES = [(bot, players, score) for bot, scores in SCORES.items() for players, score in enumerate(scores, start=2)]


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
