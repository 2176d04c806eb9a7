"""JSON from visitors: refused before models see it if it is too much, and read while others are answered."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import httpx
import pytest
from pydantic import TypeAdapter
from starlette.websockets import WebSocketDisconnect

from kibitz.core.errors import BadValue
from kibitz.table import protection
from kibitz.table.app import create_app
from kibitz.table.json_input import DEEPEST, MOST_VALUES, NotJson, Unreadable, check, names_in, parse
from kibitz.table.protection import Rate
from kibitz.table.requests import AT_FILM, AT_RUN
from kibitz.table.schemas import AnyRunAsked, TableAsked
from tests.table.clients import LOOSE, Person, TestClient, connected, opened
from tests.table.serving import served

JSON = {"Content-Type": "application/json"}
DIGITS = "9" * 5000
MANY_KEYS = {f"k{number}": 1 for number in range(50_000)}


# -- what is refused --


@pytest.mark.parametrize(
    ("text", "kind", "what"),
    [
        ("{", NotJson, "the text is not JSON: Expecting property name"),
        (b"", NotJson, "the text is not JSON: Expecting value"),
        ('{"a": NaN}', NotJson, "NaN is not a number"),
        (b"\xff\xff", Unreadable, "it is not UTF-8 text"),
        ("[" * 100_000, Unreadable, "is nested too deeply"),
        (f'{{"a": {DIGITS}}}', Unreadable, "has a number with too many digits"),
        (f"-{DIGITS}", Unreadable, "has a number with too many digits"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_texts_that_cannot_be_read(text: str | bytes, kind: type[Exception], what: str) -> None:
    with pytest.raises(NotJson, match=what) as refused:
        parse(text, "the text")
    assert type(refused.value) is kind and str(refused.value).endswith(".")


def nested(levels: int) -> Any:
    value: Any = 5
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ({"a": 1, "c": 1}, "'c' is not understood; the text may have a, b."),
        ({"a": [{"b": {"x" * 100: 1}}]}, f"'{'x' * 60}' is not understood"),
        ([1] * (MOST_VALUES + 1), f"the text has too many values; up to {MOST_VALUES} are accepted."),
        ({"a": [[1] * 10] * (MOST_VALUES // 10)}, "too many values"),
        (nested(DEEPEST + 1), f"the text is nested too deeply; up to {DEEPEST} levels are accepted."),
    ],
    ids=lambda value: str(value)[:30],
)
def test_values_that_are_too_much(value: Any, what: str) -> None:
    with pytest.raises(BadValue) as refused:
        check(value, frozenset("ab"), "the text")
    assert what in str(refused.value)


@pytest.mark.parametrize("value", [5, "x" * 10**6, {}, {"a": [1] * (MOST_VALUES - 1)}, nested(DEEPEST)], ids=lambda value: str(value)[:30])
def test_values_that_models_may_look_at(value: Any) -> None:
    check(value, frozenset("ab"), "the text")


def test_the_names_of_a_type_are_those_of_all_its_levels() -> None:
    assert names_in(TypeAdapter(TableAsked)) == {
        "game",
        "rules",
        "seats",
        "seat",
        "to",
        "seed",
        "start",
        "bot",
        "person",
        "record",
        "position",
    }
    assert names_in(TypeAdapter(AnyRunAsked)) >= {"kind", "players", "against", "format", "rounds"}
    assert names_in(AT_FILM) == {"type", "id", "bots", "record", "table", "deal", "position"}
    assert names_in(AT_RUN) == {"type", "id"}
    assert names_in(TypeAdapter(None)) == set()


# -- over HTTP and WebSockets --


def never(*args: Any) -> Any:
    raise AssertionError("a model was asked")


def test_unknown_keys_are_refused_before_models_see_them(ann: Person, client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.app.sentence", never)
    response = client.post("/api/films", json=MANY_KEYS)
    assert response.status_code == 422
    assert response.json()["error"].startswith("'k0' is not understood; the request may have bots, deal, game, ")
    seats = [{"bot": "random"}, {"bot": "random", **dict(list(MANY_KEYS.items())[:2_000])}]
    response = client.post("/api/tables", json={"game": "uno", "seats": seats}, headers=ann.headers)
    assert response.status_code == 422 and "'k0' is not understood" in response.json()["error"]
    response = client.post("/api/runs", json={"kind": "match", "bots": ["random"] * 1_000, "games": 5})
    assert response.status_code == 422 and "too many values" in response.json()["error"]


def test_unknown_keys_of_messages_are_refused_before_models_see_them(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.requests.sentence", never)
    with connected(client, "/api/kibitz") as socket:
        socket.send_text('{"type": "hello"}')
        socket.receive_text()
        for message, what in (
            ({"type": "ping", "id": 7, **MANY_KEYS}, "'k0' is not understood"),
            ({"type": "advise", "id": 7, "record": "x", "position": 0, "bots": [1] * 1_000}, "too many values"),
        ):
            socket.send_text(json.dumps(message))
            answer = json.loads(socket.receive_text())
            assert (answer["type"], answer["reply"]) == ("refused", 7) and what in answer["reason"]


@pytest.mark.parametrize("path", ["/api/sessions", "/api/films", "/api/runs", "/api/tables"])
def test_the_rate_limit_comes_before_the_body(path: str) -> None:
    one = Rate(0.001, 1)
    with opened(limits=replace(LOOSE, sessions=Rate(0.001, 2), films=one, runs=one, tables=one)) as client:
        ann = Person(client)  # takes a token for a session
        statuses = [client.post(path, content="{", headers={**JSON, **ann.headers}).status_code for _ in range(3)]
        assert statuses == [422, 429, 429]


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[threading.Event, threading.Event]]:
    """JSON that takes long to read, if it is large: set when it has begun, and to be set for it to end."""
    begun, go_on = threading.Event(), threading.Event()
    loads = json.loads

    def slow(text: Any, **more: Any) -> Any:
        if len(text) > 50_000:
            begun.set()
            go_on.wait(60)
        return loads(text, **more)

    monkeypatch.setattr(json, "loads", slow)
    yield begun, go_on
    go_on.set()


def test_others_are_answered_while_a_large_body_is_read(reading: tuple[threading.Event, threading.Event]) -> None:
    begun, go_on = reading
    with served(create_app(limits=LOOSE)) as address, ThreadPoolExecutor(1) as other:
        large = other.submit(httpx.post, f"{address}/api/films", json={"record": "x" * 100_000}, timeout=60)
        assert begun.wait(30)
        try:
            assert httpx.get(f"{address}/api/health", timeout=20).json()["ok"]
            assert not large.done()
        finally:
            go_on.set()
        assert large.result().status_code == 409


def test_others_are_answered_while_a_large_message_is_read(client: TestClient, reading: tuple[threading.Event, threading.Event]) -> None:
    begun, go_on = reading
    with connected(client, "/api/kibitz") as socket, ThreadPoolExecutor(1) as other:
        socket.send_text('{"type": "hello"}')
        socket.receive_text()
        socket.send_text(json.dumps({"type": "analyse", "id": 1, "record": "x" * 100_000}))
        assert begun.wait(30)
        try:
            assert other.submit(client.get, "/api/health").result(20).status_code == 200
        finally:
            go_on.set()
        assert json.loads(socket.receive_text())["type"] == "refused"


# -- numbers with very many digits, and failures --


def test_numbers_with_too_many_digits_are_refused(ann: Person, client: TestClient) -> None:
    bodies = {
        "/api/films": f'{{"bots": ["random", "random"], "seed": {DIGITS}}}',
        "/api/sessions": f'{{"name": {DIGITS}}}',
        "/api/runs": f'{{"kind": "match", "bots": ["random"], "games": {DIGITS}}}',
        "/api/tables": f'{{"game": "uno", "seats": [], "seed": -{DIGITS}}}',
    }
    found = [client.post(path, content=body, headers={**JSON, **ann.headers}) for path, body in bodies.items()]
    found += [client.get(f"/api/runs/1/games/0?deal={DIGITS}"), client.post(f"/api/tables/{DIGITS}/seat", json={}, headers=ann.headers)]
    assert [response.status_code for response in found] == [400] * 4 + [422] * 2
    paths = [f"/api/runs/{DIGITS}", f"/api/runs/{DIGITS}/report", f"/api/runs/1/games/{DIGITS}", f"/api/runs/{'9' * 19}"]
    found += [client.get(path) for path in paths] + [client.post(f"/api/runs/{DIGITS}/{what}") for what in ("stop", "resume")]
    assert [response.status_code for response in found[6:]] == [404] * 6
    assert all(response.json()["error"].endswith(".") and len(response.json()["error"]) < 200 for response in found)
    with pytest.raises(WebSocketDisconnect), connected(client, f"/api/runs/{DIGITS}/live"):
        pass


def test_answers_to_failures_have_the_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Any:
        raise OSError("broken")

    monkeypatch.setattr("kibitz.table.catalogue.games", broken)
    with TestClient(create_app(limits=LOOSE), base_url="http://localhost:8484", raise_server_exceptions=False) as client:
        response = client.get("/api/games")
    assert (response.status_code, response.json()) == (500, {"error": "the server failed at this; its terminal says how."})
    assert {name: response.headers[name] for name in protection.HEADERS} == protection.HEADERS
