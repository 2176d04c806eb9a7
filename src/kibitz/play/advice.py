"""What may come of every legal action of one decision, in trials that can go on for as long as somebody waits: for advice and analysis.

An `Outlook` follows a game from one seat, as a bot does, and sees no more. At a decision it is asked for one batch of trials
after another; `Trials` adds them up. UNO's are rollouts of `champion` over every legal action; Hanabi's are playouts in worlds that
agree with the view, with a rule bot in all seats. All actions are tried in the same worlds.

What comes out depends on what the seat saw and on the batch's number, on nothing else: the random numbers come from a digest of the
view, never from the table's own streams.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import cache
from math import sqrt
from typing import Any, Protocol

import numpy as np

from kibitz import registry
from kibitz.bots import parameters
from kibitz.bots.bot import Bot
from kibitz.core import jit
from kibitz.core.errors import BadValue
from kibitz.core.layouts import blank, dtype_of, store
from kibitz.core.seeds import SEARCH, stream
from kibitz.games.contract import GameDefinition
from kibitz.games.hanabi.state import State
from kibitz.games.hanabi.view import View
from kibitz.play.hearing import unlinked
from kibitz.play.lineup import as_action
from kibitz.play.seat import player_of
from kibitz.policies.valuation import UNITS, WIN_CHANCE, listed_rows
from kibitz.registry import Entrant
from kibitz.search.hanabi.playouts import CONTRADICTION, FAULT, Team, value_moves
from kibitz.search.hanabi.worlds import Unseen
from kibitz.search.uno.rollouts import FUTURES
from kibitz.search.uno.worlds import check_view

Rows = np.ndarray[Any, np.dtype[np.float64]]

EXPECTED_SCORE = "expected score"
UNO_GAMES = 300  # played on for one batch, some 2 milliseconds
HANABI_GAMES = 120
PLAYS_ON = "piers"  # in every seat in Hanabi


# -- trials --


class Trials:
    """Results of some actions, added up. A row is one independent trial, with the result of each action in the same worlds."""

    def __init__(self, actions: tuple[int, ...]) -> None:
        self.actions = actions
        self.rows = 0
        self.games = 0  # played on for each action
        self.worlds = 0
        self._sums = np.zeros(len(actions))
        self._products = np.zeros((len(actions), len(actions)))

    def add(self, rows: Rows, worlds: int, games: int) -> None:
        """Add rows, which took so many worlds and so many games of each action."""
        self.rows += len(rows)
        self.worlds += worlds
        self.games += games
        self._sums += rows.sum(axis=0)
        self._products += rows.T @ rows

    def include(self, other: Trials) -> None:
        """Add other trials of the same decision."""
        self.rows += other.rows
        self.worlds += other.worlds
        self.games += other.games
        self._sums += other._sums
        self._products += other._products

    def value(self, action: int) -> tuple[float, float]:
        """The mean result of an action and its standard error, which needs two rows at least."""
        place = self.actions.index(action)
        return self._mean(self._sums[place], self._products[place, place])

    def lead(self, action: int, other: int) -> tuple[float, float]:
        """By how much an action is better than another, and the standard error of that: often less than those of the two values."""
        one, two = self.actions.index(action), self.actions.index(other)
        squares = self._products[one, one] - 2 * self._products[one, two] + self._products[two, two]
        return self._mean(self._sums[one] - self._sums[two], squares)

    def ranked(self) -> list[int]:
        """The actions, that with the best mean result first; of equal ones the first."""
        return [self.actions[place] for place in np.argsort(-self._sums, kind="stable")]

    def _mean(self, total: float, squares: float) -> tuple[float, float]:
        mean = float(total) / self.rows
        spread = max(float(squares) / self.rows - mean * mean, 0.0)
        return mean, sqrt(spread / (self.rows - 1)) if self.rows > 1 else float("inf")


class Outlook(Protocol):
    """Follows a game from one seat; at a decision, makes trials of every legal action."""

    unit: str

    def begin(self, view: Any) -> None:
        """A deal begins, or this comes to one that has."""

    def observe(self, view: Any, event: Any) -> None:
        """Something happened that everybody saw; the view is what the seat sees after the whole action."""

    def open(self, view: Any) -> Trials:
        """Turn to the decision that is open in a view."""

    def add_batch(self, trials: Trials, batch: int) -> None:
        """Make the trials of one batch for the decision that was opened; the same number gives the same trials."""


def outlook_of(game: str, compiled: bool = True) -> Outlook:
    """The outlook of a game, compiled or as plain Python."""
    compiled = compiled and os.environ.get("KIBITZ_JIT") != "0"
    return UnoOutlook(compiled) if registry.game(game).name == "uno" else HanabiOutlook(compiled)


def choices_of(game: GameDefinition, view: Any) -> tuple[int, ...]:
    """Every legal action at a view; refused if the viewer has nothing to decide."""
    legal = tuple(game.legal_actions(view)) if view.seat == view.current else ()
    if not legal:
        raise BadValue(f"seat {view.seat} has nothing to decide now, so there is nothing to advise.")
    return legal


def view_seed(game: GameDefinition, view: Any) -> int:
    """A seed that depends on what a view shows and on nothing else."""
    shown = json.dumps(game.wire.view_message(view), sort_keys=True)
    return int.from_bytes(hashlib.sha256(f"{game.name} {shown}".encode()).digest()[:8], "big")


# -- UNO --


class UnoOutlook:
    """Rollouts of `champion` over every legal action, each batch from worlds of its own."""

    unit = UNITS[WIN_CHANCE]

    def __init__(self, compiled: bool = True, games: int = UNO_GAMES) -> None:
        self._game = registry.game("uno")
        self._player = player_of(registry.entrant(f"champion:candidates=every,rollouts={games}"), self._game, compiled)
        self._view: Any = None
        self._memory: Any = None
        self._seed = 0

    def begin(self, view: Any) -> None:
        """Begin a belief."""
        self._player.begin(unlinked(self._game, view))

    def observe(self, view: Any, event: Any) -> None:
        """Follow the game."""
        self._player.observe(unlinked(self._game, view), event)

    def open(self, view: Any) -> Trials:
        """Turn to a decision; what the search writes into its memory there is forgotten before every batch."""
        trials = Trials(choices_of(self._game, view))
        self._view, self._memory, self._seed = view, self._player.memory(), view_seed(self._game, view)
        return trials

    def add_batch(self, trials: Trials, batch: int) -> None:
        """One search; its mean results are one row, since the worlds of one search are not independent."""
        self._player.remember(self._memory)
        action = self._player.choose(unlinked(self._game, self._view, stream(self._seed, batch)))
        self._player.remember(self._memory)
        if action < 0:
            check_view(self._view)
        table = self._player.valuation
        values = {} if table is None else {listed: (value, visits) for listed, value, _, visits in listed_rows(table)}
        if sorted(values) != sorted(trials.actions):
            raise BadValue(f"seat {self._view.seat} cannot be advised at turn {self._view.turn}: the cards of the view do not add up.")
        games = min(visits for _, visits in values.values())
        trials.add(np.array([[values[choice][0] for choice in trials.actions]]), games // FUTURES, games)


# -- Hanabi --


@cache
def compiled_trials() -> Any:
    """Compile, or load, the kernel; other threads run while it works."""
    return jit.root_of(value_moves, (View, Team, Unseen, State, State, "word", "long", "long", "longs"), View, "advice for Hanabi")


class HanabiOutlook:
    """Playouts in worlds that agree with the view; the game before it is not needed."""

    unit = EXPECTED_SCORE

    def __init__(self, compiled: bool = True, games: int = HANABI_GAMES, plays_on: str = PLAYS_ON) -> None:
        self._game = registry.game("hanabi")
        self._games = games
        self._try = (
            _CompiledPlayouts(registry.entrant(plays_on, "hanabi")) if compiled else _PlainPlayouts(registry.entrant(plays_on, "hanabi"))
        )
        self._view: Any = None
        self._seed = 0

    def begin(self, view: Any) -> None:
        """Nothing is remembered."""

    def observe(self, view: Any, event: Any) -> None:
        """Nothing is remembered."""

    def open(self, view: Any) -> Trials:
        """Turn to a decision."""
        trials = Trials(choices_of(self._game, view))
        self._view, self._seed = unlinked(self._game, view), stream(view_seed(self._game, view), SEARCH)
        return trials

    def add_batch(self, trials: Trials, batch: int) -> None:
        """Some worlds, each a row of its own."""
        worlds = max(1, self._games // len(trials.actions))
        scores = np.zeros(worlds * len(trials.actions), dtype=np.int64)
        done = self._try(self._view, self._seed, batch * worlds, worlds, scores)
        if done == CONTRADICTION:
            raise BadValue(f"seat {self._view.seat} cannot be advised at turn {self._view.turn}: the cards of the view do not add up.")
        assert done != FAULT, "a rule bot made a move that is not legal"
        trials.add(scores.reshape(worlds, -1).astype(np.float64), worlds, worlds)


def _team_bot(entrant: Entrant) -> Bot:
    """A bot that can play on: one that needs views alone."""
    bot = entrant.bot
    if not isinstance(bot, Bot) or bot.observe or bot.sees_everything:
        raise BadValue(
            f"bot {entrant.name} cannot play on in every seat: it has to be compiled, to follow no events and to see no hidden cards."
        )
    return bot


class _CompiledPlayouts:
    """The compiled kernel with the blocks of memory it works in."""

    def __init__(self, entrant: Entrant) -> None:
        game, bot = registry.game("hanabi"), _team_bot(entrant)
        self._kernel = compiled_trials()
        self._view, self._team, self._unseen = (np.zeros(1, dtype=dtype_of(record)) for record in (View, Team, Unseen))
        self._states = np.zeros(2, dtype=dtype_of(State))
        self._params = parameters.pack(bot.parameters, entrant.values)
        self._scratch = np.zeros(1, dtype=dtype_of(bot.scratch) if bot.scratch else np.int64)
        self._memories = np.zeros(len(self._team["memory"][0]), dtype=dtype_of(bot.memory) if bot.memory else np.int64)
        team = self._team[0]
        team["choose"], team["begin"] = (bot.address(role, game.view, game.event) for role in ("choose", "begin"))
        team["params"], team["scratch"] = self._params.ctypes.data, self._scratch.ctypes.data
        team["memory_size"] = self._memories.itemsize
        for seat in range(len(self._memories)):
            team["memory"][seat] = self._memories.ctypes.data + seat * self._memories.itemsize

    def __call__(self, view: Any, key: int, first: int, worlds: int, scores: Any) -> int:
        store(view, self._view)
        start = self._states.ctypes.data
        blocks = [block.ctypes.data for block in (self._view, self._team, self._unseen)]
        return int(self._kernel(*blocks, start, start + self._states.itemsize, np.uint64(key), first, worlds, scores))


class _PlainPlayouts:
    """The same as plain Python."""

    def __init__(self, entrant: Entrant) -> None:
        bot = _team_bot(entrant)
        team: Any = blank(Team)
        entry: Any = bot.plain_entry("choose")
        team.choose, team.begin = lambda *args: as_action(entry(*args)), bot.plain_entry("begin")
        team.params = parameters.plain(bot.parameters, entrant.values)
        team.scratch = blank(bot.scratch) if bot.scratch else None
        team.memory = [blank(bot.memory) if bot.memory else None for _ in team.memory]
        team.memory_size = int(bot.memory is not None)
        self._team = team

    def __call__(self, view: Any, key: int, first: int, worlds: int, scores: Any) -> int:
        return value_moves(view, self._team, blank(Unseen), blank(State), blank(State), key, first, worlds, scores)
