"""The server under the table: uvicorn, with limits on connections, which exist before any request does, and a log that cannot be flooded.

Whatever a client owes us has a time limit here or in `kibitz.table.protection`: the head of a request, its body, and reading the answer.
A connection that becomes a WebSocket leaves the count here and enters the one in `Protection`.
"""

from __future__ import annotations

import asyncio
import logging
import math
import socket
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from http import HTTPStatus
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from kibitz.table.addresses import Proxies, counted_address
from kibitz.table.protection import HEADERS, Refusal, ServerLimits, error_body
from kibitz.table.websocket_limits import LimitedWebSocket

HEAD_SECONDS = 15.0  # for the head of a request, from its first byte, and of the first one from when the connection is opened
STALL_SECONDS = 60.0  # for which a client may leave an answer unread
IDLE_SECONDS = 30  # between requests on one connection
GRACE_SECONDS = 5  # for browsers to hear that the server ends

QUEUE = 2048  # connections that the system holds until they are accepted
ACCEPTED_AT_ONCE = 16  # asyncio accepts so many before any of them can be refused
RESERVE = 256  # file descriptors for everything else: the store, runs, and connections that are about to be refused

REPEATS, REPEAT_SECONDS = 10, 60.0  # how often a line may be logged within so many seconds

log = logging.getLogger("kibitz.table")


class Configuration(uvicorn.Config):
    """How the table is served."""

    def __init__(self, app: Any, limits: ServerLimits, proxies: Proxies) -> None:
        super().__init__(
            app,
            http=HttpConnection,
            ws=LimitedWebSocket,
            ws_max_size=limits.record_message + 4096,
            ws_per_message_deflate=False,  # its windows would cost more memory than all the rest of a connection
            lifespan="on",
            log_config=None,
            access_log=False,
            proxy_headers=False,  # Protection reads them
            server_header=False,
            backlog=ACCEPTED_AT_ONCE,
            timeout_keep_alive=IDLE_SECONDS,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        self.limits, self.proxies = limits, proxies
        self.open: Counter[str] = Counter()  # connections of each address that are not WebSockets


class Server(uvicorn.Server):
    """A server at a socket that listens already."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections, a few at a time, while the system keeps many more waiting."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(QUEUE)


class HttpConnection(H11Protocol):
    """An HTTP connection: refused where there are too many, and closed where the client does not do its part in time."""

    config: Configuration

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._counted: str | None = None
        self._owing: asyncio.TimerHandle | None = None  # runs while the client owes us a request
        self._stalled: asyncio.TimerHandle | None = None  # runs while the client does not read
        self._left = False  # closed, refused, or a WebSocket now

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as in uvicorn
        """Count the connection, or refuse it."""
        super().connection_made(transport)
        limits, peer = self.config.limits, self.client[0] if self.client else "unknown"
        if len(self.connections) > limits.connections:
            self._turn_away(Refusal(503, "the server has as many connections as it can hold; try again in a while.", 10.0))
            return
        if not self.config.proxies.trusts(peer):
            address = counted_address(peer)
            if self.config.open[address] >= limits.connections_of_address:
                self._turn_away(Refusal(429, "too many connections from your address are open; close some and try again.", 10.0))
                return
            self.config.open[address] += 1
            self._counted = address
        self._owing = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._leave()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Hand the connection over."""
        self._leave()
        super().handle_websocket_upgrade(event)

    def data_received(self, data: bytes) -> None:
        """Read on, and see whether the client still owes us a request."""
        super().data_received(data)
        self._watch(begun=True)

    def on_response_complete(self) -> None:
        """Wait for the next request, of which a part may have come already."""
        super().on_response_complete()
        self._watch(begun=bool(self.conn.trailing_data[0]))

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, in the same shape as every other refusal."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            self._refuse(Refusal(400, "this cannot be read as an HTTP request."))
        else:  # an answer is on its way already
            self.transport.close()

    def pause_writing(self) -> None:
        """Give the client some time to read what was sent."""
        super().pause_writing()
        if self._stalled is None and not self._left:
            self._stalled = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _watch(self, begun: bool) -> None:
        """Start the clock if the client has begun a request and not finished its head, stop it if the head is complete.

        The rest of a body that nobody reads any more counts like a head: the answer has been given.
        """
        if self._left:
            return
        answered = self.cycle is None or self.cycle.response_complete
        if not answered and self._owing is not None:
            self._owing.cancel()
            self._owing = None
        elif answered and begun and self._owing is None:
            self._owing = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def _give_up(self) -> None:
        """The request has not come in time."""
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]:
            self._refuse(Refusal(408, f"the request's head did not come within {HEAD_SECONDS:.0f} s."))
        else:
            self.transport.close()

    def _turn_away(self, refusal: Refusal) -> None:
        """Refuse a connection that is one too many, and tell the log."""
        log.warning("a connection from %s was refused: %s", self.client[0] if self.client else "unknown", refusal.reason)
        self._refuse(refusal)

    def _refuse(self, refusal: Refusal) -> None:
        """Say why, and close the connection."""
        self._leave()
        body = error_body(refusal.reason)
        more = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
        headers = list({**HEADERS, **refusal.headers, **more}.items())
        answer = h11.Response(status_code=refusal.status, headers=headers, reason=HTTPStatus(refusal.status).phrase.encode())
        for event in (answer, h11.Data(data=body), h11.EndOfMessage()):
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def _leave(self) -> None:
        """Take the connection out of the count and stop its clocks."""
        self._left = True
        for clock in (self._owing, self._stalled):
            if clock is not None:
                clock.cancel()
        if self._counted is not None:
            self.config.open[self._counted] -= 1
            if not self.config.open[self._counted]:
                del self.config.open[self._counted]
            self._counted = None


