"""A bot that lets everything it is ever shown decide what it plays: two runs that agree in its games agree in what it saw.

It declares every window, folds each field of each view and each event into one number, and takes the legal action that
the number points at. The compiled bot and the Python class have the same source.
"""

from __future__ import annotations

import kibitz
from kibitz.core.jit import Word, number
from kibitz.core.layouts import Long, blank
from kibitz.games.uno.cards import ACTIONS, MAX_CARDS, MAX_PLAYERS
from kibitz.games.uno.state import Event
from kibitz.games.uno.view import WINDOWS, View

MODULUS = 1_000_003
_WORD_MODULUS = Word(MODULUS)


class Fingerprint:
    """All that was seen so far, as one number."""

    value: Long


def fold(seen: int, value: int) -> int:
    return (seen * 131 + value + 7) % MODULUS


def fold_word(seen: int, value: int) -> int:
    return fold(seen, number(value % _WORD_MODULUS))


def fold_view(view: View, seen: int) -> int:
    """Every field of a view but the random stream, which is drawn from."""
    for value in (view.hand0, view.hand1, view.hand2, view.match, view.playable_types, view.deck0, view.deck1, view.deck2):
        seen = fold_word(seen, value)
    for seat in range(MAX_PLAYERS):
        for known in (view.known0[seat], view.known1[seat], view.known2[seat]):
            seen = fold_word(seen, known)
        seen = fold(fold(seen, number(view.scores[seat])), number(view.sizes[seat]))
    for place in range(number(view.discard_size)):
        seen = fold(seen, number(view.discard[place]))
    for place in range(MAX_CARDS):
        seen = fold(seen, number(view.order[place]))
    seen = fold(fold(seen, number(view.turn)), number(view.points))
    for small in (view.discard_size, view.pile_size, view.deck_size, view.players, view.seat, view.current, view.dealer, view.direction):
        seen = fold(seen, number(small))
    for small in (view.top, view.colour, view.phase, view.drawn, view.reverse_skips, view.status, view.winner, view.player):
        seen = fold(seen, number(small))
    for small in (view.stack, view.may_challenge, view.draw_rule, view.drawn_rule, view.must_play, view.four_rule, view.stacking):
        seen = fold(seen, number(small))
    for small in (view.seven_zero, view.jump_in, view.uno_call, view.last_card_draws):
        seen = fold(seen, number(small))
    return fold(seen, view.randbelow(1000))


def begin(view: View, memory: Fingerprint) -> None:
    memory.value = fold_view(view, 1)


def observe(view: View, event: Event, memory: Fingerprint) -> None:
    seen = fold_view(view, number(memory.value))
    for small in (event.kind, event.seat, event.card, event.colour, event.count, event.drawn, event.top, event.top_colour, event.other):
        seen = fold(seen, number(small))
    memory.value = seen


def choose(view: View, memory: Fingerprint) -> int:
    """Take the legal action that all it has seen points at."""
    memory.value = fold_view(view, number(memory.value))
    legal = 0
    for action in range(ACTIONS):
        if view.is_legal(action):
            legal += 1
    wanted = number(memory.value) % legal
    for action in range(ACTIONS):
        if view.is_legal(action):
            if wanted == 0:
                return action
            wanted -= 1
    return -1


fingerprint = kibitz.bot(name="fingerprint", begin=begin, observe=observe, memory=Fingerprint, windows=WINDOWS, hand_order="newest")(choose)
fingerprint_oldest = kibitz.bot(
    name="fingerprint_oldest", begin=begin, observe=observe, memory=Fingerprint, windows=WINDOWS, hand_order="oldest"
)(choose)


class PythonFingerprint:
    """The same as a Python object."""

    windows = WINDOWS

    def __init__(self) -> None:
        self.memory = blank(Fingerprint)

    def begin(self, view: View) -> None:
        begin(view, self.memory)

    def observe(self, view: View, event: Event) -> None:
        observe(view, event, self.memory)

    def choose(self, view: View) -> int:
        return choose(view, self.memory)
