from __future__ import annotations

import pytest

from kibitz import registry
from kibitz.bots.uno.bounds import bounds_of
from kibitz.games.uno.counts import counts_from

from ..positions import Player, answers, assert_uniform, choice, position, with_every_colour

PRESETS = ["mix2:win_rate", "mix2:points"]
ORDERS = {
    "mix2:win_rate": ["r+2", "rskip", "r7", "rrev", "wild+4", "wild"],
    "mix2:points": ["rskip", "r7", "r+2", "rrev", "wild", "wild+4"],
}
END_GAME_ORDER = ["r+2", "wild+4", "rskip", "rrev", "r7", "wild"]
NO_LIMITS = "limits=-1/-1/-1/-1/-1/-1"
EQUAL_RANKS = "ranks=1/1/1/1/1/1"


def test_presets_are_those_of_the_table() -> None:
    common = {
        "end_game_ranks": (2, 3, 4, 6, 1, 5),
        "end_game_limits": (-1, -1, -1, -1, -1, -1),
        "play_drawn_thresholds": (-1, -1, -1, -1, 2, 2),
        "prefer_common_colour": True,
        "end_game": True,
        "card_counting": True,
        "wild_most_common": True,
    }
    win_rate = {"ranks": (4, 3, 5, 6, 1, 2), "limits": (-1, -1, -1, -1, 2, 4), "wild_colour_slack": 1, **common}
    points = {"ranks": (5, 3, 6, 4, 2, 1), "limits": (-1, -1, -1, -1, 5, 3), "wild_colour_slack": 2, **common}
    assert registry.entrant("mix2").values == win_rate
    assert registry.entrant("mix2:points").values == points


# -- rank comes first --


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("place", range(6))
def test_plays_the_highest_rank_that_is_left(name: str, place: int) -> None:
    left = ORDERS[name][place:]
    given = answers(f"{name},{NO_LIMITS}", position(" ".join([*reversed(left), "b1 b2"]), 7, 7, top="r5"))
    assert {answer.partition(":")[0] for answer in given} == {left[0]}


@pytest.mark.parametrize("name", PRESETS)
def test_with_two_players_a_reverse_ranks_as_a_skip(name: str) -> None:
    assert_uniform(answers(name, position("rskip rrev r1", 7, top="r5")), "rskip", "rrev")


def test_rank_comes_before_colour() -> None:
    assert choice("mix2", position("r1 r2 r3 g+2", 7, 7, top="r+2")) == "g+2"


def test_ranks_are_a_parameter() -> None:
    assert choice("mix2:ranks=1/6/1/1/1/1", position("r1 rrev rskip r+2", 7, 7, top="r5")) == "rrev"


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("place", range(6))
def test_end_game_plays_the_highest_end_game_rank_that_is_left(name: str, place: int) -> None:
    left = END_GAME_ORDER[place:]
    answer = choice(name, position(" ".join([*reversed(left), "b1 b2"]), 1, 7, top="r5"))
    assert answer.partition(":")[0] == left[0]


@pytest.mark.parametrize(
    ("direction", "sizes", "answer"), [("+", (1, 7), "wild+4:r"), ("+", (7, 1), "r7"), ("-", (7, 1), "wild+4:r"), ("-", (1, 7), "r7")]
)
def test_end_game_looks_at_the_next_player_in_the_direction_of_play(direction: str, sizes: tuple[int, int], answer: str) -> None:
    assert choice("mix2", position("r7 wild+4", *sizes, top="r5", direction=direction)) == answer


@pytest.mark.parametrize("size", [2, 3, 10])
def test_end_game_is_only_with_exactly_one_card(size: int) -> None:
    assert choice("mix2", position("r7 wild+4", size, top="r5")) == "r7"


def test_end_game_off_plays_as_ever() -> None:
    assert choice("mix2:end_game=off", position("r7 wild+4", 1, 7, top="r5")) == "r7"
    assert choice("mix2:end_game=off", position("wild g1 g2 g3", 1, 7, top="r9")) == "draw"


def test_end_game_ranks_are_a_parameter() -> None:
    assert choice("mix2:end_game_ranks=6/3/4/1/1/5", position("r7 wild+4 r+2", 1, 7, top="r5")) == "r7"


