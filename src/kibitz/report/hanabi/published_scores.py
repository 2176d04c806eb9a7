"""The bots of the table of results, the strongest kinds last, and the mean scores that others published for them.

The sources are in docs/hanabi.md.
"""

from __future__ import annotations

PLAYER_NUMBERS = (2, 3, 4, 5)
_NONE = (None, None, None, None)
_SCORES: dict[str, tuple[float | None, ...]] = {
    "random": _NONE,
    "outer": (14.5, 14.4, 13.0, 12.7),  # Walton-Rivers et al. 2017, like the next three
    "iggi": (17.0, 16.8, 16.2, 15.1),
    "piers": (17.2, 17.5, 17.1, 16.2),
    "van_den_bergh": (13.8, 17.7, 17.3, 16.2),
    "meanimax": _NONE,
    "meanimax:plus": _NONE,
    "smart:original": _NONE,  # the author's figures count the points of lost games, of which `smart` has none
    "smart": (23.09, 23.30, 22.44, 20.69),  # O'Dwyer, SmartBot
    "information": (22.52, 24.79, 24.94, 24.92),  # WuTheFWasThat, hanabi.rs
    "information:best": _NONE,
    "blueprint": (24.61, None, None, None),  # Lerer et al. 2019, over a learned network
    "cheater": _NONE,
}
FIGURES = {players: {bot: scores[place] for bot, scores in _SCORES.items()} for place, players in enumerate(PLAYER_NUMBERS)}


def published(bot: str, players: int) -> float | None:
    """The published mean score of a bot in every seat, if there is one."""
    return FIGURES.get(players, {}).get(bot)
