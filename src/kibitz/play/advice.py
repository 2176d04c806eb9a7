"""What may come of every legal action of one decision, in trials that can go on for as long as somebody waits: for advice and analysis.

An `Analyst` follows a game from one seat, as a bot does, and sees no more. At a decision it is asked for one batch of trials
after another; `Trials` adds them up. How actions are tried is the game's own (`Face.analyst`). All of them are tried in the same worlds.

What comes out depends on what the seat saw and on the batch's number, on nothing else: the random numbers come from a digest of the
view, never from the table's own streams.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from math import sqrt
from typing import Any, Protocol

import numpy as np

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.games.contract import GameDefinition

Rows = np.ndarray[Any, np.dtype[np.float64]]

LEAN = 2.0

# -- trials --


class Trials:
    """Results of some actions, added up. A row is one independent trial, with the result of each action in the same worlds."""

    def __init__(self, actions: tuple[int, ...], usual: int | None = None, margin: float = 0.0) -> None:
        self.actions = actions
        self.usual, self._margin = usual, margin
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

    def best(self) -> int:
        """The action to take. Where there is a usual one, another must lead it by LEAN standard errors and a margin; else the best mean counts."""
        first = self.ranked()[0]
        if self.usual is None or first == self.usual:
            return first
        lead, error = self.lead(first, self.usual)
        return first if lead > self._margin + LEAN * error else self.usual

    def _mean(self, total: float, squares: float) -> tuple[float, float]:
        mean = float(total) / self.rows
        spread = max(float(squares) / self.rows - mean * mean, 0.0)
        return mean, sqrt(spread / (self.rows - 1)) if self.rows > 1 else float("inf")


class Analyst(Protocol):
    """Follows a game from one seat; at a decision, makes trials of every legal action."""

    unit: str
    assumes: str  # the convention by which everybody is expected to play on, as the name of a bot; empty if there is none
    is_broken: bool  # whether somebody has left that convention, as far as the seat can tell

    def begin(self, view: Any) -> None:
        """A deal begins, or this comes to one that has."""

    def observe(self, view: Any, event: Any) -> None:
        """Something happened that everybody saw; the view is what the seat sees after the whole action."""

    def open(self, view: Any) -> Trials:
        """Turn to the decision that is open in a view."""

    def add_batch(self, trials: Trials, batch: int) -> None:
        """Make the trials of one batch for the decision that was opened; the same number gives the same trials."""


class NoAnalyst:
    """Of a game whose actions nobody can try out: there are no trials, and bots alone advise."""

    unit = assumes = ""
    is_broken = False

    def __init__(self, compiled: bool = True, names: Sequence[str] = ()) -> None:
        pass

    def begin(self, view: Any) -> None:
        """Nothing is remembered."""

    def observe(self, view: Any, event: Any) -> None:
        """Nothing is remembered."""

    def open(self, view: Any) -> Trials:
        """No trials."""
        return Trials(())

    def add_batch(self, trials: Trials, batch: int) -> None:
        """No trials."""


def analyst_of(game: str, compiled: bool = True, names: Sequence[str] = ()) -> Analyst:
    """The analyst of a game, compiled or as plain Python; `names` are those of the players by seat, as far as they are bots."""
    compiled = compiled and os.environ.get("KIBITZ_JIT") != "0"
    made: Analyst = (registry.game(game).face.load("analyst") or NoAnalyst)(compiled, names)
    return made


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
