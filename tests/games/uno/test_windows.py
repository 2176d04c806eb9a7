"""The windows of house rules, one by one, at positions made by hand: who is asked what, in which order, and what comes of it."""

from __future__ import annotations

import pytest

from kibitz.games.uno.cards import COLOURED_TYPES, COLOURS, NO_COLOUR
from kibitz.games.uno.names import card_name
from kibitz.games.uno.view import CUT_OFF, NO_SEAT, PLAYING, WON
from kibitz.play.game import Game
from tests.games.uno.positions import (
    BLUE_ONES,
    CALLING,
    CHALLENGING,
    NAMING,
    PROGRESSIVE,
    SAME,
    SEVEN_ZERO,
    WINDOWS,
    all_known,
    asked,
    hand,
    hands,
    in_window,
    known,
    legal,
    passes,
    phase,
    pile,
    played,
    position,
)

COLOUR_CALLS = ["r", "g", "b", "y"]


# -- colour --


def test_first_player_names_the_colour_of_an_opening_wild_and_then_plays() -> None:
    game = position("r1.g2|g1|y1", "wild", "b7", phase="colour", rules=NAMING)
    assert asked(game) == (0, "colour")
    assert legal(game) == ["wild:r", "wild:g", "wild:b", "wild:y"]
    assert played(game, "wild:g") == ["0 named"]
    assert (asked(game), game.turns, COLOURS[game.state.colour]) == ((0, "turn"), 1, "green")
    assert legal(game) == ["g2", "draw"]
    assert (hands(game), pile(game), game.state.discard_size) == (["r1.g2", "g1", "y1"], "b7", 0)


def test_colour_named_is_part_of_the_event() -> None:
    for colour, letter in enumerate(COLOUR_CALLS):
        (event,) = position("r1|g1", "wild", phase="colour", rules=NAMING).apply(f"wild:{letter}")
        assert (event.colour, event.seat, card_name(event.top), event.top_colour) == (colour, 0, "wild", NO_COLOUR)


def test_wild_shuffle_hands_that_opens_shuffles_nothing() -> None:
    game = position("r1.g2|g1.b3|y1.y2", "wildshuffle", "b7", phase="colour", rules=NAMING)
    assert legal(game) == [f"wildshuffle:{letter}" for letter in COLOUR_CALLS]
    assert played(game, "wildshuffle:y") == ["0 named"]
    assert hands(game) == ["r1.g2", "g1.b3", "y1.y2"]
    assert legal(game) == ["draw"]


WILD_DECK = "deck=r1*3/g2*2/rskip*2/wild*4/wild+4*2/wildshuffle*3/wildcustom*3,hand_size=2"


@pytest.mark.parametrize("opening", ["effects", "effects_name_colour", "none", "redraw_wilds"])
def test_colour_is_asked_for_at_the_start_and_only_where_the_rules_say(opening: str) -> None:
    wilds = 0
    for index in range(200):
        game = Game(3, f"classic,opening={opening},{WILD_DECK}", 4, index)
        wild = game.state.top >= COLOURED_TYPES
        wilds += wild
        assert (phase(game) == "colour") == (wild and opening == "effects_name_colour")
        if wild:
            assert (game.to_act, game.turns, game.state.colour) == ((game.state.dealer + 1) % 3, 1, NO_COLOUR)
            assert opening == "none" or card_name(game.state.top) != "wild+4"
    assert (wilds == 0) == (opening == "redraw_wilds")


# -- challenge --


def test_next_player_alone_is_asked_about_a_wild_draw_four() -> None:
    game = position("wild+4.g1|y1|y2|y3", "r5", BLUE_ONES, rules=CHALLENGING)
    assert played(game, "wild+4:b") == ["0 play wild+4"]
    assert (asked(game), legal(game), game.turns) == ((1, "challenge"), ["challenge", "accept"], 1)
    view = game.view()
    assert (view.player, view.stack, view.may_challenge) == (0, 4, 1)
    for seat in (0, 2, 3):
        other = game.view(seat)
        assert (other.phase, other.current, other.player) == (view.phase, 1, 0)
        assert not any(other.is_legal(action) for action in range(85))


