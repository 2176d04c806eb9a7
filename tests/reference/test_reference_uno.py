"""The reference by hand-made positions: one small check for each rule, so that it is more than a second opinion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from tests.reference.uno import (
    ReferenceGame,
    ReferenceRules,
    by_type,
    colour_of,
    modern_deck,
    number_deck,
    opening_candidates,
    points_of,
    standard_deck,
)

COLOURED_WILD = [f"wild:{colour}" for colour in "rgby"]
COLOURED_WILD_DRAW_FOUR = [f"wild+4:{colour}" for colour in "rgby"]


class Script:
    """Cards in the order in which they are drawn or dealt out."""

    def __init__(self, cards: str) -> None:
        self.cards = cards_in(cards)

    def __call__(self, options: Sequence[str]) -> str:
        assert self.cards, f"a card was drawn that is not in the script, one of {options}"
        assert self.cards[0] in options, f"{self.cards[0]} is not among {options}"
        return self.cards.pop(0)


def cards_in(text: str) -> list[str]:
    return [card for card in text.split(".") if card]


def hands_in(text: str) -> list[list[str]]:
    return [cards_in(hand) for hand in text.split("|")]


def position(
    hands: str,
    top: str,
    pile: str = "",
    discard: str = "",
    *,
    direction: int = 1,
    turn: int = 1,
    max_turns: int = 1000,
    **switches: Any,
) -> ReferenceGame:
    """Seat 0's turn. Hands are separated by bars, cards by dots; a wild on top has its colour after a colon."""
    card, _, called = top.partition(":")
    return ReferenceGame(
        hands_in(hands),
        cards_in(pile),
        card,
        dealer=0,
        max_turns=max_turns,
        discard=cards_in(discard),
        colour=called or colour_of(card),
        direction=direction,
        turn=turn,
        rules=ReferenceRules(**switches),
    )


def opening(hands: str, top: str, pile: str = "", drawn: str = "", dealer: int = 0, **switches: Any) -> ReferenceGame:
    """A game that begins with this card."""
    script = Script(drawn)
    game = ReferenceGame.begin(hands_in(hands), cards_in(pile), top, dealer, 1000, script, ReferenceRules(**switches))
    assert not script.cards
    return game


def play(game: ReferenceGame, *actions: str, drawn: str = "") -> ReferenceGame:
    """Actions one after the other; `drawn` are the cards that come meanwhile, all of them."""
    script = Script(drawn)
    for action in actions:
        game.apply(action, script)
    assert not script.cards, f"{script.cards} were not drawn"
    return game


def hands(game: ReferenceGame) -> str:
    return "|".join(".".join(hand) for hand in game.hands)


def asked(game: ReferenceGame) -> tuple[str, int]:
    """Which decision is open, and whose it is."""
    assert game.status == "playing"
    return game.phase, game.current


# -- cards and decks --


def test_decks_have_the_counts_of_the_specification() -> None:
    assert len(number_deck()) == 76
    assert len(standard_deck()) == 108
    assert len(modern_deck()) == 112
    assert Counter(modern_deck()) - Counter(standard_deck()) == {"wildshuffle": 1, "wildcustom": 3}
    assert Counter(number_deck()) == {card: n for card, n in Counter(standard_deck()).items() if card[1:].isdigit()}


def test_points() -> None:
    cards = ("r0", "g9", "bskip", "yrev", "r+2", "wild", "wild+4", "wildshuffle", "wildcustom")
    assert [points_of(card) for card in cards] == [0, 9, 20, 20, 20, 50, 50, 40, 40]


def test_type_order_is_colour_then_value_then_wilds() -> None:
    cards = cards_in("wildcustom.wild+4.y0.b+2.brev.bskip.b9.g3.r0.wildshuffle.wild")
    assert ".".join(by_type(cards)) == "r0.g3.b9.bskip.brev.b+2.y0.wild.wild+4.wildshuffle.wildcustom"


# -- the beginning --


@pytest.mark.parametrize(
    ("switch", "candidates"),
    [
        ("effects", "r1.wild.wildshuffle.wildcustom"),
        ("effects_name_colour", "r1.wild.wildshuffle.wildcustom"),
        ("none", "r1.wild.wild+4.wildshuffle.wildcustom"),
        ("redraw_wilds", "r1"),
    ],
)
def test_opening_cards_that_go_back(switch: str, candidates: str) -> None:
    assert opening_candidates(cards_in("r1.wild.wild+4.wildshuffle.wildcustom"), switch) == cards_in(candidates)


