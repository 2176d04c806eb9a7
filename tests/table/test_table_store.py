"""Tables in the store: what is written comes back, and nothing else."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from kibitz.runs import kept_tables as tables
from kibitz.runs import rows
from kibitz.runs.database import Store, open_store
from kibitz.runs.kept_tables import KeptTable, read_session, read_table, tables_of
from kibitz.table.keeping import Keeper
from kibitz.table.sessions import Sessions

ID = "table-0123456789"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path / "kibitz.db") as opened:
        yield opened


def kept(**changes: object) -> KeptTable:
    table = KeptTable(ID, '{"game": "uno"}', "ann", 100.0, {0: ("ann", "Ann")}, [["r5", "draw"], ["g1"]], notes={(1, 0): {17: "maybe b3"}})
    for name, value in changes.items():
        setattr(table, name, value)
    return table


def same(found: KeptTable | None, table: KeptTable) -> bool:
    assert found is not None
    found.changed = table.changed = 0.0
    return found == table


def test_a_whole_table_comes_back(store: Store) -> None:
    with store.writing() as connection:
        tables.keep_table(connection, kept())
    assert same(read_table(store, ID), kept())
    assert read_table(store, "another") is None


def test_a_whole_table_takes_the_place_of_an_older_one(store: Store) -> None:
    with store.writing() as connection:
        tables.keep_table(connection, kept())
        tables.keep_table(connection, kept(deals=[["r5"]], notes={}, people={}))
    assert same(read_table(store, ID), kept(deals=[["r5"]], notes={}, people={}))


def test_changes_add_up(store: Store) -> None:
    with store.writing() as connection:
        tables.keep_table(connection, kept(deals=[[]], notes={}))
        tables.keep_move(connection, ID, 0, 0, "r5", False)
        tables.keep_move(connection, ID, 0, 1, "draw", False)
        tables.keep_deals(connection, ID, 2)
        tables.keep_move(connection, ID, 1, 0, "g1", True)
        tables.keep_person(connection, ID, 1, "bob", "Bob")
        tables.keep_setup(connection, ID, '{"game": "hanabi"}')
        tables.keep_following(connection, ID, "the-next-table--")
        tables.keep_note(connection, ID, 1, 0, 17, "maybe b3")
        tables.keep_note(connection, ID, 1, 0, 18, "a one")
        tables.keep_note(connection, ID, 1, 0, 18, "")
    expected = kept(setup='{"game": "hanabi"}', people={0: ("ann", "Ann"), 1: ("bob", "Bob")}, finished=True, following="the-next-table--")
    assert same(read_table(store, ID), expected)


def test_nothing_counts_after_a_gap(store: Store) -> None:
    with store.writing() as connection:
        tables.keep_table(connection, kept(deals=[[]]))
        tables.keep_move(connection, ID, 0, 0, "r5", False)
        tables.keep_move(connection, ID, 0, 2, "g1", False)
    found = read_table(store, ID)
    assert found is not None and found.deals == [["r5"]]


def test_a_deal_that_was_begun_and_has_no_action_yet_is_there(store: Store) -> None:
    with store.writing() as connection:
        tables.keep_table(connection, kept(deals=[["r5"]]))
        tables.keep_deals(connection, ID, 2)
    found = read_table(store, ID)
    assert found is not None and found.deals == [["r5"], []]


def test_tables_are_found_by_who_opened_them_or_sits_there(store: Store) -> None:
    with store.writing() as connection:
        for number, (owner, people) in enumerate([("ann", {}), ("bob", {1: ("ann", "Ann")}), ("bob", {0: ("bob", "Bob")})]):
            tables.keep_table(connection, kept(id=f"table-{number}", owner=owner, people=people, made=float(number)))
    assert [table.id for table in tables_of(store, "ann", 10)] == ["table-1", "table-0"]
    assert [table.id for table in tables_of(store, "bob", 1)] == ["table-2"]
    assert tables_of(store, "nobody", 10) == []
    assert (tables.count_tables(store, "bob", 0.0), tables.count_tables(store, "bob", 1.5)) == (2, 1)


def test_a_new_name_is_also_that_of_the_seats(store: Store) -> None:
    with store.writing() as connection:
        tables.keep_session(connection, "ann", "Ann")
        tables.keep_table(connection, kept())
        tables.keep_session(connection, "ann", "Anna")
    found = read_table(store, ID)
    assert found is not None and found.people == {0: ("ann", "Anna")}
    assert read_session(store, "ann") == "Anna"
    assert read_session(store, "bob") is None


# -- through the keeper --


def test_what_can_wait_is_written_in_order_and_at_the_latest_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "kibitz.db"

    async def run() -> list[list[str]]:
        keeper = Keeper(path)
        await keeper.open()
        await keeper.write(tables.keep_table, kept(deals=[[]]))
        keeper.write_soon(tables.keep_move, ID, 0, 0, "r5", False)
        await keeper.write(tables.keep_move, ID, 0, 1, "draw", False)  # takes along what came before
        found = await keeper.read(read_table, ID)
        keeper.write_soon(tables.keep_move, ID, 0, 2, "g1", False)
        await keeper.close()
        assert found is not None
        return found.deals

    assert asyncio.run(run()) == [["r5", "draw"]]
    with open_store(path) as store:
        found = read_table(store, ID)
    assert found is not None and found.deals == [["r5", "draw", "g1"]]


def test_what_cannot_be_written_is_told_to_who_waits(tmp_path: Path) -> None:
    async def run() -> None:
        keeper = Keeper(tmp_path / "kibitz.db")
        await keeper.open()
        try:
            with pytest.raises(sqlite3.IntegrityError):
                await keeper.write(tables.keep_move, "no such table", 0, 0, "r5", False)
            await keeper.write(tables.keep_session, "ann", "Ann")
            assert await keeper.read(read_session, "ann") == "Ann"
        finally:
            await keeper.close()

    asyncio.run(run())


# -- what is forgotten --


def test_sessions_without_a_table_and_old_games_are_forgotten(store: Store) -> None:
    day, now = 86_400.0, 1_000 * 86_400.0
    with store.writing() as connection:
        for digest in ("ann", "bob", "cleo", "dora"):
            tables.keep_session(connection, digest, digest.title())
        rows.change(connection, "sessions", {"made": now - 31 * day}, "digest != 'cleo'", ())
        rows.change(connection, "sessions", {"made": now - 29 * day}, "digest = 'cleo'", ())
        for name, finished, age in (("old", True, 366), ("open", False, 366), ("young", True, 364)):
            tables.keep_table(
                connection, kept(id=name, owner="dora" if name == "old" else "ann", people={1: ("bob", "Bob")}, finished=finished)
            )
            rows.change(connection, "tables", {"changed": now - age * day}, "id = ?", (name,))
        tables.forget_old(connection, now)
    assert [read_table(store, name) is not None for name in ("old", "open", "young")] == [False, True, True]
    assert [read_session(store, digest) for digest in ("ann", "bob", "cleo", "dora")] == ["Ann", "Bob", "Cleo", None]


def test_who_comes_back_is_not_forgotten(tmp_path: Path) -> None:
    def long_ago(connection: sqlite3.Connection) -> None:
        rows.change(connection, "sessions", {"made": 0.0}, "digest = digest", ())

    async def run() -> None:
        keeper = Keeper(tmp_path / "kibitz.db")
        await keeper.open()
        sessions = Sessions(keeper)
        used, _ = await sessions.begin("Ann")
        unused, _ = await sessions.begin("Bob")
        await keeper.write(long_ago)
        assert await sessions.find(used) is not None
        await sessions.forget_old()
        sessions = Sessions(keeper)
        assert await sessions.find(used) is not None
        assert await sessions.find(unused) is None
        await keeper.close()

    asyncio.run(run())
