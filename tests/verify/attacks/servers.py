"""`kibitz table` as a process of its own, with its log in a file, and the ways in which attacks talk to it."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from tests.cli.test_table import wait_for

PATIENCE = 120.0


@dataclass
class Running:
    """A server that runs."""

    process: subprocess.Popen[bytes]
    address: str
    log: Path

    @property
    def port(self) -> int:
        return urlsplit(self.address).port or 0

    @property
    def websocket(self) -> str:
        return self.address.replace("http", "ws", 1)

    def client(self, source: str = "127.0.0.1") -> httpx.Client:
        """A client at one of the addresses of loopback: each has its own rate limits."""
        return httpx.Client(base_url=self.address, transport=httpx.HTTPTransport(local_address=source), timeout=PATIENCE)

    def session(self, name: str, source: str = "127.0.0.1") -> dict[str, str]:
        """A new session: the header that goes with its requests."""
        with self.client(source) as client:
            return {"Authorization": f"Bearer {client.post('/api/sessions', json={'name': name}).json()['token']}"}

    def health_seconds(self) -> float:
        """How long /api/health takes, from another address than that of most attacks."""
        began = time.monotonic()
        answer = self.exchange(b"GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "127.0.0.2")
        assert answer.startswith(b"HTTP/1.1 200 "), answer[:200]
        return time.monotonic() - began

    def connection(self, source: str = "127.0.0.1", seconds: float = PATIENCE) -> socket.socket:
        """A TCP connection from one of the addresses of loopback."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=seconds, source_address=(source, 0))

    def exchange(self, sent: bytes, source: str = "127.0.0.1") -> bytes:
        """Send bytes, and read until the server closes the connection."""
        with self.connection(source) as client:
            with suppress(ConnectionError):  # it may have closed already
                client.sendall(sent)
            return read_all(client)

    def memory(self) -> int:
        """MiB in use."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) // 1024 if found else 0

    def kill(self) -> None:
        """SIGKILL. The processes that compile for it are killed too: nobody waits for them any more."""
        started = children_of(self.process.pid)
        self.process.kill()
        self.process.wait()
        for pid in started:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def read_all(client: socket.socket) -> bytes:
    """Everything until the other side closes the connection."""
    heard = b""
    with suppress(ConnectionResetError):
        while part := client.recv(65536):
            heard += part
    return heard


def children_of(parent: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            name, fields = stat.read_text().rsplit(")", 1)
            if int(fields.split()[1]) == parent:
                found.append(int(name.split()[0]))
    return found


def begun(store: Path | None, log: Path, *words: str, before: tuple[str, ...] = ()) -> subprocess.Popen[bytes]:
    """A server that has just been started; what it says goes to the log."""
    kept = ["--no-store"] if store is None else ["--store", str(store)]
    command = [*before, sys.executable, "-m", "kibitz", "table", "--port", "0", "--no-open", *kept, *words]
    with log.open("ab") as said:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=said, cwd=log.parent)


def opened_at(process: subprocess.Popen[bytes], log: Path, start: int = 0) -> str:
    """Wait for the address of a server that has been started; what it says stands in the log from `start` on."""
    until = time.monotonic() + PATIENCE
    while not (found := re.search(r"(http://\S+)/\n(.*\n)*.*Ctrl-C", log.read_text(encoding="utf-8")[start:])):
        assert process.poll() is None and time.monotonic() < until, log.read_text(encoding="utf-8")[start:]
        time.sleep(0.02)
    wait_for(f"{found[1]}/")
    return found[1]


@contextmanager
def serving(store: Path | None, log: Path, *words: str, before: tuple[str, ...] = ()) -> Iterator[Running]:
    """A server that answers; it is killed at the end if it still runs."""
    start = log.stat().st_size if log.exists() else 0
    running = Running(begun(store, log, *words, before=before), "", log)
    try:
        running.address = opened_at(running.process, log, start)
        yield running
    finally:
        running.kill()
