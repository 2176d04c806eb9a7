"""Many games at once for a learner: a Gymnasium VectorEnv over the compiled engine."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from kibitz.core.errors import BadBot, BadValue, UnknownName
from kibitz.core.seeds import check_seed
from kibitz.envs.episode import check_reward
from kibitz.envs.spaces import observation_space
from kibitz.envs.vector_kernels import CUT_OFF, ENDED, LIVE, POINTS, RESET, SCORE, STEP, WIN, compiled_step
from kibitz.play.lineup import Lineup
from kibitz.play.observing import encoding_of
from kibitz.play.playing import compiled_fault
from kibitz.play.table_arrays import TableArray
from kibitz.runs.units import worker_count

_REWARDS = {"win": WIN, "points": POINTS, "score": SCORE}
_MODES = {"next_step": AutoresetMode.NEXT_STEP, "same_step": AutoresetMode.SAME_STEP}
MOST_ENVS = 1 << 20


class TableVector(VectorEnv):
    """`num_envs` games in each of which one seat learns, against or with bots.

    Environment e plays games e, e + num_envs, e + 2 num_envs … of the seed, so results don't depend on threads. Arrays that are
    returned are copies, unless `copy` is off: then they are overwritten by the next step.
    """

    def __init__(
        self, lineup: Lineup, num_envs: int, reward: str | None = None, autoreset: str = "next_step", threads: int | None = None, copy: bool = True
    ) -> None:  # fmt: skip
        if not 1 <= num_envs <= MOST_ENVS:
            raise BadValue(f"num_envs={num_envs} is out of range: 1 to {MOST_ENVS}.")
        if autoreset not in _MODES:
            raise UnknownName("autoreset mode", autoreset, tuple(_MODES))
        slow = [entrant.name for entrant in lineup.entrants[1:] if not entrant.is_compiled]
        if slow:
            raise BadBot(f"bot {slow[0]} runs as Python, and a vector of environments needs compiled bots; use the single environment.")
        self.lineup, self.num_envs, self.copy = lineup, num_envs, copy
        game = lineup.game
        self._reward = _REWARDS[check_reward(game, reward)]
        self._same_step = int(autoreset == "same_step")
        self.encoding = encoding_of(game, lineup.rules, lineup.players)
        self.metadata = {"autoreset_mode": _MODES[autoreset], "name": f"kibitz/{game.name}-v0"}
        self.single_observation_space = observation_space(self.encoding)
        self.single_action_space = spaces.Discrete(self.encoding.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._workers = min(worker_count(threads), num_envs)
        self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="kibitz") if self._workers > 1 else None
        self._step_many = compiled_step(game, self.encoding, lineup.players)
        self._arrays = TableArray(lineup, num_envs, self._workers)
        size, actions = self.encoding.size, self.encoding.actions
        self._vectors, self._masks = np.zeros((num_envs, size), np.uint8), np.zeros((num_envs, actions), np.int8)
        self._finals = np.zeros((num_envs, size) if self._same_step else (1, size), np.uint8)
        self._rewards, self._stands = np.zeros(num_envs, np.float32), np.zeros(num_envs, np.uint8)
        self._rows = np.arange(num_envs)
        self._seed, self._begun = 0, False

    # -- Gymnasium's interface --

    def reset(self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal in every environment: the first games of a seed, or the next ones without."""
        if seed is not None or not self._begun:
            if isinstance(seed, Sequence):
                raise BadValue("a vector of environments takes one seed, of which each environment plays games of its own.")
            self._seed = check_seed(secrets.randbits(63) if seed is None else int(seed))
            self._arrays.tables["index"] = np.arange(self.num_envs) - self.num_envs
        self._begun = True
        self._stands[:] = LIVE
        self._run(RESET, self._rows)
        return self._seen(), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Carry out an action in every environment."""
        if not self._begun:
            raise BadValue("reset the environments before the first step.")
        chosen = np.ascontiguousarray(actions, dtype=np.int64)
        self._check(chosen)
        self._run(STEP, chosen)
        infos: dict[str, Any] = {}
        ended = self._stands == ENDED
        cut_off = self._stands == CUT_OFF
        over = ended | cut_off
        if self._same_step and over.any():
            infos = {"final_obs": {"observation": self._finals.copy()}, "_final_obs": over}
        return self._seen(), self._given(self._rewards), ended, cut_off, infos

    def action_masks(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """The legal actions of every environment."""
        return self._masks.astype(bool)

    def close_extras(self, **kwargs: Any) -> None:
        """End the threads."""
        if self._pool:
            self._pool.shutdown()

    # -- inside --

    def _seen(self) -> dict[str, Any]:
        return {"observation": self._given(self._vectors), "action_mask": self._given(self._masks)}

    def _given(self, array: Any) -> Any:
        return array.copy() if self.copy else array

    def _check(self, actions: Any) -> None:
        """Refuse actions that are not legal, before anything is carried out. An environment whose game has ended takes any."""
        if actions.shape != (self.num_envs,):
            raise BadValue(f"actions of shape {actions.shape} are not accepted; one for each of the {self.num_envs} environments is.")
        live = self._rows if self._same_step else np.flatnonzero(self._stands == LIVE)
        chosen = actions[live]
        outside = (chosen < 0) | (chosen >= self.encoding.actions)
        wrong = outside | (self._masks[live, np.where(outside, 0, chosen)] == 0)
        if wrong.any():
            env = int(live[np.argmax(wrong)])
            raise BadValue(f"action {actions[env]} of environment {env} is not legal; legal are {self._legal_names(env)}.")

    def _legal_names(self, env: int) -> str:
        game, state = self.lineup.game, self.lineup.new_state()
        return ", ".join(f"{action} ({game.action_name(state, int(action))})" for action in np.flatnonzero(self._masks[env]))

    def _run(self, what: int, actions: Any) -> None:
        starts = range(0, self.num_envs, self._arrays.share)

        def run(first: int) -> int:
            return int(
                self._step_many(
                    *self._arrays.addresses, first, min(self._arrays.share, self.num_envs - first), np.uint64(self._seed),
                    self.num_envs, what, self._reward, self._same_step, actions, self._stands, self._rewards,
                    self._vectors.reshape(-1), self._masks.view(np.uint8).reshape(-1), self._finals.reshape(-1),
                )
            )  # fmt: skip

        faults = list(self._pool.map(run, starts)) if self._pool else [run(first) for first in starts]
        for env in faults:
            if env >= 0:
                made = self._arrays.made[0]
                made.table[:], made.state[:] = self._arrays.tables[env], self._arrays.states[env]
                raise compiled_fault(self.lineup, made, self._seed)
