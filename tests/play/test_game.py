"""Single games: stepping by hand, and transcripts of bots at play."""

from __future__ import annotations

import pytest

import kibitz
from kibitz.core.errors import BadValue
from kibitz.games.uno.cards import POINTS_OF
from kibitz.games.uno.names import action_name
from kibitz.report.transcript import transcript

pytestmark = pytest.mark.usefixtures("both_ways")


def test_a_game_is_stepped_by_name_or_number() -> None:
    by_number, by_name = kibitz.Game(players=3, seed=7), kibitz.Game(players=3, seed=7)
    while not by_number.is_over:
        action = by_number.legal_actions()[-1]
        by_number.apply(action)
        by_name.apply(action_name(action))
        assert by_name.to_text() == by_number.to_text()
    assert by_number.winner == by_name.winner
    assert by_number.history == by_name.history


def test_illegal_actions_change_nothing() -> None:
    game = kibitz.Game(seed=2)
    before = game.to_text()
    with pytest.raises(BadValue, match="is not legal; legal are"):
        game.apply("keep")
    with pytest.raises(BadValue, match="is not an action"):
        game.apply("fly")
    assert game.to_text() == before


def test_nothing_may_follow_the_end() -> None:
    game = kibitz.Game(seed=2)
    while not game.is_over:
        game.apply(game.legal_actions()[0])
    assert game.legal_actions() == []
    with pytest.raises(BadValue, match="after the end"):
        game.apply("draw")


def test_a_copy_goes_its_own_way() -> None:
    game = kibitz.Game(seed=2)
    twin = game.copy()
    twin.apply(twin.legal_actions()[0])
    assert game.history == []
    assert game.to_text() != twin.to_text()


def test_a_view_shows_the_own_hand_and_is_a_copy() -> None:
    game = kibitz.Game(players=4, seed=9)
    view = game.view(2)
    assert view.seat == 2
    assert len(view.cards()) == view.sizes[2]
    view.sizes[2] = 0
    assert game.view(2).sizes[2] != 0
    with pytest.raises(BadValue, match="seat 4 does not exist"):
        game.view(4)


def test_a_transcript_tells_every_turn_and_the_end() -> None:
    played = kibitz.play(["mix2", "greedy", "random"], seed=3, index=2)
    lines = [line.plain for line in transcript(played)]
    assert lines[0] == "UNO classic · game 2 of seed 3"
    turns = [line for line in lines if line[:4].strip().isdigit()]
    assert len(turns) == played.turns
    assert lines[-1].startswith(f"Seat {played.winner} ")
    losers = [seat for seat in range(3) if seat != played.winner]
    points = [sum(POINTS_OF[card] for card in played.steps[-1].hands[seat]) for seat in losers]
    held = ", ".join(f"seat {seat} held {sum_held}" for seat, sum_held in zip(losers, points, strict=True))
    assert f"wins {played.points} points ({held}) in" in lines[-1] and sum(points) == played.points


def test_a_game_without_a_winner_says_so() -> None:
    played = kibitz.play(["random", "random"], rules="classic,max_turns=3")
    assert played.winner is None
    assert [line.plain for line in transcript(played)][-1] == "No winner: the game ends after the last allowed turn, after 3 turns."
