"""The table under load: python benchmarks/table.py [--tables 100] [--spectators 1000] [--seconds 20]

A real server process and real WebSockets on this machine. How long a person's move takes there and back while many tables play, with
bots alone that are watched and with people who answer at once; how soon the first advice comes; what idle spectators cost; how big the
first page is. Nothing in the tests depends on these numbers: machines differ, and this one may be busy.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Coroutine, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

TABLES_OF_ONE = 25  # tables of one session: fewer than the server lets one have at once
BOTS = ("mix2", "mix2", "greedy")


@contextmanager
def running_server() -> Iterator[tuple[str, int]]:
    """A server's address and process."""
    command = [sys.executable, "-m", "kibitz", "table", "--no-open", "--no-store", "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        assert found
        yield found[0].rstrip("/"), process.pid
    finally:
        process.terminate()
        process.wait()


class Visitor:
    """Opens tables, as somebody new for every 25 of them."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.client = httpx.AsyncClient(base_url=address, timeout=300)
        self.token, self.opened = "", 0

    async def open(self, seats: list[dict[str, Any]], seat: int | None, game: str = "uno") -> tuple[str, str]:
        """A new table, and the token of who opened it."""
        if self.opened % TABLES_OF_ONE == 0:
            self.token = (await self._ask("/api/sessions", {"name": "Load"}))["token"]
        self.opened += 1
        asked = {"game": game, "seats": seats, "seat": seat}
        return (await self._ask("/api/tables", asked))["table"], self.token

    async def _ask(self, path: str, body: Any) -> Any:
        while True:
            response = await self.client.post(path, json=body, headers={"Authorization": f"Bearer {self.token or None}"})
            if response.status_code != 429:
                response.raise_for_status()
                return response.json()
            await asyncio.sleep(float(response.headers["Retry-After"]))

    @asynccontextmanager
    async def socket(self, table: str, token: str | None = None) -> AsyncIterator[ClientConnection]:
        """A connection to a table, after hello."""
        url = f"{self.address.replace('http', 'ws')}/api/tables/{table}/live"
        async with AsyncExitStack() as stack:
            while True:
                try:
                    connection = await stack.enter_async_context(connect(url, compression=None, max_queue=None, ping_interval=None))
                    break
                except InvalidStatus:  # too fast
                    await asyncio.sleep(1.0)
            await connection.send(json.dumps({"type": "hello", "token": token}))
            yield connection


async def play(visitor: Visitor, table: str, token: str, trips: list[float], think: float = 0.0) -> None:
    """Somebody who takes the first legal action at once, or after a while, and another game after the end, until cancelled."""
    number = 0
    while True:
        async with visitor.socket(table, token) as socket:
            position: dict[str, Any] = {"legal": [], "over": None}
            while True:
                if position["over"]:
                    number += 1
                    await socket.send(json.dumps({"type": "again", "id": number}))
                    while (message := json.loads(await socket.recv()))["type"] not in ("moved", "refused"):
                        pass
                    if message["type"] == "refused":  # too many games
                        await asyncio.sleep(1.0)
                        continue
                    table = message["table"]
                    break
                if not position["legal"]:
                    message = json.loads(await socket.recv())
                    if message["type"] in ("position", "update"):
                        position = message
                    continue
                if think:
                    await asyncio.sleep(think)
                number += 1
                asked = {
                    "type": "act",
                    "id": number,
                    "deal": position["deal"],
                    "position": position["position"],
                    "action": position["legal"][0],
                }
                begun = time.perf_counter()
                await socket.send(json.dumps(asked))
                while (message := json.loads(await socket.recv()))["type"] not in ("done", "refused"):
                    if message["type"] == "update":
                        position = message
                assert message["type"] == "done", message
                trips.append(time.perf_counter() - begun)


async def watch(visitor: Visitor, table: str, seats: list[dict[str, Any]], times: list[float], ready: asyncio.Semaphore) -> None:
    """Somebody who looks on at bots, at one table after the other, until cancelled, and notes when a move was seen."""
    while True:
        async with visitor.socket(table) as socket:
            over = False
            while not over:
                message = json.loads(await socket.recv())
                if message["type"] == "update":
                    times.append(time.perf_counter())
                over = bool(message.get("over"))
        async with ready:
            table, _ = await visitor.open(seats, None)


async def for_seconds(seconds: float, *work: Coroutine[Any, Any, None]) -> None:
    """Let people play and look on for so long; a failure of one ends it."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            for person in work:
                group.create_task(person)


def percentile(values: list[float], share: float) -> float:
    """A percentile, in milliseconds."""
    return 1000 * sorted(values)[min(len(values) - 1, int(share * len(values)))]


async def load(address: str, tables: int, seconds: float, people: bool) -> None:
    """So many tables that play for so long; says when they begin, and at the end how many moves there were."""
    visitor = Visitor(address)
    seats = with_person() if people else [{"bot": bot} for bot in BOTS]
    opened = [await visitor.open(seats, 0 if people else None) for _ in range(tables)]
    print("ready", flush=True)
    moves: list[float] = []
    if people:
        await for_seconds(seconds, *(play(visitor, table, token, moves) for table, token in opened))
    else:
        ready = asyncio.Semaphore(4)
        await for_seconds(seconds, *(watch(visitor, table, seats, moves, ready) for table, _ in opened))
    print(len(moves), flush=True)
    await visitor.client.aclose()


def with_person() -> list[dict[str, Any]]:
    """Seats of a table with one person."""
    return [{"person": True}, *({"bot": bot} for bot in BOTS[1:])]


async def round_trips(visitor: Visitor, process: int, tables: int, seconds: float, report: Table, people: bool) -> None:
    """A person's moves at five more tables while others play, who are a process of their own."""
    measured = [await visitor.open(with_person(), 0) for _ in range(5)]
    kind = "people" if people else "bots"
    words = ["--load", kind, "--address", visitor.address, "--tables", str(tables), "--seconds", str(seconds + 4)]
    others = await asyncio.create_subprocess_exec(sys.executable, __file__, *words, stdout=asyncio.subprocess.PIPE)
    assert others.stdout is not None
    assert (await others.stdout.readline()).strip() == b"ready"
    await asyncio.sleep(2.0)  # until all are there
    busy, trips = seconds_of(process), list[float]()
    await for_seconds(seconds, *(play(visitor, table, token, trips, 0.1) for table, token in measured))
    busy = seconds_of(process) - busy
    moves = int((await others.communicate())[0])
    what = f"{tables} people who answer at once" if people else f"{tables} watched tables of bots"
    rate = f"{moves / (seconds + 4):,.0f} moves/s of {'theirs' if people else 'the bots'}"
    report.add_row(f"a move there and back beside {what}, p50", f"{percentile(trips, 0.5):.1f} ms", "", f"{len(trips)} moves; {rate}")
    report.add_row(
        f"a move there and back beside {what}, p95",
        f"{percentile(trips, 0.95):.1f} ms",
        "" if people else "50 ms",
        f"the server used {100 * busy / seconds:.0f} % of a processor",
    )


async def first_advice(visitor: Visitor, report: Table, asks: int = 20) -> None:
    """How soon the first estimate comes."""
    for game, bot in (("uno", "mix2"), ("hanabi", "van_den_bergh")):
        waits: list[float] = []
        table, token = await visitor.open([{"person": True}, {"bot": bot}, {"bot": bot}], 0, game)
        async with visitor.socket(table, token) as socket:
            position: dict[str, Any] = {"legal": [], "over": None}
            number = 0
            while len(waits) < asks + 1 and not position["over"]:
                while not position["legal"] and not position["over"]:
                    message = json.loads(await socket.recv())
                    position = message if message["type"] in ("position", "update") else position
                if position["over"]:
                    break
                number += 1
                begun = time.perf_counter()
                await socket.send(json.dumps({"type": "advise", "id": number, "bots": []}))
                while (message := json.loads(await socket.recv())).get("reply") != number:
                    pass
                waits.append(time.perf_counter() - begun)
                number += 1
                await socket.send(json.dumps({"type": "stop", "id": number}))
                number += 1
                asked = {
                    "type": "act",
                    "id": number,
                    "deal": position["deal"],
                    "position": position["position"],
                    "action": position["legal"][-1],
                }
                position = {**position, "legal": []}
                await socket.send(json.dumps(asked))
        report.add_row(
            f"first advice in {game}, p95",
            f"{percentile(waits[1:], 0.95):.0f} ms",
            "300 ms",
            f"{len(waits) - 1} times, after the first: {1000 * waits[0]:.0f} ms",
        )


def memory_of(process: int) -> float:
    """Megabytes that a process has in memory."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text(encoding="utf-8"))
    return int(found[1]) / 1024 if found else 0.0


def seconds_of(process: int) -> float:
    """Processor seconds that a process has used."""
    fields = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


async def idle_spectators(visitor: Visitor, process: int, count: int, report: Table) -> None:
    """What it costs that many look on at one table."""
    table, token = await visitor.open([{"person": True}, {"bot": "mix2"}], 0)
    before = memory_of(process)
    async with AsyncExitStack() as stack:
        sockets = []
        for _ in range(count):
            socket = await stack.enter_async_context(visitor.socket(table))
            while json.loads(await socket.recv())["type"] != "position":
                pass
            sockets.append(socket)
        after = memory_of(process)
        trips: list[float] = []
        await for_seconds(5.0, play(visitor, table, token, trips, 0.2))
        with suppress(ConnectionClosed, TimeoutError):
            await asyncio.wait_for(sockets[-1].recv(), 5.0)
        report.add_row(f"{count:,} idle spectators", f"{after - before:.0f} MB", "500 MB", f"the server has {after:.0f} MB with them")
        report.add_row(f"a move there and back that {count:,} see, p95", f"{percentile(trips, 0.95):.1f} ms", "", f"{len(trips)} moves")


async def first_page(visitor: Visitor, report: Table) -> None:
    """What a browser loads before it can show anything: the page, and all that it and its modules name."""
    waiting, seen, size = ["/"], set(), 0
    begun = time.perf_counter()
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        async with visitor.client.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as response:
            if response.status_code != 200:
                continue
            size += sum([len(piece) async for piece in response.aiter_raw()])
        text = (await visitor.client.get(path)).text
        named = re.findall(r"""(?:src|href|from|import)\s*=?\s*\(?["']([^"'#:]+\.(?:js|css|svg|webmanifest|woff2))["']""", text)
        waiting += [str(httpx.URL(f"http://x{path}").join(name).path) for name in named]
    report.add_row(
        "first page in all, as sent", f"{size / 1000:.0f} kB", "200 kB", f"{len(seen)} files in {time.perf_counter() - begun:.2f} s"
    )


async def usable_page(address: str, report: Table, visits: int = 5) -> None:
    """How long a browser with nothing in its cache needs until a game can be started, and until a table can be played at."""
    browsers = [shutil.which(name) for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")]
    try:
        from playwright.async_api import async_playwright
    except ImportError:
        report.add_row("first page usable in a browser", "", "1 s", "not measured: that needs Playwright")
        return
    lobby, table = list[float](), list[float]()
    async with async_playwright() as playwright:
        program = next((path for path in browsers if path), None)
        browser = await playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        for _ in range(visits):
            page = await (await browser.new_context()).new_page()
            begun = time.perf_counter()
            await page.goto(address)
            deal = page.locator(".new-table button[type=submit]:enabled")
            await deal.wait_for()
            lobby.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            await deal.click()
            await page.locator(".hand-card").first.wait_for()
            table.append(time.perf_counter() - begun)
            await page.context.close()
        await browser.close()
    report.add_row("lobby usable in a browser, slowest", f"{1000 * max(lobby):.0f} ms", "1 s", f"{visits} visits, nothing cached")
    report.add_row("from there to the own cards, slowest", f"{1000 * max(table):.0f} ms", "", "")


async def measure(address: str, process: int, tables: int, spectators: int, seconds: float) -> Table:
    """Every figure."""
    report = Table("what", "found", "wanted", "", title="kibitz table under load", title_justify="left")
    visitor = Visitor(address)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with suppress(httpx.TransportError):
            await visitor.client.get("/api/health")
            break
        await asyncio.sleep(0.1)
    with Console(stderr=True).status("the first page …") as status:
        await first_page(visitor, report)
        await usable_page(address, report)
        status.update("advice …")
        await first_advice(visitor, report)
        status.update(f"{spectators:,} spectators …")
        await idle_spectators(visitor, process, spectators, report)
        for people in (False, True):
            status.update(f"{tables} tables of {'people' if people else 'bots'} for {seconds:.0f} s …")
            await round_trips(visitor, process, tables, seconds, report, people)
    await visitor.client.aclose()
    return report


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--spectators", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--load", choices=("people", "bots"), help=argparse.SUPPRESS)
    parser.add_argument("--address", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.load:
        asyncio.run(load(chosen.address, chosen.tables, chosen.seconds, chosen.load == "people"))
        return
    with running_server() as (address, process):
        report = asyncio.run(measure(address, process, chosen.tables, chosen.spectators, chosen.seconds))
    Console(width=160).print(report)


if __name__ == "__main__":
    main()
