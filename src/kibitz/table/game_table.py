"""One table: its game, the people at it, and a task that moves the bots while no person must.

One change happens at a time. What a person does is put into the store before that person is told that it is done, with all that
happened before.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from kibitz import registry
from kibitz.core.errors import BadValue, KibitzError
from kibitz.core.seeds import new_secret
from kibitz.play.seat import is_search
from kibitz.runs import kept_tables as kept_tables
from kibitz.runs.database import StoreError
from kibitz.runs.kept_tables import KeptTable
from kibitz.table.charges import Charges
from kibitz.table.connection import Connection, as_text
from kibitz.table.live import LiveGame, TakenAction
from kibitz.table.offered import NO_OFFERS, Offers
from kibitz.table.schemas import SeatShown, TableShown
from kibitz.table.sessions import Session
from kibitz.table.setup import Setup
from kibitz.table.viewer_messages import people_message, position_message, update_message

if TYPE_CHECKING:
    from kibitz.table.open_tables import OpenTables

log = logging.getLogger("kibitz.table")

JUMP_SECONDS = 20.0  # to jump in, while a bot waits with its turn
DEAL_PACE = 5.0  # seconds before the next deal of bots that play among themselves
MOST_NOTES = 100  # of one seat in one deal

Result = TypeVar("Result")


def usual_bot(game: str) -> str:
    """Who takes an empty seat if nobody is named."""
    face = registry.game(game).face
    return face.table_bot or (face.usual_bots or registry.BUILT_IN[game])[0]


class GameTable:
    """One table. Everything that changes it runs under its lock, in the event loop's thread but for the game's own work."""

    def __init__(self, tables: OpenTables, kept: KeptTable, live: LiveGame) -> None:
        self.tables, self.kept, self.live = tables, kept, live
        self.lock = asyncio.Lock()
        self.connections: set[Connection] = set()
        self.used = time.monotonic()
        self._stored = [len(actions) for actions in live.deals]  # how many actions of each deal are in the store
        self._unkept = False  # something could not be written
        self._unwritten: set[asyncio.Future[None]] = set()  # changes on their way to the store
        self._searches, self._waits = _searches(live), _waits(live)
        self._driver: asyncio.Task[None] | None = None
        self._patience: tuple[tuple[int, int], asyncio.TimerHandle] | None = None  # with whom has a chance to jump in at some position
        self._passing: asyncio.Task[None] | None = None

    @property
    def is_idle(self) -> bool:
        """Whether nobody is here, nothing happens and all is written."""
        return not self.connections and not self.lock.locked() and self._driver is None and not self._unwritten

    @property
    def id(self) -> str:
        """Its unguessable name."""
        return self.kept.id

    @property
    def free_seats(self) -> list[int]:
        """Seats that wait for a person."""
        return [seat for seat in self.live.setup.persons if seat not in self.kept.people]

    @property
    def present(self) -> list[bool]:
        """Who is there, by seat; bots always are."""
        there = {connection.seat for connection in self.connections}
        return [bot is not None or seat in there for seat, bot in enumerate(self.live.setup.seats)]

    def seat_of(self, session: Session | None) -> int | None:
        """Where somebody sits."""
        mine = [seat for seat, (digest, _) in self.kept.people.items() if session is not None and digest == session.digest]
        return mine[0] if mine else None

    def shown(self, session: Session | None) -> TableShown:
        """The table from outside."""
        return shown_table(self.kept, self.live.setup, session, self.present, self.live.is_finished)

    # -- people --

    def connect(self, connection: Connection) -> None:
        """Somebody comes; the position is for them alone, that they are there for all."""
        self.used = time.monotonic()
        news = connection.seat is not None and not self.present[connection.seat]
        self.connections.add(connection)
        connection.send(self._position(connection.seat))
        if self.kept.following:
            connection.send({"type": "moved", "table": self.kept.following})
        if news:
            self._tell_people(but=connection)
        self.wake()

    def disconnect(self, connection: Connection) -> None:
        """Somebody goes."""
        self.used = time.monotonic()
        self.connections.discard(connection)
        if connection.seat is not None and not self.present[connection.seat]:
            self._tell_people()

    async def sit(self, session: Session, seat: int | None) -> int:
        """Take a free seat; who has one keeps it."""
        async with self.lock:
            mine = self.seat_of(session)
            if mine is not None:
                if seat in (None, mine):
                    return mine
                raise BadValue(f"you have seat {mine} at this table already; one person has one seat.")
            free = self.free_seats
            if seat is None and not free:
                raise BadValue("no seat is free at this table; you can look on.")
            chosen = free[0] if seat is None else seat
            if chosen >= self.live.players:
                raise BadValue(f"seat {chosen} does not exist: seats are 0 to {self.live.players - 1}.")
            if chosen not in free:
                taken = self.kept.people.get(chosen)
                raise BadValue(f"seat {chosen} is taken by {taken[1] if taken else self.live.setup.seats[chosen]}.")
            self.kept.people[chosen] = (session.digest, session.name)
            self.live.rename(chosen, session.name)
            await self._settled(self._write(kept_tables.keep_person, self.id, chosen, session.digest, session.name))
            for connection in self.connections:
                if connection.session == session.digest:
                    connection.seat = chosen
                    connection.send({"type": "welcome", "seat": chosen, "name": session.name})
            self._send_positions()
        self.wake()
        return chosen

    async def fill(self, session: Session, bot: str | None) -> None:
        """Put bots into the seats that nobody has taken, which whoever opened the table may do."""
        async with self.lock:
            if session.digest != self.kept.owner:
                raise BadValue("only who opened the table can fill its free seats with bots.")
            free = self.free_seats
            if not free:
                raise BadValue("no seat is free at this table.")
            chosen = bot or usual_bot(self.live.setup.game)
            seats = tuple(chosen if seat in free else taken for seat, taken in enumerate(self.live.setup.seats))
            self.live = await self.tables.prepare(new_game, replace(self.live.setup, seats=seats), self.kept.people)
            self.kept.setup = setup_text(self.live.setup)
            self._searches, self._waits = _searches(self.live), _waits(self.live)
            await self._settled(self._write(kept_tables.keep_setup, self.id, self.kept.setup))
            self._send_positions()
        self.wake()

    def rename(self, session: Session) -> None:
        """Call somebody by another name."""
        seat = self.seat_of(session)
        if seat is not None:
            self.kept.people[seat] = (session.digest, session.name)
            self.live.rename(seat, session.name)
            self._tell_people()

    # -- what happens --

    async def act(self, connection: Connection, deal: int, position: int, action: str) -> bool:
        """A person's action at the position that the person saw; whether it is kept, as of all below."""
        async with self.lock:
            seat = self._acting_seat(connection)
            if (deal, position) != (self.live.deal, self.live.position):
                raise BadValue(
                    f"that was for position {position} of deal {deal}, but the table is at position {self.live.position} of deal {self.live.deal}."
                )
            step = await self._work(self.live.act, seat, action)
            written = self._happened(step)
        self.wake()
        return await self._settled(written)

    async def next_deal(self, connection: Connection) -> bool:
        """On with the contest."""
        async with self.lock:
            self._acting_seat(connection)
            kept = await self._next_deal()
        self.wake()
        return kept

    async def _next_deal(self) -> bool:
        await self._work(self.live.next_deal)
        self._stored.append(0)
        self._send_positions()
        return await self._settled(self._write(kept_tables.keep_deals, self.id, len(self.live.deals)))

    async def again(self, connection: Connection) -> bool:
        """A new table for the same people, after the end; everybody is told where it is."""
        async with self.lock:
            owns = connection.session is not None and connection.session == self.kept.owner
            if connection.seat is None and not (self.live.is_open and owns):
                raise BadValue("only who plays at this table can ask for another game.")
            if not self.live.is_finished:
                raise BadValue("the game is not finished yet.")
            kept = True
            if self.kept.following is None:
                setup = replace(self.live.setup, seed=None, secret=new_secret(), offers=self.tables.offers)
                self.tables.take_token(self.kept.owner)
                table = await self.tables.begin(setup, self.kept.owner, dict(self.kept.people))
                self.kept.following = table.id
                kept = await self._settled(self._write(kept_tables.keep_following, self.id, table.id))
                self._send_all({"type": "moved", "table": table.id})
            return kept

    async def note(self, connection: Connection, place: int, text: str) -> bool:
        """A person's note on an own card, for nobody else."""
        async with self.lock:
            if connection.seat is None:
                raise BadValue("only who plays can make notes.")
            if not self.live.definition.face.has_notes:
                noted = [registry.game(name) for name in registry.BUILT_IN]
                raise BadValue(f"notes go on cards of {' and '.join(game.title for game in noted if game.face.has_notes)}.")
            key = (self.live.deal, connection.seat)
            notes = self.kept.notes.setdefault(key, {})
            if text and place not in self._own_places(connection.seat):
                raise BadValue(f"card {place} is not in your hand; notes go on your own cards.")
            if text and place not in notes and len(notes) >= MOST_NOTES:
                raise BadValue(f"{MOST_NOTES} notes are enough; take one away first.")
            if any(ord(sign) < 32 or 0xD800 <= ord(sign) < 0xE000 for sign in text):
                raise BadValue("a note is one line of plain text.")
            if text:
                notes[place] = text
            else:
                notes.pop(place, None)
            written = self._write(kept_tables.keep_note, self.id, *key, place, text)
            self._send_to(connection.seat, {"type": "notes", "notes": self._notes(connection.seat)})
        return await self._settled(written)

    def _own_places(self, seat: int) -> list[int]:
        """Where the cards of a hand were in the deck."""
        with self.live.shown(seat) as view:
            return [card["place"] for card in self.live.definition.wire.view_message(view)["hands"][seat]]

    def advised_seat(self, connection: Connection) -> int | None:
        """The seat for which somebody may have advice: one's own, if it is to act. Where all is open, None: whoever is to act."""
        if self.live.is_open:
            return None
        seat = self._acting_seat(connection)
        if not self.live.legal_names(seat):
            raise BadValue("there is nothing for you to decide just now.")
        return seat

    def _acting_seat(self, connection: Connection) -> int:
        if connection.seat is None:
            raise BadValue("you look on at this table; only who has a seat can do that.")
        if self.free_seats:
            raise BadValue(f"the table waits for somebody in seat {self.free_seats[0]}; send the link, or fill it with a bot.")
        return connection.seat

    # -- bots --

    async def _work(self, function: Callable[..., Result], *args: Any) -> Result:
        """Let the game do something: at once, or in a thread where a bot may think for long."""
        if self._waits:
            return await self.tables.wait(function, *args)
        return await self.tables.work(function, *args) if self._searches else function(*args)

    def wake(self) -> None:
        """See to it that bots move as long as they can, and that nobody waits without end for somebody who may jump in."""
        if self._driver is None and self._goes_on():
            self._driver = asyncio.create_task(self._drive())
        self._be_patient()

    def _goes_on(self) -> bool:
        live = self.live
        if live.is_open:  # bots alone play for those who look on
            return bool(self.connections) and not live.is_finished
        return self._is_played and not live.is_over and not live.waits_for_person

    @property
    def _is_played(self) -> bool:
        """Whether there is somebody who plays, and nobody missing whom the table waits for."""
        return any(connection.seat is not None for connection in self.connections) and not self.free_seats

    def _be_patient(self) -> None:
        """Give whoever holds up a bot's turn some time from now, once."""
        if not self.live.is_held_up or not self._is_played:
            return
        where = (self.live.deal, len(self.live.deals[-1]))
        if self._patience is not None:
            if self._patience[0] == where:
                return
            self._patience[1].cancel()
        self._patience = where, asyncio.get_running_loop().call_later(JUMP_SECONDS, self._lose_patience, where)

    def _lose_patience(self, where: tuple[int, int]) -> None:
        self._patience = None
        self._passing = asyncio.create_task(self._let_pass(where))

    async def _let_pass(self, where: tuple[int, int]) -> None:
        try:
            async with self.lock:
                if self._is_played and where == (self.live.deal, len(self.live.deals[-1])):
                    step = await self._work(self.live.let_pass)
                    if step is not None:
                        self._happened(step, soon=True)
            self.wake()
        except Exception:
            log.exception("table %s", self.id)

    async def _drive(self) -> None:
        try:
            while self._goes_on():
                async with self.lock:
                    if not self._goes_on():
                        break
                    over = self.live.is_over
                    if not over:
                        step = await self._work(self.live.bot_step)
                        if step is None:
                            break
                        self._happened(step, soon=True)  # a bot that is asked again answers the same
                if over:
                    await asyncio.sleep(DEAL_PACE)
                    async with self.lock:
                        await self._next_deal()
                else:
                    await asyncio.sleep(self.tables.pace if self.live.is_open else 0)
            self._be_patient()
        except KibitzError as error:  # a bot failed: the table stands still, and everybody knows why
            log.error("table %s: %s", self.id, error)
            self._send_all({"type": "error", "reason": str(error)})
        except Exception:
            log.exception("table %s", self.id)
            self._send_all({"type": "error", "reason": "the server failed at this table; its terminal says how."})
        finally:
            self._driver = None

    # -- keeping and telling --

    def _happened(self, step: TakenAction, soon: bool = False) -> asyncio.Future[None]:
        """Tell everybody of an action and have it written, at once or soon; done when a kill cannot undo it."""
        self.used = time.monotonic()
        deal, actions = len(self.live.deals) - 1, self.live.deals[-1]
        finished = self.live.is_finished
        self._keep_charges()
        written: asyncio.Future[None] | None = None
        for place in range(self._stored[-1], len(actions)):
            if place >= self._stored[-1]:  # the first change may have been the whole table
                written = self._write(kept_tables.keep_move, self.id, deal, place, actions[place], finished, soon=soon)
        self._stored[-1] = len(actions)
        assert written is not None  # an action was taken
        texts: dict[int | None, str | None] = {}
        for connection in sorted(self.connections, key=_spectators_last):
            viewer = connection.seat
            if viewer not in texts:
                message = update_message(self.live, step, viewer, self.id, self.present, self._notes(viewer))
                texts[viewer] = None if message is None else as_text(self._waiting(message))
            text = texts[viewer]
            if text is not None:
                connection.send_text(text)
        return written

    def _keep_charges(self) -> None:
        """Tell the server's owner what outside bots did wrong in the last step, and keep it together with the next action."""
        reports = self.live.take_reports()
        for report in reports:
            log.warning("table %s: %s", self.id, report.in_full())
        if reports:
            self.kept.setup = setup_text(self.live.setup, self.live.charges)
            self._write(kept_tables.keep_setup, self.id, self.kept.setup, soon=True)

    def _write(self, change: Callable[..., None], *args: Any, soon: bool = False) -> asyncio.Future[None]:
        """Write a change; after one that failed, the whole table."""
        if self._unkept:
            self._unkept = False
            self._stored = [len(actions) for actions in self.live.deals]
            change, args = kept_tables.keep_table, (self._whole(),)
        keeper = self.tables.keeper
        future = (keeper.write_soon if soon else keeper.write)(change, *args)
        self._unwritten.add(future)
        future.add_done_callback(self._look_after)
        return future

    def _look_after(self, future: asyncio.Future[None]) -> None:
        self._unwritten.discard(future)
        if not future.cancelled() and (error := future.exception()) is not None:
            self._unkept = True
            log.error("table %s: %s", self.id, error)

    async def _settled(self, written: asyncio.Future[None]) -> bool:
        """Whether a change, with all before it, is kept; what is not is logged, and written with the next change."""
        try:
            await written
        except Exception:
            return False
        return not self._unkept

    def keep_again(self) -> asyncio.Future[None] | None:
        """Try once more to keep what could not be written; None if there is nothing."""
        return self._write(kept_tables.keep_table, self._whole()) if self._unkept else None

    def _whole(self) -> KeptTable:
        deals = [list(actions) for actions in self.live.deals]
        notes = {key: dict(texts) for key, texts in self.kept.notes.items()}
        return replace(self.kept, people=dict(self.kept.people), deals=deals, notes=notes, finished=self.live.is_finished)

    def _notes(self, viewer: int | None) -> dict[str, str] | None:
        if viewer is None or not self.live.definition.face.has_notes:
            return None
        return {str(place): text for place, text in self.kept.notes.get((self.live.deal, viewer), {}).items()}

    def _position(self, viewer: int | None) -> dict[str, Any]:
        return self._waiting(position_message(self.live, viewer, self.id, self.present, self._notes(viewer)))

    def _waiting(self, message: dict[str, Any]) -> dict[str, Any]:
        """A message of a table where somebody is missing yet: nobody is asked anything."""
        free = self.free_seats
        if free:
            message["kinds"] = ["free" if seat in free else kind for seat, kind in enumerate(message["kinds"])]
            if "legal" in message:
                message |= {"legal": [], "decision": None}
        message["waiting"] = free
        return message

    def _send_positions(self) -> None:
        texts: dict[int | None, str] = {}
        for connection in self.connections:
            if connection.seat not in texts:
                texts[connection.seat] = as_text(self._position(connection.seat))
            connection.send_text(texts[connection.seat])

    def _tell_people(self, but: Connection | None = None) -> None:
        text = as_text(self._waiting(people_message(self.live, self.present)))
        for connection in self.connections:
            if connection is not but:
                connection.send_text(text)

    def _send_all(self, message: dict[str, Any]) -> None:
        text = as_text(message)
        for connection in self.connections:
            connection.send_text(text)

    def _send_to(self, seat: int, message: dict[str, Any]) -> None:
        for connection in self.connections:
            if connection.seat == seat:
                connection.send(message)

    async def close(self) -> None:
        """Stop the bots, and keep what is not kept yet."""
        if self._patience is not None:
            self._patience[1].cancel()
        for task in (self._driver, self._passing):
            if task is not None:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        if self._unwritten:
            await asyncio.wait(self._unwritten)  # one of them may yet fail
        written = self.keep_again()
        if written is not None:
            await self._settled(written)


