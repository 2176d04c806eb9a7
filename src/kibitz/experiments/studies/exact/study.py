"""How exploitable bots are in a solved game: plans of bots, and a row of figures for each.

A sampled plan carries error, which two figures enclose: a best response to the whole sample knows its noise and gains too
much; one found on half of it and played against the other half gains too little. Searches are asked with growing budgets, and what
they think of each action is held against its exact value.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import KW_ONLY, asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from math import sqrt
from statistics import stdev
from typing import Annotated, Any

import numpy as np

from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.core.errors import BadBot, BadValue, UnknownName
from kibitz.core.reading import whole_number
from kibitz.core.seeds import check_seed
from kibitz.experiments.experiment import function_of
from kibitz.experiments.settings import GameOfBots, Setting, bots_asked
from kibitz.experiments.studies.exact.accuracy import Accuracy, OpinionSums, accuracy_of
from kibitz.experiments.studies.exact.game_tree import Tree, build_tree
from kibitz.experiments.studies.exact.minds import ManyNumbers, Mind, searches
from kibitz.experiments.studies.exact.values import Reference
from kibitz.experiments.studies.exact.walk import Heard, plan_of
from kibitz.experiments.studies.investigation import Investigation
from kibitz.games.contract import GameDefinition
from kibitz.play.lineup import make_lineup
from kibitz.play.open_sitting import open_game
from kibitz.registry import Entrant
from kibitz.report.progress import Bar
from kibitz.runs.cluster.dispatcher import current_cluster
from kibitz.search.exact.response import best_response, exploitability
from kibitz.search.exact.sequences import Floats
from kibitz.search.exact.solve import Solution, pure_value, solve

SAMPLES = 200
PARTS = 4  # a sample is taken in so many parts, whose spread gives its error

BUDGETS = ("rollouts", "iterations", "samples")  # parameters that say how long a search thinks
GROWING = (4, 16, 64, 256, 1024)
WITHOUT_END = "without end"
UNMIXED_SEQUENCES = 500  # up to so many the best play without mixing is found in a moment

Plans = tuple[Floats, Floats]
Progress = Callable[[str, int], None]


def _silent(name: str, answers: int) -> None:
    """Nobody listens."""


@dataclass(frozen=True, eq=False)
class BotPlans:
    """How a bot plays a tree in both seats; sampled plans are the means of `parts`, which are independent of each other."""

    bot: str
    plans: Plans
    samples: int = 0  # answers at each information set; 0 if the plans are exact
    parts: tuple[Plans, ...] = ()
    accuracy: Accuracy | None = None  # of what a search thinks of its actions


@dataclass(frozen=True)
class ExactRow:
    """A bot against the equilibrium and against its best opponent, on average over both seats; wins count 1, losses -1.

    `exploitability` is what the best opponent gains, between `low` and `high` where the bot was sampled.
    """

    bot: str
    first: float  # in seat 0, against the equilibrium
    second: float  # in seat 1
    value: float  # the mean of both
    error: float  # its standard error; 0 if the plans are exact
    exploitability: float
    low: float
    high: float
    samples: int
    unfinished: float  # how often nobody wins against the equilibrium
    budget: int = 0  # of a search; 0 for other bots
    series: str = ""  # the search without its budget
    accuracy: Accuracy | None = None


def policy_of(
    tree: Tree,
    spec: Any,
    samples: int = SAMPLES,
    seed: int = 1,
    jit: bool = True,
    sampled: bool = False,
    reference: Reference | None = None,
    progress: Progress = _silent,
) -> BotPlans:
    """How a bot plays a tree: exactly if it draws few random numbers, else from so many answers at each information set.

    `sampled` asks in any case; `jit=False` asks in plain Python. With a `reference` a search is led to every information set, and
    what it thinks of its actions there is held against it.
    """
    game = tree.sitting.game.name
    entrant = registry.entrant(spec, game)
    check_samples(samples)
    lineup = make_lineup([entrant, entrant], tree.sitting.rules, "fixed", game)
    if not (sampled or searches(entrant.bot)):
        try:
            exact = Mind(lineup)
            return BotPlans(entrant.name, (plan_of(tree, exact, 0), plan_of(tree, exact, 1)))
        except ManyNumbers:
            pass
    compiled = jit and os.environ.get("KIBITZ_JIT") != "0" and entrant.is_compiled
    parts, kept = [], []
    for part in range(PARTS):
        mind = Mind(lineup, samples // PARTS, PARTS * seed + part, compiled)
        sums = OpinionSums(tree, reference) if reference else None
        first, second = (
            plan_of(tree, mind, seat, everywhere=bool(sums), heard=_hearing(mind, seat, sums, entrant.name, progress)) for seat in (0, 1)
        )
        parts.append((first, second))
        if sums:
            kept.append(sums)
    return BotPlans(entrant.name, mean_plans(parts), samples, tuple(parts), accuracy_of(kept) if kept else None)


def policy_in(game: str, rules: Any, spec: str, samples: int, seed: int, jit: bool) -> BotPlans:
    """The same in another process, which builds the tree of a game itself."""
    tree, references = _tree_in(game, rules)
    entrant = registry.entrant(spec, game)
    reference = references.of(entrant) if references and searches(entrant.bot) else None
    return policy_of(tree, entrant, samples, seed, jit, reference=reference)


@lru_cache(maxsize=2)
def _tree_in(game: str, rules: Any) -> tuple[Tree, Any]:
    definition = registry.game(game)
    tree = build_tree(open_game(definition, rules))
    make = definition.face.load("solver_references")
    return tree, make and make(tree)


def _hearing(mind: Mind, seat: int, sums: OpinionSums | None, name: str, progress: Progress) -> Heard:
    def heard(number: int, chances: dict[int, float]) -> None:
        if sums:
            sums.note(seat, number, mind.opinions)
        progress(name, mind.samples)

    return heard


def check_samples(samples: int) -> None:
    """Refuse a number of answers that cannot be halved twice."""
    if samples < PARTS or samples % PARTS:
        raise BadValue(f"samples={samples} is not accepted: bots are asked {PARTS} times or a multiple of it.")


def mean_plans(parts: Sequence[Plans]) -> Plans:
    """The plans of somebody who follows one of several, drawn by lot."""
    first: Floats = np.mean([plans[0] for plans in parts], axis=0)
    second: Floats = np.mean([plans[1] for plans in parts], axis=0)
    return first, second


def row_of(tree: Tree, solution: Solution, played: BotPlans) -> ExactRow:
    """The figures of one bot."""
    first, second = _values(tree, solution, played.plans)
    high = low = exploitability(tree, played.plans)
    error = 0.0
    if played.parts:
        values = [sum(_values(tree, solution, plans)) / 2 for plans in played.parts]
        error = stdev(values) / sqrt(len(values))
        half = len(played.parts) // 2
        halves = mean_plans(played.parts[:half]), mean_plans(played.parts[half:])
        low = (_gain(tree, *halves) + _gain(tree, *halves[::-1])) / 2
    unfinished = (tree.unfinished(played.plans[0], solution.plans[1]) + tree.unfinished(solution.plans[0], played.plans[1])) / 2
    return ExactRow(
        bot=played.bot,
        first=first,
        second=second,
        value=(first + second) / 2,
        error=error,
        exploitability=(low + high) / 2,
        low=low,
        high=high,
        samples=played.samples,
        unfinished=unfinished,
        accuracy=played.accuracy,
    )


def _values(tree: Tree, solution: Solution, plans: Plans) -> tuple[float, float]:
    """What plans bring against the equilibrium, in seat 0 and in seat 1."""
    return tree.value(plans[0], solution.plans[1]), -tree.value(solution.plans[0], plans[1])


def _gain(tree: Tree, studied: Plans, played: Plans) -> float:
    """What best responses to one half of a sample gain on the other half."""
    as_first = tree.value(best_response(tree, studied[1], 0).plan, played[1])
    as_second = -tree.value(played[0], best_response(tree, studied[0], 1).plan)
    return (as_first + as_second) / 2


# -- searches and their budgets --


def budget_of(entrant: Entrant) -> str | None:
    """The parameter that says how long a search thinks; None for a bot that does not search, or has no such parameter."""
    if not (isinstance(entrant.bot, Bot) and searches(entrant.bot)):
        return None
    declared = {parameter.name for parameter in entrant.bot.parameters}
    return next((name for name in BUDGETS if name in declared), None)


def with_budgets(spec: str, budgets: Sequence[int] = GROWING, game: str | None = None) -> list[str]:
    """A search with each of several budgets, unless its name gives one; any other bot as it is."""
    budget = budget_of(registry.entrant(spec, game))
    if budget is None or f"{budget}=" in spec:
        return [spec]
    return [f"{spec}{',' if ':' in spec.rpartition('.py')[2].lstrip(':') else ':'}{budget}={count}" for count in budgets]


def series_of(entrant: Entrant) -> tuple[str, int]:
    """The name of a search without its budget, and the budget; an empty name and 0 for other bots."""
    budget = budget_of(entrant)
    if budget is None:
        return "", 0
    name, colon, items = entrant.name.rpartition(":")
    kept = [item for item in items.split(",") if not item.startswith(f"{budget}=")] if colon else []
    series = f"{name}:{','.join(kept)}" if kept else name if colon else items
    return series, int(entrant.values[budget])  # type: ignore[arg-type]  # budgets are whole numbers


def parse_budgets(text: str) -> list[int]:
    """Budgets such as 4,16,64."""
    return sorted({whole_number(word, "each of budgets", 1) for word in text.split(",")})


def default_bots(definition: GameDefinition, variant: str) -> list[str]:
    """Every bot of a game; in larger variants only those that do not search, for a search must be asked thousands of times there."""
    is_smallest = variant in ("", *list(definition.face.solved_rules)[:1])
    names = registry.BUILT_IN[definition.name]
    return [name for name in names if is_smallest or not searches(registry.built_in_bot(name, definition.name))]


# -- the study --


@dataclass(eq=False)
class ExactStudy:
    """A solved game and its rows; those not reached before an interruption are missing."""

    game: str
    tree: Tree
    solution: Solution
    samples: int
    seed: int
    rows: list[ExactRow] = field(default_factory=list)
    limits: dict[str, ExactRow] = field(default_factory=dict)  # by series: a search that knows the exact values its own tend to
    unmixed: float | None = None  # the least exploitability of a player who never leaves a choice to chance; None in larger games
    seconds: float = 0.0
    complete: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The study as it stands in JSON."""
        tree, solution = self.tree, self.solution
        return {
            "command": "study",
            "study": "exact",
            "game": self.game,
            "rules": tree.rules.to_text(),
            "positions": len(tree.positions),
            "information_sets": [side.sets for side in tree.sides],
            "sequences": [side.sequences for side in tree.sides],
            "value": solution.value,
            "gap": max(solution.gap, 0.0),
            "unfinished": max(tree.unfinished(*solution.plans), 0.0),
            "unmixed": self.unmixed,
            "samples": self.samples,
            "seed": self.seed,
            "complete": self.complete,
            "rows": [asdict(row) for row in self.rows],
            "limits": [asdict(row) for row in self.limits.values()],
        }


