"""Ratings fitted to all results at once: Plackett–Luce of which only the winner is seen, which for two players is Bradley–Terry.

At a table with strengths s a player wins with the chance s_i over the sum of all. The fit has one maximum, found by Newton's method.
Intervals come from a bootstrap of whole deals, so that games of one deal stay together.

Everybody is given half a win and half a loss against an average player besides. A player who won or lost everything therefore has a
finite rating, and groups of players who never met stand where this prior puts them: each around the average, comparable only by it. For
anyone with a few dozen games it changes nothing that matters.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from kibitz.core.errors import BadValue

ELO = 400.0 / math.log(10.0)  # a point of log strength in points of Elo
PRIOR = 0.5  # wins, and losses, of everybody against an average player
SAMPLES = 200
CONFIDENCE = 0.95
FEW_GROUPS = 10  # of a table with fewer, games are drawn from the fitted model: so few groups do not show how they vary
_MOST_STEPS = 200
_PRECISE = 1e-10  # of a log strength
_PRECISE_ENOUGH = 1e-5  # for a bootstrap sample: a few thousandths of a point of Elo
_MOST_COMMON_STEPS = 60  # of all samples together
_SAFE_STEP = 0.3  # within it the curvature changes too little for a step to go astray

Array = np.ndarray[Any, np.dtype[np.float64]]
Whole = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, eq=False)
class Observed:
    """What was seen at one table: in `counts[k]` groups of games, `members[j]` won `patterns[k, j]` games.

    A group is the games of one deal. Games that nobody won are in no column.
    """

    members: tuple[int, ...]
    patterns: Whole
    counts: Whole

    @classmethod
    def of(cls, members: Sequence[int], wins: Any) -> Observed:
        """From the wins of each member in each group, an array of a row a group."""
        patterns, counts = np.unique(np.asarray(wins, dtype=np.int64).reshape(-1, len(members)), axis=0, return_counts=True)
        return cls(tuple(members), patterns, counts.astype(np.int64))


@dataclass(frozen=True)
class Rating:
    """A player's place on the Elo scale, 0 being the mean of all players, with a 95 % interval."""

    player: int
    rating: float
    low: float
    high: float
    wins: int
    games: int


class _Tables:
    """Tables of one size as arrays: who sits there [tables, size], and who won how often [tables, size]."""

    def __init__(self, members: Whole, wins: Array) -> None:
        self.members = members
        self.wins = wins


def fit(observed: Iterable[Observed], players: int, prior: float = PRIOR) -> Array:
    """The log strengths of all players, with mean 0. Without a prior everybody must have won and lost, and all be connected."""
    merged = _merged(observed, players)
    return _fit([_Tables(*_stack(group)) for group in _by_size(merged)], players, prior, np.zeros(players))


def rate(observed: Iterable[Observed], players: int, samples: int = SAMPLES, seed: int = 1, prior: float = PRIOR) -> list[Rating]:
    """The ratings of all players with bootstrap intervals: each of `samples` times, the groups of every table are drawn anew.

    Equal seeds give equal intervals, in whatever order or pieces the results come.
    """
    if samples < 2:
        raise BadValue(f"samples={samples} is out of range: a bootstrap takes at least 2, such as {SAMPLES}.")
    merged = _merged(observed, players)
    groups = _by_size(merged)
    tables = [_Tables(*_stack(group)) for group in groups]
    strengths = _fit(tables, players, prior, np.zeros(players))
    random = np.random.default_rng(seed)
    drawn = [np.stack([_redraw(table, strengths, samples, random) for table in group], axis=1) for group in groups]
    drawings = _fit_all(tables, drawn, samples, prior, strengths)
    low, high = np.quantile(drawings, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2], axis=0, method="weibull")  # right on average
    won, games = np.zeros(players), np.zeros(players)
    for table in tables:
        np.add.at(won, table.members, table.wins)
        np.add.at(games, table.members, table.wins.sum(axis=1, keepdims=True))
    return [
        Rating(player, ELO * strengths[player], ELO * low[player], ELO * high[player], int(won[player]), int(games[player]))
        for player in range(players)
    ]


