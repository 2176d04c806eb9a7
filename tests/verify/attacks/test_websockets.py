"""Attacks over WebSockets on a real server: messages that are too much, clients that never read, and cards that nobody may see."""

from __future__ import annotations

import json
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from websockets.sync.client import connect

from kibitz.table.protection import ServerLimits
from tests.cli.test_table import Player
from tests.table.test_websocket_limits import CLOSE, CONTINUED, PING, TEXT, connected, frame
from tests.verify.attacks.conftest import Begin
from tests.verify.attacks.servers import Running
from tests.verify.attacks.test_kills import Pair

pytestmark = pytest.mark.verify

HELLO = b'{"type": "hello"}'
DIGITS = "9" * 5000
SOON = 5.0


def frames(client: socket.socket) -> Iterator[tuple[int, bytes]]:
    """Every frame, until the server closes the connection."""
    reader = client.makefile("rb")
    with suppress(ConnectionResetError):  # what the client sent last was not read
        while len(head := reader.read(2)) == 2:
            size = struct.unpack("!H", reader.read(2))[0] if head[1] == 126 else head[1]
            yield head[0] & 0xF, reader.read(size)


def closed(client: socket.socket) -> int:
    """The code with which the server closes the connection; 0 if it just ends."""
    return next((int.from_bytes(payload[:2], "big") for kind, payload in frames(client) if kind == CLOSE), 0)


def answered(client: socket.socket, count: int) -> list[str]:
    """The types of the next messages."""
    return [json.loads(payload)["type"] for _, (kind, payload) in zip(range(count), frames(client), strict=False) if kind == TEXT]


def large(kind: int, payload: bytes) -> bytes:
    """A frame of any size."""
    return bytes([0x80 | kind, 0xFF]) + struct.pack("!Q", len(payload)) + b"\0\0\0\0" + payload


# -- frames --


def test_frames(server: Running, begin: Begin) -> None:
    limit = ServerLimits().record_message
    attacks: dict[str, bytes] = {
        "2 MB in a message": large(TEXT, b"x" * (2 * limit)),
        "a length of 2^62": bytes([0x81, 0xFF]) + struct.pack("!Q", 2**62) + b"\0\0\0\0",
        "2 MB in fragments": large(TEXT, b"x" * limit)[1:].join([b"\x01", b""]) + large(CONTINUED, b"x" * limit),
        "fragments without end": frame(TEXT, b"{", last=False) + frame(CONTINUED, last=False) * 2000,
        "a ping of 60 kB": frame(PING, b"x" * 60_000),
        "an unknown kind": frame(0x3, b"x"),
        "reserved bits": bytes([0xF1, 0x80]) + b"\0\0\0\0",
        "no mask": bytes([0x81, 2]) + b"{}",
        "not UTF-8": frame(TEXT, b"\xff\xfe"),
        "continued from nowhere": frame(CONTINUED, b"x"),
        "a close of one byte": frame(CLOSE, b"x"),
        "noise": bytes(range(256)) * 20,
    }
    with begin("sockets: frames") as attack:
        before = server.memory()
        for name, sent in attacks.items():
            with attack.attempt(name), connected(server.address) as client:
                client.sendall(frame(TEXT, HELLO))
                with suppress(ConnectionError):
                    client.sendall(sent)
                assert closed(client) in (0, 1002, 1003, 1007, 1008, 1009, 1011)
        attack.check("memory", server.memory() - before < 150, f"{server.memory() - before} MiB more")


def test_clients_that_never_read(server: Running, begin: Begin) -> None:
    with begin("sockets: pings and questions, answers unread") as attack:
        before = server.memory()
        for number in range(3):
            with attack.attempt(f"pings {number}"), connected(server.address) as client:
                client.sendall(frame(TEXT, HELLO))
                with suppress(ConnectionError):
                    for _ in range(2000):
                        client.sendall(frame(PING, b"x" * 100) * 100)
                    raise AssertionError("200,000 were taken")
                assert server.health_seconds() < SOON
        for number in range(3):  # the server reads no more than it may answer, and the rest waits in the network
            with attack.attempt(f"questions {number}"), connected(server.address) as client:
                client.settimeout(5)
                with suppress(ConnectionError, TimeoutError):
                    client.sendall(frame(TEXT, HELLO) + frame(TEXT, b'{"type": "ping", "id": 1}') * 500_000)
                assert server.health_seconds() < SOON
        attack.check("memory", server.memory() - before < 100, f"{server.memory() - before} MiB more")


# -- messages --


