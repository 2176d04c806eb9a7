"""What stands before the app: hosts, origins, sizes, rates, headers. Each is tried on a small app that would answer anything."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import httpx
import pytest

from kibitz.table import protection
from kibitz.table.addresses import Hosts, Proxies
from kibitz.table.protection import Bucket, Buckets, Protection, Rate, ServerLimits

LIMITS = ServerLimits(body=1000, film_body=5000)


async def echo(scope: Any, receive: Any, send: Any) -> None:
    """Answers with how much it was sent."""
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body"):
            break
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(size).encode()})


def ask(
    method: str = "GET", path: str = "/api/x", hosts: Hosts | None = None, limits: ServerLimits = LIMITS, **given: Any
) -> httpx.Response:
    async def run() -> httpx.Response:
        transport = httpx.ASGITransport(Protection(echo, hosts or Hosts(), limits))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8484") as client:
            return await client.request(method, path, **given)

    return asyncio.run(run())


# -- headers --


def test_every_answer_has_the_headers() -> None:
    for response in (ask(), ask(headers={"Host": "evil.example"}), ask("POST", content=b"x" * 2000)):
        for name, value in protection.HEADERS.items():
            assert response.headers[name] == value
    policy = dict(part.strip().split(" ", 1) for part in protection.CONTENT_POLICY.split(";"))
    assert policy["default-src"] == "'none'" and policy["script-src"] == "'self'" and policy["frame-ancestors"] == "'none'"
    assert "unsafe" not in protection.CONTENT_POLICY


# -- hosts --


@pytest.mark.parametrize("host", ["127.0.0.1:8484", "localhost:8484", "LOCALHOST", "[::1]:8484"])
def test_names_of_this_machine_are_answered(host: str) -> None:
    assert ask(headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "127.0.0.1.evil.example",
        "192.168.1.7:8484",
        "localhost.evil.example:8484",
        "",
        "[",
        "a b",
        "[::1]evil",
        "[::1]:80evil",
        "u@localhost",
    ],
)
def test_other_names_are_refused(host: str) -> None:
    response = ask(headers={"Host": host})
    assert response.status_code == 403
    assert "is not one of this server's names" in response.json()["error"]


def test_a_server_for_the_network_answers_to_addresses_but_not_to_names_of_others() -> None:
    hosts = Hosts.for_listening("0.0.0.0")
    assert ask(hosts=hosts, headers={"Host": "192.168.1.7:8484"}).status_code == 200
    assert ask(hosts=hosts, headers={"Host": "evil.example"}).status_code == 403


# -- origins --


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE", "PUT"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:9999"},
        {"Origin": "file://"},
        {"Sec-Fetch-Site": "cross-site"},
    ],
    ids=str,
)
def test_other_sites_change_nothing(method: str, headers: dict[str, str]) -> None:
    response = ask(method, headers=headers)
    assert response.status_code == 403
    assert "another site" in response.json()["error"]


def test_a_page_under_a_public_name_may_over_https() -> None:
    hosts = Hosts.for_listening("127.0.0.1", ["kibitz.example"])
    assert ask("POST", hosts=hosts, headers={"Host": "kibitz.example", "Origin": "https://kibitz.example"}).status_code == 200
    assert ask("POST", hosts=hosts, headers={"Host": "kibitz.example", "Origin": "http://kibitz.example"}).status_code == 403
    assert ask("POST", headers={"Host": "kibitz.example", "Origin": "https://kibitz.example"}).status_code == 403


def test_our_own_pages_and_programs_may() -> None:
    own = {"Origin": "http://127.0.0.1:8484", "Sec-Fetch-Site": "same-origin"}
    assert ask("POST", headers=own).status_code == 200
    assert ask("POST").status_code == 200
    assert ask("GET", headers={"Origin": "http://evil.example"}).status_code == 200  # cannot read the answer, and changes nothing


# -- sizes --


def test_bodies_have_a_limit_and_records_a_larger_one() -> None:
    assert ask("POST", content=b"x" * 1000).text == "1000"
    response = ask("POST", content=b"x" * 1001)
    assert response.status_code == 413
    assert "too big" in response.json()["error"]
    assert ask("POST", "/api/films", content=b"x" * 5000).text == "5000"
    assert ask("POST", "/api/films", content=b"x" * 5001).status_code == 413


def test_a_body_that_does_not_say_how_long_it_is_has_the_same_limit() -> None:
    async def pieces(count: int) -> Any:
        for _ in range(count):
            yield b"x" * 100

    assert ask("POST", content=pieces(10)).text == "1000"
    assert ask("POST", content=pieces(11)).status_code == 413


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protection, "BODY_SECONDS", 0.05)

    async def slow() -> Any:
        yield b"x"
        await asyncio.sleep(60)

    response = ask("POST", content=slow())
    assert response.status_code == 408


# -- rates --


def test_a_bucket_gives_so_many_at_once_and_then_so_many_a_second() -> None:
    bucket = Bucket(Rate(2.0, 3), 100.0)
    assert [bucket.take(100.0) for _ in range(4)] == [0.0, 0.0, 0.0, 0.5]
    assert bucket.take(100.25) == pytest.approx(0.25)
    assert bucket.take(100.5) == 0.0
    assert bucket.take(100.5) > 0.0
    assert [bucket.take(1000.0) for _ in range(3)] == [0.0, 0.0, 0.0]
    assert bucket.take(1000.0) > 0.0


def test_everybody_has_a_bucket_and_the_oldest_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Buckets, "MOST", 2)
    buckets = Buckets(Rate(1.0, 1), clock=lambda: 5.0)
    assert [buckets.take("a"), buckets.take("b")] == [0.0, 0.0]
    assert buckets.take("a") > 0.0
    assert buckets.take("c") == 0.0  # b is forgotten, the one not used for longest
    assert buckets.take("a") > 0.0
    assert buckets.take("b") == 0.0


def test_too_many_requests_are_told_when_to_come_back() -> None:
    limits = replace(LIMITS, requests=Rate(0.1, 2))

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(Protection(echo, Hosts(), limits))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8484") as client:
            return [await client.get("/") for _ in range(3)]

    first, second, third = asyncio.run(run())
    assert (first.status_code, second.status_code, third.status_code) == (200, 200, 429)
    assert int(third.headers["Retry-After"]) >= 9
    assert "too many requests" in third.json()["error"]


def answers(peer: str, forwarded: list[list[str]], proxies: Proxies) -> list[int]:
    """The statuses of requests over one server that allows each address only one; each brings some X-Forwarded-For headers."""
    limits = replace(LIMITS, requests=Rate(0.001, 1))

    async def run() -> list[httpx.Response]:
        transport = httpx.ASGITransport(Protection(echo, Hosts(), limits, proxies), client=(peer, 5))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8484") as client:
            return [await client.get("/", headers=[("X-Forwarded-For", value) for value in values]) for values in forwarded]

    return [response.status_code for response in asyncio.run(run())]


def test_behind_a_trusted_proxy_everyone_has_limits_of_their_own() -> None:
    proxies = Proxies.parse(["10.0.0.1"])
    assert answers("10.0.0.1", [["1.1.1.1"], ["1.1.1.2"], ["1.1.1.1"], ["9.9.9.9, 1.1.1.1"], ["9.9.9.9", "1.1.1.2"]], proxies) == [
        200,
        200,
        429,
        429,
        429,
    ]


def test_from_anyone_else_the_proxy_header_is_ignored() -> None:
    assert answers("10.0.0.2", [["1.1.1.1"], ["1.1.1.2"]], Proxies.parse(["10.0.0.1"])) == [200, 429]
    assert answers("10.0.0.1", [["1.1.1.1"], ["1.1.1.2"]], Proxies()) == [200, 429]


# -- WebSockets --


@pytest.fixture
def sent() -> list[dict[str, Any]]:
    return []


def connect(sent: list[dict[str, Any]], headers: dict[str, str], limits: ServerLimits = LIMITS, extension: bool = True) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "websocket",
        "path": "/api/kibitz",
        "client": ("127.0.0.1", 5),
        "headers": [(name.lower().encode(), value.encode()) for name, value in headers.items()],
        "extensions": {"websocket.http.response": {}} if extension else {},
    }
    asyncio.run(Protection(app, Hosts(), limits)(scope, receive, send))


def test_a_socket_of_our_own_page_is_accepted(sent: list[dict[str, Any]]) -> None:
    connect(sent, {"Host": "localhost:8484", "Origin": "http://localhost:8484"})
    assert [message["type"] for message in sent] == ["websocket.accept"]


@pytest.mark.parametrize("extension", [True, False])
@pytest.mark.parametrize(
    "headers",
    [{"Host": "localhost", "Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Host": "localhost", "Origin": "null"}],
    ids=str,
)
def test_a_socket_of_another_site_is_refused(headers: dict[str, str], extension: bool, sent: list[dict[str, Any]]) -> None:
    connect(sent, headers, extension=extension)
    if extension:
        assert (sent[0]["type"], sent[0]["status"]) == ("websocket.http.response.start", 403)
        assert b"error" in sent[1]["body"]
    else:
        assert (sent[0]["type"], sent[0]["code"]) == ("websocket.close", 1008)


def test_there_are_only_so_many_sockets(sent: list[dict[str, Any]]) -> None:
    connect(sent, {"Host": "localhost"}, replace(LIMITS, sockets_of_address=0))
    assert (sent[0]["type"], sent[0]["status"]) == ("websocket.http.response.start", 429)
