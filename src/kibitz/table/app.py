"""The web app of the table: every route, and what becomes of whatever goes wrong in one.

`create_app` puts the parts together: sessions, tables, runs and sockets share one store, and `Protection` stands before all of them.
An answer that is no success is always {"error": "one sentence"}.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

from fastapi import Body, Depends, FastAPI, Query, Request, WebSocket
from fastapi import Path as PathPart
from fastapi.exceptions import RequestValidationError
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Match, Route
from starlette.types import ASGIApp

from kibitz import __version__, registry
from kibitz.core.errors import KibitzError
from kibitz.runs.database import StoreError
from kibitz.table import catalogue, pages
from kibitz.table.addresses import Hosts, Proxies
from kibitz.table.browser_runs import Busy, Runs
from kibitz.table.film import Film, film_of_bots, film_of_live, film_of_run, film_of_text
from kibitz.table.json_input import Reader
from kibitz.table.keeping import Keeper
from kibitz.table.offered import NO_OFFERS, Offers
from kibitz.table.open_tables import PACE, OpenTables
from kibitz.table.protection import REPORT_POLICY, Buckets, Protection, Refusal, ServerLimits, error_body
from kibitz.table.requests import sentence
from kibitz.table.routes import CheckedRoute, first, takes
from kibitz.table.schemas import (
    AnyRunAsked,
    BotsAsked,
    Failure,
    FillAsked,
    FilmShown,
    GameShown,
    Health,
    RecordAsked,
    RunGiven,
    RunShown,
    RunsShown,
    SeatAsked,
    SessionAsked,
    SessionGiven,
    SessionShown,
    TableAsked,
    TableGiven,
    TableShown,
    TablesShown,
)
from kibitz.table.sessions import Session, Sessions
from kibitz.table.sockets import Sockets
from kibitz.table.warming import stop_compiling, warm_up

log = logging.getLogger("kibitz.table")

SWEEP_SECONDS = 60.0
FILMS_AT_ONCE = 2
MOST_WAITING = 4  # for films that bots play, one at a time
COMPRESSION = 6

TITLE = "The table's API"
ABOUT = (
    f"Play {' and '.join(registry.game(name).title for name in registry.BUILT_IN)}, watch bots, ask for advice, start and follow runs. A session is a token, sent as `Authorization: Bearer TOKEN`. "
    "422 means that a request does not have the shape described here, 409 that it has, but what it asks for cannot be done."
)

TableName = Annotated[str, PathPart(pattern="^[A-Za-z0-9_-]{16}$", description="The table's name, from its link.")]
RunNumber = Annotated[int, PathPart(ge=1, le=2**31, description="The run's number.")]
GameIndex = Annotated[int, PathPart(ge=0, le=2**31, description="Which game of the run, counted from 0 through all its parts.")]
DealNumber = Annotated[int, Query(ge=0, le=1000, description="Which deal of a contest, from 0.")]

_MEANINGS = {
    400: "The request cannot be read.",
    401: "There is no session with this token.",
    403: "Another site, or another name of this machine.",
    404: "There is no such thing.",
    408: "The request took too long to come.",
    409: "It cannot be done; the sentence says why.",
    413: "The request is too big.",
    422: "The request does not have the shape described here.",
    429: "Too much at once; Retry-After says how many seconds to wait.",
    500: "The server failed; its terminal says how.",
    503: "The store cannot be used just now.",
}


def _failures(*codes: int) -> dict[int | str, dict[str, Any]]:
    return {code: {"model": Failure, "description": _MEANINGS[code]} for code in sorted((*codes, 403, 422, 429, 500, 503))}


class Json(JSONResponse):
    """JSON for any text, also for halves of signs, which a request can bring."""

    def render(self, content: Any) -> bytes:
        """The answer's body."""
        return json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode("utf-8", "backslashreplace")


