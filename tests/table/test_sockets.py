"""At a table over WebSockets: whole games, several people, reconnecting, restarts, and everything that is refused and changes nothing."""

from __future__ import annotations

import asyncio
import json
import queue
import sqlite3
import threading
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from kibitz.arena.record import Record, replay
from kibitz.store.database import open_store
from kibitz.store.tables import read_table
from kibitz.table.connection import MOST_REFUSALS, as_text
from kibitz.table.keeping import Keeper
from kibitz.table.protection import Rate
from kibitz.table.sockets import ADVISERS, JUDGES, Thinkers, Thinking
from kibitz.table.tables import WORKERS, Tables
from tests.table.clients import LOOSE, Person, Seat, TestClient, connected, opened


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with opened() as running:
        yield running


@pytest.fixture
def ann(client: TestClient) -> Person:
    return Person(client)


# -- playing --


@pytest.mark.parametrize(("game", "bots"), [("uno", ("mix2", "greedy")), ("hanabi", ("piers", "iggi"))])
def test_a_whole_game(game: str, bots: tuple[str, str], ann: Person) -> None:
    table = ann.open(None, *bots, game=game)
    with ann.at(table) as seat:
        assert seat.welcome == {"type": "welcome", "seat": 0, "name": "Ann"}
        seat.play_on()
        over = seat.position["over"]
        assert over["finished"] is True
        played = replay(Record.from_text(over["record"]))
        assert played.seats == ["Ann", *bots]
        assert played.outcome["points"] == over["points"]
        updates = [message["position"] for message in seat.heard if message["type"] == "update"]
        assert updates == list(range(1, len(played.steps) + 1))
    film = ann.client.get(f"/api/tables/{table}/film").json()
    assert film["record"] == over["record"]
    assert ann.client.get(f"/api/tables/{table}").json()["status"] == "over"


def test_a_contest_goes_on_deal_by_deal(ann: Person) -> None:
    table = ann.open(None, "mix2", to="150")
    with ann.at(table) as seat:
        assert seat.say("next")["reason"] == "The deal is not over yet."
        deals = 0
        while True:
            seat.play_on()
            deals += 1
            over = seat.position["over"]
            if over["finished"]:
                break
            assert over["record"] is None  # its seed decides the deals to come
            assert ann.client.get(f"/api/tables/{table}/film", params={"deal": deals - 1}).json()["record"] is None
            assert seat.say("next")["type"] == "done"
            assert seat.position["deal"] == deals
        assert max(over["scores"]) >= 150
        assert seat.say("next")["type"] == "refused"
        assert ann.client.get(f"/api/tables/{table}/film", params={"deal": 0}).json()["record"].startswith("uno/1;")
        assert ann.client.get(f"/api/tables/{table}/film", params={"deal": deals}).status_code == 409


def test_another_game_with_the_same_people(ann: Person) -> None:
    table = ann.open(None, "random")
    with ann.at(table) as seat, connected(ann.client, f"/api/tables/{table}/live") as socket:
        spectator = Seat(socket).greet(None)
        assert "not finished" in seat.say("again")["reason"]
        seat.play_on()
        assert seat.say("again")["type"] == "done"
        moved = next(message for message in seat.heard if message["type"] == "moved")
        assert spectator.wait_for("moved") == moved
        assert seat.say("again")["type"] == "done"  # leads to the same table
    assert moved["table"] != table
    with ann.at(moved["table"]) as seat:
        assert seat.welcome["seat"] == 0
        assert seat.position["position"] == 0 and seat.position["over"] is None
    assert ann.client.get(f"/api/tables/{table}").json()["following"] == moved["table"]
    with ann.at(table) as seat:  # who comes late is told too
        assert seat.wait_for("moved") == moved


