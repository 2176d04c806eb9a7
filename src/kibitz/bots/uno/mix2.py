"""MixBot2: ranks, colours and card counting, a wild's colour chosen along with it."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.fired_rule import FiredRule
from kibitz.bots.parameters import SWITCH, WHOLE, Parameter, Value
from kibitz.bots.uno.bounds import Bounds, begin_bounds, bounds_of, chance_of_no_match, update_bounds
from kibitz.bots.uno.choosing import (
    DRAWN_RULES,
    END_GAME,
    END_GAME_RANKS,
    HOLD_BACK,
    LIMITS,
    MIXED,
    PLAY_DRAWN_THRESHOLDS,
    POINTS_LIMITS,
    POINTS_RANKS,
    PREFER_COMMON_COLOUR,
    RANKS,
    WILD_MOST_COMMON,
    WIN_RATE_LIMITS,
    WIN_RATE_RANKS,
    highest_ranked,
    is_end_game,
    of_colours,
    play_drawn_or_keep,
    willing_to_play,
)
from kibitz.core.jit import ONE, Word, lowest, number, popcount, select, word
from kibitz.games.uno.cards import COLOURED_TYPES, WILD_MASK, bit, match_mask
from kibitz.games.uno.counts import take_from_planes, types_in
from kibitz.games.uno.view import View

_ZERO = Word(0)
_END_GAME_LIMITS = Parameter("end_game_limits", WHOLE, "limits while the next player holds one card", -1, 10, 6)
_SLACK = Parameter("wild_colour_slack", WHOLE, "a wild may call any colour within so many cards of the most common", 0, 5)
_CARD_COUNTING = Parameter("card_counting", SWITCH, "break ties by the chance that the next player cannot match")

# The rules after those about drawn cards; two places further on each is decided by counting cards.
RANKED, NEXT_HAS_ONE, COUNTED, NEXT_HAS_ONE_COUNTED = range(len(DRAWN_RULES), len(DRAWN_RULES) + 4)

_COMMON: dict[str, Value] = {**MIXED, "end_game_limits": (-1, -1, -1, -1, -1, -1), "card_counting": True}


def wild_colours(view: View, slack: int, most_common: int) -> int:
    """The colours a wild may call in good order, as four bits: common in hand, or all if there is no coloured card."""
    if not most_common or not view.has_colour():
        return word(0b1111)
    most = number(0)
    for colour in range(4):
        most = max(most, view.colour_count(colour))
    colours = word(0)
    for colour in range(4):
        count = view.colour_count(colour)
        if count > 0 and count >= most - slack:
            colours |= ONE << word(colour)
    return colours


def stop_chance(view: View, memory: Bounds, card: int, colour: int) -> float:
    """The chance that whoever acts next has nothing to play on this card; 1 or 0 if that is the bot itself."""
    matching = match_mask(card, colour)
    actor = view.actor_after(card)
    if actor == number(view.seat):
        hand = view.hand()
        left = types_in(take_from_planes(hand[0], hand[1], hand[2], bit(card)))
        return 1.0 if left & matching == _ZERO else 0.0
    return chance_of_no_match(bounds_of(memory, actor), matching, number(view.sizes[actor]))


@bot(
    parameters=(
        RANKS,
        END_GAME_RANKS,
        LIMITS,
        _END_GAME_LIMITS,
        PLAY_DRAWN_THRESHOLDS,
        _SLACK,
        PREFER_COMMON_COLOUR,
        END_GAME,
        _CARD_COUNTING,
        WILD_MOST_COMMON,
    ),
    presets={
        "win_rate": {"ranks": WIN_RATE_RANKS, "limits": WIN_RATE_LIMITS, "wild_colour_slack": 1, **_COMMON},
        "points": {"ranks": POINTS_RANKS, "limits": POINTS_LIMITS, "wild_colour_slack": 2, **_COMMON},
    },
    memory=Bounds,
    begin=begin_bounds,
    observe=update_bounds,
    rules=(
        *DRAWN_RULES,
        "plays {card}: of the cards that fit and aren't held back none ranks higher",
        "plays {card}: the next player holds one card, and of the kinds that fit none ranks higher against that",
        "plays {card}: of several choices that rank highest and suit its hand, whoever acts next is least likely to match this one",
        "plays {card}: the next player holds one card; of several choices that rank highest against that and suit its hand, "
        "whoever acts next is least likely to match this one",
    ),
    trusted=True,
)
def mix2(view: View, memory: Bounds, params: Any, scratch: FiredRule) -> int:
    """Ranks, then common colours, then the card that the next player can least likely match; holds wilds back.

    Every wild stands as four candidates, one a colour. While the next player holds one card, end-game ranks and limits
    apply. If nothing is within limits it draws, and plays a drawn wild only with two cards in hand.
    """
    if view.only_drawn():
        return play_drawn_or_keep(view, params.play_drawn_thresholds, params.wild_most_common, scratch)
    if is_end_game(view, params.end_game):
        scratch.rule = NEXT_HAS_ONE
        cards = highest_ranked(view, willing_to_play(view, params.end_game_limits), params.end_game_ranks)
    else:
        scratch.rule = RANKED
        cards = highest_ranked(view, willing_to_play(view, params.limits), params.ranks)
    if cards == _ZERO:
        scratch.rule = HOLD_BACK
        return view.decline()
    # Candidates: coloured cards in one word, each wild with a colour as bit 4 x wild + colour of another.
    coloured = cards & ~WILD_MASK
    wilds = word(0)
    for place in range(4):
        if (cards >> word(COLOURED_TYPES + place)) & ONE != _ZERO:
            wilds |= word(0b1111) << word(4 * place)
    if params.prefer_common_colour:
        preferred = coloured & of_colours(view.common_colours())
        colours = wild_colours(view, params.wild_colour_slack, params.wild_most_common)
        preferred_wilds = wilds & (colours * word(0x1111))
        if preferred | preferred_wilds != _ZERO:
            coloured, wilds = preferred, preferred_wilds
    if params.card_counting and popcount(coloured) + popcount(wilds) > 1:
        scratch.rule += COUNTED - RANKED
        best = -1.0
        left, best_coloured = coloured, word(0)
        while left != _ZERO:
            card = lowest(left)
            left &= left - ONE
            chance = stop_chance(view, memory, card, 0)
            if chance > best:
                best = chance
                best_coloured = word(0)
            if chance == best:
                best_coloured |= bit(card)
        left, best_wilds = wilds, word(0)
        while left != _ZERO:
            wild = lowest(left)
            left &= left - ONE
            chance = stop_chance(view, memory, COLOURED_TYPES + (wild >> 2), wild & 3)
            if chance > best:
                best = chance
                best_coloured, best_wilds = word(0), word(0)
            if chance == best:
                best_wilds |= ONE << word(wild)
        coloured, wilds = best_coloured, best_wilds
    count = popcount(coloured)
    rank = view.randbelow(count + popcount(wilds))
    if rank < count:
        return select(coloured, rank)
    wild = select(wilds, rank - count)
    return view.play(COLOURED_TYPES + (wild >> 2), wild & 3)
