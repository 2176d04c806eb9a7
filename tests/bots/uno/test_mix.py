from __future__ import annotations

import pytest

from kibitz import registry

from ..positions import answers, assert_uniform, choice, position, with_every_colour

PRESETS = ["mix:win_rate", "mix:points"]
ORDERS = {
    "mix:win_rate": ["r+2", "rskip", "r7", "rrev", "wild+4", "wild"],
    "mix:points": ["rskip", "r7", "r+2", "rrev", "wild", "wild+4"],
}
END_GAME_ORDER = ["r+2", "wild+4", "rskip", "rrev", "r7", "wild"]
NO_LIMITS = "limits=-1/-1/-1/-1/-1/-1"


def test_presets_are_those_of_the_table() -> None:
    common = {
        "end_game_ranks": (2, 3, 4, 6, 1, 5),
        "play_drawn_thresholds": (-1, -1, -1, -1, 2, 2),
        "prefer_common_colour": True,
        "end_game": True,
        "wild_most_common": True,
    }
    win_rate = {"ranks": (4, 3, 5, 6, 1, 2), "limits": (-1, -1, -1, -1, 2, 4), **common}
    points = {"ranks": (5, 3, 6, 4, 2, 1), "limits": (-1, -1, -1, -1, 5, 3), **common}
    assert registry.entrant("mix").values == win_rate
    assert registry.entrant("mix:points").values == points


# -- the end game --


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("place", range(6))
def test_end_game_plays_the_highest_end_game_rank_that_is_left(name: str, place: int) -> None:
    left = END_GAME_ORDER[place:]
    answer = choice(name, position(" ".join([*reversed(left), "g1"]), 1, 7, top="r5"))
    assert answer.partition(":")[0] == left[0]


@pytest.mark.parametrize("name", PRESETS)
def test_end_game_with_two_players_ranks_a_reverse_as_a_skip(name: str) -> None:
    given = answers(name, position("rskip rrev r7 wild", 1, top="r5"))
    assert_uniform(given, "rskip", "rrev")


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("wild", ["wild", "wild+4"])
def test_end_game_ignores_limits(name: str, wild: str) -> None:
    hand = f"{wild} g1 g2 g3 g4 b1 b2 b3"
    assert choice(name, position(hand, 2, 7, top="r9")) == "draw"
    assert choice(name, position(hand, 1, 7, top="r9")) == f"{wild}:g"


def test_end_game_leaves_equal_ranks_to_chance_without_regard_to_colour_and_diversity() -> None:
    hand = "r1 r2 r3 g5 b2"
    assert choice("mix", position(hand, 2, top="r5")) == "r2"
    assert_uniform(answers("mix", position(hand, 1, top="r5")), "r1", "r2", "r3", "g5")


@pytest.mark.parametrize(
    ("direction", "sizes", "answer"), [("+", (1, 7), "wild+4:r"), ("+", (7, 1), "r7"), ("-", (7, 1), "wild+4:r"), ("-", (1, 7), "r7")]
)
def test_end_game_looks_at_the_next_player_in_the_direction_of_play(direction: str, sizes: tuple[int, int], answer: str) -> None:
    assert choice("mix", position("r7 wild+4", *sizes, top="r5", direction=direction)) == answer


@pytest.mark.parametrize("size", [2, 3, 10])
def test_end_game_is_only_with_exactly_one_card(size: int) -> None:
    assert choice("mix", position("r7 wild+4", size, top="r5")) == "r7"


def test_last_cards_of_other_players_are_no_end_game() -> None:
    assert choice("mix", position("r7 wild+4", 7, 1, 1, top="r5")) == "r7"


def test_end_game_off_plays_as_ever() -> None:
    assert choice("mix:end_game=off", position("r7 wild+4", 1, 7, top="r5")) == "r7"
    assert choice("mix:end_game=off", position("wild g1 g2 g3", 1, 7, top="r9")) == "draw"


def test_end_game_ranks_are_a_parameter() -> None:
    game = position("r7 wild+4 r+2", 1, 7, top="r5")
    assert choice("mix:end_game_ranks=6/3/4/1/1/5", game) == "r7"
    assert choice("mix:end_game_ranks=1/3/4/1/1/5", game) == "wild+4:r"


# -- colours --


def test_common_colour_comes_before_rank() -> None:
    game = position("r1 r2 r3 g+2", 7, 7, top="r+2")
    assert_uniform(answers("mix", game), "r1", "r2", "r3")


def test_prefer_common_colour_off_goes_by_rank_at_once() -> None:
    assert choice("mix:prefer_common_colour=off", position("r1 r2 r3 g+2", 7, 7, top="r+2")) == "g+2"