def test_player_before_is_asked_against_the_clock() -> None:
    game = position("wild+4.g1|y1|y2|y3", "r5", BLUE_ONES, rules=CHALLENGING, direction="-")
    game.apply("wild+4:b")
    assert asked(game) == (3, "challenge")


def test_who_accepts_draws_four_and_is_skipped() -> None:
    game = position("wild+4.r1|y1|y2", "r5", BLUE_ONES, rules=CHALLENGING)
    assert played(game, "wild+4:b", "accept") == ["0 play wild+4", "1 forced 4"]
    assert hands(game) == ["r1", "y1.b1.b1.b1.b1", "y2"]
    assert (asked(game), game.turns, game.state.player, game.state.stack) == ((2, "turn"), 2, NO_SEAT, 0)
    assert all_known(game) == {}


def test_guilty_player_draws_four_and_the_challenger_takes_a_normal_turn() -> None:
    game = position("wild+4.r1.g2|b9.y1|y2", "r5", BLUE_ONES, rules=CHALLENGING)
    assert played(game, "wild+4:b", "challenge") == ["0 play wild+4", "1 challenged 1 of 0", "0 forced 4"]
    assert hands(game) == ["r1.g2.b1.b1.b1.b1", "b9.y1", "y2"]
    assert (asked(game), game.turns, COLOURS[game.state.colour]) == ((1, "turn"), 2, "blue")
    assert legal(game) == ["b9", "draw"]


def test_challenger_of_an_innocent_player_draws_six_and_is_skipped() -> None:
    game = position("wild+4.g2|b9|y2", "r5", BLUE_ONES, rules=CHALLENGING)
    assert played(game, "wild+4:b", "challenge") == ["0 play wild+4", "1 challenged of 0", "1 forced 6"]
    assert hands(game) == ["g2", "b9.b1.b1.b1.b1.b1.b1", "y2"]
    assert (asked(game), game.turns, COLOURS[game.state.colour]) == ((2, "turn"), 2, "blue")


@pytest.mark.parametrize(
    ("top", "rest", "guilty"),
    [
        ("r5", "r1", True),
        ("r5", "rskip", True),
        ("r5", "g5", False),  # the number does not matter
        ("rskip", "gskip", False),  # nor does the symbol
        ("r5", "wild", False),
        ("r5", "wild+4", False),
        ("r5", "b3.y2.r9", True),
        ("wild:g", "g1", True),
        ("wild:g", "r1", False),
        ("wild+4:y", "y1", True),
        ("wild", "r1.g1.b3.y1", False),  # no colour was current
        ("r5", "b2", False),  # the colour that is called, blue, is not the one that was current
    ],
)
def test_guilt_is_a_card_of_the_colour_that_was_current(top: str, rest: str, guilty: bool) -> None:
    game = position(f"wild+4.{rest}|y9.y9", top, BLUE_ONES, rules=CHALLENGING)
    events = played(game, "wild+4:b", "challenge")
    assert events[1] == f"1 challenged {'1 ' if guilty else ''}of 0"
    assert events[2] == ("0 forced 4" if guilty else "1 forced 6")


def test_a_draw_two_cannot_be_challenged() -> None:
    game = position("r+2.r1|y1|y2", "r5", BLUE_ONES, rules=CHALLENGING)
    assert played(game, "r+2") == ["0 play r+2", "1 forced 2"]
    assert asked(game) == (2, "turn")


@pytest.mark.parametrize("four", ["free", "honest_only", "last_resort"])
def test_no_challenge_under_other_rules(four: str) -> None:
    game = position("wild+4.g1|y1|y2", "r5", BLUE_ONES, rules=f"classic,wild_draw_four={four}")
    assert played(game, "wild+4:b") == ["0 play wild+4", "1 forced 4"]
    assert asked(game) == (2, "turn")


