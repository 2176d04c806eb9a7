"""Three bots: one that bets, one that does anything, and one that nobody can beat in the long run."""

from __future__ import annotations

from kibitz.bots.bot import bot
from kibitz_kuhn.records import BET, JACK, KING, PASS, View


@bot(game="kuhn")
def always_bet(view: View) -> int:
    """Bets and calls with every card."""
    return BET


@bot(game="kuhn")
def random(view: View) -> int:
    """Passes or bets at random."""
    return view.pick_legal()


@bot(game="kuhn")
def equilibrium(view: View) -> int:
    """Plays an equilibrium: bluffs with a third of its jacks when it speaks second, and calls with a third of its queens."""
    if view.card == KING:
        return PASS if view.turn == 1 else BET  # the first player may wait for a bluff
    if view.is_bet:
        return BET if view.card != JACK and view.randbelow(3) == 0 else PASS
    if view.card == JACK and view.seat == 1:
        return BET if view.randbelow(3) == 0 else PASS
    return PASS
