"""What the values of a search come down to if its budget has no end, exactly: so its table can be checked, not only its play.

Which values these are is known of few searches; a game says so by `Face.solver_references`.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np

from kibitz.experiments.studies.exact.game_tree import Tree
from kibitz.registry import Entrant
from kibitz.search.exact.response import plan_from
from kibitz.search.exact.sequences import Floats, Side

TIES = 1e-9


class Reference(NamedTuple):
    """Exact values of actions, by seat and sequence. `compared` has nan where a search and the solved game are not about the same."""

    name: str
    values: tuple[Floats, Floats]
    compared: tuple[Floats, Floats]

    def plans(self, tree: Tree) -> tuple[Floats, Floats]:
        """How a search plays that knows these values: the best action everywhere, of equally good ones each as often."""
        first, second = (plan_from(side, best_choices(side, values)) for side, values in zip(tree.sides, self.values, strict=True))
        return first, second


def best_choices(side: Side, values: Floats) -> Floats:
    """The chance of each action if the best is taken, of several best ones by lot."""
    choices: Floats = np.ones(side.sequences)
    for start, count in zip(side.starts.tolist(), side.counts.tolist(), strict=True):
        stretch = values[start : start + count]
        best = stretch >= stretch.max() - TIES
        choices[start : start + count] = best / best.sum()
    return choices


class References(Protocol):
    """Exact values in one game, found when they are first asked for."""

    def of(self, entrant: Entrant) -> Reference | None:
        """What a search's values tend to, None if that is not known."""


class NoReferences:
    """Of a game of which nothing is known."""

    def __init__(self, tree: Tree) -> None:
        pass

    def of(self, entrant: Entrant) -> Reference | None:
        """Nothing."""
        return None
