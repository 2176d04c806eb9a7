"""Advice in UNO: rollouts of `champion` over every legal action."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.seeds import stream
from kibitz.play.advice import Trials, choices_of, view_seed
from kibitz.play.hearing import unlinked
from kibitz.play.seat import player_of
from kibitz.policies.valuation import UNITS, WIN_CHANCE, listed_rows
from kibitz.search.uno.rollouts import FUTURES
from kibitz.search.uno.worlds import check_view

GAMES = 300  # played on for one batch, some 2 milliseconds


class UnoAnalyst:
    """Rollouts of `champion` over every legal action, each batch from worlds of its own; whoever the others are."""

    unit = UNITS[WIN_CHANCE]
    assumes, is_broken = "", False

    def __init__(self, compiled: bool = True, names: Sequence[str] = (), games: int = GAMES) -> None:
        self._game = registry.game("uno")
        self._player = player_of(registry.entrant(f"champion:candidates=every,rollouts={games}", "uno"), self._game, compiled)
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
