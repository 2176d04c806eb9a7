"""Chi-square tests of everything that is drawn at random.

Each test states its sample and accepts a false alarm once in a million seeds; the seeds are fixed, so a test that
passes once passes always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from itertools import permutations
from typing import Any

import pytest
from scipy.stats import chi2

from kibitz.core.layouts import blank
from kibitz.core.seeds import DEAL, FIRST_SEAT, SEARCH, SEATING, below, game_key, scramble, stream
from kibitz.games.uno import engine
from kibitz.games.uno.cards import CARD_TYPES, MAX_CARDS, STANDARD_DECK, WILD_DRAW_FOUR
from kibitz.games.uno.counts import planes_from
from kibitz.games.uno.piles import draw_card
from kibitz.games.uno.rules import Rules
from kibitz.games.uno.state import new_state
from kibitz.games.uno.view import View
from kibitz.play.loop import RANDOM, BotTable, draw_seats

FALSE_ALARM = 1e-6
PLAYERS = 3
DEALS = 60_000


def assert_follows(seen: Iterable[Any], weights: Mapping[Any, float]) -> None:
    """The sample could well come from these weights: its chi-square is below the limit that one in a million exceeds."""
    counts = Counter(seen)
    sample, total = counts.total(), sum(weights.values())
    expected = {value: sample * weight / total for value, weight in weights.items()}
    assert set(counts) <= set(weights)
    assert min(expected.values()) >= 5, "too small a sample for chi-square"
    statistic = sum((counts[value] - mean) ** 2 / mean for value, mean in expected.items())
    assert statistic < chi2.isf(FALSE_ALARM, len(weights) - 1)


def even(values: Iterable[Any]) -> dict[Any, float]:
    return dict.fromkeys(values, 1.0)


@cache
def deals() -> list[tuple[tuple[int, ...], tuple[int, ...], int, int]]:
    """DEALS deals for three players: the first and the seventh card of every seat, the opening card, the dealer."""
    state = new_state(Rules(), PLAYERS)
    state.ordered = [1] * len(state.ordered)
    dealt = []
    for index in range(DEALS):
        engine.deal(state, game_key(2024, index))
        first = tuple(state.orders[seat * MAX_CARDS] for seat in range(PLAYERS))
        seventh = tuple(state.orders[seat * MAX_CARDS + 6] for seat in range(PLAYERS))
        dealt.append((first, seventh, state.top, state.dealer))
    return dealt


DECK = {card: float(count) for card, count in enumerate(STANDARD_DECK) if count}


@pytest.mark.parametrize("seat", range(PLAYERS))
def test_first_card_of_a_seat_is_any_card_of_the_deck(seat: int) -> None:
    assert_follows((first[seat] for first, _, _, _ in deals()), DECK)


@pytest.mark.parametrize("seat", range(PLAYERS))
def test_seventh_card_of_a_seat_is_any_card_of_the_deck(seat: int) -> None:
    assert_follows((seventh[seat] for _, seventh, _, _ in deals()), DECK)


def test_opening_card_is_any_card_but_a_wild_draw_four() -> None:
    weights = {card: weight for card, weight in DECK.items() if card != WILD_DRAW_FOUR}
    assert_follows((top for _, _, top, _ in deals()), weights)


def test_every_seat_is_dealer_equally_often() -> None:
    assert_follows((dealer for _, _, _, dealer in deals()), even(range(PLAYERS)))


def test_dealer_does_not_depend_on_the_opening_card() -> None:
    kinds = {
        (kind, dealer): sum(weight for card, weight in DECK.items() if card // 13 == kind) for kind in range(4) for dealer in range(PLAYERS)
    }
    coloured = [(top // 13, dealer) for _, _, top, dealer in deals() if top < 52]
    assert_follows(coloured, kinds)


def test_drawn_card_is_any_card_of_the_pile() -> None:
    """20,000 draws of one card from a pile of 20 different ones."""
    rules = Rules(deck=tuple(1 if card < 25 else 0 for card in range(56)), hand_size=2)
    state = new_state(rules, 2)
    cards = list(range(5, 25))
    drawn = []
    state.deal_stream = stream(game_key(3, 0), DEAL)
    for _ in range(20_000):
        state.pile[:20], state.pile_size = cards, 20
        drawn.append(draw_card(state, 0, 0))
    assert_follows(drawn, even(cards))


def seatings(players: int, games: int, seed: int) -> list[tuple[int, ...]]:
    table = blank(BotTable)
    table.players, table.arrangement = players, RANDOM
    drawn = []
    for index in range(games):
        table.index = index
        draw_seats(table, seed)
        drawn.append(tuple(table.seating[:players]))
    return drawn


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_seating_is_equally_likely(players: int) -> None:
    """12,000 seatings."""
    assert_follows(seatings(players, 12_000, 5), even(permutations(range(players))))


@pytest.mark.parametrize("entry", [0, 4, 9])
def test_every_seat_of_ten_is_equally_likely_for_an_entry(entry: int) -> None:
    """10,000 seatings."""
    assert_follows((seating.index(entry) for seating in seatings(10, 10_000, 6)), even(range(10)))


def test_seats_stay_as_they_are_when_not_shuffled() -> None:
    table = blank(BotTable)
    table.players = 10
    table.seating = [7] * 10
    draw_seats(table, game_key(1, 1))
    assert list(table.seating) == list(range(10))


def sample_of(position: int, bound: int, count: int) -> list[int]:
    values = []
    for _ in range(count):
        position, value = below(position, bound)
        values.append(value)
    return values


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 7, 10, 54, 107, 108, 1000])
def test_numbers_below_a_bound_are_equally_likely(bound: int) -> None:
    """40,000 numbers of one stream."""
    values = sample_of(stream(game_key(17, bound), DEAL), bound, 40_000)
    assert set(values) <= set(range(bound))
    if bound > 1:
        assert_follows(values, even(range(bound)))


@pytest.mark.parametrize("bound", [2, 3, 10])
def test_successive_numbers_of_a_stream_are_independent(bound: int) -> None:
    """40,000 pairs, none overlapping."""
    values = sample_of(stream(game_key(18, bound), DEAL), bound, 80_000)
    pairs = zip(values[::2], values[1::2], strict=True)
    assert_follows(pairs, even((one, other) for one in range(bound) for other in range(bound)))


def test_numbers_below_a_huge_bound_reach_everywhere() -> None:
    """20,000 numbers below 2^62 in 64 classes."""
    values = sample_of(stream(game_key(19, 0), DEAL), 2**62, 20_000)
    assert_follows((value >> 56 for value in values), even(range(64)))


@pytest.mark.parametrize(
    ("first", "second"),
    [(FIRST_SEAT, FIRST_SEAT + 1), (FIRST_SEAT + 1, FIRST_SEAT + 2), (FIRST_SEAT, FIRST_SEAT + 9), (DEAL, FIRST_SEAT), (SEATING, DEAL)],
)
def test_streams_of_one_game_are_independent(first: int, second: int) -> None:
    """40,000 games: the first number of either stream, in an 8 x 8 table."""
    pairs = []
    for index in range(40_000):
        key = game_key(31, index)
        pairs.append((below(stream(key, first), 8)[1], below(stream(key, second), 8)[1]))
    assert_follows(pairs, even((one, other) for one in range(8) for other in range(8)))


def test_streams_of_one_game_and_its_neighbours_share_no_numbers() -> None:
    """300 numbers below 2^62 of each of 13 streams of four games: two equal ones would come once in 10^10 seeds."""
    purposes = [SEATING, DEAL, SEARCH, *range(FIRST_SEAT, FIRST_SEAT + 10)]
    keys = [game_key(seed, index) for seed in (7, 8) for index in (0, 1)]
    numbers = [number for key in keys for purpose in purposes for number in sample_of(stream(key, purpose), 2**62, 300)]
    assert len(set(numbers)) == len(numbers) == 4 * 13 * 300


def test_generator_is_splitmix64() -> None:
    """The published first outputs for the seed 1234567."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431, 16408922859458223821]
    step = 0x9E3779B97F4A7C15
    assert [scramble((1234567 + place * step) % 2**64) for place in range(1, 6)] == published


