"""The reference by hand-made positions: challenges and stacks."""

from __future__ import annotations

from typing import Any

from tests.reference.uno_positions import COLOURED_WILD_DRAW_FOUR, asked, hands, play, position

# -- challenge --


def test_next_player_may_challenge_a_wild_draw_four() -> None:
    game = play(position("wild+4.r1|g1|g2", "r5", "b1.b2.b3.b4.b5", wild_draw_four="challenge"), "wild+4:g")
    assert (asked(game), game.player, game.stack) == (("challenge", 1), 0, 4)
    assert game.legal_actions() == ["challenge", "accept"]


def test_accepted_wild_draw_four() -> None:
    game = position("wild+4.r1|g1|g2", "r5", "b1.b2.b3.b4.b5", wild_draw_four="challenge")
    play(game, "wild+4:g", "accept", drawn="b1.b2.b3.b4")
    assert (asked(game), hands(game), game.stack, game.turn) == (("turn", 2), "r1|g1.b1.b2.b3.b4|g2", 0, 2)
    assert game.known == []


def test_guilty_player_draws_four_and_the_challenger_takes_a_turn() -> None:
    game = position("wild+4.r1.b9|g1|g2", "r5", "b1.b2.b3.b4.b5", wild_draw_four="challenge")
    play(game, "wild+4:g", "challenge", drawn="b1.b2.b3.b4")
    assert (asked(game), hands(game), game.turn) == (("turn", 1), "r1.b9.b1.b2.b3.b4|g1|g2", 2)
    assert (game.colour, game.stack) == ("g", 0)
    assert game.known == [(1, 0, ["r1", "b9"])]


def test_innocent_player_makes_the_challenger_draw_six() -> None:
    game = position("wild+4.g5.wild|g1|g2", "r5", "b1.b2.b3.b4.b5.b6", wild_draw_four="challenge")
    play(game, "wild+4:g", "challenge", drawn="b1.b2.b3.b4.b5.b6")
    assert (asked(game), hands(game), game.turn) == (("turn", 2), "g5.wild|g1.b1.b2.b3.b4.b5.b6|g2", 2)


def test_without_a_colour_everybody_is_innocent() -> None:
    game = position("wild+4.g5|g1|g2", "wild", "b1.b2.b3.b4.b5.b6", wild_draw_four="challenge")
    play(game, "wild+4:g", "challenge", drawn="b1.b2.b3.b4.b5.b6")
    assert asked(game) == ("turn", 2)


def test_last_card_may_be_challenged_and_is_always_innocent() -> None:
    pile = "b1.b2.b3.b4.b5.b6.b7"
    game = play(position("wild+4|g1|g2", "r5", pile, wild_draw_four="challenge"), "wild+4:g")
    assert asked(game) == ("challenge", 1)
    for last_card_draws in (True, False):
        twin = position("wild+4|g1|g2", "r5", pile, wild_draw_four="challenge", last_card_draws=last_card_draws)
        play(twin, "wild+4:g", "challenge", drawn="b1.b2.b3.b4.b5.b6")
        assert (twin.status, twin.winner, twin.points) == ("won", 0, 21 + 3)
    accepted = play(game, "accept", drawn="b1.b2.b3.b4")
    assert (accepted.status, accepted.points) == ("won", 10 + 3)
    without = position("wild+4|g1|g2", "r5", pile, wild_draw_four="challenge", last_card_draws=False)
    assert play(without, "wild+4:g", "accept").points == 3


def test_challenge_is_open_in_the_last_turn() -> None:
    switches: dict[str, Any] = {"turn": 3, "max_turns": 3, "wild_draw_four": "challenge"}
    game = play(position("wild+4.r1|g1", "r5", "b1.b2.b3.b4.b5", **switches), "wild+4:g")
    assert asked(game) == ("challenge", 1)
    play(game, "challenge", drawn="b1.b2.b3.b4")
    assert (game.status, hands(game)) == ("cut off", "r1.b1.b2.b3.b4|g1")


# -- stack --


def test_draw_two_is_answered_and_the_total_drawn() -> None:
    game = play(position("r+2.g1|b+2.g2|y+2.g3|g4", "r5", "b1.b2.b3.b4.b5.b6.b7", stacking="same"), "r+2")
    assert (asked(game), game.stack, game.player, game.turn) == (("stack", 1), 2, 0, 1)
    assert game.legal_actions() == ["b+2", "accept"]
    play(game, "b+2")
    assert (asked(game), game.stack, game.player, game.turn, game.colour) == (("stack", 2), 4, 1, 2, "b")
    play(game, "y+2")
    assert (asked(game), game.stack, game.player, game.turn) == (("stack", 3), 6, 2, 3)
    assert game.legal_actions() == ["accept"]
    play(game, "accept", drawn="b1.b2.b3.b4.b5.b6")
    assert (asked(game), game.stack, game.turn) == (("turn", 0), 0, 4)
    assert hands(game) == "g1|g2|g3|g4.b1.b2.b3.b4.b5.b6"


