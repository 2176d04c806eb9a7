"""Twenty SIGKILLs each of an evaluation, a tournament and the table: runs end in equal figures, and no acknowledged move is lost."""

from __future__ import annotations

import random
import threading
import time
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

from kibitz.runs.database import open_store
from kibitz.runs.kept_tables import read_table
from tests.cli.test_table import Player
from tests.runs.test_kill import finish, kill_and_resume
from tests.runs.warm import command_line
from tests.verify.attacks.conftest import Begin
from tests.verify.attacks.servers import Running, begun, serving

pytestmark = pytest.mark.verify

KILLS = 20


@pytest.mark.parametrize("name", ["evaluate", "tournament"])
def test_kills_of_runs(name: str, begin: Begin, tmp_path: Path) -> None:
    with begin(f"kills: {name}") as attack:
        words = command_line(name, tmp_path)
        whole = finish(words, tmp_path / "whole.db", tmp_path)
        draw = random.Random(f"kills of {name}")
        hits = 0
        while attack.attempts < KILLS:
            number = attack.attempts
            with attack.attempt(f"kill {number}"):
                hit, figures = kill_and_resume(words, tmp_path / str(number), draw.uniform(-0.1, 0.9), draw.uniform(0, 0.02), None)
                hits += hit
                assert figures == whole, "the figures differ from those of a run in one go"
        assert hits >= KILLS / 2, f"only {hits} kills met a run in the middle"


# -- the table --


@dataclass
class Pair:
    """Two people at tables of their own, who play as fast as they can and remember every move that was acknowledged."""

    tokens: list[str]
    table: str = ""
    acknowledged: dict[str, dict[int, str]] = field(default_factory=dict)  # of each table: actions by their position
    unkept: int = 0  # of these, answered with "kept": false since the last that was kept

    @classmethod
    def of(cls, server: Running, source: str = "127.0.0.1") -> Pair:
        return cls([server.session(name, source)["Authorization"].split()[1] for name in ("Ann", "Bob")])

    def open(self, server: Running, **more: Any) -> None:
        """Sit down at a new table."""
        asked = {"game": "uno", "seats": [{"person": True}, {"person": True}], "seat": 0, **more}
        ann, bob = ({"Authorization": f"Bearer {token}"} for token in self.tokens)
        with server.client() as client:
            while (answer := client.post("/api/tables", json=asked, headers=ann)).status_code == 429:
                time.sleep(0.5)
            table = answer.json()["table"]
            assert client.post(f"/api/tables/{table}/seat", json={"seat": 1}, headers=bob).status_code == 200
        self.table, self.acknowledged[table] = table, {}

    def play(self, server: Running, moves: int) -> None:
        """Play some moves, at new tables when a game is over."""
        while moves > 0:
            if not self.table:
                self.open(server)
            with ExitStack() as stack:
                address = f"{server.websocket}/api/tables/{self.table}/live"
                people = [Player(stack.enter_context(connect(address, compression=None)), token) for token in self.tokens]
                while moves > 0 and people[0].position["over"] is None:
                    moves -= self.move(people)
                if people[0].position["over"] is not None:
                    self.table = ""

    def move(self, people: list[Player]) -> int:
        """One move of whoever has one; 1 if it was kept."""
        newest = max(one.position["position"] for one in people)
        for one in people:
            while one.position["position"] < newest:
                one.hear()
        if people[0].position["over"] is not None:
            return 0
        mover = next((one for one in people if one.position["legal"]), None)
        if mover is None:  # an action without a choice follows
            people[0].hear()
            return 0
        place, action = mover.position["position"], mover.position["legal"][0]
        mover.number += 1
        mover.send({"type": "act", "id": mover.number, "deal": 0, "position": place, "action": action})
        while (answer := mover.hear())["type"] not in ("done", "refused"):
            pass
        assert answer["type"] == "done", answer
        self.acknowledged[self.table][place] = action
        self.unkept = 0 if answer.get("kept", True) else self.unkept + 1
        while mover.position["position"] <= place:
            mover.hear()
        return 1

    def lost_in(self, store: Path) -> list[str]:
        """Acknowledged moves that the store does not have."""
        lost = []
        with open_store(store) as opened:
            for table, moves in self.acknowledged.items():
                kept = read_table(opened, table)
                actions = kept.deals[0] if kept is not None else []
                lost += [f"{table}: {place} {action}" for place, action in moves.items() if actions[place : place + 1] != [action]]
        return lost


def kill_in_mid_play(server: Running, pair: Pair, seconds: float) -> None:
    """Let two people play, and kill the server after a while."""
    timer = threading.Timer(seconds, server.process.kill)
    timer.start()
    with suppress(WebSocketException, OSError, httpx.TransportError):
        pair.play(server, 10_000)
    timer.join()
    server.kill()


def kill_in_mid_start(store: Path, log: Path, seconds: float) -> None:
    """Start a server, and kill it before or after it is ready."""
    server = Running(begun(store, log), "", log)
    time.sleep(seconds)
    server.kill()


def test_kills_of_the_table(begin: Begin, tmp_path: Path) -> None:
    store, log = tmp_path / "kibitz.db", tmp_path / "log"
    draw = random.Random("kills of the table")
    with begin("kills: table") as attack:
        pair: Any = None
        while attack.attempts < KILLS:
            number = attack.attempts
            with attack.attempt(f"kill {number}"):
                if number % 5 == 4:
                    kill_in_mid_start(store, log, draw.uniform(0.5, 3.0))
                else:
                    with serving(store, log) as server:
                        pair = pair or Pair.of(server)
                        pair.play(server, 1)  # the table goes on after each kill
                        before = sum(map(len, pair.acknowledged.values()))
                        kill_in_mid_play(server, pair, draw.uniform(0.0, 2.0))
                    assert sum(map(len, pair.acknowledged.values())) >= before
                lost = pair.lost_in(store) if pair else []
                assert not lost, f"{len(lost)} moves, {lost[:3]}"
        moves = sum(map(len, pair.acknowledged.values()))
        assert moves >= 3 * KILLS, f"only {moves} moves were played"
        attack.note = f"{moves:,} moves were acknowledged"
        assert "Traceback" not in log.read_text(encoding="utf-8")
