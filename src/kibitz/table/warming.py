"""Bots are compiled, or loaded, once: here, before anybody waits for the first move."""

from __future__ import annotations

import logging

from kibitz.errors import KibitzError
from kibitz.table.live import LiveGame
from kibitz.table.setup import Setup

log = logging.getLogger("kibitz.table")

# Who is likely to be asked first; others are made ready when they are.
LIKELY = (("uno", "classic", ("mix2", "champion")), ("hanabi", "standard", ("van_den_bergh", "piers")))


def warm_up() -> None:
    """Let likely bots move once."""
    for game, rules, bots in LIKELY:
        try:
            live = LiveGame(Setup(game, rules, bots, seed=1))
            for _ in range(6):
                live.bot_step()
        except KibitzError as error:  # whoever asks for the bot hears of it
            log.warning("%s", error)
