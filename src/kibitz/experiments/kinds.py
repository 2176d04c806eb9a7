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
    "tune": Kind("kibitz.experiments.tune.tune:Tune", "Which parameters make a bot strongest?"),
    "study rules": Kind("kibitz.experiments.studies.uno.rules_and_contests.study:StudyRules", "How much do rules matter?"),
    "study contests": Kind(
        "kibitz.experiments.studies.uno.rules_and_contests.study:StudyContests",
        "Why does a strategy that wins half its deals win most of its contests?",
    ),
    "study exact": Kind("kibitz.experiments.studies.exact.study:StudyExact", "How far from perfect do bots play? Tiny games, solved."),
    "study expectiminimax": Kind(
        "kibitz.experiments.studies.uno.expectiminimax.study:StudyExpectiminimax",
        "How good is expectiminimax, and how far are its values off?",
    ),
    "study perceptrons": Kind(
        "kibitz.experiments.studies.uno.perceptrons.study:StudyPerceptrons", "How strong do perceptrons that score cards get?"
    ),
    "study skill": Kind("kibitz.experiments.studies.uno.skill.study:StudySkill", "How much of UNO is skill?"),
    "train linear": Kind("kibitz.experiments.training.uno.linear:TrainLinear", "Train the weights of the bot linear, by policy gradient."),
    "train perceptron": Kind(
        "kibitz.experiments.training.uno.perceptron.training:TrainPerceptron", "Train a perceptron that scores cards, by playing."
    ),
    "train net": Kind("kibitz.experiments.training.uno.net.training:TrainNet", "Train the network of the bot net by PPO (needs PyTorch)."),
}


def find_kind(kind: str) -> type[Experiment[Any]]:
    """The experiment of a kind."""
    module, _, name = KINDS[kind].home.partition(":")
    found: type[Experiment[Any]] = getattr(import_module(module), name)
    return found
