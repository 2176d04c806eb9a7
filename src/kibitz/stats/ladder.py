"""A live ladder: ratings that move with every unit of games while a tournament goes on. Needs the extra `ratings`, which brings openskill.

The final ratings are fitted to all results at once (`kibitz.stats.ratings`) and do not depend on the order of games; these do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.extras import needed_for


@dataclass(frozen=True)
class Rung:
    """A player's place on the ladder: skill `mu`, how uncertain it is, and the ordinal that the ladder is sorted by, mu - 3 sigma."""

    player: int
    ordinal: float
    mu: float
    sigma: float
    updates: int


def _model() -> Any:
    with needed_for("a live ladder", "openskill"):
        from openskill.models import PlackettLuce
    return PlackettLuce()


class Ladder:
    """Plackett–Luce ratings by Bayesian updates, one a unit of games."""

    def __init__(self, players: int) -> None:
        self._model = _model()
        self._ratings = [self._model.rating() for _ in range(players)]
        self._updates = [0] * players

    def update(self, members: Sequence[int], wins: Sequence[int]) -> None:
        """A unit of games at a table is over: who won more stands before who won less, equal wins are a draw."""
        players = len(self._ratings)
        if len(set(members)) != len(members) or len(members) < 2 or not all(0 <= member < players for member in members):
            raise BadValue(f"table {tuple(members)} is not accepted: it has at least 2 different members, numbered 0 to {players - 1}.")
        if len(wins) != len(members):
            raise BadValue(f"wins {tuple(wins)} are not accepted: there is one number for each of the {len(members)} members.")
        ranks = [float(sum(other > own for other in wins)) for own in wins]
        rated = self._model.rate([[self._ratings[member]] for member in members], ranks=ranks)
        for member, (rating,) in zip(members, rated, strict=True):
            self._ratings[member] = rating
            self._updates[member] += 1

    def table(self) -> list[Rung]:
        """The ladder from the top."""
        rungs = [
            Rung(player, float(rating.ordinal()), float(rating.mu), float(rating.sigma), self._updates[player])
            for player, rating in enumerate(self._ratings)
        ]
        return sorted(rungs, key=lambda rung: (-rung.ordinal, rung.player))
