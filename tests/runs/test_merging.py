"""Units of shares in one run: whole slices and beginnings of them, with what was kept beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from kibitz.core.errors import BadValue
from kibitz.runs.database import Store, open_store
from kibitz.runs.ledger import Fault, KeptGame
from kibitz.runs.merging import UnitMerge, missing_units
from kibitz.runs.shards import LedgerPart, Shard, Shares
from kibitz.runs.store import RunLedger, begin, read_run, write_row
from kibitz.runs.units import Unit

CUT = Shares.of([LedgerPart.of(0, 20, 10)], Shard(1, 1)).cut
LATE = Fault(4, "mine", 1, "time", "took 1.03 s", "position", "cd /here && kibitz watch")
Piece = tuple[Unit, bytes, Sequence[Fault], Sequence[KeptGame]]


def piece(first: int, count: int, late: Fault = LATE, text: str = "") -> Piece:
    """Games whose results are their numbers, one byte each; game 4 has a fault, and every game is kept."""
    games = range(first, first + count)
    return Unit(first, count), bytes(games), [late] if 4 in games else [], [KeptGame(game, text or f"game {game}") for game in games]


def share(path: Path, *pieces: Piece) -> Path:
    """A store with a run of these pieces."""
    with open_store(path) as store, begin(store, "demo", {}, "kibitz demo", 20, Shares(CUT, Shard(1, 1))) as ledger:
        for unit, payload, faults, games in pieces:
            ledger.keep(0, unit, payload, faults, games)
        ledger.interrupt()
    return path


def merge(store: Store, *sources: Path) -> None:
    """Merge runs into run 1 of a store."""
    with store.writing() as connection:
        units = UnitMerge(connection, store, read_run(store, 1))
        for source in sources:
            with open_store(source) as opened:
                units.add(source.name, opened, read_run(opened, 1))
        write_row(connection, {**read_run(store, 1).row, **units.row}, units.row)


def known(store: Store) -> tuple[dict[Unit, bytes], list[Fault], list[KeptGame]]:
    ledger = RunLedger(store, read_run(store, 1))
    return ledger.finished(0), ledger.faults(0), ledger.games(0)


def test_the_longest_beginning_of_a_slice_is_kept_whatever_the_order(tmp_path: Path) -> None:
    sources = [
        share(tmp_path / "a.db", piece(0, 3)),
        share(tmp_path / "b.db", piece(0, 3), piece(3, 4)),  # stopped once, and stopped again
        share(tmp_path / "c.db", piece(0, 10), piece(10, 2)),
    ]
    for number, order in enumerate(permutations(sources)):
        with open_store(share(tmp_path / f"{number}.db")) as store:
            merge(store, *order)
            units, faults, games = known(store)
            assert units == {Unit(0, 10): bytes(range(10)), Unit(10, 2): bytes(range(10, 12))}
            assert faults == [LATE] and [each.game for each in games] == list(range(12))
            assert missing_units(store, read_run(store, 1)) == {0: [Unit(10, 10)]}


def test_pieces_of_a_slice_become_one(tmp_path: Path) -> None:
    source = share(tmp_path / "b.db", piece(0, 3), piece(3, 4))
    with open_store(share(tmp_path / "out.db")) as store:
        merge(store, source)
        assert known(store)[0] == {Unit(0, 7): bytes(range(7))}


def test_a_run_that_has_pieces_itself_is_left_as_it_is(tmp_path: Path) -> None:
    with open_store(share(tmp_path / "out.db", piece(0, 3), piece(3, 7))) as store:
        before = known(store)
        merge(store, share(tmp_path / "a.db", piece(0, 10)))
        assert known(store) == before and missing_units(store, read_run(store, 1)) == {0: [Unit(10, 10)]}


def test_the_words_of_a_fault_do_not_count_and_are_chosen_alike(tmp_path: Path) -> None:
    """How long a bot took, and in which folder it was asked, differs from machine to machine."""
    other = replace(LATE, what="took 2.00 s", reproduce="cd /there && kibitz watch")
    sources = [share(tmp_path / "a.db", piece(0, 10)), share(tmp_path / "b.db", piece(0, 10, other))]
    for number, order in enumerate(permutations(sources)):
        with open_store(share(tmp_path / f"{number}.db")) as store:
            merge(store, *order)
            assert known(store)[1] == [other]


@pytest.mark.parametrize(
    "other",
    [
        (Unit(0, 3), b"\0\1\3", (), piece(0, 3)[3]),
        (Unit(0, 10), bytes(9) + b"\1", *piece(0, 10)[2:]),
        piece(0, 10, replace(LATE, kind="illegal")),
        piece(0, 10, text="other"),
        (Unit(0, 10), *piece(0, 10)[1:2], (), piece(0, 10)[3]),
    ],
    ids=["beginning", "end", "fault", "game", "no fault"],
)
def test_other_results_are_refused_with_the_unit(other: Piece, tmp_path: Path) -> None:
    sources = [share(tmp_path / "a.db", piece(0, 10)), share(tmp_path / "b.db", other)]
    for number, order in enumerate(permutations(sources)):
        with open_store(share(tmp_path / f"{number}.db")) as store:
            before = known(store)
            with pytest.raises(BadValue, match=r"[ab]\.db disagrees with the other shares about games 0 to 9 of part 0"):
                merge(store, *order)
            assert known(store) == before


@pytest.mark.parametrize("other", [piece(1, 9), piece(0, 20), piece(5, 10)], ids=["later", "longer", "across"])
def test_units_that_are_not_cut_alike_are_refused(other: Piece, tmp_path: Path) -> None:
    source = share(tmp_path / "a.db", other)
    with (
        open_store(share(tmp_path / "out.db")) as store,
        pytest.raises(BadValue, match=r"a\.db has games of part 0 that are cut otherwise"),
    ):
        merge(store, source)
