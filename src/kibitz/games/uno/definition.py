"""UNO as the arena sees it."""

from __future__ import annotations

from typing import Any

from kibitz.games.contract import VERBS, GameDefinition
from kibitz.games.uno import dealing, effects, engine, piles, turns, windows
from kibitz.games.uno.cards import MAX_PLAYERS
from kibitz.games.uno.names import action_from_name, action_name
from kibitz.games.uno.rules import Rules, parse_rules
from kibitz.games.uno.state import Event, State, new_state
from kibitz.games.uno.view import COLOUR, PHASE_NAMES, View
from kibitz.jit import specialise_modules


def _define(kernels: dict[str, Any]) -> GameDefinition:
    return GameDefinition(
        name="uno",
        state=State,
        view=View,
        event=Event,
        verbs={verb.__name__: kernels[verb.__name__] for verb in VERBS},
        tally_size=engine.TALLY_SIZE,
        max_players=MAX_PLAYERS,
        phases=PHASE_NAMES,
        basic_phases=COLOUR,
        under=_under,
        new_state=new_state,
        legal_actions=engine.legal_actions,
        parse_rules=parse_rules,
        action_name=action_name,
        action_from_name=action_from_name,
    )


def _under(rules: Rules) -> GameDefinition:
    return CLASSIC_UNO if rules.is_plain else UNO_GAME


UNO_GAME = _define(vars(engine))
# The same engine with every branch for house rules cut out: what classic games are played with at full speed.
CLASSIC_UNO = _define(specialise_modules(piles, turns, effects, windows, dealing, engine, HOUSE=False))
