"""Advice in Hanabi: playouts in worlds that agree with the view, with a rule bot in all seats."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.bots import parameters
from kibitz.bots.bot import Bot
from kibitz.core import jit
from kibitz.core.errors import BadValue
from kibitz.core.layouts import blank, dtype_of, store
from kibitz.core.seeds import SEARCH, stream
from kibitz.games.hanabi.state import State
from kibitz.games.hanabi.view import View
from kibitz.play.advice import Trials, choices_of, view_seed
from kibitz.play.hearing import unlinked
from kibitz.play.lineup import as_action
from kibitz.registry import Entrant
from kibitz.search.hanabi.playouts import CONTRADICTION, FAULT, Team, value_moves
from kibitz.search.hanabi.worlds import Unseen

EXPECTED_SCORE = "expected score"
GAMES = 120  # played on for one batch
PLAYS_ON = "piers"  # in every seat


@cache
def compiled_trials() -> Any:
    """Compile, or load, the kernel; other threads run while it works."""
    return jit.root_of(value_moves, (View, Team, Unseen, State, State, "word", "long", "long", "longs"), View, "advice for Hanabi")


class HanabiAnalyst:
    """Playouts in worlds that agree with the view; the game before it is not needed."""

    unit = EXPECTED_SCORE

    def __init__(self, compiled: bool = True, games: int = GAMES, plays_on: str = PLAYS_ON) -> None:
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
