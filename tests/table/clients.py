"""Browsers for tests: a person with a session, a table opened, a socket with numbered messages."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from kibitz.table.app import create_app
from kibitz.table.protection import Rate, ServerLimits

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", message="Using `httpx` with `starlette.testclient`")  # the other one is too new for most
    from starlette.testclient import TestClient as TestClient
    from starlette.testclient import WebSocketTestSession

PLENTY = Rate(1e6, 10**6)
LOOSE = replace(ServerLimits(), requests=PLENTY, sessions=PLENTY, tables=PLENTY, films=PLENTY, runs=PLENTY, messages=PLENTY)


@contextmanager
def opened(store: Path | None = None, limits: ServerLimits = LOOSE, pace: float = 0.0) -> Iterator[TestClient]:
    """The app, running."""
    with TestClient(create_app(store, limits=limits, pace=pace), base_url="http://localhost:8484") as client:
        yield client


def connected(client: TestClient, path: str) -> WebSocketTestSession:
    """A socket of a page of ours."""
    return client.websocket_connect(f"ws://localhost:8484{path}", headers={"Origin": "http://localhost:8484"})


@dataclass
class Person:
    """Somebody with a session."""

    client: TestClient
    name: str = "Ann"
    token: str = ""

    def __post_init__(self) -> None:
        if not self.token:
            self.token = self.client.post("/api/sessions", json={"name": self.name}).json()["token"]

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def open(self, *seats: str | None, seat: int | None = 0, game: str = "uno", **more: Any) -> str:
        """Open a table: a bot's name or None for each seat."""
        listed = [{"person": True} if bot is None else {"bot": bot} for bot in seats]
        response = self.client.post("/api/tables", json={"game": game, "seats": listed, "seat": seat, **more}, headers=self.headers)
        assert response.status_code == 201, response.text
        return str(response.json()["table"])

    @contextmanager
    def at(self, table: str) -> Iterator[Seat]:
        """A socket at a table."""
        with connected(self.client, f"/api/tables/{table}/live") as socket:
            yield Seat(socket).greet(self.token)


@dataclass
class Seat:
    """One end of a socket at a table; `position` is the newest that was sent."""

    socket: WebSocketTestSession
    position: dict[str, Any] = field(default_factory=dict)
    welcome: dict[str, Any] = field(default_factory=dict)
    heard: list[dict[str, Any]] = field(default_factory=list)
    number: int = 0

    def greet(self, token: str | None) -> Seat:
        self.socket.send_text(json.dumps({"type": "hello", "token": token}))
        self.welcome = self.hear()
        assert self.welcome["type"] == "welcome", self.welcome
        self.wait_for("position")
        return self

    def hear(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.receive_text())
        self.heard.append(message)
        if message["type"] in ("position", "update"):
            self.position = {**self.position, **message}
        return message

    def wait_for(self, *kinds: str) -> dict[str, Any]:
        """The next message of these kinds."""
        while True:
            message = self.hear()
            if message["type"] in kinds:
                return message

    def say(self, kind: str, **more: Any) -> dict[str, Any]:
        """Say something; the answer to it."""
        self.number += 1
        return self.say_exactly({"type": kind, "id": self.number, **more}, self.number)

    def say_exactly(self, message: Any, reply: int | None = None) -> dict[str, Any]:
        self.socket.send_text(message if isinstance(message, str) else json.dumps(message))
        while True:
            answer = self.hear()
            if answer["type"] in ("done", "refused", "pong", "advice", "judged") and answer.get("reply") == reply:
                return answer

    def act(self, action: str, **other: Any) -> dict[str, Any]:
        return self.say("act", **{"deal": self.position["deal"], "position": self.position["position"], "action": action, **other})

    def play_on(self) -> None:
        """Always the first legal action, until the deal is over."""
        while self.position["over"] is None:
            if self.position["legal"]:
                answer = self.act(self.position["legal"][0])
                assert answer["type"] == "done", answer
            else:
                self.wait_for("update", "position")
