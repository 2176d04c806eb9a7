"""Units of shares merged into one run: each slice once, whoever played it, and refused where two did not get the same from it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from kibitz.core.errors import BadValue
from kibitz.runs import rows
from kibitz.runs.database import Store
from kibitz.runs.ledger import Fault, KeptGame
from kibitz.runs.shards import LedgerPart
from kibitz.runs.store import Run, RunLedger
from kibitz.runs.units import Unit

T = TypeVar("T", Fault, KeptGame)


@dataclass(frozen=True)
class SliceContent:
    """What is known of a slice: its games from the first on, in one piece. Where processes play, it may end before the slice does."""

    games: Unit
    payload: bytes
    faults: tuple[Fault, ...] = ()
    kept: tuple[KeptGame, ...] = ()

    def up_to(self, end: int) -> tuple[Any, ...]:
        """What must be the same wherever its games before `end` were played: not how long a bot took, or in which folder."""
        faults = [(fault.game, fault.bot, fault.seat, fault.kind) for fault in self.faults if fault.game < end]
        return faults, [each for each in self.kept if each.game < end]

    def agrees(self, other: SliceContent) -> bool:
        """Whether both have the same results, as far as both have any."""
        short, long = sorted((self, other), key=lambda each: each.games.count)
        end = short.games.first + short.games.count
        begins_alike = long.payload.startswith(short.payload) if short.games != long.games else long.payload == short.payload
        return begins_alike and short.up_to(end) == long.up_to(end)

    @property
    def rank(self) -> tuple[Any, ...]:
        """Of two that agree, the one of the higher rank is kept: the longer one, then by the words of its faults."""
        return self.games.count, [(fault.game, fault.what, fault.position, fault.reproduce) for fault in self.faults]


class UnitMerge:
    """Merges the units of shares into a run that is cut alike, inside a transaction of its store.

    `row` is what the run's own row says of its units: `done` games, `faults`, and `kept` games.
    """

    def __init__(self, connection: sqlite3.Connection, store: Store, run: Run) -> None:
        assert run.shares is not None  # it is cut
        self.store, self.run, self.parts = store, run.id, run.shares.parts
        self.row = {name: int(run.row[name]) for name in ("done", "faults", "kept")}
        self.changed = False
        self._connection = connection

    def add(self, name: str, store: Store, run: Run) -> None:
        """Take over what a share has; refused, with the unit, where it does not agree with what is there. `name` says where it comes from."""
        ledger = RunLedger(store, run)
        for part in self.parts:
            for piece, theirs in _contents(name, ledger, run, part):
                self._add(name, part.number, piece, theirs)

    def _add(self, name: str, part: int, piece: Unit, theirs: SliceContent) -> None:
        ours = self._content(part, piece)
        if ours and not ours.agrees(theirs):
            raise BadValue(
                f"{name} disagrees with the other shares about games {piece.first} to {piece.first + piece.count - 1} of part {part}: "
                "equal games had other results, so nothing was merged; play one of the shares again."
            )
        if ours and ours.rank >= theirs.rank:
            return
        self.changed = True
        if ours:
            self._forget(part, ours)
        key, unit = (self.run, part), theirs.games
        faults = [(*key, each.game, each.bot, each.seat, each.kind, each.what, each.position, each.reproduce) for each in theirs.faults]
        rows.insert(self._connection, "units", [(*key, unit.first, unit.count, theirs.payload)])
        rows.insert(self._connection, "faults", faults)
        rows.insert(self._connection, "games", [(*key, each.game, each.text) for each in theirs.kept])
        self._count(theirs, 1)

    def _content(self, part: int, piece: Unit) -> SliceContent | None:
        """What the run has of a slice."""
        where, key = "WHERE run = ? AND part = ? AND {0} >= ? AND {0} < ?", (self.run, part, piece.first, piece.first + piece.count)
        units = rows.read(self.store, "units", f"{where.format('first')} ORDER BY first", key)
        if not units:
            return None
        faults = rows.read(self.store, "faults", f"{where.format('game')} ORDER BY game, rowid", key) if self.row["faults"] else []
        games = rows.read(self.store, "games", f"{where.format('game')} ORDER BY game, rowid", key) if self.row["kept"] else []
        return SliceContent(
            Unit(piece.first, sum(count for _, _, _, count, _ in units)),
            b"".join(payload for *_, payload in units),
            tuple(Fault(*fault) for _, _, *fault in faults),
            tuple(KeptGame(*game) for _, _, *game in games),
        )

    def _forget(self, part: int, ours: SliceContent) -> None:
        """Make room for what is longer."""
        key = (self.run, part, ours.games.first, ours.games.first + ours.games.count)
        for table, column in (("units", "first"), ("faults", "game"), ("games", "game")):
            self._connection.execute(f"DELETE FROM {table} WHERE run = ? AND part = ? AND {column} >= ? AND {column} < ?", key)
        self._count(ours, -1)

    def _count(self, content: SliceContent, sign: int) -> None:
        self.row["done"] += sign * content.games.count
        self.row["faults"] += sign * len(content.faults)
        self.row["kept"] += sign * len(content.kept)


def missing_units(store: Store, run: Run) -> dict[int, list[Unit]]:
    """The slices of a merged run that nobody has played to the end, by part."""
    assert run.shares is not None  # it is cut
    there: dict[int, dict[int, int]] = {}
    for _, part, first, count, _ in rows.each(store, "units", "WHERE run = ?", (run.id,)):
        there.setdefault(part, {})[first] = count
    left = {
        part.number: [piece for piece in part.slices if not _is_covered(piece, there.get(part.number, {}))] for part in run.shares.parts
    }
    return {part: pieces for part, pieces in left.items() if pieces}


def _is_covered(piece: Unit, there: dict[int, int]) -> bool:
    """Whether units, as first games and how many, have all games of a slice."""
    game = piece.first
    while game < piece.first + piece.count and game in there:
        game += there[game]
    return game >= piece.first + piece.count


def _contents(name: str, ledger: RunLedger, run: Run, part: LedgerPart) -> Iterator[tuple[Unit, SliceContent]]:
    """What a share has of each slice of a part, of which it has anything."""
    units = sorted(ledger.finished(part.number).items(), key=lambda entry: entry[0].first)
    faults = ledger.faults(part.number) if run.row["faults"] and units else []
    games = ledger.games(part.number) if run.row["kept"] and units else []
    place = 0
    for piece in part.slices:
        payloads, game = [], piece.first
        while place < len(units) and units[place][0].first == game < piece.first + piece.count:
            payloads.append(units[place][1])
            game += units[place][0].count
            place += 1
        if game > piece.first + piece.count:
            break
        if payloads:
            inside = Unit(piece.first, game - piece.first)
            yield piece, SliceContent(inside, b"".join(payloads), _among(faults, inside), _among(games, inside))
    else:
        if place == len(units):
            return
    raise BadValue(f"{name} has games of part {part.number} that are cut otherwise than its shares say; play that share again.")


def _among(told: Sequence[T], unit: Unit) -> tuple[T, ...]:
    """The faults or games that belong to a unit."""
    return tuple(each for each in told if unit.first <= each.game < unit.first + unit.count)
