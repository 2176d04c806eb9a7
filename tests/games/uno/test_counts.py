"""Multisets in bit planes against plain lists of counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kibitz.games.uno.cards import CARD_TYPES, MAX_COPIES
from kibitz.games.uno.counts import (
    add_to_planes,
    cards_from,
    count_in,
    counts_from,
    difference,
    exceeds,
    planes_from,
    size_of,
    size_within,
    smaller,
    take_from_planes,
    types_in,
)

COUNTS = st.lists(st.integers(0, MAX_COPIES), min_size=CARD_TYPES, max_size=CARD_TYPES)
MASKS = st.integers(0, 2**CARD_TYPES - 1)


def types_where(flags: list[bool]) -> int:
    return sum(1 << card for card, flag in enumerate(flags) if flag)


def is_in(mask: int, card: int) -> bool:
    return bool(mask >> card & 1)


@given(COUNTS)
def test_planes_give_back_the_counts(counts: list[int]) -> None:
    planes = planes_from(counts)
    assert counts_from(planes) == counts
    assert planes_from(tuple(counts)) == planes
    assert [count_in(planes, card) for card in range(CARD_TYPES)] == counts


@given(COUNTS)
def test_cards_stand_in_the_order_of_the_types(counts: list[int]) -> None:
    assert cards_from(planes_from(counts)) == [card for card in range(CARD_TYPES) for _ in range(counts[card])]


@given(COUNTS, MASKS)
def test_size_is_the_sum_of_the_counts(counts: list[int], mask: int) -> None:
    assert size_of(planes_from(counts)) == sum(counts)
    assert size_within(planes_from(counts), mask) == sum(count for card, count in enumerate(counts) if is_in(mask, card))


@given(COUNTS)
def test_types_are_those_with_a_copy(counts: list[int]) -> None:
    assert types_in(planes_from(counts)) == types_where([count > 0 for count in counts])


@given(COUNTS, MASKS)
def test_adding_gives_one_copy_more_of_each_type(counts: list[int], mask: int) -> None:
    chosen = mask & types_where([count < MAX_COPIES for count in counts])
    added = counts_from(add_to_planes(*planes_from(counts), chosen))
    assert added == [count + is_in(chosen, card) for card, count in enumerate(counts)]


@given(COUNTS, MASKS)
def test_taking_leaves_one_copy_less_of_each_type(counts: list[int], mask: int) -> None:
    chosen = mask & types_where([count > 0 for count in counts])
    left = counts_from(take_from_planes(*planes_from(counts), chosen))
    assert left == [count - is_in(chosen, card) for card, count in enumerate(counts)]


@given(COUNTS, MASKS)
def test_taking_undoes_adding(counts: list[int], mask: int) -> None:
    chosen = mask & types_where([count < MAX_COPIES for count in counts])
    assert take_from_planes(*add_to_planes(*planes_from(counts), chosen), chosen) == planes_from(counts)


@given(COUNTS, COUNTS)
def test_exceeds_compares_type_by_type(first: list[int], second: list[int]) -> None:
    expected = types_where([one > other for one, other in zip(first, second, strict=True)])
    assert exceeds(planes_from(first), planes_from(second)) == expected


@given(COUNTS, COUNTS)
def test_smaller_takes_the_lesser_count_of_each_type(first: list[int], second: list[int]) -> None:
    assert counts_from(smaller(planes_from(first), planes_from(second))) == [min(pair) for pair in zip(first, second, strict=True)]


@given(COUNTS, COUNTS)
def test_difference_subtracts_type_by_type(first: list[int], second: list[int]) -> None:
    contained = [min(pair) for pair in zip(first, second, strict=True)]
    expected = [one - other for one, other in zip(first, contained, strict=True)]
    assert counts_from(difference(planes_from(first), planes_from(contained))) == expected
