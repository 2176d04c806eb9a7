from __future__ import annotations

import pytest

from kibitz import registry
from kibitz.bots.uno.bounds import bounds_of
from kibitz.games.uno.counts import counts_from

from ..positions import Player, choice, position

PRESETS = ["card_counting:win_rate", "card_counting:points"]
ORDERS = {
    "card_counting:win_rate": ["r+2", "rskip", "r7", "rrev", "wild+4", "wild"],
    "card_counting:points": ["rskip", "r+2", "r7", "rrev", "wild", "wild+4"],
}
ONLY_MATCHES = "card_counting:weights=0/0/0/0/0/0/-0.5"  # nothing counts but what the next player can match


def test_presets_are_those_of_the_table() -> None:
    assert registry.entrant("card_counting").values == {"weights": (-0.168, -0.163, -0.190, -0.227, 0.048, -0.035, -0.0001)}
    assert registry.entrant("card_counting:points").values == {"weights": (-0.189, -0.153, -0.206, -0.193, 0.015, 0.023, -0.0001)}


# -- as score --


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("newest_first", [True, False])
def test_plays_the_card_that_is_worst_to_keep(name: str, place: int, newest_first: bool) -> None:
    left = ORDERS[name][place:]
    hand = ["b1", *(left if newest_first else reversed(left))]
    assert choice(name, position(" ".join(hand), 7, 7, top="r5")).partition(":")[0] == left[0]


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("others", [(7,), (7, 7)])
def test_a_reverse_keeps_its_own_weight_even_with_two_players(name: str, others: tuple[int, ...]) -> None:
    assert choice(name, position("rskip rrev", *others, top="r5")) == "rskip"
    assert choice(name, position("r1 rrev", *others, top="r5")) == "r1"


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(("hand", "answer"), [("r1 r2 r3", "r3"), ("r3 r2 r1", "r1"), ("r1 r2 r1", "r1"), ("r3 r1 r1 r2 b9", "r2")])
def test_ties_go_to_the_newest_card(name: str, hand: str, answer: str) -> None:
    assert choice(name, position(hand, 7, 7, top="r5"), {1: {"b7": 3}}) == answer


def test_weights_are_a_parameter() -> None:
    game = position("r1 rrev rskip r+2 wild wild+4", 7, 7, top="r5")
    assert choice("card_counting:weights=-0.5/0/0/0/0/0/0", game) == "r1"
    assert choice("card_counting:weights=0/-0.5/0/0/0/0/0", game) == "rrev"
    assert choice("card_counting:weights=0/0/0/0/0/-0.5/0", game) == "wild+4:r"


@pytest.mark.parametrize("weight", ["0.5", "1"])
def test_never_draws_while_something_is_playable(weight: str) -> None:
    assert choice(f"card_counting:weights=0/0/0/0/{weight}/0/0", position("wild g1", 7, 7, top="r5")) == "wild:r"
    assert choice(f"card_counting:weights={weight}/0/0/0/{weight}/0/0", position("r1 g1", 7, 7, top="r5")) == "r1"


# -- matching cards of the next player --


@pytest.mark.parametrize("name", PRESETS)
def test_prefers_what_the_next_player_matches_less(name: str) -> None:
    for hand in ("r1 g5", "g5 r1"):
        game = position(hand, 7, 7, top="r5")
        assert choice(name, game, {1: {"r7": 2, "g7": 1, "b2": 2}}) == "g5"
        assert choice(name, game, {1: {"r7": 1, "g7": 2, "b2": 2}}) == "r1"


@pytest.mark.parametrize("name", PRESETS)
def test_kinds_weigh_far_more_than_matches(name: str) -> None:
    game = position("r1 rskip g5", 7, 7, top="r5")
    assert choice(name, game, {1: {"b7": 7}, 2: {"r9": 7}}) == "rskip"


def test_same_number_counts_as_a_match_and_wilds_match_everything() -> None:
    game = position("g5 r1", 7, 7, top="r5")
    assert choice("card_counting", game, {1: {"b1": 1, "b2": 3}}) == "g5"
    assert choice("card_counting", game, {1: {"wild": 4, "wild+4": 4, "b2": 3}}) == "r1"


def test_discarded_cards_are_counted_from_the_beginning() -> None:
    reds = "r2 r2 r3 r3 r4 r4 r6 r6 r7 r7 r8 r8"
    assert choice("card_counting", position("r1 g5", 7, 7, top="r5", discard=reds)) == "r1"
    assert choice("card_counting", position("g5 r1", 7, 7, top="r5", discard=reds.replace("r", "g"))) == "g5"


