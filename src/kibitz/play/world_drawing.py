"""Worlds of a game: whole states that agree with what one seat has seen, drawn at random, for programs that search from states.

`Worlds` follow a game from one seat, as a bot does, and see no more. How a state is drawn is the game's own (`Face.worlds`).
"""

from __future__ import annotations

from typing import Any, Protocol

from kibitz.games.contract import GameDefinition


class Worlds(Protocol):
    """Follow a game from one seat; at any position, draw states that could be the real one."""

    def begin(self, view: Any) -> None:
        """A deal begins, or this comes to one that has."""

    def observe(self, view: Any, event: Any) -> None:
        """Something happened that everybody saw; the view is what the seat sees after the whole action."""

    def draw(self, view: Any, stream: int, state: Any) -> None:
        """Fill in a new state of the game's rules: what a view shows, and hidden cards drawn from a random stream."""

    def copy(self) -> Worlds:
        """Another that has followed the same deal."""


def worlds_of(game: GameDefinition) -> Worlds | None:
    """Who draws worlds of a game, for one seat of one deal; None if the game has nobody for it."""
    made = game.face.load("worlds")
    return None if made is None else made()
