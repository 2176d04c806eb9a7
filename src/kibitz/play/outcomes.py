"""How single games ended, one small record each: what paired statistics, ratings and files of results are made from.

Where a batch only wants sums it keeps a tally instead; `kibitz.experiments.batch` gives either.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from kibitz.play.lineup import Lineup
from kibitz.play.loop import CONTEST_NOTE_SIZE, NOTE_SIZE, NOTED_DEALS, NOTED_POINTS, NOTED_SCORES, NOTED_STATUS, NOTED_TURNS, NOTED_WINNER
from kibitz.runs.ledger import DamagedUnit
from kibitz.runs.units import Unit

Outcomes = np.ndarray[Any, Any]

FORFEITED = 200  # the status of a game in which an outside bot lost its right to go on
LUCK_UNIT = 2.0**-40  # of what the loop notes
MOST_TURNS = 2**16 - 1  # longer games are noted as this long


@cache
def outcome_layout(players: int, contest: bool, luck: int = 0) -> np.dtype[Any]:
    """The record of one game: who won (a line-up entry, -1 nobody), how it ended, what it brought, and the luck of each entry."""
    fields: list[Any] = [("winner", "i1"), ("status", "u1"), ("turns", "<u2"), ("points", "<i2")]
    if contest:
        fields += [("deals", "<u2"), ("scores", "<i4", (players,))]
    if luck:
        fields.append(("luck", "<f8", (players, luck)))
    return np.dtype(fields)


def layout_for(lineup: Lineup) -> np.dtype[Any]:
    """The record of one game of a line-up."""
    return outcome_layout(lineup.players, bool(lineup.to), lineup.game.luck_components)


def note_size(lineup: Lineup) -> int:
    """How many whole numbers the loop notes of a game."""
    return CONTEST_NOTE_SIZE if lineup.to else NOTE_SIZE + lineup.players * lineup.game.luck_components


def blank_notes(lineup: Lineup, games: int) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Room for what the loop notes of so many games."""
    return np.zeros(games * note_size(lineup), dtype=np.int64)


def pack_notes(lineup: Lineup, notes: Any) -> Outcomes:
    """What the loop noted, as compact records."""
    rows = np.asarray(notes, dtype=np.int64).reshape(-1, note_size(lineup))
    packed = np.zeros(len(rows), dtype=layout_for(lineup))
    packed["winner"] = rows[:, NOTED_WINNER]
    packed["status"] = rows[:, NOTED_STATUS]
    packed["turns"] = np.minimum(rows[:, NOTED_TURNS], MOST_TURNS)
    packed["points"] = rows[:, NOTED_POINTS]
    if lineup.to:
        packed["deals"] = rows[:, NOTED_DEALS]
        packed["scores"] = rows[:, NOTED_SCORES : NOTED_SCORES + lineup.players]
    elif lineup.game.luck_components:
        packed["luck"] = rows[:, NOTE_SIZE:].reshape(-1, lineup.players, lineup.game.luck_components) * LUCK_UNIT
    return packed


def unpack(lineup: Lineup, part: int, unit: Unit, payload: bytes) -> Outcomes:
    """The records of a unit of a part as a ledger kept them; refused if they cannot be those of this line-up."""
    layout = layout_for(lineup)
    if len(payload) != unit.count * layout.itemsize:
        raise DamagedUnit(part, unit, f"{len(payload)} bytes instead of {unit.count * layout.itemsize}")
    outcomes = np.frombuffer(payload, dtype=layout)
    if not np.all((outcomes["winner"] >= -1) & (outcomes["winner"] < lineup.players)):
        raise DamagedUnit(part, unit, "a winner who did not play")
    return outcomes


def points_by_entry(lineup: Lineup, outcomes: Outcomes) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Points of each line-up entry in each game: the winner's, a contest's scores, or a team's result for all of it.

    A game of a team that was lost or forfeited counts nothing.
    """
    if lineup.to:
        return np.asarray(outcomes["scores"], dtype=np.int64)
    points = np.zeros((len(outcomes), lineup.players), dtype=np.int64)
    if lineup.game.cooperative:
        points[:] = np.where(np.isin(outcomes["status"], (*lineup.game.lost, FORFEITED)), 0, outcomes["points"])[:, None]
        return points
    won = outcomes["winner"] >= 0
    points[np.flatnonzero(won), outcomes["winner"][won]] = outcomes["points"][won]
    return points


def wins_by_entry(lineup: Lineup, outcomes: Outcomes) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Whether each line-up entry won each game."""
    wins: np.ndarray[Any, np.dtype[np.int64]] = np.equal.outer(outcomes["winner"], np.arange(lineup.players)).astype(np.int64)
    return wins
