"""The reference by hand-made positions: hands that move, the call, jump-ins."""

from __future__ import annotations

from tests.reference.uno_positions import asked, hands, play, position

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
