from __future__ import annotations

import pytest

from .positions import Player, answers, assert_frequencies, choice, coloured, everything_but, known, play, position, ranked

NAME = "piers"
OWN = "W2.W3.W4.B2.B3"
IDLE = "R3.R4.Y3.Y4.G3"
ONES = "G1.G1.G1.W1.W1.W1.B1.B1.B1"  # of the other colours, all gone


def one_of_five(hands: str = f"W2.W3.{ranked('Y1')}.B2.B3|{IDLE}", discard: str = ONES, lives: int = 3) -> str:
    """The answer to a known 1 that is R1, played already, in two cases out of five, and Y1 in three."""
    return choice(NAME, position(hands, fireworks="R1.Y0.G0.W0.B0", discard=discard, tokens=5, lives=lives))


# -- playing --


def test_a_safe_card_comes_before_a_probable_one() -> None:
    hands = f"W2.{ranked('R1')}.{known('Y1')}.B2.B3|{IDLE}"
    assert choice(NAME, position(hands, fireworks="R0.Y0.G0.W0.B1")) == "play:2"


def test_the_first_safe_card_is_played() -> None:
    assert choice(NAME, position(f"W2.{ranked('R1')}.{known('Y1')}.B2.B3|{IDLE}")) == "play:1"


def test_sixty_per_cent_is_enough() -> None:
    assert one_of_five() == "play:2"


def test_half_is_not() -> None:
    assert one_of_five(discard=f"{ONES}.Y1") == "discard:0"


def test_the_last_life_is_not_risked() -> None:
    assert one_of_five(lives=2) == "play:2"
    assert one_of_five(lives=1) == "discard:0"


def test_the_last_of_equally_probable_cards_is_played() -> None:
    assert one_of_five(hands=f"W2.{ranked('Y1')}.W3.{ranked('R1')}.B3|{IDLE}") == "play:3"


def test_the_most_probable_card_is_played() -> None:
    hands = f"W2.Y1:RYGWB:12.{ranked('R1')}.B2.B3|Y2.Y3.R3.R4.G3"
    assert one_of_five(hands=hands, discard=f"{ONES}.G2.G2.W2.B2") == "play:2"


def test_a_probable_play_comes_before_a_hint() -> None:
    assert one_of_five(hands=f"W2.W3.{ranked('Y1')}.B2.B3|R2.R4.Y3.Y4.G3") == "play:2"


# -- the end --


def last_round(hands: str, lives: int = 3) -> str:
    """The answer once the deck is empty and everything else is discarded."""
    held = " ".join(card.partition(":")[0] for hand in hands.split("|") for card in hand.split("."))
    return choice(NAME, position(hands, discard=everything_but(held), turns_left="2", tokens=5, lives=lives))


def test_once_the_deck_is_empty_the_most_probable_card_is_played() -> None:
    """One of five cards is R1, the others are dead: a chance of one in five for each, and the last is taken."""
    assert last_round(f"R1.W3.W4.B2.B3|{IDLE}") == "play:4"
    assert last_round(f"{ranked('R1')}.W3.W4.B2.B3|{IDLE}") == "play:0"


def test_even_what_cannot_fit_is_played_then() -> None:
    assert last_round(f"R2.W3.W4.B2.B3|{IDLE}") == "play:4"


def test_but_not_with_the_last_life() -> None:
    assert last_round(f"R2.W3.W4.B2.B3|{IDLE}", lives=1) == "discard:0"


# -- hints --


def test_playable_cards_are_told_before_dead_ones() -> None:
    hands = f"{OWN}|{ranked('R1')}.R4.Y1.Y4.G3"
    piles = "R1.Y0.G0.W0.B0"
    assert choice(NAME, position(hands, fireworks=piles, tokens=3)) == "hint:1:1"
    assert choice(NAME, position(hands.replace("Y1", "Y3"), fireworks=piles, tokens=3)) == "hint:1:red"


