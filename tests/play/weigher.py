"""A search bot in name only: it fills in a table of values that depend on all it has heard, on its memory and on chance."""

from __future__ import annotations

import kibitz
from kibitz.core.jit import number
from kibitz.core.layouts import Long
from kibitz.games.uno.cards import ACTIONS
from kibitz.games.uno.state import Event
from kibitz.games.uno.view import WINDOWS, View
from kibitz.policies.valuation import WIN_CHANCE, Valuation, begin_valuation, list_action


class Memory:
    """What it has heard."""

    heard: Long


class Weights(Valuation):
    """The table, and something behind it."""

    rest: Long


def begin(view: View, memory: Memory) -> None:
    memory.heard = 1 + view.turn


def observe(view: View, event: Event, memory: Memory) -> None:
    memory.heard = (memory.heard * 31 + event.kind + 7 * event.seat) % 9973


@kibitz.bot(begin=begin, observe=observe, memory=Memory, scratch=Weights, windows=WINDOWS)
def weigher(view: View, memory: Memory, scratch: Weights) -> int:
    """Weighs every legal action by figures out of the air, and takes the best."""
    begin_valuation(scratch, WIN_CHANCE)
    luck = view.randbelow(1000)
    best, chosen = -1.0, -1
    for action in range(ACTIONS):
        if view.is_legal(action):
            value = ((action * 37 + number(memory.heard) + luck) % 101) / 100.0
            list_action(scratch, action, value, 0.01 * (action % 3), 1 + 10 * action)
            if value > best:
                best, chosen = value, action
    return chosen


@kibitz.bot(memory=Memory)
def moody(view: View, memory: Memory) -> int:
    """Changes its mind each time it is asked."""
    memory.heard += 1
    for action in range(number(memory.heard), ACTIONS):
        if view.is_legal(action):
            return action
    return -1


@kibitz.bot(scratch=Weights)
def lost(view: View, scratch: Weights) -> int:
    """Finds that the cards cannot add up, from the third turn on."""
    begin_valuation(scratch, WIN_CHANCE)
    for action in range(ACTIONS):
        if view.turn < 3 and view.is_legal(action):
            return action
    return -1
