"""All tables: those in memory, and the way to those in the store.

A table that nobody has looked at for a while leaves the memory and comes back from the store when somebody asks for it.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from kibitz import registry
from kibitz.core.errors import BadValue
from kibitz.core.seeds import new_secret
from kibitz.runs import kept_tables as kept_tables
from kibitz.runs.database import StoreError
from kibitz.runs.kept_tables import KeptTable
from kibitz.table.connection import GOING_AWAY
from kibitz.table.game_table import GameTable, kept_setup, new_game, old_game, setup_text, shown_table
from kibitz.table.keeping import Keeper
from kibitz.table.offered import NO_OFFERS, Offers
from kibitz.table.protection import Buckets, Refusal, ServerLimits, too_many
from kibitz.table.schemas import BotSeat, TableAsked, TableShown
from kibitz.table.sessions import Session
from kibitz.table.setup import Setup, table_rules

log = logging.getLogger("kibitz.table")

ID_BYTES = 12
WORKERS = 4  # threads in which bots think
WAITERS = 8  # threads that wait for outside bots, of which fewer than there may be processes
OPENERS = 2  # threads in which tables are opened and brought back
PACE = 0.3  # seconds between the moves of bots that play among themselves
IDLE_SECONDS = 900.0  # until a table without visitors leaves the memory
CROWDED_SECONDS = 60.0  # until it does so when there is no room for another
LISTED = 50

Result = TypeVar("Result")


class OpenTables:
    """Every table in memory, by its name, and the threads in which bots think and games are opened."""

    def __init__(self, keeper: Keeper, limits: ServerLimits, pace: float = PACE, offers: Offers = NO_OFFERS) -> None:
        self.keeper, self.limits, self.pace, self.offers = keeper, limits, pace, offers
        self.tables: dict[str, GameTable] = {}
        self._loading: dict[str, asyncio.Task[GameTable]] = {}
        self._opened = Buckets(limits.tables)
        self._workers = ThreadPoolExecutor(WORKERS, thread_name_prefix="kibitz-bot")
        self._waiters = ThreadPoolExecutor(WAITERS, thread_name_prefix="kibitz-outside")
        self._openers = ThreadPoolExecutor(OPENERS, thread_name_prefix="kibitz-opening")

    async def work(self, function: Callable[..., Result], *args: Any) -> Result:
        """Let a thread do what may take a while."""
        return await asyncio.get_running_loop().run_in_executor(self._workers, function, *args)

    async def wait(self, function: Callable[..., Result], *args: Any) -> Result:
        """The same for what outside bots are asked: however slow they are, our own bots go on thinking."""
        return await asyncio.get_running_loop().run_in_executor(self._waiters, function, *args)

    async def prepare(self, function: Callable[..., Result], *args: Any) -> Result:
        """The same for what comes before a game, in threads of its own: nobody waits for bots at other tables."""
        return await asyncio.get_running_loop().run_in_executor(self._openers, function, *args)

    async def open(self, asked: TableAsked, session: Session) -> tuple[GameTable, int | None]:
        """A new table, and the seat of who opened it."""
        setup = await self.prepare(setup_of, asked, self.offers)
        seat = asked.seat if asked.seat is not None or asked.start is None else asked.start.seat
        if seat is not None and seat not in setup.persons:
            raise BadValue(f"seat {seat} is not a person's; choose one of {', '.join(map(str, setup.persons)) or 'none: all are bots'}.")
        people = {} if seat is None else {seat: (session.digest, session.name)}
        return await self.begin(setup, session.digest, people), seat

    def take_token(self, owner: str) -> None:
        """Count a table that somebody wants to open, and refuse it if there were too many. To be called before `open` and `begin`."""
        wait = self._opened.take(owner)
        if wait:
            raise too_many("tables", wait)

    async def begin(self, setup: Setup, owner: str, people: dict[int, tuple[str, str]]) -> GameTable:
        """A new table for these people, unless its owner has opened too many today."""
        if await self.keeper.read(kept_tables.count_tables, owner, time.time() - 86_400) >= self.limits.tables_a_day:
            raise Refusal(429, f"you have opened {self.limits.tables_a_day} tables today; come back tomorrow.", 3600.0)
        self._make_room()
        live = await self.prepare(new_game, setup, people)
        kept = KeptTable(
            secrets.token_urlsafe(ID_BYTES), setup_text(setup), owner, time.time(), people, [list(deal) for deal in live.deals]
        )
        await self.keeper.write(kept_tables.keep_table, kept)
        table = self.tables[kept.id] = GameTable(self, kept, live)
        table.wake()
        return table

    async def find(self, name: str) -> GameTable:
        """A table by its name, from memory or from the store."""
        if name in self.tables:
            return self.tables[name]
        if name not in self._loading:
            self._loading[name] = task = asyncio.create_task(self._load(name))
            task.add_done_callback(lambda _: self._loading.pop(name, None))
        return await asyncio.shield(self._loading[name])

    async def _load(self, name: str) -> GameTable:
        kept = await self.keeper.read(kept_tables.read_table, name)
        if kept is None:
            raise Refusal(404, "there is no such table; its link may be incomplete.")
        self._make_room()
        live = await self.prepare(old_game, kept, self.offers)
        table = self.tables[name] = GameTable(self, kept, live)
        table.wake()
        return table

    async def mine(self, session: Session) -> list[TableShown]:
        """Somebody's tables, the newest first."""
        found = []
        for kept in await self.keeper.read(kept_tables.tables_of, session.digest, LISTED):
            table = self.tables.get(kept.id)
            if table is not None:
                found.append(table.shown(session))
            else:
                try:
                    setup = kept_setup(kept)
                except StoreError as error:  # the others can still be found
                    log.error("%s", error)
                    continue
                present = [bot is not None for bot in setup["seats"]]
                found.append(shown_table(kept, setup, session, present, kept.finished))
        return found

    def rename(self, session: Session) -> None:
        """Call somebody by another name at every table in memory."""
        for table in self.tables.values():
            table.rename(session)

    def forget_idle(self, seconds: float | None = None) -> None:
        """Let tables go that nobody has looked at for a while; the store has them. Those that it has not are tried to be kept once more."""
        before = time.monotonic() - (IDLE_SECONDS if seconds is None else seconds)
        for name, table in list(self.tables.items()):
            if table.is_idle and table.used < before and table.keep_again() is None:
                del self.tables[name]
                self._openers.submit(table.live.close)

    def rest_bots(self) -> None:
        """End processes of outside bots that nobody has asked for a while; they are started again when they are asked."""
        self._openers.submit(self.offers.processes.rest)

    def _make_room(self) -> None:
        """Only so many tables are in memory."""
        if len(self.tables) >= self.limits.tables_in_memory:
            self.forget_idle(CROWDED_SECONDS)
        if len(self.tables) >= self.limits.tables_in_memory:
            raise Refusal(429, "as many tables are played at as this server can hold; try again in a while.", CROWDED_SECONDS)

    async def close(self) -> None:
        """Stop all bots and send everybody home."""
        for table in list(self.tables.values()):
            try:
                await table.close()
            except Exception:  # the others are closed all the same
                log.exception("table %s", table.id)
            for connection in list(table.connections):
                connection.go_away(GOING_AWAY, "the server has ended; the table is kept.")
        await asyncio.to_thread(self.offers.processes.close)
        for threads in (self._workers, self._waiters, self._openers):
            threads.shutdown(wait=False, cancel_futures=True)