# -- file descriptors --


def fitted(limits: ServerLimits, descriptors: int | None) -> ServerLimits:
    """Limits on connections that this many file descriptors allow; the shares of one address shrink with the whole."""
    if descriptors is None or descriptors >= limits.connections + RESERVE:
        return limits
    share = max(descriptors - RESERVE, descriptors // 2) / limits.connections
    return replace(
        limits,
        connections=int(limits.connections * share),
        connections_of_address=max(1, int(limits.connections_of_address * share)),
        sockets=int(limits.sockets * share),
        sockets_of_address=max(1, int(limits.sockets_of_address * share)),
    )


def descriptors_for(limits: ServerLimits) -> int | None:
    """How many file descriptors this process may have, after asking for as many as the limits need; None if nobody counts them."""
    if sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    wanted = limits.connections + RESERVE
    if soft >= wanted:
        return soft
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    except (OSError, ValueError):  # macOS allows less than it says
        return soft
    return allowed


# -- the log --


class FewRepeats(logging.Filter):
    """Lets a line of the program log ten times a minute, whatever it says. After that it says how many were left out."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: dict[tuple[str, int], tuple[float, int]] = {}  # by the line of the program: since when, and how many

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether to log a record."""
        line, now = (record.pathname, record.lineno), self._clock()
        since, count = self._seen.get(line, (-math.inf, 0))
        left_out = 0
        if now - since >= REPEAT_SECONDS:
            since, left_out, count = now, max(0, count - REPEATS), 0
        count += 1
        self._seen[line] = since, count
        if left_out:
            _add_note(record, f"{left_out:,} messages like this were left out before it")
        if count == REPEATS:
            _add_note(record, f"more messages like this are left out for up to {REPEAT_SECONDS:.0f} s")
        return count <= REPEATS


def _add_note(record: logging.LogRecord, note: str) -> None:
    record.msg, record.args = f"{record.getMessage()} ({note})", ()


def log_to_stderr() -> None:
    """Log warnings and errors, but never one of them without end."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(FewRepeats())
    logging.basicConfig(level=logging.WARNING, format="kibitz: %(message)s", handlers=[handler])