def test_opening_card_stays_if_there_is_nothing_else() -> None:
    assert opening_candidates(["wild+4", "wild+4"], "effects") == ["wild+4", "wild+4"]
    assert opening_candidates(["wild+4", "wild"], "redraw_wilds") == ["wild+4", "wild"]


def test_hands_are_dealt_seat_by_seat_then_the_dealer_is_drawn_then_the_top_card() -> None:
    script = Script("r1.r2.g1.g2.1.b1")
    game = ReferenceGame.deal(cards_in("g1.g2.r1.r2.b1.b2"), 2, 2, 1000, script)
    assert (hands(game), game.dealer, game.top, game.current, game.turn) == ("r1.r2|g1.g2", 1, "b1", 0, 1)


def test_seat_0_begins_without_a_draw_for_the_dealer() -> None:
    game = ReferenceGame.deal(cards_in("r1.g1.y1.b1"), 3, 1, 1000, Script("r1.g1.y1.b1"), ReferenceRules(starter="seat_0"))
    assert (game.dealer, game.current) == (2, 0)


def test_random_seat_is_drawn_like_a_dealer() -> None:
    game = ReferenceGame.deal(cards_in("r1.g1.y1.b1"), 3, 1, 1000, Script("r1.g1.y1.1.b1"), ReferenceRules(starter="random_seat"))
    assert (game.dealer, game.current) == (1, 2)


@pytest.mark.parametrize("switch", ["effects", "effects_name_colour"])
def test_opening_effects(switch: str) -> None:
    assert asked(opening("r1|r2|r3", "r5", opening=switch)) == ("turn", 1)
    assert asked(opening("r1|r2|r3", "rskip", opening=switch)) == ("turn", 2)
    turned = opening("r1|r2|r3", "rrev", opening=switch)
    assert (turned.current, turned.direction) == (0, -1)
    drawn = opening("r1|r2|r3", "r+2", "b1.b2.b3", "b3.b1", opening=switch)
    assert (hands(drawn), drawn.current, drawn.turn) == ("r1|r2.b3.b1|r3", 2, 1)


@pytest.mark.parametrize("switch", ["none", "redraw_wilds"])
def test_opening_without_effects(switch: str) -> None:
    for top in ("rskip", "rrev", "r+2"):
        game = opening("r1|r2|r3", top, "b1.b2", opening=switch)
        assert (game.current, game.direction, game.colour, hands(game)) == (1, 1, "r", "r1|r2|r3")


def test_opening_reverse_between_two_players_lets_the_dealer_begin() -> None:
    game = opening("r1|r2", "rrev", dealer=1, reverse_is_skip=False)
    assert (game.current, game.direction) == (1, -1)


@pytest.mark.parametrize("top", ["wild", "wild+4", "wildshuffle", "wildcustom"])
@pytest.mark.parametrize("switch", ["effects", "none", "redraw_wilds"])
def test_on_an_opening_wild_anything_may_be_played(top: str, switch: str) -> None:
    game = opening("r1|g2.b3", top, opening=switch)
    assert asked(game) == ("turn", 1)
    assert game.legal_actions() == ["b3", "g2", "draw"]


def test_first_player_names_the_colour_and_the_same_turn_goes_on() -> None:
    game = opening("r1|g2.b3|r2", "wildshuffle", opening="effects_name_colour")
    assert asked(game) == ("colour", 1)
    assert game.legal_actions() == [f"wildshuffle:{colour}" for colour in "rgby"]
    play(game, "wildshuffle:g")
    assert (asked(game), game.turn, game.colour) == (("turn", 1), 1, "g")
    assert game.legal_actions() == ["g2", "draw"]
    assert hands(game) == "r1|g2.b3|r2"


def test_opening_draw_two_is_not_stacked_and_nobody_jumps_in_on_it() -> None:
    game = opening("r+2|r+2|r+2", "r+2", "b1.b2.b3", "b1.b2", stacking="same", jump_in=True)
    assert (asked(game), hands(game), game.stack) == (("turn", 2), "r+2|r+2.b1.b2|r+2", 0)


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


# -- challenge --


