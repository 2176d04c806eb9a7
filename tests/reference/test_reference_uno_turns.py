"""The reference by hand-made positions: what may be played, drawing, skips and the end."""

from __future__ import annotations

from typing import Any

from tests.reference.uno_positions import COLOURED_WILD, COLOURED_WILD_DRAW_FOUR, asked, hands, play, position

# -- what may be played --


def test_wild_draw_four_is_free() -> None:
    game = position("r1.wild+4|g1", "r5")
    assert game.legal_actions() == ["r1", *COLOURED_WILD_DRAW_FOUR, "draw"]


def test_honest_only_looks_at_the_colour_alone() -> None:
    assert position("r1.wild+4|g1", "r5", wild_draw_four="honest_only").legal_actions() == ["r1", "draw"]
    same_symbol = position("g5.wild.wild+4|g1", "r5", wild_draw_four="honest_only")
    assert same_symbol.legal_actions() == ["g5", *COLOURED_WILD, *COLOURED_WILD_DRAW_FOUR, "draw"]
    no_colour = position("r1.wild+4|g1", "wild", wild_draw_four="honest_only")
    assert no_colour.legal_actions() == ["r1", *COLOURED_WILD_DRAW_FOUR, "draw"]


def test_last_resort_looks_at_every_other_card() -> None:
    assert position("g5.wild+4|g1", "r5", wild_draw_four="last_resort").legal_actions() == ["g5", "draw"]
    assert position("wild.wild+4|g1", "r5", wild_draw_four="last_resort").legal_actions() == [*COLOURED_WILD, "draw"]
    alone = position("g1.wild+4.wild+4|g1", "r5", wild_draw_four="last_resort")
    assert alone.legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "draw"]


def test_who_can_play_must_play() -> None:
    assert position("r1.g1|g1", "r5", must_play=True).legal_actions() == ["r1"]
    assert position("g1|g1", "r5", must_play=True).legal_actions() == ["draw"]
    assert position("r1.wild+4|g1", "r5", must_play=True, wild_draw_four="honest_only").legal_actions() == ["r1"]


# -- drawing --


def test_drawn_card_may_be_played() -> None:
    game = play(position("g1|g2", "r5", "r9.b1"), "draw", drawn="r9")
    assert (asked(game), game.drawn) == (("drawn", 0), "r9")
    assert game.legal_actions() == ["r9", "keep"]
    assert asked(play(game.copy(), "keep")) == ("turn", 1)
    assert asked(play(game, "r9")) == ("turn", 1)
    assert asked(play(position("g1|g2", "r5", "r9.b1"), "draw", drawn="b1")) == ("turn", 1)


def test_drawn_card_must_be_played() -> None:
    assert play(position("r1|g2", "r5", "r9.b1", drawn_card="must_play"), "draw", drawn="r9").legal_actions() == ["r9"]
    wild = play(position("r1|g2", "r5", "wild.b1", drawn_card="must_play"), "draw", drawn="wild")
    assert wild.legal_actions() == COLOURED_WILD
    assert asked(play(position("r1|g2", "r5", "r9.b1", drawn_card="must_play"), "draw", drawn="b1")) == ("turn", 1)


def test_drawn_card_may_not_be_played() -> None:
    game = play(position("g1|g2", "r5", "r9.b1", drawn_card="may_not_play"), "draw", drawn="r9")
    assert (asked(game), hands(game)) == (("turn", 1), "g1.r9|g2")


def test_after_drawing_any_card_may_be_played() -> None:
    game = play(position("r1.g1|g2", "r5", "r9.b1", drawn_card="any_card"), "draw", drawn="b1")
    assert asked(game) == ("drawn", 0)
    assert game.legal_actions() == ["r1", "keep"]
    assert asked(play(position("g1|g2", "r5", "r9.b1", drawn_card="any_card"), "draw", drawn="b1")) == ("turn", 1)


def test_drawn_wild_draw_four_obeys_its_switch_with_the_whole_hand() -> None:
    for switch in ("honest_only", "last_resort"):
        held = position("r1|g2", "r5", "wild+4.b1", wild_draw_four=switch)
        assert asked(play(held, "draw", drawn="wild+4")) == ("turn", 1)
        clean = position("g1|g2", "r5", "wild+4.b1", wild_draw_four=switch)
        assert play(clean, "draw", drawn="wild+4").legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "keep"]


