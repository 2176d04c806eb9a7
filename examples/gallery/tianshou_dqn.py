"""DQN of Tianshou on the PettingZoo environment: one seat of UNO learns against the random player in the other.

    python examples/gallery/tianshou_dqn.py          about five minutes on one core; needs the extras envs and gallery
    kibitz match examples/gallery/tianshou_dqn.py:load random

In a game of turns, Tianshou takes what the *other* player sees next for the state that an action leads to. Returns are therefore
followed to the end of the game (`n_step_return_horizon`), and nothing is estimated from that state.
"""

from __future__ import annotations

import argparse
import logging
from pathlib import Path

import numpy as np

import kibitz
import kibitz.envs
from kibitz.core.extras import MissingExtra

try:
    import torch
    from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv, PettingZooEnv
    from tianshou.trainer import OffPolicyTrainerParams
    from tianshou.utils.net.common import Net
    from torch import nn
except ImportError:
    raise MissingExtra("this example", "tianshou") from None

WEIGHTS = Path(__file__).with_suffix(".pt")
OPPONENT = "random"

Curve = list[tuple[int, float, float]]  # steps of both players, share of games won, its standard error


def network() -> Net:
    return Net(state_shape=774, action_shape=85, hidden_sizes=[128])


class Scores(nn.Module):
    """Tianshou's network as a function of observations alone, for `kibitz.envs.as_bot`."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net

    def forward(self, observations: torch.Tensor) -> torch.Tensor:
        scores: torch.Tensor = self.net(observations)[0]
        return scores


def learn(steps: int = 60_000, measured: int = 6, games: int = 1_000, seed: int = 1) -> tuple[nn.Module, Curve]:
    """Train, and measure the network after each of some equal parts."""
    logging.getLogger("tianshou").setLevel(logging.ERROR)  # it warns of the shape of its own statistics
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    np.random.seed(seed)
    tables = DummyVectorEnv([lambda: PettingZooEnv(kibitz.envs.aec("uno"))] * 8)
    tables.seed(seed)
    table = PettingZooEnv(kibitz.envs.aec("uno"))
    policy = DiscreteQLearningPolicy(model=network(), action_space=table.action_space)
    learner: DQN = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,  # no discount: only winning counts
        n_step_return_horizon=200,  # to the end of nearly every game
        target_update_freq=500,  # updates between two copies of the network, for what is still estimated
    )
    other = MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=table.action_space)
    both = MultiAgentOffPolicyAlgorithm(algorithms=[learner, other], env=table)
    collector = Collector(both, tables, VectorReplayBuffer(50_000, len(tables)), exploration_noise=True)
    collector.reset()
    curve: Curve = []
    while len(curve) < measured:
        # All at random at first, so that some games are won. An agent among several explores by what Tianshou calls inference.
        policy.set_eps_inference(max(1 - len(curve) / max(measured // 2, 1), 0.1))
        both.run_training(
            OffPolicyTrainerParams(
                training_collector=collector,
                max_epochs=1,
                epoch_num_steps=steps // measured,
                collection_step_num_env_steps=200,  # steps between two rounds of updates
                update_step_num_gradient_steps_per_sample=0.1,  # updates per step
                batch_size=256,  # steps in an update
                show_progress=False,
                verbose=False,
            )
        )
        row = kibitz.match([kibitz.envs.as_bot(Scores(policy.model), "uno"), OPPONENT], games=games, seed=7)[0]
        curve.append(((len(curve) + 1) * (steps // measured), row.win_rate, row.win_rate_se))
    return Scores(policy.model), curve


def load() -> nn.Module:
    """The trained network, for `kibitz match`."""
    scores = Scores(network())
    scores.load_state_dict(torch.load(WEIGHTS, weights_only=True))
    return scores


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60_000, help="steps to learn from, of both players")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    trained, curve = learn(asked.steps, seed=asked.seed)
    for steps, won, error in curve:
        print(f"{steps:9,} steps: {100 * won:.1f} ± {100 * error:.1f} % won against {OPPONENT}")
    torch.save(trained.state_dict(), WEIGHTS)
