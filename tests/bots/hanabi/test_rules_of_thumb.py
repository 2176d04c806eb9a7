"""What the rule agents share: where cards lie, what is unseen, and what is left to do when no rule applies."""

from __future__ import annotations

import pytest

import kibitz
from kibitz.bots.hanabi import rules_of_thumb
from kibitz.bots.hanabi.rules_of_thumb import Knowledge
from kibitz.core.layouts import blank
from kibitz.games.hanabi.cards import CARD_TYPES
from kibitz.games.hanabi.names import card_from_name
from kibitz.games.hanabi.state import State
from kibitz.games.hanabi.view import View

from .positions import Player, answers, assert_uniform, choice, everything_but, known, play, position, ranked

AGENTS = ["iggi", "piers", "outer", "van_den_bergh"]


def surveyed(view: View) -> Knowledge:
    memory = blank(Knowledge)
    rules_of_thumb.begin(view, memory)
    rules_of_thumb.survey(view, memory)
    return memory


# -- where cards lie --


def test_a_drawn_card_lies_where_the_old_one_lay() -> None:
    state = position("W2.W3.W4.B2.B3|R3.R4.Y3.Y1.G3", deck="G1", tokens=5)
    player = Player("iggi", state)
    play(state, "hint:1:1", "discard:1")
    newcomer = Player("iggi", state)
    assert player.answer() == "hint:1:1"  # G1, drawn into slot 4, lies on the second spot
    assert newcomer.answer() == "hint:1:yellow"  # who has just come lays the hand out by age


def test_own_cards_have_their_spots_too() -> None:
    piles = "R0.Y0.G0.W0.B0"
    state = position(f"W2.W3.{ranked('Y1')}.B2.B3|R3.R4.Y3.Y4.G3", fireworks=piles, deck="R1", tokens=5)
    player = Player("iggi", state)
    play(state, "discard:0", "hint:1:1")
    assert player.answer() == "play:4"  # R1, drawn into slot 4, lies on the first spot
    assert choice("iggi", state) == "play:1"


def test_spots_are_kept_over_many_moves() -> None:
    state = position("W2.W3.W4.B2.B3|R3.R4.Y3.Y4.G3", deck="G4.W5.G2.B4", tokens=3)
    player = Player("outer", state)
    for moves in (("discard:0", "discard:2"), ("discard:3", "discard:0")):
        player.answer()
        play(state, *moves)
    player.answer()
    # Own: W2 gave way to G4, B3 (then in slot 3) to G2; the other's: Y3 to W5, then R3 to B4.
    assert list(player.memory.slots[:5]) == [3, 0, 1, 2, 4]
    assert list(player.memory.slots[5:10]) == [4, 0, 3, 1, 2]


def test_a_spot_stays_empty_once_the_deck_is() -> None:
    hands = "W2 W3 W4 B2 B3|R3 R4 Y3 Y4 G3|Y2 Y5 G2 G4 R2"
    gone = everything_but(hands.replace("|", " ") + " G5")
    state = position(hands.replace(" ", "."), discard=gone, deck="G5", tokens=3, to_act=2)
    player = Player("iggi", state)
    player.answer()
    play(state, "hint:1:2", "discard:0", "discard:1")
    player.answer()
    assert list(player.memory.slots[:5]) == [4, 0, 1, 2, 3]
    assert list(player.memory.slots[5:10]) == [0, -1, 1, 2, 3]


# -- what is known --


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_the_survey_agrees_with_the_view(players: int) -> None:
    for index in range(3):
        game = kibitz.Game(players=players, seed=3, index=index, game="hanabi")
        turn = 0
        while not game.is_over:
            view = game.view()
            memory = surveyed(view)
            for card in range(CARD_TYPES):
                bit = 1 << card
                assert rules_of_thumb.copies(memory, bit) == view.unseen(card)
                assert bool(memory.dead & bit) == view.is_dead(card)
                assert bool(memory.playable & bit) == (view.is_playable(card) and not view.is_dead(card))
            legal = game.legal_actions()
            turn += 1
            game.apply(legal[(turn * 7) % len(legal)])


def test_types_follow_the_hints() -> None:
    state = position(f"{known('R1')}.{ranked('Y2')}.G3:GW:345.B4.B3|R3.R4.Y3.Y4.G3")
    memory = surveyed(Player("iggi", state).state)
    names = [
        {name for name in (f"{c}{r}" for c in "RYGWB" for r in range(1, 6)) if types >> card_from_name(name) & 1} for types in memory.types
    ]
    assert names[0] == {"R1"}
    assert names[1] == {"R2", "Y2", "G2", "W2", "B2"}
    assert names[2] == {"G3", "G4", "G5", "W3", "W4", "W5"}
    assert len(names[3]) == CARD_TYPES


# -- when no rule applies --


def last_turn(hands: str) -> State:
    """The last turn of a game with one card each, every other card discarded, and all tokens there."""
    rules = "standard,hand_size=1"
    return position(hands, rules=rules, discard=everything_but(hands.replace("|", " "), rules), turns_left="1", lives=1)


@pytest.mark.parametrize("name", [*AGENTS, "smart"])
def test_where_nothing_else_is_legal_the_card_is_played(name: str) -> None:
    assert choice(name, last_turn("R3|")) == "play:0"


@pytest.mark.parametrize("name", ["iggi", "piers", "outer"])
def test_where_the_next_player_cannot_be_told_anything_any_move_is_made(name: str) -> None:
    assert_uniform(answers(name, last_turn("R3||R4")), "play:0", "hint:2:red", "hint:2:4")


# -- whole games --


@pytest.mark.parametrize("name", [*AGENTS, "cheater", "smart"])
@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_compiled_and_plain_play_the_same_games(name: str, players: int) -> None:
    compiled, plain = (kibitz.evaluate(name, game="hanabi", players=players, games=12, seed=5, jit=jit).rows for jit in (True, False))
    assert compiled == plain


@pytest.mark.parametrize("name", [*AGENTS, "cheater", "smart"])
@pytest.mark.parametrize("rules", ["autohanabi", "standard,colours=2,ranks=3,hand_size=2", "standard,hand_size=1,tokens=1,lives=1"])
def test_other_rules_are_played_to_the_end(name: str, rules: str) -> None:
    row = kibitz.evaluate(name, game="hanabi", rules=rules, games=300)[0]
    assert row.games == 300
    assert row.score > 0


def test_agents_of_all_kinds_play_together() -> None:
    rows = kibitz.match([*AGENTS, "cheater"], game="hanabi", games=200).rows
    assert all(row.games == 200 and row.score > 10 for row in rows)
