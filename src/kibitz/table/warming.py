"""Bots are compiled, or loaded, once: here, before anybody waits for the first move."""

from __future__ import annotations

import logging

from kibitz.errors import KibitzError
from kibitz.table.advice import make_ready
from kibitz.table.live import LiveGame
from kibitz.table.setup import Setup

log = logging.getLogger("kibitz.table")

# Who is likely to be asked first, those that are ready soonest before the others; who is not named here is made ready when asked.
LIKELY = (
    ("uno", "classic", ("mix2", "random")),
    ("hanabi", "standard", ("van_den_bergh", "piers")),
    ("uno", "classic", ("net", "random")),
    ("uno", "classic", ("champion", "mix2")),
)


def warm_up() -> None:
    """Let likely bots move, then get ready to give advice."""
    for game, rules, bots in LIKELY:
        try:
            live = LiveGame(Setup(game, rules, bots, seed=1))
            for _ in range(6):
                live.bot_step()
        except KibitzError as error:  # whoever asks for the bot hears of it
            log.warning("%s", error)
        except Exception:  # nobody waits for this, so nobody else would say so
            log.exception("warming up")
    try:
        make_ready()
    except Exception:
        log.exception("warming up")
