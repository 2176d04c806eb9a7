"""What a seat hears of a game: every event of every action, with what the seat sees then; and the games played through again for that.

A deal is its opening and its actions by number. Views are copies whose random streams stand at 0: nothing leads to that of the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from kibitz.core.layouts import copy_record
from kibitz.games.contract import GameDefinition

Heard = Sequence[tuple[Any, Any]]  # a view, and the event that led to it or None


def states_of(game: GameDefinition, opening: Any, actions: Iterable[int]) -> Iterator[tuple[int, Any]]:
    """Every action with the state after it, -1 with the opening first. It is the same state each time, a copy of the opening."""
    state = copy_record(opening)
    yield -1, state
    for action in actions:
        state.event_count = 0
        game.verbs["apply"](state, action)
        yield action, state


def events_of(game: GameDefinition, state: Any) -> list[Any]:
    """The events of the last action."""
    return [game.verbs["event_at"](state, place) for place in range(state.event_count)]


def unlinked(game: GameDefinition, view: Any, stream: int = 0) -> Any:
    """A copy of a view whose random stream stands elsewhere, so that nothing leads to that of the table."""
    copy = copy_record(view, game.view)
    copy.random_stream = stream
    return copy


def seen_by(game: GameDefinition, state: Any, seat: int) -> Any:
    """What a seat sees of a state."""
    game.verbs["show"](state, seat)
    view = unlinked(game, state)
    game.verbs["show_actor"](state)
    return view


def heard_now(game: GameDefinition, state: Any, seat: int) -> list[tuple[Any, Any]]:
    """What a seat hears of the last action: each event, with what it sees after the whole action; None if there was no event."""
    view = seen_by(game, state, seat)
    return [(view, event) for event in events_of(game, state)] or [(view, None)]


def heard_of(game: GameDefinition, opening: Any, actions: Iterable[int], seat: int) -> list[tuple[Any, Any]]:
    """All that a seat hears of a deal up to now: its view of the opening with None, then what it hears of each action."""
    return [
        told
        for action, state in states_of(game, opening, actions)
        for told in (heard_now(game, state, seat) if action >= 0 else [(seen_by(game, state, seat), None)])
    ]