def chances(ratings: Sequence[float]) -> list[float]:
    """The chance of each to win a game at a table of players with these ratings."""
    strengths = np.exp((np.asarray(ratings, dtype=np.float64) - max(ratings)) / ELO)
    return [float(chance) for chance in strengths / strengths.sum()]


def _merged(observed: Iterable[Observed], players: int) -> list[Observed]:
    """One table for each set of members, in order, so that results do not depend on how they were cut."""
    found: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
    for table in observed:
        _check(table, players)
        order = np.argsort(table.members)
        counted = found.setdefault(tuple(sorted(table.members)), {})
        for pattern, count in zip(table.patterns[:, order].tolist(), table.counts.tolist(), strict=True):
            counted[tuple(pattern)] = counted.get(tuple(pattern), 0) + count
    return [
        Observed(
            members, np.array(sorted(counted), dtype=np.int64), np.array([counted[pattern] for pattern in sorted(counted)], dtype=np.int64)
        )
        for members, counted in sorted(found.items())
        if counted
    ]


def _check(table: Observed, players: int) -> None:
    members = table.members
    if len(members) < 2 or len(set(members)) != len(members) or not all(0 <= member < players for member in members):
        raise BadValue(f"table {members} is not accepted: it has at least 2 different members, numbered 0 to {players - 1}.")
    shape = (len(table.counts), len(members))
    if table.patterns.shape != shape or (table.patterns < 0).any() or (table.counts < 0).any():
        raise BadValue(f"results of table {members} are not accepted: {shape[0]} rows of {shape[1]} wins with counts, none less than 0.")


def _by_size(tables: list[Observed]) -> list[list[Observed]]:
    sizes = sorted({len(table.members) for table in tables})
    return [[table for table in tables if len(table.members) == size] for size in sizes]


def _stack(tables: list[Observed]) -> tuple[Whole, Array]:
    members = np.array([table.members for table in tables], dtype=np.int64)
    return members, np.array([table.counts @ table.patterns for table in tables], dtype=np.float64)


def _redraw(table: Observed, strengths: Array, samples: int, random: np.random.Generator) -> Array:
    """Wins at a table as they might have come: [samples, members]."""
    groups = int(table.counts.sum())
    if groups >= FEW_GROUPS:
        # One group fewer, weighted up: plain resampling makes the variance too small by the share of one group.
        picked = random.multinomial(groups - 1, table.counts / groups, size=samples) @ table.patterns
        return np.asarray(picked * (groups / (groups - 1)))
    games = int(table.counts @ table.patterns.sum(axis=1))
    at_table = strengths[list(table.members)]
    powers = np.exp(at_table - at_table.max())
    return random.multinomial(games, powers / powers.sum(), size=samples).astype(np.float64)


def _fit(tables: list[_Tables], players: int, prior: float, start: Array) -> Array:
    """Newton's method from `start`; a long step that goes too far is halved."""
    if prior <= 0.0:
        _check_connected(tables, players)
    strengths = start.copy()
    for _ in range(_MOST_STEPS):
        step = _newton_step(tables, strengths, players, prior)
        length = float(np.abs(step).max(initial=0.0))
        if length < _PRECISE:
            return np.asarray(strengths - strengths.mean() if players else strengths)
        if length > _SAFE_STEP:
            step *= min(1.0, 3.0 / length)
            value = _likelihood(tables, strengths, prior)
            while _likelihood(tables, strengths + step, prior) < value - 1e-12 * abs(value) and length > _SAFE_STEP:
                step, length = step / 2.0, length / 2.0
        strengths = strengths + step
    raise BadValue(f"ratings cannot be fitted in {_MOST_STEPS} steps.")


