"""The memory that listens: events as each colour hears them, equal to a slow and obvious reading, and a GRU equal to the textbook's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kibitz.core.layouts import blank, copy_record
from kibitz.games.uno.cards import COLOUR_OF, COLOURED_TYPES, NO_COLOUR, VALUE_NAMES, VALUE_OF, WILD_NAMES
from kibitz.games.uno.state import DREW, EVENT_NAMES, FORCED, KEPT, NAMED, PLAY
from kibitz.play.lineup import make_lineup
from kibitz.play.playing import play_plain
from kibitz.policies.uno.net.forward import FIRSTS, PARTS, WEIGHTS
from kibitz.policies.uno.net.groups import EVENT_GROUPS, EVENT_ROWS, MEMORY_UNITS, VIEW_RANGES, group_labels
from kibitz.policies.uno.net.inputs import Sight
from kibitz.policies.uno.net.recurrent import SLOTS, STATE, Recollection, begin_recollection, describe_event, hear, see_and_recall
from kibitz.runs.units import Unit

TABLES = [("classic", 2), ("official", 3), ("official,seven_zero=on,stacking=progressive,uno_call=on,jump_in=on", 5)]
LONG = 3  # a game in which enough happens
LABELS = group_labels(EVENT_GROUPS)


def heard_at(rules: str, players: int, first: int = 0, games: int = 4) -> list[tuple[Any, Any]]:
    """Views and events of some games, as one seat hears them."""
    found: list[tuple[Any, Any]] = []

    class Listening:
        def observe(self, view: Any, event: Any) -> None:
            found.append((copy_record(view), copy_record(event)))

        def choose(self, view: Any) -> int:
            actions = [action for action in range(80) if view.is_legal(action)]
            return int(actions[view.randbelow(len(actions))])

    play_plain(make_lineup([Listening, *["mix2"] * (players - 1)], rules), 5, Unit(first, games))
    return found


def random_weights(sightings: float, events: float) -> Any:
    weights = np.random.default_rng(1).normal(0.0, 0.4, WEIGHTS)
    weights[FIRSTS["remembers"] : FIRSTS["remembers"] + 2] = sightings, events
    return weights


def part(weights: Any, name: str) -> Any:
    first = FIRSTS[name]
    return weights[first : first + int(np.prod(PARTS[name]))].reshape(PARTS[name])


def expected(view: Any, event: Any, colour: int) -> dict[str, float]:
    """What a colour hears of an event, by label."""
    places = (event.seat - view.seat) % view.players
    who = "oneself" if places == 0 else "neighbour by the clock" if places == 1 else "any other"
    if places == view.players - 1 and places > 1:
        who = "neighbour against the clock"
    before, now = event.top_colour == colour, event.colour == colour
    found = {}
    if event.kind == PLAY and event.card < COLOURED_TYPES:
        mine = COLOUR_OF[event.card] == colour
        if mine:
            deed = "follows this colour" if before or event.top_colour == NO_COLOUR else "turns to this colour by value"
        else:
            deed = "turns away from this colour by value" if before else "plays another colour"
        found[f"card played × {VALUE_NAMES[VALUE_OF[event.card]]} × {'this colour' if mine else 'another'}"] = 1.0
    elif event.kind in (PLAY, NAMED):
        deed = "calls this colour" if now else "calls another when this is on top" if before else "calls another"
        if event.kind == PLAY:
            found[f"wild played × {WILD_NAMES[event.card - COLOURED_TYPES]}"] = 1.0
    elif event.kind == KEPT:
        deed = "does not follow this colour" if before else "does not follow another"
        found[f"not followed × {VALUE_NAMES[VALUE_OF[event.top]] if event.top < COLOURED_TYPES else 'a wild'}"] = 1.0
    else:
        deed = "is made to draw" if event.kind == FORCED else "does anything else"
    if event.kind == PLAY and event.drawn:
        found[f"drawn and played × {who} × {'this colour' if before else 'another'}"] = 1.0
    if event.kind in (PLAY, DREW, KEPT, FORCED) and event.count:
        found[f"draws × {who}"] = event.count / 4
    return {f"deed × {who} × {deed}": 1.0} | found


@pytest.mark.parametrize(("rules", "players"), TABLES)
def test_every_colour_hears_an_event_as_documented(rules: str, players: int) -> None:
    memory: Any = blank(Recollection)
    heard = heard_at(rules, players)
    for view, event in heard:
        describe_event(view, event, memory)
        for colour in range(4):
            slots = range(colour * SLOTS, (colour + 1) * SLOTS)
            found = {LABELS[memory.event_places[slot]]: memory.event_amounts[slot] for slot in slots if memory.event_amounts[slot]}
            assert found == pytest.approx(expected(view, event, colour)), EVENT_NAMES[event.kind]
    kinds = {event.kind for _, event in heard}
    assert kinds >= {PLAY, DREW, KEPT, FORCED}
    assert len(heard) > 100


def test_labels_of_events_tell_them_apart() -> None:
    assert len(set(LABELS)) == len(LABELS) == EVENT_ROWS


def test_a_step_is_that_of_the_textbook() -> None:
    """Against a GRU written with arrays, over whole games: the four states after every event."""
    weights = random_weights(1, 1)
    memory: Any = blank(Recollection)
    states = np.zeros((4, MEMORY_UNITS))
    units = MEMORY_UNITS
    begun = False
    for view, event in heard_at("classic", 2, first=LONG, games=1):
        if not begun:
            begin_recollection(view, memory)
            begun = True
        hear(view, event, memory, weights.tolist(), 0)
        if event.kind != DREW:
            for colour in range(4):
                seen = np.zeros(EVENT_ROWS)
                for label, amount in expected(view, event, colour).items():
                    seen[LABELS.index(label)] = amount
                event_gates = seen @ part(weights, "event_in") + part(weights, "event_bias")
                state_gates = states[colour] @ part(weights, "recall") + part(weights, "recall_bias")
                reset, keep = (1 / (1 + np.exp(-(event_gates + state_gates)[first : first + units])) for first in (0, units))
                new = np.tanh(event_gates[2 * units :] + reset * state_gates[2 * units :])
                states[colour] = keep * states[colour] + (1 - keep) * new
        np.testing.assert_allclose(np.reshape(memory.state, (4, units)), states, atol=1e-12)
    assert np.ptp(states, axis=0).min() > 1e-3  # colours have heard different things


def test_large_weights_do_not_overflow() -> None:
    weights = random_weights(0, 1) * 1e6
    memory: Any = blank(Recollection)
    heard = heard_at("classic", 2, first=LONG, games=1)
    begin_recollection(heard[0][0], memory)
    for view, event in heard:
        hear(view, event, memory, weights.tolist(), 0)
    assert np.isfinite(memory.state).all() and np.abs(memory.state).max() <= 1


@pytest.mark.parametrize(("sightings", "events"), [(0, 0), (1, 0), (0, 1), (1, 1)])
def test_only_what_a_network_remembers_reaches_its_inputs(sightings: int, events: int) -> None:
    weights = random_weights(sightings, events).tolist()
    memory, sight = blank(Recollection), blank(Sight)
    first, length = VIEW_RANGES["memory"]
    assert length == STATE
    opens, _ = VIEW_RANGES["open colours"]
    narrowed = recalled = 0
    heard = heard_at("classic", 2, first=LONG, games=1)
    begin_recollection(heard[0][0], memory)
    for view, event in heard:
        hear(view, event, memory, weights, 0)
        see_and_recall(view, memory, sight, weights, 0)
        if view.sizes[1 - view.seat]:
            narrowed += any(share < 1 for share in sight.inputs[opens : opens + 4])  # of the one opponent
        kept = np.reshape(memory.state, (4, MEMORY_UNITS))
        in_order = np.zeros_like(kept)
        in_order[sight.colour_places[:4]] = kept
        assert sight.inputs[first : first + length] == (in_order.ravel() if events else np.zeros(STATE)).tolist()
        recalled += bool(kept.any())
    assert (narrowed > 0) == bool(sightings)
    assert (recalled > 0) == bool(events)


def test_a_new_game_begins_with_nothing_remembered() -> None:
    memory: Any = blank(Recollection)
    heard = heard_at("classic", 2, first=LONG, games=1)
    for view, event in heard:
        hear(view, event, memory, random_weights(1, 1).tolist(), 0)
    assert any(memory.state)
    begin_recollection(heard[0][0], memory)
    assert not any(memory.state)
