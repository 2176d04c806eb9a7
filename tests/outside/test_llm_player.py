"""The language model at the table, against a small stand-in for an address with /chat/completions."""

from __future__ import annotations

import importlib.util
import io
import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import kibitz
from kibitz import registry
from kibitz.experiments.tournament.config import read_tournament
from kibitz.outside.player import outside_bot
from kibitz.outside.referee import RefereedUnit, play_refereed
from kibitz.runs.units import Unit
from tests.outside.tables import EXAMPLES, PATIENT, built_in, match_of

PROGRAM = EXAMPLES / "gallery" / "llm_player.py"
KEY = "sk-this-is-a-secret"


@dataclass
class StandIn:
    """Answers like a model; what it is asked is kept."""

    url: str = ""
    asked: list[tuple[str, str, dict[str, Any]]] = field(default_factory=list)  # path, key, question
    answer: Callable[[int, str], tuple[int, dict[str, str], str]] = lambda count, question: said("1")

    @property
    def questions(self) -> list[str]:
        """What the player wrote."""
        return [body["messages"][1]["content"] for _, _, body in self.asked]


def said(text: str, tokens: int | None = 100) -> tuple[int, dict[str, str], str]:
    usage = {} if tokens is None else {"usage": {"total_tokens": tokens}}
    return 200, {}, json.dumps({"choices": [{"message": {"role": "assistant", "content": text}}], **usage})


@pytest.fixture
def stand_in() -> Iterator[StandIn]:
    there = StandIn()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            there.asked.append((self.path, self.headers.get("Authorization", ""), body))
            status, headers, text = there.answer(len(there.asked), body["messages"][1]["content"])
            self.send_response(status, "Sorry")
            for name, value in {**headers, "Content-Length": str(len(text.encode()))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode())

        do_GET = do_POST

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    there.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield there
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.fixture(scope="module")
def llm() -> ModuleType:
    spec = importlib.util.spec_from_file_location("llm_player", PROGRAM)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def model_of(llm: ModuleType, stand_in: StandIn, call_tokens: int = 16, game_tokens: int = 50_000) -> Any:
    return llm.Model(stand_in.url, "small", KEY, call_tokens, game_tokens)


def soon(seconds: float = 30.0) -> float:
    return time.monotonic() + seconds