def test_a_wild_draw_four_that_was_just_drawn_may_be_challenged() -> None:
    game = position("r1|y1|y2", "g5", "wild+4.wild+4", "b3.b3.b3.b3.b3.b3", rules=CHALLENGING)
    game.apply("draw")
    assert played(game, "wild+4:b") == ["0 play wild+4 1"]
    assert asked(game) == (1, "challenge")


@pytest.mark.parametrize(("last_card_draws", "accepted"), [("on", 4), ("off", 0)])
def test_last_card_may_be_challenged_before_the_game_ends(last_card_draws: str, accepted: int) -> None:
    rules = f"{CHALLENGING},last_card_draws={last_card_draws}"
    game = position("wild+4|y1|y2", "r5", BLUE_ONES, rules=rules)
    game.apply("wild+4:b")
    assert (asked(game), game.is_over) == ((1, "challenge"), False)
    twin = game.copy()
    assert played(game, "accept") == ([f"1 forced {accepted}"] if accepted else [])
    assert (game.state.status, game.winner, game.points, game.turns) == (WON, 0, 1 + accepted + 2, 1)
    # A last card is never guilty: there is no hand left. Challenged, it costs six whatever the switch says.
    assert played(twin, "challenge") == ["1 challenged of 0", "1 forced 6"]
    assert (twin.state.status, twin.winner, twin.points, twin.turns) == (WON, 0, 1 + 6 + 2, 1)


def test_penalties_of_a_challenge_take_what_there_is() -> None:
    game = position("wild+4.r1|y1|y2", "r5", "b1.b2", rules=CHALLENGING)
    assert played(game, "wild+4:b", "challenge")[-1] == "0 forced 3"  # the pile, and the card that was on top
    assert sorted(hand(game, 0).split(".")) == ["b1", "b2", "r1", "r5"]


def test_call_comes_before_the_challenge_and_a_catch_does_not_change_the_guilt() -> None:
    game = position("wild+4.g2|y1|y2", "r5", "r1.r1.r1.r1.r1.r1.r1", "y8.y8.y8", rules=f"{CHALLENGING},uno_call=on")
    assert played(game, "wild+4:b", "pass", "catch") == ["0 play wild+4", "0 missed uno", "1 caught of 0", "0 forced 2"]
    assert (hand(game, 0), asked(game)) == ("g2.r1.r1", (1, "challenge"))
    assert played(game, "challenge") == ["1 challenged of 0", "1 forced 6"]  # it held no red card when it played


# -- stack --

FOURS = [f"wild+4:{letter}" for letter in COLOUR_CALLS]


