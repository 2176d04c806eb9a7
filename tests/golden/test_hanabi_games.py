"""Recorded games of Hanabi replay to their scores, in both forms, and are made again to the letter."""

from __future__ import annotations

from kibitz.games.hanabi.replays import replay
from tests.golden.hanabi_games import LIVE, REPLAYS, lines, listed, live_games, read, replays


def test_every_game_replays_to_its_score() -> None:
    played = [replay(record) for record in read(REPLAYS)]
    assert len(played) == 20
    assert all(game.agrees for game in played)
    assert {game.status for game in played} >= {"lost", "ended", "perfect"}
    assert {len(game.record.players) for game in played} == {2, 3, 4, 5}


def test_both_forms_hold_the_same_games() -> None:
    numbered = [replay(record) for record in read(REPLAYS)]
    live = [replay(record) for record in read(LIVE)]
    assert len(live) == 18
    for game, twin in zip(numbered, live, strict=False):
        assert (game.moves, game.record.deck, game.score, game.kept) == (twin.moves, twin.record.deck, twin.score, twin.kept)
        assert game.state.hand_size == twin.state.hand_size


def test_games_are_made_again_to_the_letter() -> None:
    assert lines(replays()) == REPLAYS.read_text()
    assert listed(live_games()) == LIVE.read_text()