def game_with(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch, logs: Path) -> RefereedUnit:
    """One game of the program, as a trusted command, against mix2."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    command = [sys.executable, str(PROGRAM), "--url", stand_in.url, "--model", "small"]
    player = outside_bot("model", command, logs, PATIENT, trusted=True)
    return play_refereed(match_of(player, *built_in("mix2"), logs=logs), Unit(0, 1))


# -- whole games, over the protocol --


def test_it_plays_a_game_without_a_fault(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    played = game_with(stand_in, monkeypatch, tmp_path)
    assert played.faults == []
    assert played.decisions == len(stand_in.asked) > 0
    path, key, body = stand_in.asked[0]
    assert (path, key) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert body["model"] == "small" and body["max_tokens"] == 16
    first = stand_in.questions[0].splitlines()
    assert first[0].startswith("Top card: ") and first[1].startswith("Your hand: ")
    assert sum(line[0].isdecimal() for line in first) >= 2, "nobody is asked without a choice"


def test_what_is_not_legal_is_a_fault_of_the_player(stand_in: StandIn, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    stand_in.answer = lambda count, question: said(("999", "I'd play the red 5.", f"my key is {KEY}")[count % 3])
    faults = game_with(stand_in, monkeypatch, tmp_path).faults
    assert [fault.kind for fault in faults] == ["illegal", "illegal", "illegal", "forfeit"]
    assert len(stand_in.asked) == 3, "an answer is an answer: nobody is asked again"
    told = " ".join(fault.what for fault in faults)
    assert "I'd play the red 5." in told and "999" in told and "(key)" in told and KEY not in told
    assert not any(KEY in file.read_text() for file in tmp_path.iterdir())


# -- one answer --


def test_what_may_pass_is_tried_again(llm: ModuleType, stand_in: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    replies = [(429, {"Retry-After": "0"}, KEY), (500, {}, KEY), said("2")]
    stand_in.answer = lambda count, question: replies[count - 1]
    model = model_of(llm, stand_in)
    assert model.ask("?", soon()) == "2"
    assert model.spent == 100
    err = capsys.readouterr().err
    assert "status 429" in err and "status 500" in err and KEY not in err


@pytest.mark.parametrize("status", [400, 401, 404])
def test_what_will_not_pass_is_not(llm: ModuleType, stand_in: StandIn, status: int) -> None:
    stand_in.answer = lambda count, question: (status, {}, f"Incorrect API key provided: {KEY}")
    with pytest.raises(llm.NoAnswer, match=f"^status {status}$"):
        model_of(llm, stand_in).ask("?", soon())
    assert len(stand_in.asked) == 1


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"choices": []}', '{"choices": [{"message": 3}]}', "<html>"])
def test_a_reply_that_is_none(llm: ModuleType, stand_in: StandIn, text: str) -> None:
    stand_in.answer = lambda count, question: (200, {}, text)
    with pytest.raises(llm.NoAnswer, match="not understood"):
        model_of(llm, stand_in).ask("?", soon())


def test_nobody_waits_longer_than_the_time_for_a_decision(llm: ModuleType, stand_in: StandIn) -> None:
    over = threading.Event()

    def slow(count: int, question: str) -> tuple[int, dict[str, str], str]:
        over.wait(60)
        return said("1")

    stand_in.answer = slow
    try:
        with pytest.raises(llm.NoAnswer, match="no reply in time"):
            model_of(llm, stand_in).ask("?", soon(0.1))
        assert len(stand_in.asked) <= 1
    finally:
        over.set()


def test_a_long_pause_that_is_asked_for_is_not_waited_for(llm: ModuleType, stand_in: StandIn) -> None:
    stand_in.answer = lambda count, question: (429, {"Retry-After": "3600"}, "")
    with pytest.raises(llm.NoAnswer, match="status 429"):
        model_of(llm, stand_in).ask("?", soon())
    assert len(stand_in.asked) == 1


def test_a_redirect_is_not_followed(llm: ModuleType, stand_in: StandIn) -> None:
    stand_in.answer = lambda count, question: (302, {"Location": stand_in.url.replace("/v1", "/elsewhere")}, "")
    with pytest.raises(llm.NoAnswer, match="status 302"):
        model_of(llm, stand_in).ask("?", soon())
    assert [path for path, _, _ in stand_in.asked] == ["/v1/chat/completions"]


def test_an_address_where_nobody_is(llm: ModuleType) -> None:
    with pytest.raises(llm.NoAnswer, match="refused"):
        llm.Model("http://127.0.0.1:1/v1", "small", KEY, 16, 50_000).ask("?", soon(0.2))


# -- tokens --


def test_the_budget_of_a_game(llm: ModuleType, stand_in: StandIn, capsys: pytest.CaptureFixture[str]) -> None:
    """300 tokens are enough for two questions of which each takes 100 and may take 60 more; the next game has a budget of its own."""
    hello = {"type": "hello", "game": "uno"}
    view = {
        **{"seat": 0, "top": "r5", "colour": "r", "hand": ["r1", "wild+4"], "hand_sizes": [2, 7, 3], "direction": -1},
        **{"pile_size": 50, "phase": "turn"},
    }
    decide = {"type": "decide", "id": 1, "view": view, "legal": ["r1", "wild+4:b", "draw"], "seconds": 30.0}
    messages = [hello, {"type": "game"}, decide, decide, decide, {"type": "game"}, decide, {"type": "bye"}]
    stand_in.answer = lambda count, question: said("2")
    lines = io.StringIO("".join(json.dumps(message) + "\n" for message in messages))
    llm.play(model_of(llm, stand_in, game_tokens=300), lines)
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer.get("action") for answer in answers[1:]] == [
        *("wild+4:b", "wild+4:b", "no answer: the budget of 300 tokens per game is spent", "wild+4:b")
    ]
    assert len(stand_in.asked) == 3
    assert stand_in.questions[0] == (
        "Top card: red 5. Current colour: red.\n"
        "Your hand: red 1, Wild Draw Four.\n"
        "Cards held by the others in order of play: 3, 7.\n"
        "Cards in the draw pile: 50. Decision: turn.\n"
        "Your legal actions:\n"
        "1. play red 1\n"
        "2. play Wild Draw Four and call blue\n"
        "3. draw a card"
    )


def test_an_address_that_counts_no_tokens_is_counted_for(llm: ModuleType, stand_in: StandIn) -> None:
    stand_in.answer = lambda count, question: said("1", tokens=None)
    model = model_of(llm, stand_in, call_tokens=16)
    model.ask("a question of 36 characters in all...", soon())
    assert model.spent == (len(llm.RULES) + len("a question of 36 characters in all...")) // 4 + 16


# -- addresses, and the file --


@pytest.mark.parametrize("url", ["ftp://example.org", "example.org/v1", "http://example.org/v1", "http://localhost.example.org/v1"])
def test_an_address_that_is_refused(llm: ModuleType, url: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("SECRET", KEY)
    monkeypatch.setattr(sys, "argv", ["llm_player.py", "--url", url, "--model", "small", "--key-from", "SECRET"])
    with pytest.raises(SystemExit) as end:
        llm.main()
    err = capsys.readouterr().err
    assert end.value.code == 2
    assert KEY not in err and "https://" in err


def test_the_tournament_file(llm: ModuleType) -> None:
    read = read_tournament(EXAMPLES / "gallery" / "llm_tournament.toml")
    model = read.players[0]
    assert model.trusted and model.is_outside
    assert read.limits_of(model).decision_seconds == 30.0


def test_every_action_and_card_has_words(llm: ModuleType) -> None:
    from kibitz.games.uno.names import action_name, card_name

    game = registry.game("uno")
    count = game.encoding(kibitz.Game().view()).actions  # type: ignore[misc]  # UNO has an encoding
    shown = [llm.action_words(action_name(number)) for number in range(count)]
    assert len(set(shown)) == len(shown) == 85
    assert len({llm.card_words(card_name(card)) for card in range(56)}) == 56
