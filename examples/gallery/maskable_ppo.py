"""MaskablePPO of sb3-contrib on the Gymnasium environment: from knowing nothing to beating `random` at UNO.

    python examples/gallery/maskable_ppo.py          about two minutes on one core; needs the extras envs and gallery
    kibitz match examples/gallery/maskable_ppo.py:load random

It wins 54.6 ± 1.1 % of 2,000 games after 200,000 decisions, 66 s on one core.

The legal actions reach the algorithm through `action_masks`, so that it never tries an illegal one. The model is saved as
Stable-Baselines3 does it; such a file runs code when it is loaded, so load only your own.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import gymnasium

import kibitz
import kibitz.envs
from kibitz.core.extras import MissingExtra

try:
    import torch
    from sb3_contrib import MaskablePPO
    from stable_baselines3.common.vec_env import DummyVecEnv
except ImportError:
    raise MissingExtra("this example", "sb3_contrib") from None

MODEL = Path(__file__).with_suffix(".zip")
OPPONENT = "random"

Curve = list[tuple[int, float, float]]  # decisions learned from, share of games won, its standard error


def learn(steps: int = 200_000, measured: int = 10, games: int = 2_000, seed: int = 1) -> tuple[MaskablePPO, Curve]:
    """Train, and measure the model after each of some equal parts."""
    torch.set_num_threads(1)
    tables = DummyVecEnv([lambda: gymnasium.make("kibitz/uno-v0", against=OPPONENT)] * 8)
    model = MaskablePPO(
        "MultiInputPolicy",  # observations are dictionaries
        tables,
        n_steps=256,  # decisions per environment and rollout
        batch_size=512,  # decisions in a minibatch
        n_epochs=4,  # passes over a rollout
        learning_rate=1e-3,  # of Adam
        gamma=1.0,  # no discount: only winning counts
        gae_lambda=0.95,  # generalised advantage estimation
        ent_coef=0.01,  # entropy bonus, against deciding too early
        policy_kwargs={"net_arch": [128]},  # one hidden layer each for policy and value
        seed=seed,
        device="cpu",
    )
    curve: Curve = []
    while len(curve) < measured:
        model.learn(steps // measured, reset_num_timesteps=False)
        curve.append(measure(model, games))
    tables.close()
    return model, curve


def measure(model: MaskablePPO, games: int) -> tuple[int, float, float]:
    row = kibitz.match([kibitz.envs.as_bot(model, "uno"), OPPONENT], games=games, seed=7)[0]
    return model.num_timesteps, row.win_rate, row.win_rate_se


def load() -> MaskablePPO:
    """The trained model, for `kibitz match`."""
    return MaskablePPO.load(MODEL, device="cpu")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200_000, help="decisions to learn from")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    model, curve = learn(asked.steps, seed=asked.seed)
    for steps, won, error in curve:
        print(f"{steps:9,} decisions: {100 * won:.1f} ± {100 * error:.1f} % won against {OPPONENT}")
    model.save(MODEL)
