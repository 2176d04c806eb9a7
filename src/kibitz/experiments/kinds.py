"""The registry of experiments: every kind of run, by the words of its command, and where it is."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from kibitz.experiments.experiment import Experiment


class Kind(NamedTuple):
    """Where an experiment is, and what its command says of itself in a list of commands."""

    home: str
    about: str


KINDS = {
    "evaluate": Kind("kibitz.experiments.evaluation:Evaluate", "How good is a bot? Figures with standard errors."),
    "match": Kind("kibitz.experiments.evaluation:Match", "One line-up of 2 to 10 bots, many games."),
    "compare": Kind("kibitz.experiments.comparison:Compare", "Which of two bots is better? A sequential test stops when it knows."),
    "tournament": Kind("kibitz.experiments.tournament.hold:HoldTournament", "Who is best of all who take part, bots from anywhere?"),
}


def find_kind(kind: str) -> type[Experiment[Any]]:
    """The experiment of a kind."""
    module, _, name = KINDS[kind].home.partition(":")
    found: type[Experiment[Any]] = getattr(import_module(module), name)
    return found