def test_what_answers_what() -> None:
    hand = "g+2.wild+4.wild.g1"
    on_two = position(f"r+2.g1|{hand}", "r5", stacking="same")
    assert play(on_two, "r+2").legal_actions() == ["g+2", "accept"]
    on_two = position(f"r+2.g1|{hand}", "r5", stacking="progressive")
    assert play(on_two, "r+2").legal_actions() == ["g+2", *COLOURED_WILD_DRAW_FOUR, "accept"]
    for stacking in ("same", "progressive"):
        on_four = position(f"wild+4.g1|{hand}", "r5", stacking=stacking)
        assert play(on_four, "wild+4:b").legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "accept"]


def test_wild_draw_four_as_an_answer_obeys_its_switch() -> None:
    honest = position("r+2.g1|r1.wild+4", "r5", stacking="progressive", wild_draw_four="honest_only")
    assert play(honest, "r+2").legal_actions() == ["accept"]
    called = position("wild+4.g1|r1.wild+4", "y5", stacking="same", wild_draw_four="honest_only")
    assert play(called.copy(), "wild+4:r").legal_actions() == ["accept"]
    assert play(called, "wild+4:b").legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "accept"]
    resort = position("r+2.g1|r1.wild+4", "r5", stacking="progressive", wild_draw_four="last_resort")
    assert play(resort, "r+2").legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "accept"]
    resort = position("r+2.g1|g+2.wild+4", "r5", stacking="progressive", wild_draw_four="last_resort")
    assert play(resort, "r+2").legal_actions() == ["g+2", "accept"]
    resort = position("wild+4.g1|g+2.wild+4", "r5", stacking="progressive", wild_draw_four="last_resort")
    assert play(resort, "wild+4:r").legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "accept"]


def test_first_wild_draw_four_of_a_stack_may_be_challenged_but_no_answer() -> None:
    switches: dict[str, Any] = {"stacking": "progressive", "wild_draw_four": "challenge"}
    pile = "b1.b2.b3.b4.b5.b6.b7.b8.b9"
    game = play(position("wild+4.r1|wild+4.g1|r+2.g2", "r5", pile, **switches), "wild+4:g")
    assert (asked(game), game.stack) == (("stack", 1), 4)
    assert game.legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "challenge", "accept"]
    answered = play(game.copy(), "wild+4:r")
    assert (asked(answered), answered.stack) == (("stack", 2), 8)
    assert answered.legal_actions() == ["accept"]
    play(game, "challenge", drawn="b1.b2.b3.b4")
    assert (asked(game), game.stack, game.turn) == (("turn", 1), 0, 2)
    assert hands(game) == "r1.b1.b2.b3.b4|wild+4.g1|r+2.g2"
    on_two = play(position("r+2.r1|wild+4.g1|r+2.g2", "r5", pile, **switches), "r+2", "wild+4:g")
    assert (on_two.stack, on_two.legal_actions()) == (6, ["accept"])


def test_innocent_in_a_stack() -> None:
    game = position("wild+4.g1|g2|g3", "r5", "b1.b2.b3.b4.b5.b6.b7", stacking="same", wild_draw_four="challenge")
    play(game, "wild+4:g", "challenge", drawn="b1.b2.b3.b4.b5.b6")
    assert (asked(game), game.stack) == (("turn", 2), 0)
    assert hands(game) == "g1|g2.b1.b2.b3.b4.b5.b6|g3"


def test_hand_emptied_by_an_answer_ends_the_game_without_another() -> None:
    pile = "b1.b2.b3.b4.b5"
    game = play(position("r+2.g1|g+2|b+2.r1", "r5", pile, stacking="same"), "r+2", "g+2", drawn="b1.b2.b3.b4")
    assert (game.status, game.winner, game.points) == ("won", 1, 1 + 20 + 1 + 10)
    dry = position("r+2.g1|g+2|b+2.r1", "r5", pile, stacking="same", last_card_draws=False)
    assert play(dry, "r+2", "g+2").points == 22
    challenge = position("r+2.g1|wild+4|b+2.r1", "r5", "b1.b2.b3.b4.b5.b6", stacking="progressive", wild_draw_four="challenge")
    play(challenge, "r+2", "wild+4:g", drawn="b1.b2.b3.b4.b5.b6")
    assert (challenge.status, challenge.winner) == ("won", 1)


def test_last_card_wild_draw_four_is_challenged_even_where_stacks_are_played() -> None:
    game = position("wild+4|wild+4.g1", "r5", "b1.b2.b3.b4.b5", stacking="same", wild_draw_four="challenge")
    play(game, "wild+4:g")
    assert (asked(game), game.stack, game.legal_actions()) == (("challenge", 1), 4, ["challenge", "accept"])


def test_no_stack_is_opened_in_the_last_turn() -> None:
    game = play(position("r+2.g1|g+2", "r5", "b1.b2.b3", stacking="same", turn=3, max_turns=3), "r+2")
    assert (game.status, hands(game)) == ("cut off", "g1|g+2")
    emptied = position("r+2|g+2", "r5", "b1.b2.b3", stacking="same", turn=3, max_turns=3)
    assert play(emptied, "r+2", drawn="b1.b2").status == "won"
