"""An adviser behind a person's back: it hears of all that the person sees, and thinks only when it is asked."""

from __future__ import annotations

from typing import Any

from rich.text import Text

from kibitz.core.errors import KibitzError
from kibitz.play.explaining import Adviser
from kibitz.report.explanation import advice_lines
from kibitz.report.telling.spoken_names import shortened


class Advice:
    """The advice that a person may have; `always` if it is shown at every decision without asking."""

    def __init__(self, adviser: Adviser, always: bool = False) -> None:
        self._adviser, self.always = adviser, always
        self._unheard: list[tuple[Any, Any]] = []  # views, and the events that led to them; None for the beginning of a deal

    def begin(self, view: Any) -> None:
        """A deal begins."""
        self._unheard = [(view, None)]

    def observe(self, view: Any, event: Any) -> None:
        """Somebody did something."""
        self._unheard.append((view, event))

    def lines(self, view: Any) -> list[Text]:
        """What the adviser says of the decision that is open, or why it has nothing to say: that never ends a game."""
        try:
            heard, self._unheard = self._unheard, []
            for seen, event in heard:
                if event is None:
                    self._adviser.begin(seen)
                else:
                    self._adviser.observe(seen, event)
            return advice_lines(self._adviser.ask(view), shortened(self._adviser.name, 25))
        except KibitzError as error:
            return [Text(f"No advice: {error}", "yellow")]
