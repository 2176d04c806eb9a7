from __future__ import annotations

import pytest

from .positions import answers, assert_frequencies, choice, coloured, known, play, position, ranked

NAME = "iggi"
OWN = "W2.W3.W4.B2.B3"  # nothing known, so nothing to play
IDLE = "R3.R4.Y3.Y4.G3"  # nothing playable on empty piles


# -- playing --


def test_a_card_known_in_full_comes_before_one_that_is_safe_anyway() -> None:
    assert choice(NAME, position(f"W2.{ranked('Y1')}.W4.{known('R1')}.B3|{IDLE}")) == "play:3"


def test_the_first_of_several_known_cards_is_played() -> None:
    assert choice(NAME, position(f"W2.{known('Y1')}.W4.{known('R1')}.B3|{IDLE}")) == "play:1"


def test_a_known_card_that_does_not_fit_is_kept() -> None:
    assert choice(NAME, position(f"W2.{known('Y2')}.W4.B4.B3|{IDLE}", tokens=5)) == "discard:0"


def test_a_rank_is_safe_when_every_pile_waits_for_it() -> None:
    assert choice(NAME, position(f"W2.W3.{ranked('Y1')}.{ranked('G1')}.B3|{IDLE}")) == "play:2"


def test_a_rank_that_one_pile_does_not_need_is_not_safe() -> None:
    assert choice(NAME, position(f"W2.W3.{ranked('Y1')}.B2.B3|{IDLE}", fireworks="R1.Y0.G0.W0.B0", tokens=5)) == "discard:0"


def test_a_rank_is_safe_when_every_other_card_of_it_has_been_seen() -> None:
    hands = f"W3.W4.{ranked('R2')}.B4.B3|Y3.Y4.Y2.G3.B2"
    piles = "R1.Y0.G0.W0.B0"
    assert choice(NAME, position(hands, fireworks=piles, discard="Y2.G2.G2.W2.W2.B2")) == "play:2"
    assert choice(NAME, position(hands, fireworks=piles, discard="Y2.G2.G2.W2.W2", tokens=5)) == "discard:0"


def test_excluded_colours_make_a_card_safe_as_well() -> None:
    assert choice(NAME, position(f"W2.Y1:YG:1!.W4.B2.B3|{IDLE}", fireworks="R1.Y0.G0.W1.B1")) == "play:1"


# -- hints --


def test_a_play_comes_before_a_hint() -> None:
    assert choice(NAME, position(f"W2.W3.{ranked('Y1')}.B2.B3|R1.R4.Y3.Y4.G3")) == "play:2"


def test_the_rank_of_a_playable_card_is_told_first() -> None:
    assert choice(NAME, position(f"{OWN}|R3.R4.Y1.Y4.G3")) == "hint:1:1"


def test_the_colour_is_told_once_the_rank_is_known() -> None:
    assert choice(NAME, position(f"{OWN}|R3.R4.{ranked('Y1')}.Y4.G3")) == "hint:1:yellow"


def test_a_rank_found_by_exclusion_is_known() -> None:
    assert choice(NAME, position(f"{OWN}|R3.R4.Y1:RYGWB:1.Y4.G3")) == "hint:1:yellow"


def test_the_rank_is_told_though_the_colour_is_known() -> None:
    assert choice(NAME, position(f"{OWN}|R3.R4.{coloured('Y1')}.Y4.G3")) == "hint:1:1"


def test_the_first_playable_card_that_is_not_known_is_told() -> None:
    assert choice(NAME, position(f"{OWN}|R3.{ranked('R1')}.Y3.Y1.G3")) == "hint:1:red"
    assert choice(NAME, position(f"{OWN}|R3.{known('R1')}.Y3.Y1.G3")) == "hint:1:1"