def test_next_player_may_challenge_a_wild_draw_four() -> None:
    game = play(position("wild+4.r1|g1|g2", "r5", "b1.b2.b3.b4.b5", wild_draw_four="challenge"), "wild+4:g")
    assert (asked(game), game.player, game.stack) == (("challenge", 1), 0, 4)
    assert game.legal_actions() == ["challenge", "accept"]


def test_accepted_wild_draw_four() -> None:
    game = position("wild+4.r1|g1|g2", "r5", "b1.b2.b3.b4.b5", wild_draw_four="challenge")
    play(game, "wild+4:g", "accept", drawn="b1.b2.b3.b4")
    assert (asked(game), hands(game), game.stack, game.turn) == (("turn", 2), "r1|g1.b1.b2.b3.b4|g2", 0, 2)
    assert game.known == []


def test_guilty_player_draws_four_and_the_challenger_takes_a_turn() -> None:
    game = position("wild+4.r1.b9|g1|g2", "r5", "b1.b2.b3.b4.b5", wild_draw_four="challenge")
    play(game, "wild+4:g", "challenge", drawn="b1.b2.b3.b4")
    assert (asked(game), hands(game), game.turn) == (("turn", 1), "r1.b9.b1.b2.b3.b4|g1|g2", 2)
    assert (game.colour, game.stack) == ("g", 0)
    assert game.known == [(1, 0, ["r1", "b9"])]


def test_innocent_player_makes_the_challenger_draw_six() -> None:
    game = position("wild+4.g5.wild|g1|g2", "r5", "b1.b2.b3.b4.b5.b6", wild_draw_four="challenge")
    play(game, "wild+4:g", "challenge", drawn="b1.b2.b3.b4.b5.b6")
    assert (asked(game), hands(game), game.turn) == (("turn", 2), "g5.wild|g1.b1.b2.b3.b4.b5.b6|g2", 2)


def test_without_a_colour_everybody_is_innocent() -> None:
    game = position("wild+4.g5|g1|g2", "wild", "b1.b2.b3.b4.b5.b6", wild_draw_four="challenge")
    play(game, "wild+4:g", "challenge", drawn="b1.b2.b3.b4.b5.b6")
    assert asked(game) == ("turn", 2)


def test_last_card_may_be_challenged_and_is_always_innocent() -> None:
    pile = "b1.b2.b3.b4.b5.b6.b7"
    game = play(position("wild+4|g1|g2", "r5", pile, wild_draw_four="challenge"), "wild+4:g")
    assert asked(game) == ("challenge", 1)
    for last_card_draws in (True, False):
        twin = position("wild+4|g1|g2", "r5", pile, wild_draw_four="challenge", last_card_draws=last_card_draws)
        play(twin, "wild+4:g", "challenge", drawn="b1.b2.b3.b4.b5.b6")
        assert (twin.status, twin.winner, twin.points) == ("won", 0, 21 + 3)
    accepted = play(game, "accept", drawn="b1.b2.b3.b4")
    assert (accepted.status, accepted.points) == ("won", 10 + 3)
    without = position("wild+4|g1|g2", "r5", pile, wild_draw_four="challenge", last_card_draws=False)
    assert play(without, "wild+4:g", "accept").points == 3


def test_challenge_is_open_in_the_last_turn() -> None:
    switches: dict[str, Any] = {"turn": 3, "max_turns": 3, "wild_draw_four": "challenge"}
    game = play(position("wild+4.r1|g1", "r5", "b1.b2.b3.b4.b5", **switches), "wild+4:g")
    assert asked(game) == ("challenge", 1)
    play(game, "challenge", drawn="b1.b2.b3.b4")
    assert (game.status, hands(game)) == ("cut off", "r1.b1.b2.b3.b4|g1")


# -- stack --


def test_draw_two_is_answered_and_the_total_drawn() -> None:
    game = play(position("r+2.g1|b+2.g2|y+2.g3|g4", "r5", "b1.b2.b3.b4.b5.b6.b7", stacking="same"), "r+2")
    assert (asked(game), game.stack, game.player, game.turn) == (("stack", 1), 2, 0, 1)
    assert game.legal_actions() == ["b+2", "accept"]
    play(game, "b+2")
    assert (asked(game), game.stack, game.player, game.turn, game.colour) == (("stack", 2), 4, 1, 2, "b")
    play(game, "y+2")
    assert (asked(game), game.stack, game.player, game.turn) == (("stack", 3), 6, 2, 3)
    assert game.legal_actions() == ["accept"]
    play(game, "accept", drawn="b1.b2.b3.b4.b5.b6")
    assert (asked(game), game.stack, game.turn) == (("turn", 0), 0, 4)
    assert hands(game) == "g1|g2|g3|g4.b1.b2.b3.b4.b5.b6"


