"""The clauses of the classic rules, one by one, at positions made by hand."""

from __future__ import annotations

import pytest

from kibitz.core.errors import BadValue
from kibitz.games.uno.cards import GREEN
from kibitz.games.uno.names import card_name
from kibitz.games.uno.state import EVENT_NAMES, Event
from kibitz.games.uno.view import CUT_OFF, DRAWN, PLAYING, STUCK, TURN, WON
from tests.games.uno.positions import discard, hand, legal, pile, position


def told(events: list[Event]) -> list[tuple[str, int, int]]:
    return [(EVENT_NAMES[event.kind], event.seat, event.count) for event in events]


# -- what may be played --


def test_card_of_the_same_colour_number_or_symbol_may_be_played() -> None:
    assert legal(position("r1.g5.g6.bskip|y1", "r5", "y2")) == ["r1", "g5", "draw"]
    assert legal(position("r1.gskip.bskip.g6|y1", "rskip", "y2")) == ["r1", "gskip", "bskip", "draw"]
    assert legal(position("g+2.grev|y1", "r+2", "y2")) == ["g+2", "draw"]
    assert legal(position("g+2.grev|y1", "rrev", "y2")) == ["grev", "draw"]


def test_wild_may_always_be_played_in_any_colour() -> None:
    assert legal(position("g1.wild|y1", "r5", "y2")) == ["wild:r", "wild:g", "wild:b", "wild:y", "draw"]


def test_wild_draw_four_may_be_played_while_holding_the_colour() -> None:
    assert legal(position("r1.wild+4|y1", "r5", "y2")) == ["r1", "wild+4:r", "wild+4:g", "wild+4:b", "wild+4:y", "draw"]


def test_only_the_called_colour_and_wilds_match_a_wild() -> None:
    assert legal(position("r1.g5.wild|y1", "wild:g", "y2")) == ["g5", "wild:r", "wild:g", "wild:b", "wild:y", "draw"]
    assert legal(position("r1.g5.bskip|y1", "wild+4:b", "y2")) == ["bskip", "draw"]


def test_anything_may_be_played_on_an_opening_wild() -> None:
    assert legal(position("r1.g5.bskip|y1", "wild", "y2")) == ["r1", "g5", "bskip", "draw"]


def test_who_can_play_nothing_may_only_draw() -> None:
    assert legal(position("g1.b2|y1", "r5", "y2")) == ["draw"]


def test_illegal_action_is_refused_with_the_legal_ones() -> None:
    game = position("r1.g2|y1", "r5", "y2")
    with pytest.raises(BadValue, match=r"action g2 is not legal; legal are r1, draw\."):
        game.apply("g2")
    with pytest.raises(BadValue, match=r"action keep is not legal; legal are r1, draw\."):
        game.apply("keep")


# -- effects --


def test_number_card_goes_on_the_pile_and_the_next_player_follows() -> None:
    game = position("r1.g2|y1|y2", "r5", "y3", "r7")
    assert told(game.apply("r1")) == [("play", 0, 0)]
    assert (hand(game, 0), card_name(game.state.top), discard(game)) == ("g2", "r1", "r7.r5")
    assert (game.to_act, game.turns) == (1, 2)


def test_turn_goes_the_other_way_against_the_clock() -> None:
    game = position("r1.g2|y1|y2", "r5", "y3", direction="-")
    game.apply("r1")
    assert game.to_act == 2


@pytest.mark.parametrize(("direction", "follows"), [("+", 2), ("-", 2)])
def test_skip_passes_over_the_next_of_four(direction: str, follows: int) -> None:
    game = position("rskip.g2|y1|y2|y3", "r5", "y4", direction=direction)
    game.apply("rskip")
    assert (game.to_act, game.turns) == (follows, 2)


def test_skip_with_three_players_passes_to_the_last() -> None:
    game = position("rskip.g2|y1|y2", "r5", "y4")
    game.apply("rskip")
    assert game.to_act == 2


def test_skip_with_two_players_gives_another_turn() -> None:
    game = position("rskip.g2|y1", "r5", "y4")
    game.apply("rskip")
    assert (game.to_act, game.turns) == (0, 2)


def test_reverse_turns_the_direction_with_three_players() -> None:
    game = position("rrev.g2|y1|y2", "r5", "y3")
    game.apply("rrev")
    assert (game.to_act, game.state.direction) == (2, -1)


def test_second_reverse_turns_it_back() -> None:
    game = position("rrev.g2|y1|grev.y2", "r5", "y3")
    game.apply("rrev")
    game.apply("grev")
    assert (game.to_act, game.state.direction) == (0, 1)


def test_reverse_is_a_skip_with_two_players() -> None:
    game = position("rrev.g2|y1", "r5", "y3")
    game.apply("rrev")
    assert (game.to_act, game.turns) == (0, 2)


