"""The registry of experiments: every kind of run, by the words of its command, and where it is."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from kibitz.experiments.experiment import Experiment


class Kind(NamedTuple):
    """Where an experiment is, and what its command says of itself in a list of commands."""

    home: str
    about: str


def _of_games() -> dict[str, Kind]:
    """Studies and trainings of one game alone: each of its folders lists its own."""
    found: dict[str, Kind] = {}
    for file in sorted(Path(__file__).parent.glob("*/*/__init__.py")):
        group, game = file.parts[-3:-1]
        listed = getattr(import_module(f"kibitz.experiments.{group}.{game}"), "KINDS", {})
        found |= {words: Kind(*where) for words, where in listed.items()}
    return found


KINDS = {
    "evaluate": Kind("kibitz.experiments.evaluation:Evaluate", "How good is a bot? Figures with standard errors."),
    "match": Kind("kibitz.experiments.evaluation:Match", "One line-up of 2 to 10 bots, many games."),
    "compare": Kind("kibitz.experiments.comparison:Compare", "Which of two bots is better? A sequential test stops when it knows."),
    "tournament": Kind("kibitz.experiments.tournament.hold:HoldTournament", "Who is best of all who take part, bots from anywhere?"),
    "tune": Kind("kibitz.experiments.tune.tuning:Tune", "Which parameters make a bot strongest?"),
    "study exact": Kind("kibitz.experiments.studies.exact.study:StudyExact", "How far from perfect do bots play? Tiny games, solved."),
}
KINDS |= _of_games()


def find_kind(kind: str) -> type[Experiment[Any]]:
    """The experiment of a kind."""
    module, _, name = KINDS[kind].home.partition(":")
    found: type[Experiment[Any]] = getattr(import_module(module), name)
    return found
