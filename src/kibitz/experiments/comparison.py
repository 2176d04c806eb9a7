"""Which of two bots is better? Both play the same deals, and a sequential test stops when it knows.

Two bots of a game with a winner play each other, every deal from both seats. With others at the table, or in a game of teams, the line-up
with the one and the line-up with the other play the same deals from the same seats. A deal is one value, the difference; blocks of deals
are looked at in order, so that the verdict does not depend on how many workers there are or which is faster.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property, partial
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.seeds import check_seed
from kibitz.experiments.batch import Batch, Workers, open_workers
from kibitz.experiments.experiment import Experiment, Interrupted, function_of
from kibitz.experiments.luck_correction import luck_correction
from kibitz.experiments.settings import PYTHON_ONLY, Compiled, GameOfBots, RulesName, Seed, Setting, Target, bots_asked
from kibitz.experiments.sides import COMPETITIVE, COOPERATIVE, Correction, Sides, Stretch
from kibitz.experiments.stored_games import Part, at_once, shown_names
from kibitz.experiments.verdict import Comparison
from kibitz.play.lineup import make_lineup, measuring_luck
from kibitz.play.outcomes import Outcomes, unpack
from kibitz.report.progress import LiveText
from kibitz.runs.shards import LedgerPart, Share
from kibitz.runs.store import Run
from kibitz.runs.units import Unit
from kibitz.stats.paired import Sums, check_confidence
from kibitz.stats.sequential import Sprt

if TYPE_CHECKING:
    from rich.console import Console

    from kibitz.report.html_page import PageSettings
    from kibitz.report.plotting import Plot

DEFAULT_MARGIN = 0.5
BLOCK = 100  # deals between two looks at the test
LARGEST_UNIT = 50  # blocks
_GROWTH = 32  # a unit is so much smaller than what was played before it: little is played in vain after the verdict
GAUGE_WIDTH = 41


@dataclass(frozen=True, eq=False)
class Compare(Experiment[Comparison]):
    """Which is better, A or B? Both play the same deals from every seat, and a sequential test stops when it knows.

    Without --with two bots play each other; where all play together each plays with copies of itself. Error rates hold for a true
    difference of the margin or more. A bot is written as for `kibitz match`.
    """

    kind = "compare"
    keeps_outcomes = has_stand_ins = True

    first: Annotated[Any, bots_asked("A bot.", "A", str)]
    second: Annotated[Any, bots_asked("Another.", "B", str)]
    _: KW_ONLY
    others: Annotated[
        Sequence[Any],
        Setting(
            "Who sits with A, and with B in A's place; once for each other seat.",
            "--with -w",
            metavar="C",
            given_as=list[str] | None,
            names_bots=True,
            stored_as="with",
        ),
    ] = ()
    measure: Annotated[
        str | None, Setting("wins or points; of a team score (a lost game counts 0) or points_kept.", "--for", metavar="MEASURE")
    ] = None
    margin: Annotated[
        float | None, Setting("Tell a difference of so many percentage points (or points), 0.5 by default: -margin v +margin.", "-m")
    ] = None
    h0: Annotated[float | None, Setting("Or: the lesser difference A - B that is tested,")] = None
    h1: Annotated[float | None, Setting("and the greater one.")] = None
    alpha: Annotated[float, Setting("How often h1 may be accepted where h0 holds.")] = 0.05
    beta: Annotated[float, Setting("How often h0 may be accepted where h1 holds.")] = 0.05
    max_games: Annotated[int, Setting("Give up undecided after so many games of each line-up.", least=1, unit="game")] = 10_000_000
    games: Annotated[
        int | None,
        Setting("No sequential test: so many games of each line-up, and a confidence interval.", "-n", least=1, unit="game"),
    ] = None
    confidence: Annotated[float, Setting("Of the interval.")] = 0.95
    luck: Annotated[
        bool, Setting("Take out the luck of the draw: fewer games for the same certainty, but each takes longer.", is_newer=True)
    ] = False
    players: Annotated[int | None, Setting("Seats: copies of a bot in a team, or of the one named by --with.", "-p")] = None
    seed: Seed = 1
    rules: RulesName = None
    game: GameOfBots = None
    to: Target = None
    jit: Compiled = True
    correction: Annotated[Correction | None, PYTHON_ONLY] = None  # instead of --luck: one's own

    # -- the question --

    def check(self) -> None:
        """Refuse a question that makes no sense."""
        assert self.sides  # says what is wrong with bots, rules and numbers
        check_seed(self.seed)
        check_confidence(self.confidence)
        super().check()
        assert self.hypotheses or self.games is not None  # says what is wrong with the test
        if self.luck:
            for lineup in self.sides.lineups:
                measuring_luck(lineup)  # says where that cannot be done

    @cached_property
    def sides(self) -> Sides:
        """Who plays whom, on which deals."""
        named = [self.others] if isinstance(self.others, str) else self.others
        game = registry.game_of([self.first, self.second, *named], self.game)
        definition = registry.game(game)
        accepted = COOPERATIVE if definition.cooperative else COMPETITIVE
        chosen = accepted[0] if self.measure is None else self.measure
        if chosen not in accepted:
            raise BadValue(f"measure '{chosen}' is not accepted; in {definition.title} it is {' or '.join(accepted)}.")
        company = tuple(registry.entrant(bot, game) for bot in named)
        bots = registry.entrant(self.first, game), registry.entrant(self.second, game)
        if not company:
            if definition.cooperative:
                teams = [
                    make_lineup([bot] * (2 if self.players is None else self.players), self.rules, "fixed", game, self.to) for bot in bots
                ]
                return Sides(tuple(teams), chosen, self.seed)
            if self.players not in (None, 2):
                raise BadValue(
                    f"players={self.players} is not accepted: two bots play each other; name others who sit with them for a larger table."
                )
            return Sides((make_lineup(bots, self.rules, "rotate", game, self.to),), chosen, self.seed)
        if self.players is not None and self.players != 1 + len(company):
            if len(company) > 1:
                raise BadValue(f"players={self.players} is not accepted: a bot and {len(company)} others are {1 + len(company)}.")
            if self.players < 2:
                raise BadValue(f"players={self.players} is out of range: 2 to {definition.max_players} can play.")
            company *= self.players - 1
        lineups = tuple(make_lineup([bot, *company], self.rules, "rotate", game, self.to) for bot in bots)
        return Sides(lineups, chosen, self.seed, tuple(entrant.name for entrant in company))

    @cached_property
    def hypotheses(self) -> tuple[float, float] | None:
        """Those of the sequential test, None for a fixed number of games."""
        if self.games is not None:
            if any(value is not None for value in (self.margin, self.h0, self.h1)):
                raise BadValue(
                    "margin, h0 and h1 are for the sequential test; with a fixed number of games there is a confidence interval instead."
                )
            return None
        if (self.h0 is None) != (self.h1 is None) or (self.h0 is not None and self.margin is not None):
            raise BadValue("hypotheses are given by h0 and h1 together, or by a margin.")
        if self.h0 is None or self.h1 is None:
            test = Sprt.symmetric(DEFAULT_MARGIN if self.margin is None else self.margin, self.alpha, self.beta)
        else:
            test = Sprt(self.h0, self.h1, self.alpha, self.beta)
        return test.h0, test.h1

    @property
    def wanted(self) -> int:
        """Games of each line-up, at most."""
        return self.max_games if self.games is None else self.games

    @property
    def most(self) -> int:
        """Games of all line-ups together, at most; deals are played from every seat."""
        return -(-self.wanted // self.sides.group) * self.sides.group * len(self.sides.lineups)

    def total(self) -> int | None:
        """Games of all line-ups together, if their number is fixed."""
        return None if self.hypotheses else self.most

    # -- the answer --

    def play(self) -> Comparison:
        """Play until the answer is known."""
        correction = self._correction()
        result = self._new_comparison()
        streams = _streams(self, _Stream)
        for stream in streams:
            stream.prepare()
        start = time.perf_counter() - self.earlier  # when everything is compiled
        try:
            with open_workers(self.threads) as workers:
                for stretch in _stretches(self, streams, workers):
                    _add(result, stretch, correction)
                    result.seconds = time.perf_counter() - start
                    if self.progress:
                        self.progress(result)
                    if result.verdict:
                        break
        except KeyboardInterrupt:
            result.complete = False
            result.seconds = time.perf_counter() - start
            raise Interrupted(result) from None
        return result

    @property
    def not_in_shards(self) -> str:
        """A test that may stop after each block can't be divided."""
        if not self.hypotheses:
            return ""
        return (
            "--shard can't divide a sequential test, which decides after each block of deals whether to go on; give a number with --games, "
            "or let --cluster play it on many machines."
        )

    def ledger_parts(self) -> list[LedgerPart]:
        """A part for each line-up."""
        group = self.sides.group
        pieces = tuple(cut_deals(-(-self.wanted // group), group))
        return [LedgerPart(part, pieces) for part, _ in enumerate(self.sides.lineups)]

    def play_share(self, share: Share) -> None:
        """Play slices of the line-ups."""
        progress = self.progress
        with open_workers(self.threads) as workers:
            for batch in _streams(self, Batch):
                batch.only = share.get(batch.part, ())
                batch.run(workers, partial(progress, batch.lineup.entrants[0].name) if progress else None)

    def recall(self, run: Run | None = None) -> Comparison:
        """The answer as far as the ledger has it."""
        correction = self._correction()
        result = self._new_comparison()
        for stretch in _stretches(self, _streams(self, _Stream), None):
            _add(result, stretch, correction)
            if result.verdict:
                break
        result.complete = result.verdict is not None or result.games == self.most
        if run:
            result.seconds = run.figures["seconds"] if run.figures is not None else run.seconds
        return result

    def _correction(self) -> Correction | None:
        return self.correction or (luck_correction(self.sides) if self.luck else None)

    def _new_comparison(self) -> Comparison:
        """A comparison of which nothing is known yet."""
        lineup = self.sides.lineups[0]
        return Comparison(
            game=lineup.game.name,
            rules=lineup.rules.to_text(),
            bots=self.sides.names,
            others=self.sides.others,
            measure=self.sides.measure,
            players=lineup.players,
            seed=self.sides.seed,
            to=lineup.to,
            test=Sprt(*self.hypotheses, self.alpha, self.beta) if self.hypotheses else None,
            confidence=self.confidence,
            max_games=self.wanted,
            lineups=len(self.sides.lineups),
            group=self.sides.group,
        )

    def parts(self, run: Run) -> list[Part]:
        """Every game of the line-ups is kept."""
        found = []
        for number, stream in enumerate(_streams(self, _Stream)):
            stream.recall()
            outcomes = stream.outcomes()
            lineup = self.sides.lineups[number]
            games = len(outcomes) if self.hypotheses else stream.games  # of a fixed number, any may still be missing
            found.append(Part(number, lineup, self.seed, games, shown_names(lineup), at_once(outcomes), self.jit))
        return found

    # -- in the store --

    def kept(self) -> dict[str, Any]:
        """The question, with hypotheses instead of how they were asked for."""
        lineup = self.sides.lineups[0]
        asked = ("first", "second", "margin", "h0", "h1", "max_games")
        return {
            **{key: value for key, value in super().kept().items() if key not in asked},
            "game": lineup.game.name,
            "bots": list(self.sides.names),
            "with": list(self.sides.others),
            "measure": self.sides.measure,
            "players": lineup.players,
            "rules": lineup.rules.to_text(),
            "to": lineup.to,
            "jit": self.jit and os.environ.get("KIBITZ_JIT") != "0",
            "games": self.wanted,
            "hypotheses": list(self.hypotheses) if self.hypotheses else None,
        }

    @classmethod
    def values_in(cls, config: Mapping[str, Any]) -> dict[str, Any]:
        """The question of a configuration."""
        first, second = config["bots"]
        tested = config["hypotheses"]
        asked = {"h0": tested[0], "h1": tested[1], "max_games": config["games"]} if tested else {"games": config["games"]}
        shared = ("measure", "alpha", "beta", "confidence", "players", "seed", "rules", "game", "to", "jit")
        values = {"first": first, "second": second, "others": config["with"], **{name: config[name] for name in shared}, **asked}
        return {**values, "luck": config.get("luck", False)}

    @classmethod
    def bots_of(cls, config: Mapping[str, Any]) -> list[str]:
        """The bots that a configuration names."""
        return [*config.get("bots", ()), *config.get("with", ())]

    # -- showing --

    def display(self) -> Gauge:
        """The log-likelihood ratio between its bounds."""
        return Gauge()

    def print(self, result: Comparison, console: Console) -> None:
        """The verdict, and what it rests on."""
        for line in result.in_words():
            console.print(line, markup=False, soft_wrap=True)

    def page(self, result: Comparison, settings: PageSettings) -> str:
        """The page of a comparison."""
        from kibitz.experiments.result_page import comparison_page  # brings matplotlib

        return comparison_page(result, settings)

    def plots(self, result: Comparison) -> list[Plot]:
        """The difference with its interval."""
        from kibitz.experiments.result_page import comparison_plots

        return comparison_plots(result)

    def title(self) -> str:
        """The two bots."""
        return " v ".join(bot.name if isinstance(bot, registry.Entrant) else str(bot) for bot in (self.first, self.second))


compare = function_of(Compare, "compare")


def _add(result: Comparison, stretch: Stretch, correction: Correction | None) -> None:
    """Let the test look at the deals block by block, and add up those before the verdict."""
    plain = stretch.values()
    values = correction(stretch) if correction else plain
    used = len(values)
    if result.test:
        for start in range(0, len(values), BLOCK):
            if result.test.feed(values[start : start + BLOCK]):
                used = min(start + BLOCK, len(values))
                break
    result.values += Sums.of(values[:used])
    if correction:
        result.uncorrected = (result.uncorrected or Sums()) + Sums.of(plain[:used])
    first, second = (gains[:used] for gains in stretch.gains())
    singles = (Sums.of(first), Sums.of(second)) if result.lineups == 2 else (Sums.of((first - second) * stretch.sides.share),)
    result.singles = tuple(old + new for old, new in zip(result.singles or (Sums(),) * len(singles), singles, strict=True))
    result.gains = (result.gains[0] + Sums.of(first), result.gains[1] + Sums.of(second))


# -- deals in order --


class _Stream(Batch):
    """A batch that is played a few units at a time, for as long as it is asked to."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._kept = self.ledger.finished(self.part) if self.ledger else {}
        self._wanted: list[Unit] = []

    def units(self) -> Iterator[Unit]:
        """The units asked for."""
        return iter(self._wanted)

    def play(self, units: list[Unit], workers: Workers | None) -> dict[Unit, Outcomes]:
        """The outcomes of these units, played by workers or taken over."""
        found = {unit: unpack(self.lineup, self.part, unit, self._kept[unit]) for unit in units if unit in self._kept}
        self._wanted = [unit for unit in units if unit not in found]
        if workers:
            for unit, outcomes in workers.results(self):
                if self.ledger:
                    self.ledger.keep(self.part, unit, outcomes.tobytes())
                found[unit] = outcomes
        return found


B = TypeVar("B", bound=Batch)


def _streams(question: Compare, kind: type[B]) -> list[B]:
    """The line-ups as batches of a kind: whole deals, as many as are wanted at most."""
    sides, ledger = question.sides, question.ledger
    games = question.most // len(sides.lineups)
    return [
        kind(lineup, games, sides.seed, question.jit, noted=True, ledger=ledger, part=part, luck=question.luck)
        for part, lineup in enumerate(sides.lineups)
    ]


def _stretches(question: Compare, streams: Sequence[_Stream], workers: Workers | None) -> Iterator[Stretch]:
    """All deals in order, in the same stretches however many workers there are; without workers those that were kept."""
    group = question.sides.group
    units = cut_deals(-(-question.wanted // group), group)
    while ahead := list(islice(units, max(4, 2 * workers.count) if workers else 1)):
        played = [stream.play(ahead, workers) for stream in streams]
        for unit in ahead:
            if not all(unit in found for found in played):
                return
            yield Stretch(question.sides, unit.first // group, tuple(found[unit].reshape(-1, group) for found in played))


def cut_deals(deals: int, group: int) -> Iterator[Unit]:
    """The units of so many deals, small ones first: a slow bot should not play thousands of games that nobody asked for."""
    first = 0
    while first < deals:
        blocks = min(max(first // BLOCK // _GROWTH, 1), LARGEST_UNIT)
        count = min(blocks * BLOCK, deals - first)
        yield Unit(first * group, count * group)
        first += count


# -- while it is played --


class Gauge(LiveText):
    """The log-likelihood ratio between its bounds, live on standard error. Silent where there is no terminal."""

    def __call__(self, result: Comparison) -> None:
        """So much is known."""
        self.show_text("\n".join(gauge_lines(result)))


def gauge_lines(result: Comparison) -> list[str]:
    """The state of a comparison: the ratio between its bounds, and the difference so far."""
    error = result.standard_error
    rate = f", {result.games / result.seconds:,.0f} games/s" if result.seconds > 0 else ""
    figures = f"{result.difference:+.2f} ± {'?' if error is None else f'{error:.2f}'} {result.unit}, {result.games:,} games{rate}"
    names = f"{result.bots[0]} v {result.bots[1]}"
    test = result.test
    if not test:
        share = min(result.deals * result.group / result.max_games, 1.0)
        return [f"{names}: {100 * share:.0f} % of {result.max_games:,} games", figures]
    place = (min(max(test.llr, test.lower), test.upper) - test.lower) / (test.upper - test.lower)
    nought = round(-test.lower / (test.upper - test.lower) * (GAUGE_WIDTH - 1))
    cells = ["─"] * GAUGE_WIDTH
    cells[nought] = "┼"
    cells[round(place * (GAUGE_WIDTH - 1))] = "●"
    return [f"{names}: log-likelihood ratio {test.llr:+.2f}", f"{test.lower:.2f} ├{''.join(cells)}┤ {test.upper:+.2f}", figures]