def test_a_wild_calls_the_colour_the_next_player_matches_least() -> None:
    game = position("wild r1 r2", 7, 7, top="y9")
    assert choice("card_counting", game, {1: {"r7": 2, "g7": 2, "b2": 1, "y2": 2}}) == "wild:b"


def test_equal_colours_are_called_in_the_order_red_green_blue_yellow() -> None:
    game = position("wild y1 y2", 7, 7, top="r9")
    assert choice("card_counting", game, {1: {"wild": 2}}) == "wild:r"
    assert choice("card_counting", game, {1: {"r1": 1, "b1": 1}}) == "wild:g"
    assert choice("card_counting", game, {1: {"r1": 1, "g1": 1}}) == "wild:b"


@pytest.mark.parametrize(("card", "steps"), [("r7", 1), ("rskip", 2), ("r+2", 2), ("rrev", 3)])
@pytest.mark.parametrize("direction", ["+", "-"])
@pytest.mark.parametrize("red_is_newest", [True, False])
def test_the_next_opponent_is_the_one_who_acts_after_the_play(card: str, steps: int, direction: str, red_is_newest: bool) -> None:
    """The bot can play the same card in red or green; all players can match red alone, but for one who can match green alone."""
    twins = [f"g{card[1:]}", card]
    game = position(" ".join(twins if red_is_newest else reversed(twins)), 7, 7, 7, top=f"y{card[1:]}", direction=direction)
    bounds = {seat: {"r9": 3, "b4": 7} for seat in (1, 2, 3)}
    bounds[steps if direction == "+" else 4 - steps] = {"g9": 3, "b4": 7}
    assert choice("card_counting", game, bounds) == card


@pytest.mark.parametrize(("wild", "seat"), [("wild", 1), ("wild+4", 2)])
def test_the_next_opponent_after_a_wild(wild: str, seat: int) -> None:
    bounds = {other: {"r9": 1, "g9": 1} for other in (1, 2, 3)}
    bounds[seat] = {"r9": 1, "b9": 1, "y9": 1}
    assert choice("card_counting", position(wild, 2, 2, 2, top="r5"), bounds) == f"{wild}:g"


@pytest.mark.parametrize("symbol", ["skip", "rev", "+2"])
def test_with_two_players_the_opponent_is_the_other_one_even_if_the_bot_is_next(symbol: str) -> None:
    for hand in (f"r{symbol} g{symbol}", f"g{symbol} r{symbol}"):
        game = position(hand, 3, top=f"y{symbol}")
        assert choice("card_counting", game, {1: {"r9": 2, "g9": 1, "b1": 4}}) == f"g{symbol}"
        assert choice("card_counting", game, {1: {"r9": 1, "g9": 2, "b1": 4}}) == f"r{symbol}"


def test_with_two_players_a_wild_draw_four_looks_at_the_other_player() -> None:
    assert choice("card_counting", position("wild+4 y1", 3, top="r9"), {1: {"r9": 1, "b1": 4}}) == "wild+4:g"


def test_matches_are_expected_cards_in_hand_by_size_and_share() -> None:
    """A number leaves 2/4 of three cards, a Skip 3/4 of the hand after the next: 1.5 against 0.75 x size."""
    bounds = {1: {"r9": 2, "b3": 2}, 2: {"r9": 3, "b3": 1}}
    assert choice(ONLY_MATCHES, position("r1 rskip", 3, 1, top="r5"), bounds) == "rskip"
    assert choice(ONLY_MATCHES, position("rskip r1", 3, 1, top="r5"), bounds) == "rskip"
    assert choice(ONLY_MATCHES, position("r1 rskip", 3, 2, top="r5"), bounds) == "rskip"
    assert choice(ONLY_MATCHES, position("rskip r1", 3, 2, top="r5"), bounds) == "r1"
    assert choice(ONLY_MATCHES, position("r1 rskip", 3, 3, top="r5"), bounds) == "r1"


def test_no_bounds_at_all_count_as_no_matches() -> None:
    assert choice(ONLY_MATCHES, position("r1 rskip", 3, 3, top="r5"), {1: {}, 2: {"r9": 1, "b3": 7}}) == "r1"
    assert choice(ONLY_MATCHES, position("r1 rskip", 3, 3, top="r5"), {1: {}, 2: {}}) == "rskip"


def test_the_weight_of_matches_is_a_parameter() -> None:
    game = position("g5 r1", 7, 7, top="r5")
    bounds = {1: {"r7": 2, "g7": 1, "b2": 2}}
    assert choice("card_counting:weights=0/0/0/0/0/0/-0.1", game, bounds) == "g5"
    assert choice("card_counting:weights=0/0/0/0/0/0/0", game, bounds) == "r1"
    assert choice("card_counting:weights=0/0/0/0/0/0/0.1", position("r1 g5", 7, 7, top="r5"), bounds) == "r1"


