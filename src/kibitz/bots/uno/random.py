"""RandomBot: the yardstick."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz.games.uno.view import View


@bot(rules=("plays {card}, a random one of the cards that fit",), trusted=True)
def random(view: View) -> int:
    """Plays a random playable card, counting copies; calls a random colour; plays every drawn card it can."""
    card = view.pick_copy(view.playable())
    return view.play(card, view.randbelow(4) if card >= 52 else 0)
