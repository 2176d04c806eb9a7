"""A memory that listens: a gated recurrent unit (GRU) over everything that happens at the table, with a state for each colour.

    reset, keep = sigmoid(event · event_in + event_bias + state · recall + recall_bias), two thirds of the gates
    new         = tanh(event · event_in + event_bias + reset × (state · recall + recall_bias)), the last third
    state       = keep × state + (1 - keep) × new

All four states have the same weights; they differ in how an event looks from their colour (`describe_event`), so that nothing need be learned four
times. The network finds them among its inputs, by the place that each colour has there, and with each candidate the state of the colour it leads to.
"""

from __future__ import annotations

from typing import Annotated, Any

from kibitz.core.jit import number, word
from kibitz.core.layouts import Int
from kibitz.games.uno.cards import COLOURED_TYPES, NO_COLOUR, VALUE_OF
from kibitz.games.uno.state import DREW, FORCED, KEPT, NAMED, PLAY, Event
from kibitz.games.uno.view import View
from kibitz.policies.uno.features import list_candidates
from kibitz.policies.uno.net.forward import FIRSTS, GATES, NetWorkspace, best_seen, sigmoid
from kibitz.policies.uno.net.groups import EVENT_RANGES, MEMORY_UNITS, VIEW_RANGES
from kibitz.policies.uno.net.inputs import Sight, see_table
from kibitz.policies.uno.sightings import Sightings, begin_sightings, forget, update_sightings

STATE = 4 * MEMORY_UNITS  # numbers that are remembered
SLOTS = 4  # features of one event for one colour, at most

_REMEMBERS, _EVENT_IN, _EVENT_BIAS, _RECALL, _RECALL_BIAS = (
    FIRSTS[name] for name in ("remembers", "event_in", "event_bias", "recall", "recall_bias")
)
_MEMORY = VIEW_RANGES["memory"][0]
_DEED, _DRAWN, _CARD, _WILD, _LACKED, _DRAWS = (
    EVENT_RANGES[name][0] for name in ("deed", "drawn and played", "card played", "wild played", "not followed", "draws")
)
_DEEDS = EVENT_RANGES["deed"][1] // 4  # for each actor

# In the order of the labels.
FOLLOWS, TURNS_TO, TURNS_AWAY, PLAYS_ELSE, CALLS, CALLS_AWAY, CALLS_ELSE, LACKS, LACKS_ELSE, DRAWS_BY_FORCE, DOES_ELSE = range(_DEEDS)


class Recollection(Sightings):
    """What a network remembers: sightings, and the states of its memory by colour."""

    state: Annotated[list[float], "f8", STATE]
    event_places: Annotated[list[int], "i4", 4 * SLOTS]  # the event heard last, as each colour hears it; unused slots have an amount of 0
    event_amounts: Annotated[list[float], "f8", 4 * SLOTS]
    heard: Int  # slots of the colour at hand in use
    gates: Annotated[list[float], "f8", GATES]
    recalled: Annotated[list[float], "f8", GATES]


def looks_at_sightings(weights: Any, first: int) -> bool:
    """Whether a network knows what others did not play; `first` is where its weights begin."""
    return bool(weights[first + _REMEMBERS] != 0.0)


def listens(weights: Any, first: int) -> bool:
    """Whether a network listens to events."""
    return bool(weights[first + _REMEMBERS + 1] != 0.0)


# -- hearing --


def begin_recollection(view: View, memory: Recollection) -> None:
    """Nothing has happened."""
    begin_sightings(view, memory)
    for unit in range(STATE):
        memory.state[unit] = 0.0


def hear(view: View, event: Event, memory: Recollection, weights: Any, first: int) -> None:
    """Take account of an event, as far as the network does. That somebody drew is heard with what comes of it."""
    if looks_at_sightings(weights, first):
        update_sightings(view, event, memory)
    if listens(weights, first) and event.kind != DREW:
        describe_event(view, event, memory)
        for colour in range(4):
            step(memory, colour, weights, first)


