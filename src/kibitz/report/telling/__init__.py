"""What happens at a table in words for one seat, or for somebody who looks on: the same sentences wherever a person plays.

A telling hears of a deal from its beginning: `opening`, then `tell` for each event with what the seat sees after the whole
action. It also asks the person the open question, and says why something is not possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rich.text import Text

from kibitz import registry
from kibitz.report.telling.spoken_names import Names

NAME_WIDTH = 30  # of a player's name where nothing has to fit into columns


class Telling(Protocol):
    """What a game says to a person."""

    names: Names

    def opening(self, view: Any) -> list[Text]:
        """What is said when a deal begins."""

    def tell(self, view: Any, event: Any) -> list[Text]:
        """What is said of an event."""

    def ask(self, view: Any) -> None:
        """The person is asked: what it does next is its own choice."""

    def question(self, view: Any) -> str:
        """The decision that is open, as a question."""

    def why_not(self, view: Any, action: int) -> str:
        """Why an action is not legal now."""

    def reasons(self, view: Any) -> dict[str, str]:
        """Why what a person might try now is not possible, by name."""

    def result(self, state: Any) -> list[str]:
        """How the deal ended."""

    def contest_result(self, scores: list[int], is_finished: bool = True) -> str:
        """How everybody stands after a deal of a contest, and who has won it if it is finished."""


def telling_for(game: str, names: Sequence[str], seat: int | None, to: str | None = None, tells_draws: bool = False) -> Telling:
    """A telling with cards in full words: `red 5`. Nobody is `You` where `seat` is None, and `tells_draws` names cards drawn from a pile to all."""
    definition = registry.game(game)
    telling: Telling = definition.face.load("telling")(definition, Names(names, seat, NAME_WIDTH), to, tells_draws)
    return telling
