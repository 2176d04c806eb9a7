"""Search over a blueprint: leaves a convention only for a move that is better beyond doubt, in the manner of SPARTA."""

from __future__ import annotations

from typing import Any

from kibitz.bots.bot import bot
from kibitz.bots.parameters import CHOICE, REAL, SWITCH, WHOLE, Parameter, Value
from kibitz.core.jit import number
from kibitz.games.hanabi.state import Event
from kibitz.games.hanabi.view import View
from kibitz.search.hanabi.blueprint.decision import (
    MOST_WORLDS,
    PAIR_WORLDS,
    TEAM_WORLDS,
    BlueprintSearch,
    begin_beliefs,
    hear_move,
    room_of,
    search,
)
from kibitz.search.hanabi.blueprint.hand_beliefs import MOST_HANDS, Beliefs
from kibitz.search.hanabi.blueprint.team import INFORMATION, SMART

BY_PLAYERS = 2  # smart with two players, information with more


def begin(view: View, memory: Beliefs, params: Any) -> None:
    """Know what hints have told."""
    base = number(params.base)
    if base == BY_PLAYERS:
        base = SMART if view.players == 2 else INFORMATION
    begin_beliefs(view, memory, base)


def observe(view: View, event: Event, memory: Beliefs, params: Any, scratch: BlueprintSearch) -> None:
    """Read a move as everybody does, and learn about your own hand."""
    hear_move(view, event, memory, room_of(scratch, 0), params.surprise, number(params.hands))


_USUAL: dict[str, Value] = {
    "base": "by players",
    "worlds": 0,
    "milliseconds": 0.0,
    "lean": 1.5,
    "margin": 0.05,
    "confusion": 0.15,
    "surprise": 0.03,
    "hands": 4000,
    "truthful": True,
}


@bot(
    game="hanabi",
    parameters=(
        Parameter(
            "base",
            CHOICE,
            "the blueprint: smart with two players and information with more, or one of them",
            choices=("smart", "information", "by players"),
        ),
        Parameter("worlds", WHOLE, f"worlds for one decision; 0: {PAIR_WORLDS} with two players, {TEAM_WORLDS} with more", 0, MOST_WORLDS),
        Parameter("milliseconds", REAL, "time for one decision instead; 0: no limit in time", 0, 1e6),
        Parameter("lean", REAL, "standard errors by which a move must lead to be made instead of the blueprint's", 0, 10),
        Parameter("margin", REAL, "and the points by which it must lead besides", 0, 25),
        Parameter("confusion", REAL, "points more over smart, whose players tell their hands from moves and would be misled", 0, 25),
        Parameter("surprise", REAL, "how likely a partner is thought to leave the blueprint", 0, 1),
        Parameter("hands", WHOLE, "hands that the player keeps in mind as its own", 10, MOST_HANDS),
        Parameter("truthful", SWITCH, "make only moves after which nobody takes a card for something that it isn't"),
    ),
    presets={"": _USUAL, "single": {**_USUAL, "confusion": 0.0, "surprise": 0.0, "truthful": False}},
    memory=Beliefs,
    scratch=BlueprintSearch,
    begin=begin,
    observe=observe,
    trusted=True,
)
def blueprint(view: View, memory: Beliefs, params: Any, scratch: BlueprintSearch) -> int:
    """Plays by a convention, and looks for something better: every move is tried in worlds that could be the real one.

    All partners are expected to go on by the convention. A move other than the convention's is made only if it leads clearly.
    """
    return search(view, memory, scratch, params)