def test_colour_and_stop_probability_count_in_the_end_game_too() -> None:
    game = position("r1 r2 g5", 1, 7, top="r5")
    assert_uniform(answers("mix2", game, {1: {"r9": 1, "b3": 2}}), "r1", "r2")
    assert choice("mix2", game, {1: {"b1": 1, "b3": 2}}) == "r2"


# -- limits --


@pytest.mark.parametrize(
    ("name", "wild", "limit"),
    [("mix2:win_rate", "wild", 2), ("mix2:win_rate", "wild+4", 4), ("mix2:points", "wild", 5), ("mix2:points", "wild+4", 3)],
)
def test_a_wild_is_held_back_above_its_limit(name: str, wild: str, limit: int) -> None:
    others = ["g1", "g1", "g2", "g3", "g4", "g6"]
    assert choice(name, position(" ".join([wild, *others[:limit]]), 7, 7, top="r9")) == f"{wild}:g"
    assert choice(name, position(" ".join([wild, *others[: limit + 1]]), 7, 7, top="r9")) == "draw"


def test_cards_of_limited_kinds_do_not_count_towards_limits() -> None:
    assert choice("mix2:win_rate,ranks=1/1/1/1/6/1", position("wild wild wild wild+4 wild+4 wild+4 g1 g1", 7, 7, top="r9")) == "wild:g"


def test_limits_are_a_parameter() -> None:
    game = position("wild g1 g1 g2 g2", 7, 7, top="r9")
    assert choice("mix2:limits=-1/-1/-1/-1/3/4", game) == "draw"
    assert choice("mix2:limits=-1/-1/-1/-1/4/4", game) == "wild:g"


def test_a_reverse_has_the_limit_of_a_skip_with_two_players() -> None:
    name = "mix2:limits=-1/0/-1/-1/-1/-1"
    assert choice(name, position("rrev g1", 7, 7, top="r5")) == "draw"
    assert choice(name, position("rrev g1", 7, top="r5")) == "rrev"


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("wild", ["wild", "wild+4"])
def test_all_limits_are_lifted_in_the_end_game(name: str, wild: str) -> None:
    hand = f"{wild} g1 g2 g3 g4 g6 g7 g8"
    assert choice(name, position(hand, 2, 7, top="r9")) == "draw"
    assert choice(name, position(hand, 1, 7, top="r9")) == f"{wild}:g"


def test_end_game_limits_are_a_parameter() -> None:
    name = "mix2:end_game_limits=-1/-1/-1/-1/-1/1"
    assert choice(name, position("wild+4 g1", 1, 7, top="r9")) == "wild+4:g"
    assert choice(name, position("wild+4 g1 g2", 1, 7, top="r9")) == "draw"
    assert choice(name, position("wild+4 g1 g2", 2, 7, top="r9")) == "wild+4:g"


# -- colour priority --


def test_cards_of_the_most_common_colours_come_first() -> None:
    assert_uniform(answers("mix2:card_counting=off", position("r1 r2 g5 g6 b5", 7, 7, top="r5")), "r1", "r2", "g5")


def test_slack_is_for_wilds_alone() -> None:
    assert_uniform(answers("mix2:card_counting=off,wild_colour_slack=5", position("r1 r2 g5", 7, 7, top="r5")), "r1", "r2")


def test_every_candidate_is_kept_if_none_has_a_common_colour() -> None:
    assert_uniform(answers("mix2:card_counting=off", position("g1 g2 r7 b5", 7, 7, top="r5")), "r7", "b5")


def test_colour_comes_before_stop_probability() -> None:
    game = position("r1 r2 g5", 7, 7, top="r5")
    bounds = {1: {"r8": 2, "b9": 7}}
    assert_uniform(answers("mix2", game, bounds), "r1", "r2")
    assert choice("mix2:prefer_common_colour=off", game, bounds) == "g5"


@pytest.mark.parametrize(
    ("name", "hand", "colours"),
    [
        ("mix2:win_rate", "wild+4 r1 r2 g1", "rg"),
        ("mix2:win_rate", "wild+4 r1 r2 r3 g1", "r"),
        ("mix2:win_rate", "wild+4 r1 r1 g1 b1", "rgb"),
        ("mix2:points", "wild r1 r2 r3 g1", "rg"),
        ("mix2:points", "wild r1 r2 r3 r4 g1", "r"),
        ("mix2:points", "wild r1 r2 r3 g1 b1", "rgb"),
    ],
)
def test_a_wild_calls_any_colour_within_the_slack_of_the_preset(name: str, hand: str, colours: str) -> None:
    given = answers(f"{name},card_counting=off", position(hand, 7, 7, top="y9"))
    assert_uniform(given, *[f"{hand.split()[0]}:{colour}" for colour in colours])


