"""How exploitable bots are in a solved game: plans of bots, and a row of figures for each.

A sampled plan carries error, which two figures enclose: a best response to the whole sample knows its noise and gains too
much; one found on half of it and played against the other half gains too little.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import stdev
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.arena.exact.minds import CompiledMind, ManyNumbers, PlainMind
from kibitz.arena.lineup import make_lineup
from kibitz.errors import BadValue
from kibitz.games.uno.rules import Rules, parse_rules
from kibitz.search.exact.policy import Player, plan_of
from kibitz.search.exact.response import best_response, exploitability
from kibitz.search.exact.sequences import Floats
from kibitz.search.exact.solve import Solution, solve
from kibitz.search.exact.tree import Tree, build_tree

SAMPLES = 200
PARTS = 4  # a sample is taken in so many parts, whose spread gives its error

# Games that are solved in seconds: for tests, with three cards each, and with a wild.
GAMES = {
    "tiny": "numbers,deck=r1*2/r2*2/g1*2/g2*2,hand_size=2,starter=seat_0",
    "small": "numbers,deck=r1*2/r2*2/r3/g1*2/g2*2/g3,hand_size=3,starter=seat_0",
    "wild": "classic,must_play=on,deck=r1*2/r2*2/g1*2/g2*2/wild,hand_size=2,starter=seat_0",
}

Plans = tuple[Floats, Floats]


@dataclass(frozen=True, eq=False)
class BotPlans:
    """How a bot plays a tree in both seats; sampled plans are the means of `parts`, which are independent of each other."""

    bot: str
    plans: Plans
    samples: int = 0  # answers at each information set; 0 if the plans are exact
    parts: tuple[Plans, ...] = ()


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


def policy_of(tree: Tree, spec: Any, samples: int = SAMPLES, seed: int = 1, jit: bool = True, sampled: bool = False) -> BotPlans:
    """How a bot plays a tree: exactly if it draws few random numbers, else from so many answers at each information set.

    `sampled` asks in any case, which is quicker for bots that think long and compiled; `jit=False` asks in plain Python.
    """
    entrant = registry.entrant(spec)
    if samples < PARTS or samples % PARTS:
        raise BadValue(f"samples={samples} is not accepted: a multiple of {PARTS} is needed.")
    lineup = make_lineup([entrant, entrant], tree.engine.rules, seating="fixed")
    if not sampled:
        try:
            exact = PlainMind(lineup)
            return BotPlans(entrant.name, (plan_of(tree, exact, 0), plan_of(tree, exact, 1)))
        except ManyNumbers:
            pass
    compiled = jit and os.environ.get("KIBITZ_JIT") != "0" and entrant.is_compiled
    make: Callable[..., Player] = CompiledMind if compiled else PlainMind
    parts = []
    for part in range(PARTS):
        player = make(lineup, samples // PARTS, PARTS * seed + part)
        parts.append((plan_of(tree, player, 0), plan_of(tree, player, 1)))
    return BotPlans(entrant.name, mean_plans(parts), samples, tuple(parts))


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
    return ExactRow(played.bot, first, second, (first + second) / 2, error, (low + high) / 2, low, high, played.samples, unfinished)


def _values(tree: Tree, solution: Solution, plans: Plans) -> tuple[float, float]:
    """What plans bring against the equilibrium, in seat 0 and in seat 1."""
    return tree.value(plans[0], solution.plans[1]), -tree.value(solution.plans[0], plans[1])


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
    rules: str | Rules = "small",
    samples: int = SAMPLES,
    seed: int = 1,
    jit: bool = True,
    progress: Callable[[str], None] = lambda name: None,
) -> ExactStudy:
    """Solve a game, one of GAMES or any rules for two, and show how far from its equilibrium each bot plays."""
    tree = build_tree(parse_rules(GAMES.get(rules, rules)) if isinstance(rules, str) else rules)
    solution = solve(tree)
    rows = []
    for spec in bots:
        progress(str(spec))
        rows.append(row_of(tree, solution, policy_of(tree, spec, samples, seed, jit)))
    return ExactStudy(tree, solution, rows)
