"""An adviser that is no bot: trials of every legal action, as the table in the browser has them, in one answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kibitz import registry
from kibitz.play.advice import Analyst, analyst_of, choices_of
from kibitz.play.explaining import ONLY, ActionValue, Explanation, explanation_of
from kibitz.report.explanation import action_text, doubts, why_usual

PLAIN_GAMES = 100  # where nothing is compiled


class TrialsAdviser:
    """Follows a game from one seat and answers as an `Adviser` does; `names` are those of the bots by seat."""

    name = ""

    def __init__(self, game: str, names: Sequence[str], compiled: bool = True) -> None:
        self._game, self._names, self._compiled = registry.game(game), names, compiled
        self._games = self._game.face.budget.first if compiled else PLAIN_GAMES
        self._analyst: Analyst | None = None

    def begin(self, view: Any) -> None:
        """Begin to follow a deal."""
        if self._analyst is None:
            self._analyst = analyst_of(self._game.name, self._compiled, self._names)
        self._analyst.begin(view)

    def observe(self, view: Any, event: Any) -> None:
        """Hear of an event."""
        assert self._analyst is not None
        self._analyst.observe(view, event)

    def ask(self, view: Any) -> Explanation:
        """What each action is worth, and the one to take."""
        game, actions = self._game, choices_of(self._game, view)
        if len(actions) == 1:
            return explanation_of(game, "", view, actions[0], None, ONLY)
        assert self._analyst is not None
        trials, batch = self._analyst.open(view), 0
        while trials.games * len(actions) < self._games or trials.rows < 2:
            self._analyst.add_batch(trials, batch)
            batch += 1
        best = trials.best()
        order = [best, *[action for action in trials.ranked() if action != best]]
        rows = tuple(ActionValue(action, game.action_name(view, action), *trials.value(action), trials.games) for action in order)
        words = {action: action_text(game.name, view, action) for action in actions}
        notes = tuple(note for note in (why_usual(trials, words), *doubts(self._analyst)) if note)
        said = explanation_of(game, "", view, best, None)
        return replace(said, unit=self._analyst.unit, rows=rows, assumes=self._analyst.assumes, notes=notes)