@pytest.mark.parametrize(
    ("rules", "top_play", "held", "answers"),
    [
        (SAME, "r+2", "r+2.g+2.wild+4.r1.wild", ["r+2", "g+2", "accept"]),
        (PROGRESSIVE, "r+2", "r+2.g+2.wild+4.r1.wild", ["r+2", "g+2", *FOURS, "accept"]),
        (SAME, "wild+4:b", "b+2.g+2.wild+4.b3", [*FOURS, "accept"]),
        (PROGRESSIVE, "wild+4:b", "b+2.g+2.wild+4.b3", [*FOURS, "accept"]),
        (SAME, "r+2", "r1.wild.wild+4.rskip", ["accept"]),
        (f"{PROGRESSIVE},wild_draw_four=honest_only", "r+2", "g+2.wild+4.r1", ["g+2", "accept"]),
        (f"{PROGRESSIVE},wild_draw_four=honest_only", "r+2", "g+2.wild+4.g1", ["g+2", *FOURS, "accept"]),
        (f"{PROGRESSIVE},wild_draw_four=last_resort", "r+2", "g+2.wild+4.r1", ["g+2", "accept"]),
        (f"{PROGRESSIVE},wild_draw_four=last_resort", "r+2", "wild+4.r1", [*FOURS, "accept"]),
        (f"{PROGRESSIVE},wild_draw_four=challenge", "r+2", "wild+4.r1", [*FOURS, "accept"]),
        (f"{SAME},wild_draw_four=challenge", "wild+4:b", "wild+4.b+2", [*FOURS, "challenge", "accept"]),
        (f"{SAME},wild_draw_four=challenge", "wild+4:b", "b+2", ["challenge", "accept"]),
        (f"{SAME},wild_draw_four=honest_only", "wild+4:b", "wild+4.b3", ["accept"]),
        (f"{SAME},wild_draw_four=honest_only", "wild+4:b", "wild+4.g1", [*FOURS, "accept"]),
    ],
)
def test_what_answers_a_stack(rules: str, top_play: str, held: str, answers: list[str]) -> None:
    card = top_play.partition(":")[0]
    game = position(f"{card}.g9.g9|{held}|y2", "r5", BLUE_ONES, rules=rules)
    assert played(game, top_play) == [f"0 play {card}"]
    assert (asked(game), legal(game)) == ((1, "stack"), answers)
    view = game.view()
    assert (view.stack, view.player, view.may_challenge) == (2 if card == "r+2" else 4, 0, int("challenge" in answers))


def test_who_does_not_answer_draws_the_total_and_is_skipped() -> None:
    game = position("r+2.g9|g+2.g8|wild+4.b7|y2|y3", "r5", ".".join(["b1", "b3"] * 5), rules=PROGRESSIVE)
    assert played(game, "r+2") == ["0 play r+2"]
    assert (asked(game), game.turns, game.view().stack) == ((1, "stack"), 1, 2)
    assert played(game, "g+2") == ["1 play g+2"]
    assert (asked(game), game.turns, game.view().stack, game.view().player) == ((2, "stack"), 2, 4, 1)
    assert played(game, "wild+4:y") == ["2 play wild+4"]
    assert (asked(game), game.turns, game.view().stack) == ((3, "stack"), 3, 8)
    assert legal(game) == ["accept"]
    assert played(game, "accept") == ["3 forced 8"]
    assert (asked(game), game.turns, game.state.stack) == ((4, "turn"), 4, 0)
    assert len(hand(game, 3).split(".")) == 1 + 8
    assert COLOURS[game.state.colour] == "yellow"


def test_stack_goes_round_against_the_clock() -> None:
    game = position("r+2.g9|y1|g+2.g8", "r5", BLUE_ONES, rules=SAME, direction="-")
    played(game, "r+2")
    assert asked(game) == (2, "stack")
    played(game, "g+2", "accept")
    assert (hand(game, 1), asked(game)) == ("y1.b1.b1.b1.b1", (0, "turn"))


def test_hand_emptied_by_an_answer_ends_the_game_and_the_next_player_draws_the_total() -> None:
    game = position("r+2.g9|g+2|r+2.y2", "r5", BLUE_ONES, rules=SAME)
    assert played(game, "r+2", "g+2") == ["0 play r+2", "1 play g+2", "2 forced 4"]
    assert (game.winner, game.points, game.turns) == (1, 9 + 20 + 2 + 4, 2)


def test_hand_emptied_by_an_answer_makes_nobody_draw_if_the_rules_say_so() -> None:
    game = position("r+2.g9|g+2|r+2.y2", "r5", BLUE_ONES, rules=f"{SAME},last_card_draws=off")
    assert played(game, "r+2", "g+2") == ["0 play r+2", "1 play g+2"]
    assert (game.winner, game.points) == (1, 9 + 20 + 2)