def test_drawing_goes_on_until_a_card_is_playable() -> None:
    game = play(position("g1|g2", "r5", "b1.b2.r9.b3", draw="until_playable"), "draw", drawn="b2.b1.r9")
    assert (asked(game), game.drawn, hands(game)) == (("drawn", 0), "r9", "g1.b2.b1.r9|g2")
    assert game.legal_actions() == ["r9", "keep"]


def test_drawing_ends_with_the_cards() -> None:
    game = play(position("g1|g2", "r5", "b1.b2", "b3", draw="until_playable"), "draw", drawn="b2.b1.b3")
    assert (asked(game), hands(game), game.idle) == (("turn", 1), "g1.b2.b1.b3|g2", 0)


def test_drawing_passes_by_a_wild_draw_four_that_may_not_be_played() -> None:
    switches: dict[str, Any] = {"draw": "until_playable", "wild_draw_four": "last_resort", "drawn_card": "any_card"}
    game = play(position("r1|g2", "r5", "wild+4.b2.r8", **switches), "draw", drawn="wild+4.b2.r8")
    assert game.legal_actions() == ["r1", "r8", "keep"]


def test_who_can_neither_play_nor_draw_is_idle_and_a_round_of_them_is_stuck() -> None:
    game = play(position("g1|b1", "r5"), "draw")
    assert (asked(game), game.idle, game.turn) == (("turn", 1), 1, 2)
    play(game, "draw")
    assert (game.status, game.turn, game.winner) == ("stuck", 2, None)


def test_who_could_play_but_draws_nothing_is_not_idle() -> None:
    game = play(position("g1|r1", "r5"), "draw", "draw")
    assert (asked(game), game.idle) == (("turn", 0), 0)


def test_nothing_drawn_is_no_decision_even_where_any_card_may_be_played() -> None:
    assert asked(play(position("r1|b1", "r5", drawn_card="any_card"), "draw")) == ("turn", 1)


def test_pile_is_made_anew_at_once() -> None:
    game = play(position("g1|g2", "r5", "b1", "b2.wild"), "draw", drawn="b1")
    assert (game.pile, game.discard) == (["b2", "wild"], [])


def test_pile_is_made_anew_when_needed() -> None:
    game = play(position("g1|g2", "r5", "b1", "b2.b3", refill="when_needed"), "draw", drawn="b1")
    assert (game.pile, game.discard) == ([], ["b2", "b3"])
    play(game, "draw", drawn="b3")
    assert (game.pile, game.discard) == (["b2"], [])


# -- skips, reverses, the end --


def test_skip_and_reverse() -> None:
    assert asked(play(position("rskip.g1|g1|g1", "r5"), "rskip")) == ("turn", 2)
    game = play(position("rrev.g1|g1|g1", "r5"), "rrev")
    assert (game.current, game.direction) == (2, -1)


def test_reverse_between_two_players() -> None:
    skip = play(position("rrev.g1|g1", "r5"), "rrev")
    assert (skip.current, skip.direction) == (0, 1)
    turn = play(position("rrev.g1|g1", "r5", reverse_is_skip=False), "rrev")
    assert (turn.current, turn.direction) == (1, -1)


def test_newest_copy_leaves_the_hand() -> None:
    assert hands(play(position("r1.g1.r1.b1|g1", "r5"), "r1")) == "r1.g1.b1|g1"


def test_last_card_wins_the_points_of_the_others() -> None:
    game = play(position("r1|g9.wild|b+2.wildcustom", "r5"), "r1")
    assert (game.status, game.winner, game.points) == ("won", 0, 9 + 50 + 20 + 40)


def test_last_draw_card_still_draws_or_not() -> None:
    game = play(position("r+2|g1|b1", "r5", "b2.b3.b4"), "r+2", drawn="b4.b3")
    assert (game.status, game.points) == ("won", 1 + 7 + 1)
    game = play(position("r+2|g1|b1", "r5", "b2.b3.b4", last_card_draws=False), "r+2")
    assert (game.status, game.points) == ("won", 2)


def test_cut_off_after_the_last_turn() -> None:
    game = play(position("r1.r2|g1", "r5", turn=3, max_turns=3), "r1")
    assert (game.status, game.turn, game.winner) == ("cut off", 3, None)


def test_win_in_the_last_turn_counts() -> None:
    assert play(position("r1|g1", "r5", turn=3, max_turns=3), "r1").status == "won"
