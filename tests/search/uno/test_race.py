"""The race between the candidates of a decision."""

from math import sqrt

import pytest

from kibitz.core.layouts import blank
from kibitz.policies.valuation import listed_rows
from kibitz.search.race import (
    FEWEST,
    FUTILE,
    HOPELESS,
    Race,
    drop_futile,
    drop_hopeless,
    drop_worse_half,
    enter,
    is_clear,
    list_runners,
    note_result,
    open_race,
    rounds_of,
    winner_of,
)

FUTURES = 2


def race_of(sums: list[float], tried: int = 4) -> Race:
    """Candidates 10, 11, …, each with its results in so many worlds added up; what they lead by is the same in every world."""
    work = blank(Race)
    work.entered = work.racing = len(sums)
    for place, total in enumerate(sums):
        work.alive[place], work.runners[place] = place, 10 + place
        work.sums[place], work.tried[place] = total, tried
        work.result_squares[place] = total * total / tried
        work.differences[place] = total - sums[0]
        work.squares[place] = work.differences[place] ** 2 / tried
    return work


@pytest.mark.parametrize(
    ("sums", "kept"),
    [
        ([0, 3, 1, 4, 2], [0, 3, 1]),
        ([0, 1, 2, 3], [0, 3, 2]),
        ([4, 1, 2], [0, 2]),
        ([4, 1], [0, 1]),
        ([1], [0]),
        ([2, 1, 1, 1, 1], [0, 1, 2]),
    ],
)
def test_halving_keeps_the_base_action_and_the_better_half(sums: list[float], kept: list[int]) -> None:
    work = race_of(sums)
    drop_worse_half(work)
    assert work.alive[: work.racing] == kept
    assert sorted(work.alive[: work.entered]) == list(range(len(sums)))


def test_the_leader_is_taken_and_those_out_of_the_race_are_not() -> None:
    work = race_of([1, 2, 4, 3])
    assert winner_of(work, 0.0, 0.0) == 12
    work.alive[:4], work.racing = [0, 3, 1, 2], 3
    assert winner_of(work, 0.0, 0.0) == 13
    assert winner_of(race_of([3, 2, 1]), 0.0, 0.0) == 10
    assert winner_of(race_of([3, 3, 3]), 0.0, 0.0) == 10


def test_the_base_action_stands_unless_the_lead_is_large_enough() -> None:
    """Better by 1 in 10 of 100 worlds and equal in the rest: a mean of 0.1 with a standard error of 0.03."""
    work = race_of([40, 50], 100)
    work.squares[1] = 10.0
    assert winner_of(work, 0.1 / 0.03 - 0.01, 0.0) == 11
    assert winner_of(work, 0.1 / 0.03 + 0.01, 0.0) == 10
    assert winner_of(work, 0.0, 0.09) == 11
    assert winner_of(work, 0.0, 0.11) == 10
    assert winner_of(work, 2.0, 0.05) == 10


def test_what_will_hardly_pass_in_the_end_is_dropped() -> None:
    """Better by 1 in 10 of 100 worlds, as above: the standard error is 0.03 now, and will be 0.015 after 400 worlds."""
    end = 0.015
    change = FUTILE * sqrt(0.03**2 - end**2)
    for lean, margin, kept in [
        (0.0, 0.1 + change - 0.001, [0, 1]),
        (0.0, 0.1 + change + 0.001, [0]),
        (1.5, 0.1 + change - 1.5 * end - 0.001, [0, 1]),
        (1.5, 0.1 + change - 1.5 * end + 0.001, [0]),
    ]:
        work = race_of([40, 50], 100)
        work.squares[1] = 10.0
        drop_futile(work, lean, margin, 400, FUTILE)
        assert work.alive[: work.racing] == kept
    # With the budget spent it is the very test that decides.
    for margin in (0.09, 0.11):
        work = race_of([40, 50], 100)
        work.squares[1] = 10.0
        drop_futile(work, 0.0, margin, 100, FUTILE)
        assert (work.racing == 2) == (winner_of(race_of([40, 50], 100), 0.0, margin) == 11)


