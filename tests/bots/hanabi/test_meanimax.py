"""Meanimax: recorded positions, ties, every bonus, and what `plus` changes."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.core.errors import BadBot, BadValue
from kibitz.games.hanabi import notation
from kibitz.games.hanabi.cards import CARD_TYPES
from kibitz.games.hanabi.names import card_name, move_name
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import State
from kibitz.play.lineup import make_lineup
from tests.bots.hanabi.asking import ask_compiled, ask_plain
from tests.games.hanabi.positions import position
from tests.golden.hanabi_meanimax import GAMES, GOLDEN_FILE, reference_options
from tests.reference.meanimax import Options, best_move, legal_scores

GOLDEN = [json.loads(line) for line in GOLDEN_FILE.read_text(encoding="utf-8").splitlines()]
ORIGINAL = Options()


def state_of(entry: dict[str, str]) -> State:
    return notation.from_text(entry["position"])[0]


def move_at(bot: str, state: State) -> str:
    return move_name(state, ask_compiled(bot, state))


def scores_at(state: State, depth: int, **options: Any) -> dict[str, float]:
    return dict(legal_scores(state, depth, Options(**options)))


# -- recorded positions --


@pytest.mark.parametrize("bot", dict.fromkeys(game[0] for game in GAMES))
def test_compiled_bot_makes_the_recorded_moves(bot: str) -> None:
    entries = [entry for entry in GOLDEN if entry["bot"] == bot]
    assert len(entries) > 6
    assert [move_at(bot, state_of(entry)) for entry in entries] == [entry["move"] for entry in entries]


def test_plain_bot_makes_the_recorded_moves() -> None:
    entries = [entry for entry in GOLDEN if "depth" in entry["bot"]][::5] + [entry for entry in GOLDEN if "depth" not in entry["bot"]][::9]
    for entry in entries:
        state = state_of(entry)
        assert move_name(state, ask_plain(entry["bot"], state)) == entry["move"]


def test_reference_makes_the_recorded_moves_of_small_depth() -> None:
    for entry in GOLDEN:
        depth, options = reference_options(entry["bot"])
        if depth == 1:
            assert best_move(state_of(entry), depth, options) == entry["move"]


def test_a_search_leaves_nothing_behind_for_the_next() -> None:
    entries = [entry for entry in GOLDEN if entry["bot"] == "meanimax"]
    assert [move_at("meanimax", state_of(entry)) for entry in reversed(entries)] == [entry["move"] for entry in reversed(entries)]


# -- ties: the last wins, in the order discards, plays, rank hints, colour hints from red to green, blue, white --


def test_the_last_slot_is_discarded_among_equals() -> None:
    state = position("R1.R2.R3.R4|Y3.Y3.Y4.Y4", rules="autohanabi", tokens=0)
    assert move_at("meanimax:depth=1", state) == "discard:3"


def test_the_last_hint_is_given_among_equals() -> None:
    state = position("R1.R2.R3.R4|R3.Y3.G3.B4", rules="autohanabi")
    assert move_at("meanimax:depth=1", state) == "hint:1:blue"
    state = position("R1.R2.R3.R4|R3.Y3.W3.B4", rules="autohanabi")
    assert move_at("meanimax:depth=1", state) == "hint:1:white"


# -- each bonus, in the reference that the compiled bot agrees with --


def test_a_sure_play_is_worth_a_point_and_a_tenth_for_each_depth() -> None:
    state = position("R1:R!:1!.Y4.G4.W4|Y3.Y3.G3.B3", rules="autohanabi", tokens=0)
    scores = scores_at(state, 0)
    assert scores["play:0"] == pytest.approx(1.0)
    assert scores["discard:0"] == pytest.approx(0.1)
    assert move_at("meanimax:depth=1", state) == "play:0"
    # At depth 1 the partner then discards a card of which there are more: a token.
    assert scores_at(state, 1)["play:0"] == pytest.approx(1.1 + 0.1)


def test_a_misfire_costs_three_points_and_the_last_life_a_hundred() -> None:
    for lives, expected in ((2, -3.0), (1, -103.0)):
        state = position("R2:R!:2!.Y4.G4.W4|Y3.Y3.G3.B3", rules="autohanabi", tokens=0, lives=lives)
        assert scores_at(state, 0)["play:0"] == pytest.approx(expected)


def test_a_discard_costs_what_the_pile_can_no_longer_reach() -> None:
    lost = position("R2:R!:2!.Y4.G4.W4|Y3.Y3.G3.B3", rules="autohanabi", discard="R2", tokens=0)
    assert scores_at(lost, 0)["discard:0"] == pytest.approx(-4 + 0.1)
    spare = position("R2:R!:2!.Y4.G4.W4|Y3.Y3.G3.B3", rules="autohanabi", tokens=0)
    assert scores_at(spare, 0)["discard:0"] == pytest.approx(0.1)
    assert scores_at(spare, 0, copy_loss=0.5)["discard:0"] == pytest.approx(-2 + 0.1)


def test_tokens_are_capped_in_the_search() -> None:
    state = position("R1.R2.R3.R4|Y3.Y3.Y4.Y4", rules="autohanabi,discard_when_full=on", tokens=8)
    assert scores_at(state, 0)["discard:0"] == pytest.approx(0.8 - 5 / 46)  # 0.8 and the chance of each five


def test_a_hint_that_lets_the_partner_play_is_given() -> None:
    state = position("R3.R4.Y4.G4|Y3.B3.G1.W3", rules="autohanabi", tokens=3)
    assert move_at("meanimax:depth=1", state) == best_move(state, 1, ORIGINAL) == "hint:1:1"


# -- what plus changes --

FIVE = "R5:R!:5!.Y4.G4.W4|Y3.Y3.G3.B3"


def test_a_completed_pile_gains_a_token() -> None:
    state = position(FIVE, rules="autohanabi", fireworks="R4.Y0.G0.W0.B0", tokens=0)
    assert scores_at(state, 0)["play:0"] == pytest.approx(1.0)
    assert scores_at(state, 0, five_token=True)["play:0"] == pytest.approx(1.1)


def test_nothing_is_gained_after_the_last_life() -> None:
    state = position("R2:R!:2!.Y4.G4.W4|Y1:Y!:1!.Y3.G3.B3", rules="autohanabi", tokens=0, lives=1)
    assert scores_at(state, 1)["play:0"] == pytest.approx(-3.3 + 1 - 100)
    assert scores_at(state, 1, last_life=True)["play:0"] == pytest.approx(-3.3 - 100)


def test_nothing_is_gained_after_the_last_turn() -> None:
    state = last_turn("R2:R!:2!.R3.R4.R5|G2:G!:2!.G3.G4.G5", fireworks="R1.Y0.G1.W1.B1")
    assert scores_at(state, 1)["play:0"] == pytest.approx(1.1 + 1 + 0.1 * state.tokens)  # the partner plays as well
    assert scores_at(state, 1, deck_end=True)["play:0"] == pytest.approx(1.1 + 0.1 * state.tokens)


def last_turn(hands: str, fireworks: str) -> State:
    """A position with an empty deck: whatever is not in hands or on piles is discarded."""
    rules = parse_rules("autohanabi")
    left = Counter({card_name(card): rules.deck[card] for card in range(CARD_TYPES)})
    left -= Counter(held.partition(":")[0] for hand in hands.split("|") for held in hand.split("."))
    left -= Counter(f"{pile[0]}{rank}" for pile in fireworks.split(".") for rank in range(1, int(pile[1]) + 1))
    discard = ".".join(sorted(left.elements()))
    return position(hands, rules="autohanabi", fireworks=fireworks, discard=discard, tokens=2, turns_left="1")


def test_cards_in_sight_are_not_expected_later_on() -> None:
    entries = [state_of(entry) for entry in GOLDEN if entry["bot"] == "meanimax:depth=2"]
    plain = [scores_at(state, 2) for state in entries[:6]]
    seeing = [scores_at(state, 2, seen_cards=True) for state in entries[:6]]
    assert plain != seeing
    bot = "meanimax:depth=2,seen_cards=on"
    assert [move_at(bot, state) for state in entries[:6]] == [best_move(state, 2, Options(seen_cards=True)) for state in entries[:6]]


@pytest.mark.parametrize(
    "change", ["five_token=on", "last_life=on", "seen_cards=on", "deck_end=on", "misfire=1.5", "token_value=0.65", "copy_loss=0.35"]
)
def test_every_parameter_means_the_same_to_the_reference(change: str) -> None:
    bot = f"meanimax:depth=2,{change}"
    for entry in [entry for entry in GOLDEN if entry["bot"] != "meanimax:depth=1"][::11]:
        state = state_of(entry)
        assert move_at(bot, state) == best_move(state, *reference_options(bot))


# -- names, tables, figures --


def test_names() -> None:
    assert {"meanimax", "meanimax:plus"} <= set(registry.all_names("hanabi"))
    assert registry.entrant("meanimax:depth=2", "hanabi").name == "meanimax:depth=2"
    assert registry.entrant("meanimax:plus", "hanabi").values["deck_end"] is True


def test_a_third_player_is_refused_in_one_sentence() -> None:
    with pytest.raises(BadValue, match=r"^bot 'meanimax:plus' plays among 2 players, not 3\.$"):
        make_lineup(["meanimax:plus"] * 3, game="hanabi")


@pytest.mark.parametrize("name", ["meanimax:depth=0", "meanimax:depth=4", "meanimax:depth=2.5"])
def test_other_depths_are_refused(name: str) -> None:
    with pytest.raises((BadValue, BadBot), match=r"depth (must be 1–3, got \d|is a whole number from 1 to 3)"):
        registry.entrant(name, "hanabi")


@pytest.mark.parametrize("rules", ["standard,hand_size=1,colours=2,ranks=2", "standard,hand_size=2,colours=1,ranks=5", "standard"])
@pytest.mark.parametrize("name", ["meanimax:depth=1", "meanimax:depth=2", "meanimax", "meanimax:plus"])
def test_any_rules_for_two_are_played_to_the_end(name: str, rules: str) -> None:
    row = kibitz.evaluate(name, game="hanabi", players=2, rules=rules, games=3).rows[0]
    assert row.games == 3


def test_figures_in_self_play() -> None:
    def score(name: str, games: int) -> float:
        rows = kibitz.evaluate(name, game="hanabi", players=2, rules="autohanabi", games=games).rows
        assert rows[0].lost == 0
        return float(rows[0].score)

    assert score("meanimax:depth=2", 300) == pytest.approx(9.7, abs=0.6)
    assert score("meanimax", 40) == pytest.approx(12.7, abs=1.5)
    assert score("meanimax:plus", 40) > 15.5
