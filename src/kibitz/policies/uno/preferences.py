"""How much a learned policy prefers each candidate: what explanations and advice show of a bot that scores actions without a search."""

from __future__ import annotations

from math import exp

from kibitz.core.jit import number
from kibitz.policies.uno.features import Description
from kibitz.policies.valuation import PREFERENCE, Preferences, begin_valuation, list_action


class Weighing(Description, Preferences):
    """What a policy works with, and its table."""


def list_preferences(found: Weighing) -> bool:
    """Fill in the table from the scores of all candidates, once they are known; whether there was a choice among several.

    A preference is the chance to choose an action in training, where choices are made in proportion to exp(score).
    """
    begin_valuation(found, PREFERENCE)
    found.win_chance = -1.0
    count = number(found.candidates)
    if count == 1:
        return False
    best = found.scores[0]
    for candidate in range(1, count):
        best = max(best, found.scores[candidate])
    total = 0.0
    for candidate in range(count):
        total += exp(found.scores[candidate] - best)
    for candidate in range(count):
        list_action(found, number(found.actions[candidate]), exp(found.scores[candidate] - best) / total, 0.0, 1)
    return True
