"""What a win rate means: how much of a single game it explains, and after how many games it shows.

One player wins each game with some chance, the others share the rest evenly. Knows nothing of cards.
"""

from __future__ import annotations

import math

import numpy as np

from kibitz.core.errors import BadValue

NEGLIGIBLE = 1e-13  # of the chance of a number of wins
MOST_GAMES = 5_000  # nobody plays more than this


def explained(win_rate: float, players: int) -> float:
    """The share of the variance of a single game that is due to who plays, from 0 (all luck) to 1 (the better player always wins).

    Take one of the players at random and ask whether it wins: before knowing which, that varies by (1/n)(1 - 1/n); the part of it
    between players is what skill explains. With two players it is (2p - 1)².
    """
    return ((players * win_rate - 1) / (players - 1)) ** 2


def explained_error(win_rate: float, error: float, players: int) -> float:
    """The standard error of what is explained, from that of the win rate."""
    return 2 * abs(players * win_rate - 1) / (players - 1) * players / (players - 1) * error


def lead_chance(games: int, win_rate: float, players: int) -> float:
    """The chance that after so many games one player has won more of them than every other one has; exact."""
    if not 0 <= win_rate <= 1 or players < 2 or games < 0:
        raise BadValue(f"win_rate={win_rate}, players={players}, games={games}: these cannot be a series of games.")
    if win_rate in (0.0, 1.0):
        return float(win_rate == 1.0 and games > 0)
    total = 0.0
    middle, reach = games * win_rate, 9 * math.sqrt(games * win_rate * (1 - win_rate)) + 9
    for wins in range(max(1, int(middle - reach)), min(games, int(middle + reach)) + 1):
        weight = math.exp(
            math.lgamma(games + 1)
            - math.lgamma(wins + 1)
            - math.lgamma(games - wins + 1)
            + wins * math.log(win_rate)
            + (games - wins) * math.log1p(-win_rate)
        )
        if weight > NEGLIGIBLE:
            total += weight * _all_below(wins, games - wins, players - 1)
    return min(total, 1.0)


def _all_below(limit: int, games: int, players: int) -> float:
    """The chance that of so many equal players, who share these games, none wins `limit` or more."""
    if games < limit:
        return 1.0
    if games > players * (limit - 1):
        return 0.0
    if players == 1:
        return 1.0
    if limit - games / players > 9 * math.sqrt(limit):
        return 1.0
    # Wins of equal players are Poisson counts of which the sum is known: cut the counts off, and look at their sum.
    rate = games / players
    counts = np.arange(limit)
    factorials = np.array([math.lgamma(count + 1) for count in range(limit)])
    single = np.exp(counts * math.log(rate) - rate - factorials)
    size = 1 << (players * (limit - 1)).bit_length()
    summed = float(np.fft.irfft(np.fft.rfft(single, size) ** players, size)[games])
    return min(max(summed / math.exp(games * math.log(games) - games - math.lgamma(games + 1)), 0.0), 1.0)


def games_to_lead(win_rate: float, players: int, confidence: float = 0.95) -> int | None:
    """After how many games a player leads with this confidence; None if never, or not within 5,000 games.

    Odd numbers are looked at: between two players these cannot end level.
    """
    if win_rate * players <= 1:
        return None
    if win_rate >= 1:
        return 1
    if _rough_games(win_rate, players) > MOST_GAMES:
        return None
    low, high = -1, 0  # games = 2 x + 1; not enough at low, enough at high
    while lead_chance(2 * high + 1, win_rate, players) < confidence:
        low, high = high, 2 * high + 1
        if 2 * high + 1 > MOST_GAMES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if lead_chance(2 * middle + 1, win_rate, players) < confidence:
            low = middle
        else:
            high = middle
    return 2 * high + 1


def _rough_games(win_rate: float, players: int) -> float:
    """Games after which the lead over one other player is 1.6 standard deviations: fewer than are needed for the lead over all."""
    other = (1 - win_rate) / (players - 1)
    return 1.6**2 * (win_rate + other - (win_rate - other) ** 2) / (win_rate - other) ** 2