def test_draw_two_makes_the_next_player_draw_two_and_miss_a_turn() -> None:
    game = position("r+2.g2|y1|y2", "r5", "b1.b1.b1")
    assert told(game.apply("r+2")) == [("play", 0, 0), ("forced", 1, 2)]
    assert [hand(game, seat) for seat in range(3)] == ["g2", "y1.b1.b1", "y2"]
    assert (game.to_act, game.turns, pile(game)) == (2, 2, "b1")


def test_draw_two_hits_the_next_player_in_the_direction_of_play() -> None:
    game = position("r+2.g2|y1|y2", "r5", "b1.b1.b1", direction="-")
    game.apply("r+2")
    assert [hand(game, seat) for seat in range(3)] == ["g2", "y1", "y2.b1.b1"]
    assert game.to_act == 1


def test_wild_calls_a_colour_and_the_next_player_follows() -> None:
    game = position("wild.r2|g1.r1|y2", "b5", "y3")
    game.apply("wild:g")
    assert (card_name(game.state.top), game.state.colour, game.to_act) == ("wild", GREEN, 1)
    assert legal(game) == ["g1", "draw"]


def test_wild_draw_four_calls_a_colour_and_makes_the_next_player_draw_four_and_miss_a_turn() -> None:
    game = position("wild+4.r2|y1|g2.r3", "b5", "b1.b1.b1.b1.b1")
    assert told(game.apply("wild+4:g")) == [("play", 0, 0), ("forced", 1, 4)]
    assert hand(game, 1) == "y1.b1.b1.b1.b1"
    assert (game.to_act, game.turns, game.state.colour) == (2, 2, GREEN)
    assert legal(game) == ["g2", "draw"]


# -- drawing --


def test_drawn_card_that_matches_may_be_played_or_kept_but_no_other_card() -> None:
    game = position("r1.g2|y1", "r5", "r7.r7")
    assert told(game.apply("draw")) == [("drew", 0, 1)]
    assert (game.to_act, game.state.phase, game.turns) == (0, DRAWN, 1)
    assert legal(game) == ["r7", "keep"]


def test_drawn_card_played_belongs_to_the_same_turn() -> None:
    game = position("g2|y1", "r5", "r7.r7")
    game.apply("draw")
    events = game.apply("r7")
    assert told(events) == [("play", 0, 1)]  # one card drawn in the same turn
    assert events[0].drawn == 1
    assert (hand(game, 0), game.to_act, game.turns, game.state.phase) == ("g2", 1, 2, TURN)


def test_drawn_card_kept_stays_in_hand_and_ends_the_turn() -> None:
    game = position("g2|y1", "r5", "r7.r7")
    game.apply("draw")
    assert told(game.apply("keep")) == [("kept", 0, 1)]
    assert (hand(game, 0), game.to_act, game.turns, game.state.phase) == ("g2.r7", 1, 2, TURN)


def test_drawn_wild_may_be_played_in_any_colour() -> None:
    game = position("g2|y1", "r5", "wild.wild")
    game.apply("draw")
    assert legal(game) == ["wild:r", "wild:g", "wild:b", "wild:y", "keep"]


def test_drawn_card_that_does_not_match_ends_the_turn_at_once() -> None:
    game = position("g2|y1", "r5", "b7.b7")
    assert told(game.apply("draw")) == [("drew", 0, 1), ("kept", 0, 1)]
    assert (hand(game, 0), game.to_act, game.turns, game.state.phase) == ("g2.b7", 1, 2, TURN)


def test_drawn_card_equal_to_one_in_hand_is_played_as_the_drawn_one() -> None:
    game = position("r7.g2|y1", "r5", "r7.r7")
    game.apply("draw")
    game.apply("r7")
    assert hand(game, 0) == "r7.g2"


def test_drawing_is_allowed_with_a_playable_card_in_hand() -> None:
    game = position("r1.wild|y1", "r5", "b7.b7")
    assert "draw" in legal(game)
    game.apply("draw")
    assert (hand(game, 0), game.to_act) == ("r1.wild.b7", 1)


# -- the end --


def test_last_card_wins_the_points_of_all_other_hands() -> None:
    game = position("r1|g9.y0|wild.bskip|wild+4.r+2.brev.b7", "r5", "y3")
    game.apply("r1")
    assert (game.is_over, game.winner, game.state.status) == (True, 0, WON)
    assert game.points == 9 + 0 + 50 + 20 + 50 + 20 + 20 + 7
    assert game.turns == 1
    assert legal(game) == []


def test_last_card_draw_two_makes_the_next_player_draw_before_the_count() -> None:
    game = position("r+2|g9|y1", "r5", "b8.b8.b8")
    assert told(game.apply("r+2")) == [("play", 0, 0), ("forced", 1, 2)]
    assert (hand(game, 1), game.winner, game.points) == ("g9.b8.b8", 0, 9 + 16 + 1)


def test_last_card_wild_draw_four_makes_the_next_player_draw_before_the_count() -> None:
    game = position("y1|g9|wild+4", "r5", "b8.b8.b8.b8", to_act=2)
    game.apply("wild+4:b")
    assert (hand(game, 0), game.winner, game.points) == ("y1.b8.b8.b8.b8", 2, 1 + 32 + 9)


