"""Equilibria: the value of a game and how to play for it, with a certificate.

A best response to each side's plan bounds the value from both sides; whatever found the plans, the bounds hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.errors import KibitzError
from kibitz.search.exact.response import best_response, plan_from
from kibitz.search.exact.sequences import Floats, SequenceForm, Side, add_up

PROGRAM_SEQUENCES = 12_000  # up to so many the linear program is the quicker way
TOLERANCE = 1e-6
MAX_ROUNDS = 20_000
_CHECKED = 50  # rounds between two looks at the bounds


@dataclass(frozen=True, eq=False)
class Solution:
    """Plans of both seats that are an equilibrium up to `gap`: seat 0 can get `low` for certain, and no more than `high`."""

    plans: tuple[Floats, Floats]
    low: float
    high: float
    method: str
    rounds: int = 0

    @property
    def value(self) -> float:
        """What the game is worth to seat 0."""
        return (self.low + self.high) / 2

    @property
    def gap(self) -> float:
        """How far the bounds are apart."""
        return self.high - self.low


def solve(game: SequenceForm, tolerance: float = TOLERANCE) -> Solution:
    """An equilibrium, by whichever way is quicker for a game of this size."""
    if max(side.sequences for side in game.sides) <= PROGRAM_SEQUENCES:
        return solve_by_program(game)
    return solve_by_regret(game, tolerance)


def certify(game: SequenceForm, plans: tuple[Floats, Floats], method: str, rounds: int = 0) -> Solution:
    """Plans with the bounds that best responses prove."""
    low = -best_response(game, plans[0], 1).value
    return Solution(plans, low, best_response(game, plans[1], 0).value, method, rounds)


# -- the linear program in sequence form --


def solve_by_program(game: SequenceForm) -> Solution:
    """An equilibrium by linear programming: seat 0's best plan against the worst answer; seat 1's plan are its prices."""
    found = _program(game, pure=False)
    first, second = game.sides
    plans = (_cleaned(first, found.x[: first.sequences]), _cleaned(second, -found.ineqlin.marginals))
    return certify(game, plans, "linear program", int(found.nit))


def pure_value(game: SequenceForm, seat: int = 0) -> float:
    """What a seat can get for certain by a plan without chance: as much as the value where it need not mix. For small games."""
    return -float(_program(game if seat == 0 else _seats_changed(game), pure=True).fun)


def _seats_changed(game: SequenceForm) -> SequenceForm:
    first, second = game.sides
    return SequenceForm((second, first), game.columns, game.rows, -game.payoffs, game.chances, game.wins)


def _program(game: SequenceForm, pure: bool) -> Any:
    from scipy.optimize import linprog  # a second to import, needed nowhere else
    from scipy.sparse import coo_matrix, hstack

    first, second = game.sides
    payoffs = coo_matrix((game.payoffs, (game.columns, game.rows)), shape=(second.sequences, first.sequences))
    # Variables: the plan of seat 0, then what each information set of seat 1 (and its start) is worth to seat 0.
    objective = np.zeros(first.sequences + 1 + second.sets)
    objective[first.sequences] = -1.0
    found = linprog(
        objective,
        A_ub=hstack([-payoffs, _constraints(second).T], format="csc"),
        b_ub=np.zeros(second.sequences),
        A_eq=hstack([_constraints(first), coo_matrix((1 + first.sets, 1 + second.sets))], format="csc"),
        b_eq=np.eye(1 + first.sets, 1)[:, 0],
        bounds=[(0, None)] * first.sequences + [(None, None)] * (1 + second.sets),
        integrality=np.repeat([1, 0], [first.sequences, 1 + second.sets]) if pure else None,
        method="highs",
    )
    if found.status != 0:
        raise KibitzError(f"a linear program with {objective.size:,} variables was not solved: {found.message}")
    return found


def _constraints(side: Side) -> Any:
    """The equations of plans: sequence 0 has 1, and at every information set the choices add up to what leads there."""
    from scipy.sparse import coo_matrix

    sets = np.arange(side.sets)
    rows = np.concatenate(([0], 1 + sets, 1 + side.owners[1:]))
    columns = np.concatenate(([0], side.parents, np.arange(1, side.sequences)))
    values = np.concatenate(([1.0], -np.ones(side.sets), np.ones(side.sequences - 1)))
    return coo_matrix((values, (rows, columns)), shape=(1 + side.sets, side.sequences))


def _cleaned(side: Side, plan: Floats) -> Floats:
    """The plan without what rounding left: chances of at least 0 that add up exactly."""
    return plan_from(side, _matched(side, np.maximum(plan, 0.0)))


# -- regret matching --


def solve_by_regret(game: SequenceForm, tolerance: float = TOLERANCE, max_rounds: int = MAX_ROUNDS) -> Solution:
    """An equilibrium as the average of self-play: CFR+ that expects the last regrets again, later rounds counting more.

    Rounds go on until the bounds are within the tolerance, or for `max_rounds`; the certificate tells.
    """
    learners = [_Learner(side) for side in game.sides]
    solution = None
    for turn in range(1, max_rounds + 1):
        for seat, learner in enumerate(learners):
            learner.learn(game.gains(seat, learners[1 - seat].plan), turn)
        if turn % _CHECKED == 0 or turn == max_rounds:
            plans = (learners[0].average(), learners[1].average())
            solution = certify(game, plans, "regret matching", turn)
            if solution.gap <= tolerance:
                break
    assert solution is not None
    return solution


class _Learner:
    """One seat's regrets, its present plan, and the sum of plans so far."""

    def __init__(self, side: Side) -> None:
        self.side = side
        self.regrets = np.zeros(side.sequences)
        self.total = np.zeros(side.sequences)
        self._expect(self.regrets)

    def _expect(self, expected: Floats) -> None:
        self.choices = _matched(self.side, np.maximum(expected, 0.0))
        self.plan = plan_from(self.side, self.choices)

    def learn(self, gains: Floats, turn: int) -> None:
        """Take account of what each sequence would have brought."""
        side, values = self.side, gains
        new = np.zeros(side.sequences)
        for level in reversed(side.levels):
            stretch = values[level.sequences]
            worth = np.add.reduceat(stretch * self.choices[level.sequences], level.starts)
            new[level.sequences] = stretch - np.repeat(worth, side.counts[level.sets])
            values += add_up(side.parents[level.sets], worth, side.sequences)
        self.regrets = np.maximum(self.regrets + new, 0.0)
        self._expect(self.regrets + new)
        self.total += turn * turn * self.plan

    def average(self) -> Floats:
        """The average plan."""
        return plan_from(self.side, _matched(self.side, self.total))


def _matched(side: Side, weights: Floats) -> Floats:
    """Choices in proportion to weights, uniform at information sets where all are 0."""
    choices = np.ones(side.sequences)
    if side.sets:
        sums = np.repeat(np.add.reduceat(weights[1:], side.starts - 1), side.counts)
        uniform = 1.0 / np.repeat(side.counts, side.counts)
        choices[1:] = np.divide(weights[1:], sums, out=uniform, where=sums > 0)
    return choices
