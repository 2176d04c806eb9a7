"""What players know of other hands: seen in a challenge, or once their own; and how it goes with the hands."""

from __future__ import annotations

from kibitz.core.seeds import game_key
from kibitz.games.uno import engine
from kibitz.play.game import Game
from tests.games.uno.positions import BLUE_ONES, CHALLENGING, all_known, asked, hand, hands, known, played, position


def test_challenger_alone_sees_the_hand() -> None:
    game = position("wild+4.r1.g2.g2|y1|y2|y3", "r5", BLUE_ONES, rules=CHALLENGING)
    game.apply("wild+4:b")
    assert all_known(game) == {}
    game.apply("challenge")
    assert all_known(game) == {"1>0": "r1.g2.g2"}  # the four cards it drew for it are not known


def test_innocent_hand_is_seen_too() -> None:
    game = position("wild+4.g1.wild|y1|y2", "r5", BLUE_ONES, rules=CHALLENGING)
    game.apply("wild+4:b")
    game.apply("challenge")
    assert all_known(game) == {"1>0": "g1.wild"}


def test_cards_drawn_later_are_not_known() -> None:
    game = position("wild+4.r1.g2.g2|b9.b8|y2.b7", "r5", "g8.g8.g8.g8.g8.g8.g8", rules=CHALLENGING)
    played(game, "wild+4:b", "challenge", "b9", "draw")
    assert known(game, 1, 0) == "r1.g2.g2"
    assert asked(game) == (0, "turn")
    played(game, "draw")
    assert known(game, 1, 0) == "r1.g2.g2"  # drawn cards are not known
    assert len(hand(game, 0).split(".")) == 3 + 4 + 1


def test_card_played_that_was_known_is_known_no_more() -> None:
    game = position("wild+4.g2.g2.r1|b9.y8|b2.b7", "r5", "y9.y9.y9.y9", rules=CHALLENGING)
    played(game, "wild+4:b", "challenge", "b9", "b2")
    assert played(game, "g2") == ["0 play g2"]
    assert known(game, 1, 0) == "r1.g2"
    assert all_known(game) == {"1>0": "r1.g2"}


def test_card_played_that_was_not_known_changes_nothing() -> None:
    game = position("wild+4.g2.r1|b9.y8|b2.b7", "r5", "b5.b5.b5.b5", rules=CHALLENGING)
    played(game, "wild+4:b", "challenge", "b9", "b2")
    assert played(game, "b5") == ["0 play b5"]
    assert known(game, 1, 0) == "r1.g2"


def test_swap_shows_both_players_what_they_gave_away() -> None:
    game = position("r7.g1.g2|y1.y2|b4|b2.b3", "r5", BLUE_ONES, rules="classic,seven_zero=on")
    played(game, "r7", "swap:1")
    assert hands(game) == ["y1.y2", "g1.g2", "b4", "b2.b3"]
    assert all_known(game) == {"0>1": "g1.g2", "1>0": "y1.y2"}


HOUSE = "classic,seven_zero=on,wild_draw_four=challenge"


def after_challenge(rest: str, top: str = "wild+4:b", to_act: int = 0, extra: str = "", rules: str = HOUSE) -> Game:
    """Four players, of whom seat 3 knows all of seat 0's hand but what was drawn since."""
    return position(rest, top, BLUE_ONES, to_act=to_act, rules=rules, more=f";known={extra}" if extra else "")


def test_knowledge_goes_with_a_hand_that_is_swapped() -> None:
    game = after_challenge("r1.g2|b7.y1|y2|y3", to_act=1, extra="3>0:r1.g2")
    assert all_known(game) == {"3>0": "r1.g2"}
    played(game, "b7", "swap:3")  # seat 1 takes seat 0's hand
    assert hands(game) == ["y1", "r1.g2", "y2", "y3"]
    assert all_known(game) == {"0>1": "r1.g2", "1>0": "y1", "3>1": "r1.g2"}


def test_who_gets_a_hand_it_knew_has_it_as_its_own() -> None:
    game = after_challenge("r1.g2|y1|y2|b7.y3", to_act=3, extra="3>0:r1.g2")
    played(game, "b7", "swap:1")
    assert hands(game) == ["y3", "y1", "y2", "r1.g2"]
    assert all_known(game) == {"0>3": "r1.g2", "3>0": "y3"}


def test_zero_moves_all_hands_on_and_everybody_knows_where_the_own_one_went() -> None:
    game = after_challenge("b0.r1.g2|y1.y5|y2.y6|y3.y4", to_act=0, extra="2>3:y4")
    assert played(game, "b0") == ["0 play b0", "0 passed hands"]
    assert hands(game) == ["y3.y4", "r1.g2", "y1.y5", "y2.y6"]
    assert all_known(game) == {"0>1": "r1.g2", "1>2": "y1.y5", "2>0": "y4", "2>3": "y2.y6", "3>0": "y3.y4"}


def test_zero_against_the_clock_goes_the_other_way() -> None:
    game = position("b0.r1.g2|y1|y2|y3", "b5", BLUE_ONES, rules=HOUSE, direction="-")
    played(game, "b0")
    assert hands(game) == ["y1", "y2", "y3", "r1.g2"]
    assert all_known(game) == {"0>3": "r1.g2", "1>0": "y1", "2>1": "y2", "3>2": "y3"}
    assert game.to_act == 3


def test_knowledge_of_a_hand_that_moved_follows_later_plays() -> None:
    game = position("b0.r1.g2|b5|y2", "b4", BLUE_ONES, rules="classic,seven_zero=on")
    played(game, "b0")
    assert hands(game) == ["y2", "r1.g2", "b5"]
    assert known(game, 0, 1) == "r1.g2"
    game = position("b0.b1.g2|b5|y2", "b4", "y8.y8", rules="classic,seven_zero=on")
    played(game, "b0", "b1")
    assert known(game, 0, 1) == "g2"


def test_shuffle_lets_everybody_forget() -> None:
    game = after_challenge("wildshuffle.r1.g2|y1.y5|y2.y6|y3.y4", to_act=0, extra="2>3:y4|3>0:r1", rules=f"{HOUSE},uno_call=on")
    assert played(game, "wildshuffle:r") == ["0 play wildshuffle", "0 shuffled"]
    assert all_known(game) == {}


def test_own_hand_is_never_listed_as_known() -> None:
    game = position("b0.b7.g2|b5|y2.b3", "b4", BLUE_ONES, rules="classic,seven_zero=on")
    for action in ("b0", "b7", "swap:1"):
        game.apply(action)
        assert [known(game, seat, seat) for seat in range(3)] == ["", "", ""]
    assert hands(game) == ["b3.y2", "b5", "g2"]
    assert all_known(game) == {"1>2": "g2", "2>0": "b3.y2", "2>1": "b5", "0>2": "g2"}


def test_new_deal_forgets() -> None:
    game = position("b0.r1.g2|y1|y2|y3", "b5", BLUE_ONES, rules=HOUSE)
    played(game, "b0")
    assert all_known(game)
    engine.deal(game.state, game_key(3, 0))
    assert all_known(game) == {}
    assert game.state.any_known == 0
