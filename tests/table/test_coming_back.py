"""Coming back to a table: after a lost connection, a restart, a while out of memory; and what could not be written is not lost."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from kibitz.runs.database import open_store
from kibitz.runs.kept_tables import read_table
from kibitz.table.keeping import Keeper
from kibitz.table.open_tables import WORKERS, OpenTables
from tests.table.clients import LOOSE, Person, TestClient, opened


def test_who_comes_back_finds_everything_as_it_was(ann: Person) -> None:
    table = ann.open(None, "mix2", "mix2")
    with ann.at(table) as seat:
        for _ in range(3):
            while not seat.position["legal"] and seat.position["over"] is None:
                seat.wait_for("update")
            if seat.position["over"] is None:
                seat.act(seat.position["legal"][0])
        while not seat.position["legal"] and seat.position["over"] is None:
            seat.wait_for("update")
        before = seat.position
    with ann.at(table) as seat:
        for key in ("deal", "position", "view", "legal", "decision", "names", "over"):
            assert seat.position[key] == before[key]
        assert seat.position["log"]


def test_tables_survive_a_restart(tmp_path: Path) -> None:
    store = tmp_path / "kibitz.db"
    tables = []
    with opened(store) as client:
        ann = Person(client)
        for game, bot in (("uno", "mix2"), ("hanabi", "piers")):
            table = ann.open(None, bot, game=game, to="100" if game == "uno" else None)
            with ann.at(table) as seat:
                if game == "uno":  # into the second deal
                    seat.play_on()
                    if not seat.position["over"]["finished"]:
                        seat.say("next")
                for _ in range(2):
                    while not seat.position["legal"] and seat.position["over"] is None:
                        seat.wait_for("update")
                    if seat.position["over"] is None:
                        seat.act(seat.position["legal"][-1])
                while not seat.position["legal"] and seat.position["over"] is None:
                    seat.wait_for("update")
                tables.append((table, seat.position))
    with opened(store) as client:
        ann = Person(client, token=ann.token)
        listed = client.get("/api/tables", headers=ann.headers).json()["tables"]
        assert {shown["table"] for shown in listed} == {table for table, _ in tables}
        for table, before in tables:
            with ann.at(table) as seat:
                for key in ("deal", "position", "view", "legal", "decision", "names", "scores", "over"):
                    assert seat.position[key] == before[key], key
                seat.play_on()


def test_tables_that_nobody_looks_at_leave_the_memory_and_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.open_tables.IDLE_SECONDS", -1.0)
    with opened() as client:
        ann = Person(client)
        table = ann.open(None, "mix2")
        tables = client.app.state.services.tables  # type: ignore[attr-defined]  # our own app
        with ann.at(table) as seat:
            while not seat.position["legal"]:
                seat.wait_for("update")
            before = seat.position
            tables.forget_idle()
            assert list(tables.tables) == [table]
        with ann.at(table):  # the first one is gone for certain
            pass
        until = time.monotonic() + 60
        while tables.tables and time.monotonic() < until:  # what the bot did is being written
            client.get("/api/health")
            tables.forget_idle()
        assert list(tables.tables) == []
        with ann.at(table) as seat:
            assert seat.position["view"] == before["view"]


def stored(table: str, store: Path) -> list[list[str]]:
    with open_store(store) as kept:
        found = read_table(kept, table)
    assert found is not None
    return found.deals


def no_room(*args: Any) -> None:
    raise sqlite3.IntegrityError("no room")


def no_room_after_a_while(*args: Any) -> None:
    time.sleep(0.3)
    no_room()


def test_what_could_not_be_written_is_said_and_written_with_the_next_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.open_tables.IDLE_SECONDS", -1.0)
    with opened(tmp_path / "kibitz.db") as client:
        ann = Person(client)
        table = ann.open(None, "mix2", "random")
        tables = client.app.state.services.tables  # type: ignore[attr-defined]  # our own app
        with ann.at(table) as seat:
            while not seat.position["legal"]:
                seat.wait_for("update")
            with monkeypatch.context() as patch:
                patch.setattr("kibitz.runs.kept_tables.keep_move", no_room)
                assert seat.act(seat.position["legal"][0]) == {"type": "done", "reply": seat.number, "kept": False}
            seat.play_on()  # every further action is answered with done
            assert "kept" not in seat.heard[-1]
            deals = [list(actions) for actions in tables.tables[table].live.deals]
    assert stored(table, tmp_path / "kibitz.db") == deals


def test_what_could_not_be_written_stays_in_memory_and_is_written_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.open_tables.IDLE_SECONDS", -1.0)
    with opened(tmp_path / "kibitz.db") as client:
        ann, bob = Person(client), Person(client, "Bob")
        table = ann.open(None, None)
        client.post(f"/api/tables/{table}/seat", json={}, headers=bob.headers)
        tables = client.app.state.services.tables  # type: ignore[attr-defined]  # our own app
        with monkeypatch.context() as patch:
            patch.setattr("kibitz.runs.kept_tables.keep_move", no_room)
            patch.setattr("kibitz.runs.kept_tables.keep_table", no_room_after_a_while)  # it fails while the server ends
            with ann.at(table) as first, bob.at(table) as second:
                mover = first if first.position["legal"] else second
                action = mover.position["legal"][0]
                assert mover.act(action)["kept"] is False
            with ann.at(table):  # the first ones are gone for certain
                pass
            client.get("/api/health")
            assert client.portal is not None
            client.portal.call(tables.forget_idle)
            assert list(tables.tables) == [table]
            deals = tables.tables[table].live.deals
        assert deals[0][:1] == [action]
    assert stored(table, tmp_path / "kibitz.db") == deals


def test_a_table_is_brought_back_once_whoever_stops_waiting_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []

    async def load(self: OpenTables, name: str) -> Any:
        loaded.append(name)
        await asyncio.sleep(0.02)
        return name

    monkeypatch.setattr(OpenTables, "_load", load)

    async def run() -> None:
        keeper = Keeper(None)
        tables = OpenTables(keeper, LOOSE)
        hasty, patient = asyncio.create_task(tables.find("it")), asyncio.create_task(tables.find("it"))
        await asyncio.sleep(0)
        hasty.cancel()
        await asyncio.sleep(0)
        found: Any = await tables.find("it")
        also: Any = await patient
        assert (found, also) == ("it", "it")
        await tables.close()
        await keeper.close()

    asyncio.run(run())
    assert loaded == ["it"]


def test_tables_are_opened_while_bots_think_elsewhere(ann: Person, client: TestClient) -> None:
    tables = client.app.state.services.tables  # type: ignore[attr-defined]  # our own app
    go = threading.Event()
    assert client.portal is not None
    thinking = [client.portal.start_task_soon(tables.work, go.wait, 60) for _ in range(WORKERS)]
    ann.open(None, "champion:fast")
    assert not any(thought.done() for thought in thinking)
    go.set()
    for thought in thinking:
        thought.result(60)
