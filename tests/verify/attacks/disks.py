"""A small file system of its own for one test: a tmpfs in a private mount namespace, which nobody else sees and which ends with the test.

Root can always make one; other users can where the system lets them have user namespaces.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.verify.attacks.tally import Attack

PATIENCE = 120.0
REMARKS = ("kibitz: compiling", "kibitz: compiled code")  # not about the disk; folders of others look strange in a user namespace
MOUNT = 'mount -t tmpfs -o "size=$1,mode=0700" tmpfs "$2" && echo ready && exec cat'


@dataclass
class Ended:
    """How a command ended."""

    code: int
    output: str
    errors: str

    @property
    def is_one_sentence(self) -> bool:
        """Whether the command failed as it should: with one line that says why."""
        lines = [line for line in self.errors.strip().splitlines() if not line.startswith(REMARKS)]
        return self.code == 2 and len(lines) == 1 and lines[0].startswith("kibitz: ")


@dataclass
class Disk:
    """A mounted file system; `folder` is where programs within the namespace see it, `seen` where this process does."""

    pid: int
    folder: Path

    @property
    def enter(self) -> tuple[str, ...]:
        """What stands before a command that runs there."""
        users = () if os.geteuid() == 0 else ("-U", "--preserve-credentials")
        return ("nsenter", "-t", str(self.pid), "-m", *users, "--")

    @property
    def seen(self) -> Path:
        return Path(f"/proc/{self.pid}/root{self.folder}")

    def command(self, *words: str) -> Ended:
        """Run `kibitz` there to its end."""
        command = [*self.enter, sys.executable, "-m", "kibitz", *words]
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
        return Ended(ended.returncode, ended.stdout, ended.stderr)

    def figures(self, *words: str) -> dict[str, Any]:
        """The figures of a command that must succeed."""
        ended = self.command(*words, "--json", "-")
        assert ended.code == 0, ended.errors
        found: dict[str, Any] = json.loads(ended.output)
        return {key: value for key, value in found.items() if key not in ("seconds", "games_per_second")}

    def remount(self, options: str) -> None:
        """Change the size, or whether anything can be written."""
        words = [
            "mount",
            "-t",
            "tmpfs",
            "-o",
            f"remount,{options}",
            "tmpfs",
            str(self.folder),
        ]  # named in full, mount adds no other options
        subprocess.run([*self.enter, *words], check=True, capture_output=True)

    @contextmanager
    def full(self) -> Iterator[None]:
        """A block in which nothing more can be written."""
        filler = self.seen / "filler"
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(bytes(4096))
        try:
            yield
        finally:
            filler.unlink()


@contextmanager
def small_disk(attack: Attack, folder: Path, size: str) -> Iterator[Disk]:
    """A file system of this size, or the end of the attack where none can be made."""
    flags = ["--mount", "--propagation", "private", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    command = ["unshare", *flags, "sh", "-c", MOUNT, "sh", size, str(folder)]
    try:
        holder = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    except FileNotFoundError:
        attack.impossible("there is no program unshare")
    with holder:
        assert holder.stdin and holder.stdout and holder.stderr
        try:
            if holder.stdout.readline() != "ready\n":
                attack.impossible(f"a file system cannot be mounted ({holder.stderr.read().strip()})")
            yield Disk(holder.pid, folder)
        finally:
            holder.kill()