def test_a_clear_lead_ends_the_race() -> None:
    """Better by 1 in 10 of 100 worlds, as above: a mean of 0.1 with a standard error of 0.03."""
    work = race_of([40, 50], 100)
    work.squares[1] = 10.0
    assert is_clear(work, 0.1 / 0.03 - 0.01, 0.0) and not is_clear(work, 0.1 / 0.03 + 0.01, 0.0)
    assert is_clear(work, 2.0, 0.03) and not is_clear(work, 2.0, 0.05)
    # Not as long as another might be better still, and not if nobody is left.
    assert not is_clear(race_of([40, 90, 90]), 0.0, 0.0)
    assert not is_clear(race_of([40]), 0.0, 0.0)


def test_a_handicap_must_be_made_up_for() -> None:
    """Leads of 0.1 and 0.2 in the mean of 10 worlds; what is left of each after its handicap counts."""
    work = race_of([4, 5, 6], 10)
    assert winner_of(work, 0.0, 0.0) == 12
    work.handicaps[2] = 0.15
    assert winner_of(work, 0.0, 0.0) == 11
    assert winner_of(work, 0.0, 0.11) == 10
    work.handicaps[1] = 0.11
    assert winner_of(work, 0.0, 0.0) == 12
    assert winner_of(work, 0.0, 0.06) == 10
    work.handicaps[2] = 0.21
    assert winner_of(work, 0.0, 0.0) == 10


def test_the_table_has_values_errors_and_visits() -> None:
    work = race_of([40, 50], 100)
    work.result_squares[0], work.result_squares[1] = 40.0, 30.0
    list_runners(work, FUTURES)
    expected = [(10, 0.4, sqrt((0.4 - 0.16) / 100), 100 * FUTURES), (11, 0.5, sqrt((0.3 - 0.25) / 100), 100 * FUTURES)]
    assert list(listed_rows(work)) == [pytest.approx(row) for row in expected]


def test_results_are_noted_in_pairs() -> None:
    race = blank(Race)
    open_race(race)
    for action in (7, 8):
        enter(race, action)
    for result, base in ((1.0, 0.0), (0.5, 1.0), (1.0, 1.0), (1.0, 0.0)):
        note_result(race, 0, base, base)
        note_result(race, 1, result, base)
    assert race.tried[:2] == [4, 4]
    assert (race.sums[1], race.differences[1], race.squares[1], race.result_squares[1]) == (3.5, 1.5, 2.25, 3.25)
    assert (race.differences[0], race.squares[0]) == (0.0, 0.0)
    assert winner_of(race, 0.0, 0.0) == 8


def test_too_few_worlds_decide_nothing() -> None:
    assert winner_of(race_of([0, 3], FEWEST - 1), 0.0, 0.0) == 10
    assert winner_of(race_of([0, 3], FEWEST), 0.0, 0.0) == 11


def test_who_is_behind_beyond_doubt_is_dropped() -> None:
    """Worse by 1 in 10 of 100 worlds and equal in the rest is 3.33 standard errors; in 12 of 100 it is 3.69."""
    race = race_of([50, 40, 38, 60], 100)
    race.squares[1], race.squares[2], race.squares[3] = 10.0, 12.0, 10.0
    assert 3.33 < HOPELESS < 3.69
    drop_hopeless(race)
    assert race.alive[: race.racing] == [0, 1, 3]


@pytest.mark.parametrize(("entered", "rounds"), [(1, 1), (2, 1), (3, 2), (4, 2), (5, 3), (8, 3), (9, 4)])
def test_the_last_round_is_between_the_base_action_and_two_others_at_most(entered: int, rounds: int) -> None:
    race = race_of([0.0] * entered)
    assert rounds_of(race) == rounds
    for _ in range(rounds - 1):
        drop_worse_half(race)
    assert min(entered, 2) <= race.racing <= 3