def test_messages(server: Running, begin: Begin) -> None:
    keys = {f"k{number:06}": 1 for number in range(63_000)}
    refused: dict[str, str] = {
        "unknown keys": json.dumps({"type": "ping", "id": 1, **keys}),
        "many values": json.dumps({"type": "advise", "id": 1, "record": "x", "position": 0, "bots": [1] * 100_000}),
        "a number of 5,000 digits": f'{{"type": "ping", "id": {DIGITS}}}',
        "a position of 5,000 digits": f'{{"type": "advise", "id": 1, "record": "x", "position": {DIGITS}, "bots": []}}',
        "a negative number": '{"type": "ping", "id": -1}',
        "no number": '{"type": "ping"}',
        "NaN": '{"type": "ping", "id": NaN}',
        "nested": "[" * 100_000,
        "nothing": "",
        "a list": "[]",
        "an unknown type": '{"type": "shutdown", "id": 1}',
        "act at a film": '{"type": "act", "id": 1, "deal": 0, "position": 0, "action": "draw"}',
        "a bot that is a file": '{"type": "advise", "id": 1, "record": "x", "position": 0, "bots": ["evil.py"]}',
        "a table of others": '{"type": "analyse", "id": 1, "table": "../../../etc/passwd"}',
        "a record that is none": json.dumps({"type": "analyse", "id": 1, "record": "kibitz\n" * 100_000}),
        "both record and table": '{"type": "analyse", "id": 1, "record": "x", "table": "y"}',
    }
    with begin("sockets: messages") as attack:
        for name, message in refused.items():
            with attack.attempt(name), connected(server.address) as client:
                client.sendall(frame(TEXT, HELLO) + large(TEXT, message.encode()))
                kinds = answered(client, 2)
                assert kinds in (["welcome", "refused"], ["welcome", "error"]), kinds
                assert server.health_seconds() < SOON
        for name, greeting in {
            "no hello": b'{"type": "ping", "id": 1}',
            "a token that is none": b'{"type": "hello", "token": "AAAA"}',
            "a token that is a number": f'{{"type": "hello", "token": {DIGITS}}}'.encode(),
            "SQL in a token": b'{"type": "hello", "token": "\' OR 1=1 --"}',
        }.items():
            with attack.attempt(name), connected(server.address) as client:
                client.sendall(large(TEXT, greeting))
                assert closed(client) in (1002, 1003, 1007, 1008)
        for path in (
            f"/api/runs/{DIGITS}/live",
            f"/api/tables/{DIGITS}/live",
            "/api/tables/..%2f..%2fetc/live",
            "/api/nothing",
            "/static/style.css",
        ):
            with attack.attempt(f"a socket at {path[:40]}"):
                greeted(server, path)
        with attack.attempt("1,000 messages at once"), connected(server.address) as client:
            client.sendall(frame(TEXT, HELLO))
            client.settimeout(3)
            with suppress(ConnectionError, TimeoutError):
                client.sendall(b"".join(frame(TEXT, json.dumps({"type": "ping", "id": number}).encode()) for number in range(1, 1000)))
            began, pongs = time.monotonic(), 0
            with suppress(TimeoutError):
                for _, payload in frames(client):
                    pongs += b'"pong"' in payload
                    if time.monotonic() - began > 3:
                        break
            rate = ServerLimits().messages
            assert pongs <= rate.at_once + rate.per_second * (time.monotonic() - began + 4), f"{pongs} were answered"


def greeted(server: Running, path: str) -> None:
    """A socket there is refused, or closed after the greeting."""
    with server.connection() as client:
        head = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        client.sendall(f"{head}Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        answer = client.recv(65536)
        if answer.startswith(b"HTTP/1.1 101 "):
            client.sendall(frame(TEXT, HELLO))
            assert closed(client) in (1002, 1007, 1008)
        else:
            assert answer[9:12] in (b"400", b"403", b"404"), answer[:100]


# -- hidden cards --


class Ear(Player):
    """A person who keeps everything that is sent."""

    def __init__(self, socket: Any, token: Any) -> None:
        self.kept: list[dict[str, Any]] = []
        super().__init__(socket, token)

    def hear(self) -> dict[str, Any]:
        message = super().hear()
        self.kept.append(message)
        return message


def words_in(value: Any) -> set[str]:
    """Every text in a message, but for the rules, which name all cards there are."""
    if isinstance(value, dict):
        return {word for key, part in value.items() if key != "rules" for word in ({key} | words_in(part))}
    if isinstance(value, list):
        return {word for part in value for word in words_in(part)}
    return {value} if isinstance(value, str) else set()


def test_hidden_cards(server: Running, begin: Begin) -> None:
    with begin("sockets: hidden cards in messages") as attack:
        for _ in range(3):
            pair = Pair.of(server)
            pair.open(server)
            with ExitStack() as stack:
                address = f"{server.websocket}/api/tables/{pair.table}/live"
                people = [Ear(stack.enter_context(connect(address, compression=None)), token) for token in (*pair.tokens, None)]
                while people[0].position["over"] is None:
                    pair.move(list(people))
                over = people[0].position["position"]
            hands = [{one["position"]: one["view"]["hand"] for one in person.kept if "view" in one} for person in people]
            for seat, person in enumerate(people):
                for message in person.kept:
                    if message.get("position", over) == over:
                        continue  # the end shows all hands
                    place, view = message["position"], message["view"]
                    open_cards = {*view["discard"], view["top"], *hands[seat][place], *hands[seat].get(place - 1, [])}
                    hidden = {card for other, kept in enumerate(hands[:2]) if other != seat for card in kept[place]} - open_cards
                    found = words_in(message) & (hidden | {"seed", "secret"})
                    attack.check(f"seat {seat} at {place}", not found, f"{found} in {json.dumps(message)[:200]}")
