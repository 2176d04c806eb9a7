"""An opponent that forgets to say UNO, so that a bot under test may catch it."""

from __future__ import annotations

from kibitz.games.uno.cards import PASS
from kibitz.games.uno.rules import Rules
from kibitz.games.uno.view import UNO_CALL, View


class Forgetful:
    """Plays any card and never says UNO, so that others may catch it."""

    windows = ("uno_call",)

    def choose(self, view: View) -> int:
        """Let the call pass."""
        return PASS if view.phase == UNO_CALL else view.play(view.pick(view.playable()), view.common_colour())


def opponent(rules: Rules) -> type[Forgetful] | None:
    """Who takes the last seat under some rules; None for anybody."""
    return Forgetful if rules.uno_call else None