def _names(setup: Setup, people: dict[int, tuple[str, str]]) -> list[str]:
    return [bot or (people[seat][1] if seat in people else f"Player {seat + 1}") for seat, bot in enumerate(setup.seats)]


def new_game(setup: Setup, people: dict[int, tuple[str, str]]) -> LiveGame:
    """A game that begins."""
    return LiveGame(setup, names=_names(setup, people))


def old_game(kept: KeptTable, offers: Offers = NO_OFFERS) -> LiveGame:
    """A game as the store has it."""
    try:
        told = dict(kept_setup(kept))
        charges = Charges.from_json(told.pop("faults", []))
        setup = Setup.from_json(told, offers)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise _damaged_setup(kept) from error
    return LiveGame(setup, kept.deals, _names(setup, kept.people), charges)


def kept_setup(kept: KeptTable) -> dict[str, Any]:
    """What is played at a table, as the store keeps it: a JSON object with seats."""
    try:
        setup = json.loads(kept.setup)
    except (ValueError, RecursionError) as error:
        raise _damaged_setup(kept) from error
    if not isinstance(setup, dict) or not isinstance(setup.get("seats"), list):
        raise _damaged_setup(kept)
    return setup


def _damaged_setup(kept: KeptTable) -> StoreError:
    return StoreError(f"table {kept.id} cannot be brought back: its setup in the store is damaged; restore the store's file from a copy.")


