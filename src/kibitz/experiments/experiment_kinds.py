"""The kinds of experiments: every kind of run by the words of its command, with where it is and what a list of commands says of it.

Studies and trainings of one game stand in its face (`Face.experiments`), so a game in a package of its own brings its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kibitz.core.errors import BadValue
from kibitz.games.face import part_at
from kibitz.games.plugins import definition_of, game_names

if TYPE_CHECKING:
    from kibitz.experiments.experiment import Experiment

# Those of all games, in the order in which commands are listed.
SHARED = {
    "evaluate": ("kibitz.experiments.measurement:Evaluate", "How good is a bot? Figures with standard errors."),
    "match": ("kibitz.experiments.measurement:Match", "One line-up of 2 to 10 bots, many games."),
    "compare": ("kibitz.experiments.comparison:Compare", "Which of two bots is better? A sequential test stops when it knows."),
    "tournament": ("kibitz.experiments.tournament.hold:HoldTournament", "Who is best of all who take part, bots from anywhere?"),
    "tune": ("kibitz.experiments.tune.tuning:Tune", "Which parameters make a bot strongest?"),
    "study exact": ("kibitz.experiments.studies.exact.study:StudyExact", "How far from perfect do bots play? Tiny games, solved."),
}


def experiment_kinds() -> dict[str, tuple[str, str]]:
    """All experiments: those of all games, then those of each."""
    found = dict(SHARED)
    for game in game_names():
        own = definition_of(game).face.experiments
        for kind in own.keys() & found.keys():
            raise BadValue(f"'{kind}' of the game {game} is the name of another experiment; one of them needs a new name.")
        found |= own
    return found


def find_kind(kind: str) -> type[Experiment[Any]]:
    """The experiment of a kind."""
    home, _ = SHARED.get(kind) or experiment_kinds()[kind]
    try:
        found: type[Experiment[Any]] = part_at(home)
    except (ImportError, AttributeError) as error:
        raise BadValue(f"'{kind}' can't be loaded: {type(error).__name__}: {error}.") from error
    return found
