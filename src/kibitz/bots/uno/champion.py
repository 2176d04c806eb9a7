"""The champion: the linear policy, and rollouts that improve on it where there is time."""

from __future__ import annotations

from kibitz.bots.uno.rollout import USUAL, rollout_bot

STRONG = {**USUAL, "rollouts": 1500, "horizon": 5, "margin": 0.01}

champion = rollout_bot(
    "champion",
    """The strongest bot here: rollouts upon a learned policy, some milliseconds a decision; `champion:fast` is the policy alone.

    Worlds are weighted by what the others did, everybody plays on by a policy for some turns, and a learned guess values what comes
    after. The policy's own choice stands unless another action is clearly better.
    """,
    {"strong": STRONG, "fast": {**STRONG, "search": False}},
)
