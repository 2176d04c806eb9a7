"""The windows of house rules, one by one, at positions made by hand: who is asked what, in which order, and what comes of it."""

from __future__ import annotations

import pytest

from kibitz.games.uno.cards import COLOURED_TYPES, COLOURS, NO_COLOUR
from kibitz.games.uno.names import card_name
from kibitz.games.uno.view import PLAYING, WON
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
    asked,
    hand,
    hands,
    in_window,
    legal,
    phase,
    played,
    position,
)

COLOUR_CALLS = ["r", "g", "b", "y"]


# -- colour --


def test_colour_named_is_part_of_the_event() -> None:
    for colour, letter in enumerate(COLOUR_CALLS):
        (event,) = position("r1|g1", "wild", phase="colour", rules=NAMING).apply(f"wild:{letter}")
        assert (event.colour, event.seat, card_name(event.top), event.top_colour) == (colour, 0, "wild", NO_COLOUR)


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


def test_only_the_first_wild_draw_four_of_a_stack_may_be_challenged() -> None:
    game = position("wild+4.g9.g8|wild+4.g7.g6|y1.y2|y3", "r5", ".".join(["b1", "b3"] * 5), rules=f"{SAME},wild_draw_four=challenge")
    played(game, "wild+4:b")
    assert "challenge" in legal(game)
    played(game, "wild+4:y")
    assert (asked(game), legal(game), game.view().stack, game.view().may_challenge) == ((2, "stack"), ["accept"], 8, 0)
    assert played(game, "accept") == ["2 forced 8"]
    assert asked(game) == (3, "turn")


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


# -- the Wild Shuffle Hands --


def test_all_hands_are_shuffled_and_dealt_from_the_next_player_on() -> None:
    game = position("wildshuffle.g1.g2|y1.y5.y6|y2|y3.y4", "r5", BLUE_ONES, rules="classic,seven_zero=on")
    assert played(game, "wildshuffle:b") == ["0 play wildshuffle", "0 shuffled"]
    assert sorted(card for text in hands(game) for card in text.split(".")) == ["g1", "g2", "y1", "y2", "y3", "y4", "y5", "y6"]
    assert list(game.state.sizes[:4]) == [2, 2, 2, 2]
    assert (asked(game), COLOURS[game.state.colour], game.turns) == ((1, "turn"), "blue", 2)
    assert all(text == ".".join(sorted(text.split("."))) for text in hands(game))  # by type: here that is by name


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
