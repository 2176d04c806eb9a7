"""Games played at random with a belief at every seat, and the world as it really is."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from kibitz.core.layouts import blank
from kibitz.core.seeds import game_key
from kibitz.games.uno import engine
from kibitz.games.uno.cards import DRAW, NO_CARD
from kibitz.games.uno.counts import planes_from
from kibitz.games.uno.rules import Rules
from kibitz.games.uno.state import State, new_state
from kibitz.games.uno.view import DRAWN, View
from kibitz.search.uno.belief import EXACT, FLOOR, WILD_FLOOR, Belief, begin_belief, observe_belief
from kibitz.search.uno.worlds import World


class Followed:
    """A game and what everybody believes."""

    def __init__(self, rules: Rules, players: int, seed: int, mode: int = EXACT, floor: float = FLOOR) -> None:
        self.rules, self.mode, self.floor = rules, mode, floor
        self.state: State = new_state(rules, players)
        self.state.observed = 1
        engine.deal(self.state, game_key(seed, 0))
        self.beliefs = [blank(Belief) for _ in range(players)]
        for seat in range(players):
            begin_belief(self.view(seat), self.beliefs[seat], mode, floor, WILD_FLOOR)

    def view(self, seat: int) -> View:
        """What a seat sees: a copy."""
        engine.show(self.state, seat)
        view: View = engine.as_view(self.state)
        engine.show_actor(self.state)
        return view

    def apply(self, action: int) -> None:
        """Play, and let everybody know."""
        engine.apply(self.state, action)
        self.tell()

    def tell(self) -> None:
        """Tell everybody what happened, as the arena does."""
        for seat in range(self.state.players):
            view = self.view(seat)
            for place in range(self.state.event_count):
                observe_belief(view, engine.event_at(self.state, place), self.beliefs[seat])
        self.state.event_count = 0

    def true_world(self, seat: int) -> World:
        """The cards as they really lie, with what a belief adds."""
        state, belief = self.state, self.beliefs[seat]
        world = blank(World)
        world.hands0, world.hands1, world.hands2 = state.hands0[:], state.hands1[:], state.hands2[:]
        counts = [0] * 56
        for card in state.pile[: state.pile_size]:
            counts[card] += 1
        world.pile0, world.pile1, world.pile2 = planes_from(counts)
        world.drawn = state.hidden_drawn if state.phase == DRAWN and state.current != seat else NO_CARD
        world.before_top, world.before_colour = belief.before_top, belief.before_colour
        world.turn_draws, world.idle, world.grown = belief.turn_draws, belief.idle, belief.grown
        return world


def followed_positions(followed: Followed, random: Random, eager: float = 0.0) -> Iterator[State]:
    """Every position of a game played at random; with chance `eager` a player plays a card if it can."""
    yield followed.state
    while not engine.is_over(followed.state):
        legal = engine.legal_actions(followed.state)
        plays = [action for action in legal if action < DRAW]
        followed.apply(random.choice(plays if plays and random.random() < eager else legal))
        yield followed.state
