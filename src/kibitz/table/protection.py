"""What stands between the network and the table: hosts, origins, sizes, rates, and headers on every answer.

`Protection` is the outermost layer of the app and sees every request and every WebSocket before anything else does.
`kibitz.table.server` has limits on connections, before there is a request.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kibitz.table.addresses import Hosts, Proxies, address_of

if TYPE_CHECKING:  # limits can be read without the extra 'web'
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
BODY_SECONDS = 15.0  # to send a body in
TOO_BIG = 1009  # WebSocket close codes, https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1
POLICY = 1008

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; "
    "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A report is one page with its style inside: nothing but that style is let through, and it counts as of no origin at all.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"
HEADERS = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


@dataclass(frozen=True)
class Rate:
    """So many a second in the long run, and so many at once."""

    per_second: float
    at_once: int


@dataclass(frozen=True)
class ServerLimits:
    """How much of everything one may have. What goes beyond it is refused with a sentence, never dropped in silence."""

    body: int = 64 * 1024  # bytes of a request
    film_body: int = 1024 * 1024  # of one that brings a record
    message: int = 64 * 1024  # of a WebSocket message
    record_message: int = 1024 * 1024  # of one to /api/kibitz, which may bring a record
    requests: Rate = Rate(100.0, 400)  # of one address, WebSockets that are opened included
    sessions: Rate = Rate(1.0, 60)  # of one address
    tables: Rate = Rate(1.0, 30)  # of one session
    films: Rate = Rate(2.0, 30)  # of one address
    runs: Rate = Rate(0.2, 6)  # of one address
    messages: Rate = Rate(30.0, 90)  # of one connection
    tables_a_day: int = 500  # of one session
    tables_in_memory: int = 2000
    streams: int = 4  # of advice or judgements that are made at once, of one session, or one address without
    sockets_of_session: int = 32
    sockets_of_address: int = 1500
    sockets: int = 4000
    connections_of_address: int = 300  # that are not WebSockets; those have the limits above
    connections: int = 5000  # of all kinds
    queue: int = 200  # messages that wait for one connection that does not read
    hello_seconds: float = 10.0
    runs_at_once: int = 2
    run_games: int = 10_000_000


class Bucket:
    """A bucket of tokens: every event takes one, and they come back with time."""

    __slots__ = ("at", "rate", "tokens")

    def __init__(self, rate: Rate, now: float) -> None:
        self.rate, self.tokens, self.at = rate, float(rate.at_once), now

    def take(self, now: float) -> float:
        """Take a token: 0.0, or the seconds until there is one."""
        self.tokens = min(self.tokens + (now - self.at) * self.rate.per_second, float(self.rate.at_once))
        self.at = now
        if self.tokens >= 1.0:
            self.tokens -= 1.0
            return 0.0
        return (1.0 - self.tokens) / self.rate.per_second


class Buckets:
    """A bucket for each address, session or whoever; the ones not used for longest are forgotten."""

    MOST = 20_000

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate, self.clock = rate, clock
        self._buckets: OrderedDict[Hashable, Bucket] = OrderedDict()

    def take(self, key: Hashable) -> float:
        """Take a token of somebody's: 0.0, or the seconds until there is one."""
        now = self.clock()
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(self.rate, now)
            if len(self._buckets) > self.MOST:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        return bucket.take(now)


class Refusal(Exception):
    """A request that is refused: the status, one sentence, and perhaps seconds after which it may be tried again."""

    def __init__(self, status: int, reason: str, retry: float | None = None, headers: dict[str, str] | None = None) -> None:
        super().__init__(reason)
        self.status, self.reason, self.headers = status, reason, dict(headers or {})
        if retry is not None:
            self.headers["Retry-After"] = str(max(1, round(retry)))


def too_many(what: str, seconds: float) -> Refusal:
    """Somebody goes too fast."""
    return Refusal(429, f"too many {what} from you; wait {max(1, round(seconds))} s and try again.", seconds)


# -- the layer --


