"""A bot that is an ordinary Python object. Try `kibitz evaluate examples/python_bot.py:Listener --games 20000`."""

from kibitz.games.uno.cards import NO_COLOUR, colour_of, is_wild
from kibitz.games.uno.state import KEPT, Event
from kibitz.games.uno.view import View


class Listener:
    """Remembers which colour each opponent last failed to follow, and plays or calls that colour."""

    def __init__(self) -> None:
        self.missing: dict[int, int] = {}  # colour by seat; every game is played by a fresh object

    def observe(self, view: View, event: Event) -> None:
        if event.kind == KEPT and event.top_colour != NO_COLOUR:  # somebody drew and did not play
            self.missing[event.seat] = event.top_colour

    def choose(self, view: View) -> int:
        colour = self.missing.get(view.seat_after(1), view.common_colour())
        playable = [card for card in view.cards() if view.can_play(card)]
        card = max(playable, key=lambda card: (not is_wild(card), colour_of(card) == colour, view.points_of(card)))
        return view.play(card, colour)