@pytest.mark.parametrize(("seed_step", "index_step"), [(0, 1), (1, 0), (1, 1)])
def test_neighbouring_games_are_independent(seed_step: int, index_step: int) -> None:
    """40,000 games and their neighbours in seed or index: the first number of the deal, in an 8 x 8 table."""
    pairs = []
    for game in range(40_000):
        seed, index = divmod(game, 100)
        here, there = game_key(2 * seed, 2 * index), game_key(2 * seed + seed_step, 2 * index + index_step)
        pairs.append((below(stream(here, DEAL), 8)[1], below(stream(there, DEAL), 8)[1]))
    assert_follows(pairs, even((one, other) for one in range(8) for other in range(8)))


def test_pick_takes_every_type_equally_often() -> None:
    """20,000 picks out of five types."""
    view = blank(View)
    view.random_stream = stream(game_key(41, 0), FIRST_SEAT)
    types = (0, 7, 13, 51, 55)
    mask = sum(1 << card for card in types)
    assert_follows((view.pick(mask) for _ in range(20_000)), even(types))


def test_pick_copy_takes_every_card_equally_often() -> None:
    """20,000 picks out of a hand of 1, 2, 3, 4 and 7 copies, a sixth type being left out."""
    view = blank(View)
    view.random_stream = stream(game_key(42, 0), FIRST_SEAT)
    copies = {3: 1, 14: 2, 27: 3, 52: 4, 53: 7}
    view.hand0, view.hand1, view.hand2 = planes_from([copies.get(card, 5 if card == 20 else 0) for card in range(CARD_TYPES)])
    mask = sum(1 << card for card in copies)
    assert_follows((view.pick_copy(mask) for _ in range(20_000)), {card: float(count) for card, count in copies.items()})


def test_chi_square_notices_a_loaded_die() -> None:
    values = [0 if value == 5 and place % 5 == 0 else value for place, value in enumerate(sample_of(1, 6, 40_000))]
    with pytest.raises(AssertionError):
        assert_follows(values, even(range(6)))
