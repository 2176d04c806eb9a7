"""Hanabi as the arena sees it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kibitz.core.jit import specialise_modules
from kibitz.games.contract import GameDefinition, bots_in, verbs_in
from kibitz.games.hanabi import engine, luck, notation, observation, rules, wire
from kibitz.games.hanabi.cards import MAX_HAND, MAX_PLAYERS
from kibitz.games.hanabi.face import FACE
from kibitz.games.hanabi.legality import why_illegal
from kibitz.games.hanabi.names import move_from_name, move_name
from kibitz.games.hanabi.rules import VERSION, Rules
from kibitz.games.hanabi.state import Event, State, new_state
from kibitz.games.hanabi.view import LOST, STATUS_NAMES, View
from kibitz.stats.summary import CooperativeRow

RESULTS_VERSION = 2  # raise it whenever equal seeds could give other games, by the engine or by a bot


def make_row(tally: list[int], entry: int, name: str) -> CooperativeRow:
    """The figures of a team; every entry of a line-up has the same."""
    return CooperativeRow(
        bot=name,
        games=tally[engine.TALLY_GAMES],
        kept=tuple(tally[engine.TALLY_KEPT : engine.TALLY_LOST]),
        lost_with=tuple(tally[engine.TALLY_LOST : engine.TALLY_SIZE]),
        perfect_games=tally[engine.TALLY_PERFECT],
        turns_total=tally[engine.TALLY_TURNS],
    )


def outcome(state: State) -> dict[str, Any]:
    """How a game stands or ended: the score is 0 if it was lost, the points stay on the table."""
    score = 0 if state.status == LOST else state.score
    return {"status": STATUS_NAMES[state.status], "score": score, "points": state.score, "turns": state.turn}


def hands(state: State) -> list[list[int]]:
    """Every hand, oldest card first."""
    return [state.hands[seat * MAX_HAND : seat * MAX_HAND + state.sizes[seat]] for seat in range(state.players)]


def fallback(state: State) -> int:
    """Discard the oldest card; if that is not allowed, give the first hint there is."""
    legal = engine.legal_actions(state)
    return next((move for move in legal if move_name(state, move).startswith(("discard", "hint"))), legal[0])


def _under(rules: Rules) -> GameDefinition:
    return GAME


def _with_luck(rules: Rules) -> GameDefinition:
    return _MEASURING_LUCK


GAME = GameDefinition(
    name="hanabi",
    title="Hanabi",
    default_rules="standard",
    cooperative=True,
    has_contests=False,
    state=State,
    view=View,
    event=Event,
    verbs=verbs_in(vars(engine)),
    tally_size=engine.TALLY_SIZE,
    make_row=make_row,
    max_players=MAX_PLAYERS,
    under=_under,
    with_luck=_with_luck,
    new_state=new_state,
    legal_actions=engine.legal_actions,
    rule_book=rules,
    action_name=move_name,
    action_from_name=move_from_name,
    why_illegal=why_illegal,
    to_text=notation.to_text,
    from_text=notation.from_text,
    outcome=outcome,
    hands=hands,
    wire=wire.WIRE,
    results_version=RESULTS_VERSION,
    record_version=VERSION,
    bots=bots_in(
        "kibitz.bots.hanabi",
        "random",
        "iggi",
        "piers",
        "outer",
        "van_den_bergh",
        "cheater",
        "meanimax",
        "smart",
        "information",
        "blueprint",
    ),
    face=FACE,
    priority=1,
    fallback=fallback,
    spoils=lambda state, seat: 0,  # nobody wins alone
    lost=(LOST,),
    encoding=observation.encoding,
    rebound=lambda **bindings: verbs_in(specialise_modules(engine, **bindings)),
)
_MEASURING_LUCK = replace(GAME, verbs={**GAME.verbs, "luck_of": luck.luck_of}, luck_components=luck.COMPONENTS)
