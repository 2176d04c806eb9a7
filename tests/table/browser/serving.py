"""The server as a user has it: `kibitz table` as a process of its own, which can be killed and started again."""

from __future__ import annotations

import re
import subprocess
import sys
import threading
from pathlib import Path
from queue import Queue

START_SECONDS = 120.0  # bots may have to be compiled first


class TableServer:
    """`kibitz table` with a store of its own; started at once, at a free port."""

    def __init__(self, folder: Path) -> None:
        self.store = folder / "table.db"
        self.errors = folder / "errors.txt"
        self.address = self._start(port=0)

    @property
    def port(self) -> int:
        return int(self.address.rstrip("/").rpartition(":")[2])

    def _start(self, port: int) -> str:
        command = [sys.executable, "-m", "kibitz", "table", "--no-open", "--port", str(port), "--store", str(self.store)]
        with self.errors.open("a", encoding="utf-8") as errors:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, encoding="utf-8")
        lines: Queue[str] = Queue()
        self._reader = threading.Thread(target=self._read, args=(self.process, lines), daemon=True)
        self._reader.start()
        line = lines.get(timeout=START_SECONDS)
        found = re.search(r"The table is open at (http://\S+)", line)
        assert found, f"{line}\n{self.errors.read_text(encoding='utf-8')}"
        return found[1]

    @staticmethod
    def _read(process: subprocess.Popen[str], lines: Queue[str]) -> None:
        assert process.stdout is not None
        with process.stdout:
            for line in process.stdout:
                lines.put(line)
        lines.put("")  # it has ended

    def kill(self) -> None:
        """End it without a word (SIGKILL)."""
        self.process.kill()
        self.process.wait(30)
        self._reader.join(30)

    def start_again(self) -> None:
        """At the same port, with the same store."""
        assert self._start(self.port) == self.address

    def stop(self) -> None:
        """End it as Ctrl-C does."""
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(30)
        self._reader.join(30)
