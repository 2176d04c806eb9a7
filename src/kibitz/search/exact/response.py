"""Plans and best responses: what a way of playing is worth, and how much its best opponent gets.

A *plan* gives each sequence of a seat the chance that the seat makes all these choices where it can; it is 1 for sequence 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from kibitz.search.exact.sequences import Floats, SequenceForm, Side, add_up


class Response(NamedTuple):
    """A best response: what it brings the seat that responds, and its plan."""

    value: float
    plan: Floats


def best_response(game: SequenceForm, plan: Floats, seat: int) -> Response:
    """The best a seat can do against the other seat's plan; of equally good actions the first."""
    values, choices = _backwards(game, plan, seat)
    return Response(float(values[0]), plan_from(game.sides[seat], choices))


def action_values(game: SequenceForm, plan: Floats, seat: int) -> Floats:
    """What each action brings a seat on average at its information set, if it goes on as well as it can against a plan.

    By sequence; the value of the game for sequence 0. Where the plan never leads to an information set, nan.
    """
    values, _ = _backwards(game, plan, seat)
    chances = reach(game, plan, seat)
    means: Floats = np.full(len(values), np.nan)
    np.divide(values, chances, out=means, where=chances > 0)
    return means


def reach(game: SequenceForm, plan: Floats, seat: int) -> Floats:
    """How likely chance and the other seat's plan lead to the information set of each sequence, its own choices taken for granted."""
    side = game.sides[seat]
    chances = game.mass(seat, plan)
    for level in reversed(side.levels):
        chances += add_up(side.parents[level.sets], chances[side.starts[level.sets]], side.sequences)
    return chances


def _backwards(game: SequenceForm, plan: Floats, seat: int) -> tuple[Floats, Floats]:
    """From the last decisions back: what each sequence is worth, times how likely it is reached; and the best choices."""
    side = game.sides[seat]
    values = game.gains(seat, plan)
    choices = np.zeros(side.sequences)
    for level in reversed(side.levels):
        stretch = values[level.sequences]
        best = np.maximum.reduceat(stretch, level.starts)
        is_best = stretch == np.repeat(best, side.counts[level.sets])
        before = np.cumsum(is_best)
        earlier = np.repeat((before - is_best)[level.starts], side.counts[level.sets])
        choices[level.sequences] = is_best & (before - earlier == 1)
        values += add_up(side.parents[level.sets], best, side.sequences)
    return values, choices


def plan_from(side: Side, choices: Floats) -> Floats:
    """The plan of a policy that gives the chance of each sequence's action at its information set."""
    plan = np.zeros(side.sequences)
    plan[0] = 1.0
    for level in side.levels:
        plan[level.sequences] = np.repeat(plan[side.parents[level.sets]], side.counts[level.sets]) * choices[level.sequences]
    return plan


def choices_from(side: Side, plan: Floats) -> Floats:
    """The policy behind a plan; uniform at information sets that the plan never reaches."""
    choices = np.zeros(side.sequences)
    reach = np.repeat(plan[side.parents], side.counts)
    uniform = 1.0 / np.repeat(side.counts, side.counts)
    choices[1:] = np.divide(plan[1:], reach, out=uniform, where=reach > 0)
    return choices


def uniform_plan(side: Side) -> Floats:
    """The plan of a player to whom all legal actions are the same."""
    return plan_from(side, choices_from(side, np.zeros(side.sequences)))


def exploitability(game: SequenceForm, plans: tuple[Floats, Floats]) -> float:
    """What a best response gains on a player who uses one plan in seat 0 and the other in seat 1, on average over both seats.

    It is 0 for an equilibrium and for nothing else. Where the game itself favours a seat, this cancels out.
    """
    return (best_response(game, plans[1], 0).value + best_response(game, plans[0], 1).value) / 2