def test_first_card_of_a_stack_played_as_the_last_card_is_not_answered() -> None:
    game = position("r+2|g+2|y2", "r5", BLUE_ONES, rules=SAME)
    assert played(game, "r+2") == ["0 play r+2", "1 forced 2"]
    assert (game.winner, game.points) == (0, 20 + 2 + 2)


def test_last_card_wild_draw_four_on_a_stack_cannot_be_challenged() -> None:
    game = position("r+2.g9|wild+4|y2", "r5", BLUE_ONES, rules=f"{PROGRESSIVE},wild_draw_four=challenge")
    assert played(game, "r+2", "wild+4:b") == ["0 play r+2", "1 play wild+4", "2 forced 6"]
    assert (game.winner, game.points) == (1, 9 + 2 + 6)


def test_only_the_first_wild_draw_four_of_a_stack_may_be_challenged() -> None:
    game = position("wild+4.g9.g8|wild+4.g7.g6|y1.y2|y3", "r5", ".".join(["b1", "b3"] * 5), rules=f"{SAME},wild_draw_four=challenge")
    played(game, "wild+4:b")
    assert "challenge" in legal(game)
    played(game, "wild+4:y")
    assert (asked(game), legal(game), game.view().stack, game.view().may_challenge) == ((2, "stack"), ["accept"], 8, 0)
    assert played(game, "accept") == ["2 forced 8"]
    assert asked(game) == (3, "turn")


def test_challenge_instead_of_an_answer_closes_the_stack() -> None:
    rules = f"{SAME},wild_draw_four=challenge"
    guilty = position("wild+4.r1.g8|wild+4.b6|y1", "r5", BLUE_ONES, rules=rules)
    assert played(guilty, "wild+4:b", "challenge") == ["0 play wild+4", "1 challenged 1 of 0", "0 forced 4"]
    assert (asked(guilty), guilty.turns, guilty.state.stack) == ((1, "turn"), 2, 0)
    assert known(guilty, 1, 0) == "r1.g8"
    innocent = position("wild+4.g1.g8|wild+4.b6|y1", "r5", BLUE_ONES, rules=rules)
    assert played(innocent, "wild+4:b", "challenge") == ["0 play wild+4", "1 challenged of 0", "1 forced 6"]
    assert (asked(innocent), innocent.turns, innocent.state.stack) == ((2, "turn"), 2, 0)


def test_game_is_cut_off_before_an_answer_that_would_be_a_turn_too_many() -> None:
    game = position("r+2.g9|g+2.g8|y2", "r5", BLUE_ONES, rules=SAME, turn=7, max_turns=7)
    assert played(game, "r+2") == ["0 play r+2"]
    assert (game.state.status, game.turns, game.winner) == (CUT_OFF, 7, None)
    game = position("r+2.g9|g+2.g8|y2", "r5", BLUE_ONES, rules=SAME, turn=6, max_turns=7)
    played(game, "r+2", "g+2")
    assert (game.state.status, game.turns) == (CUT_OFF, 7)


def test_opening_draw_two_is_not_stacked() -> None:
    seen = 0
    for index in range(60):
        game = Game(3, "classic,stacking=progressive,deck=r+2*5/g+2*5/r1*4/g1*2,hand_size=3", 2, index)
        assert phase(game) == "turn"
        if card_name(game.state.top).endswith("+2"):
            seen += 1
            victim = (game.state.dealer + 1) % 3
            assert (game.state.sizes[victim], game.to_act) == (5, (victim + 1) % 3)
    assert seen > 10


def test_call_comes_before_a_stack_and_the_answer_may_need_one_too() -> None:
    game = position("r+2.g9|g+2.g8|y2.y3", "r5", BLUE_ONES, rules=f"{SAME},uno_call=on")
    assert played(game, "r+2") == ["0 play r+2"]
    assert asked(game) == (0, "uno_call")
    assert played(game, "uno") == ["0 said uno"]
    assert (asked(game), game.view().stack) == ((1, "stack"), 2)
    played(game, "g+2")
    assert asked(game) == (1, "uno_call")
    played(game, "uno")
    assert (asked(game), game.view().stack, game.turns) == ((2, "stack"), 4, 2)


