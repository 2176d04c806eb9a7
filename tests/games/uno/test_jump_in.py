"""Jumping in: who may, in which order, what comes of it, and that nobody else can tell."""

from __future__ import annotations

import pytest

from kibitz.core.layouts import copy_record, equal
from kibitz.games.uno import engine
from kibitz.games.uno.view import CUT_OFF, NO_SEAT, TURN, View
from kibitz.play.game import Game
from tests.games.uno.positions import BLUE_ONES, JUMPING, asked, hand, hands, legal, passes, phase, played, position


def test_who_holds_exactly_that_card_may_play_it_out_of_turn() -> None:
    game = position("r1.g1|y1.y5|r1.y2|r1.y3", "r5", BLUE_ONES, rules=JUMPING)
    assert played(game, "r1") == ["0 play r1"]
    assert (asked(game), legal(game), game.turns, game.view().player) == ((2, "jump_in"), ["jump-in", "pass"], 1, 0)
    assert played(game, "jump-in") == ["2 jumped in", "2 play r1"]
    assert (game.turns, hand(game, 2)) == (2, "y2")
    assert asked(game) == (3, "jump_in")  # on a jump-in one may jump in
    assert played(game, "jump-in") == ["3 jumped in", "3 play r1"]
    assert (asked(game), game.turns, hands(game)) == ((0, "turn"), 4, ["g1", "y1.y5", "y2", "y3"])


def test_who_passes_leaves_the_turn_as_it_was() -> None:
    game = position("r1.g1|y1|r1.y2|r1.y3", "r5", BLUE_ONES, rules=JUMPING)
    game.apply("r1")
    assert passes(game) == [(2, "jump_in"), (3, "jump_in")]
    assert (asked(game), game.turns, game.state.player) == ((1, "turn"), 2, NO_SEAT)


def test_next_player_may_jump_in_before_its_own_turn() -> None:
    game = position("r1.g1|r1.y1|y2", "r5", BLUE_ONES, rules=JUMPING)
    game.apply("r1")
    assert asked(game) == (1, "jump_in")
    played(game, "jump-in")
    assert (asked(game), game.turns) == ((2, "turn"), 3)


def test_player_itself_is_not_asked_about_another_copy() -> None:
    game = position("r1.r1.g1|y1|y2", "r5", BLUE_ONES, rules=JUMPING)
    game.apply("r1")
    assert asked(game) == (1, "turn")


@pytest.mark.parametrize("other", ["r2", "g1", "wild"])
def test_only_the_same_colour_and_symbol_will_do(other: str) -> None:
    game = position(f"r1.g9|{other}.y1|y2", "r5", BLUE_ONES, rules=JUMPING)
    game.apply("r1")
    assert asked(game) == (1, "turn")


@pytest.mark.parametrize("card", ["wild", "wild+4", "wildcustom"])
def test_nobody_jumps_in_on_a_wild(card: str) -> None:
    game = position(f"{card}.g1|y1|{card}.y2|{card}.y3", "r5", BLUE_ONES, rules=JUMPING)
    game.apply(f"{card}:r")
    assert phase(game) == "turn"


def test_nobody_jumps_in_on_the_opening_card_or_on_a_draw() -> None:
    assert all(phase(Game(4, f"{JUMPING},deck=r1*7/g1*7/b1*6,hand_size=3", 1, index)) == "turn" for index in range(50))
    game = position("g1|r5.y1|r5.y2", "r5", BLUE_ONES, rules=JUMPING)
    game.apply("draw")
    assert asked(game) == (1, "turn")


def test_skipped_player_may_jump_in_and_play_goes_on_from_there() -> None:
    game = position("rskip.g1|rskip.y1|y2|y3", "r5", BLUE_ONES, rules=JUMPING)
    game.apply("rskip")
    assert asked(game) == (1, "jump_in")
    assert played(game, "jump-in") == ["1 jumped in", "1 play rskip"]
    assert asked(game) == (3, "turn")


def test_players_are_asked_in_the_direction_after_a_reverse() -> None:
    game = position("rrev.g1|rrev.y1|y2|rrev.y3", "r5", BLUE_ONES, rules=JUMPING)
    game.apply("rrev")
    assert asked(game) == (3, "jump_in")
    twin = game.copy()
    assert passes(game) == [(3, "jump_in"), (1, "jump_in")]
    assert asked(game) == (3, "turn")
    played(twin, "jump-in")  # turns the direction back
    assert (asked(twin), twin.state.direction) == ((1, "jump_in"), 1)


def test_draw_two_takes_effect_before_anybody_jumps_in_and_again_after_it() -> None:
    game = position("r+2.g1|y1|r+2.y2|y3", "r5", BLUE_ONES, rules=JUMPING)
    assert played(game, "r+2") == ["0 play r+2", "1 forced 2"]
    assert asked(game) == (2, "jump_in")
    assert played(game, "jump-in") == ["2 jumped in", "2 play r+2", "3 forced 2"]
    assert (hands(game), asked(game)) == (["g1", "y1.b1.b1", "y2", "y3.b1.b1"], (0, "turn"))


def test_who_draws_the_card_for_it_may_jump_in() -> None:
    game = position("r+2.g1|y1|y2", "r5", "r+2.r+2.r+2", rules=JUMPING)
    game.apply("r+2")
    assert (asked(game), hand(game, 1)) == ((1, "jump_in"), "y1.r+2.r+2")


