"""Bots for tests that play all of them: those that search do so on a budget of next to nothing."""

from __future__ import annotations

from kibitz import registry

BUDGETS = {
    "expectiminimax": "samples=2,depth=1,draw_samples=1",
    "rollout": "rollouts=4,horizon=2",
    "champion": "rollouts=4,horizon=2",
    "cheater": "rollouts=4,horizon=2",
    "ismcts": "rollouts=4,horizon=2",
}


def cheap(name: str) -> str:
    """The same bot with a small budget if it searches, else as it is."""
    bot, _, preset = name.partition(":")
    return name if bot not in BUDGETS or preset == "fast" else f"{bot}:{BUDGETS[bot]}"


def searchers() -> list[str]:
    """Every UNO bot that must be named to be played, with each of its presets, on a small budget."""
    return [cheap(name) for name in registry.all_names() if name not in registry.quick_names()]
