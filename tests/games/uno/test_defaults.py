"""What is done for a bot that knows nothing of a window, and what is done without asking anybody."""

from __future__ import annotations

import pytest

from kibitz.games.uno import engine
from kibitz.games.uno.names import action_name
from kibitz.play.game import Game
from tests.games.uno.positions import BLUE_ONES, CALLING, NAMING, PROGRESSIVE, SAME, SEVEN_ZERO, WINDOWS, in_window, legal, phase, position

# -- defaults --


def default(game: Game) -> str:
    """What is done for a bot that knows nothing of the window that is open."""
    return action_name(engine.default_action(game.state, 0))


@pytest.mark.parametrize(
    ("held", "colour"),
    [
        ("r1.g2.g3", "g"),
        ("b2.y2.y3.r4", "y"),
        ("r1.g2.b3.y4", "r"),
        ("g2.b3.y4", "g"),
        ("b3.y4", "b"),
        ("wild.wild+4", "r"),
        ("y5.wild", "y"),
    ],
)
def test_default_colour_is_the_most_common_in_hand(held: str, colour: str) -> None:
    assert default(position(f"{held}|g1|y1", "wild", BLUE_ONES, phase="colour", rules=NAMING)) == f"wild:{colour}"
    assert default(position(f"{held}|g1|y1", "wildshuffle", BLUE_ONES, phase="colour", rules=NAMING)) == f"wildshuffle:{colour}"


def test_default_is_to_accept_a_wild_draw_four() -> None:
    assert default(in_window("challenge")) == "accept"


@pytest.mark.parametrize(
    ("held", "answer"),
    [
        ("g+2.r+2.wild+4", "r+2"),
        ("y+2.b+2", "b+2"),
        ("wild+4.b2.b3.g1", "wild+4:b"),
        ("wild+4.y1", "wild+4:y"),
        ("wild+4", "wild+4:r"),
        ("r1.wild", "accept"),
    ],
)
def test_default_is_to_answer_a_stack_with_the_lowest_card(held: str, answer: str) -> None:
    game = position(f"r+2.g9.g8|{held}|y2", "r5", BLUE_ONES, rules=PROGRESSIVE)
    game.apply("r+2")
    assert default(game) == answer


def test_default_in_a_stack_is_never_to_challenge() -> None:
    game = position("wild+4.g9.g8|y1|y2", "r5", BLUE_ONES, rules=f"{SAME},wild_draw_four=challenge")
    game.apply("wild+4:b")
    assert (legal(game), default(game)) == (["challenge", "accept"], "accept")


@pytest.mark.parametrize(
    ("others", "direction", "places"),
    [
        ("y1.y2|y3|y4.y5", "+", 2),
        ("y1|y2|y3", "+", 1),  # the nearest of equals
        ("y1.y2|y3|y4", "+", 2),
        ("y1.y2|y3.y4|y5", "+", 3),
        ("y1|y2|y3", "-", 1),
        ("y1|y2.y3|y4.y5", "-", 3),
        ("y1|y2|y3.y4", "-", 2),
    ],
)
def test_default_is_to_swap_with_the_shortest_hand(others: str, direction: str, places: int) -> None:
    game = position(f"r7.g1.g2|{others}", "r5", BLUE_ONES, rules=SEVEN_ZERO, direction=direction)
    game.apply("r7")
    assert default(game) == f"swap:{places}"


def test_default_is_to_call_to_catch_and_not_to_jump_in() -> None:
    assert default(in_window("uno_call")) == "uno"
    assert default(in_window("catch")) == "catch"
    assert default(in_window("jump_in")) == "pass"


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


def test_stack_without_an_answer_is_accepted_without_asking() -> None:
    game = position("r+2.g9|y1|y2", "r5", BLUE_ONES, rules=SAME)
    game.apply("r+2")
    assert forced(game) == "accept"
    game = position("r+2.g9|g+2|y2", "r5", BLUE_ONES, rules=SAME)
    game.apply("r+2")
    assert forced(game) is None
    game = position("wild+4.g9.g8|y1|y2", "r5", BLUE_ONES, rules=f"{SAME},wild_draw_four=challenge")
    game.apply("wild+4:b")
    assert forced(game) is None


def test_swap_between_two_players_is_forced() -> None:
    game = position("r7.g1|y1", "r5", BLUE_ONES, rules=SEVEN_ZERO)
    game.apply("r7")
    assert forced(game) == "swap:1"
    assert forced(in_window("swap")) is None


@pytest.mark.parametrize(
    ("held", "expected"),
    [
        ("r1.g2", "r1"),
        ("r1.r1.g2", "r1"),
        ("r1.r2", None),
        ("wild.g2", None),  # there is a colour to choose
        ("r1.wild", None),
        ("g2", "draw"),
    ],
)
def test_single_playable_card_is_forced_where_playing_is_a_duty(held: str, expected: str | None) -> None:
    assert forced(position(f"{held}|y1", "r5", BLUE_ONES, rules="classic,must_play=on")) == expected
    free = position(f"{held}|y1", "r5", BLUE_ONES, rules="classic,refill=when_needed")
    assert forced(free) == ("draw" if held == "g2" else None)


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
