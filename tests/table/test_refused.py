"""What is refused over WebSockets, with a reason, and changes nothing: malformed, illegal, stale and too many messages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from starlette.websockets import WebSocketDisconnect

from kibitz.table.connection import MOST_REFUSALS, as_text
from kibitz.table.protection import Rate
from tests.table.clients import LOOSE, Person, TestClient, connected, opened

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
    assert closing(client, live, '{"type": "next"}') == ("the first message must be hello: type: input should be 'hello'.", 1008)
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
    monkeypatch.setattr("kibitz.table.open_tables.CROWDED_SECONDS", -1.0)
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
