"""Studies made of line-ups: many of them, under many rules, played one after the other for one question."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from kibitz import registry
from kibitz.experiments.experiment import stand_in
from kibitz.experiments.measurement import Match
from kibitz.experiments.results import Result
from kibitz.experiments.settings import Setting
from kibitz.experiments.studies.investigation import Investigation
from kibitz.runs.shards import LedgerPart
from kibitz.runs.units import Unit

StudyGames = Annotated[int, Setting("Games, or contests, of each line-up.", "-n", least=1, unit="game")]


@dataclass(frozen=True)
class Line:
    """One line-up of a study, and the question it belongs to."""

    question: str
    bots: tuple[str, ...]
    rules: str | None = "classic"
    seating: str = "random"
    to: str | None = None


@dataclass
class Study:
    """A study's line-ups with their results; those not played after an interruption are missing."""

    name: str
    games: int
    seed: int
    played: list[tuple[Line, Result]] = field(default_factory=list)
    complete: bool = True
    seconds: float = 0.0

    @property
    def games_played(self) -> int:
        """The games of all line-ups."""
        return sum(result.games_played for _, result in self.played)

    def about(self, question: str) -> list[tuple[Line, Result]]:
        """The line-ups that belong to one question."""
        return [(line, result) for line, result in self.played if line.question == question]

    def to_dict(self) -> dict[str, Any]:
        """The study as it stands in JSON."""
        experiments = [{"question": line.question, **result.to_dict()} for line, result in self.played]
        return {
            "command": "study",
            "study": self.name,
            "games": self.games,
            "seed": self.seed,
            "complete": self.complete,
            "experiments": experiments,
        }


def match_of(study: Investigation[Any], number: int, line: Line, games: int) -> Match:
    """A line-up as a match that is part `number` of the ledger."""
    bots = [stand_in(bot) if study.absent and registry.is_file_name(bot) else bot for bot in line.bots]
    return Match(
        bots,
        games=games,
        seed=study.seed,
        rules=line.rules,
        game=study.game_name,
        seating=line.seating,
        to=line.to,
        jit=study.jit,
        threads=study.threads,
        ledger=study.ledger,
        part=number,
        progress=lambda _, count: study.tell(line.rules or line.question, count),
    )


@dataclass(frozen=True, eq=False, kw_only=True)
class LineupStudy(Investigation[Study]):
    """A study of line-ups that play the same number of games each."""

    games: StudyGames = 100_000

    told = ("games", "seed")

    @abstractmethod
    def tasks(self) -> Sequence[Line]:
        """The line-ups."""

    def new_study(self) -> Study:
        """Without any result."""
        return Study(self.kind.split()[-1], self.games, self.seed)

    def total(self) -> int:
        """Games of all line-ups."""
        return self.games * len(self.tasks())

    def ending(self, study: Study) -> str:
        """How many games it took, and how long."""
        return f"{study.games_played:,} games in {super().ending(study)}"

    def do(self, study: Study, number: int, task: Line) -> None:
        """Play a line-up."""
        study.played.append((task, match_of(self, number, task, self.games).play()))

    def part_of(self, number: int, task: Line) -> LedgerPart:
        """A line-up in slices."""
        return match_of(self, number, task, self.games).parts_among(len(self.tasks()))[0]

    def do_slices(self, study: Study, number: int, task: Line, slices: Sequence[Unit]) -> None:
        """Play slices of a line-up."""
        match_of(self, number, task, self.games).play_share({number: slices})

    def remember(self, study: Study, number: int, task: Line) -> bool:
        """A line-up that was played."""
        result = match_of(self, number, task, self.games).recall()
        if result.complete:
            study.played.append((task, result))
        return result.complete
