"""Fit the weights behind `kibitz.policies.uno.win_chance`: how likely each player wins from a position with all hands open.

python tools/fit_standing.py [--games N]    writes src/kibitz/policies/uno/win_chance.npz, in some minutes

The searcher's policy in one seat and the others' in the rest play games under `classic`; some positions of each are kept, and once it is
known who won, weights are moved along the gradient of the logarithm of the chance that was given to the winner (AdaGrad).
"""

from __future__ import annotations

import sys
import time
from math import exp, log, sqrt
from typing import Annotated, Any

import numpy as np

from kibitz.bots.uno.linear import SHIPPED, weights_from
from kibitz.core import jit
from kibitz.core.jit import number, word
from kibitz.core.layouts import Int, dtype_of, store
from kibitz.core.seeds import below, game_key, stream
from kibitz.games.uno.engine import apply, as_view, deal, event_at, forced_action, is_over
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import TURN, View
from kibitz.policies.uno.feature_groups import FEATURES
from kibitz.policies.uno.features import Description
from kibitz.policies.uno.rollout_policies import LINEAR, MIX2, choose_by
from kibitz.policies.uno.sightings import Sightings, begin_sightings, update_shared_sightings
from kibitz.policies.uno.win_chance import (
    CLASSES,
    OTHERS,
    OWN,
    PLACES,
    STANDING_FILE,
    WEIGHTS,
    class_of_table,
    offset_of,
    pair_of,
    places_of,
)

TABLES = ((2,), (3, 4, 4, 4), (5, 6, 6, 6, 8, 10))
ONE_IN, MOST_KEPT = 3, 64
SAMPLE = 9  # purpose of the stream that says what is kept


