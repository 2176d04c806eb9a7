"""Any game in plain words for one seat: actions by their names, hands as the game names its cards."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from kibitz.core.sentences import counted, listed
from kibitz.games.contract import GameDefinition
from kibitz.report.telling.spoken_names import Names, contest_standing


class PlainTelling:
    """What is said of a game that has no words of its own. An event with an `action` is told by the action's name, any other not at all."""

    def __init__(self, game: GameDefinition, names: Names, to: str | None = None, tells_draws: bool = False) -> None:
        self.game, self.names, self.to = game, names, to

    def opening(self, view: Any) -> list[Text]:
        """Who begins."""
        return [Text(f"{self.names.does(int(view.current), 'begin')}.")]

    def tell(self, view: Any, event: Any) -> list[Text]:
        """Who did what."""
        if not hasattr(event, "action"):
            return []
        return [Text(f"{self.names.start(int(event.seat))}: {self.game.action_name(view, event.action)}.")]

    def ask(self, view: Any) -> None:
        """Nothing: every action is a choice."""

    def question(self, view: Any) -> str:
        """What may be done."""
        return f"Your turn: {listed([self.game.action_name(view, action) for action in self.game.legal_actions(view)], 'or')}?"

    def why_not(self, view: Any, action: int) -> str:
        """What is wrong with an action, or what may be done instead."""
        legal = [self.game.action_name(view, each) for each in self.game.legal_actions(view)]
        return (
            self.game.why_illegal(view, action)
            or f"'{self.game.action_name(view, action)}' is not possible now; {listed(legal)} may be done."
        )

    def reasons(self, view: Any) -> dict[str, str]:
        """Nothing: what is not legal is not offered."""
        return {}

    def result(self, state: Any) -> list[str]:
        """Who won what."""
        end = self.game.outcome(state)
        turns = f"after {counted(int(end['turns']), 'turn')}"
        if "score" in end:
            return [f"The game is over {turns}: {counted(int(end['score']), 'point')}."]
        if end["winner"] is None:
            return [f"Nobody wins; the game is over {turns}."]
        return [f"{self.names.does(int(end['winner']), 'win')} {counted(int(end['points']), 'point')} {turns}."]

    def contest_result(self, scores: list[int], is_finished: bool = True) -> str:
        """How everybody stands after a deal of a contest, and who has won it if it is finished."""
        return contest_standing(self.names, scores, self.to, is_finished)
