"""A Gymnasium environment: one seat learns, bots have the others."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np

from kibitz.core.errors import UnknownName
from kibitz.envs.episode import Episode, Observation
from kibitz.envs.rendering import RENDER_MODES, Renderer
from kibitz.envs.spaces import LegalDiscrete, observation_space
from kibitz.play.lineup import Lineup

ILLEGAL = ("raise", "lose")
METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}


class SoloEnv(gymnasium.Env[Any, Any]):
    """You against bots, or with them. Seats are drawn for every game, and a step ends at your next decision.

    An action that is not legal raises an error that says what is; with `illegal="lose"` it ends the game instead, lost. That is for
    programs that can't mask, such as Gymnasium's own `check_env`, which steps with an action of an earlier state.

    Rewards: in a game of teams what the points rose by, so that they add up to the score; else at the end alone. Games in which
    you never have a choice are passed over.
    """

    metadata = METADATA

    def __init__(self, lineup: Lineup, reward: str | None = None, illegal: str = "raise", render_mode: str | None = None) -> None:
        if illegal not in ILLEGAL:
            raise UnknownName("value of illegal:", illegal, ILLEGAL)
        self._loses = illegal == "lose"
        self.episode = Episode(lineup, reward)
        self.render_mode = render_mode
        self._renderer = Renderer(self.episode, render_mode)
        self._seat = 0
        self.observation_space = observation_space(self.episode.encoding)
        self.action_space = LegalDiscrete(self.episode.encoding.actions, self._mask)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        """Deal: the first game of a seed, or the next one without."""
        super().reset(seed=seed)
        self.episode.begin(seed)
        while self.episode.seat < 0:
            self.episode.begin()
        self._seat = self.episode.seat
        self._renderer.follow()
        return self.episode.observe(self._seat), {}

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out your action, and let the others play until you are asked again or the game is over."""
        if self._loses and not (self.action_space.contains(action) and self._mask()[action]):
            return self.episode.observe(self._seat), self.episode.concede(self._seat), True, False, {"illegal": action}
        self.episode.take(action)
        over = self.episode.seat < 0
        cut_off = over and self.episode.is_cut_off
        self._renderer.follow()
        return self.episode.observe(self._seat), self.episode.rewards[self._seat], over and not cut_off, cut_off, {}

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Your legal actions, as MaskablePPO of sb3-contrib asks for them."""
        return self._mask().astype(bool)

    def _mask(self) -> np.ndarray[Any, Any]:
        return self.episode.observe(self._seat)["action_mask"]

    def render(self) -> Any:
        """The table as the render mode says."""
        return self._renderer.render()
