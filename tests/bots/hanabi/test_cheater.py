from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import kibitz
from kibitz.core.errors import BadBot, BadValue
from kibitz.core.layouts import Long
from kibitz.games.hanabi.cards import HIDDEN, MAX_HAND
from kibitz.games.hanabi.view import View
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_compiled, play_plain
from kibitz.runs.units import Unit

from .positions import choice, everything_but, position

NAME = "cheater"
IDLE = "R3.R4.Y3.Y4.G3"


# -- what it is shown --


def sees_own_cards(view: View) -> bool:
    for slot in range(view.size(view.seat)):
        if view.cards[view.seat * MAX_HAND + slot] == HIDDEN:
            return False
    return True


@kibitz.bot(game="hanabi", sees_everything=True)
def cheater_that_looks(view: View) -> int:
    return view.pick_move(view.legal_moves) if sees_own_cards(view) else -1


def notice(view: View, event: Any, memory: Any) -> None:
    if view.status == 0 and not sees_own_cards(view):
        memory.blind += 1


class Sight:
    blind: Long


@kibitz.bot(game="hanabi", sees_everything=True, memory=Sight, observe=notice)
def cheater_that_watches(view: View, memory: Sight) -> int:
    return view.pick_move(view.legal_moves) if memory.blind == 0 else -1


@kibitz.bot(game="hanabi")
def honest(view: View) -> int:
    return -1 if sees_own_cards(view) else view.pick_move(view.legal_moves)


@pytest.mark.parametrize("way", [play_compiled, play_plain])
@pytest.mark.parametrize("seating", ["random", "fixed"])
def test_a_cheater_is_shown_its_hand_and_nobody_else(way: Callable[..., Any], seating: str) -> None:
    lineup = make_lineup([cheater_that_looks, honest, cheater_that_watches, honest], game="hanabi", seating=seating)
    assert way(lineup, 3, Unit(0, 40))[0] == 40


def test_who_sees_everything_says_so_in_the_name() -> None:
    with pytest.raises(BadBot, match="bot 'honest_looking' sees everything, so its name must begin with cheater"):
        kibitz.bot(game="hanabi", name="honest_looking", sees_everything=True)(sees_own_cards)


def test_a_cheater_plays_its_own_game_alone() -> None:
    with pytest.raises(BadValue, match="plays hanabi, not uno"):
        make_lineup([cheater_that_looks, "random"], game="uno")


# -- playing --


def test_it_plays_what_fits_without_having_been_told() -> None:
    assert choice(NAME, position(f"W2.W3.R1.B2.B3|{IDLE}")) == "play:2"


def test_the_lowest_rank_is_played_first() -> None:
    assert choice(NAME, position(f"R4.W3.Y1.B2.B3|{IDLE}", fireworks="R3.Y0.G0.W0.B0")) == "play:2"


def test_what_others_hold_too_can_wait() -> None:
    assert choice(NAME, position("W4.W3.Y1.B2.G1|Y1.R4.Y3.Y4.G3")) == "play:4"


def test_the_first_of_equal_plays_is_made() -> None:
    assert choice(NAME, position(f"W4.W3.Y1.B2.G1|{IDLE}")) == "play:2"


# -- what is not missed --


def test_a_dead_card_goes_first() -> None:
    assert choice(NAME, position(f"W2.W2.R1.B2.B3|{IDLE}", fireworks="R1.Y0.G0.W0.B0", tokens=4)) == "discard:2"


def test_then_the_first_card_that_somebody_holds_as_well() -> None:
    assert choice(NAME, position("W2.R3.Y3.B2.B3|R3.R4.Y3.Y4.G3", tokens=4)) == "discard:1"
    assert choice(NAME, position(f"W2.W5.W2.B2.B3|{IDLE}", tokens=4)) == "discard:0"


def test_it_is_discarded_even_if_another_can_play() -> None:
    assert choice(NAME, position("W2.W2.W4.B2.B3|R1.R4.Y3.Y4.G3", tokens=4)) == "discard:0"


def test_unless_draws_are_scarce() -> None:
    """Five draws and two last turns for three missing points leave four to spare; with one draw more, five."""
    piles = "R5.Y5.G5.W5.B2"
    hands = "R1.Y1.G1.W1.R2|B3.Y2.G2.B4.B5"
    spent = everything_but(" ".join(hands.replace("|", ".").split(".") + [f"{c}{r}" for c in "RYGW" for r in range(1, 6)] + ["B1", "B2"]))
    cards = [card for card in spent.split(".") if card not in ("B3", "B4")]
    for draws, answer in ((5, "hint:1:yellow"), (6, "discard:0")):
        deck, discard = cards[:draws], [*cards[draws:], "B3", "B4"]
        state = position(hands, fireworks=piles, deck=".".join(deck), discard=".".join(discard), tokens=4)
        assert state.deck_size == draws
        assert choice(NAME, state) == answer


# -- passing the turn on --


def test_with_all_tokens_it_gives_the_first_hint() -> None:
    assert choice(NAME, position(f"W2.W2.W4.B2.B3|{IDLE}")) == "hint:1:red"


def test_it_passes_while_another_can_play() -> None:
    assert choice(NAME, position("W2.W3.W4.B2.B3|R1.R4.Y3.Y4.G3", tokens=4)) == "hint:1:red"


def test_it_passes_to_somebody_who_loses_less() -> None:
    assert choice(NAME, position("W2.W3.W4.B2.B3|R3.R4.Y3.Y4.R4", tokens=1)) == "hint:1:red"


def test_as_far_as_the_tokens_reach() -> None:
    hands = "W2.W3.W4.B2.B3|Y2.Y3.Y5.R2.R3|G2.G2.G3.G4.Y4"
    assert choice(NAME, position(hands, tokens=2)) == "hint:1:red"
    assert choice(NAME, position(hands, tokens=1)) == "discard:2"


def test_once_the_deck_is_empty_discards_are_of_no_use() -> None:
    own = "R2.W3.W4.B2.B3"
    discard = everything_but(f"{own} {IDLE}".replace(".", " "))
    assert choice(NAME, position(f"{own}|{IDLE}", discard=discard, turns_left="2", tokens=5)) == "hint:1:red"
    assert choice(NAME, position(f"{own}|{IDLE}", discard=discard, turns_left="2", tokens=0)) == "discard:0"


# -- giving something up --


def test_the_card_that_has_to_wait_longest_goes() -> None:
    assert choice(NAME, position(f"W2.W3.W4.B2.B3|{IDLE}", tokens=0)) == "discard:2"


def test_the_last_copy_is_kept() -> None:
    assert choice(NAME, position(f"W2.W3.W4.B2.W5|{IDLE}", tokens=0, discard="W4")) == "discard:1"


def test_of_last_copies_the_highest_goes() -> None:
    own = "R2.Y2.G2.W5.B4"
    assert choice(NAME, position(f"{own}|{IDLE}", tokens=0, discard="R2.Y2.G2.B4")) == "discard:3"


def test_where_neither_hint_nor_discard_is_possible_it_plays() -> None:
    rules = "standard,hand_size=1"
    assert choice(NAME, position("R3|", rules=rules, discard=everything_but("R3", rules), turns_left="1")) == "play:0"


# -- whole games --


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_it_is_close_to_perfect(players: int) -> None:
    row = kibitz.evaluate(NAME, game="hanabi", players=players, games=2000)[0]
    assert row.score > 24.8
    assert row.lost == 0
