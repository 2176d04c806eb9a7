"""The perceptron: a learned score for every card, and the best one is played."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import trained_weights
from kibitz.core.jit import ONE, Word, lowest, word
from kibitz.games.uno.cards import CARD_TYPES, COLOURED_TYPES, bit
from kibitz.games.uno.view import View
from kibitz.policies.uno.perceptron_models import scores_from

_ZERO = Word(0)


@bot(
    parameters=(
        trained_weights(
            "a perceptron, which comes down to a score for each type of card (`kibitz train perceptron`)",
            CARD_TYPES,
            scores_from,
            largest=1e9,
        ),
    ),
    rules=("plays {card}: its perceptron scores no other card that fits higher",),
    trusted=True,
)
def perceptron(view: View, params: Any) -> int:
    """Plays the card that a trained perceptron scores highest, whatever the situation; ties at random.

    It plays whenever it can, drawn cards included, and calls the colour it holds most of for a wild.
    """
    candidates = view.playable()
    chosen = word(0)
    best = 0.0
    while candidates != _ZERO:
        card = lowest(candidates)
        candidates &= candidates - ONE
        score = params.weights[card]
        if chosen == _ZERO or score > best:
            best = score
            chosen = bit(card)
        elif score == best:
            chosen |= bit(card)
    card = view.pick(chosen)
    return card if card < COLOURED_TYPES else view.play(card, view.common_colour())