@pytest.mark.parametrize(("slack", "colours"), [(0, "r"), (1, "r"), (2, "rg"), (3, "rgb"), (5, "rgb")])
def test_slack_is_a_parameter_and_never_reaches_a_colour_that_is_absent(slack: int, colours: str) -> None:
    game = position("wild r1 r2 r3 r4 g1 g2 b1", 7, 7, top="y9")
    given = answers(f"mix2:card_counting=off,wild_colour_slack={slack},{NO_LIMITS}", game)
    assert_uniform(given, *[f"wild:{colour}" for colour in colours])


def test_a_wild_calls_any_colour_if_the_hand_has_none() -> None:
    assert_uniform(answers("mix2:card_counting=off", position("wild wild", 7, 7, top="y9")), *with_every_colour("wild"))


def test_every_wild_stands_as_four_candidates() -> None:
    given = answers(f"mix2:card_counting=off,{EQUAL_RANKS}", position("wild wild+4 wild+4", 7, 7, top="y9"))
    assert_uniform(given, *with_every_colour("wild"), *with_every_colour("wild+4"))


def test_wilds_and_coloured_cards_compete_on_equal_terms() -> None:
    name = f"mix2:card_counting=off,{EQUAL_RANKS},{NO_LIMITS}"
    game = position("r1 r2 wild g3 g4 b4 y4", 7, 7, top="r5")
    assert_uniform(answers(name, game), "r1", "r2", "wild:r", "wild:g", "wild:b", "wild:y")
    assert_uniform(answers(f"{name},wild_colour_slack=0", game), "r1", "r2", "wild:r", "wild:g")


def test_wild_most_common_off_makes_all_colours_alike() -> None:
    game = position("wild+4 r1 r2 g1", 7, 7, top="y9")
    assert_uniform(answers("mix2:card_counting=off,wild_most_common=off", game), *with_every_colour("wild+4"))


def test_prefer_common_colour_off_makes_all_colours_alike() -> None:
    assert_uniform(answers("mix2:card_counting=off,prefer_common_colour=off", position("r1 r2 g5", 7, 7, top="r5")), "r1", "r2", "g5")
    game = position("wild+4 r1 r2 g1", 7, 7, top="y9")
    assert_uniform(answers("mix2:card_counting=off,prefer_common_colour=off", game), *with_every_colour("wild+4"))


# -- stop probability: another player is next --


def test_plays_what_the_next_player_matches_least_likely() -> None:
    game = position("r1 g5", 3, 7, top="r5")
    assert choice("mix2", game, {1: {"r7": 2, "g7": 1, "b2": 2}}) == "g5"
    assert choice("mix2", game, {1: {"r7": 1, "g7": 2, "b2": 2}}) == "r1"


def test_equal_chances_are_left_to_random() -> None:
    game = position("r1 r1 g5", 3, 7, top="r5")
    assert_uniform(answers("mix2:prefer_common_colour=off", game, {1: {"r7": 1, "g7": 1, "b2": 2}}), "r1", "g5")


def test_card_counting_off_does_not_look_at_the_next_player() -> None:
    game = position("r1 g5", 3, 7, top="r5")
    assert_uniform(answers("mix2:card_counting=off", game, {1: {"r7": 2, "b2": 2}}), "r1", "g5")


def test_same_number_and_wilds_of_the_next_player_match_too() -> None:
    game = position("r1 g5", 3, 7, top="r5")
    assert choice("mix2", game, {1: {"b5": 1, "b2": 3}}) == "r1"
    assert choice("mix2", game, {1: {"b1": 1, "b2": 3}}) == "g5"
    assert_uniform(answers("mix2", game, {1: {"wild": 2, "wild+4": 1, "b2": 3}}), "r1", "g5")


def test_discarded_cards_are_counted_from_the_beginning() -> None:
    reds = "r2 r2 r3 r3 r4 r4 r6 r6 r7 r7 r8 r8"
    assert choice("mix2", position("r1 g5", 7, 7, top="r5", discard=reds)) == "r1"
    assert choice("mix2", position("r1 g5", 7, 7, top="r5", discard=reds.replace("r", "g"))) == "g5"


