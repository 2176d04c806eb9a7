"""Games that the network learns from, in compiled code: it chooses at random in proportion to exp(score) and logs what it saw and chose.

A unit of games leaves one `Experience`, flat arrays that the learner turns into tensors as they stand. Units run on threads at the same time. For a lesson
in listening the log holds as well what neighbours really had; nothing that is chosen depends on that.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from math import exp, log
from typing import Annotated, Any

import numpy as np

from kibitz.bots.bot import Bot
from kibitz.bots.parameters import WEIGHTS as WEIGHTS_KIND
from kibitz.bots.parameters import Parameter
from kibitz.core.jit import number
from kibitz.core.layouts import Int, blank, dtype_of, store
from kibitz.games.contract import GameDefinition, result_of
from kibitz.games.uno.cards import COLOUR_MASKS
from kibitz.games.uno.counts import size_within
from kibitz.games.uno.state import DREW, Event
from kibitz.games.uno.view import View
from kibitz.play.lineup import Lineup, compiled_table, plain_table
from kibitz.play.loop import OVER, BotTable, compile_loop, loop_over_games, play_on, start_game
from kibitz.play.playing import compiled_fault, plain_fault
from kibitz.policies.uno.features import MOST_ACTIVE, list_candidates
from kibitz.policies.uno.net.forward import NEIGHBOURS, WEIGHTS, NetWorkspace, look, score_of
from kibitz.policies.uno.net.groups import INPUTS
from kibitz.policies.uno.net.inputs import see_candidate
from kibitz.policies.uno.net.recurrent import SLOTS, Recollection, begin_recollection, best_remembered, hear, listens, see_and_recall
from kibitz.registry import Entrant
from kibitz.runs.units import Unit

UNIT = 250  # games against one table of opponents, at most
CHOICES = 32 * UNIT  # room for choices among several actions, …
CANDIDATES = 6 * CHOICES  # … for these actions, …
ENTRIES = 22 * CANDIDATES  # … for their features, …
EVENTS = 160 * UNIT  # … and for events; what finds no room is played and not learned from
HEARINGS = 4 * SLOTS  # features of an event, of all colours together
WAITING = 128  # events from one choice to the next that a learner can keep in mind

Floats = np.ndarray[Any, np.dtype[np.float32]]
Integers = np.ndarray[Any, np.dtype[np.int32]]


class Diary(Recollection):
    """What the learner remembers: besides, the events since its last choice that was logged."""

    waiting: Int
    waiting_places: Annotated[list[int], "i2", WAITING * HEARINGS]
    waiting_amounts: Annotated[list[float], "f4", WAITING * HEARINGS]


class Log(NetWorkspace):
    """What a unit of games leaves behind; `*_ends` say where each choice, candidate or game ends in the list after it."""

    games: Int
    wins: Annotated[list[int], "i1", UNIT]  # 1 for a game won
    game_ends: Annotated[list[int], "i4", UNIT]
    choices: Int
    log_inputs: Annotated[list[float], "f4", CHOICES * INPUTS]
    chosen: Annotated[list[int], "i4", CHOICES]  # the place of the candidate taken
    log_chances: Annotated[list[float], "f4", CHOICES]  # the logarithm of the chance to take it
    choice_ends: Annotated[list[int], "i4", CHOICES]
    listed: Int
    candidate_ends: Annotated[list[int], "i4", CANDIDATES]
    lead_to: Annotated[list[int], "i1", CANDIDATES]  # the colour that is current after each
    entries: Int
    log_places: Annotated[list[int], "i4", ENTRIES]
    log_values: Annotated[list[float], "f4", ENTRIES]
    events: Int
    heard_places: Annotated[list[int], "i2", EVENTS * HEARINGS]
    heard_amounts: Annotated[list[float], "f4", EVENTS * HEARINGS]
    event_ends: Annotated[list[int], "i4", CHOICES]  # events of the unit that came before each choice
    orders: Annotated[list[int], "i1", CHOICES * 4]  # the place of each colour, at each choice
    held: Annotated[list[int], "i1", CHOICES * 4 * NEIGHBOURS]  # whether a neighbour held it; -1 if there is none


@dataclass(frozen=True)
class Experience:
    """The log of a unit of games as arrays of the length in use."""

    wins: Integers  # one for each game
    game_ends: Integers
    inputs: Floats  # one row of INPUTS for each choice
    chosen: Integers
    log_chances: Floats
    choice_ends: Integers
    candidate_ends: Integers
    lead_to: Integers  # the colour that is current after each candidate, or NO_COLOUR
    places: Integers  # one for each feature of each candidate
    values: Floats
    heard_places: Integers  # events that a network listened to x colours x SLOTS
    heard_amounts: Floats
    event_ends: Integers
    orders: Integers  # choices x colours: the place of each colour among the inputs
    held: Floats  # choices x colours x NEIGHBOURS: whether they held a card of it; -1 if there is no such player

    @property
    def choices(self) -> int:
        """How many choices were logged."""
        return len(self.chosen)


# -- kernels --


def begin(view: View, memory: Recollection) -> None:
    """Nothing has happened."""
    begin_recollection(view, memory)


def observe(view: View, event: Event, memory: Recollection, params: Any) -> None:
    """Remember what happens."""
    hear(view, event, memory, params.weights, 0)


def begin_diary(view: View, memory: Diary) -> None:
    """Nothing has happened, and nothing waits to be logged."""
    begin_recollection(view, memory)
    memory.waiting = 0


def observe_and_note(view: View, event: Event, memory: Diary, params: Any) -> None:
    """Remember what happens, and note what the network listened to."""
    hear(view, event, memory, params.weights, 0)
    if listens(params.weights, 0) and event.kind != DREW and memory.waiting < WAITING:
        first = number(memory.waiting) * HEARINGS
        for slot in range(HEARINGS):
            memory.waiting_places[first + slot] = memory.event_places[slot]
            memory.waiting_amounts[first + slot] = memory.event_amounts[slot]
        memory.waiting += 1


def explore(view: View, memory: Diary, params: Any, scratch: Log) -> int:
    """Chooses at random in proportion to exp(score), and logs the choice."""
    list_candidates(view, scratch)
    count = number(scratch.candidates)
    if count == 1:
        return number(scratch.actions[0])
    see_and_recall(view, memory, scratch, params.weights, 0)
    look(scratch, params.weights, 0)
    room = (
        scratch.choices < CHOICES
        and number(scratch.listed) + count <= CANDIDATES
        and number(scratch.entries) + count * MOST_ACTIVE <= ENTRIES
        and memory.waiting < WAITING  # else something has been lost, and so is the rest of the game
        and number(scratch.events) + number(memory.waiting) <= EVENTS
    )
    best = 0.0
    for candidate in range(count):
        see_candidate(view, memory, scratch, number(scratch.actions[candidate]))
        score = score_of(scratch, params.weights, 0)
        scratch.scores[candidate] = score
        if candidate == 0 or score > best:
            best = score
        if room:
            log_candidate(scratch, candidate)
    total = 0.0
    for candidate in range(count):
        total += exp(scratch.scores[candidate] - best)
    threshold = view.randbelow(1 << 40) / 1099511627776.0 * total
    chosen = 0
    reached = exp(scratch.scores[0] - best)
    while reached <= threshold and chosen < count - 1:
        chosen += 1
        reached += exp(scratch.scores[chosen] - best)
    if room:
        log_events(scratch, memory)
        log_hands(view, scratch)
        log_choice(scratch, count, chosen, scratch.scores[chosen] - best - log(total))
    return number(scratch.actions[chosen])


def log_candidate(scratch: Log, candidate: int) -> None:
    """Append the features of the candidate described last."""
    at = number(scratch.entries)
    for entry in range(number(scratch.count)):
        scratch.log_places[at] = scratch.places[entry]
        scratch.log_values[at] = scratch.amounts[entry]
        at += 1
    scratch.entries = at
    scratch.candidate_ends[number(scratch.listed) + candidate] = at
    scratch.lead_to[number(scratch.listed) + candidate] = scratch.leads_to


def log_events(scratch: Log, memory: Diary) -> None:
    """Append the events that wait."""
    first = number(scratch.events) * HEARINGS
    for slot in range(number(memory.waiting) * HEARINGS):
        scratch.heard_places[first + slot] = memory.waiting_places[slot]
        scratch.heard_amounts[first + slot] = memory.waiting_amounts[slot]
    scratch.events += memory.waiting
    memory.waiting = 0


def log_hands(view: View, scratch: Log) -> None:
    """Append which colours the neighbours hold."""
    for neighbour in range(NEIGHBOURS):
        there = neighbour == 0 or view.players > 2
        seat = (number(view.seat) + (1 if neighbour == 0 else number(view.players) - 1)) % number(view.players)
        for colour in range(4):
            holds = 1 if size_within(view.known(seat), COLOUR_MASKS[colour]) > 0 else 0
            scratch.held[(number(scratch.choices) * 4 + colour) * NEIGHBOURS + neighbour] = holds if there else -1


def log_choice(scratch: Log, count: int, chosen: int, log_chance: float) -> None:
    """Append what was seen and chosen, after its candidates."""
    choice = number(scratch.choices)
    for place in range(INPUTS):
        scratch.log_inputs[choice * INPUTS + place] = scratch.inputs[place]
    scratch.listed += count
    scratch.chosen[choice] = chosen
    scratch.log_chances[choice] = log_chance
    scratch.choice_ends[choice] = scratch.listed
    scratch.event_ends[choice] = scratch.events
    for colour in range(4):
        scratch.orders[choice * 4 + colour] = scratch.colour_places[colour]
    scratch.choices += 1


def act_at_best(view: View, memory: Recollection, params: Any, scratch: NetWorkspace) -> int:
    """Takes the candidate with the highest score: a past self."""
    return best_remembered(view, memory, scratch, params.weights, 0)


def log_games(table: BotTable, state: Any, found: Log, seed: int, first: int, count: int) -> int:
    """Play games `first` to `first + count - 1` with the learner as entry 0; how many were played before a fault."""
    for done in range(count):
        start_game(table, state, seed, first + done)
        if play_on(table, state) != OVER:
            return done
        winner, _ = result_of(state)
        found.wins[done] = 1 if winner >= 0 and table.seating[winner] == 0 else 0
        found.game_ends[done] = found.choices
        found.games += 1
    return count


# -- bots for the kernels --

_BLANK = (0.0,) * WEIGHTS


def _untrained(name: str) -> tuple[float, ...]:
    """Weights that stand in until those of the training are handed over by address."""
    return _BLANK


_ONE_SET = (Parameter("weights", WEIGHTS_KIND, "weights of one class of tables", -1e6, 1e6, WEIGHTS, "blank", read=_untrained),)
_SHARED: dict[str, Any] = {"presets": {"": {"weights": "blank"}}, "parameters": _ONE_SET, "trusted": True, "vectorise": True}
_LEARNING: dict[str, Any] = {"begin": begin_diary, "observe": observe_and_note, "memory": Diary, "scratch": Log}
_PLAYING: dict[str, Any] = {"begin": begin, "observe": observe, "memory": Recollection, "scratch": NetWorkspace}

EXPLORER = Bot("cheater_for_lessons", explore, sees_everything=True, **_LEARNING, **_SHARED)  # type: ignore[arg-type]  # a function is a FunctionType
PAST_SELF = Bot("self", act_at_best, **_PLAYING, **_SHARED)  # type: ignore[arg-type]  # the same


def explorer() -> Entrant:
    """The learner as it takes part."""
    return Entrant("learner", EXPLORER, EXPLORER.presets[""])


def past_self() -> Entrant:
    """A past self as it takes part."""
    return Entrant("self", PAST_SELF, PAST_SELF.presets[""])


# -- roots --


@cache
def compiled_loop(game: GameDefinition) -> Any:
    """The loop over games in compiled code, with addresses for arguments."""
    return compile_loop(game, loop_over_games(game, log_games), (BotTable, "state", Log, "word", "long", "long"), "games to learn from")


def play_unit(lineup: Lineup, weights: list[np.ndarray[Any, Any] | None], seed: int, unit: Unit) -> Experience:
    """Play a unit of games; `weights` are one set of them for each entry that is the learner or a past self. Other threads run meanwhile."""
    made = compiled_table(lineup)
    found = np.zeros(1, dtype=dtype_of(Log))
    made.table["scratch"][0, 0] = found.ctypes.data
    kept = [None if given is None else np.ascontiguousarray(given, dtype=np.float64) for given in weights]
    for entry, given in enumerate(kept):
        if given is not None:
            made.table["params"][0, entry] = given.ctypes.data
    root = compiled_loop(lineup.game)
    done = root(made.table.ctypes.data, made.state.ctypes.data, found.ctypes.data, np.uint64(seed), unit.first, unit.count)
    if done < unit.count:
        raise compiled_fault(lineup, made, seed)
    return _cut(found)


def play_unit_plain(lineup: Lineup, weights: list[np.ndarray[Any, Any] | None], seed: int, unit: Unit) -> Experience:
    """The same without Numba."""
    table: Any = plain_table(lineup)
    state = lineup.new_state()
    found = blank(Log)
    table.scratch[0] = found
    for entry, given in enumerate(weights):
        if given is not None:
            table.params[entry].weights = given.astype(np.float64).tolist()
    done = loop_over_games(lineup.game, log_games)(table, state, found, seed, unit.first, unit.count)
    if done < unit.count:
        raise plain_fault(lineup, table, state, seed)
    block = np.zeros(1, dtype=dtype_of(Log))
    store(found, block)
    return _cut(block)


def _cut(found: np.ndarray[Any, Any]) -> Experience:
    """The part of a log that is in use."""
    games, choices, listed, entries, events = (int(found[name][0]) for name in ("games", "choices", "listed", "entries", "events"))

    def part(name: str, length: int) -> Any:
        return found[name][0, :length].copy()

    return Experience(
        part("wins", games).astype(np.int32),
        part("game_ends", games),
        part("log_inputs", choices * INPUTS).reshape(choices, INPUTS),
        part("chosen", choices),
        part("log_chances", choices),
        part("choice_ends", choices),
        part("candidate_ends", listed),
        part("lead_to", listed).astype(np.int32),
        part("log_places", entries),
        part("log_values", entries),
        part("heard_places", events * HEARINGS).astype(np.int32).reshape(events, 4, SLOTS),
        part("heard_amounts", events * HEARINGS).reshape(events, 4, SLOTS),
        part("event_ends", choices),
        part("orders", choices * 4).astype(np.int32).reshape(choices, 4),
        part("held", choices * 4 * NEIGHBOURS).astype(np.float32).reshape(choices, 4, NEIGHBOURS),
    )


def warm_up(game: GameDefinition) -> None:
    """Compile all that a unit needs, before threads ask for it at the same time."""
    compiled_loop(game)
    for bot in (EXPLORER, PAST_SELF):
        for role in ("choose", "begin", "observe"):
            bot.address(role, game.view, game.event)
