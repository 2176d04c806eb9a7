"""The observation vector, part by part, on positions made by hand."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from kibitz.core import jit
from kibitz.core.layouts import dtype_of, store
from kibitz.core.seeds import game_key
from kibitz.games.hanabi import engine
from kibitz.games.hanabi.definition import GAME
from kibitz.games.hanabi.observation import encode, fill_observation, observation_size, sections, size_under
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import State, new_state
from kibitz.games.hanabi.view import View
from tests.games.hanabi.positions import play, position, view_of

CARDS = [f"{letter}{rank}" for letter in "RYGWB" for rank in range(1, 6)]
TWO = "R1.Y2.G3.W4.B5|B1.W2.G2.Y4.R5"
THREE = f"{TWO}|R3.R4.G1.W1.W5"


def part(state: State, seat: int, name: str) -> list[int]:
    """One part of what a seat sees."""
    view = view_of(state, seat)
    values: list[int] = encode(view)[sections(view)[name]].tolist()
    return values


def ones(values: list[int]) -> list[int]:
    return [place for place, value in enumerate(values) if value]


def cards(values: list[int]) -> list[str]:
    """One-hot cards by name, - where there is none."""
    rows = [ones(values[start : start + 25]) for start in range(0, len(values), 25)]
    assert all(len(row) <= 1 for row in rows)
    return [CARDS[row[0]] if row else "-" for row in rows]


def last(state: State, seat: int) -> dict[str, list[int]]:
    """The parts about the last move that are not all zero."""
    names = [name for name in sections(view_of(state, seat)) if name.startswith("last_")]
    return {name.removeprefix("last_"): found for name in names if (found := ones(part(state, seat, name)))}


def known(state: State, viewer: int, places: int, slot: int) -> tuple[list[str], list[int], list[int]]:
    """What the vector says of a card: types, colour named, rank named."""
    start = (places * state.hand_size + slot) * 35
    values = part(state, viewer, "knowledge")[start : start + 35]
    return [CARDS[place] for place in ones(values[:25])], ones(values[25:30]), ones(values[30:])


# -- sizes --


@pytest.mark.parametrize(("players", "size"), [(2, 658), (3, 956), (4, 1041), (5, 1280)])
def test_sizes_are_those_of_the_environment(players: int, size: int) -> None:
    assert size_under(parse_rules("standard"), players) == size
    state = new_state(parse_rules("standard"), players)
    engine.deal(state, game_key(1, 0))
    assert encode(view_of(state, 0)).shape == (size,)
    assert encode(view_of(state, 0)).dtype == np.uint8


def test_parts_of_two_players_lie_where_the_specification_says() -> None:
    lengths = {name: where.stop - where.start for name, where in sections(view_of(position(TWO), 0)).items()}
    assert lengths == {
        "hands": 125,
        "missing_cards": 2,
        "deck": 40,
        "fireworks": 25,
        "tokens": 8,
        "lives": 3,
        "discards": 50,
        "last_player": 2,
        "last_kind": 4,
        "last_target": 2,
        "last_colour": 5,
        "last_rank": 5,
        "last_touched": 5,
        "last_slot": 5,
        "last_card": 25,
        "last_success": 1,
        "last_token": 1,
        "knowledge": 350,
    }
    assert sections(view_of(position(TWO), 0))["discards"] == slice(203, 253)


# -- hands --


def test_hands_of_the_others_come_in_turn_order() -> None:
    state = position(THREE)
    first, second, third = (hand.split(".") for hand in THREE.split("|"))
    assert cards(part(state, 0, "hands")) == second + third
    assert cards(part(state, 1, "hands")) == third + first
    assert cards(part(state, 2, "hands")) == first + second


def test_missing_cards_are_flagged_from_the_viewer_on() -> None:
    hands = "R1.R2|R3.Y1|Y3"
    state = position(
        hands, rules="standard,hand_size=2,colours=2,ranks=3", fireworks="R1.Y2", discard="R1.R2.Y1.Y2", turns_left="2", to_act=0
    )
    assert state.deck_size == 0
    assert part(state, 0, "missing_cards") == [0, 0, 1]
    assert part(state, 1, "missing_cards") == [0, 1, 0]
    assert part(state, 2, "missing_cards") == [1, 0, 0]
    assert ones(part(state, 0, "hands")) == [2, 6 + 3, 12 + 5]  # R3 Y1, Y3, and nothing in its second slot
    assert part(state, 0, "deck") == [0] * 6
    assert part(state, 2, "knowledge")[11:22] == [0] * 11  # the own hand comes first, its second slot is empty


# -- the board --


def test_board_is_read_off() -> None:
    state = position(TWO, fireworks="R0.Y1.G0.W0.B0", tokens=3, lives=2, discard="R1.R1.Y3.W4.B3.B3")
    assert part(state, 0, "deck") == [1] * 33 + [0] * 7
    assert part(state, 0, "tokens") == [1] * 3 + [0] * 5
    assert part(state, 0, "lives") == [1, 1, 0]
    assert ones(part(state, 0, "fireworks")) == [5]
    assert "".join(map(str, part(state, 0, "discards"))) == "1100000000" + "0000010000" + "0000000000" + "0000000100" + "0000011000"


def test_fireworks_are_one_hot_of_the_height() -> None:
    state = position(TWO, fireworks="R2.Y0.G1.W3.B4")
    assert ones(part(state, 1, "fireworks")) == [1, 10, 17, 23]


# -- the last move --


def test_there_is_no_last_move_at_the_beginning() -> None:
    state = new_state(parse_rules("standard"), 3)
    engine.deal(state, game_key(1, 0))
    assert last(state, 0) == last(state, 2) == {}


def test_colour_hint_is_told_from_every_side() -> None:
    state = play(position(THREE), "hint:2:white")  # seat 0 tells seat 2
    seen = {"kind": [2], "colour": [3], "touched": [3, 4]}
    assert last(state, 0) == {"player": [0], "target": [2], **seen}
    assert last(state, 1) == {"player": [2], "target": [1], **seen}
    assert last(state, 2) == {"player": [1], "target": [0], **seen}


def test_rank_hint_is_told() -> None:
    state = play(position(THREE, to_act=2), "hint:1:2")  # seat 2 tells seat 0
    assert last(state, 0) == {"player": [2], "kind": [3], "target": [0], "rank": [1], "touched": [1]}
    assert last(state, 1) == {"player": [1], "kind": [3], "target": [2], "rank": [1], "touched": [1]}


def test_play_that_succeeds_is_told() -> None:
    state = play(position(TWO), "play:0")
    assert last(state, 1) == {"player": [1], "kind": [0], "slot": [0], "card": [0], "success": [0]}


def test_play_that_fails_is_told() -> None:
    state = play(position(TWO, to_act=1), "play:3")
    assert last(state, 0) == {"player": [1], "kind": [0], "slot": [3], "card": [CARDS.index("Y4")]}
    assert ones(part(state, 0, "lives")) == [0, 1]


def test_token_for_a_five_is_told() -> None:
    state = play(position(TWO, fireworks="R0.Y0.G0.W0.B4", tokens=5), "play:4")
    assert last(state, 1) == {"player": [1], "kind": [0], "slot": [4], "card": [24], "success": [0], "token": [0]}
    state = play(position(TWO, fireworks="R0.Y0.G0.W0.B4"), "play:4")  # all tokens were there
    assert last(state, 1) == {"player": [1], "kind": [0], "slot": [4], "card": [24], "success": [0]}


def test_discard_is_told_without_its_token() -> None:
    state = play(position(TWO, tokens=5), "discard:1")
    assert last(state, 1) == {"player": [1], "kind": [1], "slot": [1], "card": [CARDS.index("Y2")]}
    assert last(state, 0) == {"player": [0], "kind": [1], "slot": [1], "card": [CARDS.index("Y2")]}


# -- what is known --


def test_nothing_is_known_without_hints() -> None:
    state = position(TWO)
    for places in range(2):
        for slot in range(5):
            assert known(state, 0, places, slot) == (CARDS, [], [])


def test_own_hand_comes_first_and_hints_narrow_it() -> None:
    state = play(position(TWO), "hint:1:green")
    assert known(state, 1, 0, 2) == (["G1", "G2", "G3", "G4", "G5"], [2], [])
    assert known(state, 1, 0, 0) == ([card for card in CARDS if card[0] != "G"], [], [])
    assert known(state, 0, 1, 2) == known(state, 1, 0, 2)
    assert known(state, 0, 0, 2) == (CARDS, [], [])


def test_both_hints_leave_one_type() -> None:
    state = play(position(TWO), "hint:1:green", "hint:1:3", "hint:1:2")
    assert known(state, 1, 0, 2) == (["G2"], [2], [1])
    assert known(state, 1, 0, 1) == (["R2", "Y2", "W2", "B2"], [], [1])
    assert known(state, 0, 0, 2) == ([f"{letter}3" for letter in "RYGWB"], [], [2])


def test_certainty_by_exclusion_is_not_naming() -> None:
    rules = "standard,colours=2,ranks=2,hand_size=2"
    state = play(position("R1.R1|R1.Y1", rules=rules), "hint:1:red")
    values = part(state, 1, "knowledge")[:16]
    assert values[:8] == [1, 1, 0, 0, 1, 0, 0, 0]
    assert values[8:] == [0, 0, 1, 1, 0, 0, 0, 0]


def test_seen_cards_are_not_taken_off() -> None:
    state = play(position("B5.R1.R1.R1.G1|W1.W2.W3.W4.W5"), "hint:1:5")
    assert known(state, 1, 0, 4)[0] == ["R5", "Y5", "G5", "W5", "B5"]  # though the viewer sees B5 elsewhere


# -- the whole --


@pytest.mark.parametrize("players", [2, 5])
def test_compiled_vector_is_the_plain_one(players: int) -> None:
    scope: dict[str, Any] = {"view_at": jit.record_at(View), "fill_observation": fill_observation, "__name__": __name__}
    source = "def fill_at(address, observation):\n    return fill_observation(view_at(address), observation)\n"
    exec(compile(source, __file__, "exec"), scope)
    fill_at = jit.root_of(scope["fill_at"], "long longs", GAME.view)
    state = new_state(parse_rules("standard"), players)
    random = Random(players)
    for index in range(5):
        engine.deal(state, game_key(4, index))
        while not engine.is_over(state):
            engine.apply(state, random.choice(engine.legal_actions(state)))
            view = view_of(state, random.randrange(players))
            block = np.zeros(1, dtype=dtype_of(View))
            store(view, block)
            compiled = np.zeros(observation_size(view), dtype=np.int64)
            assert fill_at(block.ctypes.data, compiled) == len(compiled)
            assert compiled.tolist() == encode(view).tolist()
            engine.show_actor(state)
