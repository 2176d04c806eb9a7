"""The exact posterior over hidden hands by brute force, for tiny decks: every deal and every draw, weighed event by event.

Written from the rules alone, with whole hands and no groups or masks. The prior is uniform over arrangements of the deck; a played
card may be any of those of its type in the hand. Refills and knowledge of hands are left out: games are chosen without.
"""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from math import comb

from kibitz.games.uno.cards import WILD_MASK, match_mask
from kibitz.games.uno.counts import cards_from
from kibitz.games.uno.state import DREW, FORCED, PLAY, Event
from kibitz.games.uno.view import DRAWN, MAY_NOT_PLAY_DRAWN, View

Hands = tuple[tuple[int, ...], ...]  # sorted cards of each opponent
Beliefs = dict[tuple[Hands, int], Fraction]  # with the card drawn last


class Enumeration:
    """All hands the opponents of a viewer may hold, with exact weights."""

    def __init__(self, view: View, floor: Fraction | None = None, wild_floor: Fraction | None = None) -> None:
        self.seats = [seat for seat in range(view.players) if seat != view.seat]
        self.viewer = view.seat
        self.own = sorted(view.cards())
        self.pool = cards_from(view.deck())  # all that was not seen at the beginning
        for card in [*self.own, view.top, *view.discard[: view.discard_size]]:
            self.pool.remove(card)
        self.own_seen: list[int] = []  # drawn by the viewer since
        self.gone: list[int] = []  # played by opponents since
        self.floor, self.wild_floor = floor, wild_floor
        beliefs: Beliefs = {(tuple(() for _ in self.seats), -1): Fraction(1)}
        for place, seat in enumerate(self.seats):
            for _ in range(view.sizes[seat]):
                beliefs = self._dealt(beliefs, place, lambda card: True)
        self.beliefs = beliefs

    def _left(self, hands: Hands) -> list[int]:
        left = self.pool[:]
        for card in [*[card for hand in hands for card in hand], *self.own_seen, *self.gone]:
            left.remove(card)
        return left

    def _dealt(self, beliefs: Beliefs, place: int, allowed: object) -> Beliefs:
        result: Beliefs = defaultdict(Fraction)
        for (hands, _), weight in beliefs.items():
            left = self._left(hands)
            for card in set(left):
                if allowed(card):  # type: ignore[operator]  # a predicate
                    changed = [*hands]
                    changed[place] = tuple(sorted((*hands[place], card)))
                    result[tuple(changed), card] += weight * left.count(card)
        return result

    def observe(self, view: View, event: Event, new_own: list[int]) -> None:
        """Weigh everything by one event; `new_own` are the cards the viewer drew in it."""
        if event.seat == self.viewer:
            for card in new_own:
                result: Beliefs = {}
                for key, weight in self.beliefs.items():
                    copies = self._left(key[0]).count(card)
                    if copies:
                        result[key] = weight * copies
                self.beliefs = result
                self.own_seen.append(card)
            return
        place = self.seats.index(event.seat)
        matching = match_mask(event.top, event.top_colour)
        if event.kind == DREW:
            self._weigh_draw(place, matching, view.must_play != 0)
        if event.kind in (DREW, FORCED):
            waits = view.phase == DRAWN and view.current == event.seat
            for drawn in range(event.count):
                last = drawn == event.count - 1
                fits = last and waits
                shown = event.kind == DREW and view.drawn_rule != MAY_NOT_PLAY_DRAWN
                self.beliefs = self._dealt(self.beliefs, place, lambda card: not shown or bool(matching >> card & 1) == fits)  # noqa: B023
        elif event.kind == PLAY:
            self._weigh_play(place, event)

    def _weigh_draw(self, place: int, matching: int, certain: bool) -> None:
        result: Beliefs = {}
        for key, weight in self.beliefs.items():
            fitting = [card for card in key[0][place] if matching >> card & 1]
            if not fitting:
                result[key] = weight
            elif not certain:
                assert self.floor is not None and self.wild_floor is not None
                result[key] = weight * (self.wild_floor if all(WILD_MASK >> card & 1 for card in fitting) else self.floor)
        self.beliefs = result

    def _weigh_play(self, place: int, event: Event) -> None:
        result: Beliefs = defaultdict(Fraction)
        for (hands, drawn), weight in self.beliefs.items():
            copies = hands[place].count(event.card)
            if event.drawn:
                copies = int(drawn == event.card)
            if copies:
                changed = [*hands]
                hand = [*hands[place]]
                hand.remove(event.card)
                changed[place] = tuple(hand)
                result[tuple(changed), -1] += weight * copies
        self.beliefs = result
        self.gone.append(event.card)

    def distribution(self) -> dict[Hands, float]:
        """The chance of each set of hands."""
        total = sum(self.beliefs.values())
        result: dict[Hands, Fraction] = defaultdict(Fraction)
        for (hands, _), weight in self.beliefs.items():
            result[hands] += weight / total
        return {hands: float(chance) for hands, chance in result.items()}


def ways_to_deal(hands: Hands, hidden: list[int]) -> int:
    """In how many ways these hands can be taken from the hidden cards, cards that look alike being told apart."""
    ways = 1
    left = {card: hidden.count(card) for card in set(hidden)}
    for hand in hands:
        for card in set(hand):
            ways *= comb(left[card], hand.count(card))
            left[card] -= hand.count(card)
    return ways
