"""The study of expectiminimax: how strong it is, what each slip of the original costs, and how far its values are off.

Games are those of the original program: number cards, the searcher begins, the opponent plays the first card that fits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kibitz.experiments.studies.uno.rules_and_contests import Experiment, Study, run
from kibitz.experiments.studies.uno.search_errors import STEPS, SearchErrors, measure_errors

ORIGINAL_RULES = "numbers,starter=seat_0"
CHEAP = 5  # line-ups at 50 x 3 are played so many times as often as those with ten times the worlds

SMALL, LARGE = "50 x 3", "500 x 1"
SMALL_VARIANTS = (
    "",
    "same_card=on",
    "lost_copies=on",
    "same_card=on,lost_copies=on",
    "belief=simple",
    "belief=simple,same_card=on,lost_copies=on",
    "common=on",
    "draw_samples=20",
)
LARGE_VARIANTS = ("", "belief=simple", "common=on")

Progress = Callable[[str, int], None]


@dataclass
class ExpectiminimaxStudy:
    """Matches at both budgets, and the errors of Q."""

    small: Study
    large: Study
    errors: SearchErrors

    @property
    def complete(self) -> bool:
        """Whether everything was played."""
        return self.small.complete and self.large.complete

    def to_dict(self) -> dict[str, Any]:
        """The study as it stands in JSON."""
        return {"command": "study", "study": "expectiminimax", SMALL: self.small.to_dict(), LARGE: self.large.to_dict()} | {
            "errors": self.errors.to_dict()
        }


def bot_name(*options: str) -> str:
    """The searcher with some options."""
    given = ",".join(filter(None, options))
    return f"expectiminimax:{given}" if given else "expectiminimax"


def experiments(budget: str) -> list[Experiment]:
    """The line-ups at one budget: every variant in the original program's game, then the plain one where the dealer is drawn."""
    own = "" if budget == SMALL else "samples=500,depth=1"
    variants = SMALL_VARIANTS if budget == SMALL else LARGE_VARIANTS
    lineups = [Experiment(budget, (bot_name(own, variant), "first_playable"), ORIGINAL_RULES, "fixed") for variant in variants]
    return [*lineups, Experiment("dealer drawn", (bot_name(own), "first_playable"), "numbers", "fixed")]


def games_needed(games: int) -> int:
    """How many games, and steps of the errors, a study takes in all."""
    return len(experiments(SMALL)) * CHEAP * games + len(experiments(LARGE)) * games + STEPS


def run_study(
    games: int, positions: int, repeats: int, seed: int, threads: int | None, jit: bool, progress: Progress | None = None
) -> ExpectiminimaxStudy:
    """Measure the errors of Q, then play all line-ups."""
    errors = measure_errors(positions, repeats, seed, jit, progress)
    small = run("expectiminimax", experiments(SMALL), CHEAP * games, seed, threads, jit, progress)
    large = Study("expectiminimax", games, seed, complete=False)
    if small.complete:
        large = run("expectiminimax", experiments(LARGE), games, seed, threads, jit, progress)
    return ExpectiminimaxStudy(small, large, errors)
