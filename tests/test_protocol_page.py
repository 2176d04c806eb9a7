"""The page on the protocol is true: its examples are what referee and client say, and its lists have every key.

`python -m tests.test_protocol_page` brings the examples up to date.
"""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from kibitz import registry
from kibitz.bots.uno.classroom import Card, Color, GameState
from kibitz.games.hanabi.view import View
from kibitz.games.hanabi.wire import KIND_NAMES as HANABI_KINDS
from kibitz.games.uno.view import WINDOWS
from kibitz.games.uno.wire import KIND_NAMES as UNO_KINDS
from kibitz.outside import player as outside_player
from kibitz.outside.client import ClientPlayer
from kibitz.play.game import Game

PAGE = Path(__file__).parent.parent / "docs" / "protocol.md"
TEXT = PAGE.read_text(encoding="utf-8") if PAGE.is_file() else ""
EXAMPLE = re.compile(r"<!-- message: (.+?) -->\n```json\n(.*?)\n```", re.DOTALL)
WIDTH = 128


class Listener:
    """Answers the two questions of the classroom."""

    def play(self, hand: list[Card], up_card: Card, called_color: Color, state: GameState) -> int:
        return next((index for index, card in enumerate(hand) if card.can_play_on(up_card, called_color)), -1)

    def call_color(self, hand: list[Card]) -> Color:
        return Color.RED


class Discarder:
    """Throws its oldest card away."""

    def choose(self, view: View) -> int:
        return view.discard(0)


BOTS = {"uno": Listener, "hanabi": Discarder}


class Recorder:
    """Stands where the process of a bot would: what is said to it is kept, and it answers as the client does."""

    is_running = True

    def __init__(self, *command: Any, **settings: Any) -> None:
        self.said: list[dict[str, Any]] = []
        self.answers: list[dict[str, Any]] = []
        self.player: ClientPlayer

    def start(self) -> None: ...
    def start_game(self) -> None: ...
    def kill(self) -> None: ...
    def close(self) -> None: ...

    def send(self, message: dict[str, Any]) -> None:
        self.said.append(message)
        if message["type"] == "game":
            self.player.start(message)

    def ask(self, message: dict[str, Any], seconds: float) -> dict[str, Any]:
        self.said.append(message)
        if message["type"] == "hello":
            game = message["game"]
            self.player = ClientPlayer(registry.entrant(BOTS[game], game), registry.game(game))
            answer = self.player.hello()
        else:
            answer = {"type": "action", "id": message["id"], "action": self.player.decide(message)}
        self.answers.append(answer)
        return answer


MOVES = {"uno": ("wild:y", "yskip"), "hanabi": ("hint:1:1", "play:0")}


@cache
def exchange(name: str) -> dict[str, dict[str, Any]]:
    """One message of every kind out of a conversation between our referee and our client, in a game of UNO or Hanabi."""
    game = Game(3, "official", seed=8) if name == "uno" else Game(2, "standard", seed=8, game="hanabi")
    patch = pytest.MonkeyPatch()
    patch.setattr(outside_player, "BotProcess", Recorder)
    try:
        player = outside_player.OutsidePlayer(outside_player.OutsideBot("bot", ("bot",)), game.definition, game.rules)
        player.ready()
        process: Any = player.process
        player.begin(game.view(0), 16045690984503098046)
        events = [event for move in MOVES[name] for event in game.apply(move)]
        player.choose(game.view(game.to_act))
        process.said += [{"type": "event", **game.definition.wire.event_message(game.view(0), event)} for event in events]
        while not game.is_over:
            game.apply(game.legal_actions()[0])
        player.finish(game.outcome)
        player.close()
    finally:
        patch.undo()
    found: dict[str, dict[str, Any]] = {}
    for message in process.said:
        kind = f"{name} {message['type']}"
        found[kind if kind not in found else f"{name} second {message['type']}"] = message
    return found | {f"{name} {answer['type']} answer": answer for answer in process.answers}


