"""UNO as the arena sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from kibitz.core.jit import specialise_modules
from kibitz.games.contract import GameDefinition, bots_in, verbs_in
from kibitz.games.uno import dealing, effects, engine, notation, observation, piles, rules, turns, windows, wire
from kibitz.games.uno.cards import DRAW, KEEP, MAX_PLAYERS, POINTS_OF
from kibitz.games.uno.face import FACE
from kibitz.games.uno.names import action_from_name, action_name
from kibitz.games.uno.rules import VERSION, Rules
from kibitz.games.uno.state import Event, State, new_state
from kibitz.games.uno.view import COLOUR, DRAWN, PHASE_NAMES, STATUS_NAMES, WON, View
from kibitz.stats.summary import Row

RESULTS_VERSION = 1  # raise it whenever equal seeds could give other games, by the engine or by a bot

BOTS = bots_in(
    "kibitz.bots.uno",
    "random",
    "greedy",
    "diversity",
    "card_ranking",
    "mix",
    "mix2",
    "score",
    "card_counting",
    "first_playable",
    "offensive",
    "defensive",
    "better_offensive",
    "perceptron",
    "ashtabna",
    "linear",
    "net",
    "expectiminimax",
    "rollout",
    "champion",
    "cheater",
    "ismcts",
)


def _define(kernels: dict[str, Any], state: type[State] = State) -> GameDefinition:
    return GameDefinition(
        name="uno",
        title="UNO",
        default_rules="classic",
        cooperative=False,
        has_contests=True,
        state=state,
        view=View,
        event=Event,
        verbs=verbs_in(kernels),
        tally_size=engine.TALLY_SIZE,
        make_row=make_row,
        max_players=MAX_PLAYERS,
        phases=PHASE_NAMES,
        basic_phases=COLOUR,
        under=_under,
        with_luck=_with_luck,
        new_state=lambda rules, players: new_state(rules, players, state),
        legal_actions=engine.legal_actions,
        rule_book=rules,
        action_name=lambda state, action: action_name(action),
        action_from_name=lambda state, name: action_from_name(name),
        to_text=notation.to_text,
        from_text=notation.from_text,
        outcome=outcome,
        hands=hands,
        keep_orders=keep_orders,
        fallback=fallback,
        spoils=spoils,
        wire=wire.WIRE,
        results_version=RESULTS_VERSION,
        record_version=VERSION,
        bots=BOTS,
        face=FACE,
        priority=0,
        encoding=observation.encoding,
        rebound=lambda **bindings: verbs_in(_kernels(HOUSE=True, **bindings)),
    )


def _kernels(**bindings: Any) -> dict[str, Any]:
    """The engine with other things behind some of its names."""
    return specialise_modules(piles, turns, effects, windows, dealing, engine, **bindings)


def make_row(tally: list[int], entry: int, name: str) -> Row:
    """The figures of one line-up entry."""
    place = engine.TALLY_ENTRIES + 3 * entry
    return Row(
        bot=name,
        games=tally[engine.TALLY_DEALS],
        wins=tally[place],
        points_total=tally[place + 1],
        points_squares=tally[place + 2],
        unfinished=tally[engine.TALLY_UNFINISHED],
        turns_total=tally[engine.TALLY_TURNS],
        turns_squares=tally[engine.TALLY_TURNS_SQUARED],
    )


def outcome(state: State) -> dict[str, Any]:
    """How a deal stands or ended."""
    winner = state.winner if state.status == WON else None
    return {"status": STATUS_NAMES[state.status], "winner": winner, "points": state.points, "turns": state.turn}


def hands(state: State) -> list[list[int]]:
    """Every hand in order of arrival where that is kept."""
    return [notation.hand_in_order(state, seat) for seat in range(state.players)]


def keep_orders(state: State) -> None:
    """Keep the order of every hand."""
    state.any_ordered = 1
    state.ordered = [1] * len(state.ordered)


def fallback(state: State) -> int:
    """Draw, keep what was drawn, or do the default of the window; play the first card that may be played if one must."""
    if state.phase > DRAWN:
        return engine.default_action(state, 0)
    return next(action for action in (DRAW, KEEP, *engine.legal_actions(state)) if engine.is_legal(state, action))


def spoils(state: State, seat: int) -> int:
    """The value of all other hands."""
    return sum(POINTS_OF[card] for other, hand in enumerate(hands(state)) if other != seat for card in hand)


def _under(rules: Rules) -> GameDefinition:
    return CLASSIC_UNO if rules.is_plain else GAME


def watching_draws(state: type[State], weigh_draw: Callable[..., None], house: bool) -> GameDefinition:
    """The same game in which every draw of a card is told to a kernel, with or without house rules."""
    return _define(_kernels(HOUSE=house, weigh_draw=weigh_draw), state)


@cache
def _measuring_luck(house: bool) -> GameDefinition:
    from kibitz.games.uno import luck  # the weights of its value function are read only where luck is measured

    kernels = specialise_modules(piles, turns, effects, windows, dealing, engine, luck, HOUSE=house)
    return replace(_define({**kernels, "deal": kernels["begin_deal"]}, luck.LuckState), luck_components=luck.COMPONENTS)


def _with_luck(rules: Rules) -> GameDefinition:
    return _measuring_luck(not rules.is_plain)


GAME = _define(vars(engine))
# The same engine with every branch for house rules cut out: what classic games are played with at full speed.
CLASSIC_UNO = _define(_kernels(HOUSE=False))