# -- swap --


def test_seven_swaps_with_a_player_of_ones_choice() -> None:
    for places in (1, 2, 3):
        game = position("r7.g1.g2|y1|y2.y3|y4.y5.y6", "r5", BLUE_ONES, rules=SEVEN_ZERO)
        before = hands(game)
        assert played(game, "r7") == ["0 play r7"]
        assert (asked(game), legal(game), game.turns, game.view().player) == ((0, "swap"), ["swap:1", "swap:2", "swap:3"], 1, 0)
        assert played(game, f"swap:{places}") == [f"0 swapped of {places}"]
        assert (hand(game, 0), hand(game, places)) == (before[places], "g1.g2")
        assert (asked(game), game.turns) == ((1, "turn"), 2)
        assert list(game.state.sizes[:4]) == [len(text.split(".")) for text in hands(game)]


def test_places_are_counted_in_the_direction_of_play() -> None:
    game = position("r7.g1.g2|y1|y2.y3|y4.y5.y6", "r5", BLUE_ONES, rules=SEVEN_ZERO, direction="-")
    assert played(game, "r7", "swap:1") == ["0 play r7", "0 swapped of 3"]
    assert (hands(game)[0], hands(game)[3], asked(game)) == ("y4.y5.y6", "g1.g2", (3, "turn"))


def test_with_ten_players_there_are_nine_to_swap_with() -> None:
    game = position("r7.g1|" + "|".join(f"y{value}" for value in range(1, 10)), "r5", BLUE_ONES, rules=SEVEN_ZERO)
    game.apply("r7")
    assert legal(game) == [f"swap:{places}" for places in range(1, 10)]
    game.apply("swap:9")
    assert (hand(game, 0), hand(game, 9)) == ("y9", "g1")


def test_hands_that_change_owner_are_ordered_by_type() -> None:
    game = position("r7.wild.g2.g1.r1|y9.b3.y1.b3", "r5", BLUE_ONES, rules=SEVEN_ZERO)
    played(game, "r7", "swap:1")
    assert hands(game) == ["b3.b3.y1.y9", "r1.g1.g2.wild"]


@pytest.mark.parametrize("card", ["r7", "r0"])
def test_as_a_last_card_neither_has_an_effect(card: str) -> None:
    game = position(f"{card}|y1|y2", "r5", BLUE_ONES, rules=SEVEN_ZERO)
    assert played(game, card) == [f"0 play {card}"]
    assert (game.winner, game.points, hands(game)) == (0, 3, ["", "y1", "y2"])


def test_sevens_and_zeros_are_plain_numbers_without_the_switch() -> None:
    for card in ("r7", "r0"):
        game = position(f"{card}.g1|y1|y2", "r5", BLUE_ONES, rules="classic,jump_in=on")
        assert played(game, card) == [f"0 play {card}"]
        assert (hands(game), asked(game)) == (["g1", "y1", "y2"], (1, "turn"))


def test_zero_passes_all_hands_at_once() -> None:
    game = position("r0.g1.g2|y1|y2.y3", "r5", BLUE_ONES, rules=SEVEN_ZERO)
    assert played(game, "r0") == ["0 play r0", "0 passed hands"]
    assert (hands(game), asked(game), game.turns) == (["y2.y3", "g1.g2", "y1"], (1, "turn"), 2)


def test_call_comes_before_the_swap_and_only_from_who_played() -> None:
    game = position("r7.g1|y1|y2.y3", "r5", BLUE_ONES, rules=f"{SEVEN_ZERO},uno_call=on")
    game.apply("r7")
    assert asked(game) == (0, "uno_call")
    assert played(game, "uno") == ["0 said uno"]
    assert asked(game) == (0, "swap")
    played(game, "swap:2")  # seat 2 is down to one card, but it has played nothing
    assert (hands(game), asked(game)) == (["y2.y3", "y1", "g1"], (1, "turn"))


