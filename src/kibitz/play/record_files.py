"""Files of recorded games, of either game and in any of their forms, recognised by what stands in them.

A file has one-line texts, JSON objects one a line, one JSON object, or a list of them. An object with `game` is a record as
`kibitz.play.record` writes it; others are games of Hanabi as `kibitz.games.hanabi.replays` reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.layouts import copy_record
from kibitz.core.reading import LARGE_FILE, parse_json, read_text
from kibitz.games.hanabi import engine as hanabi_engine
from kibitz.games.hanabi import replays
from kibitz.play.game import PlayedGame, Step
from kibitz.play.record import Record, agrees, replay

_LINE = re.compile(r"\s*\w+/\d+;")  # how a one-line text begins

Written = Record | replays.Record


@dataclass
class Replayed:
    """A recorded game played through: how it ended, and what was written down of that."""

    game: str
    where: str
    seats: tuple[str, ...]
    rules: str
    actions: int
    outcome: dict[str, Any]
    recorded: str  # the end that was written down; empty if none was
    agrees: bool | None  # None if none was


def read_games(path: str | Path) -> Iterator[Written]:
    """The recorded games of a file, all of one game."""
    text = read_text(path, "record", LARGE_FILE)
    first = ""
    for written in games_in(text, str(path)):
        first = first or game_of(written)
        if game_of(written) != first:
            raise BadValue(
                f"{written.where} is a game of {game_of(written)}, but the file began with {first}; a file has games of one kind."
            )
        yield written
    if not first:
        raise BadValue(f"record {path} has no games.")


def game_of(written: Written) -> str:
    """Which game a recorded game is of."""
    return written.game if isinstance(written, Record) else "hanabi"


def games_in(text: str, name: str) -> Iterator[Written]:
    """The recorded games that stand in a text; `name` is what to call it in messages."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if lines and (_LINE.match(lines[0][1]) or (len(lines) > 1 and _parses(lines[0][1]))):
        for number, line in lines:
            where = f"{name}, line {number}"
            yield Record.from_text(line, where) if _LINE.match(line) else _from_json(parse_json(line, where), where)
    elif lines:
        value = parse_json(text, name)
        if isinstance(value, list):
            yield from (_from_json(game, f"{name}, game {place}") for place, game in enumerate(value, 1))
        else:
            yield _from_json(value, name)


def _from_json(value: Any, where: str) -> Written:
    if isinstance(value, dict) and ("game" in value or "seats" in value):
        return Record.from_json(value, where)
    return replays.read_record(value, where)


def _parses(text: str) -> bool:
    try:
        parse_json(text, "")
    except BadValue:
        return False
    return True


# -- playing through --


def replay_written(written: Written) -> Replayed:
    """Play a recorded game through and compare its end with what was written down."""
    if isinstance(written, Record):
        played = replay(written, keep_steps=False)
        return Replayed(
            written.game,
            written.where,
            written.seats,
            played.rules,
            len(written.actions),
            played.outcome,
            written.result,
            agrees(written, played),
        )
    game = replays.replay(written)
    recorded = "" if written.score is None else str(written.score)
    outcome = registry.game("hanabi").outcome(game.state)
    return Replayed("hanabi", written.where, written.players, written.rules.to_text(), len(game.moves), outcome, recorded, game.agrees)


def replay_steps(written: Written) -> PlayedGame:
    """Play a recorded game through and keep every step, for a transcript."""
    if isinstance(written, Record):
        return replay(written)
    moves = replays.replay(written).moves
    definition = registry.game("hanabi")
    state = replays.begin(written.rules, len(written.players), written.deck)
    state.observed = 1
    names = list(written.players)
    opening = Step(-1, [], copy_record(state), definition.hands(state))
    played = PlayedGame("hanabi", names, names[:], written.rules.to_text(), 0, 0, opening)
    for move in moves:
        state.event_count = 0
        hanabi_engine.apply(state, move)
        events = [definition.verbs["event_at"](state, place) for place in range(state.event_count)]
        played.steps.append(Step(move, events, copy_record(state), definition.hands(state)))
    played.outcome = definition.outcome(state)
    return played
