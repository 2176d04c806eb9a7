"""Where compiled code can be stopped: in every loop that may take long, and in no short one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numba
import pytest
from numba.core.compiler import Compiler

from kibitz.core import stopping

MANY = stopping.SHORT_LOOP + 1


@pytest.fixture
def stopped() -> Iterator[None]:
    stopping.stop()
    yield
    stopping.go_on()


def short_range(rounds: int) -> int:
    total = 0
    for card in range(54):
        total += card * rounds
    return total


def range_of_an_argument(rounds: int) -> int:
    total = 0
    for card in range(rounds):
        total += card * rounds
    return total


def long_range(rounds: int) -> int:
    total = 0
    for card in range(MANY):
        total += card * rounds
    return total


def range_around_a_range(rounds: int) -> int:
    total = 0
    for first in range(40):
        for second in range(40):
            total += first * second * rounds
    return total


def while_loop(rounds: int) -> int:
    while rounds > 0:
        rounds -= 1
    return rounds


def over_a_list(rounds: int) -> int:
    total = 0
    for value in [rounds, 1, 2]:
        total += value
    return total


def compiled(func: Callable[[int], int]) -> Callable[[int], int]:
    stopping.link_flag()
    return numba.njit("int64(int64)", pipeline_class=stopping.stoppable(Compiler))(func)  # type: ignore[no-any-return]  # Numba has no type hints


@pytest.mark.parametrize("func", [range_of_an_argument, long_range, range_around_a_range, while_loop, over_a_list])
def test_long_loops_stop(func: Callable[[int], int], stopped: None) -> None:
    twin = compiled(func)
    with pytest.raises(stopping.Halted):
        twin(3)
    stopping.go_on()
    assert twin(3) == func(3)


def test_short_loops_have_no_stop_point(stopped: None) -> None:
    assert compiled(short_range)(3) == short_range(3)