def test_drawn_card_may_be_the_last() -> None:
    game = position("r7|y5", "r5", "g5.g5")
    game.apply("draw")
    game.apply("g5")
    game.apply("y5")
    assert (game.winner, game.points) == (1, 7)


def test_nothing_can_be_done_after_the_end() -> None:
    game = position("r1|g9", "r5", "y3")
    game.apply("r1")
    with pytest.raises(BadValue, match=r"action draw comes after the end of the game\."):
        game.apply("draw")


# -- when the draw pile runs out --


def test_draw_pile_that_runs_out_is_made_anew_at_once_of_all_but_the_top_card() -> None:
    game = position("g2|y1", "r5", "b7", "r1.g1.y4")
    game.apply("draw")
    assert (pile(game), discard(game), card_name(game.state.top)) == ("g1.r1.y4", "", "r5")


def test_wild_from_the_discard_pile_has_lost_its_colour() -> None:
    game = position("g2|y1", "r5", "b7", "wild")
    game.apply("draw")
    assert (pile(game), game.to_act) == ("wild", 1)
    game.apply("draw")
    assert legal(game) == ["wild:r", "wild:g", "wild:b", "wild:y", "keep"]


def test_forced_draw_goes_on_with_the_new_pile() -> None:
    game = position("wild+4.b3|y1|g2", "r5", "b7.b7", "g8.g8.g8")
    game.apply("wild+4:b")
    assert len(hand(game, 1).split(".")) == 5
    assert hand(game, 1).startswith("y1.b7.b7.")
    assert (len(pile(game).split(".")), discard(game), card_name(game.state.top)) == (2, "", "wild+4")


def test_forced_draw_takes_what_there_is() -> None:
    game = position("wild+4.b3|y1", "r5", "b7")
    assert told(game.apply("wild+4:b")) == [("play", 0, 0), ("forced", 1, 2)]
    assert (sorted(hand(game, 1).split(".")), pile(game), discard(game)) == (["b7", "r5", "y1"], "", "")
    assert game.to_act == 0


def test_card_discarded_on_an_empty_draw_pile_can_be_drawn() -> None:
    game = position("r1.b3|g1.y1", "r5", "")
    game.apply("r1")
    game.apply("draw")
    assert hand(game, 1) == "g1.y1.r5"


def test_who_has_nothing_to_draw_ends_the_turn_without_a_card() -> None:
    game = position("g2.b3|r1.y1", "r5", "")
    assert told(game.apply("draw")) == [("kept", 0, 0)]
    assert (hand(game, 0), game.to_act, game.turns, game.state.status) == ("g2.b3", 1, 2, PLAYING)
    game.apply("r1")
    assert game.state.status == PLAYING


def test_game_in_which_nobody_can_play_or_draw_ends_without_a_winner() -> None:
    game = position("g2|b3|y4", "r5", "")
    game.apply("draw")
    game.apply("draw")
    assert not game.is_over
    game.apply("draw")
    assert (game.state.status, game.winner, game.points) == (STUCK, None, 0)


def test_stuck_game_counts_the_turns_that_were_taken() -> None:
    game = position("g2|b3", "r5", "")
    game.apply("draw")
    game.apply("draw")
    assert (game.state.status, game.turns) == (STUCK, 2)


def test_game_goes_on_while_somebody_could_play_but_will_not() -> None:
    game = position("g2|r3|y4", "r5", "")
    for _ in range(9):
        game.apply("draw")
    assert (game.state.status, game.turns) == (PLAYING, 10)


def test_play_between_idle_players_lets_the_count_begin_again() -> None:
    game = position("g2.g3|b3.b4|r1.y4", "r5", "")
    game.apply("draw")
    game.apply("draw")
    game.apply("r1")  # the r5 under it can be drawn now
    game.apply("draw")
    assert (game.state.status, game.to_act, game.state.phase) == (PLAYING, 0, DRAWN)
    game.apply("keep")
    for _ in range(2):
        game.apply("draw")
    assert game.state.status == PLAYING


# -- the cut-off --


def test_game_is_cut_off_after_the_last_turn_without_a_winner() -> None:
    game = position("g2.g4|b3|y4", "r5", "b7.b7.b7.b7", turn=9, max_turns=10)
    game.apply("draw")
    assert (game.turns, game.is_over) == (10, False)
    game.apply("draw")
    assert (game.state.status, game.winner, game.points, game.turns) == (CUT_OFF, None, 0, 10)


def test_last_turn_includes_the_play_of_a_drawn_card() -> None:
    game = position("g2|b3", "r5", "r7.r7", turn=10, max_turns=10)
    game.apply("draw")
    assert not game.is_over
    game.apply("r7")
    assert game.state.status == CUT_OFF


def test_game_won_on_the_last_turn_is_won() -> None:
    game = position("r1|b3", "r5", "r7", turn=10, max_turns=10)
    game.apply("r1")
    assert (game.winner, game.points, game.turns) == (0, 3, 10)