def test_matches_and_weights_are_added() -> None:
    """The next player is expected to hold 2 cards that match the Skip's red and none for the number: 2 x 0.01 against 0.03, then 0.015."""
    bounds = {1: {"b3": 4}, 2: {"r9": 2, "b3": 2}}
    game = position("r1 rskip", 4, 4, top="r5")
    assert choice("card_counting:weights=0/0/-0.03/0/0/0/-0.01", game, bounds) == "rskip"
    assert choice("card_counting:weights=0/0/-0.015/0/0/0/-0.01", game, bounds) == "r1"


# -- the drawn card --


@pytest.mark.parametrize(
    ("name", "drawn", "answer"),
    [
        ("card_counting:win_rate", "wild", "keep"),
        ("card_counting:win_rate", "wild+4", "wild+4:r"),
        ("card_counting:points", "wild", "keep"),
        ("card_counting:points", "wild+4", "keep"),
    ],
)
def test_a_drawn_wild_is_kept_if_it_is_worth_having(name: str, drawn: str, answer: str) -> None:
    assert choice(name, position("g1 g2 g3", 7, 7, top="r5", drawn=drawn), {1: {"b1": 1}, 2: {"b1": 1}}) == answer


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("drawn", ["r1", "rrev", "rskip", "r+2"])
def test_other_drawn_cards_are_played(name: str, drawn: str) -> None:
    assert choice(name, position("r+2 rskip g3", 7, 7, top="r5", drawn=drawn)) == drawn


def test_keeping_is_scored_against_the_unchanged_top_card_and_the_next_player() -> None:
    """Played, the Skip faces seat 2; kept, the red five faces seat 1."""
    game = position("b1", 4, 4, top="r5", drawn="rskip")
    assert choice(ONLY_MATCHES, game, {1: {"g5": 1, "b3": 3}, 2: {"r9": 2, "b3": 2}}) == "keep"
    assert choice(ONLY_MATCHES, game, {1: {"g5": 3, "b3": 1}, 2: {"r9": 2, "b3": 2}}) == "rskip"


def test_keeping_must_be_strictly_better() -> None:
    game = position("b1", 4, 4, top="r5", drawn="rskip")
    assert choice(ONLY_MATCHES, game, {1: {"g5": 2, "b3": 2}, 2: {"r9": 2, "b3": 2}}) == "rskip"
    assert choice(ONLY_MATCHES, game, {1: {}, 2: {}}) == "rskip"
    assert choice("card_counting:weights=0.001/0/0/0/0/0/0", position("b1", 4, 4, top="r5", drawn="r1")) == "keep"


def test_keeping_on_a_wild_is_scored_against_the_colour_called() -> None:
    game = position("b1", 4, 4, top="wild:g", drawn="g1")
    assert choice(ONLY_MATCHES, game, {1: {"g9": 1, "r1": 1, "b3": 2}}) == "keep"
    assert choice(ONLY_MATCHES, game, {1: {"g9": 2, "b3": 2}}) == "g1"


def test_keeping_with_two_players_looks_at_the_other_player() -> None:
    game = position("b1", 4, top="r5", drawn="rskip")
    assert choice(ONLY_MATCHES, game, {1: {"r9": 1, "bskip": 1, "b3": 2}}) == "keep"
    assert choice(ONLY_MATCHES, game, {1: {"r9": 1, "b5": 1, "b3": 2}}) == "rskip"


def test_a_drawn_wild_calls_the_colour_the_next_player_matches_least() -> None:
    game = position("r1 r2", 4, 4, top="y9", drawn="wild")
    assert choice(ONLY_MATCHES, game, {1: {"r7": 2, "g7": 2, "b2": 1, "y2": 2}}) == "wild:b"


# -- memory --


def test_follows_the_game() -> None:
    game = position("r1 g5", "b1 b2 b3", "y1", top="b5", to_act=1)
    player = Player("card_counting", game)
    begin, observe = player.bot.plain_entry("begin"), player.bot.plain_entry("observe")
    assert callable(begin)
    assert callable(observe)
    begin(game.view(0), player.memory, player.params, None)
    before = counts_from(bounds_of(player.memory, 1))
    for event in game.apply("b1"):
        observe(game.view(0), event, player.memory, player.params, None)
    after = counts_from(bounds_of(player.memory, 1))
    assert [card for card in range(len(before)) if before[card] != after[card]] == [27]
    assert after[27] == before[27] - 1
