"""A compiled bot with house rules in mind. Try `kibitz evaluate examples/house_rules_bot.py:bold --rules examples/house.toml`."""

import kibitz
from kibitz.games.uno.cards import ACCEPT, CHALLENGE, COLOURED_MASK, JUMP_IN
from kibitz.games.uno.view import CHALLENGING, JUMPING_IN, View

MANY = 3  # shorter hands seldom hold the colour


@kibitz.bot(windows=("challenge", "jump_in"))
def bold(view: View) -> int:
    """Jumps in whenever it can, challenges a Wild Draw Four unless the hand behind it is short, and keeps its wilds for last."""
    if view.phase == JUMPING_IN:
        return JUMP_IN
    if view.phase == CHALLENGING:
        return CHALLENGE if view.sizes[view.player] >= MANY else ACCEPT
    coloured = view.playable() & COLOURED_MASK
    card = view.pick(coloured if coloured else view.playable())
    return view.play(card, view.common_colour())
