"""Commands as processes of their own, forked from one that has imported everything and played a little.

They are processes like any other, that can be killed at any moment. What is saved are the seconds that each would take to start.
"""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

# Command lines with some tenths of a second to play, in 16 units or more.
COMMANDS = {
    "evaluate": ["evaluate", "mix2", "greedy", "--games", "80000", "--players", "3"],
    "match": ["match", "mix2", "random", "greedy", "--games", "120000", "--seating", "rotate"],
    "contest": ["match", "greedy", "random", "--games", "10000", "--to", "200"],
    "compare": ["compare", "mix2", "greedy", "--games", "60000"],
    "tournament": ["tournament", "CUP", "--seed", "5"],
}
# A Swiss in which each round hangs on the last, with a bot that is a process of its own and one that breaks the rules.
CUP = """
format = "swiss"
games = 24
rounds = 3
players = [
    {{ name = "Ann", bot = "mix2" }},
    {{ name = "Bob", bot = "greedy" }},
    {{ name = "Out", command = ["{python}", "{client}"] }},
    {{ name = "Bad", command = ["{python}", "{bad}", "illegal_name", "2"] }},
]
"""
HERE = Path(__file__).resolve().parent
PATIENCE = 300.0


def command_line(name: str, folder: Path) -> list[str]:
    """One of the commands; what it reads is written into a folder."""
    return [write_cup(folder) if word == "CUP" else word for word in COMMANDS[name]]


def write_cup(folder: Path) -> str:
    client, bad = HERE.parents[1] / "examples/outside/random_client.py", HERE.parent / "outside/hostile/player.py"
    file = folder / "cup.toml"
    file.write_text(CUP.format(python=sys.executable, client=client, bad=bad), encoding="utf-8")
    return str(file)


class Ended(NamedTuple):
    """How a process ended, and what it said."""

    code: int
    errors: str


class Started:
    """A command that runs: `kibitz` with these words, its output beside the store."""

    def __init__(
        self, words: list[str], store: Path, options: Sequence[str] = ("--threads", "2"), before: Callable[[], None] | None = None
    ) -> None:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["tests.runs.preloaded"])
        self._said = store.with_name(f"{store.name}.{words[0]}.{os.urandom(4).hex()}.txt")
        words = [*words, "--store", str(store), *options]
        self._process = context.Process(target=_command, args=(words, str(self._said), before))
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.is_alive()

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()

    def wait(self) -> Ended:
        """Wait for the end."""
        self._process.join(PATIENCE)
        assert self._process.exitcode is not None, "it does not end"
        return Ended(self._process.exitcode, self._said.read_text(encoding="utf-8") if self._said.exists() else "")


def _command(words: list[str], said: str, before: Callable[[], None] | None) -> None:
    with Path(said).open("wb") as errors, Path(os.devnull).open("wb") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(errors.fileno(), 2)
    from kibitz.cli.main import run

    if before is not None:
        before()
    run(words)
