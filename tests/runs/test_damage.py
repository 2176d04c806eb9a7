"""A damaged store: whatever bit is flipped, what is shown is what was kept, or a sentence."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from kibitz.core.errors import KibitzError
from kibitz.experiments.comparison import Compare
from kibitz.experiments.experiment import check_resumable, recalled
from kibitz.experiments.measurement import Evaluate
from kibitz.experiments.tournament.config import BUILT_IN, Participant, make_tournament
from kibitz.experiments.tournament.rounds import play_tournament
from kibitz.runs import database, rows
from kibitz.runs.database import StoreError, open_store
from kibitz.runs.kept_tables import KeptTable, keep_move, keep_note, keep_session, keep_table, read_session, read_table, tables_of
from kibitz.runs.ledger import DamagedUnit, Fault, KeptGame
from kibitz.runs.schema import COLUMNS
from kibitz.runs.store import RunLedger, begin, delete_runs, faults_of, list_runs, read_run
from kibitz.runs.units import Unit
from kibitz.table.game_table import old_game
from tests.commands import kibitz_command

TABLE = "a" * 16
FLIPS = 600


class Faulty(RunLedger):
    """Keeps a fault and a record with every unit, as if one of the bots came from outside."""

    def keep(self, part: int, unit: Unit, payload: bytes, faults: Sequence[Fault] = (), games: Sequence[KeptGame] = ()) -> None:
        fault = Fault(unit.first, "random", 1, "illegal", "answered 69", "a position", "kibitz watch random")
        super().keep(part, unit, payload, [fault], [KeptGame(unit.first, f"record {unit.first}")])


def fill(path: Path) -> None:
    """Runs of every kind, complete or not, and a table."""
    with open_store(path) as store:
        asked = Evaluate(["random", "greedy"], games=40, seed=3, jit=False)
        with begin(store, "evaluate", asked.to_config(), "kibitz evaluate random greedy", asked.total()) as ledger:
            ledger.finish(asked.going(ledger=ledger, threads=1).play().to_dict())
        question = Compare("random", "greedy", seed=3, game="uno", games=100, jit=False)
        with begin(store, "compare", question.to_config(), "kibitz compare random greedy") as ledger:
            question.going(ledger=ledger, threads=1).play()
            ledger.interrupt()
        players = [Participant(name, BUILT_IN, name) for name in ("random", "greedy")]
        tournament = make_tournament("here", {"players": players, "games": 20, "seed": 3})
        with begin(store, "tournament", tournament.to_dict(), "kibitz tournament cup.toml") as ledger:
            ledger.__class__ = Faulty
            result = play_tournament(tournament, ledger=ledger, threads=1, jit=False)
            ledger.fail("a bot left")
        with begin(store, "tournament", tournament.to_dict(), "kibitz tournament cup.toml") as ledger:
            ledger.finish(result.to_dict())
        with store.writing() as connection:
            keep_session(connection, "digest", "Ann")
            keep_table(connection, KeptTable(TABLE, '{"seed": 5}', "digest", 5.0, {0: ("digest", "Ann")}))
            for place, action in enumerate(["r5", "draw", "keep", "wild:g"] * 10):
                keep_move(connection, TABLE, 0, place, action, False)
            keep_note(connection, TABLE, 0, 0, 3, "five?")


def seen(path: Path, sessions: bool = True) -> list[str]:
    """All that anybody can see of a store."""
    with open_store(path, create=False) as store:
        found: list[Any] = [read_table(store, TABLE)]
        if sessions:
            found += [read_session(store, "digest"), tables_of(store, "digest", 5)]
        for run in list_runs(store):
            ledger = RunLedger(store, run)
            found += [run, recalled(store, run)[1], faults_of(store, run.id), [ledger.games(part) for part in range(2)]]
            check_resumable(run)
    return list(map(repr, found))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "kibitz.db"
    fill(path)
    return path


# -- flipped bits --


@pytest.mark.parametrize("checked", [True, False], ids=["small", "large"])
def test_a_flipped_bit_is_a_sentence_or_changes_nothing(
    checked: bool, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a file that is looked through when it is opened, and in one that is too large for that, where a session may be lost."""
    expected = seen(whole, checked)
    content = whole.read_bytes()
    path = tmp_path / "kibitz.db"
    if not checked:
        monkeypatch.setattr(database, "CHECKED_SIZE", 0)
    chance = random.Random(17)
    refused = 0
    for _ in range(FLIPS):
        place, bit = chance.randrange(len(content)), chance.randrange(8)
        damaged = bytearray(content)
        damaged[place] ^= 1 << bit
        path.write_bytes(damaged)
        try:
            found = seen(path, checked)
        except KibitzError:
            refused += 1
        else:
            assert found == expected, f"bit {bit} of byte {place}"
    assert refused > FLIPS // 20


