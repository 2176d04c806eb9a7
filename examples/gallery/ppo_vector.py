"""PPO on the vector environment, in one file and in the manner of CleanRL: learns in ten minutes to beat mix2 at UNO.

    python examples/gallery/ppo_vector.py            about eight minutes; needs the extras envs and learn
    kibitz match examples/gallery/ppo_vector.py:load mix2 --games 20000 --seed 77

It wins 52.98 ± 0.35 % of these games, after 473 s on one core of which the measuring along the way is a part.

Thousands of games run inside the compiled engine, and one small network plays them all. PyTorch uses one thread, so equal seeds give
equal networks on any number of cores.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import kibitz
import kibitz.envs
from kibitz.core.extras import MissingExtra

try:
    import torch
    from torch import Tensor, nn
except ImportError:
    raise MissingExtra("this example", "torch") from None

OPPONENT = "mix2"
WEIGHTS = Path(__file__).with_suffix(".pt")

HIDDEN = 128  # width of both hidden layers
ENVS = 1_024  # games side by side
ROLLOUT = 32  # decisions per environment between two updates
EPOCHS = 3  # passes over a rollout
MINIBATCH = 4_096  # decisions per gradient step
LEARNING_RATE = 1e-3  # of Adam, annealed to 0
GAE_LAMBDA = 0.95  # generalised advantage estimation; the discount is 1, since only winning counts
CLIP_RANGE = 0.2  # how far the probability of an action may move in one update, as a ratio
ENTROPY_BONUS = 0.01  # against deciding too early, annealed to 0
VALUE_WEIGHT = 0.5  # of the value loss
LARGEST_NORM = 0.5  # of a gradient
IMPOSSIBLE = -1e9  # the logit of an illegal action

Curve = list[tuple[int, float, float]]  # decisions learned from, share of games won, its standard error


def linear(inputs: int, outputs: int, gain: float) -> nn.Linear:
    layer = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class Agent(nn.Module):
    """Scores for all actions and, for learning, the value of the position."""

    def __init__(self, inputs: int = 774, actions: int = 85) -> None:
        super().__init__()
        self.body = nn.Sequential(linear(inputs, HIDDEN, 2**0.5), nn.ReLU(), linear(HIDDEN, HIDDEN, 2**0.5), nn.ReLU())
        self.actor, self.critic = linear(HIDDEN, actions, 0.01), linear(HIDDEN, 1, 1.0)  # nearly equal probabilities at first

    def forward(self, observations: Tensor) -> Tensor:
        scores: Tensor = self.actor(self.body(observations))
        return scores

    def judge(self, observations: Tensor, masks: Tensor) -> tuple[Tensor, Tensor]:
        """Logarithms of the probabilities of all actions, and values."""
        inner = self.body(observations.float())
        scores = self.actor(inner).masked_fill(~masks, IMPOSSIBLE)
        return torch.log_softmax(scores, 1), self.critic(inner).squeeze(1)


def learn(steps: int = 10_000_000, envs: int = ENVS, measured: int = 20, games: int = 4_000, seed: int = 1) -> tuple[Agent, Curve]:
    """Train, and measure the policy after each of some equal parts."""
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    tables = kibitz.envs.vector("uno", num_envs=envs, against=OPPONENT, autoreset="same_step", copy=False)
    agent = Agent(tables.encoding.size, tables.encoding.actions)
    adam = torch.optim.Adam(agent.parameters(), lr=LEARNING_RATE, eps=1e-5)
    seen = torch.zeros(ROLLOUT, envs, tables.encoding.size, dtype=torch.uint8)
    masks = torch.zeros(ROLLOUT, envs, tables.encoding.actions, dtype=torch.bool)
    actions = torch.zeros(ROLLOUT, envs, dtype=torch.int64)
    log_chances, rewards, ends, advantages = (torch.zeros(ROLLOUT, envs) for _ in range(4))
    values = torch.zeros(ROLLOUT + 1, envs)  # and of what comes after the rollout
    curve: Curve = []
    updates = max(steps // (ROLLOUT * envs), 1)
    now, _ = tables.reset(seed=seed)
    for update in range(updates):
        left = 1 - update / updates  # of the training
        adam.param_groups[0]["lr"] = LEARNING_RATE * left

        with torch.no_grad():
            for step in range(ROLLOUT):
                seen[step], masks[step] = torch.from_numpy(now["observation"]), torch.from_numpy(now["action_mask"])
                chances, values[step] = agent.judge(seen[step], masks[step])
                noise = -torch.log(torch.empty_like(chances).exponential_())  # Gumbel's: the largest sum is a sample
                actions[step] = (chances + noise).argmax(1)
                log_chances[step] = chances.gather(1, actions[step][:, None])[:, 0]
                now, gained, ended, cut_off, _ = tables.step(actions[step].numpy())
                rewards[step], ends[step] = torch.from_numpy(gained), torch.from_numpy(ended | cut_off)
            _, values[ROLLOUT] = agent.judge(torch.from_numpy(now["observation"]), torch.from_numpy(now["action_mask"]).bool())
            following = torch.zeros(envs)
            for step in reversed(range(ROLLOUT)):
                surprise = rewards[step] + (1 - ends[step]) * values[step + 1] - values[step]
                advantages[step] = following = surprise + GAE_LAMBDA * (1 - ends[step]) * following
            returns = advantages + values[:ROLLOUT]

        rollout = [
            each.flatten(0, 1) for each in (seen, masks, actions, log_chances, (advantages - advantages.mean()) / advantages.std(), returns)
        ]
        for _ in range(EPOCHS):
            order = torch.randperm(ROLLOUT * envs)
            for part in torch.split(order, MINIBATCH):
                some_seen, some_masks, chosen, before, advantage, target = (each[part] for each in rollout)
                chances, value = agent.judge(some_seen, some_masks)
                ratio = (chances.gather(1, chosen[:, None])[:, 0] - before).exp()
                policy_loss = -torch.min(ratio * advantage, ratio.clamp(1 - CLIP_RANGE, 1 + CLIP_RANGE) * advantage).mean()
                entropy = -(chances.exp() * chances.masked_fill(~some_masks, 0)).sum(1).mean()
                loss = policy_loss + VALUE_WEIGHT * (value - target).square().mean() - ENTROPY_BONUS * left * entropy
                adam.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]  # PyTorch does not type it
                nn.utils.clip_grad_norm_(agent.parameters(), LARGEST_NORM)
                adam.step()

        if (update + 1) * measured // updates > len(curve):
            row = kibitz.match([kibitz.envs.as_bot(agent, "uno"), OPPONENT], games=games, seed=7)[0]
            curve.append(((update + 1) * ROLLOUT * envs, row.win_rate, row.win_rate_se))
    tables.close()
    return agent, curve


def load() -> Agent:
    """The trained network, for `kibitz match`."""
    agent = Agent()
    agent.load_state_dict(torch.load(WEIGHTS, weights_only=True))
    return agent


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=10_000_000, help="decisions to learn from")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    begun = time.perf_counter()
    trained, curve = learn(asked.steps, seed=asked.seed)
    for steps, won, error in curve:
        print(f"{steps:12,} decisions: {100 * won:.1f} ± {100 * error:.1f} % won against {OPPONENT}")
    print(f"{time.perf_counter() - begun:.0f} s, of the processor {time.process_time():.0f} s")
    torch.save(trained.state_dict(), WEIGHTS)
