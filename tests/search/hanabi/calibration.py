"""Advice against what comes true: positions of games between bots that follow a convention, played on from the true hands many times.

The convention plays on by one record of what everybody knows; with the true deck that must lead to the score that the bots reached.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from random import Random
from typing import Any, NamedTuple

import numpy as np

import kibitz
from kibitz.core import jit
from kibitz.core.jit import number
from kibitz.core.layouts import dtype_of, store
from kibitz.core.seeds import below, stream
from kibitz.games.hanabi.state import State
from kibitz.games.hanabi.view import View
from kibitz.play.hanabi.advice import HanabiAnalyst
from kibitz.play.record import record_of
from kibitz.search.hanabi.blueprint.decision import BlueprintSearch, searched_hat, searched_smart, state_of
from kibitz.search.hanabi.blueprint.hand_beliefs import Beliefs, hat_of, smart_of
from kibitz.search.hanabi.blueprint.team import copy_convention, make_move, play_on
from kibitz.search.hanabi.worlds import copy_state
from kibitz.table.advising import follow
from kibitz.table.film import Film, film_of_written

LATEST = 60  # positions are drawn from the first so many, before the length of the game is known: that would favour short games


def play_truly(memory: Beliefs, work: BlueprintSearch, true: State, key: int, move: int, scores: Any) -> None:
    """Make a move and play on, first with the true deck, then with the cards that are left shuffled; `scores` has room for each game."""
    state, smart, hat = state_of(work, 1), searched_smart(work, 0), searched_hat(work, 0)
    kind = number(memory.kind)
    for game in range(len(scores)):
        copy_state(true, state)
        state.observed = 1
        position = stream(key, game)
        for left in range(number(state.deck_total) - number(state.drawn), 1, -1):
            if game > 0:
                position, place = below(position, left)
                last, other = number(state.drawn) + left - 1, number(state.drawn) + place
                card = state.deck_order[last]
                state.deck_order[last] = state.deck_order[other]
                state.deck_order[other] = card
        copy_convention(kind, smart_of(memory, 0), hat_of(memory, 0), smart, hat)
        make_move(kind, smart, hat, state, move)
        scores[game] = play_on(kind, smart, hat, state)


@cache
def compiled_truth() -> Any:
    return jit.root_of(play_truly, (Beliefs, BlueprintSearch, State, "word", "long", "longs"), View, "advice put to the test")


class Checked(NamedTuple):
    """One position: what the adviser expected of the convention's move and of its own advice, and what came of them on average."""

    usual_expected: float
    usual_came: float
    best_expected: float
    best_came: float
    differs: bool


def positions_of(bot: str, players: int, games: int, seed: int) -> Iterator[tuple[Film, int]]:
    """Films with a position each, all of different games; games that are over by then are left out."""
    random, index = Random(seed), 0
    while games:
        film = film_of_written(record_of(kibitz.play([bot] * players, seed=seed, index=index, game="hanabi")))
        position, index = random.randrange(LATEST), index + 1
        if position < film.length:
            yield film, position
            games -= 1


def check_advice(bot: str, players: int, games: int, plays: int, batches: int, seed: int) -> list[Checked]:
    """What comes of advice in positions of so many games, each played on so many times."""
    found = []
    analyst = HanabiAnalyst(True, [bot] * players)
    memory, work = (getattr(analyst._playouts, name).ctypes.data for name in ("_memory", "_work"))
    block = np.zeros(1, dtype=dtype_of(State))
    for film, position in positions_of(bot, players, games, seed):
        state = film.state_at(position)
        heard = film.heard(int(state.current), position)
        follow(analyst, heard)
        trials = analyst.open(heard[-1][0])
        for batch in range(batches):
            analyst.add_batch(trials, batch)
        store(state, block)
        usual, best, came = film.actions[position], trials.best(), {}
        for move in {usual, best}:
            scores = np.zeros(plays + 1, dtype=np.int64)
            compiled_truth()(memory, work, block.ctypes.data, np.uint64(position + 1), move, scores)
            came[move] = float(scores[1:].mean())
            if move == usual:
                assert film.record and scores[0] == film.record.points  # the bots came to the same end
        assert trials.usual == usual and not analyst.is_broken
        found.append(Checked(trials.value(usual)[0], came[usual], trials.value(best)[0], came[best], best != usual))
    return found


def mean_and_error(figures: Iterable[float]) -> tuple[float, float]:
    """A mean with its standard error."""
    listed = np.array(list(figures))
    return float(listed.mean()), float(listed.std(ddof=1) / len(listed) ** 0.5)
