from __future__ import annotations

from .positions import answers, assert_frequencies, assert_uniform, choice, coloured, known, position, ranked

NAME = "outer"
OWN = "W2.W3.W4.B2.B3"
IDLE = "R3.R4.Y3.Y4.G3"
PILES = "R1.Y0.G0.W0.B0"


def test_the_first_safe_card_is_played() -> None:
    assert choice(NAME, position(f"W2.{ranked('R1')}.{known('Y1')}.B2.B3|{IDLE}")) == "play:1"


def test_a_probable_card_is_not() -> None:
    assert choice(NAME, position(f"W2.{ranked('W1')}.W3.B2.B3|{IDLE}", fireworks=PILES)) == "hint:1:red"


def test_a_dead_card_is_discarded_before_anything_is_told() -> None:
    hands = f"W2.W3.{known('R1')}.B2.B3|R2.R4.Y3.Y4.G3"
    assert choice(NAME, position(hands, fireworks=PILES, tokens=7)) == "discard:2"
    assert choice(NAME, position(hands, fireworks=PILES, tokens=8)) == "hint:1:2"


def test_the_next_player_is_told_the_rank_then_the_colour_of_a_playable_card() -> None:
    assert choice(NAME, position(f"{OWN}|R3.R4.Y1.Y4.G3")) == "hint:1:1"
    assert choice(NAME, position(f"{OWN}|R3.R4.{ranked('Y1')}.Y4.G3")) == "hint:1:yellow"


def test_other_players_are_not_told_anything() -> None:
    assert choice(NAME, position(f"{OWN}|{IDLE}|Y1.R4.Y3.Y4.G4")) == "hint:1:red"
    assert choice(NAME, position(f"Y1.R4.Y3.Y4.G4|{OWN}|{IDLE}", to_act=1)) == "hint:1:red"


def test_else_the_next_player_is_told_the_first_thing_it_does_not_know_colour_before_rank() -> None:
    assert choice(NAME, position(f"{OWN}|{IDLE}")) == "hint:1:red"
    assert choice(NAME, position(f"{OWN}|{ranked('R3')}.R4.Y3.Y4.G3")) == "hint:1:red"
    assert choice(NAME, position(f"{OWN}|{coloured('R3')}.R4.Y3.Y4.G3")) == "hint:1:3"
    assert choice(NAME, position(f"{OWN}|{known('R3')}.{coloured('R4')}.Y3.Y4.G3")) == "hint:1:4"
    assert choice(NAME, position(f"{OWN}|{known('R3')}.{known('R4')}.Y3.Y4.G3")) == "hint:1:yellow"


def test_a_known_playable_card_is_passed_over() -> None:
    assert choice(NAME, position(f"{OWN}|{known('R1')}.R4.Y3.Y4.G3")) == "hint:1:red"


def test_without_tokens_a_random_card_goes() -> None:
    assert_uniform(answers(NAME, position(f"{OWN}|{IDLE}", tokens=0)), *[f"discard:{slot}" for slot in range(5)])


def test_a_random_card_goes_when_the_next_player_knows_everything() -> None:
    hands = f"{OWN}|{'.'.join(known(card) for card in IDLE.split('.'))}"
    assert_uniform(answers(NAME, position(hands, tokens=7)), *[f"discard:{slot}" for slot in range(5)])


def test_with_all_tokens_the_next_player_is_told_something_again() -> None:
    hands = f"{OWN}|{'.'.join(known(card) for card in IDLE.split('.'))}"
    assert_frequencies(
        answers(NAME, position(hands)),
        {"hint:1:3": 3, "hint:1:4": 2, "hint:1:red": 2, "hint:1:yellow": 2, "hint:1:green": 1},
    )
