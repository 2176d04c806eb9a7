"""One WebSocket: messages wait in a queue of limited length, what comes is counted, measured and numbered.

Who does not read is dropped, not waited for: on coming back everything is sent anew.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from pydantic import TypeAdapter
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from kibitz.core.errors import KibitzError
from kibitz.table.addresses import address_of
from kibitz.table.json_input import Reader
from kibitz.table.protection import POLICY, TOO_BIG, Bucket, Refusal, ServerLimits
from kibitz.table.requests import HELLO, Hello, Misunderstood, understood

TOO_SLOW = 1013  # try again later
GOING_AWAY = 1001
MOST_REFUSALS = 50  # in a row, after which nobody learns anything more


class Closed(Exception):
    """The connection is to end: with which code, and the sentence for the other side."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


def as_text(message: Any) -> str:
    """A message as it goes out: in ASCII, so that also halves of signs, which a message can bring, can be sent back."""
    return json.dumps(message, separators=(",", ":"))


class Connection:
    """A browser at the other end of a WebSocket. `seat` is None for a spectator."""

    __slots__ = (
        "_bucket",
        "_ending",
        "_last",
        "_limits",
        "_loop",
        "_queue",
        "_reader",
        "_size",
        "_task",
        "_wake",
        "is_closing",
        "seat",
        "session",
        "socket",
    )

    def __init__(self, socket: WebSocket, limits: ServerLimits, reader: Reader, size: int | None = None) -> None:
        self.socket, self._limits, self._reader, self._size = socket, limits, reader, size or limits.message
        self._loop = asyncio.get_running_loop()
        self._bucket = Bucket(limits.messages, self._loop.time())
        self._queue: deque[str] = deque()
        self._wake = asyncio.Event()
        self._task = asyncio.current_task()
        self._last = -1
        self.seat: int | None = None
        self.session: str | None = None
        self.is_closing = False
        self._ending = (1000, "")

    @property
    def who(self) -> str:
        """Whose connection it is: a session, or an address."""
        return self.session or address_of(self.socket.scope)

    # -- out --

    def send(self, message: dict[str, Any]) -> None:
        """Queue a message."""
        self.send_text(as_text(message))

    def send_text(self, text: str) -> None:
        """Queue a message that is text already; who lets too many wait is dropped."""
        if self.is_closing:
            return
        if len(self._queue) >= self._limits.queue:
            self._queue.clear()
            self.go_away(TOO_SLOW, "this connection did not read what it was sent.")
            return
        self._queue.append(text)
        self._wake.set()

    def go_away(self, code: int, reason: str) -> None:
        """End the conversation from this side."""
        if not self.is_closing and self._task is not None:
            self._ending = (code, reason)
            self.is_closing = True
            self._task.cancel()

    def send_soon(self, message: dict[str, Any]) -> None:
        """Queue a message from another thread."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self.send, message)

    def refuse(self, reason: str, reply: int | None = None) -> None:
        """Say that something was not done, and why."""
        self.send({"type": "refused", "reply": reply, "reason": reason})

    async def pump(self) -> None:
        """Send what is queued, as fast as the other side reads."""
        with suppress(WebSocketDisconnect, RuntimeError):  # gone: whoever listens finds out
            while True:
                while self._queue:
                    await self.socket.send_text(self._queue.popleft())
                self._wake.clear()
                await self._wake.wait()

    # -- in --

    async def hello(self) -> Hello:
        """The first message, which says who is there."""
        try:
            async with asyncio.timeout(self._limits.hello_seconds):
                text = await self._receive()
        except TimeoutError:
            raise Closed(POLICY, f"nobody said hello within {self._limits.hello_seconds:.0f} s.") from None
        try:
            return await self._understood(HELLO, text)  # type: ignore[no-any-return]  # as the adapter says
        except Misunderstood as error:
            raise Closed(POLICY, f"the first message must be hello: {error}") from error

    async def messages(self, adapter: TypeAdapter[Any]) -> AsyncIterator[Any]:
        """What the other side says, as far as it is understood and not said before; the rest is refused."""
        refusals = 0
        while refusals < MOST_REFUSALS:
            text = await self._receive()
            wait = self._bucket.take(self._loop.time())
            refusals += 1
            if wait:
                self.refuse(f"too many messages from you; wait {wait:.1f} s and try again.")
                continue
            try:
                message = await self._understood(adapter, text)
            except Misunderstood as error:
                self.refuse(str(error), error.reply)
                continue
            if message.id <= self._last:
                self.refuse(f"message {message.id} comes after message {self._last}; each has a greater number than the last.", message.id)
                continue
            self._last = message.id
            refusals = 0
            yield message
        raise Closed(POLICY, f"{MOST_REFUSALS} messages in a row could not be accepted.")

    async def _understood(self, adapter: TypeAdapter[Any], text: str) -> Any:
        return await self._reader.read(len(text), understood, adapter, text)

    async def _receive(self) -> str:
        message = await self.socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        text = message.get("text")
        if text is None:
            raise Closed(1003, "messages are text, not bytes.")
        if len(text) > self._size or len(text.encode("utf-8", "replace")) > self._size:
            raise Closed(TOO_BIG, f"the message is too big; up to {self._size // 1024} kB are accepted.")
        return str(text)

    # -- from beginning to end --

    async def serve(self, talk: Any) -> None:
        """Hold a conversation and end it in good order, whatever happens in it."""
        await self.socket.accept()
        pump = asyncio.create_task(self.pump())
        code, reason = 1000, ""
        try:
            await talk(self)
        except WebSocketDisconnect:
            code = 0
        except Closed as closed:
            code, reason = closed.code, closed.reason
        except (KibitzError, Refusal) as error:
            code, reason = POLICY, str(error)
        except asyncio.CancelledError:
            if not self.is_closing:  # the server ends
                pump.cancel()
                raise
            code, reason = self._ending
            task = asyncio.current_task()
            if task is not None:
                task.uncancel()
        finally:
            self.is_closing = True
            pump.cancel()
            with suppress(asyncio.CancelledError):
                await pump
        if code and self.socket.client_state == WebSocketState.CONNECTED:
            with suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
                async with asyncio.timeout(1.0):
                    while self._queue:
                        await self.socket.send_text(self._queue.popleft())
                    if reason:
                        await self.socket.send_text(as_text({"type": "error", "reason": reason}))
                    await self.socket.close(code, reason.encode("utf-8", "replace")[:120].decode("utf-8", "ignore"))
