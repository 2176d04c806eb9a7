"""The order of a hand: cards in order of arrival, and which of two copies leaves it."""

from __future__ import annotations

from typing import Any

import pytest

import kibitz
from kibitz.bots.bot import HAND_ORDERS
from kibitz.core.errors import BadBot
from kibitz.games.uno.cards import MAX_CARDS, NO_CARD
from kibitz.games.uno.names import card_name
from kibitz.games.uno.state import NEWEST_FIRST, NO_ORDER, OLDEST_FIRST, PLAY
from kibitz.games.uno.view import View
from kibitz.play.game import Game, play
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.runs.units import Unit
from tests.games.uno.positions import BLUE_ONES, hand, played, position


def ordered(game: Game, *orders: int) -> Game:
    """The game with the order of each hand kept in this way."""
    game.state.ordered[: len(orders)] = list(orders)
    return game


@pytest.mark.parametrize(
    ("held", "card", "newest", "oldest"),
    [
        ("r1.g2.r1.b3", "r1", "r1.g2.b3", "g2.r1.b3"),
        ("r1.r1.g2", "r1", "r1.g2", "r1.g2"),
        ("r1.g2.r1.g2.r1", "r1", "r1.g2.r1.g2", "g2.r1.g2.r1"),
        ("g2.wild.b3.wild", "wild:r", "g2.wild.b3", "g2.b3.wild"),
        ("g2.r1.b3", "r1", "g2.b3", "g2.b3"),
    ],
)
def test_newest_or_oldest_copy_is_played(held: str, card: str, newest: str, oldest: str) -> None:
    for order, left in ((NEWEST_FIRST, newest), (OLDEST_FIRST, oldest)):
        game = ordered(position(f"{held}|y1", "r5", BLUE_ONES), order)
        game.apply(card)
        assert hand(game, 0) == left


def test_hand_without_an_order_is_shown_by_type() -> None:
    game = ordered(position("wild.r1.g2.r1|y1", "r5", BLUE_ONES), NO_ORDER)
    assert hand(game, 0) == "r1.r1.g2.wild"
    assert game.view(0).order == [NO_CARD] * MAX_CARDS


def test_drawn_cards_come_last_in_either_order() -> None:
    for order, left in ((NEWEST_FIRST, "r7.g2"), (OLDEST_FIRST, "g2.r7")):
        game = ordered(position("r7.g2|y1", "r5", "r7.r7"), order)
        game.apply("draw")
        assert hand(game, 0) == "r7.g2.r7"
        game.apply("r7")
        assert hand(game, 0) == left


def test_view_shows_the_own_order_alone() -> None:
    game = ordered(position("r7.g2.r1|y1.b2", "r5", BLUE_ONES), OLDEST_FIRST, NO_ORDER)
    assert [card_name(card) for card in game.view(0).order[:3]] == ["r7", "g2", "r1"]
    assert game.view(0).order[3:] == [NO_CARD] * (MAX_CARDS - 3)
    assert game.view(1).order == [NO_CARD] * MAX_CARDS


@pytest.mark.parametrize("order", [NEWEST_FIRST, OLDEST_FIRST])
def test_hand_that_came_from_another_player_is_ordered_by_type(order: int) -> None:
    game = ordered(position("r7.wild.g2.b3|y9.b2.y1.b2|y5", "r5", BLUE_ONES, rules="classic,seven_zero=on"), order, order, order)
    played(game, "r7", "swap:1")
    assert [hand(game, seat) for seat in range(3)] == ["b2.b2.y1.y9", "g2.b3.wild", "y5"]


def test_jump_in_takes_the_copy_that_the_order_says() -> None:
    for order, left in ((NEWEST_FIRST, "r1.g2"), (OLDEST_FIRST, "g2.r1")):
        game = ordered(position("r1.y2|r1.g2.r1|y3", "r5", BLUE_ONES, rules="classic,jump_in=on"), NEWEST_FIRST, order)
        played(game, "r1", "jump-in")
        assert hand(game, 1) == left


# -- as bots declare it --


def plays_first_to_come(view: View) -> int:
    """Plays the playable card that came first."""
    for place in range(view.hand_size()):
        if view.can_play(view.order[place]):
            return view.play(view.order[place], 0)
    return view.decline()


newest = kibitz.bot(name="newest", hand_order="newest")(plays_first_to_come)
oldest = kibitz.bot(name="oldest", hand_order="oldest")(plays_first_to_come)


def left_after(cards: list[int], card: int, order: str) -> list[int]:
    """A hand after one copy of a card was played."""
    place = cards.index(card) if order == "oldest" else len(cards) - 1 - cards[::-1].index(card)
    return cards[:place] + cards[place + 1 :]


@pytest.mark.parametrize("rules", ["classic", "classic,stacking=same"])
def test_copies_are_played_as_the_bots_declare(rules: str) -> None:
    doubles = {"newest": 0, "oldest": 0}
    for index in range(40):
        game = play([newest, oldest], seed=3, index=index, rules=rules)
        before = game.opening
        for step in game.steps:
            for event in step.events:
                if event.kind == PLAY and not step.state.status:
                    name, cards = game.seats[event.seat], before.hands[event.seat]
                    assert step.hands[event.seat][: len(cards) - 1] == left_after(cards, event.card, name)
                    doubles[name] += left_after(cards, event.card, "newest") != left_after(cards, event.card, "oldest")
            before = step
    assert min(doubles.values()) >= 10  # often enough it made a difference


def test_order_matters_and_is_the_same_compiled_and_plain() -> None:
    tallies = []
    for bot in (newest, oldest):
        lineup = make_lineup([bot, "random"])
        tallies.append(play_compiled(lineup, 3, Unit(0, 60)).tolist())
        assert tallies[-1] == play_plain(lineup, 3, Unit(0, 60)).tolist()
    assert tallies[0] != tallies[1]


class Reader:
    """The same as a Python bot."""

    def choose(self, view: View) -> int:
        return plays_first_to_come(view)


def test_python_bots_play_the_newest_copy() -> None:
    doubles = 0
    for index in range(20):
        game = play([Reader, Reader], seed=3, index=index)
        before = game.opening
        for step in game.steps:
            for event in step.events:
                if event.kind == PLAY and not step.state.status:
                    cards = before.hands[event.seat]
                    assert step.hands[event.seat][: len(cards) - 1] == left_after(cards, event.card, "newest")
                    doubles += left_after(cards, event.card, "newest") != left_after(cards, event.card, "oldest")
            before = step
    assert doubles >= 10


def test_orders_are_named() -> None:
    assert HAND_ORDERS == ("", "newest", "oldest")
    assert (HAND_ORDERS.index("newest"), HAND_ORDERS.index("oldest")) == (NEWEST_FIRST, OLDEST_FIRST)


@pytest.mark.parametrize("order", ["first", "Newest", True, None])
def test_unknown_order_is_refused(order: Any) -> None:
    with pytest.raises(BadBot) as refused:
        kibitz.bot(hand_order=order)(plays_first_to_come)
    assert str(refused.value) == f'bot \'plays_first_to_come\': hand_order={order!r} is not accepted; it is "newest" or "oldest".'
