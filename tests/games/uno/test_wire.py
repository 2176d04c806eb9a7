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
from kibitz.games.uno import engine, wire
from kibitz.games.uno.definition import GAME
from kibitz.games.uno.rules import PRESETS, SWITCHES, Rules, parse_rules
from kibitz.games.uno.state import EVENT_NAMES, Event
from kibitz.games.uno.view import PHASE_NAMES, View
from tests.games.uno.positions import in_window, position
from tests.property.test_house_rules import Setup, positions, random_setup, setups, some_position, view_of, with_other_hidden_cards


def sent(message: dict[str, Any]) -> Any:
    """A message as it arrives at the other end of a line."""
    return json.loads(json.dumps(message))


def opening(rules: Rules, players: int) -> Any:
    """What the message that opens a deal says of the table."""
    return sent({"type": "game", "players": players, "rules": wire.rules_message(rules)})


def seen(view: View) -> dict[str, Any]:
    """Every field of a view but the random stream, without what is left over behind the discard pile."""
    fields = {field.name: getattr(view, field.name) for field in fields_of(View) if field.name != "random_stream"}
    return {**fields, "discard": view.discard[: view.discard_size]}


def check_arrival(view: View, game: Any) -> None:
    message = wire.view_message(view)
    arrived = wire.view_from(sent(message), game)
    assert seen(arrived) == seen(view)
    assert arrived.random_stream == 0
    assert sent(message) == message == wire.view_message(arrived)


@given(setups())
@settings(max_examples=60)
def test_every_view_of_a_game_arrives_as_it_was(setup: Setup) -> None:
    game = opening(setup.rules, setup.players)
    for state in positions(setup):
        for seat in range(setup.players):
            check_arrival(view_of(copy_record(state), seat), game)


def test_views_and_events_of_every_kind_arrive_as_they_were() -> None:
    """250 games under random rules, in which every kind of decision and of event comes up."""
    random = Random("wire")
    phases: Counter[int] = Counter()
    kinds: Counter[int] = Counter()
    for _ in range(250):
        setup = random_setup(random, 60)
        game = opening(setup.rules, setup.players)
        for state in positions(setup):
            view = view_of(state, random.randrange(setup.players))
            check_arrival(view, game)
            phases[view.phase] += 1
            for place in range(state.event_count):
                event = engine.event_at(state, place)
                check_event(view, event)
                kinds[event.kind] += 1
            state.observed, state.event_count = 1, 0
            engine.show_actor(state)
    assert set(phases) == set(range(len(PHASE_NAMES)))
    assert set(kinds) == set(range(len(EVENT_NAMES)))


def check_event(view: View, event: Event) -> None:
    message = wire.event_message(view, event)
    assert equal(wire.event_from(sent(message)), event)
    assert sent(message) == message


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
def test_no_random_stream_is_in_a_message(setup: Setup) -> None:
    state = some_position(setup)
    streams = {str(state.deal_stream), *map(str, state.seat_streams[: setup.players])}
    for seat in range(setup.players):
        text = json.dumps(wire.view_message(view_of(state, seat)))
        assert not any(stream in text for stream in streams)
        assert "stream" not in text


@pytest.mark.parametrize("rules", PRESETS.values(), ids=lambda rules: rules.name)
def test_rules_are_told_by_switch_and_as_text(rules: Rules) -> None:
    message = sent(wire.rules_message(rules))
    assert parse_rules(message["text"]) == rules
    assert set(message) == {"text", *SWITCHES}
    assert sum(message["deck"].values()) == sum(rules.deck)
    assert {name: message[name] for name in SWITCHES if name != "deck"} == {
        name: getattr(rules, name) for name in SWITCHES if name != "deck"
    }


def test_a_message_is_readable() -> None:
    game = position("r1.g2.wild|b3.b3", "r5", "y7.y8", "r4")
    message = wire.view_message(game.view(0))
    assert message["hand"] == ["r1", "g2", "wild"]
    assert message["playable"] == ["r1", "wild"]
    assert (message["top"], message["colour"], message["phase"]) == ("r5", "r", "turn")
    assert (message["hand_sizes"], message["discard"], message["pile_size"]) == ([3, 2], ["r4"], 2)
    assert "b3" not in json.dumps(message)
    play, *_ = game.apply("wild:b")
    assert wire.event_message(game.view(1), play) == {
        "kind": "play",
        "seat": 0,
        "card": "wild",
        "colour": "b",
        "count": 0,
        "drawn": False,
        "top": "r5",
        "top_colour": "r",
        "other": None,
    }


def test_what_a_challenge_showed_is_told_to_the_challenger_alone() -> None:
    game = in_window("challenge")
    game.apply("challenge")
    assert [wire.view_message(game.view(seat))["known"] for seat in range(3)] == [[[], [], []], [["g1"], [], []], [[], [], []]]


def test_both_engines_have_the_same_messages() -> None:
    assert GAME.wire is GAME.under(parse_rules("classic")).wire is wire.WIRE


JUNK: list[Any] = [None, True, -2, 3.5, 10**30, "purple", "", [], ["r5"] * 200, [None], {}, {"a": 1}]
GAME_MESSAGE = opening(PRESETS["official"], 3)


def refusal(what: str, message: Any, game: Any = GAME_MESSAGE) -> str:
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
    game = in_window("stack")
    view = game.view(1)
    message = sent(wire.view_message(view) if what == "view" else wire.event_message(view, game.apply("accept")[0]))
    key = random.choice(sorted(message))
    if random.random() < 0.3:
        del message[key]
    else:
        message[key] = random.choice(JUNK)
    said = refusal(what, message, opening(game.rules, 3))
    assert "\n" not in said
    if said:
        assert said.startswith(f"{what} message") and said.endswith(".")
    if key not in message:
        assert f"'{key}' is missing" in said


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("seat", 3, "seat=3 is not accepted; it is a whole number from 0 to 2."),
        ("seat", True, "seat=True is not accepted; it is a whole number from 0 to 2."),
        ("hand", ["r1"] * 9, "a hand holds more copies"),
        ("hand", ["r1"], "hand has 1 cards, but hand_sizes says 1"),
        ("top", "purple", "'purple' is missing, or is not a name"),
        ("hand_sizes", [1, 2], "hand_sizes=[1, 2] is not accepted; it is 3 whole numbers"),
        ("known", [[]], "known has 1 entries for 3 players."),
        ("direction", 0, "direction=0 is not accepted"),
    ],
)
def test_what_is_wrong_is_named(key: str, value: Any, said: str) -> None:
    view = wire.view_message(in_window("stack").view(1))
    assert said.replace("says 1", f"says {view['hand_sizes'][1]}") in refusal("view", {**view, key: value})


@pytest.mark.parametrize(
    "game", [{}, {"players": 3}, {"players": 3, "rules": {"text": "examples/house.toml"}}, {"players": 3, "rules": []}]
)
def test_a_view_needs_the_message_that_opened_the_deal(game: Any) -> None:
    assert refusal("view", wire.view_message(in_window("stack").view(1)), game)