@pytest.mark.parametrize(("tokens", "answer"), [(1, "hint:1:red"), (3, "hint:1:red"), (4, "discard:0"), (0, "discard:0")])
def test_dead_cards_are_told_with_fewer_than_four_tokens(tokens: int, answer: str) -> None:
    hands = f"{OWN}|R3.R4.{ranked('R1')}.Y4.G3"
    assert choice(NAME, position(hands, fireworks="R1.Y0.G0.W0.B0", tokens=tokens)) == answer


def test_the_colour_of_a_complete_pile_is_told() -> None:
    assert choice(NAME, position(f"{OWN}|Y3.R4.R1.Y4.G3", fireworks="R5.Y0.G0.W0.B0", tokens=3)) == "hint:1:red"


def test_a_rank_that_every_pile_has_is_told() -> None:
    hands = f"W3.W4.W5.B3.B4|R3.R4.{coloured('Y1')}.Y4.G3"
    assert choice(NAME, position(hands, fireworks="R1.Y1.G1.W1.B1", tokens=3)) == "hint:1:1"


def test_the_rank_is_told_if_with_the_known_colour_it_proves_the_card_dead() -> None:
    hands = f"{OWN}|R3.R4.{coloured('Y1')}.Y4.G3"
    assert choice(NAME, position(hands, fireworks="R0.Y1.G0.W0.B0", tokens=3)) == "hint:1:1"


def test_a_card_that_can_no_longer_be_reached_is_dead_too() -> None:
    hands = f"{OWN}|{ranked('R5')}.R4.Y3.Y4.G3"
    assert choice(NAME, position(hands, discard="R2.R2", tokens=3)) == "hint:1:red"


def test_what_one_hint_does_not_prove_is_not_told() -> None:
    assert choice(NAME, position(f"{OWN}|R1.R3.Y3.Y4.G3", fireworks="R1.Y0.G0.W0.B0", tokens=3)) == "discard:0"


def test_what_is_proved_already_is_not_told() -> None:
    hands = f"{OWN}|{known('R1')}.R4.Y3.Y4.G3"
    assert choice(NAME, position(hands, fireworks="R1.Y0.G0.W0.B0", tokens=3)) == "discard:0"


def test_dead_cards_are_told_in_turn_order() -> None:
    hands = f"R3.R4.{ranked('R1')}.Y4.G3|{OWN}|Y3.R4.{ranked('Y1')}.Y4.G4"
    assert choice(NAME, position(hands, fireworks="R1.Y1.G0.W0.B0", tokens=3, to_act=1)) == "hint:1:yellow"
    assert choice(NAME, position(hands, fireworks="R1.Y0.G1.W0.B0", tokens=3, to_act=1, discard="Y1.Y1")) == "hint:1:yellow"


# -- discards --


def test_a_card_known_dead_is_discarded() -> None:
    assert choice(NAME, position(f"W2.W3.{known('R1')}.B2.B3|{IDLE}", fireworks="R1.Y0.G0.W0.B0", tokens=5)) == "discard:2"


def test_telling_a_dead_card_comes_before_discarding_one() -> None:
    hands = f"W2.W3.{known('R1')}.B2.B3|R3.R4.{ranked('R1')}.Y4.G3"
    assert choice(NAME, position(hands, fireworks="R1.Y0.G0.W0.B0", tokens=3)) == "hint:1:red"


def test_else_the_oldest_card_goes() -> None:
    assert choice(NAME, position(f"{OWN}|{IDLE}", tokens=7)) == "discard:0"


def test_with_all_tokens_a_random_hint_goes_to_the_next_player() -> None:
    assert_frequencies(
        answers(NAME, position(f"{OWN}|{IDLE}")),
        {"hint:1:3": 3, "hint:1:4": 2, "hint:1:red": 2, "hint:1:yellow": 2, "hint:1:green": 1},
    )


def test_spots_decide_between_equally_probable_cards() -> None:
    state = position(f"W2.{ranked('Y1')}.W3.B2.B3|{IDLE}", fireworks="R1.Y0.G0.W0.B0", discard=ONES, tokens=5, deck="Y1")
    player = Player(NAME, state)
    play(state, "discard:0", "hint:1:1")
    assert player.answer() == "play:0"  # it lies on the second spot, the drawn card on the first
    assert choice(NAME, state) == "play:4"
