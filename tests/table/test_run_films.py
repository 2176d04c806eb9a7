"""Films of games that bots play, now or again: they are bounded in time and memory, and stop when nobody waits for them."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from kibitz.play.game import PlayedContest, PlayedGame, deals_of, play
from kibitz.play.record import record_of
from kibitz.runs.database import open_store
from kibitz.runs.store import begin
from kibitz.runs.units import Unit
from kibitz.table.app import create_app
from tests.table.clients import LOOSE, opened
from tests.table.serving import served

ENDLESS: dict[str, Any] = {"command": "match", "game": "uno", "bots": ["random", "random"], "players": 2, "against": None, "games": 30}
ENDLESS |= {"seed": 5, "rules": "classic", "seating": "random", "to": "999999+", "jit": True, "folder": "/", "files": {}}
BOTS = {"bots": ["random", "random"], "seed": 5}
SECONDS = 30.0  # until a test gives up


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one run of endless contests, of which games 0 to 9 and 20 to 29 were played."""
    path = tmp_path / "kibitz.db"
    with open_store(path) as kept, begin(kept, "match", ENDLESS, "kibitz match random random --to 999999+", 30) as ledger:
        for unit in (Unit(0, 10), Unit(20, 10)):
            ledger.keep(0, unit, b"")
        ledger.interrupt()
    return path


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """For each deal that is played again, how many deals are in memory then; after eight of them it fails."""
    held: list[int] = []

    def counted(contest: PlayedContest, *args: Any) -> Iterator[PlayedGame]:
        for game in deals_of(contest, *args):
            held.append(len(contest.deals))
            assert len(held) < 8, "the contest goes on and on"
            yield game

    monkeypatch.setattr("kibitz.experiments.stored_games.deals_of", counted)
    return held


def test_only_the_deals_up_to_the_one_asked_for_are_played(store: Path, played: list[int]) -> None:
    with opened(store) as client:
        first, third = (client.get("/api/runs/1/games/0", params={"deal": deal}).json() for deal in (0, 2))
    assert played == [1] + [1] * 3  # and no deal before it is kept
    assert [(film["deal"], film["is_last"], film["to"]) for film in (first, third)] == [(0, False, "999999+"), (2, False, "999999+")]
    assert first["frames"] and third["frames"] != first["frames"]


def test_a_game_that_takes_too_long_is_given_up(store: Path, played: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kibitz.table.film.MOST_SECONDS", 0.0)
    with opened(store) as client:
        response = client.get("/api/runs/1/games/0")
        assert (response.status_code, played) == (409, [])
        assert response.json()["error"] == "playing up to this deal takes more than 0 s; choose an earlier deal or faster bots."


def test_games_that_were_not_played_yet_are_refused(store: Path, played: list[int]) -> None:
    with opened(store) as client:
        for index in (10, 19):
            response = client.get(f"/api/runs/1/games/{index}")
            assert (response.status_code, played) == (409, [])
            assert response.json()["error"] == "this game of run 1 has not been played yet; 20 games have."
        for index in (9, 20):
            assert client.get(f"/api/runs/1/games/{index}").status_code == 200


# -- clients that leave --


class Slow:
    """In place of `deals_of`: bots that never come to an end."""

    def __init__(self) -> None:
        self.begun, self.ended = threading.Semaphore(0), threading.Semaphore(0)

    def __call__(self, contest: Any, lineup: Any, seed: int, index: int, watch: Callable[[], None] = lambda: None) -> Iterator[PlayedGame]:
        self.begun.release()
        until = time.monotonic() + 2 * SECONDS
        try:
            while time.monotonic() < until:
                watch()
                time.sleep(0.01)
        finally:
            if time.monotonic() < until:
                self.ended.release()
        yield from ()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Slow:
    found = Slow()
    monkeypatch.setattr("kibitz.experiments.stored_games.deals_of", found)
    monkeypatch.setattr("kibitz.table.film.deals_of", found)
    return found


def asked(address: str, method: str, path: str, body: dict[str, Any] | None = None) -> socket.socket:
    """A client that has asked for something, and does not wait for the answer."""
    parts = urlsplit(address)
    content = json.dumps(body or {})
    client = socket.create_connection((parts.hostname, parts.port), timeout=SECONDS)
    head = f"{method} {path} HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    client.sendall((head + content).encode())
    return client


@pytest.mark.parametrize(("method", "path", "body"), [("GET", "/api/runs/1/games/0", None), ("POST", "/api/films", BOTS)])
def test_bots_stop_when_the_client_leaves(method: str, path: str, body: Any, store: Path, slow: Slow) -> None:
    with served(create_app(store, limits=LOOSE)) as address:
        first = asked(address, method, path, body)
        assert slow.begun.acquire(timeout=SECONDS)
        second = asked(address, method, path, body)  # waits for its turn
        assert not slow.begun.acquire(timeout=0.2)
        first.close()
        assert slow.ended.acquire(timeout=SECONDS)
        assert slow.begun.acquire(timeout=SECONDS)  # the second one's turn
        second.close()
        assert slow.ended.acquire(timeout=SECONDS)


def test_long_games_of_runs_do_not_keep_other_films_waiting(store: Path, slow: Slow) -> None:
    record = record_of(play(["random", "random"], seed=5)).to_text()
    with served(create_app(store, limits=LOOSE)) as address:
        clients = [asked(address, "GET", f"/api/runs/1/games/{index}") for index in range(3)]
        try:
            assert slow.begun.acquire(timeout=SECONDS)
            film = httpx.post(f"{address}/api/films", json={"record": record}, timeout=SECONDS)
            assert film.status_code == 200 and film.json()["frames"]
        finally:
            for client in clients:
                client.close()