def answers_needed(tree: Tree, bots: Sequence[Any], samples: int) -> int:
    """How many answers searches will be asked for at most."""
    searching = sum(searches(registry.entrant(spec, tree.sitting.game.name).bot) for spec in bots)
    return searching * samples * sum(side.sets for side in tree.sides)


def solved_rules(definition: GameDefinition, variant: str) -> Any:
    """The rules of one of the variants of a game that can be solved; the default rules of a game that names none."""
    known = definition.face.solved_rules
    if not variant and not known:
        return definition.parse_rules(definition.default_rules)
    if variant not in known:
        raise UnknownName("solved game", variant, known or [definition.name])
    return definition.parse_rules(known[variant])


@dataclass(frozen=True, eq=False)
class StudyExact(Investigation[ExactStudy]):
    """How far from perfect do bots play? A tiny game solved, and in it every bot's exploitability and what searches think."""

    kind = "study exact"
    unit = "answers"

    bots: Annotated[
        Sequence[Any] | None,
        bots_asked("Bots; if none is named the built-in ones, of which those that search in the smallest game alone."),
    ] = None
    _: KW_ONLY
    game: GameOfBots = None
    variant: Annotated[
        Any,
        Setting("How large the game is, such as tiny, small or wild; the smallest by default. In Python also rules.", given_as=str | None),
    ] = None
    samples: Annotated[int, Setting("How often a bot that searches is asked at each information set.", "-n")] = SAMPLES
    budgets: Annotated[str, Setting("Budgets, with commas between them, of each search whose name gives none.")] = "4,16,64,256,1024"

    def check(self) -> None:
        """Refuse what cannot be solved or written, and who cannot play."""
        check_samples(self.samples)
        check_seed(self.seed)
        definition = self._definition
        if definition.rebound is None or definition.cooperative:
            why = "its players are one team" if definition.cooperative else "its chance can't be laid open"
            what = f"{definition.title} can't be solved: {why}"
            raise BadBot(f"bot '{self.bots[0]}' plays {definition.name}; {what}.") if self.bots else BadValue(f"{what}.")
        assert self._rules  # says what is wrong with the variant
        super().check()
        for entrant in () if self.absent else (registry.entrant(spec, definition.name) for spec in self.tasks()):
            make_lineup([entrant, entrant], self._rules, "fixed", definition.name)

    def remarks(self) -> list[str]:
        """How the size of a game is named now."""
        return [f"kibitz: --game names the game now; write --variant {self.game}."] if self._is_old_spelling else []

    @property
    def _is_old_spelling(self) -> bool:
        return self.game in registry.game().face.solved_rules

    @cached_property
    def _definition(self) -> GameDefinition:
        game = None if self._is_old_spelling else self.game
        return registry.game(game if self.absent else registry.game_of(self.bots or [], game))

    @property
    def _variant(self) -> Any:
        """The size of the game by name, empty where there is but one; or rules."""
        if self.variant is not None:
            return self.variant
        return self.game if self._is_old_spelling else next(iter(self._definition.face.solved_rules), "")

    @property
    def _label(self) -> str:
        variant = self._variant
        return (variant if isinstance(variant, str) else variant.name) or self._definition.name

    @property
    def _rules(self) -> Any:
        variant = self._variant
        return solved_rules(self._definition, variant) if isinstance(variant, str) else variant

    def marks(self) -> tuple[str, str]:
        """Each game has its own."""
        from kibitz.experiments.studies.exact.figures import marks_of

        return marks_of(self._label)

    def tasks(self) -> Sequence[Any]:
        """The bots, searches with each budget."""
        if self.absent:
            return list(self.bots or ())
        growing = parse_budgets(self.budgets)
        game = self._definition.name
        named = self.bots or default_bots(self._definition, self._variant)
        return [spec for bot in named for spec in (with_budgets(bot, growing, game) if isinstance(bot, str) else [bot])]

    def total(self) -> None:
        """Known when the game is solved."""
        return

    @cached_property
    def _solved(self) -> tuple[Tree, Solution, float | None]:
        tree = build_tree(open_game(self._definition, self._rules))
        few = max(side.sequences for side in tree.sides) <= UNMIXED_SEQUENCES
        return tree, solve(tree), max(-(pure_value(tree, 0) + pure_value(tree, 1)) / 2, 0.0) if few else None

    @cached_property
    def _references(self) -> Any:
        """Knows what the values of searches tend to; None in most games."""
        make = self._definition.face.load("solver_references")
        return make and make(self._solved[0])

    def new_study(self) -> ExactStudy:
        """The solved game, without any bot."""
        tree, solution, unmixed = self._solved
        study = ExactStudy(self._label, tree, solution, self.samples, self.seed)
        study.unmixed = unmixed
        if isinstance(self.progress, Bar):
            self.progress.expect(answers_needed(tree, self.tasks(), self.samples))
        return study

    def do(self, study: ExactStudy, number: int, task: Any) -> None:
        """Ask a bot everywhere."""
        if self.remember(study, number, task):
            return
        entrant = registry.entrant(task, self._definition.name)
        series, budget = series_of(entrant)
        reference = self._references.of(entrant) if self._references and searches(entrant.bot) else None
        self.tell(entrant.name, 0)
        played = self._asked_far(number, task) or policy_of(
            study.tree, entrant, self.samples, self.seed, self.jit, reference=reference, progress=self.tell
        )
        row = replace(row_of(study.tree, study.solution, played), series=series, budget=budget)
        limit = None
        if reference and self._begins_series(number, series):
            plans = BotPlans(f"{series} {WITHOUT_END}", reference.plans(study.tree))
            limit = asdict(replace(row_of(study.tree, study.solution, plans), series=series))
        _add(study, self.into_ledger(number, 1, {"row": asdict(row), "limit": limit}))
        self.tell(entrant.name, 0)

    def _begins_series(self, number: int, series: str) -> bool:
        """Whether no earlier task is of the same series, whoever does it: the limit of a series is kept with its first."""
        return all(series_of(registry.entrant(task, self._definition.name))[0] != series for task in self.tasks()[:number])

    def _asked_far(self, number: int, task: Any) -> BotPlans | None:
        """How a bot plays, asked on the cluster beside all that come after it; None where there is no cluster, or for a bot without a name."""
        cluster = current_cluster()
        if cluster is None or not isinstance(task, str):
            return None
        if not self._far:
            asked = (self._definition.name, self._rules)
            for place, spec in enumerate(self.tasks()):
                if place >= number and isinstance(spec, str) and self.in_ledger(place) is None:
                    self._far[place] = cluster.submit(policy_in, *asked, spec, self.samples, self.seed, self.jit)
        played: BotPlans = self._far[number].result()
        self.tell(task, played.samples * sum(side.sets for side in self._solved[0].sides))
        return played

    @cached_property
    def _far(self) -> dict[int, Future[BotPlans]]:
        """What was asked on the cluster, by task."""
        return {}

    def remember(self, study: ExactStudy, number: int, task: Any) -> bool:
        """What was found of a bot."""
        found = self.in_ledger(number)
        if found is not None:
            _add(study, found)
        return found is not None

    def settled(self) -> dict[str, Any]:
        """All bots with their budgets."""
        return {
            "bots": [registry.entrant(spec, self._definition.name).name if not isinstance(spec, str) else spec for spec in self.tasks()]
        }

    def ending(self, study: ExactStudy) -> str:
        """What is counted, and how long it took."""
        return f"{study.tree.sitting.unit}; {study.seconds:.1f} s"

    def command(self, study: ExactStudy) -> str:
        """The command that makes it again."""
        asked = ["--samples", str(self.samples), "--budgets", self.budgets, "--seed", str(self.seed)]
        which = [] if self._definition.name == registry.game().name else ["--game", self._definition.name]
        which += ["--variant", self._label] if self._variant else []
        words = [*(self.bots or []), *which, *(asked if any(row.samples for row in study.rows) else [])]
        return shlex.join(["kibitz", *self.kind.split(), *words])


study_exact = function_of(StudyExact, "study_exact")


def _add(study: ExactStudy, found: Mapping[str, Any]) -> None:
    study.rows.append(_row_from(found["row"]))
    if found["limit"]:
        limit = _row_from(found["limit"])
        study.limits[limit.series] = limit


def _row_from(found: Mapping[str, Any]) -> ExactRow:
    return ExactRow(**{**found, "accuracy": Accuracy(**found["accuracy"]) if found["accuracy"] else None})
