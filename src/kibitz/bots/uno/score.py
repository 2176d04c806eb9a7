"""ScoreBot: a value for each kind of card left in hand."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.fired_rule import FiredRule
from kibitz.bots.parameters import REAL, Parameter
from kibitz.core.jit import Word, number
from kibitz.games.uno.cards import KEEP, RED, bit
from kibitz.games.uno.counts import size_within
from kibitz.games.uno.view import DRAWN, View

_ZERO = Word(0)
WIN_RATE_WEIGHTS = (-0.168, -0.163, -0.190, -0.227, 0.048, -0.035)
POINTS_WEIGHTS = (-0.189, -0.153, -0.206, -0.193, 0.015, 0.023)

KEEP_DRAWN, PLAY_DRAWN, DECLINE, BEST_PLAY = range(4)  # the rules


@bot(
    parameters=(
        Parameter("weights", REAL, "value of a card left in hand: number, reverse, skip, draw two, wild, wild draw four", -1, 1, 6),
    ),
    presets={"win_rate": {"weights": WIN_RATE_WEIGHTS}, "points": {"weights": POINTS_WEIGHTS}},
    hand_order="newest",
    rules=(
        "keeps the {drawn} that it drew: it is an asset in hand",
        "plays the {card} that it drew: it is no asset in hand, or may not be kept",
        "doesn't play: that leaves a more valuable hand than any play would",
        "plays {card}: no other play leaves a more valuable hand",
    ),
    trusted=True,
)
def score(view: View, params: Any, scratch: FiredRule) -> int:
    """Maximises the summed value of the cards it would be left with; drawing counts as an average card.

    Ties go to the newest card and to red, so that a wild is always called red. A drawn card is played unless keeping
    it is strictly better.
    """
    if view.only_drawn():
        if params.weights[view.kind_of(view.drawn)] > 0.0 and view.may_decline():
            scratch.rule = KEEP_DRAWN
            return KEEP
        scratch.rule = PLAY_DRAWN
        return view.play(number(view.drawn), RED)
    # Only what changes against the present hand counts: a card played loses its weight, a card drawn adds the mean one.
    playable = view.playable()
    best_card = number(-1)
    best = 0.0
    for place in range(view.hand_size() - 1, -1, -1):
        card = number(view.order[place])
        if bit(card) & playable != _ZERO:
            playable &= ~bit(card)
            value = -params.weights[view.kind_of(card)]
            if best_card < 0 or value > best:
                best_card = card
                best = value
    declined = 0.0 if view.phase == DRAWN else mean_weight(view, params.weights)
    if declined > best and view.may_decline():
        scratch.rule = DECLINE
        return view.decline()
    scratch.rule = BEST_PLAY
    return view.play(best_card, RED)


def mean_weight(view: View, weights: Any) -> float:
    """The mean weight of the cards of the whole deck."""
    total = 0.0
    for kind in range(6):
        total += weights[kind] * size_within(view.deck(), view.kind_mask(kind))
    return total / number(view.deck_size)
