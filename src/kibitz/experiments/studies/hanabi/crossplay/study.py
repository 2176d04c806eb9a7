"""The study of cross-play: every pair of bots, and every team of three, on the same deals.

A convention is worth a lot among players who share it. This study shows what it is worth with a partner who doesn't: each bot plays
with itself and with every other bot. Teams of one size play the same deals, so a mean over teams has one observation per deal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import combinations_with_replacement
from typing import Annotated, Any, NamedTuple

import numpy as np

from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.core.errors import BadValue
from kibitz.core.seeds import check_seed
from kibitz.experiments.batch import Batch, open_workers
from kibitz.experiments.experiment import stand_in
from kibitz.experiments.settings import RulesName, Setting, bots_asked
from kibitz.experiments.studies.investigation import Investigation
from kibitz.games.hanabi.definition import GAME
from kibitz.play.lineup import make_lineup
from kibitz.runs.shards import LedgerPart
from kibitz.runs.units import Unit
from kibitz.stats.paired import Sums

SIZES = (2, 3)
Team = tuple[str, ...]  # bots in the order of the study


class TeamMean(NamedTuple):
    """A mean score and its standard error; None where one deal tells nothing."""

    value: float
    error: float | None


@dataclass
class Crossplay:
    """The score of every team in every deal; teams not played after an interruption are missing."""

    bots: tuple[str, ...]
    sizes: tuple[int, ...]
    rules: str
    games: int
    seed: int
    scores: dict[Team, np.ndarray[Any, Any]] = field(default_factory=dict)
    complete: bool = True
    seconds: float = 0.0

    def teams(self, size: int) -> list[Team]:
        """The teams of a size that were played."""
        return [team for team in self.scores if len(team) == size]

    def mean(self, teams: Iterable[Team]) -> TeamMean | None:
        """The mean score of some teams of one size; None if any of them was not played."""
        asked = list(teams)
        if not asked or any(team not in self.scores for team in asked):
            return None
        total = Sums.of(sum(self.scores[team].astype(np.int64) for team in asked)).scaled(1 / len(asked))
        return TeamMean(total.mean, total.standard_error)

    def score(self, *bots: str) -> TeamMean | None:
        """The mean score of a team, its bots in any order."""
        return self.mean([tuple(sorted(bots, key=self.bots.index))])

    def with_strangers(self, bot: str, size: int) -> TeamMean | None:
        """The mean score of all teams in which the bot has no partner like itself; each team counts once."""
        return self.mean(team for team in self.teams(size) if team.count(bot) == 1)

    def to_dict(self) -> dict[str, Any]:
        """The study as it stands in JSON."""
        return {
            "command": "study",
            "study": "crossplay",
            "rules": self.rules,
            "games": self.games,
            "seed": self.seed,
            "complete": self.complete,
            "teams": [{"bots": list(team), **_facts(self.score(*team))} for team in self.scores],
            "bots": [
                {
                    "bot": bot,
                    "players": size,
                    "with_itself": _facts(self.score(*[bot] * size)),
                    "with_strangers": _facts(self.with_strangers(bot, size)),
                }
                for size in self.sizes
                for bot in self.bots
                if (bot,) * size in self.scores
            ],
        }


def _facts(mean: TeamMean | None) -> dict[str, float | None]:
    return {"score": mean and mean.value, "score_se": mean and mean.error}


@dataclass(frozen=True, eq=False)
class StudyCrossplay(Investigation[Crossplay]):
    """Which bots play well with strangers? Every pair of bots and every team of three, each bot with itself too."""

    kind = "study crossplay"
    game_name = GAME.name
    told = ("bots", "players", "games", "rules", "seed")

    bots: Annotated[
        Sequence[str] | None,
        bots_asked("Bots; without any, all that neither search nor cheat, without their presets."),
    ] = None
    _: KW_ONLY
    games: Annotated[int, Setting("Games of each team.", "-n", least=1, unit="game")] = 10_000
    players: Annotated[str, Setting("Sizes of teams: 2, 3 or 2,3.", "-p")] = "2,3"
    rules: RulesName = None

    # -- what is played --

    @property
    def names(self) -> tuple[str, ...]:
        """The bots that take part."""
        return tuple(self.bots or [name for name in registry.quick_names(GAME.name) if ":" not in name])

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of teams."""
        found = tuple(int(size) for size in self.players.split(",") if size.strip() in map(str, SIZES))
        if len(found) != len(self.players.split(",")) or len(set(found)) != len(found):
            raise BadValue(f"players must be 2, 3 or 2,3, got {self.players}")
        return found

    def tasks(self) -> Sequence[Team]:
        """Every team of every size; a bot that can't play among so many is left out of the larger ones."""
        able = {size: [name for name in self.names if self._seats(name, size)] for size in self.sizes}
        return [team for size in self.sizes for team in combinations_with_replacement(able[size], size)]

    def _seats(self, name: str, size: int) -> bool:
        if self.absent and registry.is_file_name(name):
            return True
        bot = registry.entrant(name, GAME.name).bot
        return not isinstance(bot, Bot) or bot.players is None or bot.players[0] <= size <= bot.players[1]

    def check(self) -> None:
        """Refuse what cannot be played."""
        super().check()
        check_seed(self.seed)
        if len(set(self.names)) != len(self.names):
            raise BadValue(f"each bot takes part once, got {', '.join(self.names)}")
        if len(self.names) < 2:
            raise BadValue("cross-play needs at least two bots.")
        for number, team in enumerate(self.tasks()):
            self._batch(number, team)

    def total(self) -> int:
        """Games of all teams."""
        return self.games * len(self.tasks())

    def _batch(self, number: int, team: Team) -> Batch:
        bots = [stand_in(bot) if self.absent and registry.is_file_name(bot) else bot for bot in team]
        lineup = make_lineup(bots, self.rules, game=GAME.name)
        return Batch(lineup, self.games, self.seed, self.jit, noted=True, ledger=self.ledger, part=number)

    # -- playing --

    def new_study(self) -> Crossplay:
        """Without any score."""
        rules = self.rules or GAME.default_rules
        return Crossplay(self.names, self.sizes, str(getattr(rules, "name", rules)), self.games, self.seed)

    def do(self, study: Crossplay, number: int, task: Team) -> None:
        """Play the games of a team."""
        batch = self._batch(number, task)
        with open_workers(self.threads) as workers:
            batch.run(workers, lambda count: self.tell(" + ".join(task), count))
        study.scores[task] = scores_in(batch)

    def part_of(self, number: int, task: Team) -> LedgerPart:
        """The games of a team in slices."""
        return self._batch(number, task).ledger_part(len(self.tasks()))

    def do_slices(self, study: Crossplay, number: int, task: Team, slices: Sequence[Unit]) -> None:
        """Play slices of a team's games."""
        batch = self._batch(number, task)
        batch.only = slices
        with open_workers(self.threads) as workers:
            batch.run(workers, lambda count: self.tell(" + ".join(task), count))

    def remember(self, study: Crossplay, number: int, task: Team) -> bool:
        """A team that was played."""
        batch = self._batch(number, task)
        batch.recall()
        if batch.complete:
            study.scores[task] = scores_in(batch)
        return batch.complete

    def settled(self) -> dict[str, Any]:
        """The bots that take part by default, so that a later version with more bots resumes the same run."""
        return {"bots": list(self.names)}


def scores_in(batch: Batch) -> np.ndarray[Any, Any]:
    """The score of every game; a lost one counts 0."""
    outcomes = batch.outcomes()
    return np.where(np.isin(outcomes["status"], GAME.lost), 0, outcomes["points"]).astype(np.int8)
