"""Meanimax: the mean over what a move may lead to, and the best move, three answers deep; for two players.

The search itself is `kibitz.search.hanabi.meanimax`; here the view is laid out for it and its answer read.
"""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import REAL, SWITCH, WHOLE, Parameter, Value
from kibitz.core.jit import Numbers, number
from kibitz.games.hanabi.cards import CARD_TYPES, COLOUR_OF, MAX_HAND, RANK_OF
from kibitz.games.hanabi.view import View
from kibitz.search.hanabi.meanimax.best_move import best_move
from kibitz.search.hanabi.meanimax.scenes import (
    COLOURS,
    ENDLESS,
    MAX_DEPTH,
    OWN,
    PARTNER,
    RANKS,
    REMAINING,
    SINGLE,
    TOLD_BITS,
    UNSEEN,
    MeanimaxSearch,
    fill_sums,
    pack_scene,
)

# The search tries colour hints in the order red, yellow, green, blue, white, and the last of equals wins.
SEARCH_ORDER = Numbers([0, 1, 2, 4, 3])


def mask_in_search_order(mask: int) -> int:
    """A mask of colours with blue before white."""
    return mask & 7 | (mask & 8) << 1 | (mask & 16) >> 1


def set_table(view: View, search: MeanimaxSearch) -> int:
    """Lay out what the viewer knows for the search; the scene."""
    partner = view.seat_after(1)
    sums_of_source = COLOURS * (RANKS + 1) * 32
    for card in range(CARD_TYPES):
        place = SEARCH_ORDER[COLOUR_OF[card]] * RANKS + RANK_OF[card]
        count = number(view.deck[card]) - number(view.discards[card])
        if RANK_OF[card] < number(view.fireworks[COLOUR_OF[card]]):
            count -= 1
        search.remaining[place] = count
        search.unseen[place] = view.unseen(card)
        search.single[place] = 1
    fill_sums(search, search.remaining, REMAINING * sums_of_source, search.remaining)
    fill_sums(search, search.unseen, UNSEEN * sums_of_source, search.remaining)
    fill_sums(search, search.single, SINGLE * sums_of_source, search.remaining)
    for slot in range(view.size(number(view.seat))):
        masks = told_of(view, number(view.seat), slot)
        search.cards[OWN * MAX_HAND + slot] = (UNSEEN << TOLD_BITS | masks) << TOLD_BITS | masks
    for slot in range(view.size(partner)):
        card = view.card(partner, slot)
        itself = 1 << RANK_OF[card] | 1 << (RANKS + SEARCH_ORDER[COLOUR_OF[card]])
        search.cards[PARTNER * MAX_HAND + slot] = (SINGLE << TOLD_BITS | itself) << TOLD_BITS | told_of(view, partner, slot)
    search.sizes[OWN] = view.sizes[view.seat]
    search.sizes[PARTNER] = view.sizes[partner]
    search.guess_sources[OWN] = UNSEEN if search.seen_cards else REMAINING
    search.guess_sources[PARTNER] = REMAINING
    search.max_tokens = view.max_tokens
    search.ranks = view.ranks
    piles = number(0)
    for colour in range(COLOURS):
        piles |= number(view.fireworks[colour]) << (3 * SEARCH_ORDER[colour])
    left = ENDLESS
    if search.deck_end:
        left = number(view.turns_left) if view.deck_size == 0 else number(view.deck_size) + 2
    return pack_scene(piles, number(view.tokens), number(view.lives), left)


def told_of(view: View, seat: int, slot: int) -> int:
    """What hints have told of a card, in the search's order of bits."""
    return view.rank_mask(seat, slot) | mask_in_search_order(view.colour_mask(seat, slot)) << RANKS


def set_options(params: Any, search: MeanimaxSearch) -> None:
    """Tell the search what it is to mind."""
    search.five_token = params.five_token
    search.last_life = params.last_life
    search.seen_cards = params.seen_cards
    search.deck_end = params.deck_end
    search.misfire = params.misfire
    search.token_value = params.token_value
    search.copy_loss = params.copy_loss


def move_of(view: View, move: int) -> int:
    """The number of a move that the search counts as discards, plays, rank hints, colour hints."""
    size, partner = view.size(number(view.seat)), view.seat_after(1)
    if move < size:
        return view.discard(move)
    if move < 2 * size:
        return view.play(move - size)
    if move < 2 * size + RANKS:
        return view.hint_rank(partner, move - 2 * size)
    return view.hint_colour(partner, SEARCH_ORDER[move - 2 * size - RANKS])


_SWITCHES = ("five_token", "last_life", "seen_cards", "deck_end")
_ORIGINAL: dict[str, Value] = {**dict.fromkeys(_SWITCHES, False), "misfire": 3.0, "token_value": 0.1, "copy_loss": 0.0}
_PLUS: dict[str, Value] = {**dict.fromkeys(_SWITCHES, True), "misfire": 2.0, "token_value": 0.65, "copy_loss": 0.35}


@bot(
    game="hanabi",
    trusted=True,
    players=(2, 2),
    parameters=(
        Parameter("depth", WHOLE, "how many answers of the partner are foreseen", 1, MAX_DEPTH),
        Parameter("five_token", SWITCH, "a completed pile gains a token in the search as well"),
        Parameter("last_life", SWITCH, "the search ends with the last life"),
        Parameter("seen_cards", SWITCH, "cards seen in the partner's hand are not expected in one's own later on"),
        Parameter("deck_end", SWITCH, "the deck runs out in the search as well, and the game with it"),
        Parameter("misfire", REAL, "what a misfire costs, in points", 0, 10),
        Parameter("token_value", REAL, "what a token is worth where the search ends, in points", 0, 2),
        Parameter("copy_loss", REAL, "what losing a copy that is not the last costs, as a share of what the last would cost", 0, 1),
    ),
    presets={"": {"depth": 3, **_ORIGINAL}, "plus": {"depth": 3, **_PLUS}},
    scratch=MeanimaxSearch,
)
def meanimax(view: View, params: Any, scratch: MeanimaxSearch) -> int:
    """Averages over all that a move may lead to, expects the partner to answer with what looks best to it; two players.

    A play that fits is worth a point, a misfire costs three, a discard costs what its pile can no longer reach, a token
    left where the search ends is worth 0.1. That is what limits it. A token is cheap, so it gives 38 hints for 13 plays, and
    is down to one or two tokens on average. A card with a twin costs nothing, so it discards 15 a game that are still
    needed, and 5 more that have none left. Leaving out the token for a completed pile, the end of the deck, the last
    life and the cards in sight costs about half a point. `plus` mends all of this: tokens and twins count for what they
    bring later in the game, and misfires, which lose it no games, are feared less.
    """
    set_options(params, scratch)
    scene = set_table(view, scratch)
    move = best_move(scratch, params.depth, scene, 0 if view.is_legal(0) else view.size(number(view.seat)))
    for place in range(number(scratch.listed)):
        scratch.listed_actions[place] = move_of(view, number(scratch.listed_actions[place]))
    return move_of(view, move)
