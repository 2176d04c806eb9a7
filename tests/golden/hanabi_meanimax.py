"""Positions from self-play with the move of meanimax. `python -m tests.golden.hanabi_meanimax` writes the golden file anew.

The compiled bot plays; the move that is recorded is the one of the slow reference.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kibitz import registry
from kibitz.core.seeds import game_key
from kibitz.games.hanabi import engine, notation
from kibitz.games.hanabi.rules import parse_rules
from kibitz.games.hanabi.state import new_state
from tests.bots.hanabi.asking import ask_compiled
from tests.reference.meanimax import Options, best_move

GOLDEN_FILE = Path(__file__).with_name("hanabi_meanimax.jsonl")

# Bot, rules, seed, and every how many turns a position is kept.
GAMES = [
    ("meanimax:depth=1", "autohanabi", 1, 8),
    ("meanimax:depth=1", "standard", 2, 9),
    ("meanimax:depth=2", "autohanabi", 3, 8),
    ("meanimax:depth=2", "standard,lives=1", 4, 9),
    ("meanimax:depth=2,five_token=on,deck_end=on", "standard,colours=3,ranks=4,hand_size=3", 5, 7),
    ("meanimax", "autohanabi", 6, 8),
    ("meanimax", "standard,tokens=4,discard_when_full=on", 7, 23),
    ("meanimax:plus", "autohanabi", 8, 9),
]


def reference_options(name: str) -> tuple[int, Options]:
    """The depth and the options that a name stands for."""
    values: dict[str, Any] = dict(registry.entrant(name, "hanabi").values)
    return values.pop("depth"), Options(**values)


def positions() -> Iterator[dict[str, str]]:
    """Positions of one game after the other, the last one or two turns among them."""
    for bot, text, seed, step in GAMES:
        rules = parse_rules(text)
        state = new_state(rules, 2)
        engine.deal(state, game_key(seed, 0))
        while not engine.is_over(state):
            if state.turn % step == 0 or state.turns_left >= 0:
                yield {"bot": bot, "position": notation.to_text(state, rules), "move": best_move(state, *reference_options(bot))}
            engine.apply(state, ask_compiled(bot, state))


def main() -> None:
    """Write the golden file."""
    GOLDEN_FILE.write_text("".join(json.dumps(position) + "\n" for position in positions()), encoding="utf-8")


if __name__ == "__main__":
    main()
