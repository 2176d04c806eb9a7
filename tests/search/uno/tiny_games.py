"""Tiny games followed by the belief of seat 0 and by brute force at once."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random
from typing import NamedTuple, Protocol

from kibitz.games.uno import engine
from kibitz.games.uno.cards import DRAW
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import DREW, FORCED, Event
from kibitz.games.uno.view import TURN, View
from kibitz.search.uno.belief import Belief
from tests.search.uno.enumeration import Enumeration
from tests.search.uno.following import Followed

FLOOR, WILD_FLOOR = Fraction(1, 8), Fraction(1, 2)
TINY = "deck=r1*2/r2*2/r3/g1/g2*2/g3/b1/b3*2/y3/y1/wild"
# Rules under which what the brute force weighs is all there is to know.
EXACT_RULES = {
    "forced draws": f"classic,must_play=on,drawn_card=may_not_play,{TINY}",
    "drawn card must be played": f"classic,must_play=on,drawn_card=must_play,{TINY}",
    "draw until playable": f"classic,must_play=on,drawn_card=must_play,draw=until_playable,{TINY}",
    "penalties": "classic,must_play=on,drawn_card=may_not_play,deck=r+2*2/g+2/r1*2/g1/g3/b1/b2*2/b3/y2/y3/wild+4",
    "voluntary draws": f"classic,must_play=off,drawn_card=may_not_play,{TINY}",
}


class Position(NamedTuple):
    """A position of a tiny game: what seat 0 sees and believes, and the exact posterior, both of which change as the game goes on."""

    view: View
    belief: Belief
    exact: Enumeration
    draws: int  # by opponents, on how many top cards


class Weighing(Protocol):
    """A brute force that follows a game from seat 0."""

    def observe(self, view: View, event: Event, new_own: list[int]) -> None:
        """Weigh everything by one event; `new_own` are the cards seat 0 drew in it."""


def tiny_positions(rules: str, players: int, hand_size: int, seed: int) -> Iterator[Position]:
    """The decisions of seat 0 in a game after an opponent has drawn, up to where the draw pile would run out."""
    random = Random(seed)
    followed = Followed(parse_rules(f"{rules},hand_size={hand_size}"), players, seed, floor=float(FLOOR))
    state = followed.state
    exact = Enumeration(followed.view(0), FLOOR, WILD_FLOOR)
    tops: set[int] = set()
    for events in weighed_actions(followed, exact, random, 0.8):
        tops |= {event.top for event in events if event.kind == DREW and event.seat != 0}
        if state.current == 0 and state.phase == TURN and tops and not engine.is_over(state):
            yield Position(followed.view(0), followed.beliefs[0], exact, len(tops))
        if state.turn >= 15:
            return


def weighed_actions(followed: Followed, exact: Weighing, random: Random, eager: float) -> Iterator[list[Event]]:
    """Play a game at random and tell everybody, the brute force of seat 0 too: the events of each action.

    It ends where the draw pile would run out. A card that may be played is a candidate with chance `eager`, drawing if none is.
    """
    state = followed.state
    while not engine.is_over(state):
        own, before = followed.view(0).cards(), state.discard_size
        legal = engine.legal_actions(state)
        engine.apply(state, random.choice([action for action in legal if action < DRAW and random.random() < eager] or legal))
        if state.pile_size < 2 or state.discard_size < before:
            return
        view = followed.view(0)
        drawn = [card for card in set(view.cards()) for _ in range(view.cards().count(card) - own.count(card))]
        events = [engine.event_at(state, place) for place in range(state.event_count)]
        for event in events:
            exact.observe(view, event, drawn if event.kind in (DREW, FORCED) else [])
        followed.tell()
        yield events


def hidden_list(position: Position) -> list[int]:
    """The cards that seat 0 does not see."""
    hidden = cards_from(position.view.deck())
    for card in [*position.view.cards(), position.view.top, *position.view.discard[: position.view.discard_size]]:
        hidden.remove(card)
    return hidden
