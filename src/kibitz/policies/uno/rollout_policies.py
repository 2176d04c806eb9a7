"""How players act in a rollout: a few policies, cheap enough to play thousands of games for one decision.

`choose_by` asks one of them for the player to act. They see what that player sees: the view and public sightings, which are the same
for everybody and so kept once. In windows of house rules all of them do what the rules' defaults say.
"""

from __future__ import annotations

from typing import Any

from kibitz.core.jit import ONE, Word, number, word
from kibitz.games.uno.cards import (
    COLOUR_MASKS,
    COLOURED_MASK,
    COLOURED_TYPES,
    DRAW_TWO_KIND,
    KEEP,
    KIND_MASKS,
    NUMBER_KIND,
    REVERSE_KIND,
    SKIP_KIND,
    WILD_DRAW_FOUR_KIND,
    WILD_KIND,
)
from kibitz.games.uno.counts import size_within
from kibitz.games.uno.view import View
from kibitz.policies.uno.features import Description, best_sensible
from kibitz.policies.uno.sightings import Sightings

RANDOM, GREEDY, MIX2, LINEAR = 0, 1, 2, 3
SIMPLE_NAMES = ("random", "greedy", "mix2", "linear")

_ZERO = Word(0)


def choose_by(policy: int, view: View, sightings: Sightings, found: Description, weights: Any) -> int:
    """What a policy does in a view, in a turn or with a card just drawn."""
    if policy == LINEAR:
        return best_sensible(view, sightings, found, weights)
    if policy == MIX2:
        return choose_like_mix2(view)
    if policy == GREEDY:
        return choose_greedily(view)
    return choose_at_random(view)


def play_common(view: View, card: int) -> int:
    """The action that plays a card, calling a colour most common in hand."""
    if card < COLOURED_TYPES:
        return card
    return view.play(card, view.common_colour())


def choose_at_random(view: View) -> int:
    """Any playable card, of any colour."""
    card = view.pick(view.playable())
    return card if card < COLOURED_TYPES else view.play(card, view.randbelow(4))


def choose_greedily(view: View) -> int:
    """Any playable card, of a common colour if possible; the most common colour for a wild."""
    playable = view.playable()
    preferred = playable & common_cards(view)
    return play_common(view, view.pick(preferred if preferred != _ZERO else playable))


def common_cards(view: View) -> int:
    """The types of the colours most common in hand."""
    colours = view.common_colours()
    cards = word(0)
    for colour in range(4):
        if (colours >> word(colour)) & ONE != _ZERO:
            cards |= COLOUR_MASKS[colour]
    return cards


def choose_like_mix2(view: View) -> int:
    """As `mix2` does with its usual parameters, but for counting cards: ties are broken at random."""
    if view.only_drawn():
        card = number(view.drawn)
        if card < COLOURED_TYPES or view.hand_size() <= 2 or not view.may_decline():
            return play_common(view, card)
        return KEEP
    cards = ranked_like_mix2(view, view.playable(), view.next_size() == 1)
    if cards == _ZERO:
        if view.may_decline():
            return view.decline()
        cards = view.playable()
    preferred = cards & common_cards(view)
    return play_common(view, view.pick(preferred if preferred != _ZERO else cards))


def ranked_like_mix2(view: View, playable: int, closing: bool) -> int:
    """The playable types of the kind that mix2 likes best; none if it would rather draw. `closing`: the next player holds one card."""
    skips, reverses = view.kind_mask(SKIP_KIND), view.kind_mask(REVERSE_KIND)
    twos = playable & KIND_MASKS[DRAW_TWO_KIND]
    if twos != _ZERO:
        return twos
    if closing and playable & KIND_MASKS[WILD_DRAW_FOUR_KIND] != _ZERO:
        return playable & KIND_MASKS[WILD_DRAW_FOUR_KIND]
    if playable & skips != _ZERO:
        return playable & skips
    if closing and playable & reverses != _ZERO:
        return playable & reverses
    if playable & KIND_MASKS[NUMBER_KIND] != _ZERO:
        return playable & KIND_MASKS[NUMBER_KIND]
    if playable & reverses != _ZERO:
        return playable & reverses
    free = number(0) if closing else size_within(view.hand(), COLOURED_MASK)
    if playable & KIND_MASKS[WILD_DRAW_FOUR_KIND] != _ZERO and free <= 4:
        return playable & KIND_MASKS[WILD_DRAW_FOUR_KIND]
    if playable & KIND_MASKS[WILD_KIND] != _ZERO and free <= 2:
        return playable & KIND_MASKS[WILD_KIND]
    return word(0)