def test_what_answers_what() -> None:
    hand = "g+2.wild+4.wild.g1"
    on_two = position(f"r+2.g1|{hand}", "r5", stacking="same")
    assert play(on_two, "r+2").legal_actions() == ["g+2", "accept"]
    on_two = position(f"r+2.g1|{hand}", "r5", stacking="progressive")
    assert play(on_two, "r+2").legal_actions() == ["g+2", *COLOURED_WILD_DRAW_FOUR, "accept"]
    for stacking in ("same", "progressive"):
        on_four = position(f"wild+4.g1|{hand}", "r5", stacking=stacking)
        assert play(on_four, "wild+4:b").legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "accept"]


def test_wild_draw_four_as_an_answer_obeys_its_switch() -> None:
    honest = position("r+2.g1|r1.wild+4", "r5", stacking="progressive", wild_draw_four="honest_only")
    assert play(honest, "r+2").legal_actions() == ["accept"]
    called = position("wild+4.g1|r1.wild+4", "y5", stacking="same", wild_draw_four="honest_only")
    assert play(called.copy(), "wild+4:r").legal_actions() == ["accept"]
    assert play(called, "wild+4:b").legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "accept"]
    resort = position("r+2.g1|r1.wild+4", "r5", stacking="progressive", wild_draw_four="last_resort")
    assert play(resort, "r+2").legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "accept"]
    resort = position("r+2.g1|g+2.wild+4", "r5", stacking="progressive", wild_draw_four="last_resort")
    assert play(resort, "r+2").legal_actions() == ["g+2", "accept"]
    resort = position("wild+4.g1|g+2.wild+4", "r5", stacking="progressive", wild_draw_four="last_resort")
    assert play(resort, "wild+4:r").legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "accept"]


def test_first_wild_draw_four_of_a_stack_may_be_challenged_but_no_answer() -> None:
    switches: dict[str, Any] = {"stacking": "progressive", "wild_draw_four": "challenge"}
    pile = "b1.b2.b3.b4.b5.b6.b7.b8.b9"
    game = play(position("wild+4.r1|wild+4.g1|r+2.g2", "r5", pile, **switches), "wild+4:g")
    assert (asked(game), game.stack) == (("stack", 1), 4)
    assert game.legal_actions() == [*COLOURED_WILD_DRAW_FOUR, "challenge", "accept"]
    answered = play(game.copy(), "wild+4:r")
    assert (asked(answered), answered.stack) == (("stack", 2), 8)
    assert answered.legal_actions() == ["accept"]
    play(game, "challenge", drawn="b1.b2.b3.b4")
    assert (asked(game), game.stack, game.turn) == (("turn", 1), 0, 2)
    assert hands(game) == "r1.b1.b2.b3.b4|wild+4.g1|r+2.g2"
    on_two = play(position("r+2.r1|wild+4.g1|r+2.g2", "r5", pile, **switches), "r+2", "wild+4:g")
    assert (on_two.stack, on_two.legal_actions()) == (6, ["accept"])


def test_innocent_in_a_stack() -> None:
    game = position("wild+4.g1|g2|g3", "r5", "b1.b2.b3.b4.b5.b6.b7", stacking="same", wild_draw_four="challenge")
    play(game, "wild+4:g", "challenge", drawn="b1.b2.b3.b4.b5.b6")
    assert (asked(game), game.stack) == (("turn", 2), 0)
    assert hands(game) == "g1|g2.b1.b2.b3.b4.b5.b6|g3"


