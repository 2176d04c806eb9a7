"""The cheater: rollouts that see all hands. An upper bound, not a player."""

from __future__ import annotations

from kibitz.bots.uno.champion import STRONG
from kibitz.bots.uno.rollout import rollout_bot

cheater = rollout_bot(
    "cheater",
    """Searches as `champion` does, but sees all hands; only the order of the draw pile is hidden from it. An upper bound.""",
    {"": {**STRONG, "model": "none"}},
    sees_everything=True,
)