class Queue:
    """One after the other, with a look at how many wait."""

    def __init__(self) -> None:
        self._lock = asyncio.Lock()
        self.waiting = 0

    async def __aenter__(self) -> None:
        self.waiting += 1
        try:
            await self._lock.acquire()
        finally:
            self.waiting -= 1

    async def __aexit__(self, *error: object) -> None:
        self._lock.release()


class Services:
    """What routes work with."""

    def __init__(self, store: Path | None, limits: ServerLimits, pace: float, offers: Offers) -> None:
        self.limits, self.offers = limits, offers
        self.keeper = Keeper(store)
        self.sessions = Sessions(self.keeper)
        self.tables = OpenTables(self.keeper, limits, pace, offers)
        self.runs = Runs(self.keeper, limits.runs_at_once, limits.run_games)
        self.reader = Reader()
        self.sockets = Sockets(self.sessions, self.tables, self.runs, limits, self.reader)
        self.new_sessions, self.new_films, self.new_runs = Buckets(limits.sessions), Buckets(limits.films), Buckets(limits.runs)
        self.projectors = asyncio.Semaphore(FILMS_AT_ONCE)
        self.players = Queue()  # for films that bots play, which may take long
        self.replayers = Queue()  # for games of runs, which bots play again

    async def sweep(self) -> None:
        """Let go of what nobody uses."""
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            try:
                self.tables.forget_idle()
                self.tables.rest_bots()
                self.runs.tidy()
                await self.sessions.forget_old()
            except Exception:  # the next time it may go better
                log.exception("sweeping")

    async def close(self) -> None:
        """End everything in good order, each whatever becomes of the one before: the first is entered last."""
        async with AsyncExitStack() as ending:
            for part in (self.keeper, self.reader, self.runs, self.tables, self.sockets):
                ending.push_async_callback(part.close)


def create_app(
    store: Path | None = None,
    hosts: Hosts | None = None,
    limits: ServerLimits | None = None,
    pace: float = PACE,
    warm: bool = False,
    proxies: Proxies | None = None,
    offers: Offers = NO_OFFERS,
) -> FastAPI:
    """The app. Without a store everything is forgotten at the end; with `warm` bots are made ready while nobody waits for them.

    `offers` are the bots of the server's owner; their processes end with the app.
    """
    chosen = limits or ServerLimits()
    services = Services(store, chosen, pace, offers)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await services.keeper.open()
        async with AsyncExitStack() as ending:
            ending.push_async_callback(services.close)
            ending.push_async_callback(_end, asyncio.create_task(services.sweep()))
            ending.callback(stop_compiling)
            if warm:
                warm_up()
            yield

    class ProtectedApp(FastAPI):
        def build_middleware_stack(self) -> ASGIApp:
            return Protection(super().build_middleware_stack(), hosts or Hosts(), chosen, proxies)  # outside of what answers 500

    app = ProtectedApp(
        title=TITLE,
        description=ABOUT,
        version=__version__,
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        lifespan=lifespan,
        default_response_class=Json,
        separate_input_output_schemas=False,
    )
    app.router.route_class = CheckedRoute
    app.state.services = services
    _handle_errors(app)
    _add_pages(app)
    _add_sessions(app, services)
    _add_tables(app, services)
    _add_films(app, services)
    _add_runs(app, services)
    app.add_middleware(GZipMiddleware, minimum_size=1024, compresslevel=COMPRESSION)
    return app


async def _end(task: asyncio.Task[None]) -> None:
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task


# -- what goes wrong --


