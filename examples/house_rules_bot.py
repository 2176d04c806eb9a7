"""A compiled bot with house rules in mind. Try `kibitz evaluate examples/house_rules_bot.py:bold --rules examples/house.toml`."""

import kibitz
from kibitz.games.uno.cards import ACCEPT, CHALLENGE, COLOURED_MASK, JUMP_IN
from kibitz.games.uno.view import CHALLENGING, JUMPING_IN, View

MANY = 5  # who holds so many cards most likely held the colour as well


@kibitz.bot(windows=("challenge", "jump_in"))
def bold(view: View) -> int:
    """Jumps in whenever it can, challenges a Wild Draw Four that comes from a long hand, and keeps its wilds for last."""
    if view.phase == JUMPING_IN:
        return JUMP_IN
    if view.phase == CHALLENGING:
        return CHALLENGE if view.sizes[view.player] >= MANY else ACCEPT
    coloured = view.playable() & COLOURED_MASK
    card = view.pick(coloured if coloured else view.playable())
    return view.play(card, view.common_colour())
