"""The server as a user has it: `kibitz table` as a process of its own, which can be killed and started again."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.verify.attacks.servers import begun, opened_at


class TableServer:
    """`kibitz table` with a store of its own; started at once, at a free port."""

    def __init__(self, folder: Path) -> None:
        self.store, self._log = folder / "table.db", folder / "log.txt"
        self.address = self._start("0")

    def _start(self, port: str) -> str:
        start = self._log.stat().st_size if self._log.exists() else 0
        self.process = begun(self.store, self._log, "--port", port)
        return opened_at(self.process, self._log, start)

    def kill(self) -> None:
        """End it without a word (SIGKILL)."""
        self.process.kill()
        self.process.wait(30)

    def start_again(self) -> None:
        """At the same port, with the same store."""
        assert self._start(self.address.rpartition(":")[2]) == self.address

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
