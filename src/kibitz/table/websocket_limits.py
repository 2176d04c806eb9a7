"""The WebSocket protocol of the server, with limits on what never reaches the app: control frames, fragments, and data nobody reads.

The protocol answers pings by itself. A client that sends pings and never reads the answers would make the server keep all of them.
"""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from kibitz.table.protection import POLICY, Bucket, Rate

PINGS = Rate(1.0, 20)  # of one connection; clients usually send one every 20 s
NOT_UTF_8 = 1007  # a WebSocket close code, https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1
MOST_FRAGMENTS = 1_000  # of one message; an empty one costs memory, too, but does not count towards the message's size


class LimitedWebSocket(WebSocketsSansIOProtocol):
    """A connection that is closed after too many pings or fragments, and cut off if the client does not read what is left."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._pings = Bucket(PINGS, self.loop.time())
        self._cutting: asyncio.TimerHandle | None = None

    def handle_ping(self) -> None:
        """Answer a ping."""
        if self._pings.take(self.loop.time()):
            self._give_up("too many pings")
        elif not self.transport.is_closing():
            super().handle_ping()

    def handle_cont(self, event: Any) -> None:
        """Take one more fragment of a message."""
        if len(self.frames) < MOST_FRAGMENTS:
            super().handle_cont(event)
        else:
            self._give_up("too many fragments")

    def send_receive_event_to_app(self) -> None:
        """Hand a message over. A text that is not UTF-8 ends the connection without a word in the log: it is the client's mistake."""
        data = b"".join(self.frames)
        self.frames = [data]
        try:
            if self.curr_msg_data_type == "text":
                data.decode()
        except UnicodeDecodeError:
            self._give_up("not UTF-8", NOT_UTF_8)
        else:
            super().send_receive_event_to_app()

    def _give_up(self, reason: str, code: int = POLICY) -> None:
        self.frames = []
        if not self.transport.is_closing():
            self.conn.fail(code, reason)
            if self.conn.close_sent is None:  # the handshake is not over
                self.transport.abort()
                return
            self.handle_parser_exception()
            self._cut_off_later()

    def keepalive_timeout(self) -> None:
        """End a connection that does not answer the server's own pings."""
        super().keepalive_timeout()
        self.transport.abort()

    async def run_asgi(self) -> None:
        """Run the app. When it has ended, the connection ends too, whether or not the client reads what is left."""
        await super().run_asgi()
        self._cut_off_later()

    def _cut_off_later(self) -> None:
        """A closed transport waits for as long as the client does not read: do not wait with it."""
        if self._cutting is None and not self.disconnected:
            self._cutting = self.loop.call_later(self.close_timeout, self.transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        if self._cutting is not None:
            self._cutting.cancel()
        super().connection_lost(exc)