def test_the_next_player_in_turn_order_comes_first() -> None:
    hands = f"R3.R4.Y3.Y1.G3|{OWN}|R5.R4.Y3.Y4.G4"
    assert choice(NAME, position(hands, to_act=1)) == "hint:2:1"
    assert choice(NAME, position(hands.replace("R5", "G1"), to_act=1)) == "hint:1:1"


@pytest.mark.parametrize("tokens", [1, 8])
def test_a_hint_comes_before_a_discard(tokens: int) -> None:
    hands = f"W2.W3.{known('R1')}.B2.B3|R3.R4.Y1.Y4.G3"
    assert choice(NAME, position(hands, fireworks="R1.Y0.G0.W0.B0", tokens=tokens)) == "hint:1:1"


def test_without_tokens_there_are_no_hints() -> None:
    assert choice(NAME, position(f"{OWN}|R3.R4.Y1.Y4.G3", tokens=0)) == "discard:0"


# -- discards --


def test_a_card_known_to_be_played_already_is_discarded() -> None:
    assert choice(NAME, position(f"W2.W3.{known('R1')}.B2.B3|{IDLE}", fireworks="R1.Y0.G0.W0.B0", tokens=5)) == "discard:2"


def test_a_colour_is_enough_once_its_pile_is_complete() -> None:
    piles = "R5.Y0.G0.W0.B0"
    assert choice(NAME, position(f"W2.W3.{coloured('R1')}.B2.B3|Y2.Y3.Y4.G2.G3", fireworks=piles, tokens=5)) == "discard:2"


def test_a_rank_is_enough_once_every_pile_has_it() -> None:
    piles = "R1.Y1.G1.W1.B1"
    assert choice(NAME, position(f"W3.W4.{ranked('R1')}.B4.B3|Y3.Y4.G4.G3.R3", fireworks=piles, tokens=5)) == "discard:2"


def test_a_known_card_above_what_can_be_reached_is_discarded() -> None:
    assert choice(NAME, position(f"W2.W3.{known('R5')}.B2.B3|Y3.Y4.G4.G3.R4", discard="R3.R3", tokens=5)) == "discard:2"


def test_the_first_of_several_dead_cards_is_discarded() -> None:
    hands = f"W2.{known('R1')}.{known('Y1')}.B2.B3|{IDLE}"
    assert choice(NAME, position(hands, fireworks="R1.Y1.G0.W0.B0", tokens=5)) == "discard:1"


def test_exclusions_that_leave_two_colours_prove_nothing() -> None:
    hands = "W2.W3.R1:RY:1!.B2.B3|G2.G3.G4.W4.B4"
    assert choice(NAME, position(hands, fireworks="R1.Y1.G0.W0.B0", tokens=5)) == "discard:0"


def test_else_the_oldest_card_goes() -> None:
    assert choice(NAME, position(f"{OWN}|{IDLE}", tokens=7)) == "discard:0"


def test_with_all_tokens_a_random_hint_goes_to_the_next_player() -> None:
    state = position(f"{OWN}|{IDLE}|G4.G5.R3.Y3.Y4")
    assert_frequencies(
        answers(NAME, state),
        {"hint:1:3": 3, "hint:1:4": 2, "hint:1:red": 2, "hint:1:yellow": 2, "hint:1:green": 1},
    )


def test_a_dead_card_is_kept_while_discarding_is_not_allowed() -> None:
    hands = f"W2.W3.{known('R1')}.B2.B3|{IDLE}"
    piles = "R1.Y0.G0.W0.B0"
    assert all(answer.startswith("hint:1") for answer in answers(NAME, position(hands, fireworks=piles)))
    assert choice(NAME, position(hands, rules="standard,discard_when_full=on", fireworks=piles)) == "discard:2"


def test_hints_go_round_the_table() -> None:
    state = position(f"{IDLE}|{OWN}|R1.R4.Y2.Y4.G3", to_act=1)
    assert choice(NAME, state) == "hint:1:1"
    play(state, "hint:1:1")
    assert choice(NAME, state) == "play:0"
