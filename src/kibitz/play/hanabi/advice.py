"""Advice in Hanabi: playouts in worlds that agree with what a seat has seen and heard, with a convention in all seats.

The convention is that of the partners: `information` if one of them plays it, else `smart`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np

from kibitz import registry
from kibitz.core import jit
from kibitz.core.errors import BadValue
from kibitz.core.layouts import blank, dtype_of, store
from kibitz.core.seeds import SEARCH, stream
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.play.advice import Trials, choices_of, view_seed
from kibitz.play.hearing import unlinked
from kibitz.search.hanabi.blueprint.decision import BlueprintSearch, begin_beliefs
from kibitz.search.hanabi.blueprint.hand_beliefs import MOST_HANDS, Beliefs
from kibitz.search.hanabi.blueprint.playouts import BROKEN, CONTRADICTION, follow_move, open_decision, value_moves
from kibitz.search.hanabi.blueprint.team import INFORMATION, PLAIN_INFORMATION, SMART

EXPECTED_SCORE = "expected score"
GAMES = 400  # played on for one batch, some 5 milliseconds
DRAWN_FOR = 16  # batches that share one drawing of hands
PLAIN_HANDS = 100
CONVENTIONS = {"smart": SMART, "information": PLAIN_INFORMATION, "information:best": INFORMATION}
_NO_SCORES = np.zeros(0, dtype=np.int64)
MARGIN = 0.05  # points by which a move must lead that of the convention, besides its error


def convention_of(names: Sequence[str], seat: int) -> str:
    """The convention that the others at a table follow, by their names; `smart` if they don't tell."""
    for place, name in enumerate(names):
        bot, _, preset = name.partition(":")
        if place != seat and bot == "information":
            return "information:best" if preset == "best" else "information"
        if place != seat and bot == "blueprint" and len(names) > 2 and "base=smart" not in preset:
            return "information:best"
    return "smart"


class HanabiAnalyst:
    """Playouts by a convention in every seat; `names` are those of the players by seat, if they are known.

    With `smart`, hands that the player may hold are drawn: `hands` of them, fewer where nothing is compiled.
    """

    unit = EXPECTED_SCORE

    def __init__(
        self, compiled: bool = True, names: Sequence[str] = (), games: int = GAMES, hands: int | None = None, convention: str = ""
    ) -> None:
        self._game = registry.game("hanabi")
        self._names, self._games, self._convention = names, games, convention
        self._hands = hands or (MOST_HANDS if compiled else PLAIN_HANDS)
        self._playouts = _CompiledPlayouts() if compiled else _PlainPlayouts()
        self._view: Any = None
        self._seed = 0
        self._drawing = -1
        self.assumes = convention or "smart"
        self.is_broken = False

    def begin(self, view: Any) -> None:
        """Begin to follow a game."""
        self.assumes = self._convention or convention_of(self._names, int(view.seat))
        self._playouts.begin(unlinked(self._game, view), CONVENTIONS[self.assumes])

    def observe(self, view: Any, event: Any) -> None:
        """Read a move."""
        self._playouts.observe(unlinked(self._game, view), event)

    def open(self, view: Any) -> Trials:
        """Turn to a decision."""
        actions = choices_of(self._game, view)
        self._view, self._seed = unlinked(self._game, view), stream(view_seed(self._game, view), SEARCH)
        self._draw(0)
        return Trials(actions, self._playouts.try_worlds(self._view, self._seed, 0, 0, np.zeros(0, dtype=np.int64)), MARGIN)

    def add_batch(self, trials: Trials, batch: int) -> None:
        """Some worlds, each a row of its own."""
        worlds = max(1, self._games // len(trials.actions))
        scores = np.zeros(worlds * len(trials.actions), dtype=np.int64)
        if self._drawing != batch // DRAWN_FOR:
            self._draw(batch // DRAWN_FOR)
        self._check(self._playouts.try_worlds(self._view, self._seed, batch * worlds, worlds, scores))
        trials.add(scores.reshape(worlds, -1).astype(np.float64), worlds, worlds)

    def _draw(self, drawing: int) -> None:
        found = self._playouts.open(self._view, self._seed, drawing, self._hands)
        self._check(found)
        self.is_broken, self._drawing = found == BROKEN, drawing

    def _check(self, found: int) -> None:
        if found == CONTRADICTION:
            raise BadValue(f"seat {self._view.seat} cannot be advised at turn {self._view.turn}: the cards of the view do not add up.")


BEGIN, FOLLOW, OPEN, VALUE = range(4)


def take_step(view, event, memory, work, asked, key, scores):  # type: ignore[no-untyped-def]  # a kernel
    """The step of advice that is asked for, with two numbers. All are compiled together, since they share most of what they call."""
    step, first, count = asked[0], asked[1], asked[2]
    if step == BEGIN:
        begin_beliefs(view, memory, first)
        return 0
    if step == FOLLOW:
        follow_move(view, event, memory, work)
        return 0
    if step == OPEN:
        return open_decision(view, memory, work, key, first, count)
    return value_moves(view, memory, work, key, first, count, scores)


@cache
def compiled_steps() -> Any:
    """Compile, or load, the kernel; other threads run while it works."""
    signature = (View, Event, Beliefs, BlueprintSearch, "longs", "word", "longs")
    return jit.root_of(take_step, signature, View, "advice for Hanabi")


class _CompiledPlayouts:
    """The compiled kernel with the blocks of memory it works in."""

    def __init__(self) -> None:
        self._step = compiled_steps()
        self._view, self._event, self._memory, self._work = (
            np.zeros(1, dtype=dtype_of(record)) for record in (View, Event, Beliefs, BlueprintSearch)
        )
        self._asked = np.zeros(3, dtype=np.int64)
        self._blocks = tuple(block.ctypes.data for block in (self._view, self._event, self._memory, self._work))

    def begin(self, view: Any, kind: int) -> None:
        store(view, self._view)
        self._run(BEGIN, first=kind)

    def observe(self, view: Any, event: Any) -> None:
        store(view, self._view)
        store(event, self._event)
        self._run(FOLLOW)

    def open(self, view: Any, key: int, drawing: int, hands: int) -> int:
        store(view, self._view)
        return self._run(OPEN, key, drawing, hands)

    def try_worlds(self, view: Any, key: int, first: int, worlds: int, scores: Any) -> int:
        store(view, self._view)
        return self._run(VALUE, key, first, worlds, scores)

    def _run(self, step: int, key: int = 0, first: int = 0, count: int = 0, scores: Any = _NO_SCORES) -> int:
        self._asked[:] = step, first, count
        return int(self._step(*self._blocks, self._asked, key, scores))


class _PlainPlayouts:
    """The same as plain Python."""

    def __init__(self) -> None:
        self._memory, self._work = blank(Beliefs), blank(BlueprintSearch)

    def begin(self, view: Any, kind: int) -> None:
        begin_beliefs(view, self._memory, kind)

    def observe(self, view: Any, event: Any) -> None:
        follow_move(view, event, self._memory, self._work)

    def open(self, view: Any, key: int, drawing: int, hands: int) -> int:
        return open_decision(view, self._memory, self._work, key, drawing, hands)

    def try_worlds(self, view: Any, key: int, first: int, worlds: int, scores: Any) -> int:
        return value_moves(view, self._memory, self._work, key, first, worlds, scores)
