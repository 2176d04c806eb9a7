"""`kibitz table` as a process: it says where it is, ends on Ctrl-C, and a kill takes nothing that was done."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import ClientConnection, connect

from kibitz.core.extras import MissingExtra
from kibitz.table.exposure import exposure, screen
from kibitz.table.protection import ServerLimits
from kibitz.table.server import descriptors_for, fitted
from tests.commands import kibitz_command

Capture = pytest.CaptureFixture[str]

PATIENCE = 300.0


@contextmanager
def server(*words: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """A server's process, its address, and what it said."""
    command = [sys.executable, "-m", "kibitz", "table", "--port", "0", "--no-open", *words]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = ""
        while "Ctrl-C" not in said:
            line = process.stdout.readline()
            assert line, process.communicate()
            said += line
        found = re.search(r"http://\S+", said)
        assert found
        wait_for(found[0])
        yield process, found[0].rstrip("/"), said
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def wait_for(address: str) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            assert httpx.get(f"{address}api/health").status_code == 200
            return
        except httpx.TransportError:
            assert time.monotonic() < until
            time.sleep(0.05)


class Player:
    """A person at a table of a real server, who answers at once."""

    def __init__(self, socket: ClientConnection, token: str) -> None:
        self.socket = socket
        self.number = self.done = 0
        self.position: dict[str, Any] = {}
        self.send({"type": "hello", "token": token})
        while not self.position:
            self.hear()

    def send(self, message: dict[str, Any]) -> None:
        self.socket.send(json.dumps(message))

    def hear(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=PATIENCE))
        if message["type"] in ("position", "update"):
            self.position.update(message)
        return message

    def wait(self) -> None:
        """Wait for a decision, or the end."""
        while not self.position["legal"] and self.position["over"] is None:
            self.hear()

    def act(self) -> None:
        """Wait for a decision, and take the first action."""
        self.wait()
        if self.position["over"] is not None:
            return
        self.number += 1
        told = {"deal": self.position["deal"], "position": self.position["position"], "action": self.position["legal"][0]}
        self.send({"type": "act", "id": self.number, **told})
        while (answer := self.hear())["type"] not in ("done", "refused"):
            pass
        assert answer["type"] == "done"
        self.done = told["position"] + 1


@contextmanager
def seated(address: str, token: str, table: str) -> Iterator[Player]:
    """Somebody at a table."""
    with connect(f"{address.replace('http', 'ws')}/api/tables/{table}/live", compression=None) as socket:
        yield Player(socket, token)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_table_survives_a_kill(tmp_path: Path) -> None:
    store = str(tmp_path / "kibitz.db")
    with server("--store", store) as (process, address, said):
        assert said == f"The table is open at {address}/\nTables are kept in {store}. Ctrl-C ends the server.\n"
        token = httpx.post(f"{address}/api/sessions", json={"name": "Ann"}).json()["token"]
        headers = {"Authorization": f"Bearer {token}"}
        asked = {"game": "uno", "seats": [{"person": True}, {"bot": "mix2"}, {"bot": "greedy"}], "seat": 0}
        table = httpx.post(f"{address}/api/tables", json=asked, headers=headers, timeout=PATIENCE).json()["table"]
        with seated(address, token, table) as player:
            for _ in range(3):
                player.act()
            player.wait()
            done, before = player.done, player.position
            process.send_signal(signal.SIGKILL)
            process.wait()
    with server("--store", store) as (process, address, _), seated(address, token, table) as player:
        assert player.position["position"] >= done  # what bots did after that may be lost: asked again, they do the same
        player.wait()
        for key in ("deal", "position", "view", "legal", "over", "names", "seat"):
            assert player.position[key] == before[key], key
        while player.position["over"] is None:
            player.act()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=PATIENCE)
        assert process.returncode == 130
        assert "Traceback" not in errors


def test_nothing_is_kept_if_nothing_is_to_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with server("--no-store") as (process, address, said):
        assert "Nothing is kept." in said
        response = httpx.post(f"{address}/api/sessions", json={"name": "Ann"})
        assert response.status_code == 201
        assert "server" not in response.headers
        assert httpx.get(address, headers={"Host": "evil.example"}).status_code == 403
        assert list(tmp_path.glob("kibitz-table-*"))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
    assert list(tmp_path.glob("kibitz-table-*")) == []


def test_listening_for_everybody_says_what_is_open_to_whom() -> None:
    with server("--no-store", "--host", "0.0.0.0") as (_, address, said):
        assert address.startswith("http://127.0.0.1:")
        assert said.startswith(f"The table is open at {address}/\n\nReachable ")
        assert screen(exposure("0.0.0.0", limits=fitted(ServerLimits(), descriptors_for(ServerLimits())))) in said
        assert said.endswith("\n\nNothing is kept. Ctrl-C ends the server.\n")
        assert len(said.splitlines()) <= 24


def test_a_port_that_is_taken_is_a_sentence(capsys: Capture) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        code, _, err = kibitz_command(capsys, "table", "--no-open", "--no-store", "--port", str(port))
    assert code == 2
    assert re.search(rf"cannot listen at 127\.0\.0\.1, port {port}: Address already in use; choose another with --port\.", err)


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--port", "70000"], "port 70000 is out of range"),
        (["--host", "no.such.host.invalid"], "host 'no.such.host.invalid' is no address of this machine"),
        (["--store", "a.db", "--no-store"], "exclude each other"),
        (["--store", "."], "is a folder"),
        (
            ["--public-name", "https://kibitz.example"],
            "public name 'https://kibitz.example' is not a host name; write it like kibitz.example",
        ),
        (["--trusted-proxy", "proxy.example"], "trusted proxy 'proxy.example' is not an IP address or network; write it like 127.0.0.1"),
        (["--trusted-proxy", "127.0.0.1", "--trusted-proxy", "0.0.0.0/0"], "trusted proxy '0.0.0.0/0' is every address there is"),
    ],
    ids=str,
)
def test_mistakes_are_sentences(words: list[str], what: str, capsys: Capture) -> None:
    code, _, err = kibitz_command(capsys, "table", "--no-open", *words)
    assert code == 2
    assert what in err and len(err.strip().splitlines()) == 1


def test_a_missing_extra_is_a_sentence(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, _, err = kibitz_command(capsys, "table", "--no-open")
    assert code == 2
    assert err == f"kibitz: {MissingExtra('the table in the browser', 'fastapi')}\n"
