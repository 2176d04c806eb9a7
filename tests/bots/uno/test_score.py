from __future__ import annotations

import pytest

from kibitz import registry
from kibitz.bots.bot import Bot

from ..positions import choice, position

PRESETS = ["score:win_rate", "score:points"]
ORDERS = {
    "score:win_rate": ["r+2", "rskip", "r7", "rrev", "wild+4", "wild"],
    "score:points": ["rskip", "r+2", "r7", "rrev", "wild", "wild+4"],
}


def weights(number: float = 0, reverse: float = 0, skip: float = 0, draw_two: float = 0, wild: float = 0, wild_draw_four: float = 0) -> str:
    """The bot with these weights."""
    return f"score:weights={number}/{reverse}/{skip}/{draw_two}/{wild}/{wild_draw_four}"


def test_presets_are_those_of_the_table() -> None:
    assert registry.entrant("score").values == {"weights": (-0.168, -0.163, -0.190, -0.227, 0.048, -0.035)}
    assert registry.entrant("score:points").values == {"weights": (-0.189, -0.153, -0.206, -0.193, 0.015, 0.023)}


@pytest.mark.parametrize(("name", "declared"), [("score", "newest"), ("card_counting", "newest"), ("mix2", ""), ("greedy", "")])
def test_only_the_bots_that_read_the_order_of_the_hand_declare_it(name: str, declared: str) -> None:
    bot = registry.entrant(name).bot
    assert isinstance(bot, Bot)
    assert bot.hand_order == declared


# -- the choice of card --


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("place", range(6))
@pytest.mark.parametrize("newest_first", [True, False])
def test_plays_the_card_that_is_worst_to_keep(name: str, place: int, newest_first: bool) -> None:
    left = ORDERS[name][place:]
    hand = ["b1", *(left if newest_first else reversed(left))]
    assert choice(name, position(" ".join(hand), 7, 7, top="r5")).partition(":")[0] == left[0]


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize(("hand", "answer"), [("r1 r2 r3", "r3"), ("r3 r2 r1", "r1"), ("r3 g5 r1 b9", "r1")])
def test_ties_go_to_the_newest_card(name: str, hand: str, answer: str) -> None:
    assert choice(name, position(hand, 7, 7, top="r5")) == answer


def test_of_two_copies_the_newest_decides() -> None:
    assert choice("score", position("r1 r2 r1", 7, 7, top="r5")) == "r1"
    assert choice("score", position("r2 r1 r1 r3", 7, 7, top="r5")) == "r3"


def test_ties_between_kinds_go_to_the_newest_card() -> None:
    name = weights(number=-0.2, skip=-0.2, draw_two=-0.2)
    assert choice(name, position("r1 rskip r+2", 7, 7, top="r5")) == "r+2"
    assert choice(name, position("r+2 rskip r1", 7, 7, top="r5")) == "r1"


@pytest.mark.parametrize("name", PRESETS)
def test_with_two_players_a_reverse_has_the_weight_of_a_skip(name: str) -> None:
    assert choice(name, position("rskip rrev r1", 7, top="r5")) == "rrev"
    assert choice(name, position("rrev rskip r1", 7, top="r5")) == "rskip"
    assert choice(name, position("rskip rrev r1", 7, 7, top="r5")) == "rskip"


def test_weights_are_a_parameter() -> None:
    game = position("r1 rrev rskip r+2 wild wild+4", 7, 7, top="r5")
    assert choice(weights(number=-0.5), game) == "r1"
    assert choice(weights(reverse=-0.5), game) == "rrev"
    assert choice(weights(wild=-0.5), game) == "wild:r"
    assert choice(weights(wild_draw_four=-0.5), game) == "wild+4:r"


def test_the_last_card_of_the_next_player_changes_nothing() -> None:
    assert choice("score", position("r1 wild+4", 1, 7, top="r5")) == "r1"


# -- the colour of a wild --


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("wild", ["wild", "wild+4"])
@pytest.mark.parametrize("others", ["", " g1 g2 g3", " y1"])
def test_a_wild_is_always_called_red(name: str, wild: str, others: str) -> None:
    assert choice(name, position(wild + others, 7, 7, top="r9")) == f"{wild}:r"