@pytest.mark.parametrize("action", ["rskip", "r+2", "rrev"])
def test_skip_draw_two_and_reverse_look_past_the_next_player(action: str) -> None:
    game = position(f"r1 {action}", 7, 7, top="r5")
    open_hand, safe_hand = {"r9": 2, "b3": 6}, {"b3": 7}
    assert choice(f"mix2:{EQUAL_RANKS}", game, {1: open_hand, 2: safe_hand}) == action
    assert choice(f"mix2:{EQUAL_RANKS}", game, {1: safe_hand, 2: open_hand}) == "r1"


@pytest.mark.parametrize(("card", "steps"), [("r7", 1), ("rskip", 2), ("r+2", 2), ("rrev", 3)])
@pytest.mark.parametrize("direction", ["+", "-"])
def test_who_acts_next_with_four_players(card: str, steps: int, direction: str) -> None:
    """The bot can play the same card in red or green; all players can match red alone, but for one who can match green alone."""
    game = position(f"{card} g{card[1:]}", 7, 7, 7, top=f"y{card[1:]}", direction=direction)
    bounds = {seat: {"r9": 3, "b4": 7} for seat in (1, 2, 3)}
    bounds[steps if direction == "+" else 4 - steps] = {"g9": 3, "b4": 7}
    assert choice("mix2", game, bounds) == card


@pytest.mark.parametrize(("wild", "seat"), [("wild", 1), ("wild+4", 2)])
def test_who_acts_next_after_a_wild(wild: str, seat: int) -> None:
    bounds = {other: {"r9": 1, "g9": 1, "b9": 1, "b4": 5} for other in (1, 2, 3)}
    bounds[seat] = {"r9": 1, "y9": 1, "b9": 1, "b4": 5}
    assert choice("mix2", position(wild, 2, 2, 2, top="r5"), bounds) == f"{wild}:g"


def test_wilds_and_coloured_cards_are_compared_by_the_same_chance() -> None:
    name = f"mix2:{EQUAL_RANKS}"
    game = position("r1 wild", 2, 7, top="r5")
    assert choice(name, game, {1: {"b1": 1, "b2": 3}}) == "wild:r"
    assert_uniform(answers(name, game, {1: {"r9": 1, "b2": 3}}), "r1", "wild:r")


def test_no_bounds_at_all_is_no_chance_to_stop() -> None:
    game = position("r1 rskip", 2, 2, top="r5")
    assert choice(f"mix2:{EQUAL_RANKS}", game, {1: {}, 2: {"r9": 1, "b3": 3}}) == "rskip"
    assert_uniform(answers(f"mix2:{EQUAL_RANKS}", game, {1: {}, 2: {}}), "r1", "rskip")


def test_nothing_that_matches_is_a_certain_stop() -> None:
    game = position("r1 rskip", 7, 7, top="r5")
    assert choice(f"mix2:{EQUAL_RANKS}", game, {1: {"b3": 2}, 2: {"r9": 1, "b3": 7, "b4": 7, "b6": 7}}) == "r1"


def test_too_few_cards_that_do_not_match_is_no_chance_to_stop() -> None:
    """The next player holds four cards; the first bounds leave three and two that do not match, the second four and three."""
    game = position("r1 g5", 4, 7, top="r5")
    assert_uniform(answers("mix2", game, {1: {"wild": 4, "r9": 1, "g9": 2, "b3": 1}}), "r1", "g5")
    assert choice("mix2", game, {1: {"wild": 4, "r9": 1, "g9": 2, "b3": 2}}) == "r1"


def test_the_chance_is_hypergeometric_in_the_size_of_the_hand() -> None:
    """For the number it is 8/15; for the Skip 3/4 with one card, 3/4 x 2/3 = 1/2 (not 9/16) with two, 1/4 with three."""
    name, bounds = f"mix2:{EQUAL_RANKS},end_game=off", {1: {"r9": 7, "b3": 7, "b4": 1}, 2: {"r9": 1, "b3": 3}}
    assert choice(name, position("r1 rskip", 1, 1, top="r5"), bounds) == "rskip"
    assert choice(name, position("r1 rskip", 1, 2, top="r5"), bounds) == "r1"
    assert choice(name, position("r1 rskip", 1, 3, top="r5"), bounds) == "r1"


# -- stop probability: the bot itself is next --


def test_with_two_players_a_skip_stops_if_no_card_left_matches_it() -> None:
    game = position("rskip grev bskip", 7, top="rrev")
    assert choice("mix2", game) == "grev"


