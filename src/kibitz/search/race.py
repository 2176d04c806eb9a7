"""A race between the candidates of one decision: they are tried in common worlds, and ever fewer of them (sequential halving).

`rollouts` and `ismcts` both decide by one; their working space is a `Race`. The base action, what would be done without a
search, is entered first and stays in to the end, so that every other candidate is compared with it in pairs: common worlds make
differences between candidates much less noisy than their values. The race keeps both.
"""

from __future__ import annotations

from math import sqrt
from typing import Annotated

from kibitz.core.jit import number
from kibitz.core.layouts import Int, Long
from kibitz.policies.valuation import MOST_ACTIONS, Valuation, list_action

Figures = Annotated[list[float], "f8", MOST_ACTIONS]

FEWEST = 4  # from fewer worlds no error can be told
HOPELESS = 3.5  # so many standard errors behind, a candidate is given up
FUTILE = 2.0  # so many standard errors short of what it needs in the end


class Race(Valuation):
    """Candidates by place, in the order in which they were entered, and what is known of each."""

    runners: Annotated[list[int], "i4", MOST_ACTIONS]  # their actions
    tried: Annotated[list[int], "i8", MOST_ACTIONS]  # worlds each was tried in
    sums: Figures  # results, added up
    result_squares: Figures  # the squares of results
    differences: Figures  # results less those of the base action in the same worlds
    squares: Figures  # the squares of these
    handicaps: Figures  # by how much a candidate must lead the base action before its lead counts
    alive: Annotated[list[int], "i4", MOST_ACTIONS]  # places of those still in the race, the base action first
    entered: Int
    racing: Int
    games: Long  # rollouts so far


def open_race(race: Race) -> None:
    """Nobody has entered yet."""
    race.entered = 0
    race.racing = 0
    race.games = 0


def enter(race: Race, action: int) -> None:
    """One candidate more."""
    place = number(race.entered)
    race.runners[place] = action
    race.tried[place] = 0
    race.sums[place] = 0.0
    race.result_squares[place] = 0.0
    race.differences[place] = 0.0
    race.squares[place] = 0.0
    race.handicaps[place] = 0.0
    race.alive[place] = place
    race.entered = place + 1
    race.racing = place + 1


def rounds_of(race: Race) -> int:
    """How many rounds it takes until at most two others are left, if the worse half of them goes after each but the last."""
    rounds = number(1)
    while (1 << rounds) < number(race.entered):
        rounds += 1
    return rounds


def note_result(race: Race, place: int, result: float, base_result: float) -> None:
    """How a candidate came out of a world, and the base action in the same one."""
    difference = result - base_result
    race.sums[place] += result
    race.result_squares[place] += result * result
    race.differences[place] += difference
    race.squares[place] += difference * difference
    race.tried[place] += 1


def lead_error(race: Race, place: int) -> float:
    """The standard error of a candidate's mean difference from the base action."""
    visits = number(race.tried[place])
    mean = race.differences[place] / visits
    return sqrt(max(race.squares[place] / visits - mean * mean, 0.0) / visits)


def drop_hopeless(race: Race) -> None:
    """Drop every candidate that is worse than the base action beyond doubt."""
    kept = number(1)
    for order in range(1, number(race.racing)):
        place = number(race.alive[order])
        if race.differences[place] / race.tried[place] + HOPELESS * lead_error(race, place) >= 0.0:
            race.alive[kept] = place
            kept += 1
    race.racing = kept


def drop_outrun(race: Race, errors: float, bonus: float) -> None:
    """Drop every candidate that is so many standard errors behind the leader; the base action stays, and leads by a bonus."""
    leader, lead, doubt = number(0), bonus, 0.0
    for order in range(1, number(race.racing)):
        place = number(race.alive[order])
        mean = race.differences[place] / race.tried[place]
        if mean > lead:
            leader, lead, doubt = place, mean, lead_error(race, place)
    kept = number(1)
    for order in range(1, number(race.racing)):
        place = number(race.alive[order])
        own = lead_error(race, place)
        behind = lead - race.differences[place] / race.tried[place]
        if place == leader or behind <= errors * sqrt(own * own + doubt * doubt):
            race.alive[kept] = place
            kept += 1
    race.racing = kept


def drop_futile(race: Race, lean: float, margin: float, budget: int, short: float) -> None:
    """Drop every candidate that will hardly pass `winner_of` once all worlds of a budget are tried; the base action stays.

    From its lead so far the last one is told with an error of sqrt(e² - E²), e being its standard error now and E that at the end.
    Who would need `short` of these more is dropped.
    """
    kept = number(1)
    for order in range(1, number(race.racing)):
        place = number(race.alive[order])
        visits, now = number(race.tried[place]), lead_error(race, place)
        end = now * sqrt(visits / max(budget, visits))
        if race.differences[place] / visits + short * sqrt(max(now * now - end * end, 0.0)) > margin + lean * end:
            race.alive[kept] = place
            kept += 1
    race.racing = kept


def is_clear(race: Race, errors: float, margin: float) -> bool:
    """Whether one candidate is left besides the base action, and leads it by a margin and so many standard errors."""
    if race.racing != 2:
        return False
    place = number(race.alive[1])
    return bool(race.differences[place] / race.tried[place] > margin + errors * lead_error(race, place))


def drop_worse_half(race: Race) -> None:
    """Keep the base action and the better half of the others."""
    others = number(race.racing) - 1
    kept = (others + 1) // 2
    for order in range(1, kept + 1):  # selection sort of the best ones to the front
        best = order
        for other in range(order + 1, others + 1):
            if race.sums[race.alive[other]] > race.sums[race.alive[best]]:
                best = other
        swapped = race.alive[order]
        race.alive[order] = race.alive[best]
        race.alive[best] = swapped
    race.racing = kept + 1


def winner_of(race: Race, lean: float, margin: float) -> int:
    """The base action, or the best one if its lead is more than `lean` standard errors and a margin.

    From fewer than FEWEST worlds no error can be told, so the base action stands.
    """
    best = number(0)
    lead = 0.0
    for order in range(1, number(race.racing)):
        place = number(race.alive[order])
        ahead = race.differences[place] - race.tried[place] * race.handicaps[place]
        if ahead > lead:
            best = place
            lead = ahead
    if best > 0:
        visits = number(race.tried[best])
        if visits < FEWEST or lead / visits <= margin + lean * lead_error(race, best):
            best = number(0)
    return number(race.runners[best])


def value_of(race: Race, place: int) -> float:
    """The mean result of a candidate."""
    visits = number(race.tried[place])
    return race.sums[place] / visits if visits > 0 else 0.0


def error_of(race: Race, place: int) -> float:
    """The standard error of that."""
    visits = max(number(race.tried[place]), 1)
    value = value_of(race, place)
    return sqrt(max(race.result_squares[place] / visits - value * value, 0.0) / visits)


def list_runners(race: Race, futures: int) -> None:
    """Fill in the table of what is thought of each candidate; a world counts as so many visits."""
    for place in range(number(race.entered)):
        list_action(race, number(race.runners[place]), value_of(race, place), error_of(race, place), number(race.tried[place]) * futures)
