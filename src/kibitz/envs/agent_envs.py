"""PettingZoo environments: every seat is an agent. `env` takes turns (AEC), `parallel_env` is stepped with the actions of all agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.env_logger import EnvLogger

from kibitz.core.errors import BadValue
from kibitz.envs.episode import Episode, Observation, lineup_with
from kibitz.envs.rendering import RENDER_MODES, Renderer
from kibitz.envs.spaces import LegalDiscrete, observation_space

_METADATA: dict[str, Any] = {"render_modes": list(RENDER_MODES), "is_parallelizable": True, "render_fps": 2}


class _Agents:
    """A game in which all seats are agents: what both kinds of environment share."""

    metadata: dict[str, Any] = _METADATA

    def __init__(self, game: str | None, players: int, rules: Any, reward: str | None, render_mode: str | None) -> None:
        self.episode = Episode(lineup_with(game, [None] * players, rules, "fixed"), reward)
        self.metadata = {**_METADATA, "name": f"{self.episode.game.name}_v0"}
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents: list[str] = []
        self.render_mode = render_mode
        self._renderer = Renderer(self.episode, render_mode)
        encoding = self.episode.encoding
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {agent: observation_space(encoding) for agent in self.possible_agents}
        self.action_spaces = {agent: LegalDiscrete(encoding.actions, self._legal_now) for agent in self.possible_agents}

    def _legal_now(self) -> np.ndarray[Any, Any]:
        """The legal actions of the player to act."""
        return self.episode.observe(max(self.episode.seat, 0))["action_mask"]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's observations: the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of an agent's actions: the same object at every call."""
        return self.action_spaces[agent]

    def observe(self, agent: str) -> Observation:
        """What an agent sees; its mask is all zeros unless it is to act."""
        return self.episode.observe(self._seats[agent])

    def render(self) -> Any:
        """Show the table as the render mode says."""
        return self._renderer.render()

    def close(self) -> None:
        """Nothing is left open."""

    def _deal(self, seed: int | None) -> None:
        """Begin a game in which somebody has a choice."""
        self.episode.begin(seed)
        while self.episode.seat < 0:
            self.episode.begin()
        self.agents = self.possible_agents[:]
        self._renderer.follow()

    def _by_agent(self, values: list[float]) -> dict[str, float]:
        return dict(zip(self.possible_agents, values, strict=True))

    def __str__(self) -> str:
        return str(self.metadata["name"])


class _SinceReset:
    """An attribute that is there from the first reset on."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, env: Any, owner: type) -> Any:
        raise AttributeError(f"{self._name} cannot be accessed before reset")


class TurnEnv(_Agents, AECEnv):  # type: ignore[misc]  # PettingZoo has no type hints
    """Agents take turns; `agent_selection` is to act. Decisions without a choice are made for them.

    It checks itself what PettingZoo's OrderEnforcingWrapper checks, which would double the time of a step.
    """

    rewards: Any = _SinceReset()
    terminations: Any = _SinceReset()
    truncations: Any = _SinceReset()
    infos: Any = _SinceReset()
    agent_selection: Any = _SinceReset()

    def __init__(
        self, game: str | None = None, players: int = 2, rules: Any = None, reward: str | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__(game, players, rules, reward, render_mode)
        self._steps = 0  # and resets
        self._rewards_on_the_way, self._is_shown = self.episode.game.cooperative, render_mode is not None

    def agent_iter(self, max_iter: int = 2**63) -> Iterator[str]:
        """The agent to act, again and again until the game is over; between two of them there must be a step."""
        left, before = max_iter, -1
        while self.agents and left > 0:
            if self._steps == before:
                raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
            before, left = self._steps, left - 1
            yield self.agent_selection

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal: the first game of a seed, or the next one without."""
        self._deal(seed)
        self._steps += 1
        self.rewards, self._cumulative_rewards = dict.fromkeys(self.agents, 0.0), dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.episode.seat]
        if self.episode.game.cooperative:
            self._cumulative_rewards = self._by_agent(self.episode.rewards)

    def step(self, action: Any) -> None:
        """Carry out an action of the agent to act."""
        episode = self.episode
        if episode.seat < 0:
            self._step_after_the_end(action)
            return
        episode.take(action)
        self._steps += 1
        seat = episode.seat
        if seat >= 0 and not self._rewards_on_the_way:  # nobody has got anything since the reset
            self.agent_selection = self.possible_agents[seat]
            if self._is_shown:
                self._renderer.follow()
            return
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.rewards = self._by_agent(self.episode.rewards)
        self._accumulate_rewards()
        if seat < 0:
            ended = self.truncations if self.episode.is_cut_off else self.terminations
            ended.update(dict.fromkeys(self.agents, True))
            self.agent_selection = self.agents[0]
        else:
            self.agent_selection = self.possible_agents[seat]
        self._renderer.follow()

    def _step_after_the_end(self, action: Any) -> None:
        if not self._steps:
            EnvLogger.error_step_before_reset()
        self._steps += 1
        if self.agents:
            self._was_dead_step(action)
        else:
            EnvLogger.warn_step_after_terminated_truncated()


class TogetherEnv(_Agents, ParallelEnv):  # type: ignore[misc]  # PettingZoo has no type hints
    """All agents hand in an action, and that of the player to act is carried out; the mask of the others is all zeros."""

    def __init__(
        self, game: str | None = None, players: int = 2, rules: Any = None, reward: str | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__(game, players, rules, reward, render_mode)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Observation], dict[str, Any]]:
        """Deal: the first game of a seed, or the next one without."""
        self._deal(seed)
        return self._observations(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, Any]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]:
        """Carry out the action of the agent to act."""
        agent = self.possible_agents[self.episode.seat]
        if agent not in actions:
            raise BadValue(f"{agent} is to act, and there is no action of that agent; there are some of: {', '.join(actions) or 'nobody'}.")
        self.episode.take(actions[agent])
        over, agents = self.episode.seat < 0, self.agents
        cut_off = over and self.episode.is_cut_off
        if over:
            self.agents = []
        self._renderer.follow()
        observations = {agent: self.observe(agent) for agent in agents}
        ends, cuts = dict.fromkeys(agents, over and not cut_off), dict.fromkeys(agents, cut_off)
        return observations, self._by_agent(self.episode.rewards), ends, cuts, {agent: {} for agent in agents}

    def _observations(self) -> dict[str, Observation]:
        return {agent: self.observe(agent) for agent in self.agents}


def raw_env(game: str | None = None, **options: Any) -> TurnEnv:
    """The environment in which agents take turns."""
    return TurnEnv(game, **options)


def env(game: str | None = None, **options: Any) -> TurnEnv:
    """The same: nothing is wrapped around it."""
    return raw_env(game, **options)


def parallel_env(game: str | None = None, **options: Any) -> TogetherEnv:
    """The environment that is stepped with the actions of all agents."""
    return TogetherEnv(game, **options)
