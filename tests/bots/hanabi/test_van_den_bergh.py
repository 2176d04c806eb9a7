from __future__ import annotations

import pytest

from .positions import choice, known, position, ranked

NAME = "van_den_bergh"
OWN = "W2.W3.W4.B2.B3"
IDLE = "R3.R4.Y3.Y4.G3"
ONES = "G1.G1.G1.W1.W1.W1.B1.B1.B1"
PILES = "R1.Y0.G0.W0.B0"


# -- playing --


def test_sixty_per_cent_is_enough() -> None:
    hands = f"W2.W3.{ranked('Y1')}.B2.B3|{IDLE}"
    assert choice(NAME, position(hands, fireworks=PILES, discard=ONES)) == "play:2"


def test_half_is_not() -> None:
    hands = f"W2.W3.{ranked('Y1')}.B2.B3|{IDLE}"
    assert choice(NAME, position(hands, fireworks=PILES, discard=f"{ONES}.Y1")) == "hint:1:3"


def test_the_last_life_is_kept_for_what_is_safe() -> None:
    hands = f"W2.W3.{ranked('Y1')}.B2.B3|{IDLE}"
    assert choice(NAME, position(hands, fireworks=PILES, discard=ONES, lives=1)) == "hint:1:3"
    assert choice(NAME, position(hands, lives=1)) == "play:2"


def test_of_two_safe_cards_the_last_is_played_and_the_first_with_one_life() -> None:
    hands = f"W2.{ranked('R1')}.{known('Y1')}.B2.B3|{IDLE}"
    assert choice(NAME, position(hands)) == "play:2"
    assert choice(NAME, position(hands, lives=1)) == "play:1"


def test_the_most_probable_card_is_played() -> None:
    hands = f"W2.{known('R2')}.{ranked('Y1')}.B2.B3|{IDLE}"
    assert choice(NAME, position(hands, fireworks=PILES, discard=ONES)) == "play:1"


# -- sure discards --


def test_what_is_surely_dead_is_discarded_before_hints() -> None:
    hands = f"W2.W3.{known('R1')}.B2.B3|R2.R4.Y3.Y4.G3"
    assert choice(NAME, position(hands, fireworks=PILES, tokens=7)) == "discard:2"
    assert choice(NAME, position(hands, fireworks=PILES, tokens=8)) == "hint:1:2"


def test_the_last_of_several_goes() -> None:
    hands = f"{known('R1')}.W3.{known('R1')}.B2.B3|{IDLE}"
    assert choice(NAME, position(hands, fireworks=PILES, tokens=7)) == "discard:2"


def test_seen_cards_count() -> None:
    """The last unseen 1 is red, and a red 1 lies on the table."""
    hands = f"W2.W3.{ranked('R1')}.B2.B3|Y1.R4.Y3.Y4.G3"
    assert choice(NAME, position(hands, fireworks=PILES, discard=f"R1.Y1.Y1.{ONES}", tokens=7)) == "discard:2"


def test_what_can_no_longer_be_reached_is_dead() -> None:
    hands = f"W2.W3.{known('R5')}.B2.B3|{IDLE}"
    assert choice(NAME, position(hands, discard="R2.R2", tokens=7)) == "discard:2"


# -- hints --


def test_playable_cards_are_told_in_turn_order_rank_first() -> None:
    assert choice(NAME, position(f"{OWN}|R3.R4.Y1.Y4.G3")) == "hint:1:1"
    assert choice(NAME, position(f"{OWN}|R3.R4.{ranked('Y1')}.Y4.G3")) == "hint:1:yellow"
    assert choice(NAME, position(f"{OWN}|{IDLE}|R3.R4.Y1.Y4.G4")) == "hint:2:1"


@pytest.mark.parametrize(
    ("hand", "answer"),
    [
        ("R3.R4.Y3.Y4.G3", "hint:1:3"),
        ("R2.R4.R5.Y4.G3", "hint:1:red"),
        ("R2.R4.Y2.Y4.G3", "hint:1:2"),  # two 2s, two 4s, two reds, two yellows: ranks first, the lowest
        ("Y2.R5.Y3.R4.G4", "hint:1:4"),  # two 4s, two reds, two yellows
        ("Y2.R5.Y3.R4.W4:RYGWB:4!", "hint:1:4"),
        ("Y2.R5.Y3.R2.G4", "hint:1:2"),
    ],
)
def test_else_the_hint_that_touches_most_is_given(hand: str, answer: str) -> None:
    assert choice(NAME, position(f"{OWN}|{hand}")) == answer


def test_colours_tie_with_red_first() -> None:
    assert choice(NAME, position("W2.W3.W4.B3|Y2.R3.Y4.R5", rules="autohanabi")) == "hint:1:red"


def test_known_cards_count_as_touched() -> None:
    hand = ".".join(known(card) for card in ("R3", "Y3", "G3"))
    assert choice(NAME, position(f"{OWN}|{hand}.R4.Y4")) == "hint:1:3"


def test_between_players_the_next_comes_first_unless_another_is_told_more() -> None:
    hands = f"{OWN}|R3.R4.Y3.Y4.G2|{{}}"
    assert choice(NAME, position(hands.format("G3.G4.Y2.R2.Y5"))) == "hint:1:3"
    assert choice(NAME, position(hands.format("G3.G4.G5.R2.Y5"))) == "hint:2:green"


# -- discards --


def test_out_of_tokens_the_most_probably_dead_card_goes() -> None:
    hands = f"W2.W3.{ranked('W1')}.B2.B3|{IDLE}"
    assert choice(NAME, position(hands, fireworks="R1.Y1.G1.W0.B0", tokens=0)) == "discard:2"


def test_of_equally_probable_ones_the_last_goes() -> None:
    assert choice(NAME, position(f"{OWN}|{IDLE}", tokens=0)) == "discard:4"
