"""PPO of TorchRL on the PettingZoo environment: one network plays both seats of UNO and learns from itself.

    python examples/gallery/torchrl_ppo.py           about four minutes on one core; needs the extras envs and gallery
    kibitz match examples/gallery/torchrl_ppo.py:load random

In PettingZoo's AEC environments agents take turns, and what an agent's action leads to shows only when it acts again. `own_steps`
makes each agent's decisions into a trajectory of its own, which is what advantages are worked out along.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import kibitz
import kibitz.envs
from kibitz.core.extras import MissingExtra

try:
    import torch
    from tensordict import TensorDict
    from tensordict.nn import TensorDictModule
    from torch import nn
    from torchrl.collectors import Collector
    from torchrl.envs import DTypeCastTransform, PettingZooWrapper, TransformedEnv
    from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
    from torchrl.objectives import ClipPPOLoss
    from torchrl.objectives.value import GAE
except ImportError:
    raise MissingExtra("this example", "torchrl") from None

WEIGHTS = Path(__file__).with_suffix(".pt")
OPPONENT = "random"  # that measures; training is against itself
SEEN = ("players", "observation", "observation")

Curve = list[tuple[int, float, float]]  # decisions learned from, share of games won, its standard error


def network(outputs: int, hidden: int = 128) -> nn.Sequential:
    return nn.Sequential(nn.Linear(774, hidden), nn.ReLU(), nn.Linear(hidden, outputs))


def learn(steps: int = 100_000, measured: int = 10, games: int = 2_000, seed: int = 1) -> tuple[nn.Module, Curve]:
    """Train, and measure the network after each of some equal parts."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    agents = {"players": ["player_0", "player_1"]}  # one group, so that one network plays both
    table = PettingZooWrapper(kibitz.envs.aec("uno"), use_mask=True, group_map=agents, categorical_actions=True, seed=seed)
    env = TransformedEnv(table, DTypeCastTransform(torch.uint8, torch.float32, in_keys=[SEEN]))
    actions, values = network(85), network(1)
    actor = ProbabilisticActor(
        TensorDictModule(actions, in_keys=[SEEN], out_keys=[("players", "logits")]),
        in_keys={"logits": ("players", "logits"), "mask": ("players", "action_mask")},
        out_keys=[("players", "action")],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key=("players", "log_prob"),
    )
    critic = ValueOperator(values, in_keys=[SEEN], out_keys=["state_value"])
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)  # no discount; generalised advantage estimation
    loss = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, critic_coeff=0.5, normalize_advantage=True)
    loss.set_keys(action=("players", "action"), sample_log_prob=("players", "log_prob"))
    adam = torch.optim.Adam(loss.parameters(), lr=1e-3)
    batch = min(2_000, steps // measured)  # decisions between two updates
    curve: Curve = []
    collected = 0
    for rollout in Collector(env, actor, frames_per_batch=batch, total_frames=steps, auto_register_policy_transforms=False):
        with torch.no_grad():
            found = torch.cat([advantage(own_steps(rollout, agent)) for agent in (0, 1)])
        for _ in range(4):  # passes over a batch
            order = torch.randperm(len(found))
            for part in torch.split(order, 512):  # minibatches
                losses = loss(found[part])
                adam.zero_grad()
                (losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                adam.step()
        collected += batch
        if collected * measured // steps > len(curve):
            curve.append((collected, *measure(actions, games)))
    return actions, curve


def own_steps(rollout: TensorDict, agent: int) -> TensorDict:
    """The decisions of one agent: each brings what comes until that agent acts again."""
    acts = rollout["players", "mask"][:, agent]
    number = acts.cumsum(0) - 1  # of the agent's decision that a step belongs to
    after = number >= 0
    rows = acts.nonzero().squeeze(1)
    nothing = torch.zeros(len(rows), 1)
    reward = nothing.index_add(0, number[after], rollout["next", "players", "reward"][after, agent])
    done = nothing.index_add(0, number[after], rollout["next", "done"][after].float()) > 0
    own = rollout["players"][rows, agent].select("observation", "action", "action_mask", "log_prob")
    following = {"observation": own["observation"][1:]}
    ends = {"reward": reward[:-1], "done": done[:-1], "terminated": done[:-1]}
    return TensorDict({"players": own[:-1], "next": {"players": following, **ends}}, batch_size=[len(rows) - 1])


def measure(actions: nn.Module, games: int) -> tuple[float, float]:
    row = kibitz.match([kibitz.envs.as_bot(actions, "uno"), OPPONENT], games=games, seed=7)[0]
    return row.win_rate, row.win_rate_se


def load() -> nn.Module:
    """The trained network, for `kibitz match`."""
    actions = network(85)
    actions.load_state_dict(torch.load(WEIGHTS, weights_only=True))
    return actions


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100_000, help="decisions to learn from")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    network_trained, curve = learn(asked.steps, seed=asked.seed)
    for steps, won, error in curve:
        print(f"{steps:9,} decisions: {100 * won:.1f} ± {100 * error:.1f} % won against {OPPONENT}")
    torch.save(network_trained.state_dict(), WEIGHTS)