# -- what is said, and what can be done --


def flipped(path: Path, table: str, column: str, value: object, where: str = "1") -> None:
    """Change a column as damage would: without its checksum."""
    connection = sqlite3.connect(path)
    connection.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,))
    connection.commit()
    connection.close()


@pytest.fixture
def copy(whole: Path, tmp_path: Path) -> Path:
    path = tmp_path / "kibitz.db"
    path.write_bytes(whole.read_bytes())
    return path


def test_a_damaged_unit_is_named_and_its_run_can_be_deleted(copy: Path) -> None:
    flipped(copy, "units", "payload", b"nothing", "run = 1 AND part = 1")
    with open_store(copy) as store:
        run = read_run(store, 1)
        with pytest.raises(StoreError) as refused:
            recalled(store, run)
        assert str(refused.value) == (
            f"store {copy} is damaged: the result of games 0 to 39 of part 1 of run 1 does not match its checksum; delete it with "
            "`kibitz runs delete 1` and play it again, or restore the file from a copy."
        )
        assert [each.id for each in list_runs(store)] == [4, 3, 2, 1]  # the others are as they were
        delete_runs(store, [1])
        assert [each.id for each in list_runs(store)] == [4, 3, 2]


def test_a_damaged_run_can_be_deleted(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    flipped(copy, "runs", "config", "{}", "id = 2")
    code, _, err = kibitz_command(capsys, "runs", "--store", str(copy))
    assert (code, err.count("\n")) == (2, 1)
    assert "run 2 does not match its checksum; delete it with `kibitz runs delete 2`" in err
    assert kibitz_command(capsys, "runs", "delete", "2", "--yes", "--store", str(copy))[0] == 0
    assert kibitz_command(capsys, "runs", "--store", str(copy))[0] == 0


@pytest.mark.parametrize(
    ("lost", "what"),
    [
        ("DELETE FROM units WHERE run = 1 AND part = 1", "run 1 has 80 games, but 40 are there"),
        ("DELETE FROM faults", "run 3 has 1 faults of bots, but 0 are there"),
        ("DELETE FROM games", "run 3 has 1 records of games, but 0 are there"),
        ("DELETE FROM moves WHERE position = 39", "has 40 actions, but 39 are there"),
        ("DELETE FROM people", "has 1 people, but 0 are there"),
        ("DELETE FROM notes", "has 1 notes, but 0 are there"),
    ],
)
def test_a_row_that_is_lost_is_missed(lost: str, what: str, copy: Path) -> None:
    connection = sqlite3.connect(copy)
    connection.execute(lost)
    connection.commit()
    connection.close()
    with pytest.raises(StoreError, match=what):
        seen(copy)


@pytest.mark.parametrize("table", list(COLUMNS))
def test_every_column_of_every_table_is_in_its_checksum(table: str, whole: Path) -> None:
    with open_store(whole) as store:
        *row, kept = store.rows(f"SELECT {', '.join(COLUMNS[table])}, checksum FROM {table}")[0]
        assert rows.checked(store, table, tuple(row), kept) == tuple(row)
        for place, value in enumerate(row):
            other = value + 1 if isinstance(value, (int, float)) else (b"x" if isinstance(value, bytes) else "x")
            with pytest.raises(StoreError, match=r"does not match its checksum; .*restore the file from a copy\.$"):
                rows.checked(store, table, (*row[:place], other, *row[place + 1 :]), kept)


def test_a_change_does_not_hide_damage(copy: Path) -> None:
    flipped(copy, "tables", "setup", '{"seed": 4}')
    with open_store(copy) as store:
        with store.writing() as connection:
            keep_move(connection, TABLE, 0, 40, "r5", False)
        with pytest.raises(StoreError, match=f"table {TABLE} does not match its checksum; restore the file from a copy"):
            read_table(store, TABLE)


# Rows that match their checksums but hold what no row can hold: older versions kept none, so that damage may be older than they are.
STRANGE: dict[str, tuple[int, dict[str, object]]] = {
    "no config": (1, {"config": "{"}),
    "config of another kind": (1, {"config": "[]"}),
    "endless config": (1, {"config": "[" * 100_000}),
    "long number": (1, {"config": f'{{"seed": {"9" * 5_000}}}'}),
    "config that lacks something": (1, {"config": '{"game": "uno"}'}),
    "game that is none": (1, {"config": '{"game": []}'}),
    "comparison that lacks something": (2, {"config": '{"game": "uno"}'}),
    "tournament that lacks something": (3, {"config": '{"game": "uno", "players": [{}]}'}),
    "no figures": (4, {"figures": "{"}),
    "figures that lack something": (4, {"figures": "{}"}),
    "figures of another kind": (1, {"figures": "[5]"}),
    "unknown status": (1, {"status": "asleep"}),
    "command that is no text": (1, {"command": b"kibitz"}),
    "time that never comes": (1, {"started": 1e300}),
    "fewer games than none": (1, {"done": -1}),
}


@pytest.mark.parametrize("kind", list(STRANGE))
def test_what_no_run_can_hold_is_a_sentence(kind: str, copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    number, changes = STRANGE[kind]
    with open_store(copy) as store, store.writing() as connection:
        rows.change(connection, "runs", changes, "id = ?", (number,))
    for words in (["runs", "show", str(number)], ["runs", "show", str(number), "--json", "-"]):
        code, _, err = kibitz_command(capsys, *words, "--store", str(copy))
        if code or words[-1] != "-":  # as JSON, figures are shown as they are
            assert (code, err.count("\n")) == (2, 1), err
            assert f"run {number} " in err and f"kibitz runs delete {number}" in err


@pytest.mark.parametrize(
    ("number", "payload", "why"),
    [
        (1, b"nothing", "7 bytes instead of "),
        (2, b"nothing", "7 bytes instead of "),
        (3, b"nothing", "7 bytes instead of "),
        (2, b"\x64" * 600, "a winner who did not play"),
        (3, b"\x64" * 120, "a winner who did not play"),
    ],
)
def test_a_payload_that_no_unit_can_have_is_a_sentence(number: int, payload: bytes, why: str, copy: Path) -> None:
    with open_store(copy) as store:
        with store.writing() as connection:
            rows.change(connection, "units", {"payload": payload}, "run = ?", (number,))
        with pytest.raises(DamagedUnit, match=rf"^the kept result of games 0 to \d+ of part 0 is damaged \({why}"):
            recalled(store, read_run(store, number))


def test_units_that_overlap_or_lie_beyond_the_end_are_refused(copy: Path) -> None:
    with open_store(copy) as store:
        run = read_run(store, 1)
        with begin(store, "evaluate", run.config, "") as ledger:
            for unit, payload in RunLedger(store, run).finished(0).items():
                ledger.keep(0, Unit(unit.first + 20, unit.count), payload)
            with pytest.raises(DamagedUnit, match=r"games 20 to 59 of part 0 is damaged \(there are 40 games"):
                recalled(store, read_run(store, ledger.id))
            ledger.keep(0, Unit(0, 40), payload)
            with pytest.raises(StoreError, match="games 20 to 59 of part 0 of run 5 overlaps with another"):
                recalled(store, read_run(store, ledger.id))


def test_an_end_that_does_not_exist_is_a_sentence(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ended = b"\0\x96\1\0\1\0" * 20  # won by the first, but with status 150
    with open_store(copy) as store, store.writing() as connection:
        rows.change(connection, "units", {"payload": ended}, "run = 3", ())
        rows.change(connection, "runs", {"status": "complete"}, "id = 3", ())
    code, _, err = kibitz_command(capsys, "export", "3", "--out", "-", "--store", str(copy))
    assert (code, err) == (2, "kibitz: a game of the run ended in a way that does not exist (150): the store is damaged.\n")


def test_a_table_with_a_damaged_setup_is_a_sentence() -> None:
    for setup in (
        "{",
        "[]",
        '{"seats": 5}',
        '{"seats": []}',
        '{"game": "uno", "rules": "classic", "seats": [[]], "seed": 5}',
        "[" * 100_000,
    ):
        table = KeptTable(TABLE, setup, "digest", 5.0)
        with pytest.raises(KibitzError):
            old_game(table)
