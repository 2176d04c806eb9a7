"""The yardstick: any legal move."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz.games.hanabi.view import View


@bot(game="hanabi", rules=("makes a random move: {action}",), trusted=True)
def random(view: View) -> int:
    """Makes a random legal move."""
    return view.pick_move(view.legal_moves)
