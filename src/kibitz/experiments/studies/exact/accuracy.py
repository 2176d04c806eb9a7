"""How near the values that a search gives its actions are to the exact ones, added up over all that it was asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import stdev

import numpy as np

from kibitz.experiments.studies.exact.game_tree import Tree
from kibitz.experiments.studies.exact.minds import Opinion
from kibitz.experiments.studies.exact.values import WIN, Reference
from kibitz.policies.valuation import WIN_CHANCE
from kibitz.search.exact.sequences import Floats

ROUNDING = 1e-12


@dataclass(frozen=True)
class Accuracy:
    """How far values of actions are from the exact ones; wins count 1, losses -1, all actions of all information sets the same.

    All figures are roots of mean squares: `error` of how far one value is off, `claimed` of what the search itself says of that,
    `averaged` of how far the means over all answers are off, and `by_chance` of what these would be off by chance alone.
    """

    reference: str
    actions: int  # how many are compared
    error: float
    error_se: float
    claimed: float
    averaged: float
    by_chance: float
    certain: int  # actions whose value is the same whatever the hidden cards: every answer was alike


class OpinionSums:
    """Sums over the opinions of one search on every action of a tree."""

    def __init__(self, tree: Tree, reference: Reference) -> None:
        self.tree, self.reference = tree, reference
        sizes = [side.sequences for side in tree.sides]
        self.counts, self.sums, self.squares, self.claims = ([np.zeros(size) for size in sizes] for _ in range(4))

    def note(self, seat: int, number: int, opinions: Sequence[Sequence[Opinion]]) -> None:
        """Keep what was said at an information set of a seat."""
        side = self.tree.sides[seat]
        places = {int(side.actions[place]): place for place in side.sequences_of(number)}
        exact = self.reference.compared[seat]
        for table in opinions:
            for opinion in table:
                place = places[opinion.action]
                if np.isnan(exact[place]) or not opinion.visits:
                    continue
                scale = 2.0 if opinion.unit == WIN_CHANCE else 1 / WIN
                value = opinion.value * scale - (1.0 if opinion.unit == WIN_CHANCE else 0.0)
                self.counts[seat][place] += 1
                self.sums[seat][place] += value
                self.squares[seat][place] += value * value
                self.claims[seat][place] += (opinion.error * scale) ** 2


def accuracy_of(parts: Sequence[OpinionSums]) -> Accuracy | None:
    """What independent parts of a sample say together; None if the search had no opinion to compare."""
    whole = OpinionSums(parts[0].tree, parts[0].reference)
    for part in parts:
        for seat in (0, 1):
            for kept, new in zip(_arrays(whole, seat), _arrays(part, seat), strict=True):
                np.add(kept, new, out=kept)
    if not sum(counts.sum() for counts in whole.counts):
        return None
    errors = [_error(part) for part in parts]
    counts, offs, variances = distances(whole)
    return Accuracy(
        reference=whole.reference.name,
        actions=int(sum((counts > 0).sum() for counts in whole.counts)),
        error=_error(whole),
        error_se=stdev(errors) / sqrt(len(errors)),
        claimed=_root(np.concatenate([_means(whole, whole.claims, seat) for seat in (0, 1)])),
        averaged=_root(offs * offs),
        by_chance=_root(variances / np.maximum(counts - 1, 1)),
        certain=int((variances < ROUNDING).sum()),
    )


def _arrays(opinions: OpinionSums, seat: int) -> list[Floats]:
    return [opinions.counts[seat], opinions.sums[seat], opinions.squares[seat], opinions.claims[seat]]


def _means(opinions: OpinionSums, sums: list[Floats], seat: int) -> Floats:
    seen = opinions.counts[seat] > 0
    means: Floats = sums[seat][seen] / opinions.counts[seat][seen]
    return means


def distances(opinions: OpinionSums) -> tuple[Floats, Floats, Floats]:
    """For each action that was valued: how often, how far the mean of its values is off, and their variance."""
    counts, offs, variances = [], [], []
    for seat in (0, 1):
        seen = opinions.counts[seat] > 0
        means = _means(opinions, opinions.sums, seat)
        counts.append(opinions.counts[seat][seen])
        offs.append(means - opinions.reference.compared[seat][seen])
        variances.append(np.maximum(_means(opinions, opinions.squares, seat) - means * means, 0.0))
    return np.concatenate(counts), np.concatenate(offs), np.concatenate(variances)


def _error(opinions: OpinionSums) -> float:
    _, offs, variances = distances(opinions)
    return _root(offs * offs + variances)


def _root(squares: Floats) -> float:
    return sqrt(float(np.mean(squares))) if len(squares) else 0.0
