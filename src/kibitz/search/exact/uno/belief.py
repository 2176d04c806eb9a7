"""Under which rules of UNO the values of `kibitz.search.exact.values` are what a search tends to."""

from __future__ import annotations

from kibitz.core.errors import BadValue
from kibitz.games.uno.rules import Rules


def check_belief(rules: Rules) -> None:
    """Refuse rules under which a draw does not prove the same to everybody who looks on."""
    if rules.drawn_card != "may_not_play" or not rules.must_play:
        raise BadValue(
            f"rules '{rules.name}': values of actions are exact only where who can play must, and a drawn card ends the turn "
            "(must_play=on, drawn_card=may_not_play)."
        )
