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
from kibitz.games.hanabi import rules as hanabi_rules
from kibitz.games.hanabi.cards import HIDDEN, MAX_HAND, MOVE_KINDS
from kibitz.games.uno import rules as uno_rules
from kibitz.games.uno import wire
from kibitz.games.uno.definition import GAME
from kibitz.games.uno.state import EVENT_NAMES
from kibitz.games.uno.view import PHASE_NAMES
from kibitz.play.game import Game
from tests.games.uno.positions import in_window, position
from tests.property import hanabi, uno
from tests.property.subjects import CLASSIC, HANABI, HOUSE, Subject, holds


def sent(message: dict[str, Any]) -> Any:
    """A message as it arrives at the other end of a line."""
    return json.loads(json.dumps(message))


def opening(subject: Subject, rules: Any, players: int) -> Any:
    """What the message that opens a deal says of the table."""
    return sent({"type": "game", "players": players, "rules": subject.wire.rules_message(rules)})


def seen(view: Any) -> dict[str, Any]:
    """Every field of a view but the random stream, without what is left over behind UNO's discard pile."""
    kind: type = type(view)
    fields = {field.name: getattr(view, field.name) for field in fields_of(kind) if field.name != "random_stream"}
    return {**fields, "discard": view.discard[: view.discard_size]} if "discard" in fields else fields


def check_arrival(subject: Subject, view: Any, game: Any) -> None:
    message = subject.wire.view_message(view)
    arrived = subject.wire.view_from(sent(message), game)
    assert seen(arrived) == seen(view)
    assert arrived.random_stream == 0
    assert sent(message) == message == subject.wire.view_message(arrived)


def arrived_events(subject: Subject, state: Any) -> list[Any]:
    """What has just happened; it is checked that it arrives."""
    events = [subject.engine.event_at(state, place) for place in range(state.event_count)]
    for event in events:
        message = subject.wire.event_message(subject.view(copy_record(state), 0), event)
        assert equal(subject.wire.event_from(sent(message)), event)
        assert sent(message) == message
    state.observed, state.event_count = 1, 0
    return events


@holds(house=60, hanabi=60)
def test_every_view_and_event_of_a_game_arrives_as_it_was(subject: Subject, setup: Any) -> None:
    game = opening(subject, setup.rules, setup.players)
    for state in subject.positions(setup):
        arrived_events(subject, state)
        for seat in range(setup.players):
            check_arrival(subject, subject.view(copy_record(state), seat), game)


def test_views_and_events_of_every_kind_arrive_as_they_were() -> None:
    """250 games of UNO under random rules, in which every kind of decision and of event comes up."""
    random = Random("wire")
    phases: Counter[int] = Counter()
    kinds: Counter[int] = Counter()
    for _ in range(250):
        setup = uno.random_setup(random, 60)
        game = opening(HOUSE, setup.rules, setup.players)
        for state in HOUSE.positions(setup):
            view = HOUSE.view(copy_record(state), random.randrange(setup.players))
            check_arrival(HOUSE, view, game)
            phases[view.phase] += 1
            kinds.update(event.kind for event in arrived_events(HOUSE, state))
    assert set(phases) == set(range(len(PHASE_NAMES)))
    assert set(kinds) == set(range(len(EVENT_NAMES)))


def test_events_of_every_kind_and_outcome_arrive_as_they_were() -> None:
    """60 games of Hanabi with random moves, none of which costs a life, so that piles are completed as well."""
    rules = hanabi_rules.parse_rules("standard,colours=2,ranks=2,hand_size=3,tokens=3")
    games = [HANABI.positions(hanabi.Setup(rules, 2, seed, 100, True)) for seed in range(60)]
    kinds = {(MOVE_KINDS[event.kind], event.outcome) for game in games for state in game for event in arrived_events(HANABI, state)}
    assert kinds == {("discard", 0), ("play", 1), ("play", 2), ("hint colour", 0), ("hint rank", 0)}


@holds(house=200, hanabi=200)
def test_messages_do_not_depend_on_what_is_hidden(subject: Subject, setup: Any) -> None:
    """Two states that look alike to a seat give the same message, although its random stream differs as well."""
    state = subject.some_position(setup)
    random = Random(setup.seed)
    for viewer in range(setup.players):
        twin = subject.hidden(state, viewer, random)
        twin.seat_streams = [random.getrandbits(64) for _ in twin.seat_streams]
        message = subject.wire.view_message(subject.view(copy_record(state), viewer))
        assert message == subject.wire.view_message(subject.view(twin, viewer))


