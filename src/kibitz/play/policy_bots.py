"""Bots made of policies: functions of observations and masks, such as trained networks. Many games are played side by side for them.

A policy gets observations (n x size, zeros and ones) and masks (n x actions) of n decisions at once, and answers with an action for each,
or with a score for each action, of which the best legal one is taken.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots.object_bot import AskedSeat, ObjectBot
from kibitz.core.errors import BadBot, BotFault
from kibitz.core.jit import number, root_of, specialise_modules
from kibitz.games.contract import GameDefinition
from kibitz.games.encoding import Encoding
from kibitz.play import loop, observing
from kibitz.play.lineup import Lineup
from kibitz.play.loop import ASK, FAULT, TOLD, act_on, note_game, play_on, start_game, tally_game
from kibitz.play.observing import (
    ACTIONS,
    SIZE,
    STATE_BYTES,
    TABLE_BYTES,
    bindings_of,
    encoding_of,
    state_at,
    table_at,
    vector_of,
    write_mask,
    write_view,
)
from kibitz.play.outcomes import Outcomes, blank_notes, pack_notes
from kibitz.play.playing import compiled_fault
from kibitz.play.sitting import illegal
from kibitz.play.table_arrays import TableArray
from kibitz.registry import Entrant
from kibitz.runs.units import Unit

Array = np.ndarray[Any, Any]
Policy = Callable[[Array, Array], Any]


@dataclass(frozen=True, eq=False)
class PolicyBot(ObjectBot):
    """A bot that asks a policy; `takes` is how long observations must be for it, if that is known."""

    policy: Policy = lambda observations, masks: masks
    takes: int | None = None

    def fresh(self, rules: Any = None) -> Any:
        """One who asks the policy about one decision at a time."""
        return _PolicyPlayer(self)

    def decide(self, observations: Array, masks: Array) -> Array:
        """An action for each of some decisions; what is not legal shows when it is taken."""
        if self.takes is not None and observations.shape[1] != self.takes:
            raise BadBot(f"bot {self.name} takes observations of {self.takes} numbers; here they have {observations.shape[1]}.")
        answers = np.asarray(self.policy(observations, masks))
        if answers.shape == masks.shape:
            best: Array = np.argmax(np.where(masks != 0, answers, -np.inf), axis=1)
            return best
        if answers.shape == masks.shape[:1] and answers.dtype.kind in "iu":
            return answers
        raise BadBot(
            f"bot {self.name} answered {len(masks)} decisions with {answers.dtype} of shape {answers.shape}; "
            f"whole numbers of shape {masks.shape[:1]} or scores of shape {masks.shape} are accepted."
        )


class _PolicyPlayer:
    """Plays one game for a policy."""

    def __init__(self, bot: PolicyBot) -> None:
        self._bot = bot

    def choose(self, view: Any) -> int:
        """What the policy does here."""
        assert self._bot.game is not None
        encode = registry.game(self._bot.game).encoding
        assert encode is not None
        encoding = encode(view)
        mask = np.array([[view.is_legal(action) for action in range(encoding.actions)]], np.int8)
        return int(self._bot.decide(vector_of(view, encoding)[None], mask)[0])


def plays_side_by_side(lineup: Lineup) -> bool:
    """Whether policies play and everybody else is compiled, so that many single deals can be played at once."""
    policies = [isinstance(entrant.bot, PolicyBot) for entrant in lineup.entrants]
    others = [entrant for entrant, asks in zip(lineup.entrants, policies, strict=True) if not asks]
    return any(policies) and all(entrant.is_compiled for entrant in others) and not lineup.to


class SideBySide:
    """Games of a line-up in which policies play, all at once: each policy is asked about all the games that wait for it.

    Which games are asked about together follows from the games alone, never from time or threads.
    """

    def __init__(self, lineup: Lineup, seed: int, unit: Unit) -> None:
        self._lineup, self._seed, self._unit = lineup, seed, unit
        seats = [
            Entrant(entrant.name, AskedSeat(entrant.name, windows=entrant.bot.windows)) if isinstance(entrant.bot, PolicyBot) else entrant
            for entrant in lineup.entrants
        ]
        self._arrays = TableArray(replace(lineup, entrants=tuple(seats)), unit.count)
        self.encoding = encoding_of(lineup.game, lineup.rules, lineup.players)

    def _kernel(self, name: str) -> Any:
        return compiled_side_by_side(self._lineup.game, self.encoding, name)

    def play(self) -> TableArray:
        """Play the games to their ends."""
        count = self._unit.count
        found = np.empty(count, np.int64)
        places = np.arange(count)
        self._kernel("begin_many")(*self._arrays.addresses, np.uint64(self._seed), self._unit.first, count, found)
        while len(places := places[self._open(places, found)]):
            seats = found[places]
            entries = self._arrays.tables["seating"][places, seats]
            for entry, entrant in enumerate(self._lineup.entrants):
                group = places[entries == entry]
                if len(group):
                    self._answer(entrant, group, found)
        return self._arrays

    def _open(self, places: Array, found: Array) -> Array:
        """Which games wait for an answer; a fault of a compiled bot is raised."""
        faults = places[found[places] == -1 - FAULT]
        if len(faults):
            place = int(faults[0])
            made = self._arrays.made[0]
            made.table[:], made.state[:] = self._arrays.tables[place], self._arrays.states[place]
            raise compiled_fault(self._lineup, made, self._seed)
        return found[places] >= 0

    def _answer(self, entrant: Entrant, group: Array, found: Array) -> None:
        """Ask a policy about some games, and carry out its answers."""
        bot, count = entrant.bot, len(group)
        assert isinstance(bot, PolicyBot)
        observations, masks = np.empty((count, self.encoding.size), np.uint8), np.empty((count, self.encoding.actions), np.uint8)
        self._kernel("observe_many")(self._arrays.addresses[1], group, count, observations.reshape(-1), masks.reshape(-1))
        seats = found[group]
        try:
            actions = np.ascontiguousarray(bot.decide(observations, masks.view(np.int8)), dtype=np.int64)
        except BadBot:
            raise
        except Exception as error:
            raise self._fault(entrant, int(group[0]), int(seats[0]), f"raised {type(error).__name__}: {error}") from error
        self._kernel("act_many")(*self._arrays.addresses, group, actions, count, found)
        wrong = found[group] == -1 - TOLD
        if wrong.any():
            row = int(np.argmax(wrong))
            raise self._fault(entrant, int(group[row]), int(seats[row]), illegal(self._lineup, int(actions[row])))

    def _fault(self, entrant: Entrant, place: int, seat: int, what: str) -> BotFault:
        return BotFault(entrant.name, seat, self._seed, self._unit.first + place, what, self._lineup.options)


def play_side_by_side(lineup: Lineup, seed: int, unit: Unit) -> Array:
    """Games added up, as a batch does it."""
    played, tally = SideBySide(lineup, seed, unit), np.zeros(lineup.tally_size, dtype=np.int64)
    addresses = played.play().addresses
    compiled_side_by_side(lineup.game, played.encoding, "tally_many")(*addresses, unit.count, tally)
    return tally


def note_side_by_side(lineup: Lineup, seed: int, unit: Unit) -> Outcomes:
    """Games noted one by one, as a batch does it."""
    played, notes = SideBySide(lineup, seed, unit), blank_notes(lineup, unit.count)
    addresses = played.play().addresses
    compiled_side_by_side(lineup.game, played.encoding, "note_many")(*addresses, unit.count, notes)
    return pack_notes(lineup, notes)


# -- kernels over many tables --


def begin_many(tables: int, states: int, seed: int, first: int, count: int, found: Any) -> None:
    """Deal, and play on to the first question of each game: as `act_on` says it."""
    for place in range(count):
        table, state = table_at(tables + place * TABLE_BYTES), state_at(states + place * STATE_BYTES)
        start_game(table, state, seed, first + place)
        done = play_on(table, state)
        found[place] = number(state.current) if done == ASK else -1 - done


def observe_many(states: int, places: Any, count: int, vectors: Any, masks: Any) -> None:
    """Write what the players to act see, and what they may do."""
    for row in range(count):
        state = state_at(states + number(places[row]) * STATE_BYTES)
        write_view(state, vectors[row * SIZE : (row + 1) * SIZE])
        write_mask(state, masks[row * ACTIONS : (row + 1) * ACTIONS])


def act_many(tables: int, states: int, places: Any, actions: Any, count: int, found: Any) -> None:
    """Carry out an answer in each of some games, and go on."""
    for row in range(count):
        place = number(places[row])
        table, state = table_at(tables + place * TABLE_BYTES), state_at(states + place * STATE_BYTES)
        found[place] = act_on(table, state, number(actions[row]))


def tally_many(tables: int, states: int, count: int, tally: Any) -> None:
    """Add the games up."""
    for place in range(count):
        tally_game(table_at(tables + place * TABLE_BYTES), state_at(states + place * STATE_BYTES), tally)


def note_many(tables: int, states: int, count: int, notes: Any) -> None:
    """Note every game."""
    for place in range(count):
        note_game(table_at(tables + place * TABLE_BYTES), state_at(states + place * STATE_BYTES), notes, place)


_SIGNATURES = {
    "begin_many": ("long", "long", "word", "long", "long", "longs"),
    "observe_many": ("long", "longs", "long", "bytes", "bytes"),
    "act_many": ("long", "long", "longs", "longs", "long", "longs"),
    "tally_many": ("long", "long", "long", "longs"),
    "note_many": ("long", "long", "long", "longs"),
}


@cache
def compiled_side_by_side(game: GameDefinition, encoding: Encoding, name: str) -> Any:
    """One of these kernels, compiled."""
    module = specialise_modules(loop, observing, sys.modules[__name__], **bindings_of(game, encoding))
    return root_of(module[name], _SIGNATURES[name], game.view, f"{game.title} side by side")
