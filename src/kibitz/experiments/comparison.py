"""Which of two bots is better? Both play the same deals, and a sequential test stops when it knows.

Two bots of a game with a winner play each other, every deal from both seats. With others at the table, or in a game of teams, the line-up
with the one and the line-up with the other play the same deals from the same seats. A deal is one value, the difference; blocks of deals
are looked at in order, so that the verdict does not depend on how many workers there are or which is faster.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from kibitz import registry
from kibitz.bots.object_bot import ObjectBot
from kibitz.core.errors import BadValue
from kibitz.core.public import public_names
from kibitz.core.seeds import check_seed
from kibitz.experiments.batch import Batch, Workers, open_workers
from kibitz.experiments.luck import luck_correction
from kibitz.experiments.plan import Plan
from kibitz.experiments.sides import Correction, Sides, Stretch, make_sides
from kibitz.experiments.verdict import Comparison
from kibitz.play.lineup import measuring_luck
from kibitz.play.outcomes import Outcomes, unpack
from kibitz.runs.ledger import Ledger
from kibitz.runs.units import Unit
from kibitz.stats.paired import Sums, check_confidence
from kibitz.stats.sequential import Sprt

DEFAULT_MARGIN = 0.5
DEFAULT_MAX_GAMES = 10_000_000
BLOCK = 100  # deals between two looks at the test
LARGEST_UNIT = 50  # blocks
_GROWTH = 32  # a unit is so much smaller than what was played before it: little is played in vain after the verdict

Progress = Callable[[Comparison], None]  # told what is known so far, each time that it is more


class ComparisonInterrupted(Exception):
    """Ctrl-C in a long comparison: `result` holds what is known so far."""

    def __init__(self, result: Comparison) -> None:
        super().__init__("interrupted")
        self.result = result


def compare(
    first: Any,
    second: Any,
    *,
    others: Sequence[Any] = (),
    measure: str | None = None,
    margin: float | None = None,
    h0: float | None = None,
    h1: float | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    max_games: int = DEFAULT_MAX_GAMES,
    games: int | None = None,
    confidence: float = 0.95,
    players: int | None = None,
    seed: int = 1,
    rules: Any = None,
    to: str | int | None = None,
    game: str | None = None,
    threads: int | None = None,
    jit: bool = True,
    luck: bool = False,
    progress: Progress | None = None,
    ledger: Ledger | None = None,
    correction: Correction | None = None,
) -> Comparison:
    """Which is better? A sequential test of -margin v +margin, or h0 v h1, that stops when it knows; with `games`, that many and an interval.

    `measure` is "wins" (in percentage points, the default) or "points", in Hanabi "score" (a lost game counting 0) or "points_kept".
    Without `others` two bots of UNO play each other, and in Hanabi each plays with `players` - 1 copies of itself; with `others` each
    takes its turn with them, on the same deals and in the same seats. `games` and `max_games` are those of each line-up. With a ledger,
    line-ups are its parts 0 and 1, and finished units are not played again. `luck` takes out the luck of the draw, without bias; or a
    `correction` of one's own does.
    """
    sides = make_sides(first, second, others, measure, players, seed, rules, to, game)
    question = ask(sides, margin, h0, h1, alpha, beta, max_games, games, confidence, jit, luck)
    return answer(question, threads, progress, ledger, correction)


# -- questions --


@dataclass(frozen=True, eq=False)
class Question:
    """All that decides the figures of a comparison: `hypotheses` are those of the sequential test, None for a fixed number of games."""

    sides: Sides
    hypotheses: tuple[float, float] | None
    alpha: float
    beta: float
    games: int  # of each line-up, at most
    confidence: float
    jit: bool = True
    luck: bool = False  # whether the luck of the draw is taken out

    def __post_init__(self) -> None:
        if self.luck:
            for lineup in self.sides.lineups:
                measuring_luck(lineup)  # says where that cannot be done

    @property
    def total(self) -> int:
        """Games of all line-ups together, at most; deals are played from every seat."""
        return -(-self.games // self.sides.group) * self.sides.group * len(self.sides.lineups)

    def new_comparison(self) -> Comparison:
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
            max_games=self.games,
            lineups=len(self.sides.lineups),
            group=self.sides.group,
        )

    def to_config(self) -> dict[str, Any]:
        """The question as JSON, with a fingerprint of each file that holds a bot: what a stored run keeps."""
        lineups = self.sides.lineups
        plan = Plan("match" if len(lineups) == 1 else "evaluate", lineups, (0,), self.games, self.sides.seed, self.jit)
        return {
            **plan.to_config(),
            "command": "compare",
            "bots": list(self.sides.names),
            "with": list(self.sides.others),
            "measure": self.sides.measure,
            "hypotheses": list(self.hypotheses) if self.hypotheses else None,
            "luck": self.luck,
            "alpha": self.alpha,
            "beta": self.beta,
            "confidence": self.confidence,
        }


def ask(
    sides: Sides,
    margin: float | None = None,
    h0: float | None = None,
    h1: float | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    max_games: int = DEFAULT_MAX_GAMES,
    games: int | None = None,
    confidence: float = 0.95,
    jit: bool = True,
    luck: bool = False,
) -> Question:
    """A question about two sides, refused where it makes no sense."""
    check_seed(sides.seed)
    check_confidence(confidence)
    wanted = max_games if games is None else games
    if wanted < 1:
        raise BadValue(f"{'max_games' if games is None else 'games'}={wanted} is out of range: at least 1 game is needed.")
    if games is not None:
        if any(value is not None for value in (margin, h0, h1)):
            raise BadValue(
                "margin, h0 and h1 are for the sequential test; with a fixed number of games there is a confidence interval instead."
            )
        return Question(sides, None, alpha, beta, wanted, confidence, jit, luck)
    if (h0 is None) != (h1 is None) or (h0 is not None and margin is not None):
        raise BadValue("hypotheses are given by h0 and h1 together, or by a margin.")
    if h0 is None or h1 is None:
        test = Sprt.symmetric(DEFAULT_MARGIN if margin is None else margin, alpha, beta)
    else:
        test = Sprt(h0, h1, alpha, beta)
    return Question(sides, (test.h0, test.h1), alpha, beta, wanted, confidence, jit, luck)


def question_from(config: Mapping[str, Any], absent: bool = False) -> Question:
    """The question that a config describes; with `absent` its bots are only names without folders, enough to read results that are there."""

    shown = public_names([*config["bots"], *config["with"]])

    def bot(name: str) -> Any:
        return registry.Entrant(shown[name], ObjectBot(name, _nobody, name)) if absent else name

    first, second = (bot(name) for name in config["bots"])
    shared = (config["measure"], config["players"], config["seed"], config["rules"], config["to"], config["game"])
    sides = make_sides(first, second, [bot(name) for name in config["with"]], *shared)
    hypotheses = tuple(config["hypotheses"]) if config["hypotheses"] else None
    numbers = (config["alpha"], config["beta"], config["games"], config["confidence"])
    return Question(sides, hypotheses, *numbers, config["jit"], config.get("luck", False))


def _nobody() -> Any:
    raise AssertionError("an absent bot is a name and nothing else")


# -- answers --


def answer(
    question: Question,
    threads: int | None = None,
    progress: Progress | None = None,
    ledger: Ledger | None = None,
    correction: Correction | None = None,
) -> Comparison:
    """Play until the answer is known, except for what the ledger has."""
    correction = correction or _correction(question)
    result = question.new_comparison()
    streams = _streams(question, ledger)
    for stream in streams:
        stream.prepare()
    start = time.perf_counter()  # when everything is compiled
    try:
        with open_workers(threads) as workers:
            for stretch in _stretches(question, streams, workers):
                _add(result, stretch, correction)
                result.seconds = time.perf_counter() - start
                if progress:
                    progress(result)
                if result.verdict:
                    break
    except KeyboardInterrupt:
        result.complete = False
        result.seconds = time.perf_counter() - start
        raise ComparisonInterrupted(result) from None
    return result


def recalled(question: Question, ledger: Ledger, correction: Correction | None = None) -> Comparison:
    """The answer as far as a ledger has it, without playing."""
    correction = correction or _correction(question)
    result = question.new_comparison()
    for stretch in _stretches(question, _streams(question, ledger), None):
        _add(result, stretch, correction)
        if result.verdict:
            break
    result.complete = result.verdict is not None or result.games == question.total
    return result


def _correction(question: Question) -> Correction | None:
    return luck_correction(question.sides) if question.luck else None


def kept_outcomes(question: Question, ledger: Ledger, part: int) -> Outcomes:
    """Every game of a line-up that a ledger has, in order."""
    stream = _streams(question, ledger)[part]
    stream.recall()
    return stream.outcomes()


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


def _streams(question: Question, ledger: Ledger | None) -> list[_Stream]:
    sides = question.sides
    return [
        _Stream(lineup, question.games, sides.seed, question.jit, noted=True, ledger=ledger, part=part, luck=question.luck)
        for part, lineup in enumerate(sides.lineups)
    ]


def _stretches(question: Question, streams: Sequence[_Stream], workers: Workers | None) -> Iterator[Stretch]:
    """All deals in order, in the same stretches however many workers there are; without workers those that were kept."""
    group = question.sides.group
    units = cut_deals(-(-question.games // group), group)
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
