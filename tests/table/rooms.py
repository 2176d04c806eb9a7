"""A table with several people and somebody who looks on, all of whom keep every sign that they are sent."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

from kibitz import registry
from kibitz.table import advising
from kibitz.table.game_table import GameTable
from kibitz.table.live import LiveGame
from tests.table.clients import Person, Seat, TestClient, connected
from tests.table.truth import UNO_NAMES, Frame, Message, Truth, moments_of

MOST_DECISIONS = 50  # of people in a deal; a longer one is left as it stands
WAIT = 120.0  # seconds; nothing takes that long


@dataclass
class Client(Seat):
    """A browser that keeps every frame as it comes, over all its sockets at a table."""

    who: str = ""
    person: Person | None = None
    chair: int | None = None
    frames: list[Frame] = field(default_factory=list)
    story: list[tuple[Message, list[Message]]] = field(default_factory=list)  # of the deal: views, and what had happened
    said: str = ""

    def hear(self) -> Message:
        text = self.socket.receive_text()
        message: Message = json.loads(text)
        if message["type"] in ("position", "update"):
            self.position = {**self.position, **message}
            if message["type"] == "position" and message["position"] == 0:
                self.story = []
            self.story.append((message["view"], message.get("events", [])))
        self.keep(text)
        return message

    def keep(self, text: str) -> None:
        now, over = self.position, self.position.get("over")
        place = now.get("deal", 0), now.get("position", 0)
        self.frames.append(Frame(self.who, self.chair, text, *place, over is not None, over is not None and over["finished"], self.said))

    def say_exactly(self, message: Any, reply: int | None = None) -> Message:
        self.said = message if isinstance(message, str) else json.dumps(message)
        return super().say_exactly(message, reply)

    def drain(self) -> None:
        """Read all that was sent until now."""
        assert self.say("ping")["type"] == "pong"


class Room:
    """A table with its people, driven by the test: everybody reads all before anybody moves."""

    def __init__(self, client: TestClient, people: list[Person], rng: random.Random, seats: list[str | None], **more: Any) -> None:
        self.client, self.rng = client, rng
        self.people = people[: seats.count(None)]
        self.services: Any = client.app.state.services  # type: ignore[attr-defined]  # our own app
        self.stack = ExitStack()
        self.doors: dict[str, ExitStack] = {}
        self.notes: dict[str, list[str]] = {}
        chairs = [seat for seat, bot in enumerate(seats) if bot is None]
        self.id = people[0].open(*seats, seat=chairs[0], **more)
        nothing: Any = None  # the sockets come below
        self.clients = [Client(nothing, who=person.name, person=person) for person in self.people]
        self.clients.append(Client(nothing, who="onlooker"))
        self.clients[0].chair = chairs[0]
        self.truth = Truth(self.live, [person.token for person in people], self.id, self.notes)
        for one in self.clients:
            self.enter(one)
        for one, chair in zip(self.clients[1:-1], chairs[1:], strict=True):  # who came to look on sits down
            one.drain()
            answer = self.client.post(f"/api/tables/{self.id}/seat", json={"seat": chair}, headers=self.headers(one))
            assert answer.status_code == 200, answer.text
            one.chair = chair
            one.keep(answer.text)
            assert one.wait_for("welcome")["seat"] == chair

    @property
    def table(self) -> GameTable:
        found: GameTable = self.services.tables.tables[self.id]
        return found

    @property
    def live(self) -> LiveGame:
        return self.table.live

    @staticmethod
    def headers(one: Client) -> dict[str, str]:
        return one.person.headers if one.person else {}

    def enter(self, one: Client) -> None:
        door = self.doors[one.who] = self.stack.enter_context(ExitStack())
        one.socket = door.enter_context(connected(self.client, f"/api/tables/{self.id}/live"))
        one.number, one.said = 0, ""
        one.socket.send_text(json.dumps({"type": "hello", "token": one.person.token if one.person else None}))
        assert one.wait_for("welcome")["seat"] == one.chair
        one.wait_for("position")

    def leave(self, one: Client) -> None:
        one.drain()
        self.doors[one.who].close()

    def settle(self) -> None:
        """Until a person must decide; then everybody reads."""
        wait_until(lambda: self.live.is_over or self.live.waits_for_person)
        for one in self.clients:
            one.drain()

    # -- what people do --

    def play_deal(self) -> None:
        """Play until the end of the deal, or long enough."""
        for decision in range(MOST_DECISIONS):
            self.settle()
            if self.live.is_over:
                break
            for chance, errand in ((0.12, self.look), (0.25, self.err), (0.15, self.ask), (0.1, self.write), (0.05, self.come_back)):
                if self.rng.random() < chance:
                    errand()
            if decision == 2:  # once at least
                self.leave(self.clients[1])
                self.enter(self.clients[1])
            mover = self.mover()
            hasty = [one for one in self.clients if one is not mover and one.position["legal"]]
            if hasty and self.rng.random() < 0.3:  # faster than who might jump in
                mover = self.rng.choice(hasty)
            legal = mover.position["legal"]
            careful = [action for action in legal if not action.startswith("play:")]  # in Hanabi, so that it lasts
            answer = mover.act(self.rng.choice(careful if careful and self.rng.random() < 0.85 else legal))
            assert answer["type"] == "done", answer
        self.settle()
        self.truth.deals.append(moments_of(self.live))
        self.truth.add_numbers(self.live)

    def mover(self) -> Client:
        return next(one for one in self.clients if one.chair == self.live.to_act and one.position["legal"])

    def look(self) -> None:
        """Ask over HTTP for what there is."""
        film = f"/api/tables/{self.id}/film?deal={self.live.deal}"
        for one in self.clients:
            for path in (f"/api/tables/{self.id}", "/api/tables", film):
                answer = self.client.get(path, headers=self.headers(one))
                assert answer.status_code == (409 if path == film else 401 if path == "/api/tables" and not one.person else 200)
                one.keep(answer.text)
            for path in ("seat", "fill"):
                one.keep(self.client.post(f"/api/tables/{self.id}/{path}", json={}, headers=self.headers(one)).text)
        one = self.rng.choice(self.clients)
        with connected(self.client, "/api/kibitz") as socket:  # nor is there any talk about the deal while it is played
            socket.send_text(json.dumps({"type": "hello", "token": one.person.token if one.person else None}))
            asked = {"table": self.id, "deal": self.live.deal}
            socket.send_text(json.dumps({"type": "advise", "id": 1, "position": 0, "bots": [], **asked}))
            one.keep(socket.receive_text())
            one.keep(socket.receive_text())
            socket.send_text(json.dumps({"type": "analyse", "id": 2, **asked}))
            one.keep(socket.receive_text())
            assert [frame.message["type"] for frame in one.frames[-3:]] == ["welcome", "refused", "refused"], one.frames[-3:]

    def err(self) -> None:
        """Something that is refused."""
        mover, names = (
            self.mover(),
            sorted(UNO_NAMES if self.live.setup.game == "uno" else ["play:9", "discard:7", "hint:1:red", "hint:9:1"]),
        )
        others = [one for one in self.clients if not one.position["legal"]]
        other = self.rng.choice(others)
        stale = {"position": mover.position["position"] + 1}
        unplayable = [name for name in names if name not in mover.position["legal"]]
        answers: list[Callable[[], Message]] = [
            lambda: mover.act(self.rng.choice(unplayable)),
            lambda: mover.act(mover.position["legal"][0], **stale),
            lambda: mover.say("again"),
            lambda: mover.say("next"),
            lambda: mover.say("advise", bots=["nobody"]),
            lambda: mover.say_exactly("nonsense"),
            lambda: mover.say_exactly({"type": "act", "id": 0, "deal": 0, "position": 0, "action": "draw"}, 0),
            lambda: other.act(self.rng.choice(names)),
            lambda: other.say("advise", bots=["mix2"]),
            lambda: self.clients[-1].say("note", place=1, text="x"),
        ]
        answer = self.rng.choice(answers)()
        assert answer["type"] == "refused", answer

    def ask(self) -> None:
        """Advice for who is to act; what it says follows from what this client was sent."""
        mover, game = self.mover(), self.live.setup.game
        bots = ["mix2", "random"] if game == "uno" else ["piers", "iggi"]
        answer = mover.say("advise", bots=bots)
        assert answer["type"] == "advice", answer
        if self.rng.random() < 0.2:
            assert mover.say("stop")["type"] == "done"
            return
        found = [answer]
        while not found[-1]["final"]:
            found.append(mover.wait_for("advice"))
        heard = retold(mover, game, self.live)
        for ours, theirs in zip(advising.advise(game, heard, bots, position=mover.position["position"]), found, strict=True):
            assert {"type": "advice", "reply": mover.number, **ours} == theirs

    def write(self) -> None:
        """A note, for its writer alone."""
        one = self.rng.choice(self.clients[:-1])
        if self.live.setup.game == "hanabi":
            places = [card["place"] for card in one.position["view"]["hands"][one.chair]]
            text = f"secret{len(self.notes.setdefault(one.who, []))}of{one.who}"
            self.notes[one.who].append(text)
            assert one.say("note", place=self.rng.choice(places), text=text)["type"] == "done"

    def come_back(self) -> None:
        """Somebody goes and comes back, or all do, to a table that has left the memory meanwhile."""
        if self.rng.random() < 0.7:
            one = self.rng.choice(self.clients)
            self.leave(one)
            self.enter(one)
            return
        for one in self.clients:
            self.leave(one)
        wait_until(lambda: self.table.is_idle)
        self.services.tables.forget_idle()
        assert self.id not in self.services.tables.tables
        for one in self.clients:
            self.enter(one)
        self.settle()

    def close(self) -> None:
        for one in self.clients:
            one.drain()
        self.truth.frames = [frame for one in self.clients for frame in one.frames]


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + WAIT
    while not condition():
        assert time.monotonic() < until, "it takes too long"
        time.sleep(0.0005)


def retold(one: Client, game: str, live: LiveGame) -> list[tuple[Any, Any]]:
    """What a client heard, made of what it was sent and of nothing else."""
    wire = registry.game(game).wire
    opening = {"players": live.players, "rules": wire.rules_message(live.rules)}
    heard: list[tuple[Any, Any]] = []
    for shown, events in one.story:
        view = wire.view_from(shown, opening)
        heard += [(view, wire.event_from(event)) for event in events] or [(view, None)]
    return heard
