"""Every action of a game so far. Of a game that was left it is gone through again before anybody is asked.

Equal seeds and equal moves give equal games, so the bots do again what they did, and the person's moves are taken from what was
kept. If anybody does otherwise, the game is not the one that was left, and it ends with `Diverged`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kibitz.core.errors import KibitzError


class Diverged(BaseException):
    """A game goes otherwise than when it was left. Nobody may take it for a mistake of a bot, so it is no `Exception`."""


class MoveLog:
    """Every action of a game by name, deal by deal; `kept` is what was done before the game was left.

    `keep` is called with all deals whenever the person has made a new move.
    """

    def __init__(self, kept: Sequence[Sequence[str]] = (), keep: Callable[[list[list[str]]], None] = lambda deals: None) -> None:
        self._kept = [list(actions) for actions in kept]
        self._keep = keep
        self._is_own = False
        self.deals: list[list[str]] = []
        self.own_moves = 0

    def begin_deal(self) -> None:
        """A deal begins."""
        self.deals.append([])

    @property
    def is_repeating(self) -> bool:
        """Whether there is more of what was kept."""
        return sum(map(len, self.deals)) < sum(map(len, self._kept))

    def repeated(self, game: Any, view: Any) -> int | None:
        """The person's next move as it was kept, None once there is none; the person is asked then, or has answered with it."""
        self._is_own = True
        if not self.is_repeating:
            return None
        try:
            action = int(game.action_from_name(view, self._expected()))
        except KibitzError as error:
            raise Diverged(str(error)) from None
        if not view.is_legal(action):
            raise Diverged(f"{self._expected()} is not possible at turn {view.turn}")
        return action

    def note(self, name: str) -> None:
        """Somebody has taken an action."""
        was_kept, expected = self.is_repeating, self._expected()
        self.deals[-1].append(name)
        if was_kept and name != expected:
            raise Diverged(f"move {len(self.deals[-1])} of deal {len(self.deals)} is {name} now, and was {expected or 'none'}")
        if self._is_own:
            self._is_own = False
            self.own_moves += 1
            if not was_kept:
                self._keep(self.deals)

    def _expected(self) -> str:
        """The action that was kept for the place where the game is; empty if there is none."""
        deal, place = len(self.deals) - 1, len(self.deals[-1])
        return self._kept[deal][place] if deal < len(self._kept) and place < len(self._kept[deal]) else ""
