"""Advice and judgements over WebSockets: for whom, on what, and how many at once."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

from kibitz.table.sockets import ADVISERS, JUDGES, Thinkers, ThoughtStream
from tests.table.clients import Person, Seat, TestClient, connected, opened


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

    def thinking(self, thinkers: Thinkers) -> ThoughtStream:
        return ThoughtStream(self, thinkers)  # type: ignore[arg-type]  # all of one that is needed


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