def test_hand_emptied_by_an_answer_ends_the_game_without_another() -> None:
    pile = "b1.b2.b3.b4.b5"
    game = play(position("r+2.g1|g+2|b+2.r1", "r5", pile, stacking="same"), "r+2", "g+2", drawn="b1.b2.b3.b4")
    assert (game.status, game.winner, game.points) == ("won", 1, 1 + 20 + 1 + 10)
    dry = position("r+2.g1|g+2|b+2.r1", "r5", pile, stacking="same", last_card_draws=False)
    assert play(dry, "r+2", "g+2").points == 22
    challenge = position("r+2.g1|wild+4|b+2.r1", "r5", "b1.b2.b3.b4.b5.b6", stacking="progressive", wild_draw_four="challenge")
    play(challenge, "r+2", "wild+4:g", drawn="b1.b2.b3.b4.b5.b6")
    assert (challenge.status, challenge.winner) == ("won", 1)


def test_last_card_wild_draw_four_is_challenged_even_where_stacks_are_played() -> None:
    game = position("wild+4|wild+4.g1", "r5", "b1.b2.b3.b4.b5", stacking="same", wild_draw_four="challenge")
    play(game, "wild+4:g")
    assert (asked(game), game.stack, game.legal_actions()) == (("challenge", 1), 4, ["challenge", "accept"])


def test_no_stack_is_opened_in_the_last_turn() -> None:
    game = play(position("r+2.g1|g+2", "r5", "b1.b2.b3", stacking="same", turn=3, max_turns=3), "r+2")
    assert (game.status, hands(game)) == ("cut off", "g1|g+2")
    emptied = position("r+2|g+2", "r5", "b1.b2.b3", stacking="same", turn=3, max_turns=3)
    assert play(emptied, "r+2", drawn="b1.b2").status == "won"


# -- sevens, zeros, shuffled hands --


def test_seven_swaps_hands_with_a_player_of_choice() -> None:
    game = play(position("r7.y9.b1|g2.g1|wild.r3", "r5", seven_zero=True), "r7")
    assert (asked(game), game.player) == (("swap", 0), 0)
    assert game.legal_actions() == ["swap:1", "swap:2"]
    play(game, "swap:2")
    assert (asked(game), hands(game)) == (("turn", 1), "r3.wild|g2.g1|b1.y9")


def test_places_are_counted_in_the_direction_of_play() -> None:
    game = play(position("r7.b1|g2|r3", "r5", seven_zero=True, direction=-1), "r7", "swap:1")
    assert (asked(game), hands(game)) == (("turn", 2), "r3|g2|b1")


def test_zero_passes_hands_in_the_direction_of_play() -> None:
    forward = play(position("r0.y9.b1|g2.g1|wild.r3", "r5", seven_zero=True), "r0")
    assert (asked(forward), hands(forward)) == (("turn", 1), "r3.wild|b1.y9|g1.g2")
    back = play(position("r0.y9.b1|g2.g1|wild.r3", "r5", seven_zero=True, direction=-1), "r0")
    assert (asked(back), hands(back)) == (("turn", 2), "g1.g2|r3.wild|b1.y9")


def test_seven_and_zero_as_last_cards_and_without_the_switch_do_nothing() -> None:
    for card in ("r7", "r0"):
        assert play(position(f"{card}|g2", "r5", seven_zero=True), card).winner == 0
        plain = play(position(f"{card}.b1|g2", "r5"), card)
        assert (asked(plain), hands(plain)) == (("turn", 1), "b1|g2")


def test_shuffled_hands_are_dealt_one_by_one_from_the_next_player_on() -> None:
    game = position("wildshuffle.r1.r2.r3|g1|b1.b2", "r5")
    play(game, "wildshuffle:y", drawn="b2.r1.g1.r3.b1.r2")
    assert (asked(game), hands(game), game.colour) == (("turn", 1), "r2.g1|r3.b2|r1.b1", "y")
    back = position("wildshuffle.r1.r2.r3|g1|b1.b2", "r5", direction=-1)
    play(back, "wildshuffle:y", drawn="b2.r1.g1.r3.b1.r2")
    assert (asked(back), hands(back)) == (("turn", 2), "r2.g1|r1.b1|r3.b2")


def test_sizes_after_a_shuffle_differ_by_one_at_most() -> None:
    game = play(position("wildshuffle.r1|g1.g2.g3|b1", "r5"), "wildshuffle:y", drawn="r1.g1.g2.g3.b1")
    assert hands(game) == "g2|r1.g3|g1.b1"


def test_last_card_shuffles_nothing_and_a_custom_wild_is_a_plain_one() -> None:
    assert play(position("wildshuffle|g1|b1", "r5"), "wildshuffle:y").winner == 0
    game = play(position("wildcustom.r1|g1|b1", "r5"), "wildcustom:y")
    assert (asked(game), game.colour, hands(game)) == (("turn", 1), "y", "r1|g1|b1")