def test_common_colour_counts_copies_and_cards_that_are_not_playable() -> None:
    assert choice("mix", position("r1 r2 g5 g7 g7", 7, 7, top="r5")) == "g5"


def test_all_tied_colours_are_kept() -> None:
    game = position("r1 r2 g5 g6 b+2", 7, 7, top="r5")
    assert_uniform(answers("mix", game), "r1", "r2", "g5")


def test_rank_decides_between_tied_colours() -> None:
    assert choice("mix", position("r1 r2 g+2 g6 b+2", 7, 7, top="r+2")) == "g+2"


def test_every_candidate_is_kept_if_none_has_a_common_colour() -> None:
    assert choice("mix", position("g1 g2 rskip b5", 7, 7, top="r5")) == "rskip"
    assert choice("mix:ranks=6/3/5/1/1/1", position("g1 g2 rskip b5", 7, 7, top="r5")) == "b5"


def test_wilds_among_the_candidates_have_no_common_colour() -> None:
    game = position("r1 wild", 7, 7, top="r5")
    assert choice("mix:ranks=1/1/1/1/6/6", game) == "r1"
    assert choice("mix:ranks=1/1/1/1/6/6,prefer_common_colour=off", game) == "wild:r"


def test_wilds_are_kept_with_the_others_if_none_has_a_common_colour() -> None:
    game = position("r2 wild g1 g1", 7, 7, top="r5")
    assert choice(f"mix:ranks=1/1/1/1/6/6,{NO_LIMITS}", game) == "wild:g"
    assert choice(f"mix:{NO_LIMITS}", game) == "r2"


@pytest.mark.parametrize(("name", "answer"), [("mix:win_rate", "wild+4"), ("mix:points", "wild")])
def test_without_a_coloured_card_rank_decides_between_wilds(name: str, answer: str) -> None:
    assert_uniform(answers(name, position("wild wild+4", 7, 7, top="r5")), *with_every_colour(answer))


# -- rank, diversity, chance --


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("place", range(6))
def test_plays_the_highest_rank_that_is_left(name: str, place: int) -> None:
    left = ORDERS[name][place:]
    answer = choice(f"{name},prefer_common_colour=off,{NO_LIMITS}", position(" ".join([*reversed(left), "g1"]), 7, 7, top="r5"))
    assert answer.partition(":")[0] == left[0]


@pytest.mark.parametrize("name", PRESETS)
def test_with_two_players_a_reverse_ranks_as_a_skip(name: str) -> None:
    assert_uniform(answers(name, position("rskip rrev r1", 7, top="r5")), "rskip", "rrev")


def test_rank_comes_before_diversity() -> None:
    assert choice("mix", position("rskip r1 r2 g1 b1", 7, 7, top="r5")) == "rskip"


def test_diversity_decides_between_cards_of_equal_rank() -> None:
    assert choice("mix", position("r1 r2 r3 g3 b3", 7, 7, top="r5")) == "r3"


def test_diversity_counts_different_cards() -> None:
    assert choice("mix", position("r1 r2 r3 g1 g1 b2 y2", 7, 7, top="r5")) == "r2"


def test_equally_diverse_cards_are_a_matter_of_chance() -> None:
    assert_uniform(answers("mix", position("r1 r1 r2 r3 g7", 7, 7, top="r5")), "r1", "r2", "r3")


# -- limits --


@pytest.mark.parametrize(
    ("name", "wild", "limit"),
    [("mix:win_rate", "wild", 2), ("mix:win_rate", "wild+4", 4), ("mix:points", "wild", 5), ("mix:points", "wild+4", 3)],
)
def test_a_wild_is_held_back_above_its_limit(name: str, wild: str, limit: int) -> None:
    others = ["g1", "g1", "g2", "g3", "b4", "b6"]
    assert choice(name, position(" ".join([wild, *others[:limit]]), 7, 7, top="r9")) == f"{wild}:g"
    assert choice(name, position(" ".join([wild, *others[: limit + 1]]), 7, 7, top="r9")) == "draw"


def test_cards_of_limited_kinds_do_not_count_towards_limits() -> None:
    assert choice("mix:win_rate,ranks=1/1/1/1/6/1", position("wild wild wild wild+4 wild+4 wild+4 g1 g1", 7, 7, top="r9")) == "wild:g"


def test_each_limited_kind_has_its_own_limit() -> None:
    hand = "wild wild+4 g1 g1 g2 g2"
    assert choice("mix:win_rate,ranks=1/1/1/1/6/1", position(hand, 7, 7, top="r9")) == "wild+4:g"
    assert choice("mix:points,ranks=1/1/1/1/1/6", position(hand, 7, 7, top="r9")) == "wild:g"


