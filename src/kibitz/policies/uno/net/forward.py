"""The network in compiled code: a score for every candidate, and the chance to win.

    score(candidate) = wide · features + recall_wide · state
                       + out · relu(embedding · features + recall_embedding · state + view · inputs + bias)
    value            = sigmoid(value_out · relu(value_view · inputs + value_bias) + value_offset)

The wide part is a linear policy as it stands; the hidden units look at the candidate and at the table together. What a network remembers of events
(`recurrent`) is among its inputs, and `state` is what it remembers of the colour that the candidate leads to. All weights of a class of tables are one row of numbers, in the order of `PARTS`.
"""

from __future__ import annotations

from math import exp
from typing import Annotated, Any

from kibitz.core.jit import inline, number, word
from kibitz.games.uno.cards import NO_COLOUR
from kibitz.games.uno.view import View
from kibitz.policies.uno.features import list_candidates
from kibitz.policies.uno.net.groups import EVENT_ROWS, INPUTS, MEMORY_UNITS, ROWS
from kibitz.policies.uno.net.inputs import Sight, see_candidate, see_table
from kibitz.policies.uno.sightings import Sightings
from kibitz.policies.uno.win_chance import class_of_table

HIDDEN = 64  # units that weigh candidates
VALUE_HIDDEN = 32  # units that judge the position
NEIGHBOURS = 2  # by the clock and against it
GATES = 3 * MEMORY_UNITS  # of the memory: what to forget, what to keep, what is new

# The weights by name and shape, as a file holds them for each class of tables.
PARTS: dict[str, tuple[int, ...]] = {
    "wide": (ROWS,),
    "embedding": (ROWS, HIDDEN),
    "view": (INPUTS, HIDDEN),
    "bias": (HIDDEN,),
    "out": (HIDDEN,),
    "value_view": (INPUTS, VALUE_HIDDEN),
    "value_bias": (VALUE_HIDDEN,),
    "value_out": (VALUE_HIDDEN,),
    "value_offset": (1,),
    "remembers": (2,),  # not trained: whether sightings are looked at, and whether events are listened to; 1 or 0
    "event_in": (EVENT_ROWS, GATES),
    "event_bias": (GATES,),
    "recall": (MEMORY_UNITS, GATES),
    "recall_bias": (GATES,),
    "recall_wide": (MEMORY_UNITS,),
    "recall_embedding": (MEMORY_UNITS, HIDDEN),
    "guess": (MEMORY_UNITS, NEIGHBOURS),  # whether a neighbour holds the colour; a lesson for the memory, which nobody plays by
    "guess_bias": (NEIGHBOURS,),
}


def _firsts() -> dict[str, int]:
    """Where each part begins, and where all of them end."""
    found, place = {}, 0
    for name, shape in PARTS.items():
        found[name] = place
        place += shape[0] * (shape[1] if len(shape) > 1 else 1)
    return {**found, "end": place}


FIRSTS = _firsts()
WEIGHTS = FIRSTS["end"]  # numbers in all

_WIDE, _EMBEDDING, _VIEW, _BIAS, _OUT = (FIRSTS[name] for name in ("wide", "embedding", "view", "bias", "out"))
_VALUE_VIEW, _VALUE_BIAS, _VALUE_OUT, _VALUE_OFFSET = (FIRSTS[name] for name in ("value_view", "value_bias", "value_out", "value_offset"))


_RECALL_WIDE, _RECALL_EMBEDDING = FIRSTS["recall_wide"], FIRSTS["recall_embedding"]


def first_weight(players: int) -> int:
    """Where the weights for a table of so many players begin."""
    return class_of_table(players) * WEIGHTS


class NetWorkspace(Sight):
    """What the network works with."""

    shared: Annotated[list[float], "f8", HIDDEN]  # what reaches the hidden units from the table, the same for all candidates
    hidden: Annotated[list[float], "f8", HIDDEN]


