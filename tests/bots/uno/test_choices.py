"""What bots choose in hand-made positions: tables in `choices/`, and what doesn't fit into a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kibitz import registry
from kibitz.bots.bot import Bot
from kibitz.bots.uno.bounds import bounds_of
from kibitz.games.uno.counts import counts_from

from ..choices import Row, read_tables
from ..hands import hold
from ..positions import FEW, MANY, Player, answers, assert_uniform, choice, position, with_every_colour

TABLES = {path.stem: path.read_text(encoding="utf-8") for path in Path(__file__).with_name("choices").glob("*.txt")}
NO_LIMITS = "limits=-1/-1/-1/-1/-1/-1"
BY_ORDER = ["first_playable", "offensive", "defensive", "better_offensive"]
OLDEST = [*BY_ORDER, "ashtabna"]
WILDS = ["wild", "wild+4"]


@pytest.mark.parametrize("rows", read_tables(TABLES["simple_bots"]))
def test_simple_bots(rows: list[Row]) -> None:
    for row in rows:
        row.check()


@pytest.mark.parametrize("rows", read_tables(TABLES["ranking_bots"]))
def test_ranking_bots(rows: list[Row]) -> None:
    for row in rows:
        row.check()


@pytest.mark.parametrize("rows", read_tables(TABLES["weighing_bots"]))
def test_weighing_bots(rows: list[Row]) -> None:
    for row in rows:
        row.check()


# -- what they declare --

RANKS = {"ranks": (4, 3, 5, 6, 1, 2), "wild_most_common": True}
RANKS_FOR_POINTS = {"ranks": (5, 3, 6, 4, 2, 1), "wild_most_common": True}
MIX = {
    "end_game_ranks": (2, 3, 4, 6, 1, 5),
    "play_drawn_thresholds": (-1, -1, -1, -1, 2, 2),
    "prefer_common_colour": True,
    "end_game": True,
}
LIMITS = {"limits": (-1, -1, -1, -1, 2, 4)}
LIMITS_FOR_POINTS = {"limits": (-1, -1, -1, -1, 5, 3)}
MIX2 = {"end_game_limits": (-1, -1, -1, -1, -1, -1), "card_counting": True}
WEIGHTS = (-0.168, -0.163, -0.190, -0.227, 0.048, -0.035)
WEIGHTS_FOR_POINTS = (-0.189, -0.153, -0.206, -0.193, 0.015, 0.023)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("card_ranking", RANKS),
        ("card_ranking:points", RANKS_FOR_POINTS),
        ("mix", {**RANKS, **MIX, **LIMITS}),
        ("mix:points", {**RANKS_FOR_POINTS, **MIX, **LIMITS_FOR_POINTS}),
        ("mix2", {**RANKS, **MIX, **LIMITS, **MIX2, "wild_colour_slack": 1}),
        ("mix2:points", {**RANKS_FOR_POINTS, **MIX, **LIMITS_FOR_POINTS, **MIX2, "wild_colour_slack": 2}),
        ("score", {"weights": WEIGHTS}),
        ("score:points", {"weights": WEIGHTS_FOR_POINTS}),
        ("card_counting", {"weights": (*WEIGHTS, -0.0001)}),
        ("card_counting:points", {"weights": (*WEIGHTS_FOR_POINTS, -0.0001)}),
    ],
)
def test_presets_are_those_of_the_table(name: str, values: dict[str, Any]) -> None:
    assert registry.entrant(name).values == values


@pytest.mark.parametrize(
    ("name", "declared"),
    [("score", "newest"), ("card_counting", "newest"), ("mix2", ""), ("greedy", ""), *((name, "oldest") for name in OLDEST)],
)
def test_only_the_bots_that_read_the_order_of_the_hand_declare_it(name: str, declared: str) -> None:
    bot = registry.entrant(name).bot
    assert isinstance(bot, Bot)
    assert bot.hand_order == declared


# -- by the rank or the weight of kinds --

BY_RANK = {
    "win_rate": ["r+2", "rskip", "r7", "rrev", "wild+4", "wild"],
    "points": ["rskip", "r7", "r+2", "rrev", "wild", "wild+4"],
}
BY_WEIGHT = {
    "win_rate": ["r+2", "rskip", "r7", "rrev", "wild+4", "wild"],
    "points": ["rskip", "r+2", "r7", "rrev", "wild", "wild+4"],
}


@pytest.mark.parametrize("preset", BY_RANK)
@pytest.mark.parametrize("place", range(6))
def test_plays_the_highest_rank_that_is_left(preset: str, place: int) -> None:
    left = BY_RANK[preset][place:]
    for name, last, streams in (
        (f"card_ranking:{preset}", "y1", FEW),
        (f"mix:{preset},prefer_common_colour=off,{NO_LIMITS}", "g1", FEW),
        (f"mix2:{preset},{NO_LIMITS}", "b1 b2", MANY),
    ):
        given = answers(name, position(" ".join([*reversed(left), last]), 7, 7, top="r5"), streams=streams)
        assert {answer.partition(":")[0] for answer in given} == {left[0]}
        assert len(given) == 1 or streams == MANY


@pytest.mark.parametrize("bot", ["score", "card_counting"])
@pytest.mark.parametrize("preset", BY_WEIGHT)
@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("newest_first", [True, False])
def test_plays_the_card_that_is_worst_to_keep(bot: str, preset: str, place: int, newest_first: bool) -> None:
    left = BY_WEIGHT[preset][place:]
    hand = ["b1", *(left if newest_first else reversed(left))]
    assert choice(f"{bot}:{preset}", position(" ".join(hand), 7, 7, top="r5")).partition(":")[0] == left[0]


@pytest.mark.parametrize(("slack", "colours"), [(0, "r"), (1, "r"), (2, "rg"), (3, "rgb"), (5, "rgb")])
def test_slack_is_a_parameter_and_never_reaches_a_colour_that_is_absent(slack: int, colours: str) -> None:
    game = position("wild r1 r2 r3 r4 g1 g2 b1", 7, 7, top="y9")
    given = answers(f"mix2:card_counting=off,wild_colour_slack={slack},{NO_LIMITS}", game)
    assert_uniform(given, *[f"wild:{colour}" for colour in colours])


@pytest.mark.parametrize("name", ["score:win_rate", "score:points"])
@pytest.mark.parametrize("wild", WILDS)
@pytest.mark.parametrize("others", ["", " g1 g2 g3", " y1"])
def test_a_wild_is_always_called_red(name: str, wild: str, others: str) -> None:
    assert choice(name, position(wild + others, 7, 7, top="r9")) == f"{wild}:r"


@pytest.mark.parametrize(("place", "count"), list(enumerate([76, 8, 8, 8, 4, 4])))
def test_the_mean_is_taken_over_the_108_cards_of_the_deck(place: int, count: int) -> None:
    """A card of another kind weighs as much as drawing costs, a little more, a little less."""
    other, card, others = (2, "rskip", 8) if place == 0 else (0, "r1", 76)
    # Playing is worth w, drawing (count x 0.5 - others x w) / 108: equal at w = count x 0.5 / (108 + others).
    balance = count * 0.5 / (108 + others)
    for change, answer in ((0.001, card), (-0.001, "draw")):
        weights = [0.0] * 6
        weights[place], weights[other] = 0.5, -(balance + change)
        assert choice(f"score:weights={'/'.join(map(str, weights))}", position(f"{card} g4", 7, 7, top="r5")) == answer


# -- who is next --


@pytest.mark.parametrize(("card", "steps"), [("r7", 1), ("rskip", 2), ("r+2", 2), ("rrev", 3)])
@pytest.mark.parametrize("direction", ["+", "-"])
@pytest.mark.parametrize("red_is_newest", [True, False])
def test_the_next_opponent_is_the_one_who_acts_after_the_play(card: str, steps: int, direction: str, red_is_newest: bool) -> None:
    """The bot can play the same card in red or green; all players can match red alone, but for one who can match green alone."""
    twins = [f"g{card[1:]}", card]
    game = position(" ".join(twins if red_is_newest else reversed(twins)), 7, 7, 7, top=f"y{card[1:]}", direction=direction)
    bounds = {seat: {"r9": 3, "b4": 7} for seat in (1, 2, 3)}
    bounds[steps if direction == "+" else 4 - steps] = {"g9": 3, "b4": 7}
    assert choice("card_counting", game, bounds) == choice("mix2", game, bounds) == card


@pytest.mark.parametrize("symbol", ["skip", "rev", "+2"])
def test_with_two_players_the_opponent_is_the_other_one_even_if_the_bot_is_next(symbol: str) -> None:
    for hand in (f"r{symbol} g{symbol}", f"g{symbol} r{symbol}"):
        game = position(hand, 3, top=f"y{symbol}")
        assert choice("card_counting", game, {1: {"r9": 2, "g9": 1, "b1": 4}}) == f"g{symbol}"
        assert choice("card_counting", game, {1: {"r9": 1, "g9": 2, "b1": 4}}) == f"r{symbol}"


@pytest.mark.parametrize("name", ["mix2", "card_counting"])
def test_follows_the_game(name: str) -> None:
    game = position("r1 g5", "b1 b2 b3", "y1", top="b5", to_act=1)
    player = Player(name, game)
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


# -- by the order of the hand --


@pytest.mark.parametrize("name", BY_ORDER)
@pytest.mark.parametrize("wild", WILDS)
@pytest.mark.parametrize(
    ("others", "colour"), [("g1 b1 b2", "b"), ("b1 y2 y2", "y"), ("g1 bskip brev", "b"), ("y1 y2 b1 b2 g1 g2 g3", "g")]
)
def test_a_wild_takes_the_most_common_colour_in_hand(name: str, wild: str, others: str, colour: str) -> None:
    assert choice(name, position(f"{wild} {others}", 7, 7, top="r7")) == f"{wild}:{colour}"


@pytest.mark.parametrize("name", BY_ORDER)
def test_a_wild_takes_any_colour_if_told_so_and_the_choice_of_card_is_left_alone(name: str) -> None:
    for wild in WILDS:
        assert_uniform(answers(f"{name}:wild_colour=random", position(f"{wild} g1 g2 g3", 7, 7, top="r7")), *with_every_colour(wild))
    game = position("g9 r2 r8 r4", 7, 7, top="r7")
    assert choice(f"{name}:wild_colour=random", game) == choice(name, game)


@pytest.mark.parametrize("name", OLDEST)
@pytest.mark.parametrize("drawn", ["r0", "r9", "rskip", "rrev", "r+2"])
def test_the_drawn_card_is_played_whatever_else_fits(name: str, drawn: str) -> None:
    assert choice(name, position("r1 r8 rskip wild", 7, 7, top="r7", drawn=drawn)) == drawn


@pytest.mark.parametrize(
    ("name", "answer"),
    [("first_playable", "r4"), ("offensive", "r2"), ("defensive", "wild:r"), ("better_offensive", "r8"), ("ashtabna", "r8")],
)
def test_after_the_draw_all_that_is_playable_counts(name: str, answer: str) -> None:
    player = Player(name, position("g9 r4 wild r8", 7, 7, top="r7", drawn="r2"))
    hold(player, "g9 r4 wild r8 r2", playable="r4 wild r8 r2")
    assert player.answer(1) == answer


@pytest.mark.parametrize(
    ("name", "hand", "answer"),
    [
        ("first_playable", "wildcustom wild wildshuffle", "wildcustom:r"),
        ("offensive", "wild wildcustom wildshuffle wild+4", "wildcustom:r"),
        ("offensive", "wild wildshuffle wildcustom wild+4", "wildshuffle:r"),
        ("defensive", "wildcustom wild wildshuffle wild+4", "wild:r"),
        ("better_offensive", "wildcustom wild+4 wildshuffle wild", "wild+4:r"),
    ],
)
def test_wilds_of_other_kinds_count_their_points(name: str, hand: str, answer: str) -> None:
    player = Player(name, position("g9", 7, 7, top="r7"))
    hold(player, hand, playable=hand)
    assert player.answer(1) == answer