class Protection:
    """The outermost layer of the app."""

    def __init__(self, app: ASGIApp, hosts: Hosts, limits: ServerLimits, proxies: Proxies | None = None) -> None:
        self.app, self.hosts, self.limits, self.proxies = app, hosts, limits, proxies or Proxies()
        self._requests = Buckets(limits.requests)
        self._sockets: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "http":
            await self._http(self._with_client(scope), receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(self._with_client(scope), receive, send)
        else:
            await self.app(scope, receive, send)

    def _with_client(self, scope: Scope) -> Scope:
        """The scope with the address of the client, where a trusted proxy has sent it."""
        client = scope.get("client")
        if not client or not self.proxies.trusts(client[0]):
            return scope
        forwarded = b",".join(value for name, value in scope["headers"] if name.lower() == b"x-forwarded-for").decode("latin-1")
        return {**scope, "client": (self.proxies.client(client[0], forwarded), 0)}

    def _check(self, scope: Scope, unsafe: bool) -> None:
        headers = _headers(scope)
        host = headers.get("host", "")
        if not self.hosts.accepts(host):
            raise Refusal(
                403,
                f"host '{host[:100]}' is not one of this server's names; open it as localhost or by its address, or start it with --public-name.",
            )
        if unsafe:
            origin = headers.get("origin")
            if origin is not None and not self.hosts.is_own_page(origin, host):
                raise Refusal(403, f"origin '{origin[:100]}' is another site's; only this server's own pages may do that.")
            if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
                raise Refusal(403, "another site asked for this; only this server's own pages may do that.")
        wait = self._requests.take(address_of(scope))
        if wait:
            raise too_many("requests", wait)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = _with_headers(message.get("headers", []))
            await send(message)

        try:
            self._check(scope, scope["method"] not in SAFE_METHODS)
            limit = self.limits.film_body if scope["path"] == "/api/films" else self.limits.body
            body = await _read_body(scope, receive, limit)
        except Refusal as refusal:
            await _answer(refusal, with_headers)
            return
        await self.app(scope, _replaying(body, receive), with_headers)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = address_of(scope)
        try:
            self._check(scope, True)
            if self._sockets[address] >= self.limits.sockets_of_address or self._sockets.total() >= self.limits.sockets:
                raise Refusal(429, "too many connections are open; close some and try again.", 10.0)
        except Refusal as refusal:
            await _deny(refusal, scope, receive, send)
            return
        self._sockets[address] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self._sockets[address] -= 1
            if not self._sockets[address]:
                del self._sockets[address]


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _with_headers(headers: Any) -> list[tuple[bytes, bytes]]:
    """Our headers where the answer has none of its own."""
    given = list(headers)
    names = {name.lower() for name, _ in given}
    return given + [(name.lower().encode(), value.encode()) for name, value in HEADERS.items() if name.lower().encode() not in names]


async def _read_body(scope: Scope, receive: Receive, limit: int) -> bytes:
    """The whole body, as long as it is within the limit and comes in time."""
    length = _headers(scope).get("content-length", "0")
    if length.isascii() and length.isdigit() and int(length[:20]) > limit:
        raise _too_big(limit)
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    break
                body += message.get("body", b"")
                if len(body) > limit:
                    raise _too_big(limit)
                if not message.get("more_body"):
                    break
    except TimeoutError:
        raise Refusal(408, f"the request's body did not come within {BODY_SECONDS:.0f} s.") from None
    return bytes(body)


def _too_big(limit: int) -> Refusal:
    return Refusal(413, f"the request is too big; up to {limit // 1024} kB are accepted here.", headers={"Connection": "close"})


def _replaying(body: bytes, receive: Receive) -> Receive:
    """The body that was read, then whatever else comes, such as that the other side has gone."""
    told = False

    async def replay() -> Message:
        nonlocal told
        if told:
            return await receive()
        told = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def error_body(reason: str) -> bytes:
    """The answer that goes with every refusal."""
    return json.dumps({"error": reason}).encode()


async def _answer(refusal: Refusal, send: Send) -> None:
    body = error_body(refusal.reason)
    headers = [(name.lower().encode(), value.encode()) for name, value in refusal.headers.items()]
    headers += [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": refusal.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _deny(refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
    """Refuse a WebSocket before it is one: with an answer where the server can send one."""
    await receive()  # that somebody wants to connect
    if "websocket.http.response" in scope.get("extensions", {}):
        body = error_body(refusal.reason)
        headers = [(name.lower().encode(), value.encode()) for name, value in {**HEADERS, **refusal.headers}.items()]
        headers.append((b"content-type", b"application/json"))
        await send({"type": "websocket.http.response.start", "status": refusal.status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": body})
        await asyncio.sleep(0)  # the server complains of who leaves before the line is closed
    else:
        await send({"type": "websocket.close", "code": POLICY, "reason": refusal.reason[:120]})
