"""A compiled bot for Hanabi. Try `kibitz evaluate examples/hanabi_bot.py:careful --players 3`."""

import kibitz
from kibitz.games.hanabi.cards import COLOUR_OF, RANK_OF
from kibitz.games.hanabi.view import View


@kibitz.bot(game="hanabi")
def careful(view: View) -> int:
    """Plays what hints make certain, tells the next player the rank, then the colour of a card that fits, else discards its oldest."""
    for slot in range(view.size(view.seat)):
        certain = True
        for card in range(25):
            possible = view.colour_mask(view.seat, slot) >> COLOUR_OF[card] & view.rank_mask(view.seat, slot) >> RANK_OF[card] & 1
            certain = certain and (possible == 0 or view.is_playable(card))
        if certain:
            return view.play(slot)
    other = view.seat_after(1)
    for slot in range(view.size(other)):
        card, where = view.card(other, slot), other * 5 + slot
        told = view.named_ranks[where] + view.named_colours[where]
        if view.tokens > 0 and told < 2 and view.is_playable(card):
            return view.hint_colour(other, COLOUR_OF[card]) if view.named_ranks[where] else view.hint_rank(other, RANK_OF[card])
    return view.discard(0) if view.is_legal(view.discard(0)) else view.hint_rank(other, RANK_OF[view.card(other, 0)])