def setup_of(asked: TableAsked, offers: Offers = NO_OFFERS) -> Setup:
    """What is to be played, checked."""
    seats = tuple(seat.bot if isinstance(seat, BotSeat) else None for seat in asked.seats)
    if asked.start is not None:
        if asked.seed is not None:
            raise BadValue("a table that starts from a record has the record's cards; leave out the seed.")
        if seats.count(None) > 1:
            raise BadValue("a record tells all cards, so who chose it would know them; start from it where one person plays.")
        setup = Setup.of_written(asked.start.record, asked.start.position, seats, offers)
        if asked.game != setup.game:
            raise BadValue(f"the record is of {setup.game}, but the table plays {asked.game}.")
        if asked.rules is not None and table_rules(asked.rules, asked.game) != setup.parsed_rules:
            raise BadValue(f"the record is played by {setup.rules}, but the table by {asked.rules}; leave out the rules.")
        if asked.to is not None:
            raise BadValue(f"to={asked.to}: a table that starts from a record plays one deal.")
        return setup
    if asked.seed is not None and seats.count(None) > 1:
        raise BadValue("a seed decides the cards, so who chose it would know them; leave it out where several people play.")
    rules = table_rules(asked.rules or registry.game(asked.game).default_rules, asked.game).to_text()
    secret = new_secret() if asked.seed is None else ""
    return Setup(asked.game, rules, seats, asked.seed, asked.to, secret=secret, offers=offers)
