"""Tables for tests of the referee: small outside bots, matches with them, and ears for everything that is said to them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kibitz import registry
from kibitz.outside.limits import MIB, BotLimits
from kibitz.outside.player import OutsideBot, outside_bot, python_bot
from kibitz.outside.process import BotProcess
from kibitz.outside.referee import RefereedMatch

HOSTILE = Path(__file__).parent / "hostile"
EXAMPLES = Path(__file__).parent.parent.parent / "examples"
PATIENT = BotLimits(decision_seconds=60.0, game_seconds=600.0, start_seconds=60.0, memory=256 * MIB)  # on a busy machine
HASTY = BotLimits(decision_seconds=0.3, game_seconds=600.0, start_seconds=60.0)  # for bots that are to be too late


def player(*words: str | int, name: str = "hostile", limits: BotLimits = PATIENT) -> OutsideBot:
    """The player with one misdeed."""
    command = [sys.executable, "-I", "-S", "player.py", *map(str, words)]
    return outside_bot(name, command, HOSTILE, limits)


def honest(*words: str, name: str = "honest") -> OutsideBot:
    """The same player without a misdeed."""
    return player("honest", *words, name=name)


def example(path: str, name: str = "example", game: str = "uno") -> OutsideBot:
    """A Python file of the examples behind our own client."""
    return python_bot(name, str(EXAMPLES / path), game, PATIENT)


def built_in(*names: str, game: str = "uno") -> tuple[registry.Entrant, ...]:
    """Bots of ours."""
    return tuple(registry.entrant(name, game) for name in names)


def match_of(*members: OutsideBot | registry.Entrant, seed: int = 2024, **more: Any) -> RefereedMatch:
    """A match of UNO, unless it says otherwise."""
    return RefereedMatch(**{"game": "uno", "rules": "classic", "members": members, "seed": seed, **more})


@dataclass
class Ears:
    """All that was said to each process, in order, and how many processes there were."""

    said: dict[int, list[dict[str, Any]]] = field(default_factory=dict)
    in_order: list[tuple[int, dict[str, Any]]] = field(default_factory=list)
    most_alive: int = 0
    _alive: set[int] = field(default_factory=set)

    def everything(self, kind: str | None = None) -> Iterator[dict[str, Any]]:
        """Every message, or those of one type."""
        return (message for messages in self.said.values() for message in messages if kind in (None, message["type"]))


@pytest.fixture
def ears(monkeypatch: pytest.MonkeyPatch) -> Ears:
    """Ears at every bot process of a test. They hear the lines that are written, not what somebody meant to write."""
    heard = Ears()
    write, start, kill = BotProcess._write, BotProcess.start, BotProcess.kill
    others = children()  # of tests before this one, such as a server that several share

    def hearing_write(self: BotProcess, line: str, *times: float) -> None:
        for text in (*self._waiting, line):
            heard.in_order.append((self.pid or 0, json.loads(text)))
            heard.said.setdefault(self.pid or 0, []).append(json.loads(text))
        write(self, line, *times)

    def counting_start(self: BotProcess) -> None:
        start(self)
        heard._alive.add(self.pid or 0)
        heard.most_alive = max(heard.most_alive, len(heard._alive), len(children() - others))

    def counting_kill(self: BotProcess) -> None:
        kill(self)
        heard._alive.discard(self.pid or 0)

    monkeypatch.setattr(BotProcess, "_write", hearing_write)
    monkeypatch.setattr(BotProcess, "start", counting_start)
    monkeypatch.setattr(BotProcess, "kill", counting_kill)
    return heard


def children() -> set[int]:
    """The processes that this one has started and that are still there."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = stat.read_text().rsplit(")", 1)
        except OSError:
            continue
        if int(fields.split()[1]) == os.getpid():
            found.add(int(name.split()[0]))
    return found
