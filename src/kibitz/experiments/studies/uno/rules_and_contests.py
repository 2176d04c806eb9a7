"""Studies: many line-ups under many rules, played one after the other for one question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from kibitz.experiments.evaluation import DEFAULT_SEED, Interrupted, match
from kibitz.experiments.results import Result
from kibitz.games.uno.rules import PRESETS, SWITCHES

MAIN_BOTS = ("greedy", "diversity", "card_ranking", "mix", "mix2", "card_counting")
OTHER_HAND_SIZES = (5, 10)
TARGETS = (None, "50", "100", "200", "500", "1000", "2000")

Progress = Callable[[str, int], None]


@dataclass(frozen=True)
class Experiment:
    """One line-up of a study, and the question it belongs to."""

    question: str
    bots: tuple[str, ...]
    rules: str = "classic"
    seating: str = "random"
    to: str | None = None


@dataclass
class Study:
    """A study's experiments with their results; those not played after an interruption are missing."""

    name: str
    games: int
    seed: int
    played: list[tuple[Experiment, Result]] = field(default_factory=list)
    complete: bool = True

    @property
    def seconds(self) -> float:
        """The time all experiments took."""
        return sum(result.seconds for _, result in self.played)

    @property
    def games_played(self) -> int:
        """The games of all experiments."""
        return sum(result.games_played for _, result in self.played)

    def about(self, question: str) -> list[tuple[Experiment, Result]]:
        """The experiments that belong to one question."""
        return [(experiment, result) for experiment, result in self.played if experiment.question == question]

    def to_dict(self) -> dict[str, Any]:
        """The study as it stands in JSON."""
        experiments = [{"question": experiment.question, **result.to_dict()} for experiment, result in self.played]
        return {
            "command": "study",
            "study": self.name,
            "games": self.games,
            "seed": self.seed,
            "complete": self.complete,
            "experiments": experiments,
        }


def run(
    name: str,
    experiments: Sequence[Experiment],
    games: int,
    seed: int = DEFAULT_SEED,
    threads: int | None = None,
    jit: bool = True,
    progress: Progress | None = None,
) -> Study:
    """Play all experiments, `games` of each; interrupted, the study holds those that were finished."""
    study = Study(name, games, seed)
    for experiment in experiments:
        telling = (lambda _, count, title=experiment.rules: progress(title, count)) if progress else None
        try:
            result = match(
                experiment.bots,
                games=games,
                seed=seed,
                rules=experiment.rules,
                seating=experiment.seating,
                to=experiment.to,
                threads=threads,
                jit=jit,
                progress=telling,
            )
        except Interrupted:
            study.complete = False
            return study
        study.played.append((experiment, result))
    return study


# -- how much do rules matter? --


def rule_sets() -> list[str]:
    """The presets, then `classic` with one switch changed."""
    single = [f"classic,{name}={value}" for name, switch in SWITCHES.items() for value in list(switch.values)[1:]]
    return [*PRESETS, *[f"classic,hand_size={size}" for size in OTHER_HAND_SIZES], *single]


def rules_experiments(bots: Sequence[str] = MAIN_BOTS, against: str = "random", players: int = 2) -> list[Experiment]:
    """Each bot against copies of an opponent under each set of rules."""
    return [Experiment(rules, (bot, *[against] * (players - 1)), rules) for rules in rule_sets() for bot in bots]


# -- why does a strategy that wins half its deals win most of its contests? --

_DEFENSIVE, _FIRST, _OFFENSIVE = "defensive", "first_playable", "offensive"
# The line-ups that John Hearn played, in his order of seats, and the shares he printed.
PRINTED_LINES = {
    (_DEFENSIVE, _FIRST): (75, 25),
    (_OFFENSIVE, _FIRST): (42, 58),
    (_DEFENSIVE, _OFFENSIVE): (78, 22),
    (_DEFENSIVE, _OFFENSIVE, _FIRST): (40, 28, 32),
    (_OFFENSIVE, _DEFENSIVE, _FIRST, _FIRST): (27, 23, 24, 25),
    (_OFFENSIVE, _DEFENSIVE, _FIRST, _FIRST, _FIRST): (22, 19, 19, 20, 20),
}
_PAIRS = ((_DEFENSIVE, _FIRST), (_OFFENSIVE, _FIRST), (_DEFENSIVE, _OFFENSIVE))


def contest_experiments() -> list[Experiment]:
    """Deals and contests of the simple strategies under the rules `hearn`."""
    experiments = [Experiment("pairs", pair, "hearn", to=to) for pair in _PAIRS for to in (None, "500+")]
    experiments += [Experiment("target", pair, "hearn", to=to) for pair in (_PAIRS[0], _PAIRS[2]) for to in TARGETS]
    tables = [(_DEFENSIVE, *[_FIRST] * others) for others in range(1, 7)]
    experiments += [Experiment("players", table, "hearn", to=to) for table in tables for to in (None, "500+")]
    opponents = ("random", "better_offensive", "mix2", "mix2:points")
    experiments += [Experiment("opponents", (_DEFENSIVE, other), "hearn", to=to) for other in opponents for to in (None, "500+")]
    random_colours = tuple(f"{bot}:wild_colour=random" for bot in _PAIRS[0])
    fixed = [line for pair in (*_PAIRS, random_colours) for line in (pair, pair[::-1])]
    fixed.append((_DEFENSIVE, _OFFENSIVE, _FIRST))
    experiments += [Experiment("reference", line, "hearn", "fixed", "500+") for line in fixed]
    for line in PRINTED_LINES:
        for colours in ("common", "random"):
            bots = tuple(f"{bot}:wild_colour={colours}" for bot in line)
            experiments += [Experiment("printed", bots, "hearn", seating, "500+") for seating in ("fixed", "random")]
    return experiments
