"""Worlds of UNO: hidden cards from the belief that searching bots keep, laid out as states."""

from __future__ import annotations

from kibitz.core.layouts import blank, copy_record
from kibitz.core.seeds import SEARCH, stream
from kibitz.games.uno.state import Event, State
from kibitz.games.uno.view import View
from kibitz.search.uno.belief import EXACT, FLOOR, WILD_FLOOR, Belief, begin_belief, observe_belief
from kibitz.search.uno.layout import lay_out
from kibitz.search.uno.worlds import FINE, Hidden, World, check_view, prepare, sample_world


class UnoWorlds:
    """Draws worlds as likely as the rules and the events make them."""

    def __init__(self) -> None:
        self._belief = blank(Belief)

    def begin(self, view: View) -> None:
        """Begin a belief."""
        self._belief = blank(Belief)
        begin_belief(view, self._belief, EXACT, FLOOR, WILD_FLOOR)

    def observe(self, view: View, event: Event) -> None:
        """Follow the game."""
        observe_belief(view, event, self._belief)

    def draw(self, view: View, stream_position: int, state: State) -> None:
        """Fill in a state."""
        hidden, world = blank(Hidden), blank(World)
        belief = copy_record(self._belief)  # preparing may write to it
        if prepare(view, belief, hidden) != FINE:
            check_view(view, belief)
        position = sample_world(view, belief, hidden, stream(stream_position, SEARCH), world)
        lay_out(view, world, position, state)

    def copy(self) -> UnoWorlds:
        """Another with the same belief."""
        twin = UnoWorlds()
        twin._belief = copy_record(self._belief)
        return twin
