"""Fit the value function behind the measurement of luck in UNO: the weights in src/kibitz/games/uno/prospects.npz.

python tools/fit_luck.py            writes the weights, in some minutes
python tools/fit_luck.py --report   prints the table of docs/findings/luck.md

Bots good and bad play each other, 2 to 6 at a table. Some of the draws are kept at random, with the features of the position
after each and whether the seat that drew won; a network with one hidden layer is fitted to these by maximum likelihood.
"""

from __future__ import annotations

import itertools
import sys
import time
from dataclasses import replace
from typing import Annotated, Any

import numpy as np

from kibitz.core import jit
from kibitz.core.jit import number
from kibitz.core.layouts import Int, Word64
from kibitz.core.seeds import below
from kibitz.experiments.batch import Batch, open_workers
from kibitz.experiments.luck_correction import DRAWS, LuckCorrection
from kibitz.games.uno.definition import watching_draws
from kibitz.games.uno.prospects import FEATURES, HIDDEN, WEIGHTS, Prospects, describe, prepare
from kibitz.play.lineup import Lineup, compiled_table, make_lineup
from kibitz.play.loop import BotTable, compile_loop, kernels_for, play_games
from kibitz.play.outcomes import points_by_entry, wins_by_entry
from kibitz.stats.control_variates import corrected

POOL = ("mix2", "mix2:points", "score", "greedy", "random", "card_ranking", "diversity")
BATCH, EPOCHS, STEP = 2048, 7, 3e-3
ONE_IN, MOST_KEPT = 4, 16
CHUNK = 2_000
SEED = 2026

Array = np.ndarray[Any, Any]


class Sample(Prospects):
    """A state that keeps some draws of a game."""

    kept: Annotated[list[float], "f8", MOST_KEPT * FEATURES]
    who_drew: Annotated[list[int], "i4", MOST_KEPT]
    sample_stream: Word64
    kept_draws: Int


def keep_some(state: Sample, seat: int, owed: int, size: int, card: int) -> None:
    """Keep one draw in ONE_IN: what is kept may not depend on what comes later, such as the length of the game."""
    for other in range(number(state.players)):
        if state.sizes[other] == 0:
            return
    position, place = below(state.sample_stream, ONE_IN)
    state.sample_stream = position
    if place == 0 and state.kept_draws < MOST_KEPT:
        first = number(state.kept_draws) * FEATURES
        state.who_drew[state.kept_draws] = seat
        state.kept_draws += 1
        prepare(state, seat, owed, size)
        describe(state, seat, owed, card)
        for feature in range(FEATURES):
            state.kept[first + feature] = state.features[feature]


def gather(table: Any, state: Any, seed: int, first: int, count: int, found: Any) -> int:
    """Play games and write down the draws that were kept of each; where that ends."""
    place = 100
    for done in range(count):
        state.kept_draws = 0
        play_games(table, state, seed, first + done, 1, found[:100])
        if state.winner >= 0 and state.winner < 100:
            for draw in range(number(state.kept_draws)):
                found[place] = 1 if state.winner == state.who_drew[draw] else 0
                for feature in range(FEATURES):
                    found[place + 1 + feature] = number(state.kept[draw * FEATURES + feature] * 1000.0)
                place += FEATURES + 1
    return place


class Gathering:
    """The compiled loop that plays games and keeps some draws of each."""

    def __init__(self) -> None:
        self.game = watching_draws(Sample, keep_some, house=False)
        scope = jit.specialise_modules(sys.modules[__name__], play_games=kernels_for(self.game).play_games)
        self.loop = compile_loop(self.game, scope["gather"], (BotTable, "state", "word", "long", "long", "longs"), "games to learn from")

    def games(self, bots: tuple[str, ...], count: int, seed: int) -> tuple[Array, Array]:
        """Features of some draws of each game, and whether the seat that drew won."""
        lineup = replace(make_lineup(list(bots), "classic", "random"), game=self.game)
        made = compiled_table(lineup)
        made.state["sample_stream"] = seed
        found = np.zeros(100 + CHUNK * MOST_KEPT * (FEATURES + 1), dtype=np.int64)
        features, won = [], []
        for first in range(0, count, CHUNK):
            end = self.loop(made.table.ctypes.data, made.state.ctypes.data, np.uint64(seed), first, CHUNK, found)
            rows = found[100:end].reshape(-1, FEATURES + 1)
            features.append((rows[:, 1:] / 1000.0).astype(np.float32))
            won.append(rows[:, 0].astype(np.float32))
        return np.concatenate(features), np.concatenate(won)


