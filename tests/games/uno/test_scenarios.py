"""The clauses of the rules, one by one, at positions made by hand: `scenarios/` has them as text, and here is what has no place there."""

from __future__ import annotations

from pathlib import Path

import pytest

from kibitz.core.errors import BadValue
from kibitz.core.seeds import game_key
from kibitz.games.uno import engine
from kibitz.games.uno.names import card_name
from tests.games.uno.positions import (
    BLUE_ONES,
    all_known,
    asked,
    discard,
    hand,
    legal,
    phase,
    pile,
    played,
    position,
    told,
)

from .scenarios import play_scenario, read_scenarios

TEXTS = [path.read_text(encoding="utf-8") for path in sorted(Path(__file__).with_name("scenarios").glob("*.txt"))]


@pytest.mark.parametrize("lines", [scenario for text in TEXTS for scenario in read_scenarios(text)])
def test_rules(lines: list[str]) -> None:
    for line in lines:
        play_scenario(line)


# -- what may be played --


def test_illegal_action_is_refused_with_the_legal_ones() -> None:
    game = position("r1.g2|y1", "r5", "y2")
    with pytest.raises(BadValue, match=r"action g2 is not legal; legal are r1, draw\."):
        game.apply("g2")
    with pytest.raises(BadValue, match=r"action keep is not legal; legal are r1, draw\."):
        game.apply("keep")


def test_drawn_card_played_belongs_to_the_same_turn() -> None:
    game = position("g2|y1", "r5", "r7.r7")
    game.apply("draw")
    (event,) = game.apply("r7")
    assert (told([event]), event.drawn) == (["0 play r7 1"], 1)  # one card drawn in the same turn
    assert (hand(game, 0), asked(game), game.turns) == ("g2", (1, "turn"), 2)


def test_nothing_can_be_done_after_the_end() -> None:
    game = position("r1|g9", "r5", "y3")
    game.apply("r1")
    with pytest.raises(BadValue, match=r"action draw comes after the end of the game\."):
        game.apply("draw")


def test_forced_draw_goes_on_with_the_new_pile() -> None:
    game = position("wild+4.b3|y1|g2", "r5", "b7.b7", "g8.g8.g8")
    game.apply("wild+4:b")
    assert len(hand(game, 1).split(".")) == 5
    assert hand(game, 1).startswith("y1.b7.b7.")
    assert (len(pile(game).split(".")), discard(game), card_name(game.state.top)) == (2, "", "wild+4")


def test_drawing_until_a_card_may_be_played() -> None:
    rules = "classic,draw=until_playable"
    game = position("g1|y1", "r5", "b1.b2.b3", rules=rules)
    assert played(game, "draw") == ["0 drew 3", "0 kept 3"]  # all there is
    assert (asked(game), len(hand(game, 0).split("."))) == ((1, "turn"), 4)
    counts = set()
    for seed in range(60):
        game = position("g1|y1", "r5", "b1.b2.b3.r9.r9", rules=rules, seed=seed)
        (event,) = game.apply("draw")
        counts.add(event.count)
        assert (legal(game), hand(game, 0).count("r9")) == (["r9", "keep"], 1)
        (play,) = game.apply("r9")
        assert (play.count, play.drawn, game.turns) == (event.count, 1, 2)
    assert counts == {1, 2, 3, 4}  # each count has at least a tenth of the chance: missed in 60 less than once in 500


def test_after_drawing_any_card_may_be_played_where_the_rules_say_so() -> None:
    game = position("r1.g1|y1", "r5", "b9.b9", rules="classic,drawn_card=any_card")
    played(game, "draw")
    assert (phase(game), legal(game)) == ("drawn", ["r1", "keep"])
    (event,) = game.apply("r1")
    assert (event.count, event.drawn) == (1, 0)  # nobody can tell which card was drawn
    nothing = position("g1|y1", "r5", "b9.b9", rules="classic,drawn_card=any_card")
    assert played(nothing, "draw") == ["0 drew 1", "0 kept 1"]


HOUSE = "classic,seven_zero=on,wild_draw_four=challenge"


def test_new_deal_forgets() -> None:
    game = position("b0.r1.g2|y1|y2|y3", "b5", BLUE_ONES, rules=HOUSE)
    played(game, "b0")
    assert all_known(game)
    engine.deal(game.state, game_key(3, 0))
    assert all_known(game) == {}
    assert game.state.any_known == 0
