"""The three conversations over WebSockets: at a table, about a film, and following a run.

Every message from a browser gets an answer that names its number: done, or refused with a reason. Advice comes as a stream of
messages, each better than the last, until the final one, `stop`, or the next question.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from starlette.websockets import WebSocket

from kibitz.core.errors import BadValue, KibitzError
from kibitz.table.advising import advise_at_table, advise_on_film
from kibitz.table.analysis import analyse
from kibitz.table.browser_runs import Runs
from kibitz.table.connection import Closed, Connection
from kibitz.table.film import film_of_live, film_of_text
from kibitz.table.game_table import GameTable
from kibitz.table.json_input import Reader
from kibitz.table.open_tables import OpenTables
from kibitz.table.protection import POLICY, Refusal, ServerLimits
from kibitz.table.requests import AT_FILM, AT_RUN, AT_TABLE, Act, Advise, AdviseRecord, Again, Analyse, Next, Note, Ping, Stop
from kibitz.table.sessions import Session, Sessions

log = logging.getLogger("kibitz.table")

ADVISERS = 8  # pieces of advice that are worked on at once
JUDGES = 2  # games that are judged at once, apart from those: each takes much longer
FOLLOW_SECONDS = 0.5  # between looks at a run

Make = Callable[[threading.Event], Iterator[dict[str, Any]]]


class Thinkers:
    """The threads in which streams are made, and how many streams everybody has."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._advisers = ThreadPoolExecutor(ADVISERS, thread_name_prefix="kibitz-advice")
        self._judges = ThreadPoolExecutor(JUDGES, thread_name_prefix="kibitz-judge")
        self._streams: Counter[str] = Counter()
        self._lock = threading.Lock()

    def submit(self, who: str, think: Callable[[], None], is_long: bool) -> Future[None]:
        """Let a thread think for somebody, as soon as one is free."""
        with self._lock:
            if self._streams[who] >= self._most:
                raise BadValue(f"{self._most} streams of advice are being made for you already; stop one, or wait a moment.")
            self._streams[who] += 1
        future = (self._judges if is_long else self._advisers).submit(think)
        future.add_done_callback(lambda _: self._end(who))
        return future

    def _end(self, who: str) -> None:
        with self._lock:
            self._streams[who] -= 1
            if not self._streams[who]:
                del self._streams[who]

    def close(self) -> None:
        """Begin nothing more."""
        for threads in (self._advisers, self._judges):
            threads.shutdown(wait=False, cancel_futures=True)


class ThoughtStream:
    """One stream of advice or judgements for one connection, made in a thread of its own."""

    def __init__(self, connection: Connection, thinkers: Thinkers) -> None:
        self._connection, self._thinkers = connection, thinkers
        self._stop = threading.Event()
        self._waiting: list[Make] = []
        self._future: Future[None] | None = None

    def begin(self, reply: int, kind: str, make: Make, last: dict[str, Any] | None = None) -> None:
        """Stop what was being thought about, and think about this; `last` is sent at the end of what has one, which takes long."""
        self.stop()
        self._stop = stop = threading.Event()
        self._waiting = waiting = [make]
        connection = self._connection

        def think() -> None:
            if stop.is_set():
                return
            try:
                for found in (message for make in waiting[:] for message in make(stop)):
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

        try:
            self._future = self._thinkers.submit(connection.who, think, last is not None)
        except BadValue as error:
            connection.refuse(str(error), reply)

    def stop(self) -> None:
        """No more of it, and nothing kept of what has not begun."""
        self._stop.set()
        self._waiting.clear()
        if self._future is not None:
            self._future.cancel()
            self._future = None


class Sockets:
    """Holds the conversations."""

    def __init__(self, sessions: Sessions, tables: OpenTables, runs: Runs, limits: ServerLimits, reader: Reader) -> None:
        self.sessions, self.tables, self.runs, self.limits, self.reader = sessions, tables, runs, limits, reader
        self._thinkers = Thinkers(limits.streams)
        self._open: set[Connection] = set()

    async def close(self) -> None:
        """Send everybody home."""
        for connection in list(self._open):
            connection.go_away(1001, "the server has ended; what was played is kept.")
        self._thinkers.close()

    # -- at a table --

    async def at_table(self, socket: WebSocket, name: str) -> None:
        """Play, look on, ask for advice."""

        async def talk(connection: Connection) -> None:
            session = await self._greet(connection)
            table = await self.tables.find(name)
            thinking = ThoughtStream(connection, self._thinkers)
            connection.seat = table.seat_of(session)
            _welcome(connection, session)
            table.connect(connection)
            try:
                await self._converse(connection, AT_TABLE, thinking, partial(self._answer, table, connection, thinking))
            finally:
                table.disconnect(connection)

        await self._serve(socket, talk)

    async def _answer(self, table: GameTable, connection: Connection, thinking: ThoughtStream, message: Any) -> None:
        if isinstance(message, Advise):
            seat, live = table.advised_seat(connection), table.live
            thinking.begin(message.id, "advice", lambda stop: advise_at_table(live, seat, message.bots, stop))
            return
        if isinstance(message, Act):
            kept = await table.act(connection, message.deal, message.position, message.action)
        elif isinstance(message, Next):
            kept = await table.next_deal(connection)
        elif isinstance(message, Again):
            kept = await table.again(connection)
        else:
            assert isinstance(message, Note)
            kept = await table.note(connection, message.place, message.text)
        connection.send({"type": "done", "reply": message.id} | ({} if kept else {"kept": False}))

    # -- about a film --

    async def at_film(self, socket: WebSocket) -> None:
        """Advice and judgements for any record."""

        async def talk(connection: Connection) -> None:
            _welcome(connection, await self._greet(connection))
            thinking = ThoughtStream(connection, self._thinkers)
            await self._converse(connection, AT_FILM, thinking, partial(self._think_about_film, thinking))

        await self._serve(socket, talk, self.limits.record_message)

    async def _think_about_film(self, thinking: ThoughtStream, message: AdviseRecord | Analyse) -> None:
        if message.record is not None:
            film = partial(film_of_text, message.record)
        else:
            assert message.table is not None  # one of the two
            film = partial(film_of_live, (await self.tables.find(message.table)).live, message.deal)
        if isinstance(message, AdviseRecord):
            thinking.begin(message.id, "advice", lambda stop: advise_on_film(film(), message.position, message.bots, stop))
        else:
            thinking.begin(message.id, "judged", lambda stop: analyse(film(), stop), {"type": "analysed"})

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

    async def _converse(
        self, connection: Connection, kinds: Any, thinking: ThoughtStream, answer: Callable[[Any], Awaitable[None]]
    ) -> None:
        """Answer every message: pings and stops here, the rest by `answer`; what it raises is the reason for a refusal."""
        try:
            async for message in connection.messages(kinds):
                try:
                    if isinstance(message, Ping):
                        connection.send({"type": "pong", "reply": message.id})
                    elif isinstance(message, Stop):
                        thinking.stop()
                        connection.send({"type": "done", "reply": message.id})
                    else:  # what has begun is ended, also for somebody who is gone before
                        await asyncio.shield(asyncio.ensure_future(answer(message)))
                except (Refusal, KibitzError) as error:
                    connection.refuse(str(error), message.id)
                except Exception:
                    log.exception("%s", connection.socket.url.path)
                    connection.refuse("the server failed at this; its terminal says how.", message.id)
        finally:
            thinking.stop()

    async def _serve(self, socket: WebSocket, talk: Any, size: int | None = None) -> None:
        connection = Connection(socket, self.limits, self.reader, size)
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