@holds(house=40, hanabi=40)
def test_no_random_stream_is_in_a_message(subject: Subject, setup: Any) -> None:
    state = subject.some_position(setup)
    streams = {str(state.deal_stream), *map(str, state.seat_streams[: setup.players])}
    for seat in range(setup.players):
        text = json.dumps(subject.wire.view_message(subject.view(state, seat)))
        assert not any(stream in text for stream in streams)
        assert "stream" not in text


@holds(hanabi=40)
def test_own_cards_are_not_in_a_message(subject: Subject, setup: Any) -> None:
    state = subject.some_position(setup)
    for seat in range(setup.players):
        view = subject.view(state, seat)
        assert set(view.cards[seat * MAX_HAND : seat * MAX_HAND + view.sizes[seat]]) <= {HIDDEN}
        assert {held["card"] for held in subject.wire.view_message(view)["hands"][seat]} <= {None}


PRESETS: list[tuple[Subject, Any, Any]] = [(CLASSIC, uno_rules, rules) for rules in uno_rules.PRESETS.values()]
PRESETS += [(HANABI, hanabi_rules, rules) for rules in hanabi_rules.PRESETS.values()]


@pytest.mark.parametrize(("subject", "module", "rules"), PRESETS, ids=[rules.name for *_, rules in PRESETS])
def test_rules_are_told_by_switch_and_as_text(subject: Subject, module: Any, rules: Any) -> None:
    message = sent(subject.wire.rules_message(rules))
    assert module.parse_rules(message["text"]) == rules
    assert set(message) == {"text", "deck", *module.SWITCHES}
    assert sum(message["deck"].values()) == sum(rules.deck)
    switches = set(module.SWITCHES) - {"deck"}
    assert {name: message[name] for name in switches} == {name: getattr(rules, name) for name in switches}


# -- as people read them --


def test_a_message_of_uno_is_readable() -> None:
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
    assert GAME.wire is GAME.under(uno_rules.parse_rules("classic")).wire is wire.WIRE


def test_a_message_of_hanabi_is_readable() -> None:
    game = Game(2, "standard,colours=2,ranks=3,hand_size=2", game="hanabi")
    hint = next(action for action in game.legal_actions() if game.definition.action_name(game.state, action).startswith("hint:1:1"))
    event, *_ = game.apply(hint)
    view = game.view(1)
    message = HANABI.wire.view_message(view)
    assert HANABI.wire.event_message(view, event) == {
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


# -- refusals --

JUNK: list[Any] = [None, True, -2, 3.5, 10**30, "purple", "", [], ["r5"] * 200, ["R1"] * 200, [None], {}, {"a": 1}, [[], []]]


def refusal(subject: Subject, what: str, message: Any, game: Any) -> str:
    """What is said of a message, or nothing if it is accepted."""
    try:
        if what == "view":
            subject.wire.view_from(message, game)
        else:
            subject.wire.event_from(message)
    except BadValue as error:
        return str(error)
    return ""


@given(st.sampled_from([HOUSE, HANABI]), st.sampled_from(["view", "event"]), st.randoms(use_true_random=False))
@settings(max_examples=600)
def test_a_damaged_message_is_refused_in_one_sentence_or_is_one(subject: Subject, what: str, random: Random) -> None:
    game = in_window("stack") if subject is HOUSE else Game(3, seed=random.getrandbits(20), game="hanabi")
    if what == "view":
        message = node = sent(subject.wire.view_message(game.view(1)))
    else:
        event, *_ = game.apply(random.choice(game.legal_actions()))
        message = node = sent(subject.wire.event_message(game.view(1), event))
    key = random.choice(sorted(node))
    while isinstance(node[key], (dict, list)) and node[key] and random.random() < 0.5:
        node = node[key]
        key = random.choice(sorted(node)) if isinstance(node, dict) else random.randrange(len(node))
    if random.random() < 0.3:
        del node[key]
    else:
        node[key] = random.choice(JUNK)
    said = refusal(subject, what, message, opening(subject, game.rules, 3))
    assert "\n" not in said
    if said:
        assert said.startswith(f"{what} message") and said.endswith(".")
    if isinstance(node, dict) and key not in node:
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
    assert said.replace("says 1", f"says {view['hand_sizes'][1]}") in refusal(
        HOUSE, "view", {**view, key: value}, opening(HOUSE, uno_rules.PRESETS["official"], 3)
    )


@pytest.mark.parametrize(
    "game", [{}, {"players": 3}, {"players": 3, "rules": {"text": "examples/house.toml"}}, {"players": 3, "rules": []}]
)
def test_a_view_needs_the_message_that_opened_the_deal(game: Any) -> None:
    assert refusal(HOUSE, "view", wire.view_message(in_window("stack").view(1)), game)
    assert refusal(HANABI, "view", HANABI.wire.view_message(Game(3, game="hanabi").view(0)), game)
