"""A referee of the simplest kind for tests of clients: it trusts them, and fails the test at anything unexpected."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from kibitz.games.uno.state import NEWEST_FIRST, OLDEST_FIRST
from kibitz.play.game import Game

PATIENCE = 120.0  # seconds until a client that hangs is ended, and with it the test

CLIENT = (sys.executable, "-m", "kibitz.outside.client")


class Client:
    """A bot in a process of its own, and everything that was said to and by it."""

    def __init__(self, command: Sequence[str], game: str = "uno", folder: Path | None = None) -> None:
        self.said: list[dict[str, Any]] = []
        self.heard: list[dict[str, Any]] = []
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # read and closed at the end
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, cwd=folder)
        self._watch = threading.Timer(PATIENCE, self.process.kill)
        self._watch.daemon = True
        self._watch.start()
        self.asked = 0
        self.tell({"type": "hello", "protocol": 1, "game": game, "referee": "test"})
        self.hello = self.answer()

    def tell(self, message: dict[str, Any]) -> None:
        """Send a message that is not answered."""
        assert self.process.stdin
        self.said.append(message)
        with suppress(BrokenPipeError):  # if the client has ended there will be no answer
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The next message of the client; empty if it has ended."""
        assert self.process.stdout
        line = self.process.stdout.readline()
        message: dict[str, Any] = json.loads(line) if line else {}
        self.heard.append(message)
        return message

    def decide(self, game: Game, seat: int) -> dict[str, Any]:
        """Ask for an action."""
        self.asked += 1
        names = [game.definition.action_name(game.state, action) for action in game.legal_actions()]
        view = game.definition.wire.view_message(game.view(seat))
        self.tell({"type": "decide", "id": self.asked, "view": view, "legal": names, "seconds": 1.0})
        reply = self.answer()
        if reply:
            assert (reply["type"], reply["id"]) == ("action", self.asked)
        return reply

    def end(self, message: dict[str, Any] | None = None) -> tuple[int, str]:
        """Say bye; the exit code, and what stands on standard error."""
        self.tell(message or {"type": "bye"})
        assert self.process.stdin and self.process.stdout
        with suppress(BrokenPipeError):
            self.process.stdin.close()
        code = self.process.wait()
        rest = self.process.stdout.read()
        self.process.stdout.close()
        self._watch.cancel()
        self._errors.seek(0)
        errors = self._errors.read().decode()
        self._errors.close()
        assert rest == b"", rest
        return code, errors

    def __del__(self) -> None:
        """A test that failed leaves nothing behind."""
        self._watch.cancel()
        self.process.kill()
        self.process.wait()
        for channel in (self.process.stdin, self.process.stdout, self._errors):
            with suppress(BrokenPipeError):
                channel.close()  # type: ignore[union-attr]  # all three are pipes or files


def python_client(spec: str, game: str = "uno", *options: str) -> Client:
    """A bot in Python behind our own client."""
    return Client([*CLIENT, spec, *options], game)


def open_game(clients: Sequence[Client], game: Game, seed: int = 1) -> None:
    """Tell everybody of a deal."""
    wire = game.definition.wire
    for seat, client in enumerate(clients):
        message = {
            "type": "game",
            "players": game.state.players,
            "seat": seat,
            "rules": wire.rules_message(game.rules),
            "scores": [0] * game.state.players,
            "seed": seed + seat,
        }
        if client.hello.get("views"):
            message["view"] = wire.view_message(game.view(seat))
        client.tell(message)


def keep_order(game: Game, clients: Sequence[Client]) -> None:
    """Keep each hand in the order that its client reads it in."""
    for seat, client in enumerate(clients if game.definition.name == "uno" else ()):
        game.state.ordered[seat] = OLDEST_FIRST if client.hello.get("hand_order") == "oldest" else NEWEST_FIRST


def play(clients: Sequence[Client], game: Game, seed: int = 1) -> None:
    """Play a game to its end; every answer must be legal."""
    definition, wire = game.definition, game.definition.wire
    keep_order(game, clients)
    open_game(clients, game, seed)
    phases = [_known_phases(game, client) for client in clients]
    while not game.is_over:
        seat = game.to_act
        action = definition.verbs["forced_action"](game.state)
        if action < 0:
            action = definition.verbs["default_action"](game.state, phases[seat])
        if action < 0:
            action = clients[seat].decide(game, seat)["action"]
        for event in game.apply(action):
            for viewer, client in enumerate(clients):
                if client.hello.get("events"):
                    view = game.view(viewer)
                    told = {"type": "event", **wire.event_message(view, event)}
                    client.tell({**told, "view": wire.view_message(view)} if client.hello.get("views") else told)
    for client in clients:
        client.tell({"type": "end", **{key: value for key, value in game.outcome.items() if key != "turns"}})


def _known_phases(game: Game, client: Client) -> int:
    known = [*game.definition.phases[: game.definition.basic_phases], *client.hello.get("windows", [])]
    return sum(1 << game.definition.phases.index(phase) for phase in known)
