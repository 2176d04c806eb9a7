"""The three conversations over WebSockets: at a table, about a film, and following a run.

Every message from a browser gets an answer that names its number: done, or refused with a reason. Advice comes as a stream of
messages, each better than the last, until the final one, `stop`, or the next question.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from starlette.websockets import WebSocket

from kibitz.errors import KibitzError
from kibitz.table.connection import Closed, Connection
from kibitz.table.films import advice_at_table, advice_on_record, judged_record
from kibitz.table.protection import POLICY, Limits, Refusal
from kibitz.table.requests import AT_FILM, AT_RUN, AT_TABLE, Act, Advise, AdviseRecord, Again, Analyse, Next, Note, Ping, Stop
from kibitz.table.runs import Runs
from kibitz.table.sessions import Session, Sessions
from kibitz.table.tables import Table, Tables

THINKERS = 8  # pieces of advice that are worked on at once
FOLLOW_SECONDS = 0.5  # between looks at a run


class Thinking:
    """One stream of advice or judgements for one connection, made in a thread of its own."""

    def __init__(self, connection: Connection, thinkers: ThreadPoolExecutor) -> None:
        self._connection, self._thinkers = connection, thinkers
        self._stop = threading.Event()

    def begin(
        self, reply: int, kind: str, make: Callable[[threading.Event], Iterator[dict[str, Any]]], last: dict[str, Any] | None = None
    ) -> None:
        """Stop what was being thought about, and think about this; `last` is sent at the end."""
        self.stop()
        self._stop = stop = threading.Event()
        connection = self._connection

        def think() -> None:
            try:
                for found in make(stop):
                    if stop.is_set():
                        return
                    connection.send_soon({"type": kind, "reply": reply, **found})
                if last is not None and not stop.is_set():
                    connection.send_soon({**last, "reply": reply})
            except KibitzError as error:
                connection.send_soon({"type": "refused", "reply": reply, "reason": str(error)})
            except Exception as error:
                connection.send_soon({"type": "refused", "reply": reply, "reason": f"thinking failed: {type(error).__name__}."})
                raise

        self._thinkers.submit(think)

    def stop(self) -> None:
        """No more of it."""
        self._stop.set()


class Sockets:
    """Holds the conversations."""

    def __init__(self, sessions: Sessions, tables: Tables, runs: Runs, limits: Limits) -> None:
        self.sessions, self.tables, self.runs, self.limits = sessions, tables, runs, limits
        self._thinkers = ThreadPoolExecutor(THINKERS, thread_name_prefix="kibitz-advice")
        self._open: set[Connection] = set()

    async def close(self) -> None:
        """Send everybody home."""
        for connection in list(self._open):
            connection.go_away(1001, "the server has ended; what was played is kept.")
        self._thinkers.shutdown(wait=False, cancel_futures=True)

    # -- at a table --

    async def at_table(self, socket: WebSocket, name: str) -> None:
        """Play, look on, ask for advice."""

        async def talk(connection: Connection) -> None:
            session = await self._greet(connection)
            table = await self.tables.find(name)
            thinking = Thinking(connection, self._thinkers)
            connection.seat = table.seat_of(session)
            _welcome(connection, session)
            table.connect(connection)
            try:
                async for message in connection.messages(AT_TABLE):
                    try:
                        # What has begun is ended, also for somebody who is gone before.
                        await asyncio.shield(asyncio.ensure_future(self._answer(table, connection, thinking, message)))
                    except Refusal as refusal:
                        connection.refuse(refusal.reason, message.id)
                    except KibitzError as error:
                        connection.refuse(str(error), message.id)
            finally:
                thinking.stop()
                table.disconnect(connection)

        await self._serve(socket, talk)

    async def _answer(self, table: Table, connection: Connection, thinking: Thinking, message: Any) -> None:
        if isinstance(message, Act):
            await table.act(connection, message.deal, message.position, message.action)
        elif isinstance(message, Next):
            await table.next_deal(connection)
        elif isinstance(message, Again):
            await table.again(connection)
        elif isinstance(message, Note):
            await table.note(connection, message.place, message.text)
        elif isinstance(message, Advise):
            seat, live = table.advised_seat(connection), table.live
            thinking.begin(message.id, "advice", lambda stop: advice_at_table(live, seat, message.bots, stop))
            return
        elif isinstance(message, Stop):
            thinking.stop()
        elif isinstance(message, Ping):
            connection.send({"type": "pong", "reply": message.id})
            return
        connection.send({"type": "done", "reply": message.id})

    # -- about a film --

    async def at_film(self, socket: WebSocket) -> None:
        """Advice and judgements for any record."""

        async def talk(connection: Connection) -> None:
            _welcome(connection, await self._greet(connection))
            thinking = Thinking(connection, self._thinkers)
            try:
                async for message in connection.messages(AT_FILM):
                    if isinstance(message, Ping):
                        connection.send({"type": "pong", "reply": message.id})
                    elif isinstance(message, Stop):
                        thinking.stop()
                        connection.send({"type": "done", "reply": message.id})
                    elif isinstance(message, AdviseRecord):
                        thinking.begin(message.id, "advice", partial(advice_on_record, message.record, message.position, message.bots))
                    elif isinstance(message, Analyse):
                        thinking.begin(message.id, "judged", partial(judged_record, message.record), {"type": "analysed"})
            finally:
                thinking.stop()

        await self._serve(socket, talk, self.limits.record_message)

    # -- following a run --

    async def at_run(self, socket: WebSocket, number: int) -> None:
        """How a run is getting on, until its end."""

        async def talk(connection: Connection) -> None:
            _welcome(connection, await self._greet(connection))
            told = asyncio.ensure_future(self._follow(connection, number))
            heard = asyncio.ensure_future(self._hear(connection))
            try:
                await asyncio.wait((told, heard), return_when=asyncio.FIRST_COMPLETED)
                (told if told.done() else heard).result()
            finally:
                for task in (told, heard):
                    task.cancel()
                await asyncio.gather(told, heard, return_exceptions=True)

        await self._serve(socket, talk)

    async def _follow(self, connection: Connection, number: int) -> None:
        before: Any = None
        while True:
            shown = await self.runs.show(number)
            message = {"type": "progress", **shown.model_dump()}
            if message != before:
                connection.send(message)
                before = message
            if shown.status != "running":
                return
            await asyncio.sleep(FOLLOW_SECONDS)

    async def _hear(self, connection: Connection) -> None:
        async for message in connection.messages(AT_RUN):
            connection.send({"type": "pong", "reply": message.id})

    # -- all of them --

    async def _serve(self, socket: WebSocket, talk: Any, size: int | None = None) -> None:
        connection = Connection(socket, self.limits, size)
        self._open.add(connection)
        try:
            await connection.serve(talk)
        finally:
            self._open.discard(connection)
            if connection.session is not None:
                self.sessions.sockets[connection.session] -= 1
                if not self.sessions.sockets[connection.session]:
                    del self.sessions.sockets[connection.session]

    async def _greet(self, connection: Connection) -> Session | None:
        """Who is there; None for somebody without a token."""
        hello = await connection.hello()
        if hello.token is None:
            return None
        session = await self.sessions.find(hello.token)
        if session is None:
            raise Closed(POLICY, "the token is unknown; begin a new session.")
        if self.sessions.sockets[session.digest] >= self.limits.sockets_of_session:
            raise Closed(POLICY, f"{self.limits.sockets_of_session} connections are open for you already; close some of them.")
        self.sessions.sockets[session.digest] += 1
        connection.session = session.digest
        return session


def _welcome(connection: Connection, session: Session | None) -> None:
    connection.send({"type": "welcome", "seat": connection.seat, "name": session.name if session else None})
