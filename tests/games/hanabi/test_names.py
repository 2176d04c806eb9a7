"""Names of cards and moves, the numbers of moves, and why a move is not legal."""

from __future__ import annotations

import pytest

from kibitz.core.errors import BadValue
from kibitz.games.hanabi.cards import CARD_TYPES
from kibitz.games.hanabi.legality import why_illegal
from kibitz.games.hanabi.names import card_from_name, card_name, move_from_name, move_name, moves_of
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import new_state
from tests.games.hanabi.positions import play, position

TWO = "R1.Y2.G3.W4.B5|B1.W2.G2.Y4.R5"


def test_cards_are_named_by_colour_and_rank() -> None:
    names = [card_name(card) for card in range(CARD_TYPES)]
    assert (names[0], names[4], names[5], names[15], names[24]) == ("R1", "R5", "Y1", "W1", "B5")
    assert [card_from_name(name) for name in names] == list(range(CARD_TYPES))


@pytest.mark.parametrize("name", ["", "R", "R6", "R0", "r1", "P1", "R11", "R1 "])
def test_what_is_not_a_card_is_refused(name: str) -> None:
    with pytest.raises(BadValue) as refused:
        card_from_name(name)
    assert str(refused.value) == f"'{name}' is not a card; cards are written R1 to R5, and so with Y, G, W, B."


@pytest.mark.parametrize(("players", "moves"), [(2, 20), (3, 30), (4, 38), (5, 48)])
def test_moves_are_as_many_as_in_the_environment(players: int, moves: int) -> None:
    state = new_state(parse_rules("standard"), players)
    assert moves_of(state) == moves
    assert len({move_name(state, move) for move in range(moves)}) == moves


@pytest.mark.parametrize(
    ("rules", "players", "move", "name"),
    [
        ("standard", 2, 0, "discard:0"),
        ("standard", 2, 9, "play:4"),
        ("standard", 2, 10, "hint:1:red"),
        ("standard", 2, 14, "hint:1:blue"),
        ("standard", 2, 15, "hint:1:1"),
        ("standard", 2, 19, "hint:1:5"),
        ("standard", 5, 4, "play:0"),
        ("standard", 5, 8 + 7, "hint:2:green"),
        ("standard", 5, 28 + 19, "hint:4:5"),
        ("autohanabi", 2, 11, "hint:1:white"),
        ("standard,colours=2,ranks=3,hand_size=1", 3, 9, "hint:2:1"),
    ],
)
def test_move_has_this_number_and_name(rules: str, players: int, move: int, name: str) -> None:
    state = new_state(parse_rules(rules), players)
    assert move_name(state, move) == name
    assert move_from_name(state, name) == move


@pytest.mark.parametrize("name", ["hint:1:green", "hint:1:Green", "hint:1:g", "hint:1:G"])
def test_colour_may_be_a_letter(name: str) -> None:
    assert move_from_name(position(TWO), name) == 12


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "'' is not a move; moves are written discard:0, play:0, hint:1:red, hint:1:3."),
        ("play", "'play' is not a move; moves are written discard:0, play:0, hint:1:red, hint:1:3."),
        ("play:x", "'play:x' is not a move; moves are written discard:0, play:0, hint:1:red, hint:1:3."),
        ("play:-1", "'play:-1' is not a move; moves are written discard:0, play:0, hint:1:red, hint:1:3."),
        ("hint:red", "'hint:red' is not a move; moves are written discard:0, play:0, hint:1:red, hint:1:3."),
        ("play:5", "move 'play:5': slot 5 does not exist; slots are 0 to 4."),
        ("discard:9", "move 'discard:9': slot 9 does not exist; slots are 0 to 4."),
        ("hint:0:red", "move 'hint:0:red' is a hint to oneself; the players told sit 1 to 1 places on."),
        ("hint:2:red", "move 'hint:2:red': nobody sits 2 places on; the players told sit 1 to 1 places on."),
        ("hint:1:pink", "move 'hint:1:pink': 'pink' is neither a colour (red, yellow, green, white, blue) nor a rank (1 to 5)."),
        ("hint:1:6", "move 'hint:1:6': '6' is neither a colour (red, yellow, green, white, blue) nor a rank (1 to 5)."),
        ("hint:1:", "move 'hint:1:': '' is neither a colour (red, yellow, green, white, blue) nor a rank (1 to 5)."),
    ],
)
def test_what_is_not_a_move_is_refused_in_one_sentence(name: str, message: str) -> None:
    with pytest.raises(BadValue) as refused:
        move_from_name(position(TWO), name)
    assert str(refused.value) == message


@pytest.mark.parametrize("move", [-1, 20, 1000])
def test_number_that_is_no_move_has_no_name(move: int) -> None:
    with pytest.raises(BadValue, match=f"{move} is not a move; moves are numbered 0 to 19"):
        move_name(position(TWO), move)


# -- why not --


def test_reason_names_what_is_wrong() -> None:
    state = position(TWO)

    def why(name: str) -> str:
        return why_illegal(state, move_from_name(state, name))

    assert why("play:0") == why("hint:1:red") == ""
    assert why("discard:0") == "nothing may be discarded while all 8 tokens are there"
    state = position("R1.R2.R3.R4.R5|B1.B1.G1.G1.Y1", tokens=4)
    assert why("hint:1:red") == "seat 1 has no red card, and a hint must touch a card"
    assert why("hint:1:4") == "seat 1 has no 4, and a hint must touch a card"
    state = position(TWO, tokens=0)
    assert why("hint:1:red") == why("hint:1:1") == "there is no token left for a hint"
    assert why_illegal(state, 20) == why_illegal(state, -1) == "moves are numbered 0 to 19"


def test_nothing_is_legal_after_the_end() -> None:
    state = play(position(TWO, lives=1), "play:4")
    assert {why_illegal(state, move) for move in range(20)} == {"the game is over"}