def test_cards_drawn_for_a_missed_call_go_along_with_the_hand() -> None:
    game = position("r0.g1|y1|y2.y3", "r5", BLUE_ONES, rules=f"{SEVEN_ZERO},uno_call=on")
    assert played(game, "r0", "pass", "catch") == ["0 play r0", "0 missed uno", "1 caught of 0", "0 forced 2", "0 passed hands"]
    assert hands(game) == ["y2.y3", "g1.b1.b1", "y1"]


# -- the Wild Shuffle Hands --


def test_all_hands_are_shuffled_and_dealt_from_the_next_player_on() -> None:
    game = position("wildshuffle.g1.g2|y1.y5.y6|y2|y3.y4", "r5", BLUE_ONES, rules="classic,seven_zero=on")
    assert played(game, "wildshuffle:b") == ["0 play wildshuffle", "0 shuffled"]
    assert sorted(card for text in hands(game) for card in text.split(".")) == ["g1", "g2", "y1", "y2", "y3", "y4", "y5", "y6"]
    assert list(game.state.sizes[:4]) == [2, 2, 2, 2]
    assert (asked(game), COLOURS[game.state.colour], game.turns) == ((1, "turn"), "blue", 2)
    assert all(text == ".".join(sorted(text.split("."))) for text in hands(game))  # by type: here that is by name


@pytest.mark.parametrize(("direction", "sizes"), [("+", [2, 3, 3, 2]), ("-", [2, 2, 3, 3])])
def test_players_next_in_turn_get_the_odd_cards(direction: str, sizes: list[int]) -> None:
    game = position("wildshuffle.g1.g2.g3|y1.y5|y2.y6|y3.y4.y7", "r5", BLUE_ONES, direction=direction)
    played(game, "wildshuffle:b")
    assert list(game.state.sizes[:4]) == sizes


def test_wild_shuffle_hands_as_the_last_card_shuffles_nothing() -> None:
    game = position("wildshuffle|y1.y5|y2", "r5", BLUE_ONES)
    assert played(game, "wildshuffle:b") == ["0 play wildshuffle"]
    assert (game.winner, hands(game)) == (0, ["", "y1.y5", "y2"])


def test_any_card_may_go_to_any_hand() -> None:
    """Eight cards to four players: 400 shuffles. A card misses a given seat in all of them less than once in 10**49."""
    seen = set()
    for seed in range(400):
        game = position("wildshuffle.g1.g2|y1.y5|y2.y6|y3.y4", "r5", BLUE_ONES, seed=seed)
        game.apply("wildshuffle:b")
        seen |= {(seat, card) for seat, text in enumerate(hands(game)) for card in text.split(".")}
    assert len(seen) == 4 * 8


def test_wild_customizable_is_a_plain_wild() -> None:
    game = position("wildcustom.g1|y1|y2", "r5", BLUE_ONES, rules="modern")
    assert legal(game)[:4] == [f"wildcustom:{letter}" for letter in COLOUR_CALLS]
    played(game, "wildcustom:y", "uno")
    assert (asked(game), COLOURS[game.state.colour], hands(game)) == ((1, "turn"), "yellow", ["g1", "y1", "y2"])


# -- the call of UNO --


def test_who_plays_down_to_one_card_is_asked_to_call() -> None:
    game = position("r1.g1|y1|y2", "r5", BLUE_ONES, rules=CALLING)
    assert played(game, "r1") == ["0 play r1"]
    assert (asked(game), legal(game), game.turns, game.view().player) == ((0, "uno_call"), ["pass", "uno"], 1, 0)
    assert played(game, "uno") == ["0 said uno"]
    assert (asked(game), game.turns, hand(game, 0)) == ((1, "turn"), 2, "g1")