def test_nobody_jumps_in_while_a_stack_is_open() -> None:
    game = position("r+2.g1|y1|r+2.y2|y3", "r5", BLUE_ONES, rules=f"{JUMPING},stacking=same")
    game.apply("r+2")
    assert asked(game) == (1, "stack")
    played(game, "accept")
    assert asked(game) == (2, "jump_in")  # now it is closed
    played(game, "jump-in")
    assert (asked(game), game.view().stack) == ((3, "stack"), 2)


def test_last_card_may_jump_in_and_nobody_jumps_in_after_it() -> None:
    game = position("r1.g1|y1|r1|r1.y3", "r5", BLUE_ONES, rules=JUMPING)
    game.apply("r1")
    assert played(game, "jump-in") == ["2 jumped in", "2 play r1"]
    assert (game.winner, game.points, game.turns) == (2, 1 + 1 + 1 + 3, 2)
    over = position("r1|r1.y1|y2", "r5", BLUE_ONES, rules=JUMPING)
    over.apply("r1")
    assert (over.winner, over.is_over) == (0, True)


def test_nobody_jumps_in_after_the_last_allowed_turn() -> None:
    game = position("r1.g1|y1|r1.y2", "r5", BLUE_ONES, rules=JUMPING, turn=5, max_turns=5)
    game.apply("r1")
    assert (game.state.status, game.turns) == (CUT_OFF, 5)
    game = position("r1.g1|y1|r1.y2|r1.y3", "r5", BLUE_ONES, rules=JUMPING, turn=4, max_turns=5)
    played(game, "r1", "jump-in")
    assert (game.state.status, game.turns) == (CUT_OFF, 5)


def test_jump_in_counts_hands_after_they_moved() -> None:
    game = position("r0.r0.g1|y1.y5|y2.y6", "r5", BLUE_ONES, rules=f"{JUMPING},seven_zero=on")
    game.apply("r0")
    assert (hand(game, 1), asked(game)) == ("r0.g1", (1, "jump_in"))
    game = position("r7.r7.g1|y1.y5|y2.y6", "r5", BLUE_ONES, rules=f"{JUMPING},seven_zero=on")
    played(game, "r7", "swap:2")
    assert (hand(game, 2), asked(game)) == ("r7.g1", (2, "jump_in"))
    played(game, "jump-in")
    assert asked(game) == (2, "swap")


def test_call_comes_before_a_jump_in_and_the_jumper_may_have_to_call_too() -> None:
    game = position("r1.g1|y1|r1.y2", "r5", BLUE_ONES, rules=f"{JUMPING},uno_call=on")
    played(game, "r1")
    assert asked(game) == (0, "uno_call")
    played(game, "uno")
    assert asked(game) == (2, "jump_in")
    assert played(game, "jump-in") == ["2 jumped in", "2 play r1"]
    assert asked(game) == (2, "uno_call")
    assert played(game, "pass", "catch") == ["2 missed uno", "0 caught of 2", "2 forced 2"]


def shown(game: Game, seat: int) -> View:
    """What a seat sees of a position that is not changed by looking."""
    view: View = game.copy().view(seat)
    return view


def test_nobody_else_can_tell_that_somebody_may_jump_in() -> None:
    """Seat 2 holds the card or, with the same back of the card, another: only seat 2 sees a difference."""
    hidden = "b9"
    for direction, following in (("+", 1), ("-", 3)):
        asking = position("r1.g1|r2.y1|r1.y2|r3.y3", "r5", f"{BLUE_ONES}.{hidden}", rules=JUMPING, direction=direction)
        quiet = position(f"r1.g1|r2.y1|{hidden}.y2|r3.y3", "r5", f"{BLUE_ONES}.r1", rules=JUMPING, direction=direction)
        asking.apply("r1")
        quiet.apply("r1")
        assert (asked(asking), asked(quiet)) == ((2, "jump_in"), (following, "turn"))
        for seat in (0, 1, 3):
            assert equal(shown(asking, seat), shown(quiet, seat))
        own, other = shown(asking, 2), shown(quiet, 2)
        assert (own.phase, own.current, own.player) != (other.phase, other.current, other.player)
        assert shown(asking, following).is_legal(asking.legal_actions()[0]) is False  # jumping in is not its choice
        assert shown(asking, following).playable() == shown(quiet, following).playable() != 0


def test_looking_at_others_while_somebody_is_asked_changes_nothing() -> None:
    game = position("r1.g1|r2.y1|r1.y2|r3.y3", "r5", BLUE_ONES, rules=JUMPING)
    game.apply("r1")
    before, text = copy_record(game.state), game.to_text()
    for seat in (0, 1, 2, 3, 0):
        game.view(seat)
    assert equal(game.state, before)
    assert game.to_text() == text
    engine.show(game.state, 1)
    engine.show(game.state, 3)
    assert game.state.masked == 1
    engine.show_actor(game.state)
    assert equal(game.state, before)


def test_who_passed_sees_the_next_turn_while_the_next_is_asked() -> None:
    game = position("r1.g1|r1.y1|r1.y2|r3.y3", "r5", BLUE_ONES, rules=JUMPING)
    game.apply("r1")
    assert shown(game, 2).phase == TURN
    game.apply("pass")
    assert asked(game) == (2, "jump_in")
    assert (shown(game, 1).phase, shown(game, 1).current, shown(game, 1).turn) == (TURN, 1, 2)
    before = shown(game, 1)
    game.apply("pass")
    assert equal(before, shown(game, 1))
