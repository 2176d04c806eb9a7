"""Clients that talk to the WebSocket protocol itself and never read: what the server keeps for them is limited. Over real sockets."""

from __future__ import annotations

import base64
import os
import socket
import struct
import time
from asyncio import BaseTransport
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from urllib.parse import urlsplit

import pytest

from kibitz.table.app import create_app
from kibitz.table.protection import Rate
from kibitz.table.websocket_limits import MOST_FRAGMENTS, PINGS, LimitedWebSocket
from tests.table.clients import LOOSE
from tests.table.serving import served

SECONDS = 30.0
TEXT, CONTINUED, CLOSE, PING, PONG = 0x1, 0x0, 0x8, 0x9, 0xA


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with served(create_app(limits=LOOSE)) as running:
        yield running


def frame(kind: int, payload: bytes = b"", last: bool = True) -> bytes:
    """A frame as a client sends it, masked with zeros: https://www.rfc-editor.org/rfc/rfc6455#section-5.2."""
    length = bytes([0x80 | len(payload)]) if len(payload) < 126 else b"\xfe" + struct.pack("!H", len(payload))
    return bytes([(0x80 if last else 0) | kind]) + length + b"\0\0\0\0" + payload


def connected(address: str, path: str = "/api/kibitz") -> socket.socket:
    """A client behind a small buffer, after the handshake."""
    parts = urlsplit(address)
    client = socket.socket()
    client.settimeout(SECONDS)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect((parts.hostname, parts.port))
    key = base64.b64encode(os.urandom(16)).decode()
    head = f"GET {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    client.sendall(f"{head}Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += client.recv(1)
    assert answer.startswith(b"HTTP/1.1 101 ")
    return client


def heard(client: socket.socket) -> list[tuple[int, bytes]]:
    """Every frame until the server closes the connection."""
    data = b""
    with suppress(ConnectionResetError):  # what the client sent last was not read
        while part := client.recv(65536):
            data += part
    frames = []
    while len(data) >= 2:
        size, start = data[1], 2
        if size == 126:
            (size,), start = struct.unpack("!H", data[2:4]), 4
        frames.append((data[0] & 0xF, data[start : start + size]))
        data = data[start + size :]
    return frames


def test_pings_are_answered(address: str) -> None:
    with connected(address) as client:
        client.sendall(frame(PING, b"there?") * 3 + frame(CLOSE, b"\x03\xe8"))
        assert heard(client) == [(PONG, b"there?")] * 3 + [(CLOSE, b"\x03\xe8")]


def test_a_client_that_sends_too_many_pings_is_sent_away(address: str) -> None:
    with connected(address) as client:
        for _ in range(PINGS.at_once):
            client.sendall(frame(PING, b"x"))
            assert client.recv(3) == b"\x8a\x01x"
        client.sendall(frame(PING, b"x") * 50)
        assert heard(client)[-1] == (CLOSE, b"\x03\xf0too many pings")


def test_fragments_without_end_are_not_collected(address: str) -> None:
    with connected(address) as client:
        client.sendall(frame(TEXT, b'{"type":', last=False) + frame(CONTINUED, last=False) * (MOST_FRAGMENTS + 5))
        assert heard(client)[-1] == (CLOSE, b"\x03\xf0too many fragments")


def test_text_that_is_not_utf_8_ends_the_connection_and_nothing_is_logged(address: str, caplog: pytest.LogCaptureFixture) -> None:
    for sent in (frame(TEXT, b"\xff"), frame(TEXT, b"{", last=False) + frame(CONTINUED, b"\xc3")):
        with connected(address) as client:
            client.sendall(sent)
            assert heard(client)[-1] == (CLOSE, b"\x03\xefnot UTF-8")
    assert caplog.text == ""


def is_cut_off(client: socket.socket) -> bool:
    """Whether the server lets go of a client that sends now and then, and never reads."""
    until = time.monotonic() + SECONDS
    while time.monotonic() < until:
        try:
            client.sendall(frame(PONG))
        except (ConnectionError, TimeoutError) as error:
            return isinstance(error, ConnectionError)
        time.sleep(0.05)
    return False


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> list[LimitedWebSocket]:
    """The server's connections, with little room in the network for what it sends, and with a thousand pings allowed."""
    found: list[LimitedWebSocket] = []
    begin = LimitedWebSocket.connection_made

    def noted(self: LimitedWebSocket, transport: BaseTransport) -> None:
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        self.close_timeout = 0.1
        found.append(self)
        begin(self, transport)

    monkeypatch.setattr(LimitedWebSocket, "connection_made", noted)
    monkeypatch.setattr("kibitz.table.websocket_limits.PINGS", Rate(0.001, 1_000))
    return found


def fill(client: socket.socket, narrow: list[LimitedWebSocket]) -> None:
    """Send as many pings as are allowed, until the server has more answers than the network takes."""
    client.sendall(frame(PING, b"x" * 125) * 1_000)
    until = time.monotonic() + SECONDS
    while not narrow[0].transport.get_write_buffer_size() and time.monotonic() < until:
        time.sleep(0.01)
    assert narrow[0].transport.get_write_buffer_size()


def test_what_a_client_never_reads_is_thrown_away(narrow: list[LimitedWebSocket]) -> None:
    with served(create_app(limits=LOOSE)) as address, connected(address) as client:
        fill(client, narrow)
        client.sendall(frame(PING))  # one too many
        assert is_cut_off(client)
        assert narrow[0].transport.get_write_buffer_size() == 0


def test_nobody_waits_for_a_client_that_does_not_read_at_the_end(narrow: list[LimitedWebSocket]) -> None:
    with served(create_app(limits=replace(LOOSE, hello_seconds=0.5))) as address, connected(address) as client:
        fill(client, narrow)
        assert is_cut_off(client)  # it never said hello


def test_a_client_that_does_not_answer_the_servers_pings_is_cut_off(
    narrow: list[LimitedWebSocket], monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = LimitedWebSocket.start_keepalive

    def often(self: LimitedWebSocket) -> None:
        self.ping_interval, self.ping_timeout = 0.5, 0.1
        begin(self)

    monkeypatch.setattr(LimitedWebSocket, "start_keepalive", often)
    with served(create_app(limits=replace(LOOSE, hello_seconds=2 * SECONDS))) as address, connected(address) as client:
        fill(client, narrow)
        assert is_cut_off(client)
