"""Files of recorded games, of any game and in any of its forms, recognised by what stands in them.

A file has one-line texts, JSON objects one a line, one JSON object, or a list of them. An object with `game` is a record as
`kibitz.play.record` writes it; others are records of another program, which a game reads (`Face.foreign_records`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.reading import LARGE_FILE, parse_json, read_text
from kibitz.play.game import PlayedGame
from kibitz.play.hearing import states_of
from kibitz.play.record import Record, agrees, replay, steps_of

_LINE = re.compile(r"\s*\w+/\d+;")  # how a one-line text begins


class ForeignRecord(Protocol):
    """A game as another program wrote it down, its moves not yet checked."""

    @property
    def game(self) -> str:
        """Which game it is of."""

    @property
    def where(self) -> str:
        """For messages: which game of which file."""

    @property
    def players(self) -> tuple[str, ...]:
        """Names by seat."""

    @property
    def rules(self) -> Any:
        """The rules it was played by."""

    @property
    def score(self) -> int | None:
        """What was written down of the end."""


class ForeignReplay(Protocol):
    """A foreign record played through: the moves by number, the state after them, and whether it ended as was written down."""

    moves: list[int]
    state: Any
    agrees: bool | None


class ForeignRecords(Protocol):
    """How a game reads and writes records of another program."""

    form: str  # what `kibitz export --format` calls it
    program: str  # whose form it is

    def read(self, value: Any, where: str) -> ForeignRecord:
        """The record that a JSON value describes."""

    def opening(self, written: Any) -> Any:
        """The state in which a record begins."""

    def replay(self, written: Any) -> ForeignReplay:
        """A record played through, each move checked."""

    def write(self, names: Sequence[str], rules: Any, opening: Any, moves: Sequence[int]) -> dict[str, Any]:
        """A game in that form, from the state in which it began."""


Written = Record | ForeignRecord


def foreign_records(game: str) -> ForeignRecords | None:
    """How a game reads and writes records of another program; None if it does not."""
    found: ForeignRecords | None = registry.game(game).face.load("foreign_records")
    return found


def foreign_game() -> str | None:
    """The first game with records of another program."""
    return next((name for name in registry.BUILT_IN if registry.game(name).face.foreign_records), None)


def _foreign(written: ForeignRecord) -> ForeignRecords:
    records = foreign_records(written.game)
    assert records is not None  # who else could have read it
    return records


def foreign_opening(written: ForeignRecord) -> Any:
    """The state in which a record of another program begins."""
    state = _foreign(written).opening(written)
    state.observed = 1
    return state


def foreign_moves(written: ForeignRecord) -> list[int]:
    """Every action of a record of another program, each checked."""
    return _foreign(written).replay(written).moves


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
        first = first or written.game
        if written.game != first:
            raise BadValue(f"{written.where} is a game of {written.game}, but the file began with {first}; a file has games of one kind.")
        yield written
    if not first:
        raise BadValue(f"record {path} has no games.")


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
    game = foreign_game()
    records = foreign_records(game) if game else None
    return records.read(value, where) if records else Record.from_json(value, where)


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
    game = _foreign(written).replay(written)
    recorded = "" if written.score is None else str(written.score)
    outcome = registry.game(written.game).outcome(game.state)
    return Replayed(written.game, written.where, written.players, written.rules.to_text(), len(game.moves), outcome, recorded, game.agrees)


def replay_steps(written: Written) -> PlayedGame:
    """Play a recorded game through and keep every step, for a transcript."""
    if isinstance(written, Record):
        return replay(written)
    definition, names = registry.game(written.game), list(written.players)
    steps, state = steps_of(definition, states_of(definition, foreign_opening(written), foreign_moves(written)))
    played = PlayedGame(written.game, names, names[:], written.rules.to_text(), 0, 0, steps[0], steps=steps[1:])
    played.outcome = definition.outcome(state)
    return played