@pytest.mark.parametrize("held", ["r1.g1.g2", "r1"])
def test_with_two_cards_left_or_none_nothing_is_called(held: str) -> None:
    game = position(f"{held}|y1|y2", "r5", BLUE_ONES, rules=CALLING)
    assert played(game, "r1") == ["0 play r1"]
    assert phase(game) == "turn"


def test_a_drawn_card_that_leaves_one_is_called_too() -> None:
    game = position("g1|y1|y2", "r5", "r9.r9", rules=CALLING)
    played(game, "draw", "r9")
    assert asked(game) == (0, "uno_call")


def test_others_are_asked_in_turn_order_whether_they_catch_a_missed_call() -> None:
    game = position("r1.g1|y1|y2|y3", "r5", BLUE_ONES, rules=CALLING, to_act=0)
    assert played(game, "r1", "pass") == ["0 play r1", "0 missed uno"]
    assert (legal(game), game.view().player) == (["pass", "catch"], 0)
    assert passes(game) == [(1, "catch"), (2, "catch"), (3, "catch")]
    assert (asked(game), hand(game, 0), game.turns) == ((1, "turn"), "g1", 2)


def test_others_are_asked_in_the_direction_of_play() -> None:
    game = position("y1|r1.g1|y2|y3", "r5", BLUE_ONES, rules=CALLING, to_act=1, direction="-")
    played(game, "r1", "pass")
    assert passes(game) == [(0, "catch"), (3, "catch"), (2, "catch")]
    assert asked(game) == (0, "turn")


def test_direction_is_still_the_old_one_while_a_call_is_settled() -> None:
    game = position("rrev.g1|y1|y2|y3", "r5", BLUE_ONES, rules=CALLING)
    played(game, "rrev", "pass")
    assert game.state.direction == 1
    assert passes(game) == [(1, "catch"), (2, "catch"), (3, "catch")]
    assert (asked(game), game.state.direction) == ((3, "turn"), -1)


@pytest.mark.parametrize("catcher", [1, 2, 3])
def test_first_catch_makes_the_careless_player_draw_two(catcher: int) -> None:
    game = position("r1.g1|y1|y2|y3", "r5", BLUE_ONES, rules=CALLING)
    played(game, "r1", "pass", *["pass"] * (catcher - 1))
    assert asked(game) == (catcher, "catch")
    assert played(game, "catch") == [f"{catcher} caught of 0", "0 forced 2"]
    assert (hand(game, 0), asked(game), game.turns) == ("g1.b1.b1", (1, "turn"), 2)


def test_call_is_settled_before_the_card_takes_effect() -> None:
    game = position("r+2.g1|y1|y2", "r5", BLUE_ONES, rules=CALLING)
    assert played(game, "r+2") == ["0 play r+2"]
    assert played(game, "pass", "catch") == ["0 missed uno", "1 caught of 0", "0 forced 2", "1 forced 2"]
    assert (hands(game), asked(game)) == (["g1.b1.b1", "y1.b1.b1", "y2"], (2, "turn"))


def test_skipped_player_may_catch_too() -> None:
    game = position("rskip.g1|y1|y2", "r5", BLUE_ONES, rules=CALLING)
    played(game, "rskip", "pass", "catch")
    assert (hand(game, 0), asked(game)) == ("g1.b1.b1", (2, "turn"))


def test_catch_takes_what_there_is_to_draw() -> None:
    game = position("r1.g1|y1", "r5", "", rules=CALLING)
    assert played(game, "r1", "pass", "catch")[-1] == "0 forced 1"
    assert hand(game, 0) == "g1.r5"


# -- every window --


def test_game_goes_on_after_each_window() -> None:
    for name in WINDOWS:
        for action in legal(in_window(name)):
            game = in_window(name)
            game.apply(action)
            assert game.state.status == PLAYING
            assert game.legal_actions()