def test_two_people_and_a_spectator_see_what_they_may(ann: Person, client: TestClient) -> None:
    bob = Person(client, "Bob")
    table = ann.open(None, None, "mix2")
    with ann.at(table) as first:
        assert first.position["kinds"] == ["person", "free", "bot"]
        assert first.position["waiting"] == [1]
        assert first.position["legal"] == [] and first.position["decision"] is None
        assert "waits for somebody in seat 1" in first.act("draw")["reason"]
        client.post(f"/api/tables/{table}/seat", json={"seat": 1}, headers=bob.headers)
        assert first.wait_for("position")["names"] == ["Ann", "Bob", "mix2"]
        assert first.position["present"] == [True, False, True]
        with bob.at(table) as second, connected(client, f"/api/tables/{table}/live") as socket:
            assert first.wait_for("people")["present"] == [True, True, True]
            third = Seat(socket).greet(None)
            assert (third.welcome["seat"], second.welcome["seat"]) == (None, 1)
            assert third.position["view"]["hand"] == [] and third.position["legal"] == []
            hands = [seat.position["view"]["hand"] for seat in (first, second)]
            assert [len(hand) for hand in hands] == [
                seat.position["view"]["hand_sizes"][place] for place, seat in enumerate((first, second))
            ]
            assert hands[0] != hands[1] and all(hands)
            assert "look on" in third.act("draw")["reason"]
            play_together(first, second)
            third.wait_for("update")
            while third.position["over"] is None:
                third.wait_for("update")
            assert third.position["over"]["record"] == first.position["over"]["record"]
        assert first.wait_for("people")["present"] == [True, False, True]


