"""What the trainings of `linear` and of `net` share: settings, the tables that are drawn, and the average of the weights.

Both learn by policy gradient, for one class of tables at a time: a step is a batch of units of games, each unit against one table of opponents.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, TypeVar

import numpy as np

from kibitz.bots.uno.linear import CLASSES, class_of
from kibitz.core.errors import BadValue
from kibitz.core.reading import check_whole, whole_number
from kibitz.core.seeds import SEATING, below, game_key, stream
from kibitz.experiments.settings import Setting
from kibitz.experiments.training.plan import SELF, TrainingPlan
from kibitz.experiments.training.training import Training
from kibitz.games.uno.rules import parse_rules

NOTHING = "nothing"  # what a training starts from if not from weights

Array = np.ndarray[Any, Any]
Opponents = Annotated[
    str, Setting("Opponents, separated by commas; one named twice comes twice as often; 'self': the policy some steps ago.", "-a")
]
GaeLambda = Annotated[
    float,
    Setting(
        "GAE lambda; 1: judge choices by the end of the game, less: also by the values soon after.", stored_as="trace", least=0, most=1
    ),
]
LearningRate = Annotated[float, Setting("Adam's learning rate at the start; it falls to zero.", stored_as="rate")]


@dataclass(frozen=True, kw_only=True)
class PolicyPlan(TrainingPlan):
    """The settings of a training by policy gradient."""

    players: Annotated[str, Setting("Players at the table: 2, or one or more of 3,4, or of 5 to 10.", "-p")] = "2"
    against: Opponents
    learning_rate: LearningRate
    gae_lambda: GaeLambda
    start: Annotated[str, Setting("Weights to start from: nothing, shipped, or a file.")] = NOTHING

    plays_itself = True
    most_unit_games: ClassVar[int]  # against one table of opponents
    step_units: ClassVar[int]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of players."""
        return tuple(whole_number(part.strip(), "each of players") for part in self.players.split(","))

    @property
    def place(self) -> int:
        """The class of tables that is trained."""
        return class_of(self.sizes[0])

    @property
    def unit_games(self) -> int:
        """Games against one table of opponents."""
        return min(self.most_unit_games, self.games)

    @property
    def step_games(self) -> int:
        """Games of a step."""
        return self.unit_games * self.step_units

    @property
    def steps(self) -> int:
        """How many steps there are: the games asked for, rounded up to whole steps."""
        return -(-self.games // self.step_games)

    def check_plan(self) -> None:
        """Refuse what cannot be learned."""
        for players in self.sizes:
            check_whole(players, "players", 2, 10)
        if len({class_of(players) for players in self.sizes}) != 1:
            raise BadValue(f"players={self.players} is not accepted; weights are for {', for '.join(CLASSES)}: name one.")
        if not 0 < self.learning_rate <= 1:
            raise BadValue(f"learning_rate must be above 0 and at most 1, got {self.learning_rate:g}")
        rules = parse_rules(self.rules_played)
        for players in self.sizes:
            rules.check_players(players)
        super().check_plan()

    def facts(self) -> dict[str, Any]:
        """The settings as a checkpoint keeps them."""
        return {**super().facts(), "players": list(self.sizes)}

    def draw_opponents(self, number: int, selves: int = 0) -> list[tuple[str, int]]:
        """The opponents of a unit: numbers of players in turn; of several opponents, half the time all are the same bot.

        Beside each name stands which of so many past selves it is; with no number of them there is only one.
        """
        opponents, seats = self.opponents, self.sizes[number % len(self.sizes)] - 1
        position = stream(game_key(self.seed, number), SEATING)
        position, mixed = below(position, 2)
        position, place = below(position, len(opponents))
        drawn: list[tuple[str, int]] = []
        while len(drawn) < seats:
            if mixed and drawn:
                position, place = below(position, len(opponents))
            which = 0
            if selves and opponents[place] == SELF:
                position, which = below(position, selves)
            drawn.append((opponents[place], which))
        return drawn


P = TypeVar("P", bound=PolicyPlan)


class PolicyTraining(Training[P]):
    """A training that averages its weights over about the last tenth of all steps, while the learning rate falls to zero."""

    sets: Array  # weights of all classes of tables, a row for each
    average: Array

    @property
    @abstractmethod
    def rival(self) -> str:
        """Whom the games that are measured were played against."""

    @property
    def rate(self) -> float:
        """The learning rate of the next step."""
        return self.plan.learning_rate * (1 - self.step / self.steps)

    def end_step(self, weights: Array) -> None:
        """A step is done, and has come to these weights."""
        self.step += 1
        self.average = self.average + (weights - self.average) * max(1 / self.step, min(1.0, 10 / self.steps))

    def describe(self, won: float, error: float | None) -> str:
        """The share of games won against one opponent."""
        return f"{won:.1f} ± {error:.1f} % v {self.rival}"
