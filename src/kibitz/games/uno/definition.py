"""UNO as the arena sees it."""

from __future__ import annotations

from kibitz.games.contract import VERBS, GameDefinition
from kibitz.games.uno import engine
from kibitz.games.uno.cards import MAX_PLAYERS
from kibitz.games.uno.names import action_from_name, action_name
from kibitz.games.uno.rules import parse_rules
from kibitz.games.uno.state import Event, State, new_state
from kibitz.games.uno.view import View

UNO_GAME = GameDefinition(
    name="uno",
    state=State,
    view=View,
    event=Event,
    verbs={verb.__name__: getattr(engine, verb.__name__) for verb in VERBS},
    tally_size=engine.TALLY_SIZE,
    max_players=MAX_PLAYERS,
    new_state=new_state,
    legal_actions=engine.legal_actions,
    parse_rules=parse_rules,
    action_name=action_name,
    action_from_name=action_from_name,
)