def _check_connected(tables: list[_Tables], players: int) -> None:
    """Without a prior a fit exists only if everybody can be reached from everybody by steps from winner to loser."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    beaten = np.zeros((players, players))
    for table in tables:
        for size in range(table.members.shape[1]):
            np.add.at(beaten, (table.members[:, size, None], table.members), table.wins[:, size, None])
    if connected_components(coo_array(beaten), directed=True, connection="strong", return_labels=False) != 1:
        raise BadValue("ratings cannot be fitted without a prior: not everybody has won and lost, or some never met.")


def _shares(table: _Tables, strengths: Array) -> tuple[Array, Array]:
    """Chances to win of all members [tables, size], and the log of the sum of strengths of each table."""
    at_table = strengths[table.members]
    top = at_table.max(axis=1, keepdims=True)
    powers = np.exp(at_table - top)
    sums = powers.sum(axis=1, keepdims=True)
    return powers / sums, (top + np.log(sums))[:, 0]


def _likelihood(tables: list[_Tables], strengths: Array, prior: float) -> float:
    total = float((prior * (strengths - 2.0 * np.logaddexp(0.0, strengths))).sum())
    for table in tables:
        _, logs = _shares(table, strengths)
        total += float((table.wins * (strengths[table.members] - logs[:, None])).sum())
    return total


def _fit_all(tables: list[_Tables], drawn: list[Array], samples: int, prior: float, start: Array) -> Array:
    """The fits to many samples [samples, players], wins being [samples, tables, size] for each size of table.

    All go together by steps with the curvature at `start`, which is nearly theirs; the few that do not arrive so are fitted by themselves.
    """
    players = len(start)
    _, curvature = _slope_and_curvature(tables, start, players, prior)
    inverse = np.linalg.pinv(curvature, hermitian=True)
    strengths = np.tile(start, (samples, 1))
    places = [np.arange(samples)[:, None] * players + table.members.ravel() for table in tables]
    reached = np.zeros(samples, dtype=bool)
    for _ in range(_MOST_COMMON_STEPS):
        slopes = prior - 2.0 * prior / (1.0 + np.exp(-strengths))
        for table, wins, place in zip(tables, drawn, places, strict=True):
            powers = np.exp(strengths[:, table.members] - strengths[:, table.members].max(axis=2, keepdims=True))
            misses = wins - wins.sum(axis=2, keepdims=True) * powers / powers.sum(axis=2, keepdims=True)
            slopes += np.bincount(place.ravel(), misses.ravel(), samples * players).reshape(samples, players)
        steps = np.clip(slopes @ inverse, -1.0, 1.0)
        strengths += steps
        reached = np.abs(steps).max(axis=1, initial=0.0) < _PRECISE_ENOUGH
        if reached.all():
            break
    for sample in np.flatnonzero(~reached):
        again = [_Tables(table.members, wins[sample]) for table, wins in zip(tables, drawn, strict=True)]
        strengths[sample] = _fit(again, players, prior, start)
    return np.asarray(strengths - strengths.mean(axis=1, keepdims=True))


def _newton_step(tables: list[_Tables], strengths: Array, players: int, prior: float) -> Array:
    """The solution of curvature x step = slope; without a prior the shortest one, as a common shift changes nothing."""
    slope, curvature = _slope_and_curvature(tables, strengths, players, prior)
    if prior <= 0.0:
        return np.asarray(np.linalg.lstsq(curvature, slope, rcond=None)[0])
    return np.asarray(np.linalg.solve(curvature, slope))


def _slope_and_curvature(tables: list[_Tables], strengths: Array, players: int, prior: float) -> tuple[Array, Array]:
    """The first derivative of the log-likelihood [players], and the second with its sign changed [players, players]."""
    share = 1.0 / (1.0 + np.exp(-strengths))
    slope = prior - 2.0 * prior * share
    curvature = np.zeros(players * players)
    diagonal = 2.0 * prior * share * (1.0 - share)
    for table in tables:
        chance, _ = _shares(table, strengths)
        games = table.wins.sum(axis=1, keepdims=True)
        slope += np.bincount(table.members.ravel(), (table.wins - games * chance).ravel(), players)
        diagonal += np.bincount(table.members.ravel(), (games * chance).ravel(), players)
        pairs = (table.members[:, :, None] * players + table.members[:, None, :]).ravel()
        curvature -= np.bincount(pairs, (games[:, :, None] * chance[:, :, None] * chance[:, None, :]).ravel(), players * players)
    matrix = curvature.reshape(players, players)
    matrix[np.diag_indices(players)] += diagonal
    return slope, matrix