# -- drawing as a candidate --


@pytest.mark.parametrize("name", PRESETS)
def test_the_presets_rather_play_a_wild_than_draw(name: str) -> None:
    assert choice(name, position("wild g1 g2 g3 g4 g6 g7", 7, 7, top="r5")) == "wild:r"


def test_draws_if_the_mean_card_is_better_than_any_play() -> None:
    assert choice(weights(wild=0.5), position("wild g1", 7, 7, top="r5")) == "draw"
    assert choice(weights(wild=0.5), position("r1 g1", 7, 7, top="r5")) == "draw"


@pytest.mark.parametrize(
    ("kind", "count"), [("number", 76), ("reverse", 8), ("skip", 8), ("draw_two", 8), ("wild", 4), ("wild_draw_four", 4)]
)
def test_the_mean_is_taken_over_the_108_cards_of_the_deck(kind: str, count: int) -> None:
    """A card of another kind weighs as much as drawing costs, a little more, a little less."""
    other, card = ("skip", "rskip") if kind == "number" else ("number", "r1")
    others = 8 if kind == "number" else 76
    # Playing is worth w, drawing (count x 0.5 - others x w) / 108: equal at w = count x 0.5 / (108 + others).
    balance = count * 0.5 / (108 + others)
    game = position(f"{card} g4", 7, 7, top="r5")
    assert choice(weights(**{kind: 0.5, other: -(balance + 0.001)}), game) == card
    assert choice(weights(**{kind: 0.5, other: -(balance - 0.001)}), game) == "draw"


def test_a_tie_between_drawing_and_playing_is_played() -> None:
    assert choice(weights(), position("r1 g1", 7, 7, top="r5")) == "r1"


def test_with_two_players_a_reverse_has_the_weight_of_a_skip_in_the_mean_too() -> None:
    assert choice(weights(reverse=0.5), position("r1 g1", 7, 7, top="r5")) == "draw"
    assert choice(weights(reverse=0.5), position("r1 g1", 7, top="r5")) == "r1"
    assert choice(weights(skip=0.5, number=-0.03), position("r1 g1", 7, 7, top="r5")) == "r1"
    assert choice(weights(skip=0.5, number=-0.03), position("r1 g1", 7, top="r5")) == "draw"


# -- the drawn card --


@pytest.mark.parametrize(
    ("name", "drawn", "answer"),
    [
        ("score:win_rate", "wild", "keep"),
        ("score:win_rate", "wild+4", "wild+4:r"),
        ("score:points", "wild", "keep"),
        ("score:points", "wild+4", "keep"),
    ],
)
def test_a_drawn_wild_is_kept_if_it_is_worth_having(name: str, drawn: str, answer: str) -> None:
    assert choice(name, position("g1 g2 g3", 7, 7, top="r5", drawn=drawn)) == answer
    assert choice(name, position("", 7, 7, top="r5", drawn=drawn)) == answer


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("drawn", ["r1", "rrev", "rskip", "r+2"])
def test_other_drawn_cards_are_played(name: str, drawn: str) -> None:
    assert choice(name, position("r+2 rskip g3", 7, 7, top="r5", drawn=drawn)) == drawn


def test_a_drawn_card_is_kept_only_if_that_is_strictly_better() -> None:
    assert choice(weights(number=0.001), position("g1", 7, 7, top="r5", drawn="r1")) == "keep"
    assert choice(weights(number=0), position("g1", 7, 7, top="r5", drawn="r1")) == "r1"
    assert choice(weights(wild=0), position("g1", 7, 7, top="r5", drawn="wild")) == "wild:r"


def test_with_two_players_a_drawn_reverse_has_the_weight_of_a_skip() -> None:
    assert choice(weights(reverse=0.1, skip=-0.1), position("g1", 7, 7, top="r5", drawn="rrev")) == "keep"
    assert choice(weights(reverse=0.1, skip=-0.1), position("g1", 7, top="r5", drawn="rrev")) == "rrev"
