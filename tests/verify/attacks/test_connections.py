"""Attacks with connections on a real server: half-open ones, heads and bodies that trickle in, and a log that is to be flooded."""

from __future__ import annotations

import time
from contextlib import ExitStack, closing, suppress

import pytest

from kibitz.table.protection import BODY_SECONDS
from kibitz.table.server import HEAD_SECONDS
from tests.verify.attacks.conftest import Begin
from tests.verify.attacks.servers import Running, read_all

pytestmark = pytest.mark.verify

HALF_OPEN, MOST_HELD = 600, 400
SOON = 5.0
PART = b"GET / HTTP/1.1\r\nHost: loc"


def test_half_open_connections(server: Running, begin: Begin) -> None:
    with begin("connections: half-open, from one address") as attack, ExitStack() as stack:
        held = []
        for _ in range(HALF_OPEN):
            client = stack.enter_context(closing(server.connection("127.0.0.30")))
            with suppress(ConnectionError):  # refused already
                client.sendall(PART)
            held.append(client)
        for number in range(10):
            with attack.attempt(f"another address {number}"):
                seconds = server.health_seconds()
                assert seconds < SOON, f"{seconds:.1f} s"
        refused = 0
        for client in held:
            client.settimeout(HEAD_SECONDS + 30)
            with attack.attempt("it is closed in the end"):
                refused += b" 429 " in read_all(client)[:20]
        attack.check("most are refused at once", HALF_OPEN - refused <= MOST_HELD, f"{HALF_OPEN - refused} were held")
        size = server.log.stat().st_size
        attack.check("the log stays small", size < 50_000, f"{size} bytes")


def test_what_trickles_in(server: Running, begin: Begin) -> None:
    slow = {
        "nothing": b"",
        "a head": b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
        "a body": b"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n",
        "chunks": b"POST /api/sessions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n",
        "a head after a request": b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nX: ",
    }
    with begin("connections: heads and bodies that trickle in") as attack, ExitStack() as stack:
        clients = {name: stack.enter_context(closing(server.connection("127.0.0.31"))) for name in slow}
        for name, client in clients.items():
            client.sendall(slow[name])
        open_still, until = dict(clients), time.monotonic() + HEAD_SECONDS + BODY_SECONDS + 30
        while open_still and time.monotonic() < until:
            for name, client in list(open_still.items()):
                client.settimeout(0.05)
                try:
                    if name != "nothing":
                        client.sendall(b"1\r\ny\r\n" if name == "chunks" else b"y")
                    if not client.recv(65536):
                        del open_still[name]
                except TimeoutError:
                    continue
                except ConnectionError:
                    del open_still[name]
            time.sleep(0.2)
        for name in clients:
            attack.check(name, name not in open_still, "the server still waits")
        attack.check("others are served", server.health_seconds() < SOON)
        with attack.attempt("a flood of bad requests in the log"):
            for _ in range(300):
                server.exchange(b"\x16\x03\x01 hello\r\n\r\n", "127.0.0.32")
            assert server.log.stat().st_size < 50_000
