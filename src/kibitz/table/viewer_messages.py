"""What a browser is told of a live game: all that one seat may know, or what everybody may who only looks on.

A message is made for one viewer, of that viewer's own view and nothing else. Neither the seed nor a random stream is ever in
one before the whole game is finished; every card in it is the viewer's own, on the table, or known to the viewer by the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kibitz.games.contract import GameDefinition
from kibitz.table.live import LiveGame, TakenAction, Viewer

PERSON, BOT = "person", "bot"


def position_message(
    live: LiveGame, viewer: Viewer, table: str = "", present: Sequence[bool] | None = None, notes: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The whole of what a viewer, a seat or None, may know now."""
    with live.lock:
        return {
            "type": "position",
            **_common(live, viewer, table, present, notes),
            "game": live.setup.game,
            "rules": live.definition.wire.rules_message(live.rules),
            "to": live.setup.to,
            "log": live.log(viewer),
        }


def update_message(
    live: LiveGame,
    step: TakenAction,
    viewer: Viewer,
    table: str = "",
    present: Sequence[bool] | None = None,
    notes: Mapping[str, str] | None = None,
) -> dict[str, Any] | None:
    """What a viewer learns by the action just taken; None if it learns nothing, not even that there was one."""
    with live.lock:
        if step.hidden and viewer != step.seat and not (viewer is not None and live.is_offered_jump_in(viewer)):
            return None
        with live.shown(viewer) as view:
            events = [live.definition.wire.event_message(view, event) for event in step.events]
        return {
            "type": "update",
            **_common(live, viewer, table, present, notes),
            "action": None if step.hidden and viewer != step.seat else {"seat": step.seat, "name": step.action, "why": step.why},
            "events": events,
            "words": list(step.words.get(viewer, ())),
        }


def people_message(live: LiveGame, present: Sequence[bool] | None = None) -> dict[str, Any]:
    """Who sits where, and who is there."""
    return {"type": "people", **_people(live, present)}


def _common(live: LiveGame, viewer: Viewer, table: str, present: Sequence[bool] | None, notes: Mapping[str, str] | None) -> dict[str, Any]:
    legal = live.legal_names(viewer) if viewer is not None else []
    message = {
        "table": table,
        "deal": live.deal,
        "position": live.position,
        "seat": viewer,
        **_people(live, present),
        "scores": list(live.scores),
        "view": _view(live, viewer),
        "legal": legal,
        "decision": _decision(live, viewer) if viewer is not None and legal else None,
        "over": _over(live, viewer),
    }
    if live.is_open:
        message |= {"open": True, "hands": _hands(live)}
    return message | ({} if notes is None else {"notes": dict(notes)})


def _people(live: LiveGame, present: Sequence[bool] | None) -> dict[str, Any]:
    return {
        "names": list(live.names),
        "kinds": [PERSON if bot is None else BOT for bot in live.setup.seats],
        "present": [True] * live.players if present is None else list(present),
    }


def _view(live: LiveGame, viewer: Viewer) -> dict[str, Any]:
    with live.shown(viewer) as view:
        message = live.definition.wire.view_message(view)
    if viewer is not None:
        return message
    hide = live.definition.face.hide_hands
    return {**message, "seat": None, **(hide(message, live.players) if hide else {})}


def _decision(live: LiveGame, viewer: int) -> dict[str, Any]:
    """What a viewer is asked."""
    telling = live.telling(viewer)
    with live.shown(viewer) as view:
        phase = live.definition.phases[view.phase] if len(live.definition.phases) > 1 else live.definition.phases[0]
        return {"phase": phase, "question": telling.question(view), "why_not": telling.reasons(view)}


def _over(live: LiveGame, viewer: Viewer) -> dict[str, Any] | None:
    """How the deal ended, with all cards open; None while it is played. The record has the seed, so it waits for the end of the contest."""
    if not live.is_over:
        return None
    record = live.record() if live.is_finished else None
    return {
        **live.outcome,
        "text": live.ending(viewer),
        "hands": _hands(live),
        "scores": list(live.scores),
        "finished": live.is_finished,
        "record": record.to_text() if record else None,
        "live": live.foreign() if live.is_finished else None,
    }


def _hands(live: LiveGame) -> list[list[Any]]:
    with live.shown(None) as state:
        return open_hands(live.definition, state)


def open_hands(definition: GameDefinition, state: Any) -> list[list[Any]]:
    """Every hand with its cards open: names in order of arrival, or what the game tells of each card."""
    own = definition.face.load("open_hands")
    if own:
        return list(own(definition, state))
    return [[definition.face.card_name(card) for card in hand] for hand in definition.hands(state)]
