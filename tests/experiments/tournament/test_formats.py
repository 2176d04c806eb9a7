"""Who meets whom: every format, and a Swiss in which nobody meets twice while it can be avoided."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kibitz.core.errors import BadValue
from kibitz.experiments.tournament.formats import (
    FORESIGHT,
    MOST_COMBINATIONS,
    MOST_MATCHES,
    Members,
    check_format,
    drawn_tables,
    fixed_matches,
    match_count,
    swiss_round,
    swiss_rounds,
)

Judge = Callable[[Members], int]  # who of two wins


def matches_of(name: str, players: int, table: int = 2, hero: int = 0, rounds: int | None = None, seed: int = 1) -> list[Members]:
    found = fixed_matches(name, players, table, hero, rounds, seed)
    assert len(found) == match_count(name, players, table, rounds)
    return found


def play_swiss(players: int, rounds: int, judge: Judge, seed: int = 7) -> tuple[list[list[Members]], list[int | None], list[list[float]]]:
    """The pairs, who had none, and the scores before each round."""
    scores, met, byes = [0.0] * players, set[Members](), [0] * players
    all_pairs, all_resting, all_scores = [], [], []
    for number in range(rounds):
        pairs, resting = swiss_round(scores, met, byes, seed + number, rounds - 1 - number)
        all_pairs.append(pairs)
        all_resting.append(resting)
        all_scores.append(list(scores))
        assert sorted([*(player for pair in pairs for player in pair), *([] if resting is None else [resting])]) == list(range(players))
        assert all(one < other for one, other in pairs)
        for pair in pairs:
            scores[judge(pair)] += 1.0
        met.update(pairs)
        if resting is not None:
            byes[resting] += 1
            scores[resting] += 1.0
        assert max(byes) - min(byes) <= 1
    return all_pairs, all_resting, all_scores


def lots(seed: int) -> Judge:
    draw = random.Random(seed)
    return draw.choice


# -- formats that know all matches beforehand --


@pytest.mark.parametrize("players", [2, 3, 8])
def test_round_robin_of_pairs(players: int) -> None:
    found = matches_of("round-robin", players)
    assert sorted(found) == [(one, other) for one in range(players) for other in range(one + 1, players)]


def test_round_robin_of_tables_of_three() -> None:
    found = matches_of("round-robin", 5, 3)
    assert len(set(found)) == len(found) == 10
    meetings = Counter(pair for members in found for pair in combinations(members, 2))
    assert set(meetings.values()) == {3}
    assert len(meetings) == 10


@pytest.mark.parametrize("hero", [0, 2, 4])
def test_gauntlet_is_the_hero_against_every_other(hero: int) -> None:
    found = matches_of("gauntlet", 5, hero=hero)
    assert [members[0] for members in found] == [hero] * 4
    assert sorted(members[1] for members in found) == [player for player in range(5) if player != hero]


def test_gauntlet_at_larger_tables_meets_every_combination_of_others() -> None:
    found = matches_of("gauntlet", 5, 3, hero=1)
    assert sorted(members[1:] for members in found) == list(combinations([0, 2, 3, 4], 2))
    assert {members[0] for members in found} == {1}


def test_free_for_all_at_one_table() -> None:
    assert matches_of("free-for-all", 4, 4) == [(0, 1, 2, 3)]


def test_free_for_all_of_every_combination() -> None:
    assert comb(7, 4) <= MOST_COMBINATIONS
    assert sorted(matches_of("free-for-all", 7, 4)) == list(combinations(range(7), 4))


@pytest.mark.parametrize(("players", "table", "rounds"), [(10, 4, 7), (7, 3, 20), (5, 4, 13), (9, 3, 4), (3, 2, 1), (12, 10, 30)])
def test_drawn_tables_let_everybody_sit_out_as_often(players: int, table: int, rounds: int) -> None:
    found = drawn_tables(players, table, rounds, 3)
    per_round = players // table
    assert len(found) == rounds * per_round
    played = Counter[int]()
    for number in range(rounds):
        seated = [player for members in found[number * per_round :][:per_round] for player in members]
        assert len(set(seated)) == len(seated) == per_round * table
        played.update(seated)
        counts = [played[player] for player in range(players)]
        assert max(counts) - min(counts) <= 1
    assert all(len(members) == table and list(members) == sorted(members) for members in found)


def test_tables_are_drawn_by_the_seed_and_anew_in_each_round() -> None:
    found = matches_of("free-for-all", 12, 4, rounds=6, seed=5)
    assert found == matches_of("free-for-all", 12, 4, rounds=6, seed=5)
    assert found != matches_of("free-for-all", 12, 4, rounds=6, seed=6)
    assert len({frozenset(found[start : start + 3]) for start in range(0, 18, 3)}) > 1


def test_too_many_combinations_are_drawn_instead() -> None:
    assert comb(20, 4) > MOST_COMBINATIONS
    found = matches_of("free-for-all", 20, 4)
    assert len(found) == 6 * 5
    assert set(Counter(player for members in found for player in members).values()) == {6}


def test_teams_are_one_bot_in_every_seat() -> None:
    assert matches_of("teams", 3, 4) == [(0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2)]
    assert matches_of("teams", 1, 2) == [(0, 0)]


def test_mixed_teams_are_every_combination_pairs_also_with_themselves() -> None:
    assert sorted(matches_of("mixed", 3)) == [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)]
    assert matches_of("mixed", 4, 3) == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    assert matches_of("mixed", 1) == [(0, 0)]


# -- what cannot be --


@pytest.mark.parametrize(
    ("name", "players", "table", "cooperative", "hero", "rounds", "message"),
    [
        ("teams", 3, 2, False, False, None, "format teams is for games played together, such as Hanabi"),
        ("mixed", 3, 2, False, False, None, "format mixed is for games played together, such as Hanabi"),
        ("swiss", 3, 2, True, False, None, "format swiss needs a winner"),
        ("free-for-all", 3, 2, True, False, None, "format free-for-all needs a winner"),
        ("round-robin", 3, 2, False, True, None, "hero goes with the format gauntlet"),
        ("round-robin", 1, 2, False, False, None, "1 player cannot fill a table of 2"),
        ("gauntlet", 2, 3, False, False, None, "2 players cannot fill a table of 3"),
        ("free-for-all", 3, 4, False, False, None, "3 players cannot fill a table of 4"),
        ("mixed", 2, 3, True, False, None, "2 players cannot fill a table of 3"),
        ("swiss", 1, 2, False, False, None, "1 player cannot fill a table of 2"),
        ("swiss", 8, 3, False, False, None, "a Swiss has tables of 2, not 3"),
        ("round-robin", 4, 2, False, False, 3, "rounds go with the formats swiss and free-for-all"),
        ("round-robin", 1000, 2, False, False, None, "499,500 matches are too many; at most 20,000 are accepted (try swiss"),
        ("gauntlet", 300, 3, False, False, None, "44,551 matches are too many"),
        ("free-for-all", 1000, 2, False, False, 1000, "500,000 matches are too many"),
        ("swiss", 1000, 2, False, False, 1000, "499,500 matches are too many"),
        ("mixed", 200, 2, True, False, None, "20,100 matches are too many"),
    ],
)
def test_a_format_that_cannot_be_is_refused(
    name: str, players: int, table: int, cooperative: bool, hero: bool, rounds: int | None, message: str
) -> None:
    with pytest.raises(BadValue) as refusal:
        check_format(name, players, table, cooperative, hero, "file x.toml", rounds)
    assert str(refusal.value).startswith("file x.toml: ")
    assert message in str(refusal.value)


@pytest.mark.parametrize(
    ("name", "players", "table", "cooperative"),
    [("teams", 1, 5, True), ("mixed", 1, 2, True), ("round-robin", 2, 2, True), ("gauntlet", 2, 2, False), ("round-robin", 200, 2, False)],
)
def test_the_smallest_and_the_largest_are_accepted(name: str, players: int, table: int, cooperative: bool) -> None:
    check_format(name, players, table, cooperative, False, "")
    assert 1 <= match_count(name, players, table, None) <= MOST_MATCHES


# -- Swiss --


@pytest.mark.parametrize(("players", "rounds"), [(2, 1), (3, 3), (4, 3), (5, 5), (8, 5), (9, 6), (200, 10)])
def test_a_swiss_has_rounds_enough_for_one_winner(players: int, rounds: int) -> None:
    assert swiss_rounds(players, None) == rounds
    assert swiss_rounds(players, 1) == 1
    assert swiss_rounds(players, 1000) == players - 1 + players % 2  # more would be second meetings


@given(players=st.integers(2, 41), outcome=st.integers(0, 2**32))
def test_nobody_meets_twice_in_a_swiss(players: int, outcome: int) -> None:
    """In any Swiss as long as it usually is, whatever the results."""
    rounds = swiss_rounds(players, None)
    found, _, _ = play_swiss(players, rounds, lots(outcome), outcome)
    pairs = [pair for round_pairs in found for pair in round_pairs]
    assert len(set(pairs)) == len(pairs) == rounds * (players // 2)


@given(players=st.integers(2, FORESIGHT), outcome=st.integers(0, 2**32))
def test_a_small_field_meets_whole_without_a_second_meeting(players: int, outcome: int) -> None:
    """The longest Swiss is a round robin: everybody has met everybody, and sat out once if their number is odd."""
    found, resting, _ = play_swiss(players, swiss_rounds(players, 1000), lots(outcome), outcome)
    assert sorted(pair for pairs in found for pair in pairs) == list(combinations(range(players), 2))
    if players % 2:
        assert sorted(str(player) for player in resting) == sorted(map(str, range(players)))


@pytest.mark.parametrize("players", [17, 24, 33, 40])
@pytest.mark.parametrize("always", [min, max])
def test_half_the_field_can_be_met_whatever_the_results(players: int, always: Callable[[Members], int]) -> None:
    """Where the same players always win, opponents of like score run out soonest."""
    found, _, _ = play_swiss(players, players // 2, always)
    pairs = [pair for round_pairs in found for pair in round_pairs]
    assert len(set(pairs)) == len(pairs)


def test_second_meetings_come_only_when_everybody_was_met() -> None:
    met: set[Members] = {*combinations(range(4), 2)}
    pairs, resting = swiss_round([0.0] * 4, met, [0] * 4, 1)
    assert sorted(player for pair in pairs for player in pair) == [0, 1, 2, 3]
    assert resting is None
    met = {pair for pair in combinations(range(6), 2) if pair != (0, 5)}
    pairs, _ = swiss_round([5.0, 4.0, 3.0, 2.0, 1.0, 0.0], met, [0] * 6, 1)
    assert len(met.intersection(pairs)) == 2  # of three pairs one can be new


def test_who_sits_out_may_be_another_to_avoid_a_second_meeting() -> None:
    """Were 4, who stands lowest, to sit out, 0 would have to meet somebody again."""
    met: set[Members] = {(0, 1), (0, 2), (0, 3)}
    pairs, resting = swiss_round([3.0, 2.0, 1.5, 1.0, 0.0], met, [0] * 5, 1)
    assert resting == 3
    assert pairs == [(0, 4), (1, 2)]


def test_lowest_of_those_who_sat_out_least_sits_out() -> None:
    assert swiss_round([3.0, 2.0, 1.0, 0.5, 0.0], set(), [0, 0, 0, 1, 1], 1)[1] == 2
    assert swiss_round([3.0, 2.0, 1.0, 0.5, 0.0], set(), [1, 1, 1, 1, 1], 1)[1] == 4


@pytest.mark.parametrize("players", [8, 16, 32, 64])
def test_equals_meet(players: int) -> None:
    """With 2^k players, k rounds and no draws, equals meet but for the last of a group, who may have met already."""
    rounds = players.bit_length() - 1
    found, _, scores = play_swiss(players, rounds, min)
    apart = [abs(before[one] - before[other]) for pairs, before in zip(found, scores, strict=True) for one, other in pairs]
    assert max(apart) <= 1.0
    assert sum(apart) <= len(apart) / 10


@given(players=st.integers(12, 41), outcome=st.integers(0, 2**32))
def test_like_scores_meet(players: int, outcome: int) -> None:
    """Whoever meets is closer than in a draw by lot: in all rounds after the first less than half as far apart."""
    found, _, scores = play_swiss(players, 5, lots(outcome), outcome)
    apart = by_lot = 0.0
    for pairs, before in list(zip(found, scores, strict=True))[1:]:
        apart += sum(abs(before[one] - before[other]) for one, other in pairs) / len(pairs)
        by_lot += sum(abs(one - other) for one, other in combinations(before, 2)) / comb(players, 2)
    assert apart < by_lot / 2


def test_a_round_depends_on_the_seed_alone() -> None:
    first = swiss_round([0.0] * 20, set(), [0] * 20, 1)
    assert swiss_round([0.0] * 20, set(), [0] * 20, 1) == first
    assert swiss_round([0.0] * 20, set(), [0] * 20, 2) != first


def test_two_hundred_players() -> None:
    found, _, _ = play_swiss(200, swiss_rounds(200, None), lots(4))
    pairs = [pair for round_pairs in found for pair in round_pairs]
    assert len(set(pairs)) == len(pairs) == 1000