def describe_event(view: View, event: Event, memory: Recollection) -> None:
    """The event as each of the four colours hears it: places and amounts, `SLOTS` for each colour."""
    for slot in range(4 * SLOTS):
        memory.event_places[slot] = 0
        memory.event_amounts[slot] = 0.0
    actor = actor_of(view, number(event.seat))
    for colour in range(4):
        memory.heard = colour * SLOTS
        on_top = number(event.top_colour) == colour
        mark(memory, _DEED + actor * _DEEDS + deed_of(event, colour), 1.0)
        if event.kind == PLAY:
            if event.drawn:
                mark(memory, _DRAWN + actor * 2 + (0 if on_top else 1), 1.0)
            if event.card < COLOURED_TYPES:
                mark(memory, _CARD + VALUE_OF[event.card] * 2 + (0 if number(event.colour) == colour else 1), 1.0)
            else:
                mark(memory, _WILD + number(event.card) - COLOURED_TYPES, 1.0)
        elif event.kind == KEPT:
            mark(memory, _LACKED + VALUE_OF[event.top], 1.0)
        if event.kind <= FORCED and event.count:
            mark(memory, _DRAWS + actor, number(event.count) / 4.0)


def actor_of(view: View, seat: int) -> int:
    """Who acts, in the order of the labels; by the clock, so that a player stays the same whichever way play goes."""
    places = (seat - number(view.seat) + number(view.players)) % number(view.players)
    if places <= 1:
        return places
    return 2 if places == number(view.players) - 1 else 3


def deed_of(event: Event, colour: int) -> int:
    """What an event is to a colour."""
    on_top = number(event.top_colour) == colour
    if event.kind == PLAY or event.kind == NAMED:
        now = number(event.colour) == colour
        if event.kind == NAMED or event.card >= COLOURED_TYPES:
            return CALLS if now else CALLS_AWAY if on_top else CALLS_ELSE
        if now:
            return FOLLOWS if on_top or event.top_colour == NO_COLOUR else TURNS_TO
        return TURNS_AWAY if on_top else PLAYS_ELSE
    if event.kind == KEPT:
        return LACKS if on_top else LACKS_ELSE
    return DRAWS_BY_FORCE if event.kind == FORCED else DOES_ELSE


def mark(memory: Recollection, place: int, amount: float) -> None:
    """One feature of the event for the colour at hand."""
    slot = number(memory.heard)
    memory.event_places[slot] = place
    memory.event_amounts[slot] = amount
    memory.heard = slot + 1


def step(memory: Recollection, colour: int, weights: Any, first: int) -> None:
    """Let the state of a colour take in the event heard last."""
    for gate in range(GATES):
        memory.gates[gate] = weights[word(first + _EVENT_BIAS + gate)]
        memory.recalled[gate] = weights[word(first + _RECALL_BIAS + gate)]
    for slot in range(colour * SLOTS, (colour + 1) * SLOTS):
        amount = memory.event_amounts[slot]
        if amount != 0.0:
            start = first + _EVENT_IN + number(memory.event_places[slot]) * GATES
            for gate in range(GATES):
                memory.gates[gate] += amount * weights[word(start + gate)]
    mine = colour * MEMORY_UNITS
    for unit in range(MEMORY_UNITS):
        value = memory.state[mine + unit]
        if value != 0.0:
            start = first + _RECALL + unit * GATES
            for gate in range(GATES):
                memory.recalled[gate] += value * weights[word(start + gate)]
    for unit in range(MEMORY_UNITS):
        reset = sigmoid(memory.gates[unit] + memory.recalled[unit])
        keep = sigmoid(memory.gates[MEMORY_UNITS + unit] + memory.recalled[MEMORY_UNITS + unit])
        new = 2.0 * sigmoid(2.0 * (memory.gates[2 * MEMORY_UNITS + unit] + reset * memory.recalled[2 * MEMORY_UNITS + unit])) - 1.0  # tanh
        memory.state[mine + unit] = keep * memory.state[mine + unit] + (1.0 - keep) * new


# -- deciding --


def see_and_recall(view: View, memory: Recollection, found: Sight, weights: Any, first: int) -> None:
    """Fill the inputs for this decision, those of the memory included."""
    if not looks_at_sightings(weights, first):
        for seat in range(number(view.players)):
            forget(view, memory, seat)
    see_table(view, memory, found)
    if listens(weights, first):
        for colour in range(4):
            place = _MEMORY + number(found.colour_places[colour]) * MEMORY_UNITS
            for unit in range(MEMORY_UNITS):
                found.inputs[place + unit] = memory.state[colour * MEMORY_UNITS + unit]
                found.states[colour * MEMORY_UNITS + unit] = memory.state[colour * MEMORY_UNITS + unit]
        found.recalls = 1


def best_remembered(view: View, memory: Recollection, found: NetWorkspace, weights: Any, first: int) -> int:
    """The candidate with the highest score; `found.scores` keeps all scores."""
    list_candidates(view, found)
    if found.candidates == 1:
        return number(found.actions[0])
    see_and_recall(view, memory, found, weights, first)
    return best_seen(view, memory, found, weights, first)
