"""The reference figures of the eight bots, and when ours count as the same.

Measured over 10,000,000 games a row by the project that devised these bots; win rate in per cent and points a game, the
points being the winner's over all games played.
"""

from __future__ import annotations

import math
from typing import NamedTuple

PLAYER_NUMBERS = (2, 6)
REFERENCE_GAMES = 10_000_000
ROUNDING = 0.05


class PublishedFigure(NamedTuple):
    """A published win rate (per cent) and points a game."""

    win_rate: float
    points: float


_TWO = {
    "random": (50.0, 20.7),
    "greedy": (55.4, 23.6),
    "diversity": (57.5, 29.7),
    "card_ranking:win_rate": (63.4, 30.8),
    "card_ranking:points": (59.5, 33.4),
    "mix:win_rate": (66.4, 33.2),
    "mix:points": (63.6, 37.4),
    "mix2:win_rate": (68.8, 33.8),
    "mix2:points": (66.6, 38.8),
    "score:win_rate": (55.8, 22.8),
    "score:points": (55.5, 23.8),
    "card_counting:win_rate": (57.5, 23.1),
    "card_counting:points": (57.4, 23.9),
}
_SIX = {
    "random": (16.7, 31.4),
    "greedy": (15.8, 29.4),
    "diversity": (22.9, 45.5),
    "card_ranking:win_rate": (21.7, 42.7),
    "card_ranking:points": (21.4, 43.3),
    "mix:win_rate": (23.6, 46.2),
    "mix:points": (23.5, 47.4),
    "mix2:win_rate": (24.2, 47.4),
    "mix2:points": (24.1, 48.8),
    "score:win_rate": (20.5, 39.6),
    "score:points": (20.5, 40.0),
    "card_counting:win_rate": (22.4, 43.5),
    "card_counting:points": (22.4, 43.9),
}
FIGURES = {2: {bot: PublishedFigure(*pair) for bot, pair in _TWO.items()}, 6: {bot: PublishedFigure(*pair) for bot, pair in _SIX.items()}}


# Shares of contests to more than 500 points, in per cent, under the rules `hearn` with fixed seats: of each line-up the
# first player's, or all. Measured by an independent simulator, 60,000 contests each.
CONTEST_REFERENCE_SE = 0.2
_RANDOM = ":wild_colour=random"
CONTEST_FIGURES: dict[tuple[str, ...], tuple[float, ...]] = {
    ("defensive", "first_playable"): (69.1,),
    ("first_playable", "defensive"): (100 - 61.0,),
    ("offensive", "first_playable"): (49.2,),
    ("first_playable", "offensive"): (100 - 39.9,),
    ("defensive", "offensive"): (73.0,),
    ("offensive", "defensive"): (100 - 63.7,),
    (f"defensive{_RANDOM}", f"first_playable{_RANDOM}"): (75.4,),
    (f"first_playable{_RANDOM}", f"defensive{_RANDOM}"): (100 - 68.5,),
    ("defensive", "offensive", "first_playable"): (39.6, 26.7, 33.7),
}


def published(bot: str, players: int) -> PublishedFigure | None:
    """The reference figure of a bot against Random in every other seat, if there is one."""
    return FIGURES.get(players, {}).get(bot)


def tolerance(error: float, games: int) -> float:
    """How far a figure may lie from the printed one: rounding, and three joint standard errors."""
    reference_error = error * math.sqrt(games / REFERENCE_GAMES)
    return ROUNDING + 3 * math.hypot(error, reference_error)
