"""UNO with its chance laid open: every deal and every draw, each with its probability.

The rules are those of `kibitz.games.uno`, bound anew so that a random number becomes a choice between all it could be.
Without refills a game that needs a card from an empty draw pile ends there, and nobody has won.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import replace
from math import factorial, prod
from typing import Any

from kibitz.core.errors import BadValue
from kibitz.core.jit import number, specialise_modules
from kibitz.core.layouts import copy_record, fields_of
from kibitz.games.contract import GameDefinition
from kibitz.games.uno import dealing, effects, engine, piles, turns, windows
from kibitz.games.uno.cards import DRAW, MAX_CARDS, WILD_SHUFFLE_HANDS, action_card
from kibitz.games.uno.counts import cards_from, count_in
from kibitz.games.uno.definition import GAME
from kibitz.games.uno.rules import Rules
from kibitz.games.uno.state import EVENT_SIZE, SEAT_0, State, new_state
from kibitz.games.uno.view import CUT_OFF, NO_SEAT, STATUS_NAMES, TURN, WON
from kibitz.search.exact.chance import PLAYERS, OpenGame, Outcome

# What no action under these rules writes to: copies of a state share it, as tuples, so that a mistake would show.
_SHARED = ("full_deck", "wrap", "orders", "order", "seat_streams", "scores", "shuffled", "ordered")
_KNOWLEDGE = ("known0", "known1", "known2", "knowledge0", "knowledge1", "knowledge2")


class OpenEngine(OpenGame):
    """Two-player UNO under some rules, in which the caller decides about chance. Hands are dealt as sets of cards."""

    unit = "wins count 1, losses −1"

    def __init__(self, rules: Rules, refills: bool = False) -> None:
        if rules.seven_zero or rules.jump_in or rules.deck[WILD_SHUFFLE_HANDS]:
            raise BadValue(
                f"rules '{rules.name}' cannot be solved: seven_zero and jump_in must be off, and the deck without Wild Shuffle Hands."
            )
        # Early refills would end the game with the last card of the pile instead of the first one that is missing.
        super().__init__(GAME, rules)
        self.rules = rules if refills else replace(rules, refill="when_needed")
        bindings: dict[str, Any] = {"below": self._choose_place, "weigh_draw": self._note_draw}
        if not refills:
            bindings["refill"] = _end_game
        self._verbs = specialise_modules(piles, turns, effects, windows, dealing, engine, HOUSE=True, **bindings)
        self._shared = _SHARED if rules.wild_draw_four == "challenge" else _SHARED + _KNOWLEDGE
        self._changing = [field.name for field in fields_of(State) if field.length and field.name not in self._shared]
        self._blank = self._state = new_state(self.rules, PLAYERS)
        self._dealing = False

    # -- the verbs --

    def deals(self) -> Iterator[Outcome]:
        """Every deal: hands as sets of cards, who begins, and the opening card. The order of hands is not kept in them."""
        for outcome in self._every_way(self._deal):
            for name in self._shared:
                setattr(outcome.state, name, tuple(getattr(outcome.state, name)))
            yield outcome

    def copy(self, state: State) -> State:
        """A copy for play on in which the order of no hand is kept; what does not change then is shared."""
        twin: State = State.__new__(State)
        fields = twin.__dict__
        fields.update(state.__dict__)
        for name in self._changing:
            fields[name] = fields[name][:]
        return twin

    def legal_actions(self, state: State) -> list[int]:
        """Every legal action, none once the game is over."""
        return engine.legal_actions(state)

    def show_actor(self, state: State) -> None:
        """Show a state anew to the player to act."""
        engine.show_actor(state)

    def _deal(self) -> State:
        self._state = state = copy_record(self._blank)
        state.observed = 1
        self._dealing = True
        self._verbs["deal"](state, 0)
        self._dealing = False
        for seat in range(PLAYERS):
            # Hands are dealt in ascending order here: one way out of all that give the same cards.
            dealt = Counter(state.orders[seat * MAX_CARDS : seat * MAX_CARDS + state.initial_hand])
            self._probability *= factorial(state.initial_hand) / prod(factorial(count) for count in dealt.values())
        return state

    def _apply(self, state: State, action: int) -> State:
        self._state = state
        state.event_count = 0
        self._verbs["apply"](state, action)
        return state

    # -- chance --

    def _choose_place(self, position: int, bound: int) -> tuple[int, int]:
        """In place of a random number below a bound."""
        state, place = self._state, len(self._chosen)
        pile = state.pile[:bound]
        counts = Counter(pile)
        cards = sorted(counts)
        if self._dealing:
            dealt = PLAYERS * state.initial_hand
            if place == dealt:
                return position, self._choose_dealer()
            if place < dealt and place % state.initial_hand:
                cards = [card for card in cards if card >= self._chosen[-1]]
            elif place == dealt + 1:
                cards = [card for card in cards if not dealing.goes_back(state, card)] or cards
                bound = sum(counts[card] for card in cards)
        return position, pile.index(self._choose(cards, [counts[card] / bound for card in cards]))

    def _choose_dealer(self) -> int:
        if self._state.starter == SEAT_0 or self._state.set_dealer != NO_SEAT:  # then it does not matter
            return self._choose([0], [1.0])
        return self._choose(range(PLAYERS), [1 / PLAYERS] * PLAYERS)

    def _note_draw(self, state: State, seat: int, owed: int, size: int, card: int) -> None:
        self._drawn.append((number(seat), card))

    # -- what players know --

    def at_start(self, state: State, seat: int) -> Hashable:
        """The own hand and what lies on the table."""
        hand = (state.hands0[seat], state.hands1[seat], state.hands2[seat])
        return (seat, hand, state.top, state.colour, state.dealer, state.current, state.pile_size, tuple(state.sizes))

    def news(self, outcome: Outcome, seat: int) -> Iterator[Hashable]:
        """The own new cards, the events one by one, and a hand that was shown."""
        state = outcome.state
        for drawer, card in outcome.drawn:
            if drawer == seat:
                yield card
        for place in range(state.event_count):
            yield tuple(state.events[place * EVENT_SIZE : (place + 1) * EVENT_SIZE])
        if state.any_known:
            first, end = seat * len(state.sizes), seat * len(state.sizes) + PLAYERS
            yield (tuple(state.knowledge0[first:end]), tuple(state.knowledge1[first:end]), tuple(state.knowledge2[first:end]))

    def result(self, state: State) -> int:
        """1 for a win of seat 0, -1 for a loss."""
        return 0 if state.status != WON else 1 if state.winner == 0 else -1

    def ending(self, state: State) -> str:
        """Who won, or how it ended."""
        return f"won by {state.winner}" if state.status == WON else STATUS_NAMES[state.status]

    # -- what bots and searches go by --

    def hand(self, state: State, seat: int) -> tuple[int, ...]:
        """A hand as it was dealt."""
        return tuple(cards_from((state.hands0[seat], state.hands1[seat], state.hands2[seat])))

    def arrange(self, state: State, seat: int, reading: int, order: tuple[int, ...]) -> None:
        """Keep the order of a hand."""
        state.any_ordered = 1
        state.ordered[seat] = reading
        state.orders[seat * MAX_CARDS : seat * MAX_CARDS + len(order)] = order

    def cards(self, state: State) -> tuple[int, int]:
        """How many cards are in each hand."""
        return int(state.sizes[0]), int(state.sizes[1])

    def copies(self, state: State, action: int) -> int:
        """How many copies of the card that an action plays from the hand are held there; 1 for any other action, a drawn card included."""
        if state.phase != TURN or action >= DRAW:
            return 1
        return count_in((state.hands0[state.current], state.hands1[state.current], state.hands2[state.current]), action_card(action))


def _end_game(state: State) -> None:
    """In place of a refill."""
    state.status = CUT_OFF


def open_game(game: GameDefinition, rules: Rules) -> OpenEngine:
    """As the solver asks for it."""
    return OpenEngine(rules)
