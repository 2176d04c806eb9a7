"""Jumping in: who may, in which order, what comes of it, and that nobody else can tell."""

from __future__ import annotations

from kibitz.core.layouts import copy_record, equal
from kibitz.games.uno import engine
from kibitz.games.uno.view import TURN, View
from kibitz.play.game import Game
from tests.games.uno.positions import BLUE_ONES, JUMPING, asked, phase, position


def test_nobody_jumps_in_on_the_opening_card_or_on_a_draw() -> None:
    assert all(phase(Game(4, f"{JUMPING},deck=r1*7/g1*7/b1*6,hand_size=3", 1, index)) == "turn" for index in range(50))
    game = position("g1|r5.y1|r5.y2", "r5", BLUE_ONES, rules=JUMPING)
    game.apply("draw")
    assert asked(game) == (1, "turn")


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
