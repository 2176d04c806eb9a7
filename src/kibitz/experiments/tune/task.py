"""What is to be tuned: a bot, a goal, a table, and all else that decides what a search finds.

`kibitz.experiments.tune.tuning` does the searching.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kibitz.bots.parameters import Value
from kibitz.experiments.experiment import fingerprints
from kibitz.experiments.tune.racing import Course, Rule
from kibitz.experiments.tune.space import Space

DEFAULT_GAMES = 20_000
DEFAULT_NEAR = 0.8
STARTUP = 20  # trials anywhere before anything is concluded from them
STARTS = 4  # searches that begin anew before the best of them is gone on with: one alone may be led astray for good
METHOD = 1  # raised when equal tasks would be searched differently, so that no study goes on as another
GOALS = {"win_rate": "wins", "points": "points", "score": "score", "points_kept": "points_kept"}
COMPETITIVE, COOPERATIVE = ("win_rate", "points"), ("score", "points_kept")
RACE, CHOICE, CONFIRMATION, PROPOSALS = 0, 1, 2, 16  # which seed is derived for what; trial k proposes from PROPOSALS + k


@dataclass(frozen=True, eq=False)
class Task:
    """All that decides what is found, but for how long it is searched for."""

    space: Space
    course: Course
    rule: Rule
    goal: str
    seed: int
    against: tuple[str, ...]
    start: Mapping[str, Value] | None = None  # parameters to start from; None: from scratch
    near: float = DEFAULT_NEAR  # the share of trials that change the best so far a little; the others are Optuna's

    @property
    def unit(self) -> str:
        """What differences are measured in."""
        return "percentage points" if self.goal == "win_rate" else "points a game"

    @property
    def start_length(self) -> int:
        """Trials of a start, so that it comes far enough to be judged."""
        return STARTUP + 10 + 3 * len(self.space.coordinates)

    def start_of(self, number: int) -> int | None:
        """The start that a trial belongs to; None once the best of all is gone on with.

        From a preset, and with Optuna's proposals alone, there is but that.
        """
        if self.start is not None or not self.near or number >= STARTS * self.start_length:
            return None
        return number // self.start_length

    def to_config(self) -> dict[str, Any]:
        """The task as JSON, with a fingerprint of each file that holds a bot: what a study keeps."""
        lineup = self.course.lineup
        return {
            "bot": self.space.entrant.name,
            "for": self.goal,
            "game": lineup.game.name,
            "players": lineup.players,
            "rules": lineup.rules.to_text(),
            "games": self.rule.games,
            "seed": self.seed,
            "against": list(self.against),
            "fix": {p.key: p.to_text(p.kept(self.space.held[p.name])) for p in self.space.parameters if p.name in self.space.held},
            "from": None if self.start is None else self.space.named(self.start).name,
            "z": self.rule.z,
            "near": self.near,
            "method": METHOD,
            "results_version": lineup.game.results_version,
            "space": {coordinate.name: coordinate.parameter.describe_kept() for coordinate in self.space.coordinates},
            "files": fingerprints(entrant.name for entrant in lineup.entrants),
        }
