"""A study that a plug-in brings: which seat of Kuhn poker is better? The test puts it into the package of the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kibitz.experiments.studies.lineups import Line, LineupStudy


@dataclass(frozen=True, eq=False, kw_only=True)
class StudySeats(LineupStudy):
    """Which seat is better? Each bot against itself."""

    kind = "study seats"
    game_name = "kuhn"

    def tasks(self) -> Sequence[Line]:
        """A line-up for each bot."""
        return [Line(bot, (bot, bot), None, "fixed") for bot in ("equilibrium", "always_bet", "random")]
