"""The cheater: rollouts that see all hands. An upper bound, not a player."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.uno.rollout import begin, observe, parameters
from kibitz.games.uno.view import WINDOWS, View
from kibitz.search.uno.belief import FLOOR, WILD_FLOOR, begin_belief
from kibitz.search.uno.rollouts import Memory, Rollouts, search


@bot(
    parameters=parameters(model="none", rollouts=2500, horizon=8),
    memory=Memory,
    scratch=Rollouts,
    begin=begin,
    observe=observe,
    windows=WINDOWS,
    sees_everything=True,
    trusted=True,
)
def cheater(view: View, memory: Memory, params: Any, scratch: Rollouts) -> int:
    """Searches as `rollout` does, but sees all hands; only the order of the draw pile is hidden. An upper bound."""
    begin_belief(view, memory, params.belief, FLOOR, WILD_FLOOR)  # with every card that others hold
    return search(view, memory, scratch, params)