def look(found: NetWorkspace, weights: Any, first: int) -> None:
    """What reaches the hidden units from the table; `first` is where the weights of this class of tables begin."""
    for unit in range(HIDDEN):
        found.shared[unit] = weights[word(first + _BIAS + unit)]
    for place in range(INPUTS):
        value = found.inputs[place]
        if value != 0.0:
            add_row(found.shared, weights, first + _VIEW + place * HIDDEN, value)


@inline
def add_row(sums: Any, weights: Any, start: int, value: float) -> None:
    """Add a row of weights, times a value, to the hidden units. A word is never negative, which lets the compiler do several at a time."""
    for unit in range(HIDDEN):
        sums[unit] += value * weights[word(start + unit)]


def score_of(found: NetWorkspace, weights: Any, first: int) -> float:
    """The score of the candidate described last."""
    for unit in range(HIDDEN):
        found.hidden[unit] = found.shared[unit]
    score = 0.0
    for entry in range(number(found.count)):
        place, value = number(found.places[entry]), found.amounts[entry]
        score += weights[first + _WIDE + place] * value
        add_row(found.hidden, weights, first + _EMBEDDING + place * HIDDEN, value)
    if found.recalls and found.leads_to < NO_COLOUR:
        for unit in range(MEMORY_UNITS):
            value = found.states[number(found.leads_to) * MEMORY_UNITS + unit]
            score += weights[first + _RECALL_WIDE + unit] * value
            add_row(found.hidden, weights, first + _RECALL_EMBEDDING + unit * HIDDEN, value)
    for unit in range(HIDDEN):
        score += weights[word(first + _OUT + unit)] * max(found.hidden[unit], 0.0)
    return score


def value_of(found: NetWorkspace, weights: Any, first: int) -> float:
    """The chance to win that the network gives whoever looks; `see_table` has been called."""
    total = weights[first + _VALUE_OFFSET]
    for unit in range(VALUE_HIDDEN):
        found.hidden[unit] = weights[word(first + _VALUE_BIAS + unit)]
    for place in range(INPUTS):
        value = found.inputs[place]
        if value != 0.0:
            for unit in range(VALUE_HIDDEN):
                found.hidden[unit] += value * weights[word(first + _VALUE_VIEW + place * VALUE_HIDDEN + unit)]
    for unit in range(VALUE_HIDDEN):
        total += weights[word(first + _VALUE_OUT + unit)] * max(found.hidden[unit], 0.0)
    return sigmoid(total)


def sigmoid(value: float) -> float:
    """Between 0 and 1."""
    return 1.0 / (1.0 + exp(-max(min(value, 500.0), -500.0)))


def judges(weights: Any, first: int) -> bool:
    """Whether the network has learned to judge positions at tables of this class; a training leaves the other classes as they were."""
    if weights[first + _VALUE_OFFSET] != 0.0:
        return True
    for unit in range(VALUE_HIDDEN):
        if weights[word(first + _VALUE_OUT + unit)] != 0.0:
            return True
    return False


def best_by_net(view: View, memory: Sightings, found: NetWorkspace, weights: Any, first: int) -> int:
    """The candidate with the highest score, for a network that listens to no events; `found.scores` keeps all scores."""
    list_candidates(view, found)
    if found.candidates == 1:
        return number(found.actions[0])
    see_table(view, memory, found)
    return best_seen(view, memory, found, weights, first)


def best_seen(view: View, memory: Sightings, found: NetWorkspace, weights: Any, first: int) -> int:
    """The same with the table seen already, and candidates listed."""
    look(found, weights, first)
    chosen = number(found.actions[0])
    best = 0.0
    for candidate in range(number(found.candidates)):
        see_candidate(view, memory, found, number(found.actions[candidate]))
        score = score_of(found, weights, first)
        found.scores[candidate] = score
        if candidate == 0 or score > best:
            chosen = number(found.actions[candidate])
            best = score
    return chosen
