"""What is done for a bot that knows nothing of a window, and what is done without asking anybody."""

from __future__ import annotations

import pytest

from kibitz.games.uno import engine
from kibitz.games.uno.names import action_name
from kibitz.play.game import Game
from tests.games.uno.positions import BLUE_ONES, CALLING, WINDOWS, in_window, legal, phase, position

# -- defaults --


def default(game: Game) -> str:
    """What is done for a bot that knows nothing of the window that is open."""
    return action_name(engine.default_action(game.state, 0))


@pytest.mark.parametrize("name", list(WINDOWS))
def test_default_is_legal_and_stands_back_for_who_declares_the_window(name: str) -> None:
    game = in_window(name)
    place = game.state.phase
    assert default(game) in legal(game)
    assert engine.default_action(game.state, 1 << place) == -1
    assert engine.default_action(game.state, 0x1FF) == -1
    assert engine.default_action(game.state, 0x1FF & ~(1 << place)) == engine.default_action(game.state, 0) >= 0


def test_there_is_no_default_for_a_turn() -> None:
    turn = position("r1.g1|y1", "r5", BLUE_ONES, rules=CALLING)
    drawn = position("g1|y1", "r5", "r9.r9", rules=CALLING)
    drawn.apply("draw")
    assert (phase(turn), phase(drawn)) == ("turn", "drawn")
    assert engine.default_action(turn.state, 0) == engine.default_action(drawn.state, 0) == -1


# -- forced actions --


def forced(game: Game) -> str | None:
    """The only legal action, if the loop takes it without asking."""
    action = engine.forced_action(game.state)
    if action < 0:
        assert len(legal(game)) > 1
        return None
    assert legal(game) == [action_name(action)]
    return action_name(action)


def test_drawn_card_that_must_be_played_is_forced() -> None:
    game = position("g1|y1", "r5", "r9.r9", rules="classic,drawn_card=must_play")
    game.apply("draw")
    assert forced(game) == "r9"
    wild = position("g1|y1", "r5", "wild.wild", rules="classic,drawn_card=must_play")
    wild.apply("draw")
    assert (forced(wild), len(legal(wild))) == (None, 4)
    free = position("g1|y1", "r5", "r9.r9", rules="classic,must_play=on")
    free.apply("draw")
    assert forced(free) is None  # it may be kept: only the draw was a matter of duty


@pytest.mark.parametrize("name", ["colour", "challenge", "uno_call", "catch", "jump_in"])
def test_other_windows_are_never_forced(name: str) -> None:
    assert forced(in_window(name)) is None
