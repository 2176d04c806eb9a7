"""What a player sees, and what is hidden: records that compiled code and plain Python share."""

from __future__ import annotations

from typing import Annotated

from kibitz.core.layouts import Byte
from kibitz.games.basic import BasicHidden, BasicView

PASS, BET = 0, 1  # the actions: check or fold, bet or call
JACK, QUEEN, KING = 0, 1, 2


class View(BasicView):
    """What a player sees: its own card, and whether there is a bet to call."""

    card: Byte
    is_bet: Byte  # 1 once somebody has bet


class State(BasicHidden, View):
    """The whole game: both cards, and who has bet."""

    cards: Annotated[list[int], "i1", 2]
    bettor: Byte