def _handle_errors(app: FastAPI) -> None:
    def answer(status: int, reason: str, headers: dict[str, str] | None = None) -> Response:
        return Response(error_body(reason), status, headers, "application/json")

    async def refused(request: Request, error: Exception) -> Response:
        assert isinstance(error, Refusal)
        return answer(error.status, error.reason, error.headers)

    async def misshapen(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return answer(422, sentence(error.errors()))

    async def impossible(request: Request, error: Exception) -> Response:
        if isinstance(error, StoreError):
            log.error("%s", error)
            return answer(503, "the store cannot be used just now; the server's terminal says why.")
        if isinstance(error, Busy):
            return answer(429, str(error), {"Retry-After": "30"})
        return answer(409, str(error))

    async def unknown(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        told = {
            "Not Found": "there is nothing at this address.",
            "Method Not Allowed": f"{request.method} is not possible at this address.",
            "There was an error parsing the body": "the request's body cannot be read as JSON.",
        }
        reason = told.get(str(error.detail), str(error.detail))
        headers = dict(error.headers or {})
        if error.status_code == 405:
            headers["Allow"] = ", ".join(sorted(_methods_at(app, request)))
        return answer(error.status_code, reason, headers)

    async def failed(request: Request, error: Exception) -> Response:
        return answer(500, "the server failed at this; its terminal says how.")

    app.add_exception_handler(Refusal, refused)
    app.add_exception_handler(RequestValidationError, misshapen)
    app.add_exception_handler(KibitzError, impossible)
    app.add_exception_handler(HTTPException, unknown)
    app.add_exception_handler(Exception, failed)


def _methods_at(app: FastAPI, request: Request) -> set[str]:
    """What can be done at an address, over all routes there."""
    there = [route for route in app.routes if isinstance(route, Route) and route.matches(request.scope)[0] != Match.NONE]
    return {method for route in there for method in route.methods or ()}


# -- pages --


def _add_pages(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def index() -> Response:
        return pages.index()

    @app.get("/api", include_in_schema=False)
    async def api() -> Response:
        return HTMLResponse(pages.api_page(app.openapi()), headers=pages.FRESH)

    @app.get("/api/style.css", include_in_schema=False)
    async def style() -> Response:
        return Response(pages.STYLE, media_type="text/css", headers=pages.FRESH)

    @app.get("/api/health", tags=["about"], responses=_failures())
    async def health() -> Health:
        """Whether the server is there."""
        return Health(ok=True, version=__version__, tables=len(app.state.services.tables.tables))

    @app.get("/api/games", tags=["about"], responses=_failures())
    async def games() -> list[GameShown]:
        """The games with all that one can choose: rules, switches, bots."""
        return await asyncio.to_thread(catalogue.games_with, app.state.services.offers)

    for name, folder in catalogue.own_folders().items():
        app.mount(f"/static/games/{name}", pages.Files(directory=folder), name=f"static of {name}")
    if pages.STATIC.is_dir():
        app.mount("/static", pages.Files(directory=pages.STATIC), name="static")


# -- sessions --

_BEARER = HTTPBearer(auto_error=False, description="The token of a session.", scheme_name="session")


async def _find_session(request: Request, _: Annotated[HTTPAuthorizationCredentials | None, Depends(_BEARER)] = None) -> Session:
    session = await _perhaps_session(request.app.state.services, request)
    if session is None:
        raise Refusal(401, "there is no session with this token; begin a new one.", headers={"WWW-Authenticate": "Bearer"})
    return session


Me = Annotated[Session, Depends(_find_session)]


async def _perhaps_session(services: Services, request: Request) -> Session | None:
    """Who asks, where that may also be nobody known."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    return await services.sessions.find(token.strip()) if kind.lower() == "bearer" else None


def _add_sessions(app: FastAPI, services: Services) -> None:
    @app.post("/api/sessions", status_code=201, tags=["sessions"], responses=_failures(400, 409, 413))
    @takes(services.new_sessions, "sessions")
    async def begin(asked: SessionAsked) -> SessionGiven:
        """Begin a session: be somebody with a name."""
        token, session = await services.sessions.begin(asked.name)
        return SessionGiven(token=token, name=session.name)

    @app.get("/api/sessions/me", tags=["sessions"], responses=_failures(401))
    async def me(session: Me) -> SessionShown:
        """Who one is."""
        return SessionShown(name=session.name)

    @app.patch("/api/sessions/me", tags=["sessions"], responses=_failures(400, 401, 409, 413))
    async def rename(asked: SessionAsked, session: Me) -> SessionShown:
        """Take another name."""
        renamed = await services.sessions.rename(session, asked.name)
        services.tables.rename(renamed)
        return SessionShown(name=renamed.name)


# -- tables --


def _add_tables(app: FastAPI, services: Services) -> None:
    @app.get("/api/tables", tags=["tables"], responses=_failures(401))
    async def mine(session: Me) -> TablesShown:
        """One's own tables, the newest first."""
        return TablesShown(tables=await services.tables.mine(session))

    async def take_table(request: Request) -> None:
        services.tables.take_token((await _find_session(request)).digest)

    @app.post("/api/tables", status_code=201, tags=["tables"], responses=_failures(400, 401, 409, 413))
    @first(take_table)
    async def begin(asked: TableAsked, session: Me) -> TableGiven:
        """Open a table. Seats for people wait for whoever comes by its link."""
        table, seat = await services.tables.open(asked, session)
        return TableGiven(table=table.id, seat=seat)

    @app.get("/api/tables/{table}", tags=["tables"], responses=_failures(404))
    async def show(table: TableName, request: Request) -> TableShown:
        """A table from outside: who sits there. With a session also which seat is one's own."""
        session = await _perhaps_session(services, request)
        return (await services.tables.find(table)).shown(session)

    @app.post("/api/tables/{table}/seat", tags=["tables"], responses=_failures(400, 401, 404, 409, 413))
    async def sit(table: TableName, asked: SeatAsked, session: Me) -> TableGiven:
        """Take a free seat; 409 if it is taken."""
        found = await services.tables.find(table)
        return TableGiven(table=table, seat=await found.sit(session, asked.seat))

    @app.post("/api/tables/{table}/fill", tags=["tables"], responses=_failures(400, 401, 404, 409, 413))
    async def fill(table: TableName, asked: FillAsked, session: Me) -> TableShown:
        """Start with bots: those seats that no person has taken get one. For who opened the table."""
        found = await services.tables.find(table)
        await found.fill(session, asked.bot)
        return found.shown(session)

    @app.websocket("/api/tables/{table}/live")
    async def live(socket: WebSocket, table: str) -> None:
        await services.sockets.at_table(socket, table)


# -- films --


async def _shown_film(request: Request, make: Callable[..., Film], *args: Any) -> Response:
    """A film as the answer, made ready to be sent in a thread: they are large. If it is cancelled, it still waits for the thread to end."""
    compresses = "gzip" in request.headers.get("accept-encoding", "")

    def ready() -> bytes:
        body = Json(make(*args).to_json()).body
        return gzip.compress(body, COMPRESSION) if compresses else bytes(body)

    making = asyncio.ensure_future(asyncio.to_thread(ready))
    try:
        body = await asyncio.shield(making)
    except asyncio.CancelledError:
        await asyncio.wait({making})
        making.exception()  # nobody waits for it any more
        raise
    headers = {"Vary": "Accept-Encoding"} | ({"Content-Encoding": "gzip"} if compresses else {})
    return Response(body, headers=headers, media_type="application/json")


async def _played_film(request: Request, queue: Queue, make: Callable[..., Film], *args: Any) -> Response:
    """A film that bots play now, in its turn. They stop when the client leaves, and only then it is the next one's turn."""
    if queue.waiting >= MOST_WAITING:
        raise Refusal(429, "too many films are waiting for bots to play them; try again in 20 s.", 20.0)
    stop = threading.Event()

    async def work() -> Response:
        async with queue:
            return await _shown_film(request, make, *args, stop)

    working, gone = asyncio.ensure_future(work()), asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((working, gone), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            return working.result()
        raise Refusal(408, "the client left before the film was ready.")
    finally:
        stop.set()
        for task in (working, gone):
            task.cancel()
        await asyncio.gather(working, gone, return_exceptions=True)


async def _gone(request: Request) -> None:
    """Wait until the client leaves."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _add_films(app: FastAPI, services: Services) -> None:
    shown: dict[int | str, dict[str, Any]] = {200: {"model": FilmShown, "description": "The film."}}

    @app.post("/api/films", tags=["films"], response_model=None, responses=shown | _failures(400, 409, 413))
    @takes(services.new_films, "films")
    async def film(asked: Annotated[RecordAsked | BotsAsked, Body()], request: Request) -> Response:
        """A film: of a record, or of a game that bots play now."""
        if isinstance(asked, RecordAsked):
            async with services.projectors:
                return await _shown_film(request, film_of_text, asked.record)
        return await _played_film(request, services.players, film_of_bots, asked)

    @app.get("/api/runs/{run:number}/games/{index:number}", tags=["films"], response_model=None, responses=shown | _failures(404, 409))
    @takes(services.new_films, "films")
    async def game(run: RunNumber, index: GameIndex, request: Request, deal: DealNumber = 0) -> Response:
        """The film of a game of a run; of a contest, of one of its deals."""
        return await _played_film(request, services.replayers, film_of_run, *await services.runs.game(run, index), deal)

    @app.get("/api/tables/{table}/film", tags=["films"], response_model=None, responses=shown | _failures(404, 409))
    @takes(services.new_films, "films")
    async def deal(table: TableName, request: Request, deal: DealNumber = 0) -> Response:
        """The film of a deal at a table that is over; it has its record when the whole game is finished."""
        found = await services.tables.find(table)
        async with services.projectors:
            return await _shown_film(request, film_of_live, found.live, deal)

    @app.websocket("/api/kibitz")
    async def kibitz(socket: WebSocket) -> None:
        await services.sockets.at_film(socket)


# -- runs --


def _add_runs(app: FastAPI, services: Services) -> None:
    @app.get("/api/runs", tags=["runs"], responses=_failures())
    async def listed() -> RunsShown:
        """The runs of the store, the newest first, without their rows."""
        return RunsShown(runs=await services.runs.listed())

    @app.post("/api/runs", status_code=201, tags=["runs"], responses=_failures(400, 409, 413))
    @takes(services.new_runs, "runs")
    async def start(asked: Annotated[AnyRunAsked, Body()]) -> RunGiven:
        """Start a run; at most two are played at once."""
        return RunGiven(run=await services.runs.start(asked))

    @app.get("/api/runs/{run:number}", tags=["runs"], responses=_failures(404))
    async def show(run: RunNumber) -> RunShown:
        """A run with what is known so far."""
        return await services.runs.show(run)

    @app.post("/api/runs/{run:number}/stop", tags=["runs"], responses=_failures(404, 409))
    async def stop(run: RunNumber) -> RunShown:
        """Stop a run that this server started; `kibitz resume` goes on with it."""
        await services.runs.stop(run)
        return await services.runs.show(run)

    @app.post("/api/runs/{run:number}/resume", tags=["runs"], responses=_failures(404, 409))
    @takes(services.new_runs, "runs")
    async def resume(run: RunNumber) -> RunShown:
        """Go on with a run that was interrupted or killed, where its bots are ours."""
        await services.runs.resume(run)
        return await services.runs.show(run)

    page: dict[int | str, dict[str, Any]] = {200: {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "The page."}}

    @app.get("/api/runs/{run:number}/report", tags=["runs"], response_model=None, responses=page | _failures(404, 409))
    async def report(run: RunNumber) -> Response:
        """A run as one page to read, print or send."""
        text = await services.runs.report(run)
        return HTMLResponse(text, headers={"Content-Security-Policy": REPORT_POLICY, **pages.FRESH})

    @app.websocket("/api/runs/{run:number}/live")
    async def live(socket: WebSocket, run: int) -> None:
        await services.sockets.at_run(socket, run)
