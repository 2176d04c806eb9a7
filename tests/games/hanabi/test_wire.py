"""Messages of the protocol: whatever a seat sees arrives as it was, and nothing else does."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record, equal, fields_of
from kibitz.games.hanabi import engine, wire
from kibitz.games.hanabi.cards import HIDDEN, MAX_HAND, MOVE_KINDS
from kibitz.games.hanabi.rules import PRESETS, SWITCHES, Rules, parse_rules
from kibitz.games.hanabi.view import View
from kibitz.play.game import Game
from tests.property.test_hanabi_properties import Setup, positions, setups, some_position, view_of, with_other_hidden_cards


def sent(message: dict[str, Any]) -> Any:
    """A message as it arrives at the other end of a line."""
    return json.loads(json.dumps(message))


def opening(rules: Rules, players: int) -> Any:
    """What the message that opens a game says of the table."""
    return sent({"type": "game", "players": players, "rules": wire.rules_message(rules)})


def seen(view: View) -> dict[str, Any]:
    """Every field of a view but the random stream."""
    return {field.name: getattr(view, field.name) for field in fields_of(View) if field.name != "random_stream"}


def check_arrival(view: View, game: Any) -> None:
    message = wire.view_message(view)
    arrived = wire.view_from(sent(message), game)
    assert seen(arrived) == seen(view)
    assert arrived.random_stream == 0
    assert sent(message) == message == wire.view_message(arrived)


@given(setups())
@settings(max_examples=60)
def test_every_view_and_event_of_a_game_arrives_as_it_was(setup: Setup) -> None:
    game = opening(parse_rules(setup.rules), setup.players)
    for state in positions(setup):
        for place in range(state.event_count):
            event = engine.event_at(state, place)
            message = wire.event_message(view_of(copy_record(state), 0), event)
            assert equal(wire.event_from(sent(message)), event)
            assert sent(message) == message
        for seat in range(setup.players):
            check_arrival(view_of(copy_record(state), seat), game)
        state.observed, state.event_count = 1, 0


def test_events_of_every_kind_and_outcome_arrive_as_they_were() -> None:
    """60 games of random moves, none of which costs a life, so that piles are completed as well."""
    seen_kinds: Counter[tuple[str, int]] = Counter()
    for seed in range(60):
        for state in positions(Setup("standard,colours=2,ranks=2,hand_size=3,tokens=3", 2, seed, 100, True)):
            for place in range(state.event_count):
                event = engine.event_at(state, place)
                assert equal(wire.event_from(sent(wire.event_message(view_of(copy_record(state), 0), event))), event)
                seen_kinds[MOVE_KINDS[event.kind], event.outcome] += 1
            state.observed, state.event_count = 1, 0
    assert set(seen_kinds) == {("discard", 0), ("play", 1), ("play", 2), ("hint colour", 0), ("hint rank", 0)}


@given(setups())
@settings(max_examples=200)
def test_messages_do_not_depend_on_what_is_hidden(setup: Setup) -> None:
    """Two states that look alike to a seat give the same message, although its random stream differs as well."""
    state = some_position(setup)
    random = Random(setup.seed)
    for viewer in range(setup.players):
        twin = with_other_hidden_cards(state, viewer, random)
        twin.seat_streams = [random.getrandbits(64) for _ in twin.seat_streams]
        assert wire.view_message(view_of(copy_record(state), viewer)) == wire.view_message(view_of(twin, viewer))


@given(setups())
@settings(max_examples=40)
def test_neither_own_cards_nor_streams_are_in_a_message(setup: Setup) -> None:
    state = some_position(setup)
    streams = {str(state.deal_stream), *map(str, state.seat_streams[: setup.players])}
    for seat in range(setup.players):
        view = view_of(state, seat)
        assert set(view.cards[seat * MAX_HAND : seat * MAX_HAND + view.sizes[seat]]) <= {HIDDEN}
        message = wire.view_message(view)
        assert {held["card"] for held in message["hands"][seat]} <= {None}
        text = json.dumps(message)
        assert not any(stream in text for stream in streams)
        assert "stream" not in text


@pytest.mark.parametrize("rules", PRESETS.values(), ids=lambda rules: rules.name)
def test_rules_are_told_by_switch_and_as_text(rules: Rules) -> None:
    message = sent(wire.rules_message(rules))
    assert parse_rules(message["text"]) == rules
    assert set(message) == {"text", "deck", *SWITCHES}
    assert sum(message["deck"].values()) == 50
    assert {name: message[name] for name in SWITCHES} == {name: getattr(rules, name) for name in SWITCHES}


def test_a_message_is_readable() -> None:
    game = Game(2, "standard,colours=2,ranks=3,hand_size=2", game="hanabi")
    hint = next(action for action in game.legal_actions() if game.definition.action_name(game.state, action).startswith("hint:1:1"))
    event, *_ = game.apply(hint)
    view = game.view(1)
    message = wire.view_message(view)
    assert wire.event_message(view, event) == {
        "kind": "hint_rank",
        "seat": 0,
        "target": 1,
        "rank": 1,
        "touched": message["last"]["touched"],
    }
    assert message["last"] == {"move": "hint:1:1", "seat": 0, "card": None, "touched": [1], "success": False, "token": False}
    assert message["hands"][1][1] == {
        "card": None,
        "colours": "RY",
        "ranks": "1",
        "colour_told": False,
        "rank_told": True,
        "place": 3,
    }
    assert (message["fireworks"], message["tokens"], message["turns_left"]) == ({"R": 0, "Y": 0}, 7, None)


JUNK: list[Any] = [None, True, -2, 3.5, 10**30, "purple", "", [], ["R1"] * 200, [None], {}, {"a": 1}, [[], []]]


def refusal(what: str, message: Any, game: Any) -> str:
    """What is said of a message, or nothing if it is accepted."""
    try:
        if what == "view":
            wire.view_from(message, game)
        else:
            wire.event_from(message)
    except BadValue as error:
        return str(error)
    return ""


@given(st.sampled_from(["view", "event"]), st.randoms(use_true_random=False))
@settings(max_examples=300)
def test_a_damaged_message_is_refused_in_one_sentence_or_is_one(what: str, random: Random) -> None:
    game = Game(3, seed=random.getrandbits(20), game="hanabi")
    event, *_ = game.apply(random.choice(game.legal_actions()))
    view = game.view(1)
    message = node = sent(wire.view_message(view) if what == "view" else wire.event_message(view, event))
    key = random.choice(sorted(node))
    while isinstance(node[key], (dict, list)) and node[key] and random.random() < 0.7:
        node = node[key]
        key = random.choice(sorted(node)) if isinstance(node, dict) else random.randrange(len(node))
    if random.random() < 0.3:
        del node[key]
    else:
        node[key] = random.choice(JUNK)
    said = refusal(what, message, opening(game.rules, 3))
    assert "\n" not in said
    if said:
        assert said.startswith(f"{what} message") and said.endswith(".")
    if isinstance(node, dict) and key not in node:
        assert f"'{key}' is missing" in said


@pytest.mark.parametrize("game", [{}, {"players": 2}, {"players": 2, "rules": {"text": "nonsense"}}, {"players": 2, "rules": []}])
def test_a_view_needs_the_message_that_opened_the_game(game: Any) -> None:
    assert refusal("view", wire.view_message(Game(2, game="hanabi").view(0)), game)
