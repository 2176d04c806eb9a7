"""CardCountingBot: ScoreBot with an eye on what the next player can match."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.fired_rule import FiredRule
from kibitz.bots.parameters import REAL, Parameter
from kibitz.bots.uno.bounds import Bounds, begin_bounds, bounds_of, update_bounds
from kibitz.bots.uno.score import POINTS_WEIGHTS, WIN_RATE_WEIGHTS
from kibitz.core.jit import Word, number
from kibitz.games.uno.cards import COLOURED_TYPES, KEEP, KIND_OF, bit, match_mask
from kibitz.games.uno.counts import size_of, size_within
from kibitz.games.uno.view import DRAWN, View

_ZERO = Word(0)
MATCHING = 6  # place of the weight of the next player's matching cards
BEST_PLAY, KEEP_DRAWN = range(2)  # the rules


def matching_cards(view: View, memory: Bounds, seat: int, matching: int) -> float:
    """How many matching cards an opponent is expected to hold, by its bounds."""
    bounds = bounds_of(memory, seat)
    total = size_of(bounds)
    if total == 0:
        return 0.0
    return size_within(bounds, matching) * number(view.sizes[seat]) / total


def value_of_play(view: View, memory: Bounds, weights: Any, card: int, colour: int) -> float:
    """What the hand gains by playing a card: its own weight falls away, the next opponent's matches count."""
    seat = view.actor_after(card)
    if seat == number(view.seat):  # two players: the opponent is the one who was skipped
        seat = view.seat_after(1)
    matching = matching_cards(view, memory, seat, match_mask(card, colour))
    return weights[MATCHING] * matching - weights[KIND_OF[card]]  # type: ignore[no-any-return]  # a table of floats


@bot(
    parameters=(
        Parameter(
            "weights",
            REAL,
            "value of a card left in hand: number, reverse, skip, draw two, wild, wild draw four; then of a matching card of the next player",
            -1,
            1,
            7,
        ),
    ),
    presets={"win_rate": {"weights": (*WIN_RATE_WEIGHTS, -0.0001)}, "points": {"weights": (*POINTS_WEIGHTS, -0.0001)}},
    memory=Bounds,
    begin=begin_bounds,
    observe=update_bounds,
    hand_order="newest",
    rules=(
        "plays {card}: no other play is better for its hand and against what the next player can match",
        "keeps the {drawn} that it drew: no play is as good for its hand and against what the next player can match",
    ),
    trusted=True,
)
def card_counting(view: View, memory: Bounds, params: Any, scratch: FiredRule) -> int:
    """Like score, but never draws while it can play, and prefers cards that the next player can hardly match.

    A Reverse keeps its own weight even where it acts as a Skip.
    """
    playable = view.playable()
    best_action = number(-1)
    best = 0.0
    if view.phase == DRAWN and view.may_decline():
        seat = view.seat_after(1)
        best_action = number(KEEP)
        best = params.weights[MATCHING] * matching_cards(view, memory, seat, view.match)
    for place in range(view.hand_size() - 1, -1, -1):
        card = number(view.order[place])
        if bit(card) & playable != _ZERO:
            playable &= ~bit(card)
            colours = 1 if card < COLOURED_TYPES else 4
            for colour in range(colours):
                value = value_of_play(view, memory, params.weights, card, colour)
                if best_action < 0 or value > best or (best_action == KEEP and value == best):
                    best_action = view.play(card, colour)
                    best = value
    scratch.rule = KEEP_DRAWN if best_action == KEEP else BEST_PLAY
    return best_action