class Fit(Sightings):
    """What the fit works with."""

    described: Annotated[list[int], "u8", -(-dtype_of(Description).itemsize // 8)]
    policy: Annotated[list[float], "f8", 3 * FEATURES]
    weights: Annotated[list[float], "f8", CLASSES * WEIGHTS]
    squares: Annotated[list[float], "f8", CLASSES * WEIGHTS]
    kept: Annotated[list[int], "i4", MOST_KEPT * 10 * PLACES]
    pairs: Annotated[list[int], "i4", MOST_KEPT]
    scores: Annotated[list[float], "f8", 10]
    count: Int
    wins: Int
    positions: Annotated[int, "i8"]
    loss: Annotated[float, "f8"]
    plain_loss: Annotated[float, "f8"]


description_in = jit.element_of(Fit, "described", Description)


def keep_position(state: State, fit: Fit, me: int) -> None:
    """Keep what the position's hands are scored with; `me` first, then the others in order of seats."""
    place = number(fit.count) * 10 * PLACES
    fit.pairs[fit.count] = pair_of(state, me)
    for step in range(number(state.players)):
        seat = (me + step) % number(state.players)
        for weight in places_of(state, seat, offset_of(state, seat)):
            fit.kept[place] = weight + (OWN if step == 0 else OTHERS)
            place += 1
    fit.count += 1


def learn_position(fit: Fit, position: int, players: int, winner: int, first: int, rate: float) -> None:
    """Move weights towards the player who won, `winner` counted from the searcher on."""
    start = position * 10 * PLACES
    best = -1e30
    for step in range(players):
        score = fit.weights[first + fit.pairs[position]] if step == 0 else 0.0
        for place in range(start + step * PLACES, start + (step + 1) * PLACES):
            score += fit.weights[first + fit.kept[place]]
        fit.scores[step] = score
        best = max(best, score)
    total = 0.0
    for step in range(players):
        fit.scores[step] = exp(fit.scores[step] - best)
        total += fit.scores[step]
    chance = fit.scores[0] / total
    fit.loss -= log(max(chance if winner == 0 else 1.0 - chance, 1e-12))
    fit.positions += 1
    for step in range(players):
        gradient = (1.0 if step == winner else 0.0) - fit.scores[step] / total
        for place in range(start + step * PLACES, start + (step + 1) * PLACES):
            move(fit, first + number(fit.kept[place]), gradient, rate)
        if step == 0:
            move(fit, first + number(fit.pairs[position]), gradient, rate)


def move(fit: Fit, place: int, gradient: float, rate: float) -> None:
    """Move one weight."""
    fit.squares[place] += gradient * gradient
    fit.weights[place] += rate * gradient / sqrt(fit.squares[place] + 10.0)


def fit_games(state: State, fit: Fit, seed: int, first_game: int, count: int, rate: float) -> int:
    """Play games and learn from each."""
    players = number(state.players)
    first = class_of_table(players) * WEIGHTS
    for index in range(first_game, first_game + count):
        key = game_key(seed, word(index))
        me = index % players
        state.observed = 1
        deal(state, key)
        state.event_count = 0
        begin_sightings(state, fit)
        position = stream(key, SAMPLE)
        fit.count = 0
        turn = 0
        while not is_over(state):
            if state.phase == TURN and state.turn != turn:
                turn = number(state.turn)
                position, chosen = below(position, ONE_IN)
                if chosen == 0 and fit.count < MOST_KEPT:
                    keep_position(state, fit, me)
            action = forced_action(state)
            if action < 0:
                seat = number(state.current)
                view = as_view(state)
                action = choose_by(LINEAR if seat == me else MIX2, view, fit, description_in(fit, 0), fit.policy)
                state.seat_streams[seat] = view.random_stream
            apply(state, action)
            for place in range(number(state.event_count)):
                update_shared_sightings(state, event_at(state, place), fit)
            state.event_count = 0
        if state.winner < players:
            winner = (number(state.winner) - me + players) % players
            fit.wins += 1 if winner == 0 else 0
            for kept in range(number(fit.count)):
                learn_position(fit, kept, players, winner, first, rate)
    return count


def compiled_fit() -> Any:
    """The loop in compiled code."""
    source = "def fit(state, work, seed, first, count, rate):\n    return fit_games(state_at(state), work_at(work), seed, first, count, rate / 1e6)\n"
    scope: dict[str, Any] = {"fit_games": fit_games, "state_at": jit.record_at(State), "work_at": jit.record_at(Fit), "__name__": __name__}
    exec(compile(source, jit.__file__, "exec"), scope)
    return jit.root_of(scope["fit"], "long long word long long long", View, extra=f"{dtype_of(Fit)}")


def main() -> None:
    """Fit all classes of tables."""
    games = int(sys.argv[sys.argv.index("--games") + 1]) if "--games" in sys.argv else 1_000_000
    loop = compiled_fit()
    work = np.zeros(1, dtype=dtype_of(Fit))
    work["policy"][0] = weights_from(SHIPPED)
    rules = parse_rules("classic")
    for tables in TABLES:
        states = []
        for players in tables:
            block = np.zeros(1, dtype=dtype_of(State))
            store(new_state(rules, players), block)
            states.append(block)
        chunk, start = 2_000, time.monotonic()
        done = 0
        part = 0
        while done < games:
            rate = 0.3 * (1.0 - done / games) + 0.003
            loop(states[part % len(states)].ctypes.data, work.ctypes.data, np.uint64(7), done, chunk, int(rate * 1e6))
            done += chunk
            part += 1
            if done % (games // 10) < chunk:
                positions = int(work["positions"][0])
                print(
                    tables,
                    done,
                    f"loss {work['loss'][0] / positions:.4f} wins {work['wins'][0] / (games // 10):.3f} {time.monotonic() - start:.0f} s",
                    flush=True,
                )
                work["positions"], work["loss"], work["wins"] = 0, 0.0, 0
    np.savez_compressed(STANDING_FILE, weights=np.round(work["weights"][0].reshape(CLASSES, WEIGHTS), 4))


if __name__ == "__main__":
    main()