# -- the call --


def test_player_down_to_one_card_is_asked_to_call() -> None:
    game = play(position("r1.g1|g2|g3", "r5", uno_call=True), "r1")
    assert (asked(game), game.player) == (("uno_call", 0), 0)
    assert game.legal_actions() == ["uno", "pass"]
    assert asked(play(game, "uno")) == ("turn", 1)
    assert asked(play(position("r1.g1.g4|g2", "r5", uno_call=True), "r1")) == ("turn", 1)
    assert play(position("r1|g2", "r5", uno_call=True), "r1").status == "won"


def test_careless_player_may_be_caught_by_the_others_in_turn_order() -> None:
    game = play(position("r1.g1|g2|g3", "r5", "b1.b2.b3", uno_call=True, direction=-1), "r1", "pass")
    assert (asked(game), game.player) == (("catch", 2), 0)
    assert game.legal_actions() == ["catch", "pass"]
    first = play(game.copy(), "catch", drawn="b2.b1")
    assert (asked(first), hands(first)) == (("turn", 2), "g1.b2.b1|g2|g3")
    assert asked(play(game, "pass")) == ("catch", 1)
    assert asked(play(game.copy(), "catch", drawn="b2.b1")) == ("turn", 2)
    play(game, "pass")
    assert (asked(game), hands(game), game.turn) == (("turn", 2), "g1|g2|g3", 2)


def test_call_comes_before_the_effect() -> None:
    reverse = play(position("rrev.g1|g2|g3", "r5", uno_call=True), "rrev", "pass")
    assert (asked(reverse), reverse.direction) == (("catch", 1), 1)
    play(reverse, "pass", "pass")
    assert (asked(reverse), reverse.direction) == (("turn", 2), -1)
    two = play(position("r+2.g1|g2|g3", "r5", "b1.b2.b3.b4", uno_call=True), "r+2", "pass", "catch", drawn="b4.b3.b2.b1")
    assert hands(two) == "g1.b4.b3|g2.b2.b1|g3"
    seven = play(position("r7.g1|g2|g3", "r5", uno_call=True, seven_zero=True), "r7", "uno")
    assert asked(seven) == ("swap", 0)
    zero = position("r0.g1|g2|g3", "r5", "b1.b2.b3", uno_call=True, seven_zero=True)
    assert hands(play(zero, "r0", "pass", "catch", drawn="b2.b1")) == "g3|g1.b1.b2|g2"


def test_guilt_is_settled_before_a_catch() -> None:
    game = position("wild+4.g1|g2|g3", "r5", "r1.r2.b1.b2.b3.b4.b5.b6", uno_call=True, wild_draw_four="challenge")
    play(game, "wild+4:b", "pass", "catch", drawn="r1.r2")
    assert asked(game) == ("challenge", 1)
    play(game, "challenge", drawn="b1.b2.b3.b4.b5.b6")
    assert (asked(game), game.known) == (("turn", 2), [(1, 0, ["g1", "r1", "r2"])])


def test_answer_to_a_stack_needs_a_call_too() -> None:
    game = play(position("r+2.g1.g4|g+2.g2|b+2.r1", "r5", "b1.b2.b3.b4", stacking="same", uno_call=True), "r+2", "g+2")
    assert (asked(game), game.player) == (("uno_call", 1), 1)
    play(game, "uno")
    assert (asked(game), game.stack) == (("stack", 2), 4)


# -- jump-in --


def test_others_with_the_same_card_may_jump_in_from_the_next_player_on() -> None:
    game = play(position("r1.r1.g1|g1.g2|r1.g3|r1.g4", "r5", jump_in=True), "r1")
    assert (asked(game), game.player, game.turn) == (("jump_in", 2), 0, 1)
    assert game.legal_actions() == ["jump-in", "pass"]
    jumped = play(game.copy(), "jump-in")
    assert (asked(jumped), jumped.player, jumped.turn) == (("jump_in", 3), 2, 2)
    assert (hands(jumped), jumped.discard) == ("r1.g1|g1.g2|g3|r1.g4", ["r5", "r1"])
    # Passed by seat 3, the player who began is asked as well, for it holds another copy.
    assert asked(play(jumped, "pass")) == ("jump_in", 0)
    assert (asked(play(jumped, "pass")), jumped.turn) == (("turn", 3), 3)
    play(game, "pass")
    assert asked(game) == ("jump_in", 3)
    play(game, "pass")
    assert (asked(game), game.turn) == (("turn", 1), 2)