def test_a_second_copy_that_is_left_matches() -> None:
    game = position("rskip rskip grev b1", 7, top="rrev")
    assert choice("mix2:prefer_common_colour=off", game) == "grev"


def test_a_wild_that_is_left_matches() -> None:
    game = position("rskip grev wild", 7, top="rrev")
    assert_uniform(answers("mix2", game), "rskip", "grev")


def test_the_card_itself_is_not_left() -> None:
    assert_uniform(answers("mix2", position("rskip grev", 7, top="rrev")), "rskip", "grev")


@pytest.mark.parametrize("symbol", ["skip", "rev", "+2"])
def test_with_two_players_a_certain_stop_beats_any_chance_and_a_match_left_loses_to_it(symbol: str) -> None:
    """The number looks at the other player and stops it with the chance 1/2."""
    name, bounds = f"mix2:{EQUAL_RANKS}", {1: {"g9": 1, "b2": 3}}
    assert choice(name, position(f"r{symbol} g5 b1", 2, top="r5"), bounds) == f"r{symbol}"
    assert choice(name, position(f"r{symbol} g5 b{symbol}", 2, top="r5"), bounds) == "g5"


def test_with_two_players_wild_draw_four_prefers_a_colour_it_has_not() -> None:
    game = position("wild+4 g5 b3", 7, top="r9")
    assert_uniform(answers("mix2:prefer_common_colour=off", game), "wild+4:r", "wild+4:y")
    assert_uniform(answers("mix2", game), "wild+4:g", "wild+4:b")


def test_with_two_players_a_number_or_wild_looks_at_the_other_player() -> None:
    assert choice("mix2", position("r1 g5", 3, top="r5"), {1: {"r7": 2, "b2": 2}}) == "g5"
    assert choice("mix2", position("wild", 3, top="r5"), {1: {"r7": 2, "b2": 2, "y3": 1}}) == "wild:g"


def test_with_three_players_what_is_left_in_hand_does_not_matter() -> None:
    bounds = {1: {"g9": 1, "b2": 3}, 2: {"b2": 3}}
    assert choice(f"mix2:{EQUAL_RANKS}", position("rskip g5 bskip", 2, 2, top="r5"), bounds) == "rskip"


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


def test_thresholds_are_a_parameter() -> None:
    name = "mix2:play_drawn_thresholds=3/-1/-1/-1/3/-1"
    assert choice(name, position("g1 g2", 7, 7, top="r5", drawn="wild")) == "wild:g"
    assert choice(name, position("g1 g2 g3", 7, 7, top="r5", drawn="wild")) == "keep"
    assert choice(name, position("g1 g2 g3", 7, 7, top="r5", drawn="r1")) == "keep"
    assert choice(name, position("g1 g2 g3", 7, 7, top="r5", drawn="wild+4")) == "wild+4:g"


def test_a_drawn_wild_takes_the_most_common_colour_without_slack() -> None:
    name = "mix2:play_drawn_thresholds=-1/-1/-1/-1/-1/-1"
    assert choice(name, position("r1 r2 g1", 7, 7, top="r5", drawn="wild")) == "wild:r"
    assert_uniform(answers(name, position("r1 r2 g1 g2 b1", 7, 7, top="r5", drawn="wild")), "wild:r", "wild:g")
    assert_uniform(answers(name, position("wild+4", 7, 7, top="r5", drawn="wild")), *with_every_colour("wild"))


def test_a_drawn_wild_takes_any_colour_with_most_common_off() -> None:
    assert_uniform(answers("mix2:wild_most_common=off", position("g1", 7, 7, top="r5", drawn="wild")), *with_every_colour("wild"))


# -- memory --


def test_follows_the_game() -> None:
    game = position("r1 g5", "b1 b2 b3", "y1", top="b5", to_act=1)
    player = Player("mix2", game)
    view = game.view(0)
    begin, observe = player.bot.plain_entry("begin"), player.bot.plain_entry("observe")
    assert callable(begin)
    assert callable(observe)
    begin(view, player.memory, player.params, None)
    before = counts_from(bounds_of(player.memory, 1))
    for event in game.apply("b1"):
        observe(game.view(0), event, player.memory, player.params, None)
    after = counts_from(bounds_of(player.memory, 1))
    assert [card for card in range(len(before)) if before[card] != after[card]] == [27]
    assert after[27] == before[27] - 1
