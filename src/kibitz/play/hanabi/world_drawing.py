"""Worlds of Hanabi: own cards that agree with the hints, and the deck in any order."""

from __future__ import annotations

from kibitz.core.errors import BadValue
from kibitz.core.layouts import blank
from kibitz.core.seeds import SEARCH, stream
from kibitz.games.hanabi.engine import show_actor
from kibitz.games.hanabi.state import Event, State
from kibitz.games.hanabi.view import View
from kibitz.search.hanabi.worlds import FINE, Unseen, deal_unseen, find_unseen, lay_table


class HanabiWorlds:
    """Draws each world that agrees with the view as often as any other. A view shows all that counts for that."""

    def begin(self, view: View) -> None:
        """Nothing is remembered."""

    def observe(self, view: View, event: Event) -> None:
        """Nothing is remembered."""

    def draw(self, view: View, stream_position: int, state: State) -> None:
        """Fill in a state."""
        unseen = blank(Unseen)
        possible = find_unseen(view, unseen) == FINE
        if possible:
            lay_table(view, state)
            _, possible = deal_unseen(view, unseen, stream(stream_position, SEARCH), state)
        if not possible:
            raise BadValue(f"the view of seat {view.seat} cannot be: its cards don't add up.")
        show_actor(state)

    def copy(self) -> HanabiWorlds:
        """Itself: it remembers nothing."""
        return self