def play_together(*seats: Seat) -> None:
    """Whoever is asked takes the first legal action, until the deal is over for all."""
    done = threading.Event()
    failures: list[BaseException] = []

    def play(seat: Seat) -> None:
        try:
            seat.play_on()
        except BaseException as failure:  # told below
            failures.append(failure)
            done.set()

    threads = [threading.Thread(target=play, args=(seat,), daemon=True) for seat in seats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert not any(thread.is_alive() for thread in threads)


def test_somebody_who_looks_on_may_sit_down(ann: Person, client: TestClient) -> None:
    bob = Person(client, "Bob")
    table = ann.open(None, None)
    with bob.at(table) as seat:
        assert seat.welcome["seat"] is None
        client.post(f"/api/tables/{table}/seat", json={}, headers=bob.headers)
        assert seat.wait_for("welcome")["seat"] == 1
        assert seat.wait_for("position")["seat"] == 1
        assert len(seat.position["view"]["hand"]) == seat.position["view"]["hand_sizes"][1]


def test_bots_take_the_free_seats(ann: Person, client: TestClient) -> None:
    table = ann.open(None, None, None)
    with ann.at(table) as seat:
        hand = seat.position["view"]["hand"]
        client.post(f"/api/tables/{table}/fill", json={"bot": "greedy"}, headers=ann.headers)
        assert seat.wait_for("position")["names"] == ["Ann", "greedy", "greedy"]
        assert seat.position["view"]["hand"] == hand
        seat.play_on()


def test_bots_alone_play_for_who_looks_on_with_all_cards_open(ann: Person, client: TestClient) -> None:
    table = ann.open("mix2", "cheater", seat=None)
    assert client.get(f"/api/tables/{table}").json()["status"] == "playing"
    with connected(client, f"/api/tables/{table}/live") as socket:
        seat = Seat(socket).greet(None)
        assert seat.position["position"] == 0  # nobody looked on before
        assert seat.position["open"] is True
        assert [len(hand) for hand in seat.position["hands"]] == seat.position["view"]["hand_sizes"]
        while seat.position["over"] is None:
            seat.wait_for("update")


def test_a_new_name_is_seen_at_once(ann: Person, client: TestClient) -> None:
    with ann.at(ann.open(None, "mix2")) as seat:
        client.patch("/api/sessions/me", json={"name": "Anna"}, headers=ann.headers)
        assert seat.wait_for("people")["names"] == ["Anna", "mix2"]


def test_notes_are_for_one_seat_alone(ann: Person, client: TestClient) -> None:
    bob = Person(client, "Bob")
    table = ann.open(None, None, game="hanabi")
    client.post(f"/api/tables/{table}/seat", json={}, headers=bob.headers)
    with ann.at(table) as first, bob.at(table) as second:
        assert first.say("note", place=3, text="maybe b3")["type"] == "done"
        assert first.say("note", place=4, text="a one")["type"] == "done"
        assert first.say("note", place=4, text="")["type"] == "done"
        assert [message["notes"] for message in first.heard if message["type"] == "notes"][-1] == {"3": "maybe b3"}
        assert first.say("note", place=3, text="a\nb")["type"] == "refused"
        assert "not in your hand" in first.say("note", place=5, text="Bob's")["reason"]
        assert first.say("note", place=5, text="")["type"] == "done"  # there was none, and now there is none
        assert first.say("note", place=3, text="x" * 201)["type"] == "refused"
        assert second.say("ping")["type"] == "pong"
        assert "maybe" not in json.dumps(second.heard)
    with ann.at(table) as first, bob.at(table) as second:
        assert first.position["notes"] == {"3": "maybe b3"}
        assert second.position["notes"] == {}
    with ann.at(ann.open(None, "mix2")) as seat:
        assert "Hanabi" in seat.say("note", place=3, text="x")["reason"]


# -- coming back --


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
    monkeypatch.setattr("kibitz.table.tables.IDLE_SECONDS", -1.0)
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


def test_what_could_not_be_written_is_said_and_written_with_the_next_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.tables.IDLE_SECONDS", -1.0)
    with opened(tmp_path / "kibitz.db") as client:
        ann = Person(client)
        table = ann.open(None, "mix2", "random")
        tables = client.app.state.services.tables  # type: ignore[attr-defined]  # our own app
        with ann.at(table) as seat:
            while not seat.position["legal"]:
                seat.wait_for("update")
            with monkeypatch.context() as patch:
                patch.setattr("kibitz.store.tables.keep_move", no_room)
                assert seat.act(seat.position["legal"][0]) == {"type": "done", "reply": seat.number, "kept": False}
            seat.play_on()  # every further action is answered with done
            assert "kept" not in seat.heard[-1]
            deals = [list(actions) for actions in tables.tables[table].live.deals]
    assert stored(table, tmp_path / "kibitz.db") == deals


def test_what_could_not_be_written_stays_in_memory_and_is_written_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.tables.IDLE_SECONDS", -1.0)
    with opened(tmp_path / "kibitz.db") as client:
        ann, bob = Person(client), Person(client, "Bob")
        table = ann.open(None, None)
        client.post(f"/api/tables/{table}/seat", json={}, headers=bob.headers)
        tables = client.app.state.services.tables  # type: ignore[attr-defined]  # our own app
        with monkeypatch.context() as patch:
            patch.setattr("kibitz.store.tables.keep_move", no_room)
            patch.setattr("kibitz.store.tables.keep_table", no_room)
            with ann.at(table) as first, bob.at(table) as second:
                mover = first if first.position["legal"] else second
                assert mover.act(mover.position["legal"][0])["kept"] is False
            with ann.at(table):  # the first ones are gone for certain
                pass
            client.get("/api/health")
            assert client.portal is not None
            client.portal.call(tables.forget_idle)
            assert list(tables.tables) == [table]
            client.get("/api/health")
            deals = tables.tables[table].live.deals
        assert len(deals[0]) == 1
    assert stored(table, tmp_path / "kibitz.db") == deals


def test_a_table_is_brought_back_once_whoever_stops_waiting_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []

    async def load(self: Tables, name: str) -> Any:
        loaded.append(name)
        await asyncio.sleep(0.02)
        return name

    monkeypatch.setattr(Tables, "_load", load)

    async def run() -> None:
        keeper = Keeper(None)
        tables = Tables(keeper, LOOSE)
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


# -- waiting for nobody --


def test_who_does_not_jump_in_lets_the_chance_pass(ann: Person, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.table.JUMP_SECONDS", 0.02)
    table = ann.open(None, "mix2", "mix2", "mix2", rules="official,jump_in=on", seed=5)
    live = ann.client.app.state.services.tables.tables[table].live  # type: ignore[attr-defined]  # our own app
    with ann.at(table) as seat:

        def play() -> None:
            while seat.position["over"] is None:
                decision = seat.position["decision"]
                if decision and decision["phase"] == "jump_in" and live.is_held_up:
                    seat.wait_for("update")
                elif decision:  # also before one's own turn; refused where the chance has gone just now
                    seat.act(seat.position["legal"][0])
                else:
                    seat.wait_for("update")

        thread = threading.Thread(target=play, daemon=True)
        thread.start()
        thread.join(60)
        assert not thread.is_alive(), "the table stands still"
    assert seat.position["over"]
    assert {"seat": 0, "name": "pass", "why": "usual"} in [message.get("action") for message in seat.heard]  # with this seed


# -- refused --


MALFORMED = [
    "",
    "nonsense",
    "[]",
    "5",
    "null",
    "{}",
    '{"type": "act"}',
    '{"type": "fly", "id": 1}',
    '{"type": 5, "id": 1}',
    '{"type": "ping", "id": "1"}',
    '{"type": "ping", "id": 1.0}',
    '{"type": "ping", "id": true}',
    '{"type": "ping", "id": -1}',
    '{"type": "ping", "id": 1e999}',
    '{"type": "ping", "id": NaN}',
    '{"type": "ping", "id": 1, "more": 1}',
    '{"type": "act", "id": 1, "deal": 0, "position": 0, "action": 5}',
    '{"type": "act", "id": 1, "deal": 0, "position": "0", "action": "draw"}',
    '{"type": "act", "id": 1, "deal": 0, "position": null, "action": "draw"}',
    '{"type": "act", "id": 1, "deal": 0, "position": 0, "action": "' + "x" * 100 + '"}',
    '{"type": "advise", "id": 1, "bots": ["mix2", "mix2", "mix2", "mix2", "mix2", "mix2", "mix2"]}',
    '{"type": "hello", "token": null}',
    "[" * 20_000,
    '{"type": "ping", "id": ' + "9" * 5000 + "}",
]


@pytest.mark.parametrize("message", MALFORMED, ids=lambda message: message[:45] or "nothing")
def test_malformed_messages_are_refused_and_change_nothing(message: str, ann: Person) -> None:
    table = ann.open(None, "mix2")
    with ann.at(table) as seat:
        seat.socket.send_text(message)
        answer = seat.wait_for("refused")
        assert answer["reason"].endswith(".") and "\n" not in answer["reason"] and len(answer["reason"]) < 400
        assert seat.say("ping")["type"] == "pong"
    with ann.at(table) as again:
        assert again.position["position"] == seat.position["position"]


def test_illegal_stale_replayed_and_out_of_turn_actions_are_refused_and_change_nothing(ann: Person, client: TestClient) -> None:
    bob = Person(client, "Bob")
    table = ann.open(None, None)
    client.post(f"/api/tables/{table}/seat", json={}, headers=bob.headers)
    with ann.at(table) as first, bob.at(table) as second:
        mover, other = (first, second) if first.position["legal"] else (second, first)
        held = mover.position["view"]["hand"]
        unplayable = next((card for card in held if card not in mover.position["view"]["playable"] and "wild" not in card), None)
        refusals = [
            mover.act("fly"),
            mover.act(""),
            mover.act("r\u00e9"),
            mover.act("\ud800"),
            mover.act("draw", position=5),
            mover.act("draw", deal=1),
            other.act("draw"),
            other.act(mover.position["legal"][0]),
        ]
        if unplayable:
            refusals.append(mover.act(unplayable))
        assert [answer["type"] for answer in refusals] == ["refused"] * len(refusals)
        assert [answer["reason"] for answer in refusals if answer["reason"][-1] not in ".?…"] == []
        assert "not your turn" in refusals[6]["reason"] and "position 5" in refusals[4]["reason"]
        action, position = mover.position["legal"][0], mover.position["position"]
        message = {"type": "act", "id": 50, "deal": 0, "position": position, "action": action}
        assert mover.say_exactly(message, 50)["type"] == "done"
        assert "greater number" in mover.say_exactly(message, 50)["reason"]
        assert mover.say_exactly({**message, "id": 51}, 51)["type"] == "refused"
        assert mover.position["position"] == position + 1


def test_who_says_too_much_is_told_so() -> None:
    with opened(limits=replace(LOOSE, messages=Rate(0.01, 3))) as client:
        ann = Person(client)
        with ann.at(ann.open(None, "mix2")) as seat:
            assert [seat.say("ping")["type"] for _ in range(3)] == ["pong"] * 3
            seat.socket.send_text('{"type": "ping", "id": 9}')
            assert "too many messages" in seat.wait_for("refused")["reason"]


def closing(client: TestClient, path: str, *messages: str) -> tuple[str, int]:
    """The reason and the code with which a conversation is ended."""
    with connected(client, path) as socket:
        for message in messages:
            socket.send_text(message)
        reason = ""
        while True:
            try:
                heard: dict[str, Any] = json.loads(socket.receive_text())
            except WebSocketDisconnect as end:
                return reason, end.code
            reason = heard.get("reason", "") if heard["type"] == "error" else reason


def test_conversations_that_are_ended(ann: Person, client: TestClient) -> None:
    live = f"/api/tables/{ann.open(None, 'mix2')}/live"
    hello = '{"type": "hello", "token": null}'
    assert closing(client, live, '{"type": "ping", "id": 1}') == ("the first message must be hello: type: input should be 'hello'.", 1008)
    assert closing(client, live, "nonsense")[1] == 1008
    assert closing(client, live, json.dumps({"type": "hello", "token": "a" * 43}))[0] == "the token is unknown; begin a new session."
    assert "no such table" in closing(client, "/api/tables/aaaaaaaaaaaaaaaa/live", hello)[0]
    reason, code = closing(client, live, hello, '"' + "x" * 70_000 + '"')
    assert "too big" in reason and code == 1009
    reason, code = closing(client, live, hello, *["nonsense"] * MOST_REFUSALS)
    assert "in a row" in reason and code == 1008
    assert "there is no run" in closing(client, "/api/runs/77/live", hello)[0]
    with connected(client, live) as socket:
        socket.send_bytes(b"\0")
        assert json.loads(socket.receive_text())["reason"] == "messages are text, not bytes."


def test_who_does_not_say_hello_is_not_waited_for() -> None:
    with opened(limits=replace(LOOSE, hello_seconds=0.05)) as client:
        ann = Person(client)
        assert "nobody said hello" in closing(client, f"/api/tables/{ann.open(None, 'mix2')}/live")[0]


def test_one_person_has_only_so_many_sockets() -> None:
    with opened(limits=replace(LOOSE, sockets_of_session=2)) as client:
        ann = Person(client)
        table = ann.open(None, "mix2")
        hello = json.dumps({"type": "hello", "token": ann.token})
        with ann.at(table), ann.at(table):
            assert "2 connections are open" in closing(client, f"/api/tables/{table}/live", hello)[0]
        with ann.at(table):
            pass


def test_another_game_is_a_table_that_counts() -> None:
    with opened(limits=replace(LOOSE, tables_a_day=1)) as client:
        ann = Person(client)
        with ann.at(ann.open(None, "random")) as seat:
            seat.play_on()
            assert "1 tables today" in seat.say("again")["reason"]
    with opened(limits=replace(LOOSE, tables=Rate(0.0001, 1))) as client:
        ann = Person(client)
        with ann.at(ann.open(None, "random")) as seat:
            seat.play_on()
            assert "too many tables" in seat.say("again")["reason"]


def test_only_so_many_tables_are_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.tables.CROWDED_SECONDS", -1.0)
    body = {"game": "uno", "seats": [{"person": True}, {"bot": "mix2"}], "seat": 0}
    with opened(limits=replace(LOOSE, tables_in_memory=1)) as client:
        ann = Person(client)
        first = ann.open(None, "mix2")
        second = ann.open(None, "mix2")  # nobody is at the first one
        with ann.at(second):
            response = client.post("/api/tables", json=body, headers=ann.headers)
            assert response.status_code == 429 and "try again" in response.json()["error"]
            assert client.get(f"/api/tables/{first}").status_code == 429
            assert len(client.get("/api/tables", headers=ann.headers).json()["tables"]) == 2


def test_half_a_sign_can_be_sent_back() -> None:
    text = as_text({"reason": "\ud800", "name": "Zoë"})
    assert json.loads(text.encode()) == {"reason": "\ud800", "name": "Zoë"}


def test_who_does_not_read_is_dropped_and_finds_the_position_on_coming_back() -> None:
    """The test's socket has no end that reads slowly: a queue of one message does the same."""
    with opened(limits=replace(LOOSE, queue=1)) as client:
        ann = Person(client)
        table = ann.open(None, "mix2", "mix2", "mix2")
        hello = json.dumps({"type": "hello", "token": ann.token})
        reason, code = closing(client, f"/api/tables/{table}/live", hello)
        assert (reason, code) == ("this connection did not read what it was sent.", 1013)


# -- kibitzing --


def test_advice_at_the_table(ann: Person) -> None:
    with ann.at(ann.open(None, "mix2")) as seat:
        while not seat.position["legal"]:
            seat.wait_for("update")
        first = seat.say("advise", bots=["mix2"])
        assert first["type"] == "advice"
        assert {row["action"] for row in first["rows"]} == set(seat.position["legal"])
        assert first["position"] == seat.position["position"] and first["seat"] == 0
        assert seat.say("stop")["type"] == "done"
        assert "nobody" in seat.say("advise", bots=["nobody"])["reason"]


def test_advice_is_for_who_is_to_act(ann: Person, client: TestClient) -> None:
    bob = Person(client, "Bob")
    table = ann.open(None, None)
    client.post(f"/api/tables/{table}/seat", json={}, headers=bob.headers)
    with ann.at(table) as first, bob.at(table) as second, connected(client, f"/api/tables/{table}/live") as socket:
        other = second if first.position["legal"] else first
        assert "nothing for you to decide" in other.say("advise")["reason"]
        assert "look on" in Seat(socket).greet(None).say("advise")["reason"]


def test_advice_and_judgements_for_a_record(client: TestClient) -> None:
    record = client.post("/api/films", json={"bots": ["mix2", "random"], "seed": 3}).json()["record"]
    with connected(client, "/api/kibitz") as socket:
        socket.send_text('{"type": "hello"}')
        seat = Seat(socket)
        assert seat.hear() == {"type": "welcome", "seat": None, "name": None}
        advice = seat.say("advise", record=record, position=0, bots=[])
        assert advice["type"] == "advice" and advice["rows"]
        assert seat.say("advise", record=record, position=9999, bots=[])["type"] == "refused"
        assert seat.say("advise", record="nonsense", position=0, bots=[])["type"] == "refused"
        judged = seat.say("analyse", record=record)
        assert judged["type"] == "judged" and judged["done"] == 1
        assert seat.wait_for("analysed")["reply"] == seat.number
        last = [message for message in seat.heard if message["type"] == "judged"][-1]
        assert last["done"] == last["total"]


def test_who_looks_on_where_all_is_open_has_advice_for_whoever_is_to_act(client: TestClient) -> None:
    with opened(pace=600.0) as slow:
        table = Person(slow).open("piers", "iggi", seat=None, game="hanabi")
        with connected(slow, f"/api/tables/{table}/live") as socket:
            seat = Seat(socket).greet(None)
            seat.wait_for("update")  # the first move is made at once
            advice = seat.say("advise", bots=["piers"])
            assert (advice["type"], advice["seat"], advice["position"]) == ("advice", 1, 1)
            assert len(advice["rows"]) > 1


def test_advice_and_judgements_for_a_deal_of_a_contest_that_goes_on(ann: Person, client: TestClient) -> None:
    table = ann.open(None, "mix2", to="5000")
    with ann.at(table) as seat:
        seat.play_on()
        assert seat.say("next")["type"] == "done"
    with connected(client, "/api/kibitz") as socket:
        socket.send_text('{"type": "hello"}')
        seat = Seat(socket)
        assert seat.hear()["type"] == "welcome"
        assert seat.say("advise", table=table, deal=0, position=0)["rows"]
        assert "not over" in seat.say("advise", table=table, deal=1, position=0)["reason"]
        assert "not over" in seat.say("analyse", table=table, deal=1)["reason"]
        assert "no such table" in seat.say("analyse", table="aaaaaaaaaaaaaaaa")["reason"]
        assert "either record or table" in seat.say("analyse")["reason"]
        assert "either record or table" in seat.say("analyse", table=table, record="x")["reason"]
        assert seat.say("analyse", table=table, deal=0)["type"] == "judged"
        assert seat.say("stop")["type"] == "done"


class Listener:
    """A connection of which only what is sent matters."""

    def __init__(self, who: str = "ann") -> None:
        self.who = who
        self.sent: queue.Queue[dict[str, Any]] = queue.Queue()

    def send_soon(self, message: dict[str, Any]) -> None:
        self.sent.put(message)

    def refuse(self, reason: str, reply: int) -> None:
        self.sent.put({"type": "refused", "reply": reply, "reason": reason})

    def thinking(self, thinkers: Thinkers) -> Thinking:
        return Thinking(self, thinkers)  # type: ignore[arg-type]  # all of one that is needed


def test_a_question_that_another_follows_is_not_worked_on_any_more() -> None:
    thinkers, go, listener, begun = Thinkers(100), threading.Event(), Listener(), []

    def wait() -> None:
        go.wait(60)

    def ask(number: int) -> None:
        def make(stop: threading.Event) -> Iterator[dict[str, Any]]:
            begun.append(number)
            yield {}

        thinking.begin(number, "advice", make)

    for number in range(ADVISERS):
        thinkers.submit(str(number), wait, False)
    thinking = listener.thinking(thinkers)
    for number in range(50):
        ask(number)
    go.set()
    assert listener.sent.get(timeout=60) == {"type": "advice", "reply": 49}
    assert begun == [49]
    thinkers.close()


def test_advice_does_not_wait_for_judgements_and_nobody_has_all_of_it() -> None:
    thinkers, go = Thinkers(JUDGES), threading.Event()

    def judge(stop: threading.Event) -> Iterator[dict[str, Any]]:
        yield {}
        go.wait(60)

    def advise(stop: threading.Event) -> Iterator[dict[str, Any]]:
        yield {}

    many = [Listener(f"person {number}") for number in range(ADVISERS + JUDGES)]
    for listener in many:
        listener.thinking(thinkers).begin(1, "judged", judge, {"type": "analysed"})
    bob = Listener("bob")
    bob.thinking(thinkers).begin(1, "advice", advise)
    assert bob.sent.get(timeout=60)["type"] == "advice"

    ann = Listener("ann")
    for number in range(JUDGES):
        ann.thinking(thinkers).begin(number, "judged", judge, {"type": "analysed"})
    ann.thinking(thinkers).begin(9, "advice", advise)
    assert "already" in ann.sent.get(timeout=60)["reason"]
    go.set()
    while ann.sent.get(timeout=60) != {"type": "analysed", "reply": JUDGES - 1}:
        pass
    thinkers.close()
