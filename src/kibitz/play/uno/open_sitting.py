"""UNO with its chance laid open: cards that are alike are one outcome, and hands are dealt as sets of cards.

Without refills a game that needs a card from an empty draw pile ends there, and nobody has won.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import cached_property
from math import factorial, prod
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.jit import number
from kibitz.core.layouts import copy_record, fields_of
from kibitz.games.contract import GameDefinition
from kibitz.games.uno import dealing
from kibitz.games.uno.cards import DRAW, MAX_CARDS, WILD_SHUFFLE_HANDS, action_card
from kibitz.games.uno.counts import cards_from, count_in
from kibitz.games.uno.rules import Rules
from kibitz.games.uno.state import EVENT_SIZE, SEAT_0, State
from kibitz.games.uno.view import CUT_OFF, NO_SEAT, TURN, WON
from kibitz.play.open_sitting import Moment, OpenSitting, Undecided

# What no action under these rules writes to: copies of a state share it, as tuples, so that a mistake would show.
_SHARED = ("full_deck", "wrap", "orders", "order", "seat_streams", "scores", "shuffled", "ordered")
_KNOWLEDGE = ("known0", "known1", "known2", "knowledge0", "knowledge1", "knowledge2")


class OpenUno(OpenSitting):
    """UNO under some rules, in which the caller decides about chance. A deal is one outcome; states also have the cards that were `just_drawn`."""

    unit = "wins count 1, losses −1"

    def __init__(self, game: GameDefinition, rules: Rules, players: int = 2, refills: bool = False) -> None:
        if rules.seven_zero or rules.jump_in or rules.deck[WILD_SHUFFLE_HANDS]:
            raise BadValue(
                f"rules '{rules.name}' cannot be solved: seven_zero and jump_in must be off, and the deck without Wild Shuffle Hands."
            )
        # Early refills would end the game with the last card of the pile instead of the first one that is missing.
        played = rules if refills else replace(rules, refill="when_needed")
        super().__init__(game, played, players, weigh_draw=_note_draw, **({} if refills else {"refill": _end_game}))
        self.asked_rules = rules
        self._shared = _SHARED if rules.wild_draw_four == "challenge" else _SHARED + _KNOWLEDGE
        self._changing = [field.name for field in fields_of(State) if field.length and field.name not in self._shared]
        self._dealt: list[int] | None = None  # while cards are dealt: what chance did so far

    # -- chance --

    @cached_property
    def _deals(self) -> list[tuple[tuple[int, ...], float]]:
        """Every deal: the choices of chance, and how likely it is. Hands are dealt in ascending order: one way of all that are alike."""
        found = []
        ways: list[tuple[tuple[int, ...], float]] = [((), 1.0)]
        while ways:
            way, chance = ways.pop()
            try:
                state = self._deal_cards(way)
            except Undecided as undecided:
                ways += [((*way, card), chance * share) for card, share in reversed(undecided.outcomes)]
                continue
            for seat in range(self.players):
                dealt = Counter(state.orders[seat * MAX_CARDS : seat * MAX_CARDS + state.initial_hand])
                chance *= factorial(state.initial_hand) / prod(factorial(count) for count in dealt.values())
            found.append((way, chance))
        return found

    def _deal(self, answers: tuple[int, ...]) -> State:
        if not answers:
            raise Undecided([(place, chance) for place, (_, chance) in enumerate(self._deals)])
        return self._deal_cards(self._deals[answers[0]][0])

    def _deal_cards(self, way: tuple[int, ...]) -> State:
        self._dealt = []
        try:
            state: State = super()._deal(way)
        finally:
            self._dealt = None
        for name in self._shared:
            setattr(state, name, tuple(getattr(state, name)))
        return state

    def _below(self, position: int, bound: int) -> tuple[int, int]:
        """In place of a random number below a bound: a card of the pile, or the dealer."""
        state, dealt = self._state, self._dealt
        pile = state.pile[:bound]
        counts = Counter(pile)
        cards = sorted(counts)
        if dealt is None:
            return position, pile.index(self._choose(cards, [counts[card] / bound for card in cards]))
        in_hands = self.players * state.initial_hand
        if len(dealt) == in_hands:
            fixed = state.starter == SEAT_0 or state.set_dealer != NO_SEAT  # then it does not matter
            dealers = 1 if fixed else self.players
            dealt.append(self._choose(range(dealers), [1 / dealers] * dealers))
            return position, dealt[-1]
        if len(dealt) < in_hands and len(dealt) % state.initial_hand:
            cards = [card for card in cards if card >= dealt[-1]]
        elif len(dealt) == in_hands + 1:
            cards = [card for card in cards if not dealing.goes_back(state, card)] or cards
            bound = sum(counts[card] for card in cards)
        dealt.append(self._choose(cards, [counts[card] / bound for card in cards]))
        return position, pile.index(dealt[-1])

    def _copy(self, state: State) -> State:
        """A copy for play on. If the order of no hand is kept, what does not change is shared."""
        twin: Any
        if state.any_ordered:
            twin = copy_record(state)
        else:
            twin = State.__new__(State)
            fields = twin.__dict__
            fields.update(state.__dict__)
            for name in self._changing:
                fields[name] = fields[name][:]
        twin.just_drawn = []
        return twin  # type: ignore[no-any-return]  # a State

    # -- what players know --

    def news(self, seat: int) -> Iterator[Hashable]:
        """Of a deal, the seat's hand and what lies on the table; then its new cards, the events one by one, and a hand that was shown."""
        state = self.state
        if not hasattr(state, "just_drawn"):
            hand = (state.hands0[seat], state.hands1[seat], state.hands2[seat])
            yield (seat, hand, state.top, state.colour, state.dealer, state.current, state.pile_size, tuple(state.sizes))
            return
        for drawer, card in state.just_drawn:
            if drawer == seat:
                yield card
        for place in range(state.event_count):
            yield tuple(state.events[place * EVENT_SIZE : (place + 1) * EVENT_SIZE])
        if state.any_known:
            first, end = seat * len(state.sizes), seat * len(state.sizes) + self.players
            yield (tuple(state.knowledge0[first:end]), tuple(state.knowledge1[first:end]), tuple(state.knowledge2[first:end]))

    def result(self) -> float:
        """1 for a win of seat 0, -1 for a loss."""
        return 0.0 if self.state.status != WON else 1.0 if self.state.winner == 0 else -1.0

    # -- what bots and searches go by --

    def hand(self, seat: int) -> tuple[int, ...]:
        """A hand as it was dealt."""
        return tuple(cards_from((self.state.hands0[seat], self.state.hands1[seat], self.state.hands2[seat])))

    def arrange(self, seat: int, reading: int, order: tuple[int, ...]) -> None:
        """Keep the order of a hand from now on."""
        state = copy_record(self.state)
        for name in self._shared:
            setattr(state, name, list(getattr(state, name)))
        state.any_ordered = 1
        state.ordered[seat] = reading
        state.orders[seat * MAX_CARDS : seat * MAX_CARDS + len(order)] = order
        self.game.verbs["show_actor"](state)
        self.moment = Moment(state, ())

    def cards(self) -> tuple[int, int]:
        """How many cards are in each hand."""
        return int(self.state.sizes[0]), int(self.state.sizes[1])

    def copies(self, action: int) -> int:
        """How many copies of the card that an action plays from the hand are held there; 1 for any other action, a drawn card included."""
        state = self.state
        if state.phase != TURN or action >= DRAW:
            return 1
        return count_in((state.hands0[state.current], state.hands1[state.current], state.hands2[state.current]), action_card(action))


def _note_draw(state: Any, seat: int, owed: int, size: int, card: int) -> None:
    """Keep a card that is drawn in the course of the game."""
    if hasattr(state, "just_drawn"):
        state.just_drawn.append((number(seat), card))


def _end_game(state: State) -> None:
    """In place of a refill."""
    state.status = CUT_OFF