def _spectators_last(connection: Connection) -> bool:
    return connection.seat is None


def _searches(live: LiveGame) -> bool:
    """Whether a bot at the table thinks ahead; others answer faster than a thread could be asked."""
    return any(entrant is not None and is_search(entrant) for entrant in live.setup.entrants)


def _waits(live: LiveGame) -> bool:
    """Whether a bot at the table is a process."""
    return any(offered.outside is not None for offered in live.setup.offered.values())


def setup_text(setup: Setup, charges: Charges | None = None) -> str:
    """What is played at a table, as the store keeps it, with what outside bots did wrong there."""
    faults = charges.to_json() if charges else []
    return json.dumps(setup.to_json() | ({"faults": faults} if faults else {}))


def shown_table(kept: KeptTable, setup: Setup | dict[str, Any], session: Session | None, present: list[bool], finished: bool) -> TableShown:
    """A table from outside, in memory or not."""
    told = setup.to_json() if isinstance(setup, Setup) else setup
    mine = [seat for seat, (digest, _) in kept.people.items() if session is not None and digest == session.digest]
    seats = []
    for seat, bot in enumerate(told["seats"]):
        person = kept.people.get(seat)
        kind = "bot" if bot is not None else "person" if person else "free"
        name = bot if bot is not None else person[1] if person else ""
        seats.append(SeatShown(seat=seat, kind=kind, name=name, present=present[seat]))  # type: ignore[arg-type]  # one of three
    waiting = any(seat.kind == "free" for seat in seats)
    return TableShown(
        table=kept.id,
        game=told["game"],
        rules=told["rules"],
        to=told["to"],
        seats=seats,
        you=mine[0] if mine else None,
        owner=session is not None and session.digest == kept.owner,
        status="over" if finished else "waiting" if waiting else "playing",
        made=kept.made,
        following=kept.following,
    )
