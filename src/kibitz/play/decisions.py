"""Decisions as a data set: one row for each that a bot was asked for, with what it saw, what it did and how the game ended.

Rows are dicts of whole numbers, texts and lists of whole numbers, with the columns of `columns_of`. They come from games that
are played for them (`decisions_of`) or from records (`decisions_from`); `kibitz.report.files` writes them. Cards, actions and
seats are numbers, -1 stands for none. A row never has the viewer's random stream: it leads back to the deal.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from kibitz import registry
from kibitz.core.layouts import copy_record
from kibitz.games.contract import GameDefinition
from kibitz.games.face import Column as Column
from kibitz.play.lineup import Lineup
from kibitz.play.record import Record, positions
from kibitz.play.record_faults import counted_outcome, is_substitute
from kibitz.play.sitting import Sitting

Row = dict[str, Any]


_BEFORE = (
    Column("index", "int", "the game, counted in its batch from 0"),
    Column("deal", "int", "which cards were dealt; rotations of the seats share them"),
    Column("round", "int", "which deal of a contest, from 0"),
    Column("rules", "text", "the rules"),
    Column("decision", "int", "which decision of this deal, from 0"),
    Column("turn", "int", "number of the turn, from 1"),
    Column("seat", "int", "who was asked"),
    Column("bot", "text", "its name"),
    Column("phase", "text", "which kind of decision"),
)
_AFTER = (
    Column("legal", "ints", "every legal action"),
    Column("action", "int", "the action taken"),
    Column("action_name", "text", "its name"),
    Column("status", "text", "how the deal ended"),
    Column("won", "int", "1 if this seat won it; for a team, if its game was perfect"),
    Column("points", "int", "what this seat gained; for a team its score, 0 if it lost"),
    Column("substitute", "int", "1 if the action was a substitute's, since the bot had committed a fault or forfeited"),
    Column("fault", "text", "the kind of fault that the bot committed when it was asked; empty if none"),
)


_PLAIN = (Column("view", "text", "what the seat saw, as a message of the protocol in JSON"),)


def columns_of(game: str) -> tuple[Column, ...]:
    """The columns of a game's decisions, in order."""
    face = registry.game(game).face
    return (*_BEFORE, *(face.columns if face.columns_of else _PLAIN), *_AFTER)


# -- rows --


class Decision(NamedTuple):
    """What a bot was asked: what it saw, and what it answered."""

    view: Any
    action: int


@dataclass
class AskedDeal:
    """One deal: which it is, who sat where, every decision that a bot was asked for, and how it ended."""

    index: int  # of the game in its batch
    deal: int  # which cards: the index that the deal's streams come from
    round: int  # which deal of a contest, from 0
    seats: list[str]
    decisions: list[Decision] = field(default_factory=list)
    outcome: dict[str, Any] = field(default_factory=dict)


def asked_deals(lineup: Lineup, seed: int, indices: Iterable[int], jit: bool = True) -> Iterator[AskedDeal]:
    """Play some games of a seed, deal by deal, and keep what every bot was asked."""
    decisions: list[Decision] = []
    sitting = Sitting(lineup, seed, jit, listen=lambda view, action: decisions.append(Decision(view, action)))
    for index in indices:
        with sitting.attending():
            sitting.begin(index)
        more = True
        while more:
            with sitting.attending():
                sitting.finish_deal()
            yield AskedDeal(index, sitting.dealt, sitting.round, sitting.seats, decisions[:], lineup.game.outcome(sitting.state))
            decisions.clear()
            with sitting.attending():
                more = sitting.next_deal()


def decisions_of(lineup: Lineup, seed: int, indices: Iterable[int], jit: bool = True) -> Iterator[Row]:
    """Play some games of a seed, and give every decision that a bot was asked for; one deal at a time is in memory."""
    jit = jit and os.environ.get("KIBITZ_JIT") != "0"
    rules = lineup.rules.to_text()
    for asked in asked_deals(lineup, seed, indices, jit):
        about = {"index": asked.index, "deal": asked.deal, "round": asked.round, "rules": rules}
        rows = [_row(lineup.game, about, asked.seats, view, action) for view, action in asked.decisions]
        yield from _finished(lineup.game, rows, asked.outcome, lineup.players)


def decisions_from(record: Record, index: int | None = None, windows: Sequence[int] | None = None) -> Iterator[Row]:
    """Every decision of a recorded game in which there was a choice.

    A record does not say which windows a bot knows: with `windows`, a bit for each phase by seat, decisions that were the
    default of another are left out. `index` is that of the game in its batch, by default the deal.
    """
    game = registry.game(record.game)
    rules = game.parse_rules(record.rules).to_text()
    about = {"index": record.deal if index is None else index, "deal": record.deal, "round": record.round, "rules": rules}
    rows: list[Row] = []
    view: Any = None
    state: Any = None
    for place, (action, state) in enumerate(positions(record)):
        if view is not None:
            faulty = [fault.kind for fault in record.faults if (fault.action, fault.seat) == (place, view.seat)]
            by = {"substitute": int(is_substitute(record.faults, view.seat, place)), "fault": faulty[0] if faulty else ""}
            rows.append({**_row(game, about, record.seats, view, action), **by})
        view = None
        if not game.verbs["is_over"](state) and game.verbs["forced_action"](state) < 0:
            known = -1 if windows is None else windows[int(state.current)]
            if game.verbs["default_action"](state, known) < 0:
                view = copy_record(state, game.view)
    outcome = counted_outcome(game.outcome(state), record.status, record.winner, record.points)
    yield from _finished(game, rows, outcome, len(record.seats))


def _row(game: GameDefinition, about: Row, seats: Sequence[str], view: Any, action: int) -> Row:
    phase = game.phases[view.phase] if len(game.phases) > 1 else game.phases[0]
    return {
        **about,
        "turn": view.turn,
        "seat": view.seat,
        "bot": seats[view.seat],
        "phase": phase,
        **(game.face.columns_of(view) if game.face.columns_of else {"view": json.dumps(game.wire.view_message(view))}),
        "legal": game.legal_actions(view),
        "action": action,
        "action_name": game.action_name(view, action),
        "substitute": 0,
        "fault": "",
    }


def _finished(game: GameDefinition, rows: list[Row], outcome: dict[str, Any], players: int) -> Iterator[Row]:
    """The rows of a deal, with how it ended."""
    status, winner = outcome["status"], outcome.get("winner")
    names = [column.name for column in columns_of(game.name)]
    for place, row in enumerate(rows):
        if game.cooperative:
            ended = {"won": int(status == "perfect"), "points": outcome["score"]}
        else:
            gained = game.gain(row["seat"], winner, outcome["points"], players)
            ended = {"won": int(row["seat"] == winner), "points": gained}
        full = {**row, "decision": place, "status": status, **ended}
        yield {name: full[name] for name in names}