def test_jump_in_needs_the_very_same_coloured_card() -> None:
    assert asked(play(position("r1.g1|g1.r2|g3", "r5", jump_in=True), "r1")) == ("turn", 1)
    assert asked(play(position("wild.g1|wild.r2|g3", "r5", jump_in=True), "wild:r")) == ("turn", 1)


def test_jump_in_comes_after_the_effects_and_is_open_to_skipped_players() -> None:
    skip = play(position("rskip.g1|rskip.g2|g3", "r5", jump_in=True), "rskip")
    assert asked(skip) == ("jump_in", 1)
    assert asked(play(skip.copy(), "pass")) == ("turn", 2)
    assert asked(play(skip, "jump-in")) == ("turn", 0)
    turned = play(position("rrev.g1|rrev.g2|rrev.g3", "r5", jump_in=True), "rrev")
    assert (asked(turned), turned.direction) == (("jump_in", 2), -1)
    two = play(position("r+2.g1|g2|g3", "r5", "b1.r+2.b2", jump_in=True), "r+2", drawn="b1.r+2")
    assert asked(two) == ("jump_in", 1)
    play(two, "jump-in", drawn="b2.r5")
    assert (asked(two), hands(two)) == (("turn", 0), "g1|g2.b1|g3.b2.r5")


def test_jump_in_after_a_swap_looks_at_the_new_hands() -> None:
    game = play(position("r7.r7|g2|g3", "r5", jump_in=True, seven_zero=True), "r7", "swap:1")
    assert asked(game) == ("jump_in", 1)


def test_nobody_jumps_in_while_a_stack_is_open() -> None:
    game = play(position("r+2.g1|g2|r+2.g3", "r5", "b1.b2.b3", jump_in=True, stacking="same"), "r+2")
    assert asked(game) == ("stack", 1)
    play(game, "accept", drawn="b1.b2")
    assert asked(game) == ("jump_in", 2)
    play(game, "jump-in")
    assert (asked(game), game.stack, game.player) == (("stack", 0), 2, 2)


def test_jump_in_with_the_last_card_wins_and_with_the_last_but_one_needs_a_call() -> None:
    assert play(position("r1.g1|g2|r1", "r5", jump_in=True), "r1", "jump-in").winner == 2
    game = play(position("r1.g1.g4|g2|r1.g3", "r5", jump_in=True, uno_call=True), "r1", "jump-in")
    assert (asked(game), game.player) == (("uno_call", 2), 2)


def test_no_jump_in_in_the_last_turn_or_after_the_end() -> None:
    assert play(position("r1.g1|r1.g2", "r5", jump_in=True, turn=3, max_turns=3), "r1").status == "cut off"
    assert play(position("r1|r1.g2", "r5", jump_in=True), "r1").winner == 0


# -- all together --


def test_copies_are_independent() -> None:
    game = position("wild+4.r1|g1|g2", "r5", "b1.b2.b3.b4.b5", wild_draw_four="challenge")
    play(game, "wild+4:g")
    twin = play(game.copy(), "challenge", drawn="b1.b2.b3.b4")
    assert (game.known, hands(game), game.stack) == ([], "r1|g1|g2", 4)
    assert (len(twin.known), twin.stack) == (1, 0)


@pytest.mark.parametrize("seed", range(40))
def test_cards_are_conserved_in_random_games(seed: int) -> None:
    random = Random(seed)
    rules = ReferenceRules(
        draw=random.choice(["one", "until_playable"]),
        wild_draw_four=random.choice(["free", "challenge"]),
        stacking=random.choice(["off", "same", "progressive"]),
        seven_zero=True,
        jump_in=True,
        uno_call=True,
    )
    game = ReferenceGame.deal(modern_deck(), random.randrange(2, 6), 5, 60, random.choice, rules)
    while game.status == "playing":
        game.apply(random.choice(game.legal_actions()), random.choice)
        cards = [card for hand in game.hands for card in hand] + game.pile + game.discard + [game.top]
        assert Counter(cards) == Counter(modern_deck())
