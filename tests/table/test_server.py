"""Connections to a real server: how many there may be, how long they may take, and how little of that reaches the log."""

from __future__ import annotations

import asyncio
import json
import logging
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from http.client import HTTPResponse
from typing import Any

import pytest
from websockets.sync.client import connect

from kibitz.table import server
from kibitz.table.addresses import Proxies
from kibitz.table.protection import HEADERS, ServerLimits
from kibitz.table.server import REPEAT_SECONDS, REPEATS, RESERVE, FewRepeats, fitted
from tests.table.serving import served

PATIENCE = 60.0
HELD = b"GET / HTTP/1.1\r\nHost: loc"
GET = b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"
SMALL = replace(ServerLimits(), connections_of_address=4, connections=12)


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers at once, with as much as the path asks for, and keeps WebSockets open until they are closed."""
    if scope["type"] == "lifespan":
        for done in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{done}.complete"})
    elif scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.accept"})
        await receive()
    else:
        size = int(scope["path"].strip("/") or 2)
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", str(size).encode())]})
        await send({"type": "http.response.body", "body": b"x" * size})


def opened(address: str, source: str = "127.0.0.1") -> socket.socket:
    """A connection from one of the addresses of loopback."""
    host, port = address.removeprefix("http://").split(":")
    return socket.create_connection((host, int(port)), timeout=PATIENCE, source_address=(source, 0))


def said(connection: socket.socket) -> bytes:
    """Everything until the server closes the connection."""
    heard = b""
    try:
        while piece := connection.recv(65536):
            heard += piece
    except ConnectionResetError:
        pass  # it closes without reading what we sent
    return heard


def status(connection: socket.socket) -> int:
    """The status of the next answer, which is read to its end."""
    answer = HTTPResponse(connection)
    answer.begin()
    answer.read()
    return answer.status


def trickle(connection: socket.socket) -> bytes:
    """Send one byte after the other until the server closes the connection; what it says."""
    connection.settimeout(0.05)
    until, heard = time.monotonic() + PATIENCE, b""
    while time.monotonic() < until:
        try:
            connection.sendall(b"y")
            piece = connection.recv(65536)
            if not piece:
                return heard
            heard += piece
        except TimeoutError:
            continue
        except OSError:
            return heard
    raise AssertionError("the server goes on reading")


@contextmanager
def held(address: str, count: int, source: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    """So many connections that have sent a part of a request."""
    with ExitStack() as stack:
        connections = [stack.enter_context(closing(opened(address, source))) for _ in range(count)]
        for connection in connections:
            connection.sendall(HELD)
        yield connections


# -- how many --


def test_an_address_has_so_many_connections_and_others_are_not_locked_out(caplog: pytest.LogCaptureFixture) -> None:
    with served(app, SMALL) as address, held(address, 4) as connections:
        with closing(opened(address)) as fifth:
            answer = said(fifth)
        assert answer.startswith(b"HTTP/1.1 429 Too Many Requests\r\n")
        head, _, body = answer.partition(b"\r\n\r\n")
        assert json.loads(body) == {"error": "too many connections from your address are open; close some and try again."}
        assert b"X-Content-Type-Options: nosniff" in head and b"Retry-After: 10" in head
        assert "a connection from 127.0.0.1 was refused: too many connections from your address" in caplog.text
        with closing(opened(address, "127.0.0.2")) as other:
            other.sendall(GET)
            assert status(other) == 200
        connections[0].close()
        again(address, 200)


def again(address: str, wanted: int) -> None:
    """Try until the server answers like this: it hears of closed connections in its own time."""
    until = time.monotonic() + PATIENCE
    while True:
        with closing(opened(address)) as connection:
            connection.sendall(GET)
            if status(connection) == wanted:
                return
        assert time.monotonic() < until


def test_there_are_so_many_connections_in_all() -> None:
    with served(app, SMALL) as address, ExitStack() as stack:
        for number in range(3):
            stack.enter_context(held(address, 4, f"127.0.0.{number + 1}"))
        with closing(opened(address, "127.0.0.9")) as another:
            assert said(another).startswith(b"HTTP/1.1 503 Service Unavailable\r\n")


def test_a_trusted_proxy_may_have_all_the_connections() -> None:
    with served(app, SMALL, Proxies.parse(["127.0.0.1"])) as address, held(address, 11), closing(opened(address)) as twelfth:
        twelfth.sendall(GET)
        assert status(twelfth) == 200
        with closing(opened(address)) as another:
            assert said(another).startswith(b"HTTP/1.1 503 ")


def test_a_websocket_is_not_counted_with_other_connections() -> None:
    with served(app, SMALL) as address, ExitStack() as stack:
        for _ in range(6):
            stack.enter_context(connect(address.replace("http", "ws"), compression=None))
        with closing(opened(address)) as connection:
            connection.sendall(GET)
            assert status(connection) == 200


def test_a_failed_handshake_leaves_nothing_behind() -> None:
    with served(app, SMALL) as address:
        for _ in range(20):
            with closing(opened(address)) as connection:
                connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
                assert said(connection).startswith(b"HTTP/1.1 4")
        again(address, 200)


@pytest.mark.parametrize(
    "sent", [b"\x16\x03\x01 hello\r\n\r\n", b"GET / HTTP/1.1\r\nX: " + b"y" * 200_000], ids=["no HTTP", "a head without end"]
)
def test_what_is_not_http_is_refused_like_everything_else(sent: bytes) -> None:
    with served(app) as address, closing(opened(address)) as connection:
        connection.sendall(sent)
        head, _, body = said(connection).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert json.loads(body) == {"error": "this cannot be read as an HTTP request."}
    assert all(f"{name}: {value}".encode() in head for name, value in HEADERS.items())


# -- how long --


@pytest.mark.parametrize("sent", [b"", b"GET / HT", HELD], ids=["nothing", "a line", "a head"])
def test_the_head_of_a_request_comes_in_time_or_the_connection_is_closed(sent: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.3)
    with served(app) as address, closing(opened(address)) as connection:
        connection.sendall(sent)
        assert said(connection).startswith(b"HTTP/1.1 408 Request Timeout\r\n" if sent else b"")


@pytest.mark.parametrize("first", [b"", GET], ids=["the first request", "a later request"])
def test_a_head_that_trickles_in_is_not_waited_for(first: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.5)
    with served(app) as address, closing(opened(address)) as connection:
        if first:
            connection.sendall(first)
            assert status(connection) == 200
        connection.sendall(b"GET / HTTP/1.1\r\nX: ")
        assert trickle(connection).startswith(b"HTTP/1.1 408 ")


def test_a_body_that_trickles_in_after_the_answer_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 0.5)
    with served(app) as address, closing(opened(address)) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
        assert status(connection) == 200
        assert trickle(connection) == b""


def test_requests_that_come_in_time_are_all_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HEAD_SECONDS", 1.0)
    with served(app) as address, closing(opened(address)) as connection:
        until = time.monotonic() + 2.5  # longer than a head may take
        while time.monotonic() < until:
            connection.sendall(GET)
            assert status(connection) == 200
            time.sleep(0.05)
        time.sleep(1.5)  # idle for longer than a head may take
        connection.sendall(GET + GET)
        heard = b""
        while heard.count(b"HTTP/1.1 200") < 2:
            heard += connection.recv(65536)


def test_an_answer_that_nobody_reads_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "STALL_SECONDS", 0.3)
    size = 50_000_000
    with served(app, SMALL) as address, ExitStack() as stack:
        connections = [stack.enter_context(closing(opened(address))) for _ in range(4)]
        for connection in connections:
            connection.sendall(f"GET /{size} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
        again(address, 200)  # as soon as one of them has been given up
        assert len(said(connections[0])) < size


# -- the log, and file descriptors --


def logged(count: int, messages: FewRepeats, line: int = 1) -> list[str]:
    records = [logging.LogRecord("x", logging.ERROR, "x.py", line, "bad %s", (number,), None) for number in range(count)]
    return [record.getMessage() for record in records if messages.filter(record)]


def test_a_line_is_logged_so_many_times_and_the_rest_is_counted() -> None:
    now = 100.0
    messages = FewRepeats(clock=lambda: now)
    first = logged(1000, messages)
    assert first[:2] == ["bad 0", "bad 1"] and len(first) == REPEATS
    assert first[-1] == f"bad {REPEATS - 1} (more messages like this are left out for up to 60 s)"
    assert logged(3, messages, line=2) == ["bad 0", "bad 1", "bad 2"]
    now += REPEAT_SECONDS
    assert logged(2, messages) == ["bad 0 (990 messages like this were left out before it)", "bad 1"]


def test_limits_fit_what_the_system_allows() -> None:
    limits = ServerLimits()
    assert fitted(limits, None) == fitted(limits, limits.connections + RESERVE) == limits
    for descriptors in (64, 256, 1024, 4096):
        less = fitted(limits, descriptors)
        assert less.connections < descriptors
        assert less.connections_of_address + less.sockets_of_address < less.connections  # one address cannot have everything
        assert less.sockets < less.connections


@pytest.mark.skipif(sys.platform == "win32", reason="there file descriptors are not counted")
def test_a_flood_of_connections_neither_locks_others_out_nor_fills_the_log() -> None:
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (400, 400));"
        "from kibitz.cli.main import run;"
        "sys.argv = ['kibitz', 'table', '--no-open', '--no-store', '--port', '0']; run()"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        address = process.stdout.readline().split()[-1].rstrip("/")
        with ExitStack() as stack:
            for _ in range(800):
                connection = stack.enter_context(closing(opened(address)))
                try:
                    connection.sendall(HELD)
                except OSError:
                    continue  # refused already
            with closing(opened(address, "127.0.0.2")) as other:
                other.sendall(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert status(other) == 200
    finally:
        process.kill()
        _, errors = process.communicate()
    assert "out of system resource" not in errors and "Too many open files" not in errors
    assert "too many connections from your address" in errors
    assert len(errors) < 10_000


def test_the_server_keeps_more_waiting_than_it_accepts_at_once() -> None:
    listening = socket.create_server(("127.0.0.1", 0), backlog=1)
    queues: list[int] = []

    class Recorded(socket.socket):
        def listen(self, backlog: int = 0, /) -> None:
            queues.append(backlog)
            super().listen(backlog)

    async def start() -> None:
        with Recorded(fileno=listening.detach()) as recorded:
            running = server.Server(server.Configuration(app, ServerLimits(), Proxies()))
            running.config.load()
            running.lifespan = running.config.lifespan_class(running.config)
            await running.startup([recorded])
            running.should_exit = True
            await running.shutdown([recorded])

    asyncio.run(start())
    assert queues == [server.ACCEPTED_AT_ONCE, server.QUEUE]
