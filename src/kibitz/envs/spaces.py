"""The spaces of observations and actions, as Gymnasium and PettingZoo want them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from gymnasium import spaces

from kibitz.games.encoding import Encoding


def observation_space(encoding: Encoding) -> spaces.Dict:
    """An observation and a mask of legal actions."""
    return spaces.Dict(
        {
            "observation": spaces.Box(0, 1, (encoding.size,), np.uint8),
            "action_mask": spaces.Box(0, 1, (encoding.actions,), np.int8),
        }
    )


def no_legal_action() -> np.ndarray[Any, Any]:
    """The mask of a game that is not there."""
    return np.zeros(0, dtype=np.int8)


class LegalDiscrete(spaces.Discrete):
    """Actions by number. Without a mask, `sample` draws from the actions that are legal now; from all where none is."""

    def __init__(self, count: int, legal_now: Callable[[], np.ndarray[Any, Any]]) -> None:
        super().__init__(count)
        self._legal_now = legal_now

    def __reduce__(self) -> Any:
        """Without the game: in a file, such as that of a model, nothing is legal now."""
        return type(self), (int(self.n), no_legal_action), {name: value for name, value in vars(self).items() if name != "_legal_now"}

    def sample(self, mask: Any = None, probability: Any = None) -> np.int64:
        """A random action."""
        if mask is None and probability is None:
            legal = self._legal_now()
            mask = legal if legal.any() else None
        return super().sample(mask, probability)
