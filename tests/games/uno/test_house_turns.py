"""A turn under house rules: what may be played, drawn and kept."""

from __future__ import annotations

import pytest

from tests.games.uno.positions import BLUE_ONES, asked, hand, legal, phase, pile, played, position


def test_wild_draw_four_only_without_the_colour_where_it_must_be_honest() -> None:
    def fours(held: str, top: str = "r5", four: str = "honest_only") -> bool:
        return "wild+4:r" in legal(position(f"wild+4.{held}|y1", top, BLUE_ONES, rules=f"classic,wild_draw_four={four}"))

    assert not fours("r1")
    assert fours("g5")  # a symbol does not matter
    assert fours("wild")
    assert fours("r1.g1", "wild")  # no colour is current
    assert not fours("g1", "wild:g")
    assert fours("r1", "wild:g")
    assert not fours("g5", four="last_resort")
    assert not fours("wild", four="last_resort")
    assert fours("g6", four="last_resort")
    assert not fours("g6", "wild", four="last_resort")


def test_drawn_wild_draw_four_is_judged_with_the_whole_hand() -> None:
    rules = "classic,wild_draw_four=honest_only"
    game = position("r1|y1", "r5", "wild+4.wild+4", rules=rules)
    assert played(game, "draw") == ["0 drew 1", "0 kept 1"]
    game = position("g1|y1", "r5", "wild+4.wild+4", rules=rules)
    assert played(game, "draw") == ["0 drew 1"]
    assert phase(game) == "drawn"


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


def test_drawn_card_waits_where_it_may_not_be_played() -> None:
    game = position("g1|y1", "r5", "r9.r9", rules="classic,drawn_card=may_not_play")
    assert played(game, "draw") == ["0 drew 1", "0 kept 1"]
    assert asked(game) == (1, "turn")


def test_who_can_play_must_where_the_rules_say_so() -> None:
    assert legal(position("r1.g1|y1", "r5", BLUE_ONES, rules="classic,must_play=on")) == ["r1"]
    assert legal(position("g1|y1", "r5", BLUE_ONES, rules="classic,must_play=on")) == ["draw"]


def test_reverse_between_two_players_may_be_no_skip() -> None:
    game = position("rrev.g1|y1", "r5", BLUE_ONES, rules="classic,reverse_is_skip=off")
    played(game, "rrev")
    assert (asked(game), game.state.direction) == ((1, "turn"), -1)


@pytest.mark.parametrize(("card", "penalty"), [("r+2", 2), ("wild+4", 4)])
def test_last_card_makes_nobody_draw_if_the_rules_say_so(card: str, penalty: int) -> None:
    for switch, extra in (("on", penalty), ("off", 0)):
        game = position(f"{card}|y1", "r5", BLUE_ONES, rules=f"classic,last_card_draws={switch}")
        game.apply("r+2" if card == "r+2" else "wild+4:g")
        assert (game.winner, game.points) == (0, 1 + extra)


def test_pile_is_made_anew_when_it_is_empty_or_when_it_is_needed() -> None:
    for refill, after in (("when_empty", "g9.r1"), ("when_needed", "")):
        game = position("g2|y1", "r5", "b7", "r1.g9", rules=f"classic,refill={refill}")
        game.apply("draw")
        assert pile(game) == after
        game.apply("draw")
        assert len(hand(game, 1).split(".")) == 2