def examples(tables: list[tuple[str, ...]], games: int, seed: int) -> tuple[Array, Array]:
    """Draws of games at several tables."""
    gathering = Gathering()
    parts = [gathering.games(bots, games, seed + place) for place, bots in enumerate(tables)]
    return np.concatenate([features for features, _ in parts]), np.concatenate([won for _, won in parts])


def fit(features: Array, won: Array, seed: int) -> tuple[Array, Array, Array, Array]:
    """First layer, its bias, second layer and its bias, for features as they stand."""
    stream = np.random.default_rng(seed)
    middle, width = features.mean(0), features.std(0) + 1e-3
    features = (features - middle) / width
    weights = [
        (stream.standard_normal((FEATURES, HIDDEN)) * np.sqrt(2 / FEATURES)).astype(np.float32),
        np.zeros(HIDDEN, np.float32),
        (stream.standard_normal(HIDDEN) * 0.1).astype(np.float32),
        np.zeros(1, np.float32),
    ]
    means, squares = [np.zeros_like(part) for part in weights], [np.zeros_like(part) for part in weights]
    held_out = len(features) // 20
    batches = (len(features) - held_out) // BATCH
    start = time.perf_counter()
    for epoch in range(EPOCHS):
        order = stream.permutation(np.arange(held_out, len(features)))
        for batch in range(batches):
            chosen = order[batch * BATCH : (batch + 1) * BATCH]
            inputs = features[chosen]
            hidden = np.maximum(inputs @ weights[0] + weights[1], 0)
            error = (chance(hidden @ weights[2] + weights[3]) - won[chosen]).astype(np.float32) / BATCH
            back = np.outer(error, weights[2]) * (hidden > 0)
            gradients = [inputs.T @ back, back.sum(0), hidden.T @ error, error.sum(keepdims=True)]
            count = epoch * batches + batch + 1
            step = STEP * 0.5 * (1 + np.cos(np.pi * count / (EPOCHS * batches)))
            for part, gradient in enumerate(gradients):
                means[part] += 0.1 * (gradient - means[part])
                squares[part] += 0.001 * (gradient * gradient - squares[part])
                mean, square = means[part] / (1 - 0.9**count), squares[part] / (1 - 0.999**count)
                weights[part] -= step * mean / (np.sqrt(square) + 1e-8)
        hidden = np.maximum(features[:held_out] @ weights[0] + weights[1], 0)
        told = np.clip(chance(hidden @ weights[2] + weights[3]), 1e-6, 1 - 1e-6)
        loss = -np.mean(np.where(won[:held_out] > 0, np.log(told), np.log(1 - told)))
        print(f"epoch {epoch + 1} of {EPOCHS}: {loss:.5f} on {held_out:,} draws held out, {time.perf_counter() - start:.0f} s", flush=True)
    first = weights[0] / width[:, None]
    return first, weights[1] - middle @ first, weights[2], weights[3][0]


def chance(values: Array) -> Array:
    """The logistic function."""
    result: Array = 1 / (1 + np.exp(-values))
    return result


