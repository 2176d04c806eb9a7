"""PPO of Tianshou on the PettingZoo environment: one network plays both seats of UNO and learns from itself.

    python examples/gallery/tianshou_ppo.py          about a minute on one core; needs the extras envs and gallery
    kibitz match examples/gallery/tianshou_ppo.py:load random

In a game of turns, Tianshou takes what the *other* player sees next for what an action leads to, and leaves out rewards that come while
the other acts. `InTurns` works out advantages along each player's own decisions instead.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import Any

import numpy as np

import kibitz
import kibitz.envs
from kibitz.core.extras import MissingExtra

try:
    import torch
    from tianshou.algorithm.modelfree.ppo import PPO
    from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOnPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.data import Batch, Collector, ReplayBuffer, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.trainer import OnPolicyTrainerParams
    from torch import nn
except ImportError:
    raise MissingExtra("this example", "tianshou") from None

WEIGHTS = Path(__file__).with_suffix(".pt")
OPPONENT = "random"  # that measures; training is against itself
TABLES = 8

Curve = list[tuple[int, float, float]]  # decisions learned from, share of games won, its standard error


def network(outputs: int, hidden: int = 128) -> nn.Sequential:
    return nn.Sequential(nn.Linear(774, hidden), nn.ReLU(), nn.Linear(hidden, outputs))


class Seeing(nn.Module):
    """A network on what Tianshou calls an observation: with a mask, its scores are those of actions, as low as can be where masked out."""

    def __init__(self, net: nn.Module, masked: bool) -> None:
        super().__init__()
        self.net, self.masked = net, masked

    def forward(self, obs: Batch, state: object = None, info: object = None) -> Any:
        found = self.net(torch.as_tensor(np.asarray(obs.obs), dtype=torch.float32))
        if not self.masked:
            return found
        return found.masked_fill(~torch.as_tensor(np.asarray(obs.mask), dtype=torch.bool), -1e9), None


class InTurns(PPO):  # type: ignore[misc]
    """PPO whose advantages follow one player's decisions: each brings what comes until that player acts again."""

    def _add_returns_and_advantages(self, batch: Any, buffer: ReplayBuffer, indices: np.ndarray) -> Any:
        with torch.no_grad():
            batch.v_s = self.critic(batch.obs).flatten()
        rewards, ends = own_steps(buffer, indices)
        values = batch.v_s.numpy()
        advantages = np.zeros(len(indices), np.float32)
        advantage = following = 0.0
        for step in reversed(range(len(indices))):
            if ends[step]:
                advantage = following = 0.0
            advantage = rewards[step] + self.gamma * following - values[step] + self.gamma * self.gae_lambda * advantage
            advantages[step], following = advantage, values[step]
        batch.adv = torch.from_numpy(advantages)
        batch.returns = batch.adv + batch.v_s
        return batch


def own_steps(buffer: ReplayBuffer, indices: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What each of one player's decisions brings until the next one, and whether the game ends in between; of whole games."""
    every = buffer.sample_indices(0)  # all steps, of one table after the other
    decision = np.cumsum(np.isin(every, indices)) - 1  # that a step belongs to
    after = decision >= 0
    rewards, ends = np.zeros(len(indices)), np.zeros(len(indices), bool)
    np.add.at(rewards, decision[after], buffer.rew[every][after])
    np.logical_or.at(ends, decision[after], buffer.done[every][after])
    return rewards, ends


def learn(steps: int = 150_000, measured: int = 6, games: int = 2_000, seed: int = 1) -> tuple[nn.Module, Curve]:
    """Train, and measure the network after each of some equal parts."""
    logging.getLogger("tianshou").setLevel(logging.ERROR)  # it warns of the shape of its own statistics
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    np.random.seed(seed)
    tables = DummyVectorEnv([lambda: PettingZooEnv(kibitz.envs.aec("uno"))] * TABLES)
    tables.seed(seed)
    table = PettingZooEnv(kibitz.envs.aec("uno"))
    actions = network(85)
    learner = InTurns(
        policy=DiscreteActorPolicy(actor=Seeing(actions, masked=True), action_space=table.action_space),
        critic=Seeing(network(1), masked=False),
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,  # no discount: only winning counts
        gae_lambda=0.95,
        max_grad_norm=0.5,
        ent_coef=0.01,
    )
    both = MultiAgentOnPolicyAlgorithm(algorithms=[learner, learner], env=table)
    collector = Collector(both, tables, VectorReplayBuffer(100_000, TABLES))
    collector.reset()
    curve: Curve = []
    while len(curve) < measured:
        trained = both.run_training(
            OnPolicyTrainerParams(
                training_collector=collector,
                max_epochs=1,
                epoch_num_steps=steps // measured,
                collection_step_num_env_steps=None,
                collection_step_num_episodes=3 * TABLES,  # whole games between two updates
                update_step_num_repetitions=4,  # passes over a batch
                batch_size=512,
                show_progress=False,
                verbose=False,
            )
        )
        row = kibitz.match([kibitz.envs.as_bot(actions, "uno"), OPPONENT], games=games, seed=7)[0]
        curve.append(((curve[-1][0] if curve else 0) + trained.train_step, row.win_rate, row.win_rate_se))
    return actions, curve


def load() -> nn.Module:
    """The trained network, for `kibitz match`."""
    actions = network(85)
    actions.load_state_dict(torch.load(WEIGHTS, weights_only=True))
    return actions


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=150_000, help="decisions to learn from")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    trained, curve = learn(asked.steps, seed=asked.seed)
    for steps, won, error in curve:
        print(f"{steps:9,} decisions: {100 * won:.1f} ± {100 * error:.1f} % won against {OPPONENT}")
    torch.save(trained.state_dict(), WEIGHTS)
