"""Bots that never answer, for `test_endless_bots`."""

from __future__ import annotations

import time
from typing import Any

import kibitz
from kibitz.core.layouts import Long


@kibitz.bot
def fine(view: Any) -> int:
    return int(view.decline())


@kibitz.bot
def choosing(view: Any) -> int:
    rounds = 0
    while view.hand_size() > 0:
        rounds += 1
    return int(view.decline())


def count_for_ever(view: Any) -> int:
    total = 0
    for first in range(1_000_000):
        for second in range(1_000_000):
            for third in range(1_000):
                total += (first ^ second ^ third) & view.hand_size()
    return total


@kibitz.bot
def helping(view: Any) -> int:
    return int(view.decline()) + count_for_ever(view) // 2**62


class Memory:
    count: Long


def begin_endless(view: Any, memory: Any) -> None:
    while memory.count >= 0:
        memory.count = (memory.count + 1) % 1_000


@kibitz.bot(memory=Memory, begin=begin_endless)
def beginning(view: Any, memory: Any) -> int:
    return int(view.decline())


def observe_endless(view: Any, event: Any, memory: Any) -> None:
    while memory.count >= 0:
        memory.count = (memory.count + 1) % 1_000


@kibitz.bot(memory=Memory, observe=observe_endless)
def observing(view: Any, memory: Any) -> int:
    return int(view.decline())


@kibitz.bot
def seldom(view: Any) -> int:
    """Plays what it can, and never answers with 28 cards in hand: once in 100,000 games or so."""
    rounds = 0
    while view.hand_size() >= 28:
        rounds += 1
    for card in range(56):
        if view.can_play(card):
            return int(view.play(card, view.common_colour()))
    return int(view.decline())


class Loop:
    def choose(self, view: Any) -> int:
        while view.hand_size() > 0:
            pass
        return int(view.decline())


class Sleeper:
    def choose(self, view: Any) -> int:
        time.sleep(1_000_000)
        return int(view.decline())


class Stubborn:
    def choose(self, view: Any) -> int:
        while True:
            try:
                time.sleep(0.01)
            except BaseException:
                continue


class Fine:
    def choose(self, view: Any) -> int:
        return int(view.decline())