def shown(value: Any, indent: int = 0, before: int = 0) -> str:
    """JSON with as few line breaks as fit; `before` characters stand on its first line."""
    line = json.dumps(value)
    if indent + before + len(line) <= WIDTH or not isinstance(value, (dict, list)):
        return line
    inner = " " * (indent + 2)
    if isinstance(value, list):
        parts = [shown(part, indent + 2) for part in value]
    else:
        parts = [f"{json.dumps(key)}: {shown(part, indent + 2, len(key) + 5)}" for key, part in value.items()]
    rows = [inner + parts[0]]
    for part in parts[1:]:
        if "\n" in part or "\n" in rows[-1] or len(rows[-1]) + len(part) + 2 > WIDTH:
            rows[-1] += ","
            rows.append(inner + part)
        else:
            rows[-1] += ", " + part
    first, last = ("[", "]") if isinstance(value, list) else ("{", "}")
    return "\n".join([first, *rows, " " * indent + last])


@cache
def examples() -> dict[str, str]:
    """Every example by name, as it stands in the page."""
    return {name: shown(message) for name, message in (exchange("uno") | exchange("hanabi")).items()}


def refreshed(text: str) -> str:
    """The page with its examples as they should be."""
    return EXAMPLE.sub(lambda found: f"<!-- message: {found[1]} -->\n```json\n{examples()[found[1]]}\n```", text)


def keys_listed(name: str) -> set[str]:
    """The keys that a list of the page explains."""
    found = re.search(rf"<!-- keys: {name} -->\n(.*?)\n\n", TEXT, re.DOTALL)
    assert found, name
    return {key for line in found[1].splitlines() for key in re.findall(r"`(\w+)`", line.partition(":")[0])}


def test_the_examples_are_what_referee_and_client_say() -> None:
    assert refreshed(TEXT) == TEXT, "run `python -m tests.test_protocol_page`"


def test_every_kind_of_message_is_shown_for_both_games() -> None:
    named = {found[1] for found in EXAMPLE.finditer(TEXT)}
    assert named <= set(examples())
    kinds = ("hello", "hello answer", "game", "decide", "action answer", "event", "end", "bye")
    unshown = {f"{game} {kind}" for game in ("uno", "hanabi") for kind in kinds} - named
    assert unshown == {"hanabi hello", "hanabi hello answer", "hanabi action answer", "hanabi bye"}  # the same in both games


def test_examples_are_one_object_each_and_break_only_for_reading() -> None:
    for found in EXAMPLE.finditer(TEXT):
        assert isinstance(json.loads(found[2]), dict)


@pytest.mark.parametrize("game", ["uno", "hanabi"])
def test_the_lists_have_every_key(game: str) -> None:
    said = exchange(game)
    assert keys_listed("hello") == set(said[f"{game} hello"])
    assert keys_listed("action") == set(said[f"{game} action answer"])
    assert keys_listed("decide") == set(said[f"{game} decide"])
    assert keys_listed("game") | {"scores"} == set(said[f"{game} game"]) | {"scores", "view"}
    assert keys_listed(f"{game} rules") == set(said[f"{game} game"]["rules"])
    assert keys_listed(f"{game} view") == set(said[f"{game} decide"]["view"])
    assert keys_listed(f"{game} end") == set(said[f"{game} end"])


def test_the_lists_have_every_key_of_an_event_and_of_a_card() -> None:
    assert keys_listed("uno event") | {"view"} == set(exchange("uno")["uno event"]) | {"view"}
    told = [exchange("hanabi")["hanabi event"], exchange("hanabi")["hanabi second event"]]
    assert keys_listed("hanabi event") == {key for message in told for key in message} | {"colour", "view"}
    view = exchange("hanabi")["hanabi decide"]["view"]
    assert keys_listed("hanabi card") == set(view["hands"][0][0])
    assert keys_listed("hanabi last") == set(view["last"])


def test_a_greeting_may_have_every_key_that_the_referee_reads() -> None:
    greeting = exchange("uno")["uno hello answer"]
    assert keys_listed("hello answer") == set(greeting) | {"hand_order", "players"}


def test_every_window_and_kind_of_event_is_named() -> None:
    for name in (*WINDOWS, *UNO_KINDS, *HANABI_KINDS):
        assert f"`{name}`" in TEXT, name


if __name__ == "__main__":
    PAGE.write_text(refreshed(TEXT), encoding="utf-8")
