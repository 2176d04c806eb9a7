"""DQN of RLCard on Kibitz's engine: RLCard's own agent, as it is, in the environment that has RLCard's interface.

    python examples/gallery/rlcard_dqn.py            about five minutes on one core; needs the extras envs and gallery

One seat learns against RLCard's random player. Both are measured in both seats of the same deals, since the first player has an
advantage under RLCard's rules.
"""

from __future__ import annotations

import argparse
import io
from contextlib import redirect_stdout
from typing import Any

import numpy as np

from kibitz.core.extras import MissingExtra
from kibitz.envs.uno import rlcard_style

try:
    import rlcard
    import torch
    from rlcard.agents import DQNAgent, RandomAgent
    from rlcard.utils import reorganize
except ImportError:
    raise MissingExtra("this example", "rlcard") from None

OPPONENT = "RandomAgent"

Curve = list[tuple[int, float, float]]  # games learned from, share of games won, its standard error


def learn(games: int = 8_000, measured: int = 8, measure_games: int = 2_000, seed: int = 1) -> tuple[Any, Curve]:
    """Train, and measure the agent after each of some equal parts."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    np.random.seed(seed)
    rlcard_style.register()
    env = rlcard.make("kibitz-uno", config={"seed": seed})
    agent = DQNAgent(
        num_actions=env.num_actions,
        state_shape=env.state_shape[0],
        mlp_layers=[128, 128],  # hidden layers
        learning_rate=5e-4,  # of Adam
        discount_factor=0.99,  # per decision
        epsilon_decay_steps=20_000,  # decisions until only one in ten is random
        replay_memory_size=50_000,  # decisions to learn from
        replay_memory_init_size=1_000,  # decisions before the first update
        update_target_estimator_every=1_000,  # updates between two copies of the network
        batch_size=64,  # decisions in an update
        train_every=4,  # decisions between two updates
        device=torch.device("cpu"),
    )
    env.set_agents([agent, RandomAgent(env.num_actions)])
    curve: Curve = []
    for game in range(1, games + 1):
        trajectories, payoffs = env.run(is_training=True)
        with redirect_stdout(io.StringIO()):  # it reports every update
            for transition in reorganize(trajectories, payoffs)[0]:
                agent.feed(transition)
        if game * measured // games > len(curve):
            curve.append((game, *measure(agent, measure_games)))
    return agent, curve


def measure(agent: Any, games: int, seed: int = 7) -> tuple[float, float]:
    """The share of games won in both seats of the same deals, and its standard error over deals."""
    wins = np.zeros(games // 2)
    for seat in (0, 1):
        env = rlcard.make("kibitz-uno", config={"seed": seed})
        np.random.seed(seed)
        env.set_agents([agent, RandomAgent(env.num_actions)] if seat == 0 else [RandomAgent(env.num_actions), agent])
        wins += [env.run(is_training=False)[1][seat] > 0 for _ in wins]
    return float(wins.mean() / 2), float(wins.std(ddof=1) / 2 / len(wins) ** 0.5)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=8_000, help="games to learn from")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    for games, won, error in learn(asked.games, seed=asked.seed)[1]:
        print(f"{games:9,} games: {100 * won:.1f} ± {100 * error:.1f} % won against {OPPONENT}")
