"""The plan of a training: the settings that decide its weights, whom it plays against, and the text that a checkpoint keeps of it.

A command such as `TrainLinear` inherits the plan of its training, so that each setting is declared once.
"""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any, ClassVar, Self

from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.reading import parse_json
from kibitz.core.seeds import check_seed
from kibitz.experiments.settings import RulesName, Seed, Setting, check_settings, settings_of

SELF = "self"  # an opponent: the policy as it was some steps ago
GamesToLearnFrom = Annotated[int, Setting("Games to learn from.", "-n", least=1, unit="game")]


@dataclass(frozen=True, kw_only=True)
class TrainingPlan:
    """What a training is to do; together with the number of steps done it decides every weight."""

    against: Annotated[str, Setting("Opponents, separated by commas.", "-a")]
    games: GamesToLearnFrom
    seed: Seed = 1
    rules: RulesName = None

    usual_rules: ClassVar[str] = "classic"
    plays_itself: ClassVar[bool] = False  # whether `self` may be an opponent
    accepted: ClassVar[Mapping[str, Collection[str]]] = {}  # values that settings accept

    @property
    @abstractmethod
    def steps(self) -> int:
        """How many steps there are in all."""

    @property
    @abstractmethod
    def step_games(self) -> int:
        """Games of a step."""

    @property
    def opponents(self) -> tuple[str, ...]:
        """The names of the opponents."""
        return split_names(self.against)

    @property
    def rules_played(self) -> str:
        """The rules that were named, or the usual ones."""
        return self.rules or self.usual_rules

    def check_plan(self) -> None:
        """Refuse what cannot be learned."""
        check_seed(self.seed)
        check_settings(self)
        for name, accepted in self.accepted.items():
            if getattr(self, name) not in accepted:
                raise BadValue(f"{name} '{getattr(self, name)}' is not accepted; it is {', '.join(accepted)}.")
        if not self.opponents:
            raise BadValue("no opponent is named; a training needs at least one bot to play against.")
        for name in self.opponents:
            is_self = self.plays_itself and name == SELF
            if not is_self and not isinstance(registry.entrant(name).bot, Bot):
                raise BadBot(f"bot '{name}' is a Python bot; only compiled bots can be opponents in a training.")

    # -- as text --

    def facts(self) -> dict[str, Any]:
        """The settings as a checkpoint keeps them: lists instead of texts with commas, and nothing left to defaults."""
        return {field.name: getattr(self, field.name) for field in fields(self)} | {
            "against": list(self.opponents),
            "rules": self.rules_played,
        }

    def to_text(self) -> str:
        """The plan as text that `from_text` reads."""
        return json.dumps(self.facts())

    @classmethod
    def from_text(cls, text: str) -> Self:
        """A plan from its text; settings may have the names that they are stored by."""
        kind: type = cls
        names = {field.key: field.name for field in settings_of(kind)}
        read = {names.get(name, name): value for name, value in parse_json(text, "the plan").items()}
        if set(read) != set(names.values()):
            raise ValueError("not a plan")
        made: Self = kind(**{name: join_names(map(str, value)) if isinstance(value, list) else value for name, value in read.items()})
        return made


def split_names(text: str) -> tuple[str, ...]:
    """Bots from a list with commas between, or semicolons where a bot has commas of its own."""
    return tuple(name.strip() for name in text.split(";" if ";" in text else ",") if name.strip())


def join_names(names: Iterable[str]) -> str:
    """The text that `split_names` reads."""
    given = list(names)
    return ";".join([*given, ""]) if any("," in name for name in given) else ",".join(given)
