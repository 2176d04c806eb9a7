"""The study of skill: how often one seat wins among copies of an opponent, from chance to open cards, by players and rules.

Bots that need microseconds play many games. The searchers play few, and the luck of the draw is taken out of those; all play
the same deals, each from every seat.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from kibitz.core.errors import BadValue
from kibitz.core.printable import facts_of
from kibitz.core.seeds import check_seed
from kibitz.experiments.batch import Batch, open_workers
from kibitz.experiments.luck_correction import LuckCorrection
from kibitz.experiments.settings import INTERNAL, Setting
from kibitz.experiments.studies.investigation import Investigation
from kibitz.play.lineup import make_lineup
from kibitz.runs.ledger import Ledger
from kibitz.runs.shards import LedgerPart
from kibitz.runs.units import Unit
from kibitz.stats.paired import Sums
from kibitz.stats.skill_and_luck import explained, explained_error, games_to_lead

PLAYERS = (2, 3, 4, 6, 10)
RULES = ("classic", "official", "numbers", "classic,stacking=progressive")
OPPONENTS = ("random", "mix2")
FAST_BOTS = ("random", "mix2", "champion:fast")
CHAMPION, CHEATER = "champion", "cheater"
SEARCHERS = (CHAMPION, CHEATER)
BOTS = (*FAST_BOTS, *SEARCHERS)

BLOCK = 100  # deals whose luck is corrected with what earlier ones taught
SURE = 2.0  # standard errors above chance, below which nobody is said to be better
SHARE = 200  # the searchers play so many times fewer games, unless told


@dataclass(frozen=True)
class Situation:
    """How many play, by which rules."""

    players: int
    rules: str = "classic"

    @property
    def chance(self) -> float:
        """The win rate of equals."""
        return 1 / self.players


SITUATIONS = (*[Situation(players) for players in PLAYERS], *[Situation(2, rules) for rules in RULES[1:]])


@dataclass(frozen=True)
class Seat:
    """One seat to be measured: a bot among copies of an opponent."""

    bot: str
    against: str
    situation: Situation

    @property
    def searches(self) -> bool:
        """Whether the bot is one of the slow ones."""
        return self.bot in SEARCHERS


@dataclass(frozen=True)
class Found:
    """What was found at a seat: wins as one value a deal, from 0 to 1, and the same before luck was taken out."""

    wins: Sums
    plain: Sums
    seconds: float

    @property
    def win_rate(self) -> float:
        """Share of games won."""
        return self.wins.mean

    @property
    def error(self) -> float:
        """Standard error of the win rate."""
        return self.wins.standard_error or 0.0

    @property
    def saved(self) -> float:
        """How many times as many games would be needed had luck not been taken out."""
        return (self.plain.variance or 0.0) / self.wins.variance if self.wins.variance else 1.0


@dataclass
class SkillStudy:
    """What is asked and what was found so far; seats not played after an interruption are missing."""

    games: int
    search_games: int
    rollouts: int | None = None  # of a searcher's decision; None: its own number
    seed: int = 1
    situations: Sequence[Situation] = SITUATIONS
    found: dict[Seat, Found] = field(default_factory=dict)
    complete: bool = True
    seconds: float = 0.0

    def __post_init__(self) -> None:
        for name, games in (("games", self.games), ("search_games", self.search_games)):
            if games < 2 * max(PLAYERS):
                raise BadValue(f"{name}={games} is out of range: {2 * max(PLAYERS)} or more are needed, two deals from every seat.")
        check_seed(self.seed)
        for bot in SEARCHERS:
            make_lineup([self.full_name(bot), "random"])  # says what is wrong with the budget

    def seats(self, searchers: bool) -> Iterator[Seat]:
        """The seats to be measured; among copies of itself a bot wins by chance, which needs no playing."""
        for situation in self.situations:
            for against in OPPONENTS:
                for bot in SEARCHERS if searchers else FAST_BOTS:
                    if bot != against:
                        yield Seat(bot, against, situation)

    def full_name(self, bot: str) -> str:
        """A bot with its budget."""
        return f"{bot}:rollouts={self.rollouts}" if bot in SEARCHERS and self.rollouts is not None else bot

    def games_of(self, seat: Seat) -> int:
        """Games that a seat gets: whole deals."""
        games = self.search_games if seat.searches else self.games
        return -(-games // seat.situation.players) * seat.situation.players

    def total(self, searchers: bool) -> int:
        """Games of all seats of one kind."""
        return sum(map(self.games_of, self.seats(searchers)))

    def at(self, bot: str, against: str, situation: Situation) -> tuple[float, float] | None:
        """A win rate with its standard error; among copies of itself it is chance."""
        if bot == against:
            return situation.chance, 0.0
        found = self.found.get(Seat(bot, against, situation))
        return (found.win_rate, found.error) if found else None

    def way(self, bot: str, against: str, situation: Situation) -> tuple[float, float] | None:
        """How much of the way from chance to what open cards allow a bot goes, with its standard error.

        Both figures are taken as independent. They come from the same deals, so the error is rather too large than too small.
        """
        own, bound = self.at(bot, against, situation), self.at(CHEATER, against, situation)
        if own is None or bound is None or bound[0] - situation.chance <= SURE * bound[1]:
            return None
        length = bound[0] - situation.chance
        share = (own[0] - situation.chance) / length
        return share, (own[1] ** 2 + (share * bound[1]) ** 2) ** 0.5 / length

    def share(self, bot: str, against: str, situation: Situation) -> tuple[float, float] | None:
        """How much of a single game skill explains, with its standard error."""
        own = self.at(bot, against, situation)
        if own is None:
            return None
        return explained(own[0], situation.players), explained_error(*own, situation.players)

    def lead(self, bot: str, against: str, situation: Situation) -> tuple[int | None, int | None, int | None] | None:
        """Games until the bot is ahead 19 times of 20, and the same were its win rate one standard error higher or lower.

        None where it is not known to be better; the last is None where there is no end.
        """
        own = self.at(bot, against, situation)
        if own is None or own[0] - situation.chance <= SURE * own[1]:
            return None
        rates = (own[0], min(own[0] + own[1], 1.0), own[0] - own[1])
        middle, low, high = (games_to_lead(rate, situation.players) for rate in rates)
        return middle, low, high

    def to_dict(self) -> dict[str, Any]:
        """The study as it stands in JSON."""
        return {
            "command": "study",
            "study": "skill",
            **facts_of(self, "games", "search_games", "rollouts", "seed", "complete"),
            "seats": [self._seat_dict(seat, found) for seat, found in self.found.items()],
        }

    def _seat_dict(self, seat: Seat, found: Found) -> dict[str, Any]:
        situation = seat.situation
        of_seat = (seat.bot, seat.against, situation)
        way, share, lead = self.way(*of_seat), self.share(*of_seat), self.lead(*of_seat)
        return {
            "bot": self.full_name(seat.bot),
            "against": seat.against,
            "players": situation.players,
            "rules": situation.rules,
            "games": found.wins.count * situation.players,
            "deals": found.wins.count,
            "chance": situation.chance,
            "win_rate": found.win_rate,
            "win_rate_se": found.error,
            "luck_saved": found.saved,
            "way_to_open_cards": way and way[0],
            "way_to_open_cards_se": way and way[1],
            "explained": share and share[0],
            "explained_se": share and share[1],
            "games_to_lead": lead and lead[0],
            "seconds": found.seconds,
        }


def batch_of(study: SkillStudy, seat: Seat, jit: bool = True, ledger: Ledger | None = None, part: int = 0) -> Batch:
    """The games of a seat."""
    others = [seat.against] * (seat.situation.players - 1)
    lineup = make_lineup([study.full_name(seat.bot), *others], seat.situation.rules, "rotate")
    return Batch(lineup, study.games_of(seat), study.seed, jit, noted=True, ledger=ledger, part=part, luck=seat.searches)


def found_in(batch: Batch, seat: Seat, seconds: float = 0.0) -> Found:
    """How often a bot won among copies of an opponent."""
    players = seat.situation.players
    outcomes = batch.outcomes().reshape(-1, players)
    wins = (outcomes["winner"] == 0).sum(axis=1)
    plain = Sums.of(wins).scaled(1 / players)
    if not seat.searches:
        return Found(plain, plain, seconds)
    correction, corrected = LuckCorrection(batch.lineup), Sums()
    for first in range(0, len(wins), BLOCK):
        block = slice(first, first + BLOCK)
        corrected += Sums.of(correction.add_block(wins[block] / players, outcomes[block]))
    return Found(corrected, plain, seconds)


@dataclass(frozen=True, eq=False, kw_only=True)
class StudySkill(Investigation[SkillStudy]):
    """How much of UNO is skill? Win rates from Random to a search with open cards, by players and by rules."""

    kind = "study skill"
    told = ("games", "search_games", "rollouts", "seed")

    games: Annotated[int, Setting("Games of each fast bot at each table.", "-n")] = 200_000
    search_games: Annotated[int | None, Setting(f"Games of champion and cheater at each table; by default one in {SHARE} of --games.")] = (
        None
    )
    rollouts: Annotated[int | None, Setting("Rollouts of champion and cheater for a decision; by default their own number.")] = None
    situations: Annotated[Sequence[Situation], INTERNAL] = SITUATIONS

    def check(self) -> None:
        """Refuse what cannot be played."""
        super().check()
        self.new_study()

    def new_study(self) -> SkillStudy:
        """Without any seat."""
        searching = max(self.games // SHARE, 2 * max(PLAYERS)) if self.search_games is None else self.search_games
        return SkillStudy(self.games, searching, self.rollouts, self.seed, self.situations)

    def tasks(self) -> Sequence[Seat]:
        """The seats of the fast bots, then those of the searchers."""
        study = self.new_study()
        return [*study.seats(False), *study.seats(True)]

    def total(self) -> int:
        """Games of all seats."""
        return sum(map(self.new_study().games_of, self.tasks()))

    def do(self, study: SkillStudy, number: int, task: Seat) -> None:
        """Play at a seat."""
        batch = batch_of(study, task, self.jit, self.ledger, number)
        batch.prepare()
        name = f"{task.bot} v {task.situation.players - 1} {task.against}"
        start = time.perf_counter()
        with open_workers(self.threads) as workers:
            batch.run(workers, lambda count: self.tell(name, count))
        study.found[task] = found_in(batch, task, time.perf_counter() - start)

    def part_of(self, number: int, task: Seat) -> LedgerPart:
        """The games at a seat in slices."""
        return batch_of(self.new_study(), task, self.jit, part=number).ledger_part(len(self.tasks()))

    def do_slices(self, study: SkillStudy, number: int, task: Seat, slices: Sequence[Unit]) -> None:
        """Play slices of the games at a seat."""
        batch = batch_of(study, task, self.jit, self.ledger, number)
        batch.only = slices
        with open_workers(self.threads) as workers:
            batch.run(workers, lambda count: self.tell(task.bot, count))

    def remember(self, study: SkillStudy, number: int, task: Seat) -> bool:
        """A seat that was played."""
        batch = batch_of(study, task, self.jit, self.ledger, number)
        batch.recall()
        if batch.complete:
            study.found[task] = found_in(batch, task)
        return batch.complete

    def settled(self) -> dict[str, Any]:
        """The number of games of searchers."""
        return {"search_games": self.new_study().search_games}

    def command(self, study: SkillStudy) -> str:
        """The command that makes it again."""
        return super(StudySkill, self.going(search_games=study.search_games)).command(study)
