"""How exploitable bots are in a solved game: plans of bots, and a row of figures for each.

A sampled plan carries error, which two figures enclose: a best response to the whole sample knows its noise and gains too
much; one found on half of it and played against the other half gains too little.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kibitz import registry
from kibitz.arena.exact.minds import CompiledMind, ManyNumbers, PlainMind
from kibitz.arena.lineup import make_lineup
from kibitz.bots.bot import Bot
from kibitz.errors import BadBot, BadValue
from kibitz.games.uno.rules import Rules, parse_rules
from kibitz.search.exact.policy import Player, plan_of
from kibitz.search.exact.response import best_response, exploitability
from kibitz.search.exact.sequences import Floats
from kibitz.search.exact.solve import Solution, solve
from kibitz.search.exact.tree import Tree, build_tree

SAMPLES = 200

# Names and rules of games that are solved in seconds.
GAMES = {
    "tiny": "numbers,deck=r1*2/r2*2/g1*2/g2*2,hand_size=2,starter=seat_0",
    "small": "numbers,deck=r1*2/r2*2/r3/g1*2/g2*2/g3,hand_size=3,starter=seat_0",
}

Plans = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class BotPlans:
    """How a bot plays a tree in both seats; sampled plans come with those of either half of the sample."""

    bot: str
    plans: Plans
    samples: int = 0  # answers at each information set; 0 if the plans are exact
    halves: tuple[Plans, Plans] | None = None


@dataclass(frozen=True)
class ExactRow:
    """A bot against the equilibrium and against its best opponent, on average over both seats; wins count 1, losses -1.

    `exploitability` is what the best opponent gains, between `low` and `high` where the bot was sampled.
    """

    bot: str
    first: float  # in seat 0, against the equilibrium
    second: float  # in seat 1
    value: float  # the mean of both
    exploitability: float
    low: float
    high: float
    samples: int
    unfinished: float  # how often nobody wins against the equilibrium


def policy_of(tree: Tree, spec: Any, samples: int = SAMPLES, seed: int = 1, jit: bool = True) -> BotPlans:
    """How a bot plays a tree: exactly if it draws few random numbers, else from so many answers at each information set."""
    entrant = registry.entrant(spec)
    if isinstance(entrant.bot, Bot) and entrant.bot.sees_everything:
        raise BadBot(f"bot '{entrant.name}' sees everything; information sets mean nothing to it.")
    if samples < 2:
        raise BadValue(f"samples={samples} is not accepted: at least 2 are needed.")
    lineup = make_lineup([entrant, entrant], tree.engine.rules, seating="fixed")
    try:
        exact = PlainMind(lineup)
        return BotPlans(entrant.name, (plan_of(tree, exact, 0), plan_of(tree, exact, 1)))
    except ManyNumbers:
        pass
    compiled = jit and os.environ.get("KIBITZ_JIT") != "0" and entrant.is_compiled
    make: Callable[..., Player] = CompiledMind if compiled else PlainMind
    halves = []
    for half, count in enumerate((samples - samples // 2, samples // 2)):
        player = make(lineup, count, 2 * seed + half)
        halves.append((plan_of(tree, player, 0), plan_of(tree, player, 1)))
    share = (samples - samples // 2) / samples
    first, second = (share * halves[0][seat] + (1 - share) * halves[1][seat] for seat in (0, 1))
    return BotPlans(entrant.name, (first, second), samples, (halves[0], halves[1]))


def row_of(tree: Tree, solution: Solution, played: BotPlans) -> ExactRow:
    """The figures of one bot."""
    first = tree.value(played.plans[0], solution.plans[1])
    second = -tree.value(solution.plans[0], played.plans[1])
    high = exploitability(tree, played.plans)
    low = high
    if played.halves:
        low = sum(_gain(tree, *pair) for pair in (played.halves, played.halves[::-1])) / 2
    unfinished = (tree.unfinished(played.plans[0], solution.plans[1]) + tree.unfinished(solution.plans[0], played.plans[1])) / 2
    return ExactRow(played.bot, first, second, (first + second) / 2, (low + high) / 2, low, high, played.samples, unfinished)


def _gain(tree: Tree, studied: Plans, played: Plans) -> float:
    """What best responses to one half of a sample gain on the other half."""
    as_first = tree.value(best_response(tree, studied[1], 0).plan, played[1])
    as_second = -tree.value(played[0], best_response(tree, studied[0], 1).plan)
    return (as_first + as_second) / 2


@dataclass(frozen=True, eq=False)
class ExactStudy:
    """A solved game and its rows."""

    tree: Tree
    solution: Solution
    rows: list[ExactRow]


def study_exact(
    bots: Sequence[Any],
    rules: str | Rules = GAMES["tiny"],
    samples: int = SAMPLES,
    seed: int = 1,
    jit: bool = True,
    progress: Callable[[str], None] = lambda name: None,
) -> ExactStudy:
    """Solve a game and show how far from its equilibrium each bot plays."""
    tree = build_tree(parse_rules(rules) if isinstance(rules, str) else rules)
    solution = solve(tree)
    rows = []
    for spec in bots:
        progress(str(spec))
        rows.append(row_of(tree, solution, policy_of(tree, spec, samples, seed, jit)))
    return ExactStudy(tree, solution, rows)