def main(games: int = 700_000) -> None:
    """Fit both networks and write them."""
    stream = np.random.default_rng(SEED)
    pairs: list[tuple[str, ...]] = list(itertools.combinations_with_replacement(POOL, 2))
    tables = [tuple(map(str, stream.choice(POOL, size=players))) for players in (3, 3, 4, 4, 4, 5, 6) for _ in range(4)]
    networks = []
    for kind, line_ups in enumerate([pairs, tables]):
        features, won = examples(line_ups, games // len(line_ups), SEED + 1000 * kind)
        order = stream.permutation(len(features))
        print(f"{'two players' if kind == 0 else 'more players'}: {len(features):,} draws", flush=True)
        networks.append(fit(features[order], won[order], SEED + kind))
    stacked = [np.stack([np.float32(network[part]) for network in networks]) for part in range(4)]
    np.savez_compressed(WEIGHTS, first=stacked[0], first_bias=stacked[1], second=stacked[2], second_bias=stacked[3])
    print(f"written: {WEIGHTS}")


# -- what it saves --

LINE_UPS: list[tuple[str, ...]] = [
    ("mix2", "greedy"),
    ("mix2", "mix2:points"),
    ("mix2", "mix"),
    ("score", "mix2"),
    ("mix2", "random"),
    ("mix2", "greedy", "greedy", "greedy"),
    ("mix2", "random", "random", "random"),
]
TEAMS = ("iggi", "piers", "van_den_bergh")


def report(deals: int = 5_000) -> None:
    """Print what a game's worth of each estimate varies, and how many times fewer games that means."""
    print("| line-up | players | wins | games apart | paired deals | and the deal | and draws | saved | points saved |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for bots in LINE_UPS:
        lineup, players = make_lineup(list(bots), "classic", "rotate"), len(bots)
        outcomes = play(lineup, deals * players)
        wins = wins_by_entry(lineup, outcomes)[:, 0]
        values = wins.reshape(deals, players).mean(axis=1)
        points = points_by_entry(lineup, outcomes)
        margins = (points[:, 0] - points[:, 1:].mean(axis=1)).reshape(deals, players).mean(axis=1)
        with_deal, _ = corrected(values, outcomes["luck"][:, 0, DRAWS:].reshape(deals, players, -1).mean(axis=1))
        less, saved = in_blocks(LuckCorrection(lineup), values, outcomes.reshape(deals, players))
        _, points_saved = in_blocks(LuckCorrection(lineup, wins=False), margins, outcomes.reshape(deals, players))
        figures = [wins.var(), players * values.var(), players * with_deal.var(), players * less.var()]
        shown = " | ".join(f"{figure:.4f}" for figure in figures)
        others = bots[1] if players == 2 else f"{players - 1} x {bots[1]}"
        rate = f"{100 * values.mean():.1f} %"
        print(f"| {bots[0]} v {others} | {players} | {rate} | {shown} | {saved:.2f} x | {points_saved:.2f} x |", flush=True)
    print("\n| Hanabi team | players | score | variance | corrected | saved |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    scores, kept = [], []
    for team in TEAMS:
        lineup = make_lineup([team] * 3, "standard", "fixed", "hanabi")
        outcomes = play(lineup, deals)
        values = points_by_entry(lineup, outcomes)[:, 0].astype(float)
        less, saved = in_blocks(LuckCorrection(lineup, wins=False), values, outcomes)
        scores.append(values)
        kept.append(outcomes)
        print(f"| {team} | 3 | {values.mean():.2f} | {values.var():.3f} | {less.var():.3f} | {saved:.2f} x |")
    less, saved = in_blocks(LuckCorrection(lineup, wins=False), scores[1] - scores[0], kept[0])
    difference = scores[1] - scores[0]
    print(f"| {TEAMS[1]} less {TEAMS[0]} | 3 | {difference.mean():.2f} | {difference.var():.3f} | {less.var():.3f} | {saved:.2f} x |")


def play(lineup: Lineup, games: int) -> Array:
    """Games with luck measured."""
    batch = Batch(lineup, games, SEED, noted=True, luck=True)
    with open_workers() as workers:
        batch.run(workers)
    return batch.outcomes()


def in_blocks(correction: LuckCorrection, values: Array, outcomes: Array, size: int = 500) -> tuple[Array, float]:
    """Values corrected block by block, and the ratio of the variances."""
    parts = [correction.add_block(values[at : at + size], outcomes[at : at + size]) for at in range(0, len(values), size)]
    return np.concatenate(parts), correction.saved


if __name__ == "__main__":
    report() if "--report" in sys.argv else main()
