"""The study of expectiminimax: how strong it is, what each slip of the original costs, and how far its values are off.

Games are those of the original program: number cards, the searcher begins, the opponent plays the first card that fits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from kibitz.core.seeds import check_seed
from kibitz.experiments.settings import Setting
from kibitz.experiments.studies.investigation import Investigation
from kibitz.experiments.studies.lineups import Line, Study, match_of
from kibitz.experiments.studies.uno.expectiminimax.search_errors import STEPS, SearchErrors, measure_errors
from kibitz.runs.shards import LedgerPart
from kibitz.runs.units import Unit

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
MOST_POSITIONS = 100_000


@dataclass
class ExpectiminimaxStudy:
    """Matches at both budgets, and the errors of Q."""

    small: Study
    large: Study
    errors: SearchErrors
    complete: bool = True
    seconds: float = 0.0

    def to_dict(self) -> dict[str, Any]:
        """The study as it stands in JSON."""
        return {
            "command": "study",
            "study": "expectiminimax",
            "complete": self.complete,
            SMALL: self.small.to_dict(),
            LARGE: self.large.to_dict(),
            "errors": self.errors.to_dict(),
        }


def bot_name(*options: str) -> str:
    """The searcher with some options."""
    given = ",".join(filter(None, options))
    return f"expectiminimax:{given}" if given else "expectiminimax"


def lines_at(budget: str) -> list[Line]:
    """The line-ups at one budget: every variant in the original program's game, then the plain one where the dealer is drawn."""
    own = "" if budget == SMALL else "samples=500,depth=1"
    variants = SMALL_VARIANTS if budget == SMALL else LARGE_VARIANTS
    lineups = [Line(budget, (bot_name(own, variant), "first_playable"), ORIGINAL_RULES, "fixed") for variant in variants]
    return [*lineups, Line("dealer drawn", (bot_name(own), "first_playable"), "numbers", "fixed")]


@dataclass(frozen=True, eq=False, kw_only=True)
class StudyExpectiminimax(Investigation[ExpectiminimaxStudy]):
    """How good is expectiminimax? Its strength with and without the slips of the original, and the error of its values."""

    kind = "study expectiminimax"
    told = ("games", "positions", "repeats", "seed")

    games: Annotated[
        int, Setting("Games of each line-up at 500 x 1; those at 50 x 3 play five times as many.", "-n", least=1, unit="game")
    ] = 20_000
    positions: Annotated[int, Setting("Positions that are searched again and again.", least=1, most=MOST_POSITIONS)] = 200
    repeats: Annotated[
        int, Setting("How often each of them is searched with every setting; a spread needs two.", least=2, most=MOST_POSITIONS)
    ] = 20

    def check(self) -> None:
        """Refuse what cannot be played."""
        super().check()
        check_seed(self.seed)

    def tasks(self) -> Sequence[Line | None]:
        """The errors of Q (None), then all line-ups."""
        return [None, *lines_at(SMALL), *lines_at(LARGE)]

    def games_at(self, budget: str) -> int:
        """Games of a line-up: searches with fewer worlds play more."""
        return CHEAP * self.games if budget == SMALL else self.games

    def total(self) -> int:
        """Games, and steps of the errors."""
        return STEPS + sum(self.games_at(budget) * len(lines_at(budget)) for budget in (SMALL, LARGE))

    def new_study(self) -> ExpectiminimaxStudy:
        """Without any result."""
        small, large = (Study("expectiminimax", self.games_at(budget), self.seed) for budget in (SMALL, LARGE))
        return ExpectiminimaxStudy(small, large, SearchErrors(self.positions, self.repeats, self.seed))

    def do(self, study: ExpectiminimaxStudy, number: int, task: Line | None) -> None:
        """Measure the errors, or play a line-up."""
        if task is not None:
            matches = self._side(study, number)
            matches.played.append((task, match_of(self, number, task, matches.games).play()))
        elif self.remember(study, number, task):
            self.tell("values", STEPS)
        else:
            study.errors = measure_errors(self.positions, self.repeats, self.seed, self.jit, self.tell)
            self.into_ledger(number, STEPS, study.errors.to_dict())

    def part_of(self, number: int, task: Line | None) -> LedgerPart:
        """The errors as one piece, a line-up in slices."""
        if task is None:
            return super().part_of(number, task)
        return match_of(self, number, task, self._games_of(number)).parts_among(len(self.tasks()))[0]

    def count_of(self, task: Line | None) -> int:
        """Steps of the errors."""
        return STEPS

    def do_slices(self, study: ExpectiminimaxStudy, number: int, task: Line | None, slices: Sequence[Unit]) -> None:
        """Measure the errors, or play slices of a line-up."""
        if task is None:
            self.do(study, number, task)
        else:
            match_of(self, number, task, self._games_of(number)).play_share({number: slices})

    def _games_of(self, number: int) -> int:
        return self.games_at(SMALL if number <= len(lines_at(SMALL)) else LARGE)

    def remember(self, study: ExpectiminimaxStudy, number: int, task: Line | None) -> bool:
        """What was measured or played."""
        if task is None:
            found = self.in_ledger(number)
            study.errors = SearchErrors.from_dict(found) if found else study.errors
            return found is not None
        matches = self._side(study, number)
        result = match_of(self, number, task, matches.games).recall()
        if result.complete:
            matches.played.append((task, result))
        return result.complete

    @staticmethod
    def _side(study: ExpectiminimaxStudy, number: int) -> Study:
        return study.small if number <= len(lines_at(SMALL)) else study.large