def test_limits_are_a_parameter() -> None:
    game = position("wild g1 g1 g2 g2", 7, 7, top="r9")
    assert choice("mix:limits=-1/-1/-1/-1/3/4", game) == "draw"
    assert choice("mix:limits=-1/-1/-1/-1/4/4", game) == "wild:g"
    assert choice(f"mix:{NO_LIMITS}", game) == "wild:g"


def test_any_kind_can_be_limited() -> None:
    name = "mix:limits=0/-1/-1/-1/-1/-1"
    assert choice(name, position("r1 r2 rrev", 7, 7, top="r5")) == "rrev"
    assert choice(name, position("r1 r2 gskip", 7, 7, top="r5")) == "draw"
    assert_uniform(answers(name, position("r1 r2", 7, 7, top="r5")), "r1", "r2")


def test_a_reverse_has_the_limit_of_a_skip_with_two_players() -> None:
    reverse_limited, skip_limited = "mix:limits=-1/0/-1/-1/-1/-1", "mix:limits=-1/-1/0/-1/-1/-1"
    assert choice(reverse_limited, position("rrev g1", 7, 7, top="r5")) == "draw"
    assert choice(reverse_limited, position("rrev g1", 7, top="r5")) == "rrev"
    assert choice(skip_limited, position("rrev g1", 7, 7, top="r5")) == "rrev"
    assert choice(skip_limited, position("rrev g1", 7, top="r5")) == "draw"


def test_a_reverse_counts_towards_limits_as_a_skip_with_two_players() -> None:
    name = "mix:limits=-1/-1/0/-1/0/-1"
    assert choice(name, position("wild grev", 7, 7, top="r5")) == "draw"
    assert choice(name, position("wild grev", 7, top="r5")) == "wild:g"


# -- the drawn card --


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("wild", ["wild", "wild+4"])
def test_a_drawn_wild_is_played_with_two_cards_in_hand_and_kept_with_three(name: str, wild: str) -> None:
    assert choice(name, position("g1", 7, 7, top="r5", drawn=wild)) == f"{wild}:g"
    assert choice(name, position("g1 g2", 7, 7, top="r5", drawn=wild)) == "keep"


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("drawn", ["r1", "rrev", "rskip", "r+2"])
def test_other_drawn_cards_are_always_played(name: str, drawn: str) -> None:
    assert choice(name, position("g1 g2 g3 g4 g6 g7 g8 g9 b1 b2", 7, 7, top="r5", drawn=drawn)) == drawn


def test_the_end_game_does_not_change_what_is_played_from_the_draw() -> None:
    assert choice("mix", position("g1 g2", 1, 7, top="r5", drawn="wild+4")) == "keep"


def test_thresholds_are_a_parameter() -> None:
    assert choice("mix:play_drawn_thresholds=-1/-1/-1/-1/3/2", position("g1 g2", 7, 7, top="r5", drawn="wild")) == "wild:g"
    assert choice("mix:play_drawn_thresholds=-1/-1/-1/-1/3/2", position("g1 g2", 7, 7, top="r5", drawn="wild+4")) == "keep"
    assert choice("mix:play_drawn_thresholds=2/-1/-1/-1/-1/-1", position("g1 g2", 7, 7, top="r5", drawn="r1")) == "keep"
    assert choice("mix:play_drawn_thresholds=-1/-1/-1/-1/-1/-1", position("g1 g2 g3 g4", 7, 7, top="r5", drawn="wild")) == "wild:g"


def test_a_drawn_reverse_has_the_threshold_of_a_skip_with_two_players() -> None:
    name = "mix:play_drawn_thresholds=-1/-1/1/-1/2/2"
    assert choice(name, position("g1", 7, 7, top="r5", drawn="rrev")) == "rrev"
    assert choice(name, position("g1", 7, top="r5", drawn="rrev")) == "keep"


# -- the colour of a wild --


def test_wild_takes_one_of_the_colours_tied_for_most_common() -> None:
    given = answers("mix", position("wild+4 g1 g2 y1 y2", 7, 7, top="r5"))
    assert_uniform(given, "wild+4:g", "wild+4:y")


def test_wild_takes_any_colour_with_most_common_off() -> None:
    assert_uniform(answers("mix:wild_most_common=off", position("wild g1 g2", 7, 7, top="r5")), *with_every_colour("wild"))
    assert_uniform(answers("mix:wild_most_common=off", position("g1", 7, 7, top="r5", drawn="wild")), *with_every_colour("wild"))
